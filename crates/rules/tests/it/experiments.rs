//! Experiments on simulated paths: two that agree in every figure of the plan are told apart, by predictions that were
//! stored before.

use crate::simulation::{Device, Dice};
use fullwire_model::assessment::Role;
use fullwire_model::characteristic::{Estimate, Experiment, Quantity};
use fullwire_model::experiment::Tried;
use fullwire_model::host::Host;
use fullwire_model::net::{CpuUse, NetInterval, NetMode, NetPlan, NetResult, TcpSummary, UdpSummary};
use fullwire_model::{PathName, Peer, Run};
use fullwire_rules::experiment::{next_of_network, next_of_storage};
use fullwire_rules::{assess, characteristics};
use serde_json::{Value, json};

/// Makes what is proposed until nothing is, within a budget in seconds.
fn explore(device: &Device, budget_s: f64) -> Run {
    let mut run = device.run(&mut Dice(3));
    let (mut left_s, mut dice) = (budget_s, Dice(4));
    while let Some(proposal) = next_of_storage(&run.disk[0], &run.tried, left_s) {
        left_s -= proposal.cost_s;
        let disk = Some(device.tried(&proposal.plan, &mut dice));
        run.tried.push(Tried { disk, ..proposal.record });
    }
    run
}

fn left(run: &Run, experiment: Experiment, about: &str) -> Vec<Quantity> {
    let found = &characteristics(run)[&PathName::from("/data")];
    let mut all =
        found.experiments.iter().filter(|one| one.experiment == experiment && one.about.to_string() == about);
    all.next().unwrap_or_else(|| panic!("{experiment:?} was not tried")).left.clone()
}

const WRITE: &str = "quick random write 8k depth 1";

/// 30 writes a second, because each takes 33 ms or because no more are let through.
fn slow_and_limited() -> [Device; 2] {
    let base = Device { read_s: 0.005, write_s: 0.002, flush_s: 0.001, byte_s: 1e-9, ..Device::default() };
    let slow = Device { write_s: 1.0 / 30.0, flush_s: 1e-6, ..base.clone() };
    let limited = Device { write_io_per_s: Some(30.0), flush_s: 1e-6, ..base };
    [slow, limited]
}

#[test]
fn single_ios_with_pauses_tell_a_slow_device_from_a_limit() {
    let [slow, limited] = slow_and_limited();
    let base = [&slow, &limited].map(|device| device.run(&mut Dice(3)));
    for (one, other) in base[0].disk[0].steps.iter().zip(&base[1].disk[0].steps) {
        assert!(
            (one.iops / other.iops - 1.0).abs() < 0.08,
            "{}: {} and {}",
            one.label(),
            one.iops,
            other.iops
        );
    }
    let [slow, limited] = [&slow, &limited].map(|device| explore(device, 5.0));
    assert_eq!(left(&slow, Experiment::SingleIos, WRITE), [Quantity::Latency]);
    assert_eq!(left(&limited, Experiment::SingleIos, WRITE), [Quantity::RequestRate]);
    let known = &characteristics(&limited)[&PathName::from("/data")];
    let write = limited.disk[0].name_of(&limited.disk[0].steps[6]);
    assert_eq!(known.acts_in(&write), Some(Quantity::RequestRate));
    let alone = known.estimate(Quantity::Latency, "random write 8k");
    assert!(
        matches!(alone, Some(Estimate::Determined { low, high }) if low < 2.1e6 && high > 1.9e6),
        "{alone:?}"
    );
    let fires = |run: &Run| assess(run).findings.into_iter().find(|one| one.code == "rate-plateau");
    let finding = fires(&limited).expect("a limit");
    let after = finding
        .explains
        .iter()
        .find(|one| one.covers(&"/data".into(), &write))
        .and_then(|one| one.without.clone());
    assert!(after.is_some_and(|after| (450.0..550.0).contains(&after.value)), "{:?}", finding.explains);
    assert!(fires(&slow).is_none());
}

/// A few figures of a device whose limit they show already leave nothing to ask for.
#[test]
fn nothing_is_tried_where_the_plan_has_settled_it() {
    let steady = Device { read_s: 0.002, write_s: 0.001, flush_s: 0.0005, byte_s: 1e-9, ..Device::default() };
    let run = explore(&steady, 30.0);
    assert!(run.tried.is_empty(), "{:?}", run.tried);
    assert!(next_of_storage(&run.disk[0], &[], 0.0).is_none());
}

#[test]
fn what_was_tried_is_not_tried_again_and_the_budget_holds() {
    for device in slow_and_limited() {
        let run = explore(&device, 5.0);
        for (at, one) in run.tried.iter().enumerate() {
            let same = |other: &&Tried| other.experiment == one.experiment && other.about == one.about;
            assert_eq!(run.tried[..at].iter().filter(same).count(), 0, "{:?}", one.experiment);
        }
        assert!(explore(&device, 0.5).tried.is_empty(), "each takes longer");
    }
}

