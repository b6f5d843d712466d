//! The chooser on made-up explanations: what is named first, what waits, and what must not matter.

use super::*;
use crate::FindingExt;
use crate::measurement::signals::Signals;
use fullwire_model::MeasurementId;
use fullwire_model::assessment::{Layer, PathKind, Severity};
use fullwire_model::characteristic::Quantity;
use fullwire_model::net::NetResult;
use fullwire_model::quantity::Unit;
use fullwire_model::subject::Kind;
use proptest::prelude::*;

const PATH: &str = "db2:5555";

fn path() -> Path {
    Path { kind: PathKind::Network, subject: PATH.into(), loopback: false, measurements: Vec::new() }
}

fn measured(bytes_per_s: f64) -> Measurement {
    let id = MeasurementId::numbered(&NetResult::default().question(), 0);
    Measurement { id, bytes_per_s, flat_out: true, driven: true, ..Measurement::nothing() }
}

fn finding(code: &str, explanation: Explanation) -> Finding {
    let rule = crate::rule("unexplained").expect("a rule");
    let mut finding =
        rule.finding(Kind::Setting.named(code), format!("{code} holds it")).severity(Severity::Warning);
    code.clone_into(&mut finding.code);
    finding.explains([explanation])
}

fn of(mechanism: Mechanism) -> Explanation {
    Explanation::of_path(PATH, mechanism)
}

fn bounded(mechanism: Mechanism, value: f64) -> Explanation {
    of(mechanism).bounded(value, Unit::BytesPerS, 0.1)
}

fn wire(value: f64) -> Ceiling {
    Ceiling {
        layer: Layer::Network,
        path: PATH.into(),
        subject: "eth0".into(),
        kind: "nic-goodput".into(),
        value,
        unit: Unit::BytesPerS,
        mechanism: Mechanism::Wire,
        ..Ceiling::default()
    }
}

fn roles(choice: &Choice) -> Vec<(Role, &str)> {
    choice.causes.iter().map(|cause| (cause.role, cause.code.as_str())).collect()
}

#[test]
fn two_bounds_in_series_are_a_chain_up_to_the_wire() {
    let findings = [
        finding("shaper", bounded(Mechanism::OwnShaper, 80e6)),
        finding("window", bounded(Mechanism::ReceiveWindow, 60e6).active(0.9)),
    ];
    let choice = choose(&path(), &measured(58e6), &findings, &[wire(117e6)]);
    assert_eq!(
        roles(&choice),
        [(Role::Primary, "window"), (Role::Next, "shaper"), (Role::Next, "nic-goodput")]
    );
    let after: Vec<_> = choice.causes.iter().map(|cause| cause.after.as_ref().map(|a| a.value)).collect();
    assert_eq!(after, [Some(80e6), Some(117e6), None]);
    assert_eq!(choice.causes[0].after.as_ref().map(|after| after.limited_by.as_str()), Some("shaper"));
}

#[test]
fn a_bound_far_above_the_figure_waits_however_loud_it_is() {
    let spare = finding("bond-slave-down", bounded(Mechanism::BondLinks, 1.2e9)).severity(Severity::Critical);
    let findings = [spare, finding("window", bounded(Mechanism::ReceiveWindow, 52e6))];
    let choice = choose(&path(), &measured(50e6), &findings, &[]);
    assert_eq!(roles(&choice), [(Role::Primary, "window"), (Role::Next, "bond-slave-down")]);
}

#[test]
fn a_bound_that_the_figure_exceeds_is_no_cause() {
    let findings = [finding("window", bounded(Mechanism::ReceiveWindow, 10e6))];
    let choice = choose(&path(), &measured(50e6), &findings, &[]);
    assert!(choice.causes.is_empty(), "{:?}", choice.causes);
}

#[test]
fn what_follows_from_another_cause_steps_back_even_when_it_fits() {
    let findings = [
        finding("receive-window", bounded(Mechanism::ReceiveWindow, 6.5e6).active(0.99)),
        finding("window-scaling", bounded(Mechanism::UnscaledWindow, 6.5e6)),
    ];
    let choice = choose(&path(), &measured(6.4e6), &findings, &[]);
    assert_eq!(roles(&choice), [(Role::Primary, "window-scaling"), (Role::Effect, "receive-window")]);
}

