//! A server for real iperf 2 clients over TCP, and over UDP on the same port (`arrivals.rs`). Each connection is alone: it has its own thread, of
//! which there is a limited number, and a limit on its time and on its silence.

use super::arrivals::UdpServer;
use super::header::{Amount, CallBack, Direction, Header, PLAIN_START, Start, ack};
use crate::iperf::{
    Limits, Moved, Places, TICK, descriptors, guard, is_retry, payload, receive_tcp, send_tcp, slower, spawn,
};
use rustix::event::{PollFd, PollFlags, poll};
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A header is complete within this time.
const HEADER_WITHIN: Duration = Duration::from_secs(5);
/// After the server's end, the connections have this long to stop.
const STOP_WITHIN: Duration = Duration::from_secs(2);
/// Of the process's descriptors, what this port may use: one in this many.
const DESCRIPTORS_PART: usize = 8;
/// What is sent immediately to a client that asks for data: iperf's own default.
const BLOCK_BYTES: usize = 128 << 10;

/// What a server allows.
#[derive(Debug, Clone)]
pub struct Iperf2Limits {
    /// Parallel connections; a further one is closed. Fewer where few descriptors may be opened.
    pub connections: usize,
    /// Parallel connections from one address; 0: no limit.
    pub connections_per_address: usize,
    /// Rate of one connection, bytes per second; 0: no limit.
    pub rate_bytes_per_s: f64,
    /// Bytes of one connection; 0: no limit.
    pub bytes: u64,
    /// Longest connection.
    pub duration: Duration,
    /// Longest silence of a client that sends.
    pub idle: Duration,
}

impl Default for Iperf2Limits {
    fn default() -> Self {
        Self {
            connections: 128,
            connections_per_address: 64,
            rate_bytes_per_s: 0.0,
            bytes: 0,
            duration: Duration::from_secs(3600),
            idle: Duration::from_secs(30),
        }
    }
}

/// A bound server: it takes what clients send, and sends where `-R` or `--full-duplex` asks for it.
///
/// Dual tests (`-d`, `-r`) get their connection back, to the client's own address alone. Bounce-back has its own messages:
/// those connections are closed.
pub struct Iperf2Server {
    listener: TcpListener,
    datagrams: UdpSocket,
    shared: Arc<Shared>,
    log: Arc<dyn Fn(&str) + Send + Sync>,
}

#[derive(Debug)]
struct Shared {
    limits: Iperf2Limits,
    running: Arc<Places>,
    received: Moved,
    stop: Arc<AtomicBool>,
}