/// A stream of a simulated path.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "made-up positive values")]
fn stream(reverse: bool, streams: u32, bytes_per_s: f64, resent: u64) -> NetResult {
    let slices = (1..=8).map(|at| NetInterval {
        t_s: f64::from(at) * 0.25,
        throughput_bytes_per_s: bytes_per_s,
        ..NetInterval::default()
    });
    let plan = NetPlan { streams, reverse, duration_ns: 2_000_000_000, ..NetPlan::default() };
    let tcp = TcpSummary {
        mss_bytes: 1448,
        rtt_ns: 10_500_000,
        rtt_min_ns: 10_000_000,
        retransmits: resent,
        segments_out: (2.0 * bytes_per_s / 1448.0) as u64,
        ..TcpSummary::default()
    };
    NetResult {
        target: "standby".into(),
        streams,
        reverse,
        duration_s: 2.0,
        throughput_bytes_per_s: bytes_per_s,
        intervals: slices.collect(),
        tcp: Some(tcp),
        plan,
        ..NetResult::default()
    }
}

fn tried(run: &mut Run, result: impl Fn(&NetPlan) -> NetResult) -> Experiment {
    let proposal = next_of_network(run, &"standby".into(), 5.0).expect("an experiment");
    let experiment = proposal.record.experiment;
    run.tried.push(Tried { net: Some(result(&proposal.plan)), ..proposal.record });
    experiment
}

#[test]
fn several_flows_back_tell_a_limit_of_each_flow_from_one_of_the_direction() {
    for (both, limit) in [(3e6, Quantity::PathRate), (6e6, Quantity::FlowRate)] {
        let streams = [stream(false, 1, 10e6, 0), stream(false, 2, 10e6, 0), stream(true, 1, 3e6, 0)];
        let mut run = Run { net: streams.into(), ..Run::default() };
        assert_eq!(
            tried(&mut run, |plan| stream(plan.reverse, plan.streams, both, 0)),
            Experiment::SeveralReverse
        );
        let known = &characteristics(&run)[&PathName::from("standby")];
        assert_eq!(known.experiments[0].left, [limit]);
        assert_eq!(known.acts_in(&run.name_of(&run.net[2])), Some(limit));
        let judged = assess(&run);
        let back = judged.paths[0].measurements.iter().find(|one| one.id == run.name_of(&run.net[2]));
        let named = back.is_some_and(|back| back.causes.iter().any(|code| code == "flow-limit"));
        assert_eq!(named, limit == Quantity::FlowRate, "{:?}", back.map(|back| &back.causes));
        assert!(next_of_network(&run, &"standby".into(), 30.0).is_none());
    }
}

/// Two flows of hosts without a CPU for each carry what one does, whatever the path carries.
#[test]
fn flows_that_wait_for_a_cpu_tell_nothing_of_the_path() {
    for (client_thread_wait, left) in
        [(0.1, vec![Quantity::PathRate]), (0.4, vec![Quantity::FlowRate, Quantity::PathRate])]
    {
        let streams = [stream(false, 1, 10e6, 0), stream(false, 2, 10e6, 0), stream(true, 1, 3e6, 0)];
        let mut run = Run { net: streams.into(), ..Run::default() };
        tried(&mut run, |plan| {
            let cpu = CpuUse { client_thread_wait: Some(client_thread_wait), ..CpuUse::default() };
            NetResult { cpu, ..stream(plan.reverse, plan.streams, 3e6, 0) }
        });
        let known = &characteristics(&run)[&PathName::from("standby")];
        assert_eq!(known.experiments[0].left, left);
        let by_path = known.acts_in(&run.name_of(&run.net[2])) == Some(Quantity::PathRate);
        assert_eq!(by_path, left.len() == 1, "{client_thread_wait}");
    }
}

#[test]
fn datagrams_at_half_the_rate_tell_random_loss_from_that_of_a_limit() {
    for (lost, limit) in [(40, Quantity::RandomLoss), (0, Quantity::PathRate)] {
        let mut run = Run { net: vec![stream(false, 1, 5e6, 69)], ..Run::default() };
        let udp = UdpSummary { sent: 4000, lost, ..UdpSummary::default() };
        let answer = |plan: &NetPlan| NetResult {
            mode: plan.mode,
            target: "standby".into(),
            udp: Some(udp.clone()),
            plan: plan.clone(),
            ..NetResult::default()
        };
        assert_eq!(tried(&mut run, answer), Experiment::HalfRate);
        let known = &characteristics(&run)[&PathName::from("standby")];
        assert_eq!(known.experiments[0].left, [limit]);
        let share = known.estimate(Quantity::RandomLoss, "forward");
        match limit {
            Quantity::RandomLoss => assert!(matches!(share, Some(Estimate::AtLeast { low }) if low < 0.01)),
            _ => assert!(matches!(share, Some(Estimate::AtMost { high }) if high < 0.001), "{share:?}"),
        }
    }
}

