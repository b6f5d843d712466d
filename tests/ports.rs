//! Ports that no other test has, for servers that cannot be asked to choose one.

use rustix::fs::FlockOperation;
use std::fs::File;
use std::net::TcpListener;
use std::sync::{Mutex, PoisonError};

/// So many are given out, all below those that the kernel itself gives to whoever asks for any port: between the two is room
/// for the ports at which the servers of a NATS cluster listen for each other, 2,000 above those for clients.
const PORTS: u16 = 2_000;

/// Locks are held as long as the process lives: a port that was given out once may be in use.
static HELD: Mutex<Vec<File>> = Mutex::new(Vec::new());

/// A port at which no one listens, and which no other test is given.
pub(crate) fn free_port() -> u16 {
    let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    let lowest = range.split_whitespace().next().and_then(|text| text.parse().ok()).unwrap_or(32_768);
    let first = u16::saturating_sub(lowest, 2 * PORTS).max(1_024);
    let folder = std::env::temp_dir().join("fullwire-test-ports");
    std::fs::create_dir_all(&folder).unwrap();
    let begin = std::process::id() % u32::from(PORTS);
    let mut ports = (0..PORTS).map(|index| first + (u16::try_from(begin).unwrap() + index) % PORTS);
    let free = ports.find(|port| {
        let lock =
            File::options().write(true).create(true).truncate(false).open(folder.join(port.to_string()));
        let Ok(lock) = lock else { return false };
        let is_free = rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok()
            && TcpListener::bind(("0.0.0.0", *port)).is_ok();
        if is_free {
            HELD.lock().unwrap_or_else(PoisonError::into_inner).push(lock);
        }
        is_free
    });
    free.expect("a port")
}
