use crate::prelude::*;
use std::collections::BTreeSet;

rule! {
    /// # What it checks
    /// Applies to ports of RDMA adapters; passes when hardly any packet of RDMA is lost, and the network marks few as
    /// congested.
    ///
    /// # Why it matters
    /// RDMA over Ethernet (RoCE) counts on a network that loses nothing: after a loss all is sent again from there. NVMe over
    /// RDMA, iSER and a cluster's interconnect stall for as long.
    ///
    /// # Evidence
    /// `hw_counters` of the port: `out_of_sequence`, `packet_seq_err`, `implied_nak_seq_err`, `local_ack_timeout_err`; and of
    /// congestion `np_cnp_sent`, `rp_cnp_handled`.
    ///
    /// # Remedy
    /// PFC and ECN set alike on hosts and switches; repair what loses.
    ///
    /// # Source
    /// Linux Documentation/ABI/stable/sysfs-class-infiniband; NVIDIA, Understanding mlx5 Linux Counters and Status Parameters;
    /// InfiniBand Architecture Specification, Annex A17 (`RoCEv2`, congestion notification).
    code: "rdma-loss",
    title: "an RDMA port loses packets or is told of congestion",
    layer: Network, severity: Warning, on: [Adapter],

    /// Losses a second that are no accident (own choice).
    const LOST_A_SECOND: f64 = 1.0;
    /// Notifications a second from which on they are felt (own choice; some are how congestion control works).
    const MARKED_A_SECOND: f64 = 1000.0;
}

/// Each is a packet that was lost, or that came late.
const LOST: [&str; 4] = ["out_of_sequence", "packet_seq_err", "implied_nak_seq_err", "local_ack_timeout_err"];
/// Each is a notification of congestion, which slows one flow down.
const MARKED: [&str; 2] = ["np_cnp_sent", "rp_cnp_handled"];

fn check(run: &Facts) -> Vec<Outcome> {
    let counted = run.windows.iter().flat_map(|window| window.to.errors.keys());
    let ports: BTreeSet<&str> = counted
        .filter_map(|key| key.rsplit_once('/'))
        .filter(|(_, name)| LOST.contains(name) || MARKED.contains(name))
        .map(|(port, _)| port)
        .collect();
    ports.into_iter().map(|port| judge(run, port)).collect()
}

fn judge(run: &Facts, port: &str) -> Outcome {
    let own = side::own(run);
    let grown = |name: &&'static str| {
        let key = format!("{port}/{name}");
        Some((*name, own.counted(|counters| counters.errors.get(&key).copied())?))
    };
    let fastest = |names: &'static [&'static str]| {
        let all = names.iter().filter_map(grown);
        all.max_by_key(|(_, growth)| growth.count)
    };
    let (lost, marked) = (fastest(&LOST), fastest(&MARKED));
    let a_second = |growth: side::Growth| growth.count as f64 / growth.seconds.max(1.0);
    let (severity, what, (name, growth), allowed) = match (lost, marked) {
        (Some(lost), _) if a_second(lost.1) >= LOST_A_SECOND => {
            (Severity::Warning, "loses packets of RDMA", lost, LOST_A_SECOND)
        }
        (_, Some(marked)) if a_second(marked.1) >= MARKED_A_SECOND => {
            (Severity::Info, "is told of congestion on its network", marked, MARKED_A_SECOND)
        }
        (None, None) => {
            return Outcome::Unknown(format!("the counters of {port} were not read over a window"));
        }
        _ => return Outcome::Passes,
    };
    let (adapter, number) = port.split_once('/').unwrap_or((port, "1"));
    RULE.finding(
        Kind::Adapter.named(port),
        format!("RDMA port {port} {what}: {name} {:.0} a second{}", a_second(growth), growth.when()),
    )
    .severity(severity)
    .measured(a_second(growth), allowed, Unit::PerS)
    .evidence(growth.span().count(name, growth.count), format!("/sys/class/infiniband/{adapter}/ports/{number}/hw_counters"))
    .advice(
        because("What follows a lost packet is sent again as well: latency jumps, and throughput falls far more than the share that is lost.")
            .look(
                sh!("grep . /sys/class/infiniband/{}/ports/{}/hw_counters/* || true", adapter, number),
                "Shows the counters; run it twice to see which grow",
            )
            .now("`mlnx_qos -i NIC` or `dcb pfc show dev NIC`: one priority has PFC, the same on all hosts and switch ports; then the discards of that priority on the switches")
            .persist("PFC for the priority of RoCE and ECN on every switch of the way; repair the link that drops")
            .expecting("the counters do not grow under load"),
    )
    .into()
}
