//! How a connection is opened: within a deadline, and by another source port where one is not answered.

use crate::net::{NetError, channel};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{self, AddressFamily, SocketFlags, SocketType, ipproto, sockopt as option};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// Where half of the links are dead, one connection in a thousand misses the others within five seconds (0.5 to the tenth).
const MORE_PORTS: usize = 3;

/// Linux repeats an unanswered SYN after one second (`TCP_TIMEOUT_INIT`, RFC 6298 section 2.1): two have gone unanswered
/// when the next port is tried.
const NEXT_PORT_AFTER: Duration = Duration::from_millis(1250);

/// Connects within a deadline; the socket stays non-blocking.
pub(crate) fn dial(
    address: SocketAddr,
    within: Duration,
    prepare: impl FnOnce(&TcpStream) -> Result<(), NetError>,
) -> Result<TcpStream, NetError> {
    let socket = start(address, prepare)?;
    if !channel::ready(&socket, PollFlags::OUT, Instant::now() + within) {
        return Err(no_connection(address, std::io::ErrorKind::TimedOut.into()));
    }
    match connected(&socket) {
        Ok(()) => Ok(socket),
        Err(error) => Err(no_connection(address, error)),
    }
}

/// Begins to connect, without waiting for an answer.
pub(super) fn start(
    address: SocketAddr,
    prepare: impl FnOnce(&TcpStream) -> Result<(), NetError>,
) -> Result<TcpStream, NetError> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = net::socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))
        .map_err(|errno| NetError::local("open a socket", errno))?;
    let socket = TcpStream::from(socket);
    prepare(&socket)?;
    match net::connect(&socket, &address) {
        Ok(()) | Err(Errno::INPROGRESS) => Ok(socket),
        Err(errno) => Err(no_connection(address, errno.into())),
    }
}

/// How a connection that has settled ended.
pub(super) fn connected(socket: &TcpStream) -> std::io::Result<()> {
    match option::socket_error(socket) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(errno)) | Err(errno) => Err(errno.into()),
    }
}

fn no_connection(address: SocketAddr, source: std::io::Error) -> NetError {
    NetError::Connect { address: address.to_string(), source }
}

/// Connects by the first source port that is answered. Only for servers that let an unused connection go: a late answer to
/// an earlier attempt closes at once.
pub(crate) fn dial_by_several_ports(
    address: SocketAddr,
    within: Duration,
    prepare: impl Fn(&TcpStream) -> Result<(), NetError>,
) -> Result<TcpStream, NetError> {
    let deadline = Instant::now() + within;
    let mut waiting = vec![start(address, &prepare)?];
    loop {
        let next = (Instant::now() + NEXT_PORT_AFTER).min(deadline);
        while Instant::now() < next {
            if let Some(index) = settled(&waiting, next) {
                let socket = waiting.swap_remove(index);
                return connected(&socket).map(|()| socket).map_err(|error| no_connection(address, error));
            }
        }
        if Instant::now() >= deadline {
            return Err(no_connection(address, std::io::ErrorKind::TimedOut.into()));
        }
        for _ in 0..MORE_PORTS {
            waiting.push(start(address, &prepare)?);
        }
    }
}

/// One of these that is connected or has failed; `None` when the time is over.
fn settled(sockets: &[TcpStream], deadline: Instant) -> Option<usize> {
    let left = deadline.saturating_duration_since(Instant::now());
    let left = Timespec::try_from(left).ok()?;
    let mut polled: Vec<PollFd<'_>> =
        sockets.iter().map(|socket| PollFd::new(socket, PollFlags::OUT)).collect();
    poll(&mut polled, Some(&left)).ok()?;
    polled.iter().position(|one| !one.revents().is_empty())
}
