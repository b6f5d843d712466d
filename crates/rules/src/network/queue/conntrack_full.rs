rule! {
    /// # What it checks
    /// Passes when the table of tracked connections is less than 75 % full, and the kernel logged no packet that was
    /// dropped for a full one within the last day.
    /// # Why it matters
    /// When it is full, packets of new connections are dropped: logins time out at random while old sessions
    /// run.
    /// # Evidence
    /// `nf_conntrack_count` against `net.netfilter.nf_conntrack_max`; kernel log, "table full, dropping packet".
    /// # Remedy
    /// A larger table, or NOTRACK for the database's ports.
    /// # Source
    /// Linux Documentation/networking/nf_conntrack-sysctl.rst; node-mixin (75 %), netdata health.d (85,
    /// critical 95 %); Linux `net/netfilter/nf_conntrack_core.c` (`__nf_conntrack_alloc`).
    code: "conntrack-full",
    title: "the connection-tracking table is nearly full",
    layer: Network, severity: Critical, on: [Setting],

    /// Of the table, from which on a burst may fill it (own choice).
    const NEARLY: f64 = 0.75;
    /// Of the table: new connections are about to be dropped.
    const FULL: f64 = 0.95;
}

const NAME: &str = "net.netfilter.nf_conntrack_max";

fn check(run: &Facts) -> Vec<Outcome> {
    let sides = side::sides(run);
    // Where nothing is tracked, the module is not loaded and there is nothing to say.
    let tracked = sides.iter().filter_map(|side| {
        let count = side.windows.iter().filter_map(|window| window.to.conntrack_count).max()?;
        Some(match side.host.sysctl_number(NAME).filter(|max| *max > 0) {
            Some(max) => judge(side, count, max),
            None => unknown!("{NAME} could not be read"),
        })
    });
    let mut outcomes: Vec<Outcome> = tracked.collect();
    // A table that is full now says it by itself.
    if !outcomes.iter().any(|outcome| matches!(outcome, Outcome::Fires(_))) {
        outcomes.extend(logged(run, sides.first()));
    }
    outcomes
}

/// Packets that were dropped, by the kernel log. The line comes at most once in five seconds, so it is no count.
fn logged(run: &Facts, own: Option<&side::Side>) -> Option<Outcome> {
    let is_own = |line: &&LogLine| line.pattern == "conntrack-full";
    let line = run.host.kernel_log.iter().find(is_own)?;
    let severity = if facts::log::is_recent(run, line) { Severity::Warning } else { Severity::Info };
    let ago = facts::log::ago(run, line);
    let wanted = run.host.sysctl_number(NAME).map_or(1 << 18, |max| max * 2);
    let advice = set_sysctl(
        own?.host,
        NAME,
        &wanted.to_string(),
        "A full table drops the packets of new connections.",
        "no further line in the kernel log",
    );
    let text = format!("connection tracking was full{ago}, and the kernel dropped packets: {}", line.text);
    let finding = RULE
        .finding(Kind::Setting.named(NAME), text)
        .severity(severity)
        .evidence(facts::log::quoted(line), "kernel log");
    Some(finding.advice(advice).into())
}

fn judge(side: &side::Side, count: u64, max: u64) -> Outcome {
    let share = count as f64 / max as f64;
    if share < NEARLY {
        return Outcome::Passes;
    }
    finding!(
        side.subject(Kind::Setting, NAME),
        "connection tracking is {:.0} % full: {count} of {max} ({NAME})",
        share * 100.0,
    )
    .severity(if share >= FULL { Severity::Critical } else { Severity::Warning })
    .measured(share, NEARLY, Unit::Ratio)
    .evidence(
        format!("nf_conntrack_count {count}, nf_conntrack_max {max}"),
        side.source("/proc/sys/net/netfilter"),
    )
    .advice(
        set_sysctl(
            side.host,
            NAME,
            &(max * 2).to_string(),
            "A full table drops the packets of new connections.",
            "below 75 % at the busiest time",
        )
        .on(side.peer),
    )
    .into()
}
