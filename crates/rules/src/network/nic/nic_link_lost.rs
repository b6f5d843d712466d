use crate::network::each;
use crate::prelude::*;

rule! {
    /// # What it checks
    /// Passes when the kernel logged no loss of the link of an interface in use within the last day.
    /// # Why it matters
    /// A link that comes back looks healthy an hour later. What crossed it meanwhile was sent again, a bond failed
    /// over, a cluster's interconnect may have hung.
    /// # Evidence
    /// Kernel log lines with the name of an interface that has an address or belongs to a bond. The first minutes after
    /// boot, when drivers start their links, do not count.
    /// # Remedy
    /// Cable, transceiver, the switch's own log at that time.
    /// # Source
    /// Linux `drivers/net/bonding/bond_main.c` ("link status definitely down"); drivers/net/ethernet/intel ("NIC Link
    /// is Down"); `drivers/net/ethernet/mellanox/mlx5/core/en_main.c` ("Link down"); Linux Documentation/networking/bonding.rst, section "Link Monitoring".
    code: "nic-link-lost",
    title: "the kernel logged the loss of a link",
    layer: Network, severity: Warning, on: [Nic],

    /// Links go up and down while drivers and switches agree.
    const BOOTING_S: f64 = 300.0;
}

fn check(run: &Facts) -> Vec<Outcome> {
    if run.kernel_log_gap().is_some() && run.host.kernel_log.is_empty() {
        return vec![facts::unread("the kernel log")];
    }
    let lines = run.host.kernel_log.iter().filter(|line| line.pattern == "link-down");
    let findings: Vec<Outcome> = lines.filter_map(|line| judge(run, line)).collect();
    if findings.is_empty() { vec![Outcome::Passes] } else { findings }
}

fn judge(run: &Run, line: &LogLine) -> Option<Outcome> {
    let side = facts::side::sides(run).into_iter().next()?;
    let mut used = side.host.nics.iter().filter(|nic| each::in_use(&side, nic));
    let nic = used.find(|nic| facts::log::names_one_of(&line.text, [nic.name.as_str()]))?;
    let at_boot = line.seconds.is_some_and(|seconds| seconds < BOOTING_S);
    let severity = match facts::log::age_s(run, line) {
        _ if at_boot => return None,
        Some(_) if facts::log::is_recent(run, line) => Severity::Warning,
        Some(_) => return None,
        None => Severity::Info,
    };
    let ago = facts::log::ago(run, line);
    let finding = RULE
        .finding(Kind::Nic.named(&nic.name), format!("{} lost its link{ago}: {}", nic.name, line.text))
        .severity(severity)
        .evidence(facts::log::quoted(line), "kernel log")
        .advice(
            because("A link that drops without anyone unplugging it will drop again.")
                .now(format!("dmesg -T | grep {0}; ethtool {0}; ethtool -m {0}", nic.name))
                .persist("replace cable or transceiver; compare with the switch's log")
                .expecting("no further line, and carrier_changes no longer grows"),
        );
    Some(finding.into())
}
