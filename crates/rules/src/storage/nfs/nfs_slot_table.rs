rule! {
    /// # What it checks
    /// Applies with an `NFSv3` mount; passes when `sunrpc.tcp_slot_table_entries` and `tcp_max_slot_table_entries`
    /// allow at least 64 requests in flight, and are not left to grow to 65536.
    /// # Why it matters
    /// The slot table is the queue depth of NFS: 16 slots at 1 ms are 16,000 requests per second at most, however
    /// fast the filer is; an unlimited table floods some filers.
    /// # Evidence
    /// `sunrpc.*` settings; `NFSv3` mounts.
    /// # Remedy
    /// Both to 128, before mounting.
    /// # Source
    /// NetApp ontap-apps-dbs, nfs-slot-tables.adoc (128); SUSE 7023238 (65536 by default); `MySQLTuner` checks it
    /// only where sunrpc is loaded.
    code: "nfs-slot-table",
    title: "the NFS client may send only few requests at a time",
    layer: Storage, severity: Warning, on: [Setting],

    /// Below the depth that a database drives (own choice).
    const FEW: u64 = 64;
    /// The kernel's default: no limit.
    const UNLIMITED: u64 = 65536;
}

const WANTED: &str = "128";

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    let is_v3 = |mount: &&Mount| mount.nfs.as_ref().is_some_and(|nfs| nfs.version.starts_with('3'));
    let by_tcp = |mount: &&Mount| mount.nfs.as_ref().is_some_and(|nfs| !super::is_rdma(nfs));
    let v3: Vec<&Mount> = host.mounts.iter().filter(is_v3).collect();
    let Some(mount) = v3.iter().copied().rev().find(by_tcp) else {
        return v3.first().map(|_| Outcome::Passes).into_iter().collect();
    };
    let Some(most) = host.sysctl_number("sunrpc.tcp_max_slot_table_entries") else {
        return vec![facts::unread("sunrpc.tcp_max_slot_table_entries")];
    };
    let (severity, what) = match most {
        slots if slots < FEW => (Severity::Warning, "few requests at a time"),
        slots if slots >= UNLIMITED => {
            (Severity::Info, "as many requests as it likes, which can flood a filer")
        }
        _ => return vec![Outcome::Passes],
    };
    vec![
        finding!(
            Kind::Setting.named("sunrpc.tcp_max_slot_table_entries"),
            "the NFS client sends {what} on {}: tcp_max_slot_table_entries is {most}, 128 is recommended",
            mount.target,
        )
        .severity(severity)
        .measured(most as f64, 128.0, Unit::Count)
        .evidence(format!("sunrpc.tcp_max_slot_table_entries = {most}"), "/proc/sys/sunrpc")
        .advice(
            set_sysctl(
                host,
                "sunrpc.tcp_max_slot_table_entries",
                WANTED,
                "Slots are NFS's queue depth.",
                "more requests in flight after the next mount",
            )
            .and(super::keep_slots(host)),
        )
        .into(),
    ]
}