/// 32 reads of 42 ms each: none of them waits for 100,000 a second, which a limit of 2,000 may be next for.
#[test]
fn a_limit_beyond_what_flash_would_give_comes_next_for_nobody() {
    let slow = finding("device-slow", of(Mechanism::DeviceLatency).active(1.0));
    let next = |io_per_s: f64| {
        let limit = of(Mechanism::IoLimit).bounded(io_per_s, Unit::IoPerS, 0.1);
        let findings = [slow.clone(), finding("cgroup-io-max", limit)];
        let measured =
            Measurement { io_per_s: Some(754.0), unit: Unit::IoPerS, in_flight: 32, ..measured(6.2e6) };
        choose(&path(), &measured, &findings, &[]).causes.len() == 2
    };
    assert!(next(2_000.0) && !next(100_000.0));
}

/// Both ends of one bound are read in two places, and rounding may set the ceiling a hair below its finding.
#[test]
fn a_ceiling_that_a_finding_repeats_does_not_come_next_as_well() {
    let findings = [
        finding("window", bounded(Mechanism::ReceiveWindow, 50e6)),
        finding("tbf", bounded(Mechanism::OwnShaper, 80e6)),
    ];
    let shaper =
        Ceiling { kind: "qdisc-rate".into(), mechanism: Mechanism::OwnShaper, soft: true, ..wire(79.99e6) };
    let choice = choose(&path(), &measured(50e6), &findings, &[shaper]);
    assert_eq!(roles(&choice), [(Role::Primary, "window"), (Role::Next, "tbf")]);
}

/// A clamp in a route is the window that arrives: one bound, one link of the chain.
#[test]
fn what_another_bound_brings_about_does_not_come_next_as_well() {
    let findings = [
        finding("shaper", bounded(Mechanism::OwnShaper, 50e6)),
        finding("window", bounded(Mechanism::ReceiveWindow, 80e6)),
        finding("clamp", bounded(Mechanism::RouteWindow, 80.1e6)),
        finding("buffer", bounded(Mechanism::ReceiveWindow, 90e6)),
    ];
    let choice = choose(&path(), &measured(50e6), &findings, &[]);
    assert_eq!(roles(&choice), [(Role::Primary, "shaper"), (Role::Next, "clamp"), (Role::Next, "buffer")]);
}

/// A CPU that is busy, and not busy enough to be named, leaves no figure without its cause.
/// An fsync of 14 ms in the device needs no CPU; one whose time passes above the device may wait for one.
#[test]
fn what_waits_in_a_device_waits_for_no_cpu() {
    let starved = [finding("cpu-saturated", of(Mechanism::CpuStarved))];
    let commits = Ceiling {
        kind: "durable-write".into(),
        value: 73.0,
        unit: Unit::IoPerS,
        mechanism: Mechanism::Flush,
        soft: true,
        ..wire(0.0)
    };
    let chosen = |above: Option<f64>| {
        let signals = Signals { above_devices: above, ..Signals::default() };
        let measured = Measurement { io_per_s: Some(71.0), unit: Unit::IoPerS, signals, ..measured(4.6e6) };
        let choice = choose(&path(), &measured, &starved, std::slice::from_ref(&commits));
        choice.causes.into_iter().map(|cause| (cause.role, cause.code)).collect::<Vec<_>>()
    };
    let (commit, cpu) = ("durable-write".to_owned(), "cpu-saturated".to_owned());
    let waits_in_device = [(Role::Primary, commit.clone()), (Role::Contributing, cpu.clone())];
    assert_eq!(chosen(Some(0.02)), waits_in_device);
    let waits_above = [(Role::Primary, cpu), (Role::Contributing, commit)];
    assert_eq!(chosen(Some(0.95)), waits_above);
    assert_eq!(chosen(None), waits_above);
}

