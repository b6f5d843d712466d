//! Sockets of a datagram test. The responder sends nothing to an address that has not shown a token which
//! went over the control connection, and which is not the control connection's own: it cannot amplify.

use super::NetError;
use super::socket::connect;
use super::wire::{TOKEN_BYTES, Token};
use fullwire_model::net::NetPlan;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::time::Duration;

/// Begins a datagram that shows a token.
const MAGIC: [u8; 4] = *b"FWHI";

/// Datagrams looked at before the caller looks at the time again: a flood must not hold it up.
const LOOK_BATCH: usize = 256;

const HELLO_BYTES: usize = 4 + TOKEN_BYTES;

/// The responder's sockets, one for each lane, waiting for their tokens.
pub(crate) struct Reception {
    lanes: Vec<(UdpSocket, Token, bool)>,
}

impl Reception {
    /// Binds a socket for each token: the first on the responder's own port number where it is free, as
    /// firewalls that let one pass often let the other, the rest where the kernel likes.
    pub(crate) fn bind(local: IpAddr, port: u16, tokens: &[Token]) -> Result<Self, NetError> {
        let lanes = tokens
            .iter()
            .enumerate()
            .map(|(index, token)| {
                let wished = if index == 0 { port } else { 0 };
                let socket = UdpSocket::bind((local, wished)).or_else(|_| UdpSocket::bind((local, 0)))?;
                socket.set_nonblocking(true)?;
                Ok((socket, *token, false))
            })
            .collect::<Result<_, std::io::Error>>()
            .map_err(|error| NetError::local(format!("open a UDP port on {local}"), error))?;
        Ok(Self { lanes })
    }

    /// The ports, in the order of the lanes.
    pub(crate) fn ports(&self) -> Vec<u16> {
        self.lanes
            .iter()
            .map(|(socket, ..)| socket.local_addr().map_or(0, |address| address.port()))
            .collect()
    }

    /// Looks for tokens for a while; true when all lanes have shown theirs.
    pub(crate) fn look(&mut self, client: IpAddr, within: Duration) -> bool {
        let mut waiting: Vec<PollFd<'_>> = self
            .lanes
            .iter()
            .filter(|(_, _, known)| !known)
            .map(|(socket, ..)| PollFd::new(socket, PollFlags::IN))
            .collect();
        // Interrupted or timed out: the caller looks again.
        let _ = poll(&mut waiting, Timespec::try_from(within).ok().as_ref());
        for (socket, token, known) in &mut self.lanes {
            let mut buffer = [0; HELLO_BYTES + 1];
            for _ in 0..LOOK_BATCH {
                if *known {
                    break;
                }
                let Ok((length, from)) = socket.recv_from(&mut buffer) else { break };
                let shown = length == HELLO_BYTES && buffer[..4] == MAGIC && buffer[4..HELLO_BYTES] == *token;
                *known = shown && from.ip().to_canonical() == client && socket.connect(from).is_ok();
            }
        }
        self.lanes.iter().all(|(_, _, known)| *known)
    }

    /// The sockets, each bound to its client, blocking.
    pub(crate) fn into_sockets(self) -> Result<Vec<UdpSocket>, NetError> {
        let blocking = |(socket, ..): (UdpSocket, Token, bool)| {
            socket
                .set_nonblocking(false)
                .map_err(|error| NetError::local("make a socket blocking", error))?;
            Ok(socket)
        };
        self.lanes.into_iter().map(blocking).collect()
    }
}

/// The client's sockets, connected to the responder's ports.
pub(crate) fn open(responder: IpAddr, ports: &[u16], plan: &NetPlan) -> Result<Vec<UdpSocket>, NetError> {
    ports
        .iter()
        .map(|port| {
            let address = SocketAddr::new(responder, *port);
            let socket = connect::datagram_socket(address)?;
            connect::leave_from(&socket, address, &plan.source)?;
            connect::apply_any(&socket, address.ip(), plan)?;
            rustix::net::connect(&socket, &address)
                .map_err(|errno| NetError::Connect { address: address.to_string(), source: errno.into() })?;
            Ok(UdpSocket::from(socket))
        })
        .collect()
}

/// Shows the tokens. Datagrams get lost: it is done until the responder says that it has seen all.
pub(crate) fn show(sockets: &[UdpSocket], tokens: &[Token]) {
    for (socket, token) in sockets.iter().zip(tokens) {
        let mut hello = [0; HELLO_BYTES];
        hello[..4].copy_from_slice(&MAGIC);
        hello[4..].copy_from_slice(token);
        // An ICMP answer to the last one is not the end: the responder may not have bound its port yet.
        let _ = socket.send(&hello);
    }
}
