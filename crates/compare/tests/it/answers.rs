//! Answers that make sense together.

use crate::made::{compared, primary, repeated, run, runs};
use fullwire_compare::{Deltas, Options};
use fullwire_model::comparison::{Answer, CauseKind, Design, Method};
use fullwire_model::disk::{Bonnie, Caveat, DiskResult, DiskStepResult, SmallFilesResult, Timed};
use fullwire_model::latency::Latency;
use fullwire_model::net::{NetMode, NetPlan, NetResult};
use fullwire_model::{PathName, Run, host::Host};

const QUIET: [f64; 6] = [1.00e9, 1.01e9, 0.99e9, 1.005e9, 0.995e9, 1.0e9];

fn times(factor: f64) -> Vec<f64> {
    QUIET.iter().map(|value| value * factor).collect()
}

#[test]
fn a_clear_change_is_told_with_its_size_and_its_mirror_image_is_the_opposite() {
    let (there, back) =
        (primary(&QUIET, &times(0.95), Design::Blocks), primary(&times(0.95), &QUIET, Design::Blocks));
    assert_eq!((there.answer, back.answer), (Answer::Worse, Answer::Better));
    assert!((there.change.unwrap() + 0.05).abs() < 1e-9);
    let (low, high) = (there.low.unwrap(), there.high.unwrap());
    assert!(low < -0.05 && high > -0.05 && high < 0.0, "{low} {high}");
    assert!(((1.0 + there.change.unwrap()) * (1.0 + back.change.unwrap()) - 1.0).abs() < 1e-9);
    assert_eq!(there.a.n, 6);
}

#[test]
fn the_same_runs_twice_are_the_same() {
    for design in [Design::Blocks, Design::Abba] {
        let compared = primary(&QUIET, &QUIET, design);
        assert_eq!((compared.answer, compared.change), (Answer::Same, Some(0.0)));
    }
}

#[test]
fn one_run_on_each_side_tells_nothing_and_says_what_would() {
    let compared = primary(&[1e9], &[0.5e9], Design::Blocks);
    assert_eq!((compared.answer, compared.method), (Answer::CannotTell, Method::None));
    assert!((compared.change.unwrap() + 0.5).abs() < 1e-9 && compared.low.is_none());
    assert!(compared.why.unwrap().contains("at least 3 runs on one side"));
}

#[test]
fn what_lies_far_outside_the_scatter_of_a_few_runs_is_told() {
    let quiet = [23.8e6, 23.9e6, 23.85e6, 23.87e6];
    let of = |a: &[f64], b: f64| compared(&runs(a), &[run(9, b)], &Options::default()).comparisons[0].clone();
    let halved = of(&quiet, 12.0e6);
    assert_eq!((halved.answer, halved.method), (Answer::Worse, Method::Prediction));
    assert_eq!(of(&quiet[..3], 12.0e6).answer, Answer::Worse, "three runs are enough for a half");
    assert_eq!(of(&quiet[..2], 12.0e6).answer, Answer::CannotTell, "two are not");
    // Near the scatter more runs are needed, and it says how many.
    let near = of(&[23.8e6, 22.1e6, 24.9e6, 23.0e6], 22.0e6);
    assert_eq!(near.answer, Answer::CannotTell);
    assert!(near.pairs_needed.is_some_and(|more| more > 0), "{near:?}");
}

fn disk_run(id: usize, target: &str, file_system: &str, bytes_per_s: f64) -> Run {
    let step = DiskStepResult { throughput_bytes_per_s: bytes_per_s, ..DiskStepResult::default() };
    let disk = DiskResult {
        target: target.into(),
        file_system: file_system.into(),
        steps: vec![step],
        ..DiskResult::default()
    };
    Run { run_id: format!("d{id:04}"), disk: vec![disk], ..Run::default() }
}