#[test]
fn what_is_not_named_takes_nothing_away() {
    let buffer = of(Mechanism::SendBuffer).bounded(80e6, Unit::BytesPerS, 1.0).active(0.4);
    let cpu = Ceiling { mechanism: Mechanism::CpuBusy, kind: "cpu".into(), soft: true, ..wire(70e6) };
    let ceilings = [cpu, wire(117e6)];
    let choice = choose(&path(), &measured(60e6), &[finding("buffer", buffer)], &ceilings);
    assert_eq!(choice.primary().map(|cause| cause.code.as_str()), Some("buffer"));
    let flat = of(Mechanism::PathRate).inferred(60e6, Unit::BytesPerS);
    assert!(choose(&path(), &measured(60e6), &[finding("flat", flat)], &ceilings).primary().is_none());
}

/// Without its queue a stream arrives sooner, and no faster: what repeats its packets holds it.
#[test]
fn a_queue_promises_no_rate() {
    let queue = finding("bufferbloat", of(Mechanism::PathQueue));
    let alone = choose(&path(), &measured(100e6), std::slice::from_ref(&queue), &[wire(117e6)]);
    assert_eq!(alone.causes[0].after, None);
    let twice = finding("duplicates", bounded(Mechanism::Duplication, 100e6));
    let choice = choose(&path(), &measured(98e6), &[queue, twice], &[wire(117e6)]);
    assert_eq!(roles(&choice)[..2], [(Role::Primary, "duplicates"), (Role::Next, "nic-goodput")]);
    assert_eq!(choice.causes[0].after.as_ref().map(|after| after.value), Some(117e6));
}

/// The speed that a virtual adapter states: nothing is promised up to it.
#[test]
fn the_speed_of_a_virtual_adapter_is_no_promise() {
    let findings = [finding("window", bounded(Mechanism::ReceiveWindow, 60e6))];
    let promised = |soft| {
        let stated = Ceiling { soft, ..wire(1178e6) };
        choose(&path(), &measured(58e6), &findings, &[stated]).causes[0].after.is_some()
    };
    assert_eq!([promised(false), promised(true)], [true, false]);
}

#[test]
fn a_full_wire_is_the_cause_of_the_queue_before_it() {
    let findings = [finding("bufferbloat", of(Mechanism::PathQueue))];
    let choice = choose(&path(), &measured(115e6), &findings, &[wire(117e6)]);
    assert_eq!(roles(&choice), [(Role::Primary, "nic-goodput"), (Role::Effect, "bufferbloat")]);
}

#[test]
fn what_is_left_is_not_known_while_something_without_a_bound_acts() {
    let findings = [
        finding("window", bounded(Mechanism::ReceiveWindow, 60e6)),
        finding("quota", of(Mechanism::CpuStarved).active(0.6)),
    ];
    let choice = choose(&path(), &measured(58e6), &findings, &[wire(117e6)]);
    assert_eq!(choice.primary().map(|cause| cause.code.as_str()), Some("window"));
    assert_eq!(choice.causes[0].after, None);
}

/// One in flight at the latency that was seen, or the device at its own: shown, and promised to nobody.
#[test]
fn an_estimate_is_no_promise_and_lets_nothing_beyond_it_be_one() {
    let kind = |kind: &str, value| Ceiling { kind: kind.into(), soft: true, removable: true, ..wire(value) };
    let of = |ceiling| {
        let findings = [finding("window", bounded(Mechanism::ReceiveWindow, 60e6))];
        let choice = choose(&path(), &measured(58e6), &findings, &[ceiling, wire(117e6)]);
        choice.causes[0].after.as_ref().map(|after| after.value)
    };
    let latency = kind("one-in-flight", 80e6);
    assert_eq!(of(Ceiling { mechanism: Mechanism::Paced, ..latency }), None);
    assert_eq!(of(Ceiling { mechanism: Mechanism::OwnShaper, ..kind("qdisc-rate", 80e6) }), Some(80e6));
}

