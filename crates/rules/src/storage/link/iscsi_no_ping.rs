rule! {
    /// # What it checks
    /// Applies to iSCSI sessions below multipath. Passes when the initiator asks a silent target whether it is there.
    /// # Why it matters
    /// Without these pings (NOP-Out) a path that vanished without a word is noticed by timeouts of commands only: all I/O on
    /// it waits for half a minute or more before the other path gets it.
    /// # Evidence
    /// `recv_tmo` of the connection (`noop_out_interval`), 0: off.
    /// # Remedy
    /// `node.conn[0].timeo.noop_out_interval = 5` and `noop_out_timeout = 5`.
    /// # Source
    /// open-iscsi README, "iSCSI settings for dm-multipath" (5 and 5 s).
    code: "iscsi-no-ping",
    title: "a lost iSCSI path is noticed late",
    layer: Storage, severity: Info, on: [IscsiSession],
}

const INTERVAL: &str = "node.conn[0].timeo.noop_out_interval";

fn check(run: &Facts) -> Vec<Outcome> {
    run.host
        .iscsi_sessions
        .iter()
        .filter(|session| is_a_path(run, session))
        .map(|session| judge(run, session))
        .collect()
}

/// A map of multipath uses its disks.
fn is_a_path(run: &Run, session: &IscsiSession) -> bool {
    let mut paths = run.host.multipath.iter().flat_map(|map| &map.groups).flat_map(|group| &group.paths);
    paths.any(|path| session.disks.contains(&path.device))
}

fn judge(run: &Run, session: &IscsiSession) -> Outcome {
    let name = &session.name;
    match session.ping_interval_s {
        None => return facts::unread(&format!("the ping interval of {name}")),
        Some(1..) => return Outcome::Passes,
        Some(0) => {}
    }
    finding!(
        Kind::IscsiSession.named(name),
        "iSCSI session {name} does not ask whether its target is there: a lost path is noticed late",
    )
    .measured(0.0, 5.0, Unit::S)
    .evidence("recv_tmo 0", "/sys/class/iscsi_connection")
    .because("Multipath can switch only when it knows that the path is gone.")
    .run(
        sh!("iscsiadm -m node -T {} -o update -n {} -v 5", session.target, INTERVAL),
        "Stored for the next login",
    )
    .run(
        sh!(
            "iscsiadm -m node -T {} -o update -n {} -v 5",
            session.target,
            "node.conn[0].timeo.noop_out_timeout"
        ),
        "Stored for the next login",
    )
    .and(super::login_again(&run.host, session))
    .persist("For new targets: both lines in /etc/iscsi/iscsid.conf")
    .undo_run(
        sh!("iscsiadm -m node -T {} -o update -n {} -v 0", session.target, INTERVAL),
        "Stores the former value",
    )
    .expecting("failover within seconds when a cable is pulled")
    .into()
}
