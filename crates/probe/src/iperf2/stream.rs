//! The connections of a test: each on its own, a thread for each direction.

use super::Iperf2Error;
use super::header::Header;
use crate::iperf::{Limits, Moved, TICK, receive_tcp, send_tcp, spawn};
use crate::net::{self, TcpInfo};
use crate::thread_time;
use fullwire_model::net::NetPlan;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

/// `TCP_CLOSE` of the kernel's `tcp_states.h`.
const CLOSED: u8 = 7;

/// A connection is made within this time.
const CONNECT: Duration = Duration::from_secs(10);

/// One direction of a connection, its own thread.
pub(super) struct Worker {
    pub(super) moved: Arc<Moved>,
    thread: JoinHandle<()>,
}

impl Worker {
    fn start(name: &str, work: impl FnOnce(&Moved) + Send + 'static) -> io::Result<Self> {
        let moved = Arc::new(Moved::default());
        let shared = Arc::clone(&moved);
        let thread = spawn(name, move || {
            work(&shared);
            shared.cpu_ns.store(thread_time::cpu_ns(), Ordering::Relaxed);
        })?;
        Ok(Self { moved, thread })
    }

    pub(super) fn bytes(&self) -> u64 {
        self.moved.bytes.load(Ordering::Relaxed)
    }
}

/// A connection of the test.
pub(super) struct Connection {
    pub(super) socket: TcpStream,
    /// What the kernel counts as acknowledged besides the data: the SYN, a header.
    acked_before: u64,
    pub(super) sender: Option<Worker>,
    receiver: Option<Worker>,
}

impl Connection {
    pub(super) fn open(address: SocketAddr, plan: &NetPlan) -> Result<Self, Iperf2Error> {
        let socket = net::dial(address, CONNECT, |socket| {
            net::leave_from(socket, address, &plan.source)?;
            net::apply(socket, address.ip(), plan)
        })
        .map_err(Iperf2Error::of_socket)?;
        let blocking = |socket: &TcpStream| {
            socket.set_nonblocking(false)?;
            socket.set_read_timeout(Some(TICK))?;
            socket.set_write_timeout(Some(TICK))
        };
        blocking(&socket).map_err(Iperf2Error::stream("opening a connection"))?;
        let acked_before = acked(&socket).unwrap_or(0);
        Ok(Self { socket, acked_before, sender: None, receiver: None })
    }

    /// Asks the server to send.
    pub(super) fn ask(&mut self, header: &Header) -> io::Result<()> {
        let bytes = header.encode();
        self.acked_before += bytes.len() as u64;
        (&self.socket).write_all(&bytes)
    }

    pub(super) fn send(&mut self, block: Arc<Vec<u8>>, rate: f64, limits: Limits) -> io::Result<()> {
        let socket = self.socket.try_clone()?;
        self.sender = Some(Worker::start("iperf2-send", move |moved| {
            send_tcp(socket, &block, rate, &limits, moved);
        })?);
        Ok(())
    }

    pub(super) fn receive(&mut self, limits: Limits) -> io::Result<()> {
        let socket = self.socket.try_clone()?;
        self.receiver = Some(Worker::start("iperf2-receive", move |moved| {
            receive_tcp(&socket, &limits, moved);
        })?);
        Ok(())
    }

    /// Bytes that the server's kernel has; written ones where the kernel is too old to tell (before 4.1).
    pub(super) fn arrived(&self) -> u64 {
        let Some(sender) = &self.sender else { return 0 };
        let acked = acked(&self.socket);
        // The FIN is acknowledged like a byte.
        acked.map_or(sender.bytes(), |acked| acked.saturating_sub(self.acked_before).min(sender.bytes()))
    }

    /// Bytes that our kernel took.
    pub(super) fn written(&self) -> u64 {
        self.sender.as_ref().map_or(0, Worker::bytes)
    }

    pub(super) fn received(&self) -> u64 {
        self.receiver.as_ref().map_or(0, Worker::bytes)
    }

    pub(super) fn workers(&self) -> impl Iterator<Item = &Worker> {
        self.sender.iter().chain(&self.receiver)
    }

    pub(super) fn is_finished(&self) -> bool {
        self.workers().all(|worker| worker.thread.is_finished())
    }

    /// Nothing more will move: all that was written has arrived, or the server has broken the connection off.
    pub(super) fn is_settled(&self) -> bool {
        let is_closed = || TcpInfo::of(&self.socket).is_ok_and(|info| info.state == CLOSED);
        let arrived = || self.sender.as_ref().is_none_or(|sender| self.arrived() >= sender.bytes());
        self.is_finished() && (arrived() || is_closed())
    }

    /// Waits for the threads and gives their CPU, ns.
    pub(super) fn join(self) -> u64 {
        let one = |worker: Worker| {
            // A panic of the worker has nothing to add to what it counted.
            let _ = worker.thread.join();
            worker.moved.cpu_ns.load(Ordering::Relaxed)
        };
        self.sender.into_iter().chain(self.receiver).map(one).sum()
    }
}

fn acked(socket: &TcpStream) -> Option<u64> {
    TcpInfo::of(socket).ok()?.bytes_acked
}