#[test]
fn two_targets_that_were_asked_the_same_are_compared_and_what_differs_is_said_first() {
    let side = |target: &str, kind: &str, factor: f64| -> Vec<Run> {
        (0..4).map(|id| disk_run(id, target, kind, QUIET[id] * factor)).collect()
    };
    let comparison = compared(&side("/dev/sdj", "", 1.0), &side("/u02", "xfs", 0.5), &Options::default());
    assert_eq!((comparison.answer, comparison.refused.as_deref()), (Answer::Worse, None));
    let figure = comparison.primaries().next().unwrap();
    assert_eq!(
        (figure.path.as_str(), figure.path_b.as_ref().map(PathName::as_str)),
        ("/dev/sdj", Some("/u02"))
    );
    assert!((figure.change.unwrap() + 0.5).abs() < 1e-9);
    let [pair] = comparison.targets.as_slice() else { panic!("{:?}", comparison.targets) };
    let told: Vec<(&str, &str, &str)> =
        pair.differences.iter().map(|one| (one.name.as_str(), one.a.as_str(), one.b.as_str())).collect();
    assert_eq!(told, [("file system", "", "xfs")]);
    assert_eq!(comparison.cause, None, "nothing was changed: these are two targets");
    // The same mount point with another file system is another target too.
    let anew = compared(&side("/u02", "ext3", 1.0), &side("/u02", "xfs", 1.3), &Options::default());
    assert_eq!((anew.answer, anew.targets.len()), (Answer::Better, 1));
    assert_eq!(anew.comparisons[0].path_b, None);
    // Of two targets on one side nobody knows which is meant.
    let mut two = side("/u02", "xfs", 1.0);
    two[0].disk.push(disk_run(9, "/u03", "xfs", 1e9).disk.remove(0));
    let refused = compared(&two, &side("/u04", "xfs", 1.0), &Options::default());
    assert!(refused.refused.is_some() && refused.targets.is_empty(), "{refused:?}");
}

#[test]
fn every_row_of_small_files_and_of_bonnie_is_compared() {
    let timed =
        |per_s: f64| Timed { count: 1000, seconds: 1000.0 / per_s, per_s: Some(per_s), ..Timed::default() };
    let with = |id: usize, factor: f64| {
        let mut run = disk_run(id, "/u02", "xfs", 1e9);
        let short = Timed { count: 9, seconds: 0.01, ..Timed::default() };
        let files = SmallFilesResult {
            create: timed(700.0 * factor),
            read: timed(9000.0),
            delete: short,
            ..SmallFilesResult::default()
        };
        let bonnie = Bonnie { output_block: timed(5e8 * factor), seeks: timed(300.0), ..Bonnie::default() };
        (run.disk[0].steps, run.disk[0].small_files, run.disk[0].bonnie) =
            (Vec::new(), vec![files], Some(bonnie));
        run
    };
    let side = |factor: f64| -> Vec<Run> { (0..4).map(|id| with(id, factor * QUIET[id] / 1e9)).collect() };
    let comparison = compared(&side(1.0), &side(2.0), &Options::default());
    let told =
        |label: &str| comparison.comparisons.iter().find(|one| one.label == label).map(|one| one.answer);
    assert_eq!(
        told("small files sequential empty files created"),
        Some(Answer::Better),
        "{:?}",
        comparison.comparisons
    );
    assert_eq!(told("small files sequential empty files read"), Some(Answer::Same));
    assert_eq!(told("bonnie output in blocks"), Some(Answer::Better));
    assert_eq!(told("bonnie seeks"), Some(Answer::Same));
    assert!(
        comparison.left_out.iter().any(|one| one.why.contains("half a second")),
        "{:?}",
        comparison.left_out
    );
}

#[test]
fn a_history_tells_what_one_run_means() {
    let history: Vec<Run> = runs(&[QUIET.as_slice(), &QUIET].concat());
    let earlier: Vec<&Run> = history.iter().collect();
    let options = Options { history: &earlier, ..Options::default() };
    let of = |b: f64| {
        let comparison = compared(&[run(50, 1e9)], &[run(51, b)], &options);
        comparison.comparisons[0].clone()
    };
    assert_eq!((of(0.8e9).answer, of(0.8e9).method), (Answer::Worse, Method::Prediction));
    assert_eq!(of(1.002e9).answer, Answer::Same);
}

