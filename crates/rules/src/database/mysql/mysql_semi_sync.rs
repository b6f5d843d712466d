rule! {
    /// # What it checks
    /// Applies where semi-synchronous replication is loaded. Passes when every commit was acknowledged while the server was
    /// watched, within 5 ms on average.
    /// # Why it matters
    /// A commit without an acknowledgement exists here only: replication fell back to asynchronous, and a failover loses it.
    /// The mean wait is part of every commit.
    /// # Evidence
    /// `Rpl_semi_sync_source_no_tx`, `…_yes_tx`, `…_tx_avg_wait_time` (master in older releases and MariaDB).
    /// # Remedy
    /// A replica that answers in time; `rpl_semi_sync_source_timeout`.
    /// # Source
    /// MySQL Reference Manual, "Semisynchronous Replication Monitoring"; MariaDB documentation, "Semisynchronous
    /// Replication".
    code: "mysql-semi-sync",
    title: "commits are not acknowledged by a replica, or late",
    layer: Database, severity: Warning, on: [Report],

    /// From here on a commit feels it, as with Data Guard.
    const FAR_MS: f64 = 5.0;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(history) = live::watched(run, "mysql") else { return Vec::new() };
    let name = ["source", "master"]
        .into_iter()
        .find(|name| history.rates_per_s.contains_key(&format!("rpl_semi_sync_{name}_yes_tx")));
    name.and_then(|name| judge(history, name)).into_iter().collect()
}

/// No outcome while the plugin is loaded and not in use.
fn judge(history: &RedoHistory, name: &str) -> Option<Outcome> {
    let rate = |what: &str| history.rates_per_s.get(&format!("rpl_semi_sync_{name}_{what}")).copied();
    let total = |what: &str| history.totals.get(&format!("rpl_semi_sync_{name}_{what}")).copied();
    if total("yes_tx").unwrap_or(0.0) + total("no_tx").unwrap_or(0.0) < 1.0 {
        return None;
    }
    let (Some(lost), Some(wait_us)) = (rate("no_tx"), total("tx_avg_wait_time")) else {
        return Some(unknown!("{} does not count acknowledged commits", history.source));
    };
    let wait_ms = wait_us / 1e3;
    // A server whose replica is off on purpose counts too: only while some are acknowledged is it a fault.
    let falls_back = lost > 0.0 && rate("yes_tx").is_some_and(|rate| rate > 0.0);
    if lost <= 0.0 && wait_ms < FAR_MS {
        return Some(Outcome::Passes);
    }
    let what = if lost > 0.0 {
        format!("{} commits a second are not acknowledged by any replica", live::rounded(lost))
    } else {
        format!("a commit waits {} on average for a replica", facts::words::time(wait_ms * 1e6))
    };
    let found = RULE.finding(Kind::Report.named(&history.source), what)
        .severity(if falls_back { Severity::Warning } else { Severity::Info })
        .measured(
            if lost > 0.0 { lost } else { wait_ms * 1e6 },
            if lost > 0.0 { 0.0 } else { FAR_MS * 1e6 },
            if lost > 0.0 { Unit::PerS } else { Unit::Ns },
        )
        .evidence(
            format!("no_tx +{} a second, tx_avg_wait_time {wait_us:.0} µs", live::rounded(lost)),
            &history.source,
        )
        .because("A commit that no replica has is lost with this server.")
        .now("show status like 'Rpl_semi_sync%'; show replicas;")
        .now("`fullwire net REPLICA --mode sync --length 8k` measures what an acknowledgement takes")
        .persist("A replica nearby with a fast relay log; rpl_semi_sync_source_timeout longer than the longest pause of the replica")
        .expecting("no_tx does not grow, tx_avg_wait_time below 5 ms");
    Some(found.into())
}
