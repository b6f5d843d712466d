//! A control connection: whole messages in both directions, each within a deadline.

use super::NetError;
use super::noise;
use super::wire::{self, WireError};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::{Serialize, de::DeserializeOwned};
use snow::TransportState;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// The plain bytes of one frame at most, so that it fits a Noise message with its tag.
const FRAME_BYTES: usize = 16 * 1024;

/// Frames to messages and back, with or without a cipher. Sans I/O.
#[derive(Default)]
pub(crate) struct Link {
    cipher: Option<Box<TransportState>>,
    raw: Vec<u8>,
    plain: Vec<u8>,
    /// A frame came that only the peer of this very handshake could seal.
    proved: bool,
}

impl Link {
    /// Without a key.
    pub(crate) fn open() -> Self {
        Self::default()
    }

    /// Under a key.
    pub(crate) fn secure(cipher: TransportState) -> Self {
        Self { cipher: Some(Box::new(cipher)), ..Self::default() }
    }

    /// Takes bytes as they came.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.raw.extend_from_slice(bytes);
    }

    /// The next whole message, if it has come.
    pub(crate) fn next(&mut self, limit: usize) -> Result<Option<Vec<u8>>, WireError> {
        loop {
            if let Some(message) = wire::take_message(&mut self.plain, limit)? {
                return Ok(Some(message));
            }
            let Some(frame) = wire::take_frame(&mut self.raw)? else { return Ok(None) };
            match &mut self.cipher {
                Some(cipher) => {
                    self.plain.extend(noise::open(cipher, &frame)?);
                    self.proved = true;
                }
                None => self.plain.extend(frame),
            }
        }
    }

    /// The peer has shown that it is alive and knows the key: a handshake's first message can be a recorded one.
    pub(crate) fn proved(&self) -> bool {
        self.proved
    }

    /// A sealed frame of nothing, which proves the key before there is anything to ask.
    pub(crate) fn proof(&mut self) -> Result<Vec<u8>, WireError> {
        let Some(cipher) = &mut self.cipher else { return Ok(Vec::new()) };
        let body = noise::seal(cipher, &[])?;
        let length = u16::try_from(body.len()).map_err(|_| WireError::Empty)?;
        Ok([&length.to_be_bytes()[..], &body].concat())
    }

    /// A message as bytes for the socket.
    pub(crate) fn frames(&mut self, message: &impl Serialize) -> Result<Vec<u8>, WireError> {
        let message = wire::encode(message)?;
        let mut out = Vec::with_capacity(message.len() + message.len() / 64 + 64);
        for piece in message.chunks(FRAME_BYTES) {
            let body = match &mut self.cipher {
                Some(cipher) => noise::seal(cipher, piece)?,
                None => piece.to_vec(),
            };
            let length = u16::try_from(body.len()).map_err(|_| WireError::Empty)?;
            out.extend_from_slice(&length.to_be_bytes());
            out.extend_from_slice(&body);
        }
        Ok(out)
    }
}

/// So much is heard in one look, whatever the time: a message that has come whole, of most hosts.
const HEARD_BYTES: usize = 256 * 1024;

/// A control connection.
pub(crate) struct Channel {
    socket: TcpStream,
    link: Link,
    /// The longest message taken.
    limit: usize,
}

/// What came of waiting for a message.
pub(crate) enum Heard<T> {
    /// A message.
    Message(T),
    /// Nothing yet.
    Nothing,
    /// The peer is gone.
    Closed,
}

