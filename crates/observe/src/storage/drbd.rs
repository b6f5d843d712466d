//! DRBD's volumes that are being copied or compared, or lack their second copy: `/proc/drbd` of DRBD 8.4 (Linux `drivers/block/drbd/drbd_proc.c`), and of
//! a captured tree `drbdsetup status`, with which DRBD 9 replaced it (drbdsetup(8), status).

use crate::Root;
use fullwire_model::host::Resync;
use fullwire_model::{Gap, GapReason};

const PROC: &str = "/proc/drbd";
const CAPTURED: &str = "/sos_commands/drbd";

/// States in which data is copied or compared (drbd(7), replication states; those that are paused move nothing).
const MOVING: [&str; 4] = ["SyncSource", "SyncTarget", "VerifyS", "VerifyT"];

/// States of a connection that carries nothing (drbd-8.4(7), connection states; drbdsetup-9.0(8), status).
const APART: [&str; 10] = [
    "StandAlone", "Disconnecting", "Unconnected", "Timeout", "BrokenPipe", "NetworkFailure", "ProtocolError",
    "TearDown", "WFConnection", "Connecting",
];

const PEERS_DISK: &str = "peer's disk";

/// States of a disk that holds no copy to go on with (drbd-8.4(7), disk states).
const NO_COPY: [&str; 4] = ["Diskless", "Failed", "Inconsistent", "Outdated"];

pub(super) fn read(root: &Root, gaps: &mut Vec<Gap>) -> Vec<Resync> {
    let names = if root.is_live() { Vec::new() } else { root.list(CAPTURED) };
    let told = names.iter().filter(|name| name.contains("status")).map(|name| format!("{CAPTURED}/{name}"));
    let texts = std::iter::once(PROC.to_owned()).chain(told);
    let read: Vec<(String, String)> =
        texts.filter_map(|path| Some((root.try_read(&path, 1 << 20).ok()?.0, path))).collect();
    let has = |of: &dyn Fn(&str) -> bool| read.iter().any(|(text, _)| of(text));
    if has(&|text| text.starts_with("version: 9")) && !has(&|text| text.contains("minor:")) {
        gaps.push(Gap::new(
            PROC,
            GapReason::Unsupported,
            "DRBD 9 tells its state to `drbdsetup status` alone",
        ));
    }
    read.iter().map(|(text, path)| parse(text, path)).find(|found| !found.is_empty()).unwrap_or_default()
}

/// ` 0: cs:SyncSource ro:… ds:…` with `sync'ed: 12.1%` below it, or `volume:0 minor:0 …` with `replication:SyncSource …
/// done:12.10` in the lines of its peers. What moves tells more than what is lacking.
fn parse(text: &str, source: &str) -> Vec<Resync> {
    let mut minors: Vec<(String, Resync)> = Vec::new();
    // Where the volumes of this resource begin.
    let mut first = 0;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let field = |name: &str| words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix(':'));
        if field("role").is_some() && !line.starts_with(' ') {
            first = minors.len();
        }
        let minor =
            field("minor").or_else(|| words.first()?.strip_suffix(':').filter(|_| field("cs").is_some()));
        let volume = field("volume").unwrap_or_default();
        if let Some(minor) = minor.filter(|minor| minor.bytes().all(|byte| byte.is_ascii_digit())) {
            let name = format!("drbd{minor}");
            let device =
                Resync { of: "DRBD device".to_owned(), name, source: source.to_owned(), ..Resync::default() };
            minors.push((volume.to_owned(), device));
        }
        // A peer that is not there has no lines of its volumes.
        let apart = field("connection").filter(|state| APART.contains(state));
        for (_, device) in minors.iter_mut().skip(first).filter(|_| apart.is_some()) {
            lacks(device, apart.unwrap_or_default());
        }
        // A resource's volumes come first, then those of each peer.
        let of_volume = minors.iter_mut().rev().find(|(own, _)| field("volume").is_none() || own == volume);
        let Some((_, device)) = of_volume else { continue };
        let is_client = field("client") == Some("yes");
        let disks = field("ds").and_then(|both| both.split_once('/'));
        let own = disks.map(|(own, _)| own).or(field("disk").filter(|_| !is_client));
        let other = disks.map(|(_, other)| other).or(field("peer-disk").filter(|_| !is_client));
        for (whose, state) in [("disk", own), (PEERS_DISK, other)] {
            if let Some(state) = state.filter(|state| NO_COPY.contains(state)) {
                lacks(device, &format!("{whose} {state}"));
            }
        }
        match field("cs").or_else(|| field("replication")) {
            Some(state) if MOVING.contains(&state) => state.clone_into(&mut device.action),
            Some(state) if APART.contains(&state) => lacks(device, state),
            _ => {}
        }
        let synced = words.iter().position(|word| *word == "sync'ed:").and_then(|at| words.get(at + 1));
        device.done = synced.copied().or_else(|| field("done")).and_then(super::percent).or(device.done);
    }
    minors.into_iter().map(|(_, device)| device).filter(|device| !device.action.is_empty()).collect()
}