/// What a stream of a simulated path carries in each quarter of a second.
fn over_time(mut result: NetResult, mb_per_s: [f64; 8]) -> NetResult {
    for (slice, rate) in result.intervals.iter_mut().zip(mb_per_s) {
        slice.throughput_bytes_per_s = rate * 1e6;
    }
    result.throughput_bytes_per_s = mb_per_s.iter().sum::<f64>() / 8.0 * 1e6;
    result
}

fn primary(run: &Run) -> Option<String> {
    let judged = assess(run);
    judged.paths[0].causes.first().filter(|one| one.role == Role::Primary).map(|one| one.code.clone())
}

/// Segments overtake one another, which makes a stream slow to start and no slower in the end.
#[test]
fn a_stream_that_still_grew_is_judged_by_its_longer_run() {
    let mut back = over_time(stream(true, 1, 7e6, 0), [3.0, 4.0, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5]);
    let tcp = back.tcp.as_mut().expect("of TCP");
    (tcp.reorder_seen, tcp.dsack_dups) = (490, 15);
    let net = vec![stream(false, 1, 8.7e6, 0), stream(false, 2, 8.7e6, 0), back];
    let mut run = Run { net, ..Run::default() };
    run.command.expect_bytes_per_s = Some(8.7e6);
    assert_eq!(primary(&run).as_deref(), Some("packet-reordering"), "nothing else is known");
    let made = tried(&mut run, |plan| stream(plan.reverse, plan.streams, 8.72e6, 0));
    assert_eq!(made, Experiment::Longer);
    let id = run.name_of(&run.net[2]);
    assert_eq!(characteristics(&run)[&PathName::from("standby")].acts_in(&id), Some(Quantity::PathRate));
    assert_eq!(primary(&run).as_deref(), Some("declared"), "it fills the line");
    let judged = assess(&run);
    let shown = judged.paths[0].measurements.iter().find(|one| one.id == id).expect("the figure");
    assert_eq!((shown.value, shown.label.as_str()), (Some(8.72e6), "async reverse, run for longer"));
}

/// A queue of a few packets before a limit drops what a single stream sends at once: two of them carry half as much again, and
/// datagrams at half the rate lose nothing.
#[test]
fn losses_of_bursts_hold_a_stream_below_what_its_path_carries() {
    let net = vec![stream(false, 1, 8.7e6, 0), stream(false, 2, 8.7e6, 0), stream(true, 1, 1.2e6, 57)];
    let mut run = Run { net, ..Run::default() };
    let answer = |plan: &NetPlan| match plan.mode {
        NetMode::Udp => NetResult {
            mode: plan.mode,
            target: "standby".into(),
            udp: Some(UdpSummary { sent: 4000, ..UdpSummary::default() }),
            plan: plan.clone(),
            ..NetResult::default()
        },
        _ => stream(plan.reverse, plan.streams, 1.8e6, 80),
    };
    let made = [tried(&mut run, answer), tried(&mut run, answer)];
    assert!(
        [Experiment::SeveralReverse, Experiment::HalfRate].iter().all(|one| made.contains(one)),
        "{made:?}"
    );
    assert_eq!(primary(&run).as_deref(), Some("packet-loss"));
}

/// The peer's emulator does what is not read of it: it may hold what leaves there, and not what arrives.
#[test]
fn an_emulator_of_unread_options_is_named_for_what_leaves_by_it() {
    let host = |address: &str, qdiscs: Value| -> Host {
        let nic = json!({ "name": "eth0", "kind": "physical", "up": true, "addresses": [address], "qdiscs": qdiscs });
        serde_json::from_value(json!({ "nics": [nic] })).expect("a host")
    };
    let primary_of = |reverse: bool| {
        let mut result = stream(reverse, 1, 0.6e6, 0);
        result.path.local = "10.0.0.1".into();
        result.path.remote = "10.0.0.2".into();
        let netem = json!([{ "kind": "netem", "parent": "root", "handle": "8001:" }]);
        let peer =
            Peer { target: "standby".into(), host: Some(host("10.0.0.2/24", netem)), ..Peer::default() };
        let host = host("10.0.0.1/24", json!([]));
        primary(&Run { host, net: vec![result], peers: vec![peer], ..Run::default() })
    };
    assert_eq!(primary_of(true).as_deref(), Some("qdisc-netem"));
    assert_ne!(primary_of(false).as_deref(), Some("qdisc-netem"));
}