impl Channel {
    /// Over a connected socket, which becomes non-blocking: deadlines are kept by polling.
    pub(crate) fn new(socket: TcpStream, link: Link, limit: usize) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        Ok(Self { socket, link, limit })
    }

    /// Our end's address.
    pub(crate) fn local_address(&self) -> Option<SocketAddr> {
        self.socket.local_addr().ok()
    }

    /// Sends a message.
    pub(crate) fn send(
        &mut self,
        message: &impl Serialize,
        phase: &'static str,
        within: Duration,
    ) -> Result<(), NetError> {
        let bytes = self.link.frames(message).map_err(protocol)?;
        write_all(&self.socket, &bytes, phase, within)
    }

    /// Waits for a message.
    pub(crate) fn receive<T: DeserializeOwned>(
        &mut self,
        phase: &'static str,
        within: Duration,
    ) -> Result<T, NetError> {
        match self.wait(phase, within)? {
            Heard::Message(message) => Ok(message),
            Heard::Nothing => Err(NetError::Timeout { phase, seconds: within.as_secs_f64() }),
            Heard::Closed => Err(NetError::Lost { phase, reason: "the peer closed it".into() }),
        }
    }

    /// Waits for a message; that none came, or that the peer left, is an answer too.
    pub(crate) fn wait<T: DeserializeOwned>(
        &mut self,
        phase: &'static str,
        within: Duration,
    ) -> Result<Heard<T>, NetError> {
        let deadline = Instant::now() + within;
        let mut came = 0;
        loop {
            if let Some(message) = self.link.next(self.limit).map_err(protocol)? {
                return wire::decode(&message).map(Heard::Message).map_err(protocol);
            }
            // However fast a peer sends what is no message: frames of nothing have no end.
            if came >= HEARD_BYTES && Instant::now() >= deadline {
                return Ok(Heard::Nothing);
            }
            let mut buffer = [0; FRAME_BYTES];
            match (&self.socket).read(&mut buffer) {
                Ok(0) => return Ok(Heard::Closed),
                Ok(length) => {
                    self.link.push(&buffer[..length]);
                    came += length;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if !ready(&self.socket, PollFlags::IN, deadline) {
                        return Ok(Heard::Nothing);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if gone(&error) => return Ok(Heard::Closed),
                Err(error) => return Err(NetError::Lost { phase, reason: error.to_string() }),
            }
        }
    }
}

/// Writes all bytes to a non-blocking socket.
pub(crate) fn write_all(
    mut socket: &TcpStream,
    mut bytes: &[u8],
    phase: &'static str,
    within: Duration,
) -> Result<(), NetError> {
    let deadline = Instant::now() + within;
    while !bytes.is_empty() {
        match socket.write(bytes) {
            Ok(length) => bytes = &bytes[length..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if !ready(socket, PollFlags::OUT, deadline) {
                    return Err(NetError::Timeout { phase, seconds: within.as_secs_f64() });
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(NetError::Lost { phase, reason: error.to_string() }),
        }
    }
    Ok(())
}

/// Reads exactly this many bytes from a non-blocking socket.
pub(crate) fn read_exact(
    mut socket: &TcpStream,
    mut buffer: &mut [u8],
    phase: &'static str,
    within: Duration,
) -> Result<(), NetError> {
    let deadline = Instant::now() + within;
    while !buffer.is_empty() {
        match socket.read(buffer) {
            Ok(0) => return Err(NetError::Lost { phase, reason: "the peer closed it".into() }),
            Ok(length) => buffer = &mut buffer[length..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if !ready(socket, PollFlags::IN, deadline) {
                    return Err(NetError::Timeout { phase, seconds: within.as_secs_f64() });
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(NetError::Lost { phase, reason: error.to_string() }),
        }
    }
    Ok(())
}

/// Waits until a socket can be read or written; false when the deadline passed.
pub(crate) fn ready(socket: &TcpStream, flags: PollFlags, deadline: Instant) -> bool {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        let left = Timespec::try_from(left).unwrap_or(Timespec { tv_sec: 3600, tv_nsec: 0 });
        match poll(&mut [PollFd::new(socket, flags)], Some(&left)) {
            Ok(0) => return false,
            Ok(_) => return true,
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

/// The peer is gone, whichever way the kernel says it.
fn gone(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, TimedOut};
    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | TimedOut)
}

#[expect(clippy::needless_pass_by_value, reason = "it stands as a function in map_err")]
fn protocol(error: WireError) -> NetError {
    NetError::Protocol(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::wire::{REQUEST_LIMIT_BYTES, Reply, Request};
    use proptest::prelude::*;

    #[test]
    fn a_message_survives_being_cut_at_every_byte() {
        let bytes = Link::open().frames(&Reply::Refused("x".repeat(300))).unwrap();
        for cut in 0..bytes.len() {
            let mut link = Link::open();
            link.push(&bytes[..cut]);
            assert_eq!(link.next(1000).unwrap(), None, "cut at {cut}");
            link.push(&bytes[cut..]);
            let message = link.next(1000).unwrap().expect("the whole message");
            assert_eq!(wire::decode::<Reply>(&message).unwrap(), Reply::Refused("x".repeat(300)));
        }
    }

    #[test]
    fn a_message_longer_than_a_frame_is_joined() {
        let long = Reply::Refused("y".repeat(100_000));
        let mut link = Link::open();
        let bytes = link.frames(&long).unwrap();
        link.push(&bytes);
        let message = link.next(200_000).unwrap().expect("the whole message");
        assert_eq!(wire::decode::<Reply>(&message).unwrap(), long);
    }

    /// They hold nothing, and so no limit of a message is reached.
    #[test]
    fn sealed_frames_of_nothing_are_heard_no_longer_than_a_message_is_waited_for() {
        let key = noise::Key::derive("a key of this test");
        let (state, hello) = noise::initiate(&key, b"p").unwrap();
        let (far, answer) = noise::respond(&key, b"p", &hello).unwrap();
        let near = noise::conclude(state, &answer).unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let mut flood = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let mut channel = Channel::new(listener.accept().unwrap().0, Link::secure(near), 1000).unwrap();
        let flooding = std::thread::spawn(move || {
            let mut far = Link::secure(far);
            loop {
                let frames: Vec<u8> = (0..1000).flat_map(|_| far.proof().unwrap()).collect();
                if flood.write_all(&frames).is_err() {
                    break;
                }
            }
        });
        for _ in 0..3 {
            let heard = channel.wait::<Reply>("waiting", Duration::from_millis(20)).unwrap();
            assert!(matches!(heard, Heard::Nothing));
        }
        drop(channel);
        flooding.join().unwrap();
    }

    #[test]
    fn an_announced_length_beyond_the_limit_is_refused_before_anything_is_kept() {
        let mut link = Link::open();
        link.push(&[0, 4, 0xff, 0xff, 0xff, 0xff]);
        assert!(matches!(link.next(REQUEST_LIMIT_BYTES), Err(WireError::TooLong { .. })));
    }

    proptest! {
        #[test]
        fn any_bytes_give_messages_or_an_error_and_never_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let mut link = Link::open();
            link.push(&bytes);
            while let Ok(Some(message)) = link.next(REQUEST_LIMIT_BYTES) {
                let _ = wire::decode::<Request>(&message);
            }
        }
    }
}
