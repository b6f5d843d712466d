//! Data streams: bytes over TCP without any framing, numbered datagrams over UDP. A thread each.

use super::wire::{Params, StreamResult, stream_id};
use crate::iperf::{Limits, Moved, TICK, hold_back, is_retry, payload, receive_tcp, send_tcp, slower, spawn};
use crate::net::TcpInfo;
use crate::thread_time;
use std::io;
use std::net::{TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// After the end, data may drain for this long.
pub(super) const DRAIN: Duration = Duration::from_secs(3);

/// A running stream.
pub(super) struct Stream {
    pub(super) moved: Arc<Moved>,
    pub(super) sends: bool,
    pub(super) socket: Socket,
    thread: JoinHandle<()>,
}

/// Either kind of data socket.
pub(super) enum Socket {
    Tcp(TcpStream),
    Udp(UdpSocket),
}

/// What a stream has counted until now.
pub(super) fn counted(
    index: usize,
    (moved, sends, socket): &(Arc<Moved>, bool, Socket),
    end_s: f64,
) -> StreamResult {
    StreamResult {
        id: stream_id(index),
        bytes: moved.bytes.load(Ordering::Relaxed),
        retransmits: match socket {
            Socket::Tcp(socket) if *sends => {
                TcpInfo::of(socket).ok().map(|info| u64::from(info.total_retrans))
            }
            _ => None,
        },
        jitter_s: moved.jitter_ns.load(Ordering::Relaxed) as f64 / 1e9,
        errors: moved.errors.load(Ordering::Relaxed),
        packets: moved.packets.load(Ordering::Relaxed),
        end_s,
    }
}

impl Stream {
    /// Starts moving data over a TCP connection, at the rate that was requested and at most is allowed.
    pub(super) fn tcp(socket: TcpStream, sends: bool, params: &Params, limits: Limits) -> io::Result<Self> {
        socket.set_read_timeout(Some(TICK))?;
        socket.set_write_timeout(Some(TICK))?;
        let moved = Arc::new(Moved::default());
        let (worker, shared) = (socket.try_clone()?, Arc::clone(&moved));
        let block = usize::try_from(params.block_bytes).unwrap_or(1 << 17);
        let rate = slower(params.rate_bits_per_s as f64 / 8.0, limits.most_rate);
        let thread = spawn("iperf3-tcp", move || {
            if sends {
                send_tcp(worker, &payload(block), rate, &limits, &shared);
            } else {
                receive_tcp(&worker, &limits, &shared);
            }
            shared.cpu_ns.store(thread_time::cpu_ns(), Ordering::Relaxed);
        })?;
        Ok(Self { moved, sends, socket: Socket::Tcp(socket), thread })
    }

    /// Starts moving datagrams over a connected socket.
    pub(super) fn udp(socket: UdpSocket, sends: bool, params: &Params, limits: Limits) -> io::Result<Self> {
        socket.set_read_timeout(Some(TICK))?;
        let moved = Arc::new(Moved::default());
        let (worker, shared) = (socket.try_clone()?, Arc::clone(&moved));
        let params = params.clone();
        let thread = spawn("iperf3-udp", move || {
            if sends {
                send_udp(&worker, &params, &limits, &shared);
            } else {
                receive_udp(&worker, &params, &limits, &shared);
            }
            shared.cpu_ns.store(thread_time::cpu_ns(), Ordering::Relaxed);
        })?;
        Ok(Self { moved, sends, socket: Socket::Udp(socket), thread })
    }

    pub(super) fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Ends all of them; one that still drains has a while for that, and no longer, whatever the other end sends. The sockets stay
    /// open for the caller's last look.
    pub(super) fn end_all(streams: Vec<Self>) -> Vec<(Arc<Moved>, bool, Socket)> {
        let deadline = Instant::now() + DRAIN;
        while streams.iter().any(|stream| !stream.is_finished()) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        let end = |stream: Self| {
            if let Socket::Tcp(socket) = &stream.socket {
                let _ = socket.shutdown(std::net::Shutdown::Both);
            }
            // A panic of the worker has nothing to add to what it counted.
            let _ = stream.thread.join();
            (stream.moved, stream.sends, stream.socket)
        };
        streams.into_iter().map(end).collect()
    }
}

fn send_udp(socket: &UdpSocket, params: &Params, limits: &Limits, moved: &Moved) {
    let length = usize::try_from(params.block_bytes).unwrap_or(1448);
    let mut datagram = payload(length);
    let rate = slower(params.rate_bits_per_s as f64 / 8.0, limits.most_rate);
    let started = Instant::now();
    let mut number = 0_u64;
    while !limits.stopped() && limits.take(params.block_bytes) {
        number += 1;
        write_header(&mut datagram, monotonic(), number, params.counters_64bit);
        match socket.send(&datagram) {
            Ok(sent) => {
                moved.bytes.fetch_add(sent as u64, Ordering::Relaxed);
                moved.packets.store(number, Ordering::Relaxed);
            }
            // No room in the queue, or an ICMP answer to an earlier datagram: this one is lost.
            Err(error) if is_retry(&error) || error.kind() == io::ErrorKind::ConnectionRefused => {}
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::NOBUFS.raw_os_error()) => {}
            Err(_) => return,
        }
        hold_back(started, number * params.block_bytes, rate, || limits.stopped());
    }
}

