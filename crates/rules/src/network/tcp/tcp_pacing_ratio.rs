rule! {
    /// # What it checks
    /// Passes when `net.ipv4.tcp_pacing_ca_ratio` and `tcp_pacing_ss_ratio` are at least 100 %, where the fq discipline
    /// paces.
    /// # Why it matters
    /// A stream is paced to this share of its window over the round trip. Below 100 % it never sends its window within
    /// a round trip, and the window never has a reason to grow.
    /// # Evidence
    /// Both settings of the sending host, the discipline on the way out.
    /// # Remedy
    /// Back to the kernel's defaults, 120 and 200.
    /// # Source
    /// Linux Documentation/networking/ip-sysctl.rst, `tcp_pacing_ca_ratio` and `tcp_pacing_ss_ratio`; tc-fq(8), pacing.
    code: "tcp-pacing-ratio",
    title: "TCP pacing keeps streams below their window",
    layer: Network, severity: Warning, on: [Setting], limits: [Pacing],
    check: |run| each::setting(run, RATIOS[0].0, |side, _| judge(run, side)),

    /// Below the whole window a stream never fills it.
    const LEAST_PERCENT: u64 = 100;
}

/// Each setting with the kernel's default.
const RATIOS: [(&str, &str); 2] =
    [("net.ipv4.tcp_pacing_ca_ratio", "120"), ("net.ipv4.tcp_pacing_ss_ratio", "200")];

/// One setting lifts the other's limit only in part: both belong to one remedy.
fn judge(run: &Run, side: &side::Side) -> Outcome {
    let read = |name: &str| side.host.sysctl_number(name);
    let low: Vec<(&str, &str, u64)> = RATIOS
        .iter()
        .filter_map(|(name, default)| {
            Some((*name, *default, read(name).filter(|percent| *percent < LEAST_PERCENT)?))
        })
        .collect();
    let Some((_, _, percent)) = low.iter().copied().min_by_key(|(_, _, percent)| *percent) else {
        return Outcome::Passes;
    };
    let names: Vec<&str> = low.iter().map(|(name, ..)| *name).collect();
    let at = side.subject(Kind::Setting, &names.join(" and "));
    let paced = side.host.nics.iter().filter(|nic| nic.qdiscs.iter().any(|qdisc| qdisc.kind == "fq"));
    let paced: Vec<&str> = paced.map(|nic| nic.name.as_str()).collect();
    let values: Vec<String> = low.iter().map(|(name, _, percent)| format!("{name} = {percent}")).collect();
    let finding = finding!(
        &at,
        "{}: fq paces each stream to {percent} % of its window over the round trip",
        values.join(", "),
    )
    .measured(percent as f64, LEAST_PERCENT as f64, Unit::Count)
    .evidence(
        format!("fq on {}", if paced.is_empty() { "no interface".into() } else { paced.join(", ") }),
        side.source("tc qdisc show"),
    )
    .evidence(values.join(", "), side.source("/proc/sys/net/ipv4"))
    .advice(
        set_sysctls(
            side.host,
            &low.iter().map(|(name, default, _)| (*name, (*default).to_owned())).collect::<Vec<_>>(),
            "A stream that is kept below its window does not grow.",
            "the rate follows the window again; repeat the measurement",
        )
        .on(side.peer),
    );
    match paced.first() {
        Some(nic) => finding.explains(explain::paths_over(run, side, nic, Mechanism::Pacing)).into(),
        None => finding.severity(Severity::Info).into(),
    }
}
