//! What took a disk away: the session, port or controller that its symptoms follow from, so that one loss is told once.

use super::is_behind;
use fullwire_model::Run;
use fullwire_model::assessment::{Finding, Follows};
use fullwire_model::host::{Disk, FcHost, Host, IscsiSession, MapPath, MultipathMap};
use fullwire_model::subject::{Kind, Subject};
use std::collections::BTreeSet;

/// A link that is down: what it is, and where that and what it took away were read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lost {
    link: Subject,
    source: String,
}

impl Lost {
    /// What is lost with the link. `harms`: it does harm of its own, such as redundancy that is gone.
    pub(crate) fn takes(lost: Option<&Self>, mut finding: Finding, harms: bool) -> Finding {
        finding.follows =
            lost.map(|lost| Follows { from: lost.link.clone(), source: lost.source.clone(), harms });
        finding
    }
}

/// The lost session or port that a disk was reached through.
pub(crate) fn lost_link(run: &Run, disk: &Disk) -> Option<Lost> {
    let host = &run.host;
    let down = |state: &str, up: &str| !state.is_empty() && state != up;
    let mut sessions = host.iscsi_sessions.iter().filter(|session| down(&session.state, "LOGGED_IN"));
    if let Some(session) = sessions.find(|session| disks_of(host, session).contains(&disk.name.as_str())) {
        let source = if session.disks.is_empty() {
            "the only lost session, the only SCSI host with failed paths".to_owned()
        } else {
            format!("/sys/class/iscsi_session/{}", session.name)
        };
        return Some(Lost { link: Kind::IscsiSession.named(&session.name), source });
    }
    let port =
        host.fc_hosts.iter().find(|port| down(&port.port_state, "Online") && is_behind(disk, &port.name))?;
    Some(of_port(port))
}

/// Disks, paths or ports of the array are known, or were until it went down, behind a Fibre Channel port.
pub(crate) fn is_used_port(run: &Run, port: &FcHost) -> bool {
    let host = &run.host;
    let Some(number) = port.name.strip_prefix("host") else { return true };
    let behind = |address: &str| address.split(':').next() == Some(number);
    let disks = host.disks.iter().filter_map(|disk| disk.scsi.as_ref()).map(|scsi| scsi.address.as_str());
    let paths = host.multipath.iter().flat_map(paths_of).map(|path| path.address.as_str());
    let attached = !matches!(port.port_type.as_str(), "" | "Unknown" | "Other" | "Not Present");
    // The transport keeps the port of an array that it lost, as `Not Present`, for its return.
    let targets = host.fc_remote_ports.iter().filter(|remote| remote.roles.contains("Target"));
    let logged = || {
        let lost = [format!(":{number}: LOOP DOWN"), format!("rport-{number}:")];
        let recent = host.kernel_log.iter().filter(|line| super::log::is_recent(run, line));
        recent
            .filter(|line| matches!(line.pattern.as_str(), "link-down" | "scsi-timeout"))
            .any(|line| lost.iter().any(|words| line.text.contains(words)))
    };
    attached
        || disks.chain(paths).any(behind)
        || targets.into_iter().any(|one| one.host == port.name)
        || logged()
}

/// Ports that are down although something was connected.
pub(crate) fn lost_ports(run: &Run) -> impl Iterator<Item = &FcHost> {
    let down = |port: &&FcHost| !matches!(port.port_state.as_str(), "" | "Online");
    run.host.fc_hosts.iter().filter(down).filter(|port| is_used_port(run, port))
}

fn of_port(port: &FcHost) -> Lost {
    let source = format!("/sys/class/fc_host/{}", port.name);
    Lost { link: Kind::Port.named(&port.name), source }
}

/// The lost port whose remote port a line of the log names.
pub(crate) fn lost_port_named(run: &Run, text: &str) -> Option<Lost> {
    let named = |port: &&FcHost| {
        let number = port.name.strip_prefix("host").unwrap_or_default();
        !number.is_empty() && text.contains(&format!("rport-{number}:"))
    };
    lost_ports(run).find(named).map(of_port)
}