/// Forward a slower line between the ends holds the stream flat; what the way back would carry beyond that nobody measured.
#[test]
fn nothing_is_promised_beyond_the_line_that_another_measurement_shows() {
    let back = measured(10e6);
    let forward = MeasurementId::numbered(&NetResult::default().question(), 1);
    let other = Measurement { id: forward.clone(), ..measured(12e6) };
    let path = Path { measurements: vec![other], ..path() };
    let line = of(Mechanism::PathRate).inferred(12e6, Unit::BytesPerS).only([forward]);
    let shaper = finding("shaper", line);
    let promised = |ceiling: Ceiling| {
        let findings = [finding("segments", of(Mechanism::SmallSegments)), shaper.clone()];
        let choice = choose(&path, &back, &findings, &[ceiling]);
        assert_eq!(choice.primary().map(|cause| cause.code.as_str()), Some("segments"));
        choice.causes[0].after.as_ref().map(|after| after.value)
    };
    assert_eq!(promised(wire(278e6)), None);
    assert_eq!(promised(wire(13e6)), Some(13e6), "the same line");
    assert_eq!(
        promised(Ceiling { kind: "declared".into(), ..wire(100e6) }),
        Some(100e6),
        "the user knows it"
    );
}

/// Two streams carry twice what one does: the rate at which each of them goes is not that of the path.
#[test]
fn a_rate_of_the_path_explains_no_streams_of_which_each_is_held() {
    let findings = [
        finding("shaper", of(Mechanism::PathRate).inferred(20e6, Unit::BytesPerS)),
        finding("memory", of(Mechanism::Loss)),
    ];
    let chosen = |held_by, in_flight| {
        let measured = Measurement { in_flight, held_by, ..measured(20e6) };
        choose(&path(), &measured, &findings, &[]).primary().map(|cause| cause.code.clone())
    };
    assert_eq!(chosen(Some(Quantity::FlowRate), 2).as_deref(), Some("memory"));
    assert_eq!(
        chosen(Some(Quantity::FlowRate), 1).as_deref(),
        Some("shaper"),
        "of one alone both are the same"
    );
    assert_eq!(chosen(None, 2).as_deref(), Some("shaper"));
}

/// Nothing arrived in a quarter of the time; others use all of the CPU, and how long the stream waited for one is not counted.
#[test]
fn a_pause_that_no_busy_cpu_makes_speaks_before_a_cpu_that_others_use() {
    let findings = [
        finding("cpu-saturated", of(Mechanism::CpuStarved)),
        finding("path-stalls", of(Mechanism::Stalls).active(0.25)),
    ];
    let chosen = |silent: Option<f64>| {
        let measured = Measurement { signals: Signals { silent, ..Signals::default() }, ..measured(50e6) };
        let choice = choose(&path(), &measured, &findings, &[]);
        choice.primary().map(|cause| cause.code.clone())
    };
    assert_eq!(chosen(Some(0.25)).as_deref(), Some("path-stalls"));
    assert_eq!(chosen(None).as_deref(), Some("cpu-saturated"));
}

/// A fifth of the time it was ready and had no CPU: that is counted, and so is what it would be without.
#[test]
fn a_counted_wait_for_a_cpu_says_what_it_costs() {
    let chosen = |waited: f64| {
        let explanation = of(Mechanism::CpuStarved).active(waited);
        let waits = explanation.without(50e6 / (1.0 - waited), Unit::BytesPerS, "path-shaper");
        let choice = choose(&path(), &measured(50e6), &[finding("cpu-saturated", waits)], &[wire(117e6)]);
        choice.primary().map(|cause| cause.after.as_ref().map(|after| after.value))
    };
    assert_eq!([chosen(0.2), chosen(0.05)], [Some(Some(62.5e6)), None]);
}

/// A filter on the way has dropped before: beyond what holds the stream now it may hold it as well.
#[test]
fn nothing_is_promised_through_a_filter_whose_rate_is_not_read() {
    let promised = |filtered: bool| {
        let measured = Measurement { signals: Signals { filtered, ..Signals::default() }, ..measured(58e6) };
        let findings = [finding("window", bounded(Mechanism::ReceiveWindow, 60e6))];
        let choice = choose(&path(), &measured, &findings, &[wire(117e6)]);
        choice.causes[0].after.as_ref().map(|after| after.value)
    };
    assert_eq!([promised(false), promised(true)], [Some(117e6), None]);
}