/// A connection that is gone says more than the disk of the other side, whose state is an old one then.
fn lacks(device: &mut Resync, what: &str) {
    if device.action.is_empty() || APART.contains(&what) && device.action.starts_with(PEERS_DISK) {
        what.clone_into(&mut device.action);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moving(text: &str) -> Vec<(String, String, Option<f64>)> {
        parse(text, "x").into_iter().map(|device| (device.name, device.action, device.done)).collect()
    }

    #[test]
    fn volumes_that_are_copied_by_8_4_and_by_9() {
        let old = "version: 8.4.11 (api:1/proto:86-101)\nsrcversion: AA\n 0: cs:Connected ro:Primary/Secondary ds:UpToDate/UpToDate C r-----\n    \
                   ns:1 nr:0 dw:1 dr:8 oos:0\n 3: cs:SyncSource ro:Primary/Secondary ds:UpToDate/Inconsistent C r-----\n    ns:1 oos:812\n\
                   \t[=>......] sync'ed: 12.5% (793306/902512)M\n\tfinish: 2:11:00 speed: 102,400 (98,304) K/sec\n";
        assert_eq!(moving(old), [("drbd3".to_owned(), "SyncSource".to_owned(), Some(0.125))]);
        let new = "r0 node-id:1 role:Primary suspended:no\n  volume:0 minor:1000 disk:UpToDate quorum:yes\n  volume:1 minor:1001 disk:UpToDate quorum:yes\n  \
                   n2 node-id:0 connection:Connected role:Secondary\n    volume:0 replication:Established peer-disk:UpToDate\n    \
                   volume:1 replication:SyncSource peer-disk:Inconsistent done:25.00\n  n3 node-id:2 connection:Connected role:Secondary\n    \
                   volume:0 replication:Established peer-disk:UpToDate\n    volume:1 replication:PausedSyncS peer-disk:Outdated\n";
        assert_eq!(moving(new), [("drbd1001".to_owned(), "SyncSource".to_owned(), Some(0.25))]);
    }

    #[test]
    fn volumes_without_a_second_copy() {
        let told =
            |text: &str| moving(text).into_iter().map(|(name, action, _)| (name, action)).collect::<Vec<_>>();
        let of = |name: &str, action: &str| (name.to_owned(), action.to_owned());
        let old = " 0: cs:StandAlone ro:Primary/Unknown ds:UpToDate/DUnknown   r-----\n    ns:1 oos:99\n 1: cs:Connected ro:Primary/Secondary ds:UpToDate/Outdated C r-----\n \
                   2: cs:Connected ro:Primary/Secondary ds:UpToDate/UpToDate C r-----\n 3: cs:WFConnection ro:Primary/Unknown ds:UpToDate/Outdated C r-----\n";
        assert_eq!(
            told(old),
            [of("drbd0", "StandAlone"), of("drbd1", "peer's disk Outdated"), of("drbd3", "WFConnection")]
        );
        let new = "a role:Primary\n  volume:0 minor:7 disk:UpToDate\n  n2 connection:Connected role:Secondary\n    volume:0 replication:Established peer-disk:UpToDate\n\
                   b role:Primary\n  volume:0 minor:8 disk:UpToDate\n  volume:1 minor:9 disk:Failed\n  n2 connection:Connecting\n\
                   c role:Primary\n  volume:0 minor:10 disk:Diskless client:yes quorum:yes\n  n2 role:Secondary\n    volume:0 peer-disk:UpToDate\n";
        assert_eq!(told(new), [of("drbd8", "Connecting"), of("drbd9", "disk Failed")]);
    }
}