#[test]
fn the_best_of_earlier_runs_was_reached_by_two_of_them() {
    let history = runs(&[1.0e9, 1.3e9, 1.1e9, 0.9e9]);
    let earlier: Vec<&Run> = history.iter().collect();
    let best = fullwire_compare::best(&run(50, 0.6e9), &earlier);
    assert_eq!(best.len(), 1, "{best:?}");
    assert_eq!((best[0].value, best[0].runs), (1.1e9, 4), "1.3 GB/s was reached once");
    assert_eq!(best[0].run_id, history[2].run_id);
    assert!(fullwire_compare::best(&run(50, 0.6e9), &earlier[..2]).is_empty(), "two runs are no history");
}

#[test]
fn a_baseline_of_many_runs_judges_one() {
    let baseline = runs(&QUIET);
    let answer = |rate| compared(&baseline, &[run(9, rate)], &Options::default()).answer;
    assert_eq!(
        [answer(0.9e9), answer(1.003e9), answer(1.1e9)],
        [Answer::Worse, Answer::Same, Answer::Better]
    );
}

#[test]
fn repeats_of_one_run_claim_less_than_runs() {
    let (a, b) = (repeated(0, &QUIET), repeated(1, &times(0.95)));
    let of = |b: &Run| compared(std::slice::from_ref(&a), std::slice::from_ref(b), &Options::default());
    let comparison = of(&b);
    let figure = &comparison.comparisons[0];
    assert_eq!((figure.answer, figure.method, figure.a.n), (Answer::Worse, Method::Repeats, 6));
    assert!(comparison.caveats.iter().any(|caveat| caveat.contains("widened")), "{:?}", comparison.caveats);
    let by_runs = primary(&QUIET, &times(0.95), Design::Blocks);
    assert!(figure.low.unwrap() < by_runs.low.unwrap() && figure.high.unwrap() > by_runs.high.unwrap());
    // Two percent may be what one invocation differs from the next by.
    assert_eq!(of(&repeated(2, &times(0.98))).comparisons[0].answer, Answer::CannotTell);
}

#[test]
fn different_questions_are_refused_with_the_first_difference() {
    let mut other = run(1, 1e9);
    other.net[0].plan = NetPlan { length_bytes: 8192, ..NetPlan::default() };
    let refused = compared(&[run(0, 1e9)], &[other.clone()], &Options::default());
    assert_eq!(refused.refused.as_deref(), Some("different questions: async: message length: 0 and 8192"));
    assert!(refused.comparisons.is_empty() && refused.is_open());
    let options = Options { force: true, ..Options::default() };
    let forced = compared(&[run(0, 1e9)], &[other.clone()], &options);
    assert_eq!((forced.comparisons.len(), forced.comparisons[0].answer), (1, Answer::NotComparable));
    other.net[0].target = "db3:5555".into();
    let apart = compared(&[run(0, 1e9)], &[other.clone()], &Options::default()).refused.unwrap();
    assert_eq!(
        apart, "different questions: async: message length: 0 and 8192",
        "another target is no other question"
    );
    other.host.hostname = "db9".into();
    let hosts = compared(&[run(0, 1e9)], &[other], &Options::default()).refused.unwrap();
    assert!(hosts.starts_with("different hosts"), "{hosts}");
    let both = [disk_run(0, "/u02", "xfs", 1e9)];
    let columns = compared(&[run(0, 1e9)], &both, &options);
    let shown: Vec<(&str, bool, bool)> = columns
        .comparisons
        .iter()
        .map(|one| (one.path.as_str(), one.a.median.is_some(), one.b.median.is_some()))
        .collect();
    assert_eq!(shown, [("db2", true, false), ("/u02", false, true)], "--force shows whatever there is");
}

#[test]
fn what_is_void_or_was_cut_short_changes_nothing_but_the_count() {
    let (a, b) = (runs(&QUIET), runs(&times(0.9)));
    let clean = compared(&a, &b, &Options::default());
    let mut more = b.clone();
    more.push(run(77, 5e9));
    more[6].net[0].incomplete = Some("interrupted".into());
    let with_void = compared(&a, &more, &Options::default());
    assert_eq!(clean.comparisons, with_void.comparisons);
    assert_eq!((with_void.left_out.len(), with_void.left_out[0].run_id.as_str()), (1, "r0077"));
    let caveat = Caveat { kind: "page-cache".into(), text: "the page cache answered".into(), void: true };
    let cached = DiskResult {
        target: "/u01".into(),
        steps: vec![DiskStepResult::default()],
        caveats: vec![caveat],
        ..DiskResult::default()
    };
    let mut cached_too = a.clone();
    cached_too[0].disk = vec![cached];
    let told = compared(&cached_too, &b, &Options::default());
    assert_eq!(told.comparisons, clean.comparisons);
    assert_eq!(told.left_out[0].why, "the page cache answered");
}

