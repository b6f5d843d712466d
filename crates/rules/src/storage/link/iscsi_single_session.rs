rule! {
    /// # What it checks
    /// Passes when each iSCSI target has at least two sessions (two portals, or `nr_sessions`).
    /// # Why it matters
    /// One session is one TCP connection: one path, one link of a bond, one point of failure.
    /// # Evidence
    /// Sessions for each target.
    /// # Remedy
    /// A second portal on another network, joined by multipath.
    /// # Source
    /// open-iscsi etc/iscsid.conf (`node.session.nr_sessions` 1 by default); NetApp ontap-apps-dbs (two paths to
    /// each LUN).
    code: "iscsi-single-session",
    title: "an iSCSI target is reached through one session",
    layer: Storage, severity: Info, on: [IscsiTarget],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mut by_target: BTreeMap<&str, usize> = BTreeMap::new();
    for session in &run.host.iscsi_sessions {
        *by_target.entry(&session.target).or_default() += 1;
    }
    by_target.into_iter().map(|(target, count)| judge(target, count)).collect()
}

fn judge(target: &str, count: usize) -> Outcome {
    if target.is_empty() {
        return facts::unread("the target names of the iSCSI sessions");
    }
    if count > 1 {
        return Outcome::Passes;
    }
    finding!(Kind::IscsiTarget.named(target), "iSCSI target {target} is reached by one session: one connection, one path")
        .measured(1.0, 2.0, Unit::Count)
        .evidence("1 session", "/sys/class/iscsi_session")
        .because("A second session over another NIC adds its rate and survives the first.")
        .now("`iscsiadm -m discovery -t st -p SECOND_PORTAL`, then `iscsiadm -m node -T TARGET -p SECOND_PORTAL --login` and `multipath -ll`")
        .persist("node.startup = automatic for both portals")
        .undo("`iscsiadm -m node -T TARGET -p SECOND_PORTAL --logout`; without -p it logs out the first session too")
        .expecting("two paths for each disk")
        .into()
}
