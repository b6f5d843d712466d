//! iperf 2 over UDP: numbered datagrams one way, ended by negative numbers until the server answers with its account.
//!
//! A datagram begins with four words (number, seconds, microseconds, upper half of the number) and the client's test header.
//! The server's answer has the four words again and then its account: flags, bytes (two words), seconds, microseconds, lost,
//! out of order, datagrams, jitter (seconds, microseconds).

use super::Iperf2Error;
use super::header::{Amount, Direction, Header};
use super::plan::Test;
use crate::iperf::{COPIES, Slice, hold_back, is_retry, once, payload, told_jitter_ns};
use crate::net::{NetError, leave_from};
use fullwire_model::net::{CpuUse, NetInterval, NetPath, NetPlan, NetResult, UdpSummary};
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Words before the test header, and before the server's account.
pub(super) const PREFIX_BYTES: usize = 16;
/// Words of a server's account.
const ACCOUNT_BYTES: usize = 40;
/// Smaller requests get no answer: it would be longer than they are.
pub(super) const ANSWERABLE_BYTES: usize = PREFIX_BYTES + ACCOUNT_BYTES;
/// iperf's own length of a datagram, and its rate.
const DEFAULT_BYTES: u64 = 1470;
pub(super) const DEFAULT_RATE_BYTES_PER_S: f64 = 1_048_576.0 / 8.0;
const LARGEST_BYTES: u64 = 65_507;
/// Set in the first word of a server's account.
pub(super) const HAS_ACCOUNT: u32 = 0x8000_0000;
/// The end is said this often, with this long for each answer.
const FAREWELLS: u32 = 20;
const ANSWER: Duration = Duration::from_millis(250);

pub(super) fn word(bytes: &[u8], index: usize) -> u32 {
    let octets = bytes.get(4 * index..4 * index + 4).and_then(<[u8]>::first_chunk);
    octets.map_or(0, |octets| u32::from_be_bytes(*octets))
}

pub(super) fn put(bytes: &mut [u8], index: usize, word: u32) {
    if let Some(place) = bytes.get_mut(4 * index..4 * index + 4) {
        place.copy_from_slice(&word.to_be_bytes());
    }
}

/// A place is kept this long for one datagram, however low a rate a client asks for: what asks may be anyone, under any
/// address.
pub(super) const SLOWEST: Duration = Duration::from_secs(10);
/// A client that sends nothing for this long gets nothing more.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often a sender that has used up what came looks for more.
const LOOK: Duration = Duration::from_micros(200);

/// Datagrams of what came that are kept for saying that the test is over.
const KEPT: usize = 4;

/// What a client may be sent, the words of the end included: as much as came from it, counted down as it goes back.
#[derive(Debug, Clone, Default)]
pub(super) struct Allowance(Arc<AtomicU64>);

impl Allowance {
    pub(super) fn add(&self, bytes: usize) {
        self.0.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Takes one datagram out of it where so much stays; false: it is too little.
    fn spend(&self, bytes: usize, kept: usize) -> bool {
        let rest = |left: u64| left.checked_sub(bytes as u64).filter(|rest| *rest >= kept as u64);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest).is_ok()
    }

    /// Takes one datagram of the test, and waits for more until the test is over; false: nothing more came.
    fn take(&self, bytes: usize, end: Option<Instant>) -> bool {
        let last = Instant::now() + PATIENCE;
        let last = end.map_or(last, |end| end.min(last));
        while !self.spend(bytes, KEPT * bytes) {
            if Instant::now() >= last {
                return false;
            }
            std::thread::sleep(LOOK);
        }
        true
    }
}

