//! What took a disk away: the session or port that its symptoms follow from, so that one loss is told once.

use super::is_behind;
use fullwire_model::Run;
use fullwire_model::assessment::{Evidence, Finding};
use fullwire_model::host::{Disk, Host, IscsiSession, MultipathMap, Path};
use std::collections::BTreeSet;

/// A finding that brings others about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cause {
    /// The code of its rule.
    pub code: &'static str,
    /// Its subject.
    pub subject: String,
    /// Where the loss and what it took away were read.
    source: String,
}

impl Cause {
    /// Says of a finding that it follows from this one.
    pub(crate) fn told(cause: Option<&Self>, mut finding: Finding) -> Finding {
        finding.evidence.extend(cause.map(|cause| Evidence {
            text: format!("a consequence of {} ({})", cause.code, cause.subject),
            source: cause.source.clone(),
        }));
        finding
    }
}

/// The lost session or port that a disk was reached through.
pub(crate) fn lost_link(run: &Run, disk: &Disk) -> Option<Cause> {
    let host = &run.host;
    let down = |state: &str, up: &str| !state.is_empty() && state != up;
    let mut sessions = host.iscsi_sessions.iter().filter(|session| down(&session.state, "LOGGED_IN"));
    if let Some(session) = sessions.find(|session| disks_of(host, session).contains(&disk.name.as_str())) {
        let source = if session.disks.is_empty() {
            "the only lost session, the only SCSI host with failed paths".to_owned()
        } else {
            format!("/sys/class/iscsi_session/{}", session.name)
        };
        return Some(Cause { code: "iscsi-session-lost", subject: session.name.clone(), source });
    }
    let port =
        host.fc_hosts.iter().find(|port| down(&port.port_state, "Online") && is_behind(disk, &port.name))?;
    let source = format!("/sys/class/fc_host/{}", port.name);
    Some(Cause { code: "fc-port-down", subject: port.name.clone(), source })
}

fn paths_of(map: &MultipathMap) -> impl Iterator<Item = &Path> {
    map.groups.iter().flat_map(|group| &group.paths)
}

/// The disks of a session. Where they were not read (`iscsiadm -m session -P 1` lists none) and one session alone is
/// lost, those behind the SCSI host all of whose paths have failed, when there is one such host.
pub(crate) fn disks_of<'a>(host: &'a Host, session: &'a IscsiSession) -> Vec<&'a str> {
    if !session.disks.is_empty() {
        return session.disks.iter().map(String::as_str).collect();
    }
    let lost = |one: &&IscsiSession| !matches!(one.state.as_str(), "" | "LOGGED_IN");
    let alone = lost(&session) && host.iscsi_sessions.iter().filter(lost).count() == 1;
    let known = host.iscsi_sessions.iter().any(|one| !one.disks.is_empty());
    if !alone || known || !host.fc_hosts.is_empty() {
        return Vec::new();
    }
    let number = |path: &Path| path.address.split(':').next().map(str::to_owned);
    let all = || host.multipath.iter().flat_map(paths_of);
    let failed: BTreeSet<_> = all().filter(|path| path.has_failed()).filter_map(number).collect();
    let whole = |number_of: &str| {
        all().filter(|path| number(path).as_deref() == Some(number_of)).all(Path::has_failed)
    };
    match failed.first().filter(|first| failed.len() == 1 && whole(first)) {
        Some(first) => {
            let own = all().filter(|path| number(path).as_ref() == Some(first));
            own.map(|path| path.device.as_str()).collect()
        }
        None => Vec::new(),
    }
}
