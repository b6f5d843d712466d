//! iperf 2 over UDP: numbered datagrams one way, ended by negative numbers until the server answers with its account.
//!
//! A datagram begins with four words (number, seconds, microseconds, upper half of the number) and the client's test header.
//! The server's answer has the four words again and then its account: flags, bytes (two words), seconds, microseconds, lost,
//! out of order, datagrams, jitter (seconds, microseconds).

use super::Iperf2Error;
use super::header::{Amount, Direction, Header};
use super::plan::Test;
use crate::iperf::{Slice, TICK, hold_back, is_retry, payload};
use crate::net::{NetError, leave_from};
use fullwire_model::net::{CpuUse, NetInterval, NetPath, NetPlan, NetResult, UdpSummary};
use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Words before the test header, and before the server's account.
const PREFIX_BYTES: usize = 16;
/// Words of a server's account.
const ACCOUNT_BYTES: usize = 40;
/// Smaller requests get no answer: it would be longer than they are.
const ANSWERABLE_BYTES: usize = PREFIX_BYTES + ACCOUNT_BYTES;
/// iperf's own length of a datagram, and its rate.
const DEFAULT_BYTES: u64 = 1470;
const DEFAULT_RATE_BYTES_PER_S: f64 = 1_048_576.0 / 8.0;
const LARGEST_BYTES: u64 = 65_507;
/// Set in the first word of a server's account.
const HAS_ACCOUNT: u32 = 0x8000_0000;
/// A client that was silent this long is forgotten.
const FORGOTTEN: Duration = Duration::from_secs(15);
/// The end is said this often, with this long for each answer.
const FAREWELLS: u32 = 20;
const ANSWER: Duration = Duration::from_millis(250);

fn word(bytes: &[u8], index: usize) -> u32 {
    let octets = bytes.get(4 * index..4 * index + 4).and_then(<[u8]>::first_chunk);
    octets.map_or(0, |octets| u32::from_be_bytes(*octets))
}

fn put(bytes: &mut [u8], index: usize, word: u32) {
    if let Some(place) = bytes.get_mut(4 * index..4 * index + 4) {
        place.copy_from_slice(&word.to_be_bytes());
    }
}

/// What came of one client.
struct Arrived {
    first: Instant,
    last: Instant,
    bytes: u64,
    count: u64,
    highest: i64,
    /// The first datagram had the number 0.
    from_zero: bool,
    out_of_order: u64,
    transit_s: Option<f64>,
    jitter_s: f64,
    /// The end was said.
    over: bool,
}

impl Arrived {
    fn new(now: Instant) -> Self {
        Self {
            first: now,
            last: now,
            bytes: 0,
            count: 0,
            highest: -1,
            from_zero: false,
            out_of_order: 0,
            transit_s: None,
            jitter_s: 0.0,
            over: false,
        }
    }

    fn take(&mut self, now: Instant, number: i64, sent_s: f64, bytes: usize) {
        self.last = now;
        self.bytes += bytes as u64;
        self.count += 1;
        if number < self.highest {
            self.out_of_order += 1;
        }
        self.highest = self.highest.max(number);
        self.from_zero |= number == 0;
        let transit = now.saturating_duration_since(self.first).as_secs_f64() - sent_s;
        if let Some(before) = self.transit_s.replace(transit) {
            self.jitter_s += ((transit - before).abs() - self.jitter_s) / 16.0;
        }
    }

    fn lost(&self) -> u64 {
        // Versions before 2.1 count from 0, later ones from 1.
        let sent = self.highest + i64::from(self.from_zero);
        u64::try_from(sent).unwrap_or(0).saturating_sub(self.count)
    }

    fn seconds(&self) -> f64 {
        self.last.saturating_duration_since(self.first).as_secs_f64()
    }