/// A test of an iperf 2 server by datagrams, one way.
pub(super) fn measure(
    plan: &NetPlan,
    stop: &AtomicBool,
    tick: &mut impl FnMut(&NetInterval),
) -> Result<NetResult, Iperf2Error> {
    if plan.reverse || plan.bidir || plan.streams > 1 {
        return Err(Iperf2Error::Unsupported(
            "UDP from the server, both ways or in several streams; use an iperf3 server",
        ));
    }
    let test = Test::of(plan)?;
    let failed = Iperf2Error::stream;
    let address = super::addresses(plan.target.as_str())?[0];
    let any: SocketAddr = if address.is_ipv4() { ([0; 4], 0).into() } else { ([0_u16; 8], 0).into() };
    let socket = open(plan, address, any)?;
    socket.connect(address).map_err(failed("opening a UDP socket"))?;
    let sent = Sender { socket: &socket, test: &test, allowance: None }
        .send(stop, tick)
        .map_err(failed("sending datagrams"))?;
    let answer = account(&socket, &sent, None, stop).map_err(failed("asking for the account"))?;
    let Some(answer) = answer else {
        return Err(if stop.load(Ordering::Relaxed) {
            Iperf2Error::Interrupted
        } else {
            Iperf2Error::NoAccount(address.to_string())
        });
    };
    if !is_possible(&sent, &answer) {
        return Err(Iperf2Error::FalseAccount(address.to_string()));
    }
    Ok(result(plan, address, socket.local_addr().ok(), sent, &answer))
}

fn open(plan: &NetPlan, address: SocketAddr, any: SocketAddr) -> Result<UdpSocket, Iperf2Error> {
    let failed = Iperf2Error::stream("opening a UDP socket");
    if plan.source.is_empty() {
        return UdpSocket::bind(any).map_err(failed);
    }
    let socket = crate::net::datagram_socket(address).map_err(Iperf2Error::of_socket)?;
    leave_from(&socket, address, &plan.source).map_err(|error: NetError| Iperf2Error::of_socket(error))?;
    Ok(UdpSocket::from(socket))
}

pub(super) struct Sender<'a> {
    pub(super) socket: &'a UdpSocket,
    pub(super) test: &'a Test<'a>,
    /// What it may send, besides the plan's own limits.
    pub(super) allowance: Option<&'a Allowance>,
}

/// What was sent.
pub(super) struct Sent {
    started: Instant,
    pub(super) count: u64,
    length: usize,
    seconds: f64,
    intervals: Vec<NetInterval>,
}

impl Sender<'_> {
    pub(super) fn send(&self, stop: &AtomicBool, tick: &mut impl FnMut(&NetInterval)) -> io::Result<Sent> {
        let plan = self.test.plan;
        let asked = if plan.length_bytes == 0 { DEFAULT_BYTES } else { plan.length_bytes };
        let length =
            usize::try_from(asked.clamp(ANSWERABLE_BYTES as u64 + 60, LARGEST_BYTES)).unwrap_or(1470);
        let rate = if plan.rate_bytes_per_s > 0.0 { plan.rate_bytes_per_s } else { DEFAULT_RATE_BYTES_PER_S };
        let mut datagram = payload(length);
        datagram[..PREFIX_BYTES].fill(0);
        let limit_ns = self.test.limit.map_or(0, |limit| limit.as_millis().div_ceil(10));
        let header = Header {
            direction: Direction::Forward,
            amount: Amount::Centiseconds(u32::try_from(limit_ns).unwrap_or(u32::MAX)),
            threads: 1,
            rate_bits_per_s: 0,
            wants_ack: false,
            call_back: None,
        };
        let encoded = header.encode_for_datagrams();
        datagram[PREFIX_BYTES..PREFIX_BYTES + encoded.len()].copy_from_slice(&encoded);
        let (mut count, mut intervals) = (0_u64, Vec::new());
        let started = Instant::now();
        let end = self.test.limit.map(|limit| started + limit);
        let ended = || stop.load(Ordering::Relaxed) || end.is_some_and(|end| Instant::now() >= end);
        let mut slice = Slice::starting(Duration::from_nanos(plan.interval_ns.max(100_000_000)));
        loop {
            let elapsed = started.elapsed();
            if slice.is_over(elapsed) {
                let measured = slice.close(elapsed, count * length as u64, &[]);
                tick(&measured);
                intervals.push(measured);
            }
            let spent = plan.duration_bytes > 0 && count * length as u64 >= plan.duration_bytes;
            let used_up = || self.allowance.is_some_and(|allowance| !allowance.take(length, end));
            if ended() || spent || used_up() {
                return Ok(Sent { started, count, length, seconds: elapsed.as_secs_f64(), intervals });
            }
            number(&mut datagram, i64::try_from(count).unwrap_or(i64::MAX), started);
            match self.socket.send(&datagram) {
                Ok(_) => count += 1,
                Err(error) if is_retry(&error) || error.kind() == io::ErrorKind::ConnectionRefused => {}
                Err(error) => return Err(error),
            }
            hold_back(started, count * length as u64, rate, ended);
        }
    }
}

