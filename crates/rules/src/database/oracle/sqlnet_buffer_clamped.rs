rule! {
    /// # What it checks
    /// Passes when `RECV_BUF_SIZE` and `SEND_BUF_SIZE` in `sqlnet.ora`, where set, do not exceed `net.core.rmem_max`
    /// and `wmem_max`.
    /// # Why it matters
    /// The kernel reduces the request silently, and a buffer of a requested size never grows:
    /// it is then smaller than without the setting.
    /// # Evidence
    /// `sqlnet.ora`; `net.core.rmem_max`, `net.core.wmem_max`.
    /// # Remedy
    /// Raise `net.core.rmem_max` and `wmem_max` to the requested size, or remove the lines and leave it to
    /// autotuning.
    /// # Source
    /// Oracle Database Net Services Administrator's Guide, Configuring I/O Buffer Space (at least the
    /// bandwidth-delay product); socket(7), `SO_RCVBUF` (limited by `rmem_max`); tcp(7).
    code: "sqlnet-buffer-clamped",
    title: "Oracle Net requests larger socket buffers than the host allows",
    layer: Database, severity: Warning, on: [Database],
}

const PAIRS: [(&str, &str); 2] =
    [("RECV_BUF_SIZE", "net.core.rmem_max"), ("SEND_BUF_SIZE", "net.core.wmem_max")];

fn check(run: &Facts) -> Vec<Outcome> {
    let oracle = run.host.databases.iter().filter(|database| database.kind == "oracle");
    let pairs = oracle.flat_map(|database| PAIRS.iter().map(move |(name, limit)| (database, *name, *limit)));
    pairs.filter_map(|(database, name, limit)| judge(run, database, name, limit)).collect()
}

fn judge(run: &Run, database: &Database, name: &str, limit: &str) -> Option<Outcome> {
    let asked = configured::bytes(database, name)?;
    let Some(most) = run.host.sysctl_number(limit) else { return Some(facts::unread(limit)) };
    if asked <= most {
        return Some(Outcome::Passes);
    }
    let source = database.setting_sources.get(name).cloned().unwrap_or_else(|| "sqlnet.ora".to_owned());
    let finding = finding!(
        Kind::Database.named(&database.name),
        "{} requests {name}={asked}, but {limit} allows {most}: the buffer is reduced and no longer grows",
        database.name,
    )
    .measured(most as f64, asked as f64, Unit::Bytes)
    .evidence(format!("{name} = {asked}"), source)
    .evidence(format!("{limit} = {most}"), "/proc/sys/net/core")
    .advice(
        set_sysctl(
            &run.host,
            limit,
            &asked.to_string(),
            "A fixed buffer is reduced to this limit, and a fixed size disables autotuning.",
            "new sessions get the requested buffer",
        )
        .persist(format!(
            "or remove {name} from sqlnet.ora: autotuning goes up to the third value of tcp_rmem and tcp_wmem"
        )),
    );
    Some(finding.into())
}
