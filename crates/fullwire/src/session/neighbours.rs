//! Who answers for the next hops while a probe runs. At its ends the right one does, or its messages would not have arrived:
//! another host with the same address is seen only in between.

use fullwire_observe::{Root, neighbour_macs};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// The kernel takes no other hardware address for a second (arp(7), `locktime`): twice in that time misses none.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// More turns say nothing new.
const MOST: usize = 16;

/// Does this, and looks meanwhile: the hardware addresses of each of these neighbours in turn.
pub(super) fn during<T>(
    root: &Root,
    asked: &[IpAddr],
    work: impl FnOnce() -> T,
) -> (T, BTreeMap<IpAddr, Vec<String>>) {
    let asked: Vec<IpAddr> =
        asked.iter().copied().filter(|hop| hop.is_ipv4() && !hop.is_loopback()).collect();
    if asked.is_empty() {
        return (work(), BTreeMap::new());
    }
    let asked = &asked;
    std::thread::scope(|scope| {
        let (end, ended) = mpsc::channel();
        let looks = std::thread::Builder::new().name("neighbours".into());
        let looks = looks.spawn_scoped(scope, move || look(&ended, || neighbour_macs(root, asked)));
        let outcome = work();
        drop(end);
        let seen = looks.ok().and_then(|looks| looks.join().ok()).unwrap_or_default();
        (outcome, seen)
    })
}

/// Until the other end of the channel is gone.
fn look(ended: &Receiver<()>, read: impl Fn() -> BTreeMap<IpAddr, String>) -> BTreeMap<IpAddr, Vec<String>> {
    let mut seen: BTreeMap<IpAddr, Vec<String>> = BTreeMap::new();
    while ended.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
        for (address, mac) in read() {
            let macs = seen.entry(address).or_default();
            if macs.last() != Some(&mac) && macs.len() < MOST {
                macs.push(mac);
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Two that answer in turn: each change is kept, and no look that shows the same.
    #[test]
    fn each_change_of_who_answers_is_kept() {
        let address: IpAddr = "10.0.0.2".parse().unwrap();
        let (end, ended) = mpsc::channel();
        let (end, at) = (Cell::new(Some(end)), Cell::new(0));
        let table = || {
            let turn = at.get();
            at.set(turn + 1);
            if turn == 3 {
                end.take();
            }
            BTreeMap::from([(address, ["02:0a", "02:0a", "02:0b", "02:0a"][turn].to_owned())])
        };
        assert_eq!(look(&ended, table)[&address], ["02:0a", "02:0b", "02:0a"]);
    }
}
