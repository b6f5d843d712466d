//! Whether I/O that fails on one session or port has another way to go.

use fullwire_model::host::{Host, IscsiSession, MultipathMap};
use std::collections::BTreeSet;

/// What stands beside the disks of a session or a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OtherWays {
    /// No multipath map is over any of them.
    NoMap,
    /// Each has another path that works, elsewhere.
    All,
    /// Some have none: a map of one path, or no map.
    Some,
}

impl OtherWays {
    /// Of a session whose disks are known.
    pub(super) fn of_session(host: &Host, session: &IscsiSession) -> Self {
        let own = |disk: &str| session.disks.iter().any(|name| name == disk);
        Self::of(host, session.disks.iter().map(String::as_str), own)
    }

    /// `own`: whether a disk is reached by the same session or port.
    pub(super) fn of<'a>(
        host: &Host,
        disks: impl Iterator<Item = &'a str>,
        own: impl Fn(&str) -> bool,
    ) -> Self {
        let beside: Vec<Option<bool>> =
            disks.map(|disk| Some(paths_beside(host, disk)?.into_iter().any(|path| !own(path)))).collect();
        if beside.iter().all(Option::is_none) {
            Self::NoMap
        } else if beside.iter().all(|way| *way == Some(true)) {
            Self::All
        } else {
            Self::Some
        }
    }
}

/// The paths of the map over a disk that work, by the map or, where it was not read, by what holds the disks; `None`: none.
fn paths_beside<'a>(host: &'a Host, disk: &str) -> Option<Vec<&'a str>> {
    let mut maps = host.multipath.iter();
    let paths = |map: &'a MultipathMap| map.groups.iter().flat_map(|group| &group.paths);
    if let Some(map) = maps.find(|map| paths(map).any(|path| path.device == disk)) {
        return Some(paths(map).filter(|path| !path.has_failed()).map(|path| path.device.as_str()).collect());
    }
    let is_map = |name: &&String| host.disk(name).is_some_and(|holder| holder.kind == "multipath");
    let over: BTreeSet<&String> = host.disk(disk)?.holders.iter().filter(is_map).collect();
    let held = host.disks.iter().filter(|other| other.holders.iter().any(|name| over.contains(name)));
    (!over.is_empty()).then(|| held.map(|other| other.name.as_str()).collect())
}