    /// The account, behind the four words of the datagram that asks for it, and as long as that datagram.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "times are positive, counts saturate"
    )]
    fn answer(&self, asked: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; asked.len()];
        bytes[..PREFIX_BYTES].copy_from_slice(&asked[..PREFIX_BYTES]);
        let parts = |seconds: f64| [seconds as u32, (seconds.fract() * 1e6) as u32];
        let short = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        let ([seconds, micros], [jitter, jitter_micros]) = (parts(self.seconds()), parts(self.jitter_s));
        let words = [
            HAS_ACCOUNT,
            (self.bytes >> 32) as u32,
            self.bytes as u32,
            seconds,
            micros,
            short(self.lost()),
            short(self.out_of_order),
            short(u64::try_from(self.highest + 1).unwrap_or(0)),
            jitter,
            jitter_micros,
        ];
        for (index, word) in words.into_iter().enumerate() {
            put(&mut bytes, PREFIX_BYTES / 4 + index, word);
        }
        bytes
    }
}

/// Limits of the UDP side of a server.
#[derive(Debug, Clone, Copy)]
pub(super) struct UdpLimits {
    pub(super) clients: usize,
    pub(super) clients_per_address: usize,
    pub(super) duration: Duration,
}

/// Counts what clients send, and answers each that says that it has ended. It sends no more than it is sent.
pub(super) fn serve(
    socket: &UdpSocket,
    limits: UdpLimits,
    stop: &AtomicBool,
    log: &(dyn Fn(&str) + Send + Sync),
) -> io::Result<()> {
    socket.set_read_timeout(Some(TICK))?;
    let mut clients: HashMap<SocketAddr, Arrived> = HashMap::new();
    let mut buffer = vec![0; 65_536];
    let mut looked = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        let now = Instant::now();
        if now.saturating_duration_since(looked) > Duration::from_secs(1) {
            clients.retain(|_, one| one.last.elapsed() < FORGOTTEN);
            looked = now;
        }
        let (length, peer) = match socket.recv_from(&mut buffer) {
            Ok(received) => received,
            Err(error) if is_retry(&error) || error.kind() == io::ErrorKind::ConnectionRefused => continue,
            Err(error) => return Err(error),
        };
        if length < PREFIX_BYTES {
            continue;
        }
        let now = Instant::now();
        let number = i64::from(word(&buffer, 0).cast_signed());
        if !clients.contains_key(&peer) {
            if number < 0 || !has_room(&clients, peer.ip(), limits) {
                continue;
            }
            clients.insert(peer, Arrived::new(now));
        }
        let Some(one) = clients.get_mut(&peer) else { continue };
        if number >= 0 && !one.over && one.first.elapsed() < limits.duration {
            let sent_s = f64::from(word(&buffer, 1)) + f64::from(word(&buffer, 2)) / 1e6;
            one.take(now, number, sent_s, length);
        } else if number < 0 {
            if !one.over {
                one.over = true;
                let (count, lost) = (one.count, one.lost());
                let place = peer.ip().to_canonical();
                log(&format!("{place} iperf 2 UDP test: {count} datagrams received, {lost} lost"));
            }
            if length >= ANSWERABLE_BYTES {
                // Lost or refused: the client asks again.
                let _ = socket.send_to(&one.answer(&buffer[..length]), peer);
            }
        }
    }
    Ok(())
}

fn has_room(clients: &HashMap<SocketAddr, Arrived>, address: IpAddr, limits: UdpLimits) -> bool {
    let own = clients.keys().filter(|known| known.ip() == address).count();
    clients.len() < limits.clients && (limits.clients_per_address == 0 || own < limits.clients_per_address)
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
    let address = super::addresses(&plan.target)?[0];
    let any: SocketAddr = if address.is_ipv4() { ([0; 4], 0).into() } else { ([0_u16; 8], 0).into() };
    let socket = open(plan, address, any)?;
    socket.connect(address).map_err(failed("opening a UDP socket"))?;
    let sent =
        Sender { socket: &socket, test: &test }.send(stop, tick).map_err(failed("sending datagrams"))?;
    let answer = account(&socket, &sent, stop).map_err(failed("asking for the account"))?;
    let Some(answer) = answer else {
        return Err(if stop.load(Ordering::Relaxed) {
            Iperf2Error::Interrupted
        } else {
            Iperf2Error::NoAccount(address.to_string())
        });
    };
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

struct Sender<'a> {
    socket: &'a UdpSocket,
    test: &'a Test<'a>,
}