#[test]
fn latency_is_better_when_it_falls_and_its_tail_is_secondary() {
    let message = |id: usize, p50: u64| {
        let latency = Latency { count: 5000, p50, p99: 3 * p50, ..Latency::default() };
        let result = NetResult {
            target: "db2".into(),
            mode: NetMode::Sync,
            latency_ns: Some(latency),
            ..NetResult::default()
        };
        Run { run_id: id.to_string(), net: vec![result], ..Run::default() }
    };
    let at = |base: u64| -> Vec<Run> { (0..5).map(|id| message(id, base + 300 * id as u64)).collect() };
    let comparison = compared(&at(100_000), &at(60_000), &Options::default());
    let labels: Vec<(&str, bool, Answer)> = comparison
        .comparisons
        .iter()
        .map(|compared| (compared.label.as_str(), compared.primary, compared.answer))
        .collect();
    assert_eq!(labels, [("sync p50", true, Answer::Better), ("sync p99", false, Answer::Better)]);
}

#[test]
fn a_cause_is_claimed_only_as_far_as_the_design_allows() {
    let with = |values: &[f64], settings: &[(&str, &str)]| -> Vec<Run> {
        let mut all = runs(values);
        for run in &mut all {
            let sysctls = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            run.host = Host { sysctls: sysctls.collect(), ..Host::default() };
        }
        all
    };
    let small = [("net.ipv4.tcp_rmem", "4096 131072 262144"), ("vm.swappiness", "60")];
    let large = [("net.ipv4.tcp_rmem", "4096 131072 6291456"), ("vm.swappiness", "60")];
    let both = [("net.ipv4.tcp_rmem", "4096 131072 6291456"), ("vm.swappiness", "1")];
    let kind = |b: &[(&str, &str)], design: Design, factor: f64| {
        let options = Options { design, ..Options::default() };
        compared(&with(&QUIET, &small), &with(&times(factor), b), &options).cause.map(|cause| cause.kind)
    };
    assert_eq!(kind(&large, Design::Abba, 1.2), Some(CauseKind::CausedBy));
    assert_eq!(kind(&large, Design::Blocks, 1.2), Some(CauseKind::GoesWith));
    assert_eq!(kind(&both, Design::Abba, 1.2), Some(CauseKind::CannotBeToldApart));
    assert_eq!(kind(&small, Design::Blocks, 1.2), Some(CauseKind::NothingChanged));
    assert_eq!(kind(&large, Design::Abba, 1.0), None, "nothing got better or worse");
}

/// `prove` sets what it measures: neither a change of the path, nor what two runs differ by.
#[test]
fn runs_of_an_experiment_are_no_part_of_the_history() {
    let mut made = runs(&[48e6, 47.9e6, 48.1e6, 48e6, 24e6, 24e6, 24.1e6, 24e6]);
    for run in &mut made[4..] {
        run.command.experiment = true;
    }
    let found = fullwire_compare::series::series(&made.iter().collect::<Vec<_>>(), &Deltas::default());
    assert_eq!(found[0].points.len(), 4, "{found:?}");
    assert!(found[0].noise_floor.is_some_and(|floor| floor < 0.01), "{found:?}");
}

/// Which of two nodes is different? An audit of each tells, without a figure.
#[test]
fn two_hosts_that_measured_nothing_are_compared_by_their_settings() {
    let audit = |name: &str, release: &str| {
        let mut run = Run { run_id: name.into(), ..Run::default() };
        run.host.hostname = name.into();
        run.host.os.kernel_release = release.into();
        run
    };
    let told = compared(&[audit("db1", "5.14.0")], &[audit("db2", "4.18.0")], &Options::default());
    assert_eq!(told.refused, None);
    assert!(told.settings.iter().any(|change| change.a.as_deref() == Some("5.14.0")), "{:?}", told.settings);
}