impl Iperf2Server {
    /// Binds TCP.
    pub fn bind(address: SocketAddr, limits: Iperf2Limits) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let datagrams = UdpSocket::bind(listener.local_addr()?)?;
        // Each may take two, and the port next to us must be able to serve while this one is flooded.
        let most = limits.connections.min(descriptors() / DESCRIPTORS_PART / 2).max(1);
        let running = Places::new(most, limits.connections_per_address);
        let shared = Shared { limits, running, received: Moved::default(), stop: Arc::default() };
        Ok(Self { listener, datagrams, shared: Arc::new(shared), log: Arc::new(|_| {}) })
    }

    /// Has each connection and each refusal reported, one line each.
    #[must_use]
    pub fn with_log(self, log: Arc<dyn Fn(&str) + Send + Sync>) -> Self {
        Self { log, ..self }
    }

    /// Where it listens.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Bytes received so far, headers included, as iperf counts them.
    pub fn received_bytes(&self) -> u64 {
        self.shared.received.bytes.load(Ordering::Relaxed)
    }

    /// Serves until the flag is raised.
    pub fn run(&self, stop: &AtomicBool) -> io::Result<()> {
        let shared = &self.shared;
        let datagrams = UdpServer {
            socket: self.datagrams.try_clone()?,
            clients: shared.limits.connections,
            clients_per_address: shared.limits.connections_per_address,
            duration: shared.limits.duration,
            running: Arc::clone(&shared.running),
            stop: Arc::clone(&shared.stop),
            log: Arc::clone(&self.log),
        };
        let datagrams = spawn("iperf2-udp", move || {
            if let Err(error) = datagrams.serve() {
                (datagrams.log)(&format!("no longer serving iperf 2 clients by UDP: {error}"));
            }
        })?;
        let outcome = self.accept(stop);
        self.shared.stop.store(true, Ordering::Relaxed);
        // A panic there has been reported on stderr.
        let _ = datagrams.join();
        outcome
    }

    fn accept(&self, stop: &AtomicBool) -> io::Result<()> {
        let tick = rustix::time::Timespec::try_from(TICK).map_err(io::Error::other)?;
        while !stop.load(Ordering::Relaxed) {
            match poll(&mut [PollFd::new(&self.listener, PollFlags::IN)], Some(&tick)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => continue,
                Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
            match self.listener.accept() {
                Ok((stream, peer)) => self.take(stream, peer.ip().to_canonical()),
                // Gone again.
                Err(error) if is_retry(&error) || error.kind() == io::ErrorKind::ConnectionAborted => {}
                // Out of descriptors: those that end give some back.
                Err(_) => std::thread::sleep(TICK),
            }
        }
        self.shared.stop.store(true, Ordering::Relaxed);
        let deadline = Instant::now() + STOP_WITHIN;
        while !self.shared.running.are_free() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    fn take(&self, stream: TcpStream, peer: IpAddr) {
        let Some(place) = self.shared.running.take(peer, 1) else {
            return (self.log)(&format!("{peer} refused: the limit of open iperf 2 connections is reached"));
        };
        let (shared, log) = (Arc::clone(&self.shared), Arc::clone(&self.log));
        let work = move || {
            let _place = place;
            let begun = Instant::now();
            let served = serve(&shared, stream);
            let seconds = begun.elapsed().as_secs_f64();
            // A connection that fails concerns its client alone.
            log(&match served {
                Ok(()) => format!("{peer} iperf 2 connection, {seconds:.1} s"),
                Err(error) => format!("{peer} iperf 2 connection ended early after {seconds:.1} s: {error}"),
            });
        };
        // Without a thread for it the connection is closed, and its place free again.
        let _ = spawn("iperf2-serve", work);
    }
}

fn serve(shared: &Shared, mut stream: TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(TICK))?;
    stream.set_write_timeout(Some(TICK))?;
    guard(&stream)?;
    let until = Instant::now() + shared.limits.duration;
    let limits = Limits {
        stop: Arc::clone(&shared.stop),
        until: Some(until),
        idle: Some(shared.limits.idle),
        allowance: (shared.limits.bytes > 0).then(|| Arc::new(AtomicU64::new(shared.limits.bytes))),
        most_rate: shared.limits.rate_bytes_per_s,
        ..Limits::default()
    };
    let Some(header) = read_header(shared, &mut stream, &limits)? else {
        receive_tcp(&stream, &limits, &shared.received);
        return Ok(());
    };
    if header.wants_ack {
        stream.write_all(&ack())?;
    }
    match header.direction {
        Direction::Forward if header.call_back.is_some() => dual(shared, &stream, &header, &limits)?,
        Direction::Forward => receive_tcp(&stream, &limits, &shared.received),
        Direction::Reverse => {
            send(stream.try_clone()?, &header, &limits);
            linger(&stream, &limits);
        }
        Direction::Duplex => {
            let (other, sending) = (stream.try_clone()?, limits.clone());
            let sender = spawn("iperf2-send", move || send(other, &header, &sending))?;
            receive_tcp(&stream, &limits, &shared.received);
            // A panic of the sender has nothing to add.
            let _ = sender.join();
        }
    }
    Ok(())
}

/// A test in both directions by two connections: the client's, and one back to where it listens.
fn dual(shared: &Shared, stream: &TcpStream, header: &Header, limits: &Limits) -> io::Result<()> {
    let Some(CallBack { port, now }) = header.call_back else { return Ok(()) };
    let client = SocketAddr::new(stream.peer_addr()?.ip(), port);
    let (header, sending) = (*header, limits.clone());
    let back = move || -> io::Result<()> {
        let back = TcpStream::connect_timeout(&client, HEADER_WITHIN)?;
        back.set_read_timeout(Some(TICK))?;
        back.set_write_timeout(Some(TICK))?;
        guard(&back)?;
        send(back.try_clone()?, &header, &sending);
        linger(&back, &sending);
        Ok(())
    };
    if !now {
        receive_tcp(stream, limits, &shared.received);
        return back();
    }
    let failed = Arc::new(Mutex::new(None));
    let told = Arc::clone(&failed);
    let sender = spawn("iperf2-back", move || {
        *told.lock().unwrap_or_else(PoisonError::into_inner) = back().err();
    })?;
    receive_tcp(stream, limits, &shared.received);
    // A panic of the sender has nothing to add.
    let _ = sender.join();
    let error = failed.lock().unwrap_or_else(PoisonError::into_inner).take();
    error.map_or(Ok(()), Err)
}

