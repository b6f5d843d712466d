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
    let sides = facts::side::sides(run);
    let Some(side) = sides.first() else { return Vec::new() };
    let used: Vec<&str> =
        side.host.nics.iter().filter(|nic| each::in_use(side, nic)).map(|nic| nic.name.as_str()).collect();
    // The driver and the bond above it log one loss each in its own words.
    let mut lost: BTreeMap<&str, Vec<(Severity, &LogLine)>> = BTreeMap::new();
    for line in run.host.kernel_log.iter().filter(|line| line.pattern == "link-down") {
        let named = used.iter().find(|nic| facts::log::names_one_of(&line.text, [**nic]));
        if let Some((nic, severity)) = named.zip(severity(run, line)) {
            lost.entry(nic).or_default().push((severity, line));
        }
    }
    let findings: Vec<Outcome> = lost.iter().filter_map(|(nic, lines)| fires(run, nic, lines)).collect();
    if findings.is_empty() { vec![Outcome::Passes] } else { findings }
}

/// `None`: at boot, or long ago.
fn severity(run: &Run, line: &LogLine) -> Option<Severity> {
    match facts::log::age_s(run, line) {
        _ if line.seconds.is_some_and(|seconds| seconds < BOOTING_S) => None,
        Some(_) if facts::log::is_recent(run, line) => Some(Severity::Warning),
        Some(_) => None,
        None => Some(Severity::Info),
    }
}

fn fires(run: &Run, nic: &str, lines: &[(Severity, &LogLine)]) -> Option<Outcome> {
    let severity = lines.iter().map(|(severity, _)| *severity).max()?;
    let (_, line) = lines.iter().find(|one| one.0 == severity)?;
    let ago = facts::log::ago(run, line);
    let finding =
        finding!(Kind::Nic.named(nic), "{nic} lost its link{ago}: {}", line.text).severity(severity);
    let quoted =
        lines.iter().fold(finding, |told, (_, line)| told.evidence(facts::log::quoted(line), "kernel log"));
    let finding = quoted
        .because("A link that drops without anyone unplugging it will drop again.")
        .now(format!("dmesg -T | grep {nic}; ethtool {nic}; ethtool -m {nic}"))
        .persist("replace cable or transceiver; compare with the switch's log")
        .expecting("no further line, and carrier_changes no longer grows");
    Some(finding.into())
}
