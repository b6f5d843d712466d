//! How a peer is reached, before anything is measured: which of its addresses answer, how fast, and from which source ports.
//!
//! Bonds and routers choose a link by a hash over addresses and ports. Where one of the links is dead, some source ports
//! get no answer and others do: a connection that is only tried once fails or not by chance.

use super::connect::{leave_from, resolve};
use super::dial::{connected, start};
use crate::net::NetError;
use fullwire_model::reach::{AddressReach, Reach, SourcePorts};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Ports of the first look: of a bond of four with one dead member, nine looks in ten meet it (1 - 0.75^8).
const FIRST_PORTS: usize = 8;
/// Two SYNs of each.
const FIRST_WITHIN: Duration = Duration::from_millis(1500);

/// Ports that are tried when some of the first were not answered.
const PORTS: usize = 16;
/// Three SYNs of each, the last after three seconds: loss alone seldom takes all of them.
const PORTS_WITHIN: Duration = Duration::from_millis(3500);

/// How often the stop flag is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// Looks at the first address of each family of the target's name. `source` as in a plan: where to leave from.
///
/// # Errors
/// The name has no address, or the source is none.
pub fn reach(target: &str, source: &str, stop: Option<&AtomicBool>) -> Result<Reach, NetError> {
    let mut families: Vec<SocketAddr> = Vec::new();
    for address in resolve(target)? {
        if !families.iter().any(|known| known.is_ipv4() == address.is_ipv4()) {
            families.push(address);
        }
    }
    let mut found = Reach::default();
    for address in families {
        let look = Look { address, source, stop };
        let Ok(first) = look.ports(FIRST_PORTS, FIRST_WITHIN) else {
            // The source is of the other family, or there is no route: the kernel said so at once.
            continue;
        };
        let some = first.iter().any(Option::is_some);
        found.addresses.push(AddressReach {
            address: address.to_string(),
            connect_min_ns: first.iter().flatten().min().map(|time| nanoseconds(*time)),
            ..AddressReach::default()
        });
        if some && first.iter().any(Option::is_none) && found.source_ports.is_none() {
            found.source_ports = look.ports(PORTS, PORTS_WITHIN).ok().map(|ports| SourcePorts {
                address: address.to_string(),
                tried: ports.len() as u64,
                unanswered: ports.iter().filter(|port| port.is_none()).count() as u64,
            });
        }
    }
    Ok(found)
}

struct Look<'a> {
    address: SocketAddr,
    source: &'a str,
    stop: Option<&'a AtomicBool>,
}

impl Look<'_> {
    /// When each of so many new connections was answered (a refusal is an answer); `None` for those that were not.
    fn ports(&self, count: usize, within: Duration) -> Result<Vec<Option<Duration>>, NetError> {
        let mut attempts = Vec::with_capacity(count);
        for _ in 0..count {
            let began = Instant::now();
            match start(self.address, |socket| leave_from(socket, self.address, self.source)) {
                Ok(socket) => attempts.push(Attempt { socket, began, state: State::Waiting }),
                // By this host itself.
                Err(NetError::Connect { source, .. }) if is_refusal(&source) => {
                    return Ok(vec![Some(began.elapsed())]);
                }
                Err(error) => return Err(error),
            }
        }
        let deadline = Instant::now() + within;
        loop {
            let mut waiting: Vec<&mut Attempt> =
                attempts.iter_mut().filter(|attempt| attempt.state == State::Waiting).collect();
            if waiting.is_empty() || Instant::now() >= deadline {
                break;
            }
            if self.stop.is_some_and(|stop| stop.load(Relaxed)) {
                return Err(NetError::Interrupted);
            }
            note_answers(&mut waiting, (Instant::now() + LOOK).min(deadline));
        }
        Ok(attempts.iter().map(Attempt::answered).collect())
    }
}

struct Attempt {
    socket: TcpStream,
    began: Instant,
    state: State,
}

#[derive(PartialEq, Eq)]
enum State {
    Waiting,
    /// After this time.
    Answered(Duration),
    /// By the network: no answer of the peer.
    Failed,
}

impl Attempt {
    fn answered(&self) -> Option<Duration> {
        if let State::Answered(time) = self.state { Some(time) } else { None }
    }
}

fn note_answers(waiting: &mut [&mut Attempt], until: Instant) {
    let Ok(left) = Timespec::try_from(until.saturating_duration_since(Instant::now())) else { return };
    let mut polled: Vec<PollFd<'_>> =
        waiting.iter().map(|attempt| PollFd::new(&attempt.socket, PollFlags::OUT)).collect();
    if poll(&mut polled, Some(&left)).is_err() {
        return;
    }
    let settled: Vec<bool> = polled.iter().map(|one| !one.revents().is_empty()).collect();
    for (attempt, _) in waiting.iter_mut().zip(settled).filter(|(_, settled)| *settled) {
        attempt.state = match connected(&attempt.socket) {
            Err(error) if !is_refusal(&error) => State::Failed,
            _ => State::Answered(attempt.began.elapsed()),
        };
    }
}

fn is_refusal(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::ConnectionRefused
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
