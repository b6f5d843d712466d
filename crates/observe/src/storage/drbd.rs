//! DRBD's volumes that are being copied or compared: `/proc/drbd` of DRBD 8.4 (Linux `drivers/block/drbd/drbd_proc.c`), and of
//! a captured tree `drbdsetup status`, with which DRBD 9 replaced it (drbdsetup(8), status).

use crate::Root;
use fullwire_model::host::Resync;

const PROC: &str = "/proc/drbd";
const CAPTURED: &str = "/sos_commands/drbd";

/// States in which data is copied or compared (drbd(7), replication states; those that are paused move nothing).
const MOVING: [&str; 4] = ["SyncSource", "SyncTarget", "VerifyS", "VerifyT"];

pub(super) fn read(root: &Root) -> Vec<Resync> {
    let names = if root.is_live() { Vec::new() } else { root.list(CAPTURED) };
    let told = names.iter().filter(|name| name.contains("status")).map(|name| format!("{CAPTURED}/{name}"));
    let texts = std::iter::once(PROC.to_owned()).chain(told);
    let read = texts.filter_map(|path| Some((root.try_read(&path, 1 << 20).ok()?.0, path)));
    read.map(|(text, path)| parse(&text, &path)).find(|found| !found.is_empty()).unwrap_or_default()
}

/// ` 0: cs:SyncSource ro:… ds:…` with `sync'ed: 12.1%` below it, or `volume:0 minor:0 …` with `replication:SyncSource …
/// done:12.10` in the lines of its peers.
fn parse(text: &str, source: &str) -> Vec<Resync> {
    let mut minors: Vec<(String, Resync)> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let field = |name: &str| words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix(':'));
        let minor =
            field("minor").or_else(|| words.first()?.strip_suffix(':').filter(|_| field("cs").is_some()));
        let volume = field("volume").unwrap_or_default();
        if let Some(minor) = minor.filter(|minor| minor.bytes().all(|byte| byte.is_ascii_digit())) {
            let name = format!("drbd{minor}");
            let device =
                Resync { of: "DRBD device".to_owned(), name, source: source.to_owned(), ..Resync::default() };
            minors.push((volume.to_owned(), device));
        }
        // A resource's volumes come first, then those of each peer.
        let of_volume = minors.iter_mut().rev().find(|(own, _)| field("volume").is_none() || own == volume);
        let Some((_, device)) = of_volume else { continue };
        if let Some(state) =
            field("cs").or_else(|| field("replication")).filter(|state| MOVING.contains(state))
        {
            state.clone_into(&mut device.action);
        }
        let synced = words.iter().position(|word| *word == "sync'ed:").and_then(|at| words.get(at + 1));
        device.done = synced.copied().or_else(|| field("done")).and_then(super::percent).or(device.done);
    }
    minors.into_iter().map(|(_, device)| device).filter(|device| !device.action.is_empty()).collect()
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
}