/// What was sent.
struct Sent {
    started: Instant,
    count: u64,
    length: usize,
    seconds: f64,
    intervals: Vec<NetInterval>,
}

impl Sender<'_> {
    fn send(&self, stop: &AtomicBool, tick: &mut impl FnMut(&NetInterval)) -> io::Result<Sent> {
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
        let limits = crate::iperf::Limits::default();
        let mut slice = Slice::starting(Duration::from_nanos(plan.interval_ns.max(100_000_000)));
        loop {
            let elapsed = started.elapsed();
            if slice.is_over(elapsed) {
                let measured = slice.close(elapsed, count * length as u64, &[]);
                tick(&measured);
                intervals.push(measured);
            }
            let over = self.test.limit.is_some_and(|limit| elapsed >= limit);
            let spent = plan.duration_bytes > 0 && count * length as u64 >= plan.duration_bytes;
            if over || spent || stop.load(Ordering::Relaxed) {
                return Ok(Sent { started, count, length, seconds: elapsed.as_secs_f64(), intervals });
            }
            number(&mut datagram, i64::try_from(count).unwrap_or(i64::MAX), started);
            match self.socket.send(&datagram) {
                Ok(_) => count += 1,
                Err(error) if is_retry(&error) || error.kind() == io::ErrorKind::ConnectionRefused => {}
                Err(error) => return Err(error),
            }
            hold_back(started, count * length as u64, rate, &limits);
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
fn account(socket: &UdpSocket, sent: &Sent, stop: &AtomicBool) -> io::Result<Option<Vec<u8>>> {
    socket.set_read_timeout(Some(ANSWER))?;
    let mut datagram = vec![0; sent.length];
    let mut answer = vec![0; 65_536];
    for _ in 0..FAREWELLS {
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

fn result(
    plan: &NetPlan,
    address: SocketAddr,
    local: Option<SocketAddr>,
    sent: Sent,
    answer: &[u8],
) -> NetResult {
    let of = |index: usize| word(answer, PREFIX_BYTES / 4 + index);
    let seconds = |index: usize| f64::from(of(index)) + f64::from(of(index + 1)) / 1e6;
    let bytes = u64::from(of(1)) << 32 | u64::from(of(2));
    let duration_s = seconds(3).max(1e-9);
    let jitter = Duration::try_from_secs_f64(seconds(8)).unwrap_or_default();
    NetResult {
        target: plan.target.clone(),
        mode: plan.mode,
        streams: 1,
        payload_bytes: sent.length as u64,
        duration_s,
        bytes,
        messages: sent.count,
        throughput_bytes_per_s: bytes as f64 / duration_s,
        intervals: sent.intervals,
        udp: Some(UdpSummary {
            sent: sent.count,
            lost: u64::from(of(5)),
            reordered: u64::from(of(6)),
            jitter_ns: u64::try_from(jitter.as_nanos()).ok(),
            sent_bytes_per_s: (sent.count * sent.length as u64) as f64 / sent.seconds.max(1e-9),
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
    fn a_gap_in_the_numbers_is_loss_and_a_late_one_is_out_of_order() {
        let now = Instant::now();
        let mut arrived = Arrived::new(now);
        for number in [0, 1, 3, 2, 6] {
            arrived.take(now, number, 0.0, 100);
        }
        assert_eq!((arrived.count, arrived.lost(), arrived.out_of_order), (5, 2, 1));
        let answer = arrived.answer(&[7; 100]);
        assert_eq!((answer.len(), &answer[..PREFIX_BYTES]), (100, &[7; PREFIX_BYTES][..]));
        let of = |index: usize| word(&answer, PREFIX_BYTES / 4 + index);
        assert_eq!([of(0), of(2), of(5), of(6), of(7)], [HAS_ACCOUNT, 500, 2, 1, 7]);
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