fn receive_udp(socket: &UdpSocket, params: &Params, limits: &Limits, moved: &Moved) {
    let mut buffer = vec![0_u8; 65_536];
    let mut order = Arrivals::default();
    let (started, mut all) = (Instant::now(), 0);
    while !limits.stopped() {
        match socket.recv(&mut buffer) {
            Ok(length) => {
                all += length as u64;
                if !limits.allow(length as u64) {
                    return;
                }
                // Beyond the rate the kernel drops what comes, and the client counts it as lost.
                if !hold_back(started, all, limits.most_rate, || limits.stopped()) {
                    return;
                }
                if let Some((sent, number)) = read_header(&buffer[..length], params.counters_64bit) {
                    moved.bytes.fetch_add(length as u64, Ordering::Relaxed);
                    order.arrived(sent, monotonic(), number);
                    order.publish(moved);
                }
            }
            Err(error) if is_retry(&error) || error.kind() == io::ErrorKind::ConnectionRefused => {}
            Err(_) => return,
        }
    }
}

/// Loss, order and jitter of numbered datagrams, as iperf3 counts them.
#[derive(Debug, Default)]
struct Arrivals {
    highest: u64,
    errors: u64,
    out_of_order: u64,
    jitter_ns: f64,
    last_transit_ns: Option<f64>,
}

impl Arrivals {
    fn arrived(&mut self, sent: Duration, now: Duration, number: u64) {
        if number > self.highest {
            self.errors += number - self.highest - 1;
            self.highest = number;
        } else {
            self.out_of_order += 1;
            self.errors = self.errors.saturating_sub(1);
        }
        // RFC 3550 section 6.4.1; the clocks' difference cancels out.
        let transit_ns = now.as_nanos() as f64 - sent.as_nanos() as f64;
        if let Some(last) = self.last_transit_ns {
            self.jitter_ns += ((transit_ns - last).abs() - self.jitter_ns) / 16.0;
        }
        self.last_transit_ns = Some(transit_ns);
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a jitter is a small positive number"
    )]
    fn publish(&self, moved: &Moved) {
        moved.packets.store(self.highest, Ordering::Relaxed);
        moved.errors.store(self.errors, Ordering::Relaxed);
        moved.out_of_order.store(self.out_of_order, Ordering::Relaxed);
        moved.jitter_ns.store(self.jitter_ns as u64, Ordering::Relaxed);
    }
}

fn monotonic() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Seconds, microseconds, number; all big-endian.
fn write_header(datagram: &mut [u8], now: Duration, number: u64, wide: bool) {
    let seconds = u32::try_from(now.as_secs() & 0xffff_ffff).unwrap_or(0);
    datagram[0..4].copy_from_slice(&seconds.to_be_bytes());
    datagram[4..8].copy_from_slice(&now.subsec_micros().to_be_bytes());
    if wide {
        datagram[8..16].copy_from_slice(&number.to_be_bytes());
    } else {
        datagram[8..12].copy_from_slice(&u32::try_from(number & 0xffff_ffff).unwrap_or(0).to_be_bytes());
    }
}

fn read_header(datagram: &[u8], wide: bool) -> Option<(Duration, u64)> {
    let word = |at: usize| Some(u32::from_be_bytes(*datagram.get(at..at + 4)?.first_chunk()?));
    let sent = Duration::from_secs(u64::from(word(0)?)) + Duration::from_micros(u64::from(word(4)?));
    let number = if wide { u64::from(word(8)?) << 32 | u64::from(word(12)?) } else { u64::from(word(8)?) };
    Some((sent, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_both_widths_come_back() {
        let mut datagram = [0_u8; 16];
        for (wide, number) in [(false, 7), (true, u64::from(u32::MAX) + 9)] {
            write_header(&mut datagram, Duration::new(5, 7_000), number, wide);
            assert_eq!(read_header(&datagram, wide), Some((Duration::new(5, 7_000), number)));
        }
        assert_eq!(read_header(&[0; 11], false), None);
    }

    #[test]
    fn a_gap_is_loss_until_the_late_one_comes() {
        let mut order = Arrivals::default();
        for number in [1, 2, 5, 3] {
            order.arrived(Duration::ZERO, Duration::ZERO, number);
        }
        assert_eq!((order.highest, order.errors, order.out_of_order), (5, 1, 1));
    }
}
