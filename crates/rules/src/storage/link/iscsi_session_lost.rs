rule! {
    /// # What it checks
    /// Passes when every iSCSI session is `LOGGED_IN`.
    /// # Why it matters
    /// Its disks wait for the recovery timeout and then fail.
    /// # Evidence
    /// `/sys/class/iscsi_session/sessionN/state`.
    /// # Remedy
    /// Network to the portal; `iscsiadm -m session -r N --rescan`, `iscsiadm -m node -T TARGET -p PORTAL --login`.
    /// # Source
    /// open-iscsi `usr/iscsi_sysfs.c` (session state); iscsiadm(8).
    code: "iscsi-session-lost",
    title: "an iSCSI session is not logged in",
    layer: Storage, severity: Critical, on: [IscsiSession],
    check: |run| run.host.iscsi_sessions.iter().map(judge).collect(),
}

fn judge(session: &IscsiSession) -> Outcome {
    match session.state.as_str() {
        "" => facts::unread(&format!("the state of {}", session.name)),
        "LOGGED_IN" => Outcome::Passes,
        state => finding!(
            Kind::IscsiSession.named(&session.name),
            "iSCSI session {}to {} is {state}", number(session), session.portal,
        )
            .evidence(
                format!("{} {state}", session.target),
                format!("/sys/class/iscsi_session/{}/state", session.name),
            )
            .because("I/O of its disks waits, then fails.")
            .look(
                sh!("ping -c 3 {}", address(session)),
                "Shows whether the portal answers",
            )
            .look("iscsiadm -m session -P 1", "Shows the state of the sessions")
            .run(
                login(session),
                "Logs in again to this portal where the session is gone; other sessions are left alone",
            )
            .undo("Nothing to take back: a session that was lost is there again. A logout of the target without -p ends its healthy sessions too")
            .persist("node.startup = automatic; a second portal over another network")
            .expecting("LOGGED_IN in `iscsiadm -m session -P 1`")
            .into(),
    }
}

/// `session1 `; nothing where the portal is its name.
fn number(session: &IscsiSession) -> String {
    if session.name == session.portal { String::new() } else { format!("{} ", session.name) }
}

/// Names the portal: without it the command is for all portals of the target, also those whose sessions carry all I/O.
fn login(session: &IscsiSession) -> ShellCommand {
    if session.portal.is_empty() {
        return sh!("iscsiadm -m node -T {} --login", session.target);
    }
    sh!("iscsiadm -m node -T {} -p {} --login", session.target, session.portal)
}

/// The portal without its port: `10.0.0.1` of `10.0.0.1:3260`, `fe80::1` of `[fe80::1]:3260`.
fn address(session: &IscsiSession) -> &str {
    let portal = session.portal.as_str();
    match portal.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => portal.split(':').next().unwrap_or(portal),
    }
}
