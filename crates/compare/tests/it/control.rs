//! A path that the change cannot touch: what it did meanwhile is taken off.

use crate::made::{CONTROL, beside_control, compared, controlled, runs};
use fullwire_compare::Options;
use fullwire_model::comparison::{Answer, CauseKind, Comparison};
use fullwire_model::counters::CpuTime;
use fullwire_model::{Run, Window, host::Host};

const QUIET: [f64; 6] = [1.00e9, 1.01e9, 0.99e9, 1.005e9, 0.995e9, 1.0e9];

fn times(factor: f64) -> Vec<f64> {
    QUIET.iter().map(|value| value * factor).collect()
}

#[test]
fn what_the_control_path_did_as_well_was_not_the_change() {
    let (slower, faster) = (times(0.8), times(1.2));
    let both = beside_control([&QUIET, &QUIET], [&slower, &slower]);
    assert_eq!(both.answer, Answer::Same, "{both:?}");
    assert!(both.change.unwrap().abs() < 1e-9 && (both.control.unwrap() + 0.2).abs() < 1e-9, "{both:?}");
    let alone = beside_control([&QUIET, &QUIET], [&faster, &QUIET]);
    assert_eq!(alone.answer, Answer::Better);
    assert!((alone.change.unwrap() - 0.2).abs() < 1e-9, "{alone:?}");
    // 1.2 against 0.8 is half as much again.
    let against = beside_control([&QUIET, &QUIET], [&faster, &slower]);
    assert!((against.change.unwrap() - 0.5).abs() < 1e-9, "{against:?}");
    // Both scatter: the interval is wider than that of one alone.
    let width = |compared: &fullwire_model::comparison::Compared| {
        ((1.0 + compared.high.unwrap()) / (1.0 + compared.low.unwrap())).ln()
    };
    let plain = crate::made::primary(&QUIET, &faster, fullwire_model::comparison::Design::Blocks);
    assert!((width(&alone) / width(&plain) - 2.0_f64.sqrt()).abs() < 0.01, "{alone:?} {plain:?}");
}

#[test]
fn the_control_path_itself_is_shown_and_decides_nothing() {
    let slower = times(0.8);
    let comparison = with_control([&QUIET, &QUIET], [&QUIET, &slower], 1);
    let control: Vec<_> = comparison.comparisons.iter().filter(|one| one.path.as_str() == CONTROL).collect();
    assert!(!control.is_empty() && control.iter().all(|one| !one.primary && one.control.is_none()));
    assert!((control[0].change.unwrap() + 0.2).abs() < 1e-9);
}

/// The second side with another receive buffer, its runs this many hours apart.
fn with_control(a: [&[f64]; 2], b: [&[f64]; 2], hours: i64) -> Comparison {
    let with = |values, buffer: &str| -> Vec<Run> {
        let mut all = controlled(values);
        for (index, run) in all.iter_mut().enumerate() {
            let sysctls = [("net.ipv4.tcp_rmem".to_owned(), buffer.to_owned())];
            run.host = Host { sysctls: sysctls.into_iter().collect(), ..Host::default() };
            run.started =
                jiff::Timestamp::from_second(1_700_000_000 + 3600 * hours * i64::try_from(index).unwrap())
                    .unwrap();
        }
        all
    };
    let control = CONTROL.into();
    let options = Options { control: Some(&control), ..Options::default() };
    compared(&with(a, "4096 131072 262144"), &with(b, "4096 131072 6291456"), &options)
}

#[test]
fn a_cause_is_claimed_with_a_control_path_and_several_hours_and_not_without() {
    let faster = times(1.2);
    let kind = |hours| with_control([&QUIET, &QUIET], [&faster, &QUIET], hours).cause.unwrap().kind;
    assert_eq!(kind(24), CauseKind::CausedBy);
    assert_eq!(kind(0), CauseKind::GoesWith);
    let one_hour = with_control([&QUIET, &QUIET], [&faster, &QUIET], 0);
    assert!(one_hour.caveats.iter().any(|caveat| caveat.contains("in one hour")), "{:?}", one_hour.caveats);
}

#[test]
fn a_control_path_that_was_not_measured_takes_nothing_off_and_says_so() {
    let (a, b) = (crate::made::runs(&QUIET), crate::made::runs(&times(1.2)));
    let control = "sdz".into();
    let options = Options { control: Some(&control), ..Options::default() };
    let comparison = compared(&a, &b, &options);
    assert!(comparison.primaries().all(|one| one.control.is_none() && one.answer == Answer::Better));
    assert!(comparison.caveats.iter().any(|caveat| caveat.contains("control path sdz was not measured")));
}

/// A window in which the hypervisor took this share of the CPU time.
fn stolen(run: &mut Run, percent: u64) {
    let mut window = Window::default();
    window.to.cpu = CpuTime { idle_ns: 100 - percent, steal_ns: percent, ..CpuTime::default() };
    run.windows.push(window);
}

#[test]
fn what_the_hypervisor_took_more_of_is_not_the_change() {
    let answer = |b: &[f64], before: u64, after: u64| {
        let (mut first, mut second) = (runs(&QUIET), runs(b));
        for (side, percent) in [(&mut first, before), (&mut second, after)] {
            for run in side {
                stolen(run, percent);
            }
        }
        let comparison = compared(&first, &second, &Options::default());
        let primary = comparison.primaries().next().unwrap();
        (primary.answer, primary.why.clone().unwrap_or_default())
    };
    let (slower, faster) = (times(0.9), times(1.1));
    let (undecided, why) = answer(&slower, 3, 21);
    assert_eq!(undecided, Answer::CannotTell);
    assert!(why.starts_with("the hypervisor took 3 % of the CPU time before and 21 % after"), "{why}");
    assert_eq!(answer(&slower, 20, 21).0, Answer::Worse);
    assert_eq!(answer(&slower, 21, 3).0, Answer::Worse);
    assert_eq!(answer(&faster, 3, 21).0, Answer::Better);
    assert_eq!(answer(&faster, 21, 3).0, Answer::CannotTell);
}