/// Number and time of sending.
fn number(datagram: &mut [u8], number: i64, started: Instant) {
    let elapsed = started.elapsed();
    let octets = number.to_be_bytes();
    datagram[..4].copy_from_slice(&octets[4..]);
    put(datagram, 1, u32::try_from(elapsed.as_secs()).unwrap_or(u32::MAX));
    put(datagram, 2, elapsed.subsec_micros());
    datagram[12..16].copy_from_slice(&octets[..4]);
}

/// Says that it is over until the server answers. These datagrams count in its jitter, so they tell the time of sending too.
pub(super) fn account(
    socket: &UdpSocket,
    sent: &Sent,
    allowance: Option<&Allowance>,
    stop: &AtomicBool,
) -> io::Result<Option<Vec<u8>>> {
    socket.set_read_timeout(Some(ANSWER))?;
    let mut datagram = vec![0; sent.length];
    let mut answer = vec![0; 65_536];
    for _ in 0..FAREWELLS {
        if allowance.is_some_and(|allowance| !allowance.spend(sent.length, 0)) {
            return Ok(None);
        }
        number(&mut datagram, -i64::try_from(sent.count.max(1)).unwrap_or(i64::MAX), sent.started);
        // Refused: no one is there, which the missing answer says as well.
        let _ = socket.send(&datagram);
        match socket.recv(&mut answer) {
            Ok(received)
                if received >= ANSWERABLE_BYTES && word(&answer, PREFIX_BYTES / 4) & HAS_ACCOUNT != 0 =>
            {
                answer.truncate(received);
                return Ok(Some(answer));
            }
            Ok(_) => {}
            Err(error) if is_retry(&error) || error.kind() == io::ErrorKind::ConnectionRefused => {}
            Err(error) => return Err(error),
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
    }
    Ok(None)
}

/// Word of an account, by its place after the prefix.
fn told(answer: &[u8], index: usize) -> u32 {
    word(answer, PREFIX_BYTES / 4 + index)
}

fn told_bytes(answer: &[u8]) -> u64 {
    u64::from(told(answer, 1)) << 32 | u64::from(told(answer, 2))
}

fn told_s(answer: &[u8], index: usize) -> f64 {
    f64::from(told(answer, index)) + f64::from(told(answer, index + 1)) / 1e6
}

/// No more came than copies of what was sent, the last words included, no more was lost, and it did not come in a tenth of the
/// time. The server counts a copy as a datagram, and as one out of order.
fn is_possible(sent: &Sent, answer: &[u8]) -> bool {
    let count = sent.count.saturating_add(FAREWELLS.into());
    let copies = count.saturating_mul(COPIES);
    let in_no_time = told_s(answer, 3) < sent.seconds / 10.0 && told_bytes(answer) > 0 && sent.count > 10;
    told_bytes(answer) <= copies.saturating_mul(sent.length as u64)
        && u64::from(told(answer, 5)) <= count
        && u64::from(told(answer, 6)) <= copies
        && !in_no_time
}

fn result(
    plan: &NetPlan,
    address: SocketAddr,
    local: Option<SocketAddr>,
    sent: Sent,
    answer: &[u8],
) -> NetResult {
    let length = sent.length as u64;
    let lost = u64::from(told(answer, 5));
    // The last words may have been counted too.
    let all = sent.count.saturating_add(FAREWELLS.into());
    let (bytes, duplicated) = once(all.saturating_sub(lost) * length, told_bytes(answer), length);
    // Whatever time the server counts, on the whole they came no faster than they were sent.
    let share = (bytes as f64 / sent.count.saturating_mul(length).max(1) as f64).min(1.0);
    let duration_s = told_s(answer, 3).max(sent.seconds * share).max(1e-9);
    NetResult {
        target: plan.target.clone(),
        mode: plan.mode,
        streams: 1,
        payload_bytes: length,
        duration_s,
        bytes,
        messages: sent.count,
        throughput_bytes_per_s: bytes as f64 / duration_s,
        intervals: sent.intervals,
        udp: Some(UdpSummary {
            sent: sent.count,
            lost,
            reordered: u64::from(told(answer, 6)).saturating_sub(duplicated),
            duplicated,
            jitter_ns: told_jitter_ns(told_s(answer, 8), duration_s),
            sent_bytes_per_s: (sent.count * length) as f64 / sent.seconds.max(1e-9),
            ..UdpSummary::default()
        }),
        cpu: CpuUse::default(),
        path: NetPath {
            local: local.map(|address| address.to_string()).unwrap_or_default(),
            remote: address.to_string(),
            loopback: address.ip().is_loopback(),
            ..NetPath::default()
        },
        plan: NetPlan {
            rate_bytes_per_s: if plan.rate_bytes_per_s > 0.0 {
                plan.rate_bytes_per_s
            } else {
                DEFAULT_RATE_BYTES_PER_S
            },
            ..plan.clone()
        },
        ..NetResult::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_goes_back_than_came() {
        let allowance = Allowance::default();
        let taken = || allowance.take(1_000, Some(Instant::now()));
        allowance.add(6_500);
        assert!(taken() && taken());
        assert!(!taken(), "what is left is for the end");
        allowance.add(500);
        assert!(taken());
        assert_eq!((0..9).filter(|_| allowance.spend(1_000, 0)).count(), KEPT);
    }

    /// Words of an account: flags, bytes (two), time (two), lost, out of order, datagrams, jitter (two).
    #[test]
    fn an_account_of_more_than_was_sent_is_false() {
        let sent =
            Sent { started: Instant::now(), count: 100, length: 1_000, seconds: 1.0, intervals: Vec::new() };
        let is_possible = |words: [u32; 10]| {
            let mut answer = vec![0; ANSWERABLE_BYTES];
            words
                .iter()
                .enumerate()
                .for_each(|(index, word)| put(&mut answer, PREFIX_BYTES / 4 + index, *word));
            super::is_possible(&sent, &answer)
        };
        assert!(is_possible([HAS_ACCOUNT, 0, 100_000, 1, 0, 0, 0, 100, 0, 5]));
        assert!(is_possible([HAS_ACCOUNT, 0, 60_000, 0, 900_000, 40, 3, 100, 0, 5]), "lossy and early");
        assert!(is_possible([HAS_ACCOUNT, 0, 0, 0, 0, 100, 0, 0, 0, 0]), "nothing came");
        assert!(is_possible([HAS_ACCOUNT, 0, 200_000, 1, 0, 0, 100, 100, 0, 5]), "each came twice");
        for false_account in [
            [HAS_ACCOUNT, 0, 2_000_000, 1, 0, 0, 0, 100, 0, 5],
            [HAS_ACCOUNT, 1, 0, 1, 0, 0, 0, 100, 0, 5],
            [HAS_ACCOUNT, 0, 100_000, 1, 0, u32::MAX, 0, 100, 0, 5],
            [HAS_ACCOUNT, 0, 100_000, 1, 0, 0, u32::MAX, 100, 0, 5],
            [HAS_ACCOUNT, 0, 100_000, 0, 1, 0, 0, 100, 0, 5],
        ] {
            assert!(!is_possible(false_account), "{false_account:?}");
        }
    }

    #[test]
    fn a_number_has_its_lower_half_first() {
        let mut datagram = [0; 64];
        number(&mut datagram, -90, Instant::now());
        assert_eq!((word(&datagram, 0).cast_signed(), word(&datagram, 3)), (-90, u32::MAX));
        number(&mut datagram, 1 << 33, Instant::now());
        assert_eq!((word(&datagram, 0), word(&datagram, 3)), (0, 2));
    }
}