/// The header, or `None` where data begins immediately.
fn read_header(shared: &Shared, stream: &mut TcpStream, limits: &Limits) -> io::Result<Option<Header>> {
    let deadline = Instant::now() + HEADER_WITHIN;
    let mut first = [0; 4];
    read_by(stream, &mut first, deadline, limits)?;
    shared.received.bytes.fetch_add(4, Ordering::Relaxed);
    match Start::of(first) {
        Start::Plain => Ok(None),
        Start::Foreign => Err(io::ErrorKind::Unsupported.into()),
        Start::Header(length) => {
            let mut bytes = vec![0; length];
            bytes[..4].copy_from_slice(&first);
            read_by(stream, &mut bytes[4..], deadline, limits)?;
            shared.received.bytes.fetch_add(length as u64 - 4, Ordering::Relaxed);
            Ok(Some(Header::parse(&bytes)))
        }
    }
}

/// Fills the buffer before the deadline: one byte at a time does not buy more of it.
fn read_by(stream: &mut TcpStream, bytes: &mut [u8], deadline: Instant, limits: &Limits) -> io::Result<()> {
    let mut filled = 0;
    while filled < bytes.len() {
        if Instant::now() >= deadline || limits.stopped() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        match stream.read(&mut bytes[filled..]) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => filled += read,
            Err(error) if is_retry(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Sends what the client requested, within the server's own limit.
fn send(stream: TcpStream, header: &Header, limits: &Limits) {
    let mut limits = limits.clone();
    match header.amount {
        Amount::Centiseconds(time) => {
            let asked = Instant::now() + Duration::from_millis(10 * u64::from(time));
            limits.until = limits.until.map(|until| until.min(asked));
        }
        Amount::Bytes(bytes) => limits.budget = Some(Arc::new(AtomicU64::new(bytes.into()))),
    }
    // A place is kept no longer for one block than for a client that is silent.
    let least = limits.idle.map_or(0.0, |idle| BLOCK_BYTES as f64 / idle.as_secs_f64());
    let asked = f64::from(header.rate_bits_per_s) / 8.0;
    let rate = slower(if asked > 0.0 { asked.max(least) } else { asked }, limits.most_rate);
    let mut block = payload(BLOCK_BYTES);
    block[..PLAIN_START.len()].copy_from_slice(PLAIN_START);
    send_tcp(stream, &block, rate, &limits, &Moved::default());
}

/// Takes the client's own end, so that the close does not cut off what is still in progress to it.
fn linger(stream: &TcpStream, limits: &Limits) {
    receive_tcp(stream, limits, &Moved::default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// `iperf -c HOST -R -b 1`: a block of 128 KiB at a bit a second would keep one of the server's places for twelve days.
    #[test]
    fn a_rate_of_a_bit_a_second_keeps_no_place_of_a_reverse_test() {
        const BLOCKS: u32 = 3;
        let idle = Duration::from_millis(100);
        let limits = Limits { idle: Some(idle), ..Limits::default() };
        let header = Header {
            direction: Direction::Reverse,
            amount: Amount::Bytes(u32::try_from(BLOCKS as usize * BLOCK_BYTES).unwrap()),
            threads: 1,
            rate_bits_per_s: 1,
            wants_ack: false,
            call_back: None,
        };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        client.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let (server, _) = listener.accept().unwrap();
        let begun = Instant::now();
        std::thread::spawn(move || send(server, &header, &limits));
        let mut all = Vec::new();
        client.read_to_end(&mut all).expect("it ends by itself");
        assert_eq!(all.len(), BLOCKS as usize * BLOCK_BYTES);
        assert!(begun.elapsed() >= idle * (BLOCKS - 1), "it is slow as asked, as far as a place allows");
    }
}
