//! Dual tests by datagrams (`-d`, `-r`): the server sends to the port on which the client listens.
//!
//! A datagram does not prove who sent it, so no more goes back than came, the words of the end included: whoever writes another's address on datagrams gains
//! nothing over sending them there (RFC 4732, section 3.1, on amplification).

use super::datagram::{Allowance, DEFAULT_RATE_BYTES_PER_S, SLOWEST, Sender, account};
use super::header::{Amount, CallBack, Header};
use super::plan::Test;
use crate::iperf::{Place, spawn};
use fullwire_model::net::{NetMode, NetPlan};
use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What a client asked to be sent.
#[derive(Debug, Clone)]
pub(super) struct Back {
    client: SocketAddr,
    plan: NetPlan,
    allowance: Allowance,
    pub(super) now: bool,
}

impl Back {
    /// From the client's first datagram of this length; `None`: it asked for nothing.
    pub(super) fn asked(
        header: &Header,
        rate_bits_per_s: u32,
        length: usize,
        peer: IpAddr,
        most: Duration,
    ) -> Option<Self> {
        let CallBack { port, now } = header.call_back?;
        let mut plan = NetPlan {
            mode: NetMode::Udp,
            duration_ns: u64::try_from(most.as_nanos()).unwrap_or(u64::MAX),
            length_bytes: length as u64,
            rate_bytes_per_s: if rate_bits_per_s > 0 {
                (f64::from(rate_bits_per_s) / 8.0).max(length as f64 / SLOWEST.as_secs_f64())
            } else {
                DEFAULT_RATE_BYTES_PER_S
            },
            ..NetPlan::default()
        };
        match header.amount {
            Amount::Centiseconds(time) => {
                plan.duration_ns = plan.duration_ns.min(u64::from(time) * 10_000_000);
            }
            Amount::Bytes(bytes) => plan.duration_bytes = bytes.into(),
        }
        Some(Self { client: SocketAddr::new(peer, port), plan, allowance: Allowance::default(), now })
    }

    /// So much more came from the client.
    pub(super) fn allow(&self, bytes: usize) {
        self.allowance.add(bytes);
    }

    /// Sends it, in a thread of its own that keeps the place.
    pub(super) fn start(&self, place: Place, stop: Arc<AtomicBool>, log: Arc<dyn Fn(&str) + Send + Sync>) {
        let back = self.clone();
        // Without a thread for it the client is told nothing, and says so.
        let _ = spawn("iperf2-udp-back", move || {
            let _place = place;
            let client = back.client.ip().to_canonical();
            log(&match back.send(&stop) {
                Ok(sent) => format!("{client} iperf 2 UDP test back: {sent} datagrams sent"),
                Err(error) => format!("{client} iperf 2 UDP test back ended early: {error}"),
            });
        });
    }

    fn send(&self, stop: &AtomicBool) -> io::Result<u64> {
        let any: SocketAddr = if self.client.is_ipv4() { ([0; 4], 0).into() } else { ([0_u16; 8], 0).into() };
        let socket = UdpSocket::bind(any)?;
        socket.connect(self.client)?;
        let test = Test::of(&self.plan).map_err(io::Error::other)?;
        let sender = Sender { socket: &socket, test: &test, allowance: Some(&self.allowance) };
        let sent = sender.send(stop, &mut |_| {})?;
        account(&socket, &sent, Some(&self.allowance), stop)?;
        Ok(sent.count)
    }
}

#[cfg(test)]
mod tests {
    use super::super::header::Direction;
    use super::*;

    const LENGTH: usize = 1470;

    fn asked(rate_bits_per_s: u32, port: u16) -> Back {
        let header = Header {
            direction: Direction::Forward,
            amount: Amount::Centiseconds(100),
            threads: 1,
            rate_bits_per_s: 0,
            wants_ack: false,
            call_back: Some(CallBack { port, now: true }),
        };
        let from = [127, 0, 0, 1].into();
        Back::asked(&header, rate_bits_per_s, LENGTH, from, Duration::from_secs(1)).unwrap()
    }

    /// What arrives at a host that never asked, of a test back for which so many datagrams came.
    fn sent_for(came: usize) -> usize {
        let victim = UdpSocket::bind("127.0.0.1:0").unwrap();
        let back = asked(80_000_000, victim.local_addr().unwrap().port());
        (0..came).for_each(|_| back.allow(LENGTH));
        back.send(&AtomicBool::new(false)).unwrap();
        victim.set_nonblocking(true).unwrap();
        let mut buffer = [0; 2 * LENGTH];
        std::iter::from_fn(|| victim.recv(&mut buffer).ok()).sum::<usize>() / LENGTH
    }

    #[test]
    fn a_forged_address_is_sent_no_more_than_came() {
        assert_eq!([0, 1, 4, 30].map(sent_for), [0, 1, 4, 30]);
    }

    /// Five forged datagrams would otherwise hold one of the server's places for hours.
    #[test]
    fn a_rate_of_a_bit_a_second_keeps_no_place() {
        let least = LENGTH as f64 / SLOWEST.as_secs_f64();
        assert!((asked(1, 9).plan.rate_bytes_per_s - least).abs() < 1e-6);
        assert!((asked(8_000_000, 9).plan.rate_bytes_per_s - 1e6).abs() < 1e-6, "an honest rate is kept");
        let back = asked(1, 9);
        (0..30).for_each(|_| back.allow(LENGTH));
        let (told, sent) = std::sync::mpsc::channel();
        std::thread::spawn(move || told.send(back.send(&AtomicBool::new(false)).unwrap()));
        assert_eq!(sent.recv_timeout(Duration::from_secs(30)), Ok(1), "it ends with its time of 1 s");
    }
}
