//! What the kernel says of links, addresses, routes and queueing disciplines when asked by route netlink
//! (`man 7 rtnetlink`), and of sockets by `man 7 sock_diag`. Only GET requests are ever sent.

mod address;
mod codec;
mod link;
mod options;
mod qdisc;
mod route;
mod socket;

pub(super) use address::addresses;
pub(super) use link::{Link, links};
pub(super) use qdisc::{QdiscRecord, qdiscs};
pub(super) use route::{look_up, routes, source_rules};
pub(super) use socket::{chosen, sockets};

use crate::root::gap_of;
use fullwire_model::Gap;
use rustix::net::netlink::{self, SocketAddrNetlink};
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, Protocol, RecvFlags, SendFlags, SocketFlags, SocketType, socket_with};
use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

/// The kernel answers immediately; this guards against a lost datagram.
const TIME_LIMIT: Duration = Duration::from_secs(2);

/// A datagram of a dump has at most 32 KiB (`NLMSG_GOODSIZE` of the kernel's own skbs).
const DATAGRAM_BYTES: usize = 64 << 10;

/// Messages of one answer: more routes or links than this are not needed to judge a path.
const MAX_MESSAGES: usize = 16_384;

const NLM_F_REQUEST: u16 = 1;
const NLM_F_DUMP: u16 = 0x300;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;

/// Sends one question and gives each message of the answer to `take`.
fn ask(
    subject: &str,
    kind: u16,
    dump: bool,
    body: &[u8],
    attributes: &[(u16, &[u8])],
    mut take: impl FnMut(codec::Message),
) -> Result<(), Gap> {
    let flags = if dump { NLM_F_REQUEST | NLM_F_DUMP } else { NLM_F_REQUEST };
    let request = codec::request(kind, flags, body, attributes);
    let route = open(None); // protocol 0 is NETLINK_ROUTE
    route
        .map_err(io::Error::from)
        .and_then(|socket| exchange(&socket, &request, dump, &mut take))
        .map_err(|error| gap_of(subject, &error))
}

/// Lists sockets, giving each message of the answer to `take`.
fn ask_sockets(
    subject: &str,
    kind: u16,
    body: &[u8],
    mut take: impl FnMut(codec::Message),
) -> Result<(), Gap> {
    let request = codec::request(kind, NLM_F_REQUEST | NLM_F_DUMP, body, &[]);
    let diagnosis = open(Some(netlink::SOCK_DIAG));
    diagnosis
        .map_err(io::Error::from)
        .and_then(|socket| exchange(&socket, &request, true, &mut take))
        .map_err(|error| gap_of(subject, &error))
}

fn exchange(
    socket: &OwnedFd,
    request: &[u8],
    dump: bool,
    take: &mut dyn FnMut(codec::Message),
) -> io::Result<()> {
    rustix::net::send(socket, request, SendFlags::empty())?;
    let mut buffer = vec![0_u8; DATAGRAM_BYTES];
    let mut count = 0;
    while count < MAX_MESSAGES {
        let (length, _) =
            rustix::io::retry_on_intr(|| rustix::net::recv(socket, &mut buffer[..], RecvFlags::empty()))?;
        let bytes = buffer.get(..length).unwrap_or_default();
        let mut seen = 0;
        for message in codec::messages(bytes) {
            seen += 1;
            match message.kind {
                NLMSG_DONE => return Ok(()),
                NLMSG_ERROR => return error_of(message.body),
                _ => take(message),
            }
        }
        if !dump || seen == 0 {
            return Ok(());
        }
        count += seen;
    }
    Ok(())
}

fn open(protocol: Option<Protocol>) -> rustix::io::Result<OwnedFd> {
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, protocol)?;
    set_socket_timeout(&socket, Timeout::Recv, Some(TIME_LIMIT))?;
    rustix::net::bind(&socket, &SocketAddrNetlink::new(0, 0))?;
    Ok(socket)
}

/// The error number that an error message carries, negative; 0 acknowledges.
fn error_of(body: &[u8]) -> io::Result<()> {
    match codec::u32_at(body, 0).map(u32::cast_signed) {
        Some(0) => Ok(()),
        Some(errno) => Err(io::Error::from_raw_os_error(errno.saturating_neg())),
        None => Err(io::ErrorKind::InvalidData.into()),
    }
}