/// The session that is not logged in and that a line of a log names: `connection2:0`, `session2`.
pub(crate) fn lost_session_named(run: &Run, text: &str) -> Option<Lost> {
    let mut lost =
        run.host.iscsi_sessions.iter().filter(|session| !matches!(session.state.as_str(), "" | "LOGGED_IN"));
    let named = |session: &&IscsiSession| {
        let number = session.name.strip_prefix("session").unwrap_or("-");
        [format!("connection{number}:"), format!("session{number}:")].iter().any(|word| text.contains(word))
    };
    let found = lost.find(named)?;
    let source = format!("/sys/class/iscsi_session/{}/state", found.name);
    Some(Lost { link: Kind::IscsiSession.named(&found.name), source })
}

/// What took away the disks that are no longer there: the lost port, where one alone is lost and no session is.
pub(crate) fn of_gone_disks(run: &Run) -> Option<Lost> {
    let session_lost = |session: &IscsiSession| !matches!(session.state.as_str(), "" | "LOGGED_IN");
    let mut ports = lost_ports(run);
    let only = ports.next().filter(|_| ports.next().is_none())?;
    let is_empty = !run.host.disks.iter().any(|disk| is_behind(disk, &only.name));
    (is_empty && !run.host.iscsi_sessions.iter().any(session_lost)).then(|| of_port(only))
}

/// Where the failed paths of a map lead: host, channel and target of each. By its name alone where that is not known.
pub(crate) fn lost_places(map: &MultipathMap) -> BTreeSet<String> {
    let lost = paths_of(map).filter(|path| path.has_failed());
    let place =
        |path: &MapPath| Some(path.address.rsplit_once(':').filter(|_| !map.is_powerpath())?.0.to_owned());
    let places: Option<BTreeSet<String>> = lost.map(place).collect();
    places.unwrap_or_else(|| BTreeSet::from([map.name.clone()]))
}

/// The NVMe controller that a line names and that is not live.
pub(crate) fn lost_controller(run: &Run, text: &str) -> Option<Lost> {
    let namespaces = run.host.disks.iter().filter_map(|disk| disk.nvme.as_ref());
    let mut lost = namespaces
        .flat_map(|nvme| &nvme.controllers)
        .filter(|controller| !matches!(controller.state.as_str(), "" | "live"));
    let found = lost.find(|controller| super::log::names_one_of(text, [controller.name.as_str()]))?;
    let source = format!("/sys/class/nvme/{}/state", found.name);
    Some(Lost { link: Kind::NvmeController.named(&found.name), source })
}

/// What fails on this disk goes by another path of its multipath map.
pub(crate) fn has_sibling(host: &Host, disk: &str) -> bool {
    map_that_works(host, disk).is_some()
}

/// The multipath map of a failed path that still has another one.
pub(crate) fn of_path(run: &Run, disk: &Disk) -> Option<Lost> {
    let map = map_that_works(&run.host, &disk.name)?;
    let failed = paths_of(map).any(|path| path.device == disk.name && path.has_failed());
    failed.then(|| Lost { link: Kind::MultipathMap.named(&map.name), source: map.source.clone() })
}

fn map_that_works<'a>(host: &'a Host, disk: &str) -> Option<&'a MultipathMap> {
    let works = |map: &&MultipathMap| paths_of(map).any(|path| path.device != disk && !path.has_failed());
    let mut of_disk = host.multipath.iter().filter(|map| paths_of(map).any(|path| path.device == disk));
    of_disk.find(works)
}

fn paths_of(map: &MultipathMap) -> impl Iterator<Item = &MapPath> {
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
    let number = |path: &MapPath| path.address.split(':').next().map(str::to_owned);
    let all = || host.multipath.iter().flat_map(paths_of);
    let failed: BTreeSet<_> = all().filter(|path| path.has_failed()).filter_map(number).collect();
    let whole = |number_of: &str| {
        all().filter(|path| number(path).as_deref() == Some(number_of)).all(MapPath::has_failed)
    };
    match failed.first().filter(|first| failed.len() == 1 && whole(first)) {
        Some(first) => {
            let own = all().filter(|path| number(path).as_ref() == Some(first));
            own.map(|path| path.device.as_str()).collect()
        }
        None => Vec::new(),
    }
}