fn mechanisms() -> impl Strategy<Value = Mechanism> {
    prop::sample::select(vec![
        Mechanism::ReceiveWindow,
        Mechanism::SendBuffer,
        Mechanism::OwnShaper,
        Mechanism::Loss,
        Mechanism::PathRate,
        Mechanism::CpuStarved,
        Mechanism::WrongRoute,
        Mechanism::Reordering,
    ])
}

prop_compose! {
    fn any_finding()(
        mechanism in mechanisms(),
        bound in prop::option::of(10e6..200e6_f64),
        active in prop::option::of(0.0..1.0_f64),
        name in "[a-z]{6}",
    ) -> Finding {
        let mut explanation = of(mechanism);
        if let Some(value) = bound { explanation = explanation.bounded(value, Unit::BytesPerS, 0.1) }
        if let Some(share) = active { explanation = explanation.active(share) }
        finding(&name, explanation)
    }
}

/// What a choice is about, without the names of rules.
fn said(choice: &Choice) -> Vec<(Role, String, Option<f64>)> {
    let after = |cause: &Cause| cause.after.as_ref().map(|after| after.value);
    choice.causes.iter().map(|cause| (cause.role, cause.subject.clone(), after(cause))).collect()
}

proptest! {
    #[test]
    fn the_order_of_findings_does_not_matter(
        mut findings in prop::collection::vec(any_finding(), 1..6),
        value in 5e6..150e6_f64,
    ) {
        let before = said(&choose(&path(), &measured(value), &findings, &[wire(117e6)]));
        findings.reverse();
        let after = said(&choose(&path(), &measured(value), &findings, &[wire(117e6)]));
        prop_assert_eq!(before.first(), after.first());
    }

    #[test]
    fn the_names_of_rules_do_not_matter(
        mut findings in prop::collection::vec(any_finding(), 1..6),
        value in 5e6..150e6_f64,
    ) {
        let before = said(&choose(&path(), &measured(value), &findings, &[wire(117e6)]));
        for (number, finding) in findings.iter_mut().enumerate() {
            finding.code = format!("renamed-{}", 9 - number);
        }
        prop_assert_eq!(before, said(&choose(&path(), &measured(value), &findings, &[wire(117e6)])));
    }

    #[test]
    fn a_finding_about_something_else_does_not_matter(
        mut findings in prop::collection::vec(any_finding(), 1..6),
        mut other in any_finding(),
        value in 5e6..150e6_f64,
    ) {
        let before = said(&choose(&path(), &measured(value), &findings, &[wire(117e6)]));
        other.explains[0].path = "elsewhere".into();
        findings.insert(0, other);
        prop_assert_eq!(before, said(&choose(&path(), &measured(value), &findings, &[wire(117e6)])));
    }
}

/// A stream the other way carries half as much again through the same CPUs, which are used up: what holds this one is what
/// shares its line.
#[test]
fn cpus_that_let_another_stream_through_are_not_what_holds_this_one() {
    let mut path = path();
    let way = |reverse: bool, bytes_per_s: f64| {
        let question = NetResult { reverse, ..NetResult::default() }.question();
        Measurement { id: MeasurementId::numbered(&question, 0), ..measured(bytes_per_s) }
    };
    let own = way(false, 8.8e6);
    let findings = [
        finding("cpu-saturated", of(Mechanism::CpuStarved)),
        finding("competing-traffic", of(Mechanism::ForeignLoad).active(0.47)),
    ];
    let mut first = |back: f64| {
        path.measurements = vec![way(false, 8.8e6), way(true, back)];
        choose(&path, &own, &findings, &[]).causes[0].code.clone()
    };
    assert_eq!([first(9e6), first(12e6)], ["cpu-saturated", "competing-traffic"]);
}
