//! iSCSI sessions as `iscsiadm -m session` printed them, for support bundles without `/sys/class`.
//!
//! Source: open-iscsi, `usr/session_info.c` (`session_info_print`, what each level of detail holds).

use crate::Root;
use fullwire_model::host::IscsiSession;

/// The more detailed first: it has the disks, the time limits and what was negotiated.
const OUTPUTS: [&str; 2] =
    ["/sos_commands/iscsi/iscsiadm_-m_session_-P_3", "/sos_commands/iscsi/iscsiadm_-m_session_-P_1"];

pub(super) fn read(root: &Root) -> Vec<IscsiSession> {
    let texts = OUTPUTS.iter().filter_map(|path| root.try_read(path, crate::MAX_READ_BYTES).ok());
    texts.map(|(text, _)| sessions(&text)).find(|sessions| !sessions.is_empty()).unwrap_or_default()
}

/// `Target:` begins a target, `Current Portal:` each session to it.
fn sessions(text: &str) -> Vec<IscsiSession> {
    let mut sessions: Vec<IscsiSession> = Vec::new();
    let mut target = String::new();
    for (name, value) in text.lines().filter_map(|line| line.trim().split_once(": ")) {
        let word = value.split_whitespace().next().unwrap_or_default();
        match name {
            "Target" => word.clone_into(&mut target),
            "Current Portal" => sessions.push(IscsiSession {
                target: target.clone(),
                portal: portal(word),
                ..IscsiSession::default()
            }),
            _ => {
                if let Some(session) = sessions.last_mut() {
                    take(session, name, word);
                }
            }
        }
    }
    // Where its number was not copied, the portal names it.
    for session in sessions.iter_mut().filter(|session| session.name.is_empty()) {
        session.name.clone_from(&session.portal);
    }
    sessions
}

fn take(session: &mut IscsiSession, name: &str, word: &str) {
    match name {
        "Persistent Portal" => session.portal = portal(word),
        "SID" => session.name = format!("session{word}"),
        // The kernel's words; anything else is iscsiadm's own for a state that it could not read.
        "iSCSI Session State" if ["LOGGED_IN", "FAILED", "FREE"].contains(&word) => {
            word.clone_into(&mut session.state);
        }
        "Recovery Timeout" => session.recovery_tmo_s = word.parse().ok(),
        "DataDigest" => word.clone_into(&mut session.data_digest),
        "MaxRecvDataSegmentLength" => session.max_receive_bytes = word.parse().ok(),
        _ => {}
    }
    if let (true, Some(disk)) = (name.starts_with("Attached scsi disk"), name.split_whitespace().nth(3)) {
        session.disks.push(disk.to_owned());
    }
}

/// `10.60.1.100:3260,1029` without the group of portals.
fn portal(word: &str) -> String {
    word.split(',').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "iSCSI Transport Class version 2.0-870\nversion 2.1.7\n\
        Target: iqn.1992-08.com.example:vs.5 (non-flash)\n\
        \tCurrent Portal: 10.60.1.100:3260,1029\n\tPersistent Portal: 10.60.1.100:3260,1029\n\
        \t\tSID: 1\n\t\tiSCSI Connection State: LOGGED IN\n\t\tiSCSI Session State: LOGGED_IN\n\
        \t\tRecovery Timeout: 5\n\t\tDataDigest: None\n\t\tMaxRecvDataSegmentLength: 262144\n\
        \t\tHost Number: 5\tState: running\n\t\t\tAttached scsi disk sdb\t\tState: running\n\
        \tCurrent Portal: 10.60.2.100:3260,1030\n\t\tSID: 2\n\
        \t\tiSCSI Connection State: TRANSPORT WAIT\n\t\tiSCSI Session State: FAILED\n";

    #[test]
    fn each_session_with_its_state_and_disks() {
        let sessions = sessions(TEXT);
        assert_eq!(sessions.len(), 2);
        let (good, lost) = (&sessions[0], &sessions[1]);
        assert_eq!(
            (good.name.as_str(), good.state.as_str(), good.recovery_tmo_s),
            ("session1", "LOGGED_IN", Some(5))
        );
        assert_eq!(
            (good.disks.as_slice(), good.max_receive_bytes),
            (["sdb".to_owned()].as_slice(), Some(262_144))
        );
        assert_eq!((lost.name.as_str(), lost.portal.as_str()), ("session2", "10.60.2.100:3260"));
        assert_eq!((lost.target.as_str(), lost.state.as_str()), ("iqn.1992-08.com.example:vs.5", "FAILED"));
    }

    #[test]
    fn no_session_is_none() {
        assert_eq!(sessions("iscsiadm: No active sessions.\n"), []);
    }
}
