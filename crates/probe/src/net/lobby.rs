//! Where connections wait until they have shown what they are. One thread, one epoll set, no blocking call
//! but the wait itself: a silent, slow, wrong or hostile peer costs a slot in a table until its deadline.

use super::channel::Link;
use super::noise::{self, Key};
use super::payload;
use super::wire::{
    self, Kind, PREAMBLE_BYTES, Preamble, REQUEST_LIMIT_BYTES, TOKEN_BYTES, Token, VERSION, Verdict,
};
use rustix::event::{Timespec, epoll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use std::collections::{HashMap, VecDeque};
use std::io::{self, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

/// For the preamble, the token, the handshake and the proof of the key.
const PROVE_WITHIN: Duration = Duration::from_secs(5);

/// For the first request after that.
const ASK_WITHIN: Duration = Duration::from_secs(60);

/// How often deadlines and the stop flag are looked at.
const TICK: Duration = Duration::from_millis(100);

/// Events taken at the same time.
const EVENTS: usize = 64;

/// The listener's key in the epoll set; guests count from 1.
const LISTENER: u64 = 0;

/// Connections accepted before guests are served again.
const ACCEPT_BATCH: usize = 64;

/// A client's first handshake message is this long at most.
const HELLO_BYTES: usize = 128;

/// Tokens that are waited for, and where their connections go.
#[derive(Clone, Default)]
pub(crate) struct Tokens(Arc<Mutex<HashMap<Token, Claim>>>);

struct Claim {
    lane: usize,
    deliver: mpsc::Sender<(usize, TcpStream)>,
}

impl Tokens {
    /// New tokens, one for each lane, and where their connections will arrive.
    pub(crate) fn issue(&self, lanes: usize) -> Result<Issued, super::NetError> {
        let (deliver, arrivals) = mpsc::channel();
        let mut tokens = Vec::with_capacity(lanes);
        for lane in 0..lanes {
            let mut token = [0; TOKEN_BYTES];
            payload::random(&mut token)?;
            self.lock().insert(token, Claim { lane, deliver: deliver.clone() });
            tokens.push(token);
        }
        Ok(Issued { registry: self.clone(), tokens, arrivals })
    }

    /// Hands a connection over; a token is good once.
    fn redeem(&self, token: &Token, socket: TcpStream) {
        let claim = self.lock().remove(token);
        if let Some(claim) = claim {
            // The session may have given up meanwhile: then the connection closes here.
            let _ = claim.deliver.send((claim.lane, socket));
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Token, Claim>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tokens of one test; those not used are void when it is dropped.
pub(crate) struct Issued {
    registry: Tokens,
    pub(crate) tokens: Vec<Token>,
    pub(crate) arrivals: mpsc::Receiver<(usize, TcpStream)>,
}

impl Drop for Issued {
    fn drop(&mut self) {
        let mut registry = self.registry.lock();
        for token in &self.tokens {
            registry.remove(token);
        }
    }
}

/// A guest that has proved itself and requested something.
pub(crate) struct Caller {
    pub(crate) socket: TcpStream,
    pub(crate) link: Link,
    /// Its first message.
    pub(crate) message: Vec<u8>,
}

impl Caller {
    /// Its address.
    pub(crate) fn name(&self) -> String {
        name_of(&self.socket)
    }
}

/// Whoever begins with other words. Most often that is an iperf that was given this port.
fn foreign(socket: &TcpStream, log: &Log) -> Fate {
    log(&format!(
        "{} refused: it does not speak fullwire's protocol; iperf's clients have ports of their own (--iperf3-port, --iperf2-port)",
        name_of(socket)
    ));
    Fate::Leaves
}

fn name_of(socket: &TcpStream) -> String {
    socket.peer_addr().map_or_else(|_| "a client".to_owned(), shown)
}

/// An IPv4 address as one, also where the listener speaks IPv6.
pub(crate) fn shown(address: SocketAddr) -> String {
    SocketAddr::new(address.ip().to_canonical(), address.port()).to_string()
}

/// Why a guest may not go on; `None`: it may.
fn refusal(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Version => Some("it uses another version of the protocol"),
        Verdict::KeyRequired => Some("it gave no key"),
        Verdict::KeyUnexpected => Some("it gave a key although none is needed"),
        _ => None,
    }
}

struct Guest {
    socket: TcpStream,
    deadline: Instant,
    state: State,
}

/// What a guest has shown so far.
enum State {
    Opening { bytes: [u8; PREAMBLE_BYTES], filled: usize },
    Token { bytes: [u8; TOKEN_BYTES], filled: usize },
    Handshake { prologue: [u8; PREAMBLE_BYTES], raw: Vec<u8> },
    Known(Box<Link>),
}

/// What becomes of a guest after its bytes have been looked at.
enum Fate {
    Stays,
    Leaves,
    Lane(Token),
    Calls(Vec<u8>),
}

/// The table of guests.
pub(crate) struct Lobby {
    listener: TcpListener,
    poller: OwnedFd,
    key: Option<Key>,
    tokens: Tokens,
    guests: HashMap<u64, Guest>,
    /// In the order of arrival; some have left.
    arrivals: VecDeque<u64>,
    next: u64,
    room: usize,
    swept: Instant,
    log: Log,
}

/// Told of each guest that is refused.
type Log = Arc<dyn Fn(&str) + Send + Sync>;

impl Lobby {
    /// For a bound listener.
    pub(crate) fn new(
        listener: TcpListener,
        key: Option<Key>,
        tokens: Tokens,
        room: usize,
        log: Log,
    ) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let poller = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        epoll::add(&poller, &listener, epoll::EventData::new_u64(LISTENER), epoll::EventFlags::IN)?;
        Ok(Self {
            listener,
            poller,
            key,
            tokens,
            guests: HashMap::new(),
            arrivals: VecDeque::new(),
            next: LISTENER + 1,
            room,
            swept: Instant::now(),
            log,
        })
    }

    /// Serves guests for one tick at most; gives those that call to `admit`.
    pub(crate) fn turn(&mut self, admit: &mut dyn FnMut(Caller)) {
        let mut events = [MaybeUninit::<epoll::Event>::uninit(); EVENTS];
        let timeout = Timespec { tv_sec: 0, tv_nsec: TICK.subsec_nanos().into() };
        let ready: Vec<u64> = match epoll::wait(&self.poller, &mut events[..], Some(&timeout)) {
            Ok((ready, _)) => ready.iter().map(|event| event.data.u64()).collect(),
            Err(_) => Vec::new(),
        };
        for id in ready {
            if id == LISTENER { self.accept() } else { self.serve(id, admit) }
        }
        self.sweep();
    }

    fn accept(&mut self) {
        for _ in 0..ACCEPT_BATCH {
            match self.listener.accept() {
                Ok((socket, _)) => self.seat(socket),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if out_of_descriptors(&error) => {
                    if !self.evict() {
                        // Others hold all descriptors; asking again at once would burn a CPU.
                        std::thread::sleep(Duration::from_millis(10));
                        return;
                    }
                }
                // The guest left before it was accepted.
                Err(_) => {}
            }
        }
    }

    fn seat(&mut self, socket: TcpStream) {
        if self.guests.len() >= self.room {
            self.evict();
        }
        let id = self.next;
        self.next += 1;
        let registered = socket.set_nonblocking(true).is_ok()
            && epoll::add(&self.poller, &socket, epoll::EventData::new_u64(id), epoll::EventFlags::IN)
                .is_ok();
        if registered {
            let state = State::Opening { bytes: [0; PREAMBLE_BYTES], filled: 0 };
            self.guests.insert(id, Guest { socket, deadline: Instant::now() + PROVE_WITHIN, state });
            self.arrivals.push_back(id);
        }
    }

    /// Makes room: the guest that has waited longest without proving itself goes; if all have, the oldest. Without a key
    /// no one can prove anything, and the oldest goes.
    fn evict(&mut self) -> bool {
        let guests = &self.guests;
        self.arrivals.retain(|id| guests.contains_key(id));
        let stranger = self.arrivals.iter().position(|id| !guests[id].proved());
        let Some(id) = self.arrivals.remove(stranger.unwrap_or(0)) else { return false };
        self.guests.remove(&id);
        true
    }

    fn serve(&mut self, id: u64, admit: &mut dyn FnMut(Caller)) {
        let Some(guest) = self.guests.get_mut(&id) else { return };
        match guest.advance(self.key.as_ref(), &self.log) {
            Fate::Stays => {}
            Fate::Leaves => {
                self.guests.remove(&id);
            }
            Fate::Lane(token) => {
                if let Some(socket) = self.release(id).map(|guest| guest.socket)
                    && socket.set_nonblocking(false).is_ok()
                {
                    self.tokens.redeem(&token, socket);
                }
            }
            Fate::Calls(message) => {
                if let Some(Guest { socket, state: State::Known(link), .. }) = self.release(id) {
                    admit(Caller { socket, link: *link, message });
                }
            }
        }
    }

    /// Takes a guest out of the table while its socket lives on.
    fn release(&mut self, id: u64) -> Option<Guest> {
        let guest = self.guests.remove(&id)?;
        epoll::delete(&self.poller, &guest.socket).ok()?;
        Some(guest)
    }

    /// Shows out those whose time is over.
    fn sweep(&mut self) {
        let now = Instant::now();
        if now.saturating_duration_since(self.swept) < TICK {
            return;
        }
        self.swept = now;
        self.guests.retain(|_, guest| guest.deadline > now);
        let guests = &self.guests;
        self.arrivals.retain(|id| guests.contains_key(id));
    }
}

impl Guest {
    /// It knows the key, and answered this handshake.
    fn proved(&self) -> bool {
        matches!(&self.state, State::Known(link) if link.proved())
    }

    /// Reads what has come and acts on it.
    fn advance(&mut self, key: Option<&Key>, log: &Log) -> Fate {
        loop {
            let outcome = match &mut self.state {
                State::Opening { bytes, filled } => match fill(&self.socket, bytes, filled) {
                    Filled::Whole => self.opened(key, log),
                    Filled::Part if Preamble::may_begin(&bytes[..(*filled).min(8)]) => Some(Fate::Stays),
                    Filled::Part => Some(foreign(&self.socket, log)),
                    Filled::Ended => Some(Fate::Leaves),
                },
                State::Token { bytes, filled } => match fill(&self.socket, bytes, filled) {
                    Filled::Whole => Some(Fate::Lane(*bytes)),
                    Filled::Part => Some(Fate::Stays),
                    Filled::Ended => Some(Fate::Leaves),
                },
                State::Handshake { .. } => self.shake(key, log),
                State::Known(link) => {
                    let proved_before = link.proved();
                    let fate = listen(&self.socket, link);
                    if link.proved() && !proved_before {
                        self.deadline = Instant::now() + ASK_WITHIN;
                    }
                    Some(fate)
                }
            };
            if let Some(fate) = outcome {
                return fate;
            }
        }
    }

    /// The preamble is whole. `None`: there is a new state to go on with.
    fn opened(&mut self, key: Option<&Key>, log: &Log) -> Option<Fate> {
        let State::Opening { bytes, .. } = &self.state else { return Some(Fate::Leaves) };
        let prologue = *bytes;
        let Ok(preamble) = Preamble::decode(prologue) else { return Some(foreign(&self.socket, log)) };
        if preamble.kind == Kind::Data {
            self.state = State::Token { bytes: [0; TOKEN_BYTES], filled: 0 };
            return (preamble.version != VERSION).then_some(Fate::Leaves);
        }
        let verdict = match (preamble.kind, key) {
            _ if preamble.version != VERSION => Verdict::Version,
            (Kind::OpenControl, Some(_)) => Verdict::KeyRequired,
            (Kind::SecureControl, None) => Verdict::KeyUnexpected,
            _ => Verdict::Welcome,
        };
        if let Some(why) = refusal(verdict) {
            log(&format!("{} refused: {why}", name_of(&self.socket)));
        }
        if !self.say(&verdict.encode()) || verdict != Verdict::Welcome {
            return Some(self.dismiss());
        }
        if preamble.kind == Kind::SecureControl {
            self.state = State::Handshake { prologue, raw: Vec::new() };
        } else {
            self.deadline = Instant::now() + ASK_WITHIN;
            self.state = State::Known(Box::new(Link::open()));
        }
        None
    }

    /// Takes the handshake message when it is whole.
    fn shake(&mut self, key: Option<&Key>, log: &Log) -> Option<Fate> {
        let (State::Handshake { prologue, raw }, Some(key)) = (&mut self.state, key) else {
            return Some(Fate::Leaves);
        };
        let mut buffer = [0; HELLO_BYTES];
        match (&self.socket).read(&mut buffer) {
            Ok(0) => return Some(Fate::Leaves),
            Ok(taken) => raw.extend_from_slice(&buffer[..taken]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Some(Fate::Stays),
            Err(_) => return Some(Fate::Leaves),
        }
        if raw.len() > 2 * HELLO_BYTES {
            return Some(Fate::Leaves);
        }
        let frame = match wire::take_frame(raw) {
            Ok(Some(frame)) => frame,
            Ok(None) => return None,
            Err(_) => return Some(Fate::Leaves),
        };
        let Ok((transport, answer)) = noise::respond(key, prologue, &frame) else {
            log(&format!("{} refused: wrong key", name_of(&self.socket)));
            // An empty frame says: not under my key.
            self.say(&[0, 0]);
            return Some(self.dismiss());
        };
        let mut link = Link::secure(transport);
        link.push(raw);
        let length = u16::try_from(answer.len()).unwrap_or(u16::MAX).to_be_bytes();
        if !self.say(&[&length[..], &answer].concat()) {
            return Some(Fate::Leaves);
        }
        // Until a frame shows that this was no replay, the first deadline holds.
        self.state = State::Known(Box::new(link));
        None
    }

    /// A few bytes to a fresh connection always fit its send buffer; a peer for which they do not is no client.
    fn say(&mut self, bytes: &[u8]) -> bool {
        self.socket.write(bytes).is_ok_and(|written| written == bytes.len())
    }

    /// Ends our side, and reads what is left, so that the last word is not lost to a reset.
    fn dismiss(&mut self) -> Fate {
        let _ = self.socket.shutdown(std::net::Shutdown::Write);
        let mut rest = [0; 4 * HELLO_BYTES];
        let _ = self.socket.read(&mut rest);
        Fate::Leaves
    }
}

enum Filled {
    Whole,
    Part,
    Ended,
}

fn fill(mut socket: &TcpStream, bytes: &mut [u8], filled: &mut usize) -> Filled {
    loop {
        if *filled == bytes.len() {
            return Filled::Whole;
        }
        match socket.read(&mut bytes[*filled..]) {
            Ok(0) => return Filled::Ended,
            Ok(taken) => *filled += taken,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Filled::Part,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Filled::Ended,
        }
    }
}

/// A known guest's next message. It may send one request at most before it is served.
fn listen(mut socket: &TcpStream, link: &mut Link) -> Fate {
    let mut taken_bytes = 0;
    loop {
        match link.next(REQUEST_LIMIT_BYTES) {
            Ok(Some(message)) => return Fate::Calls(message),
            Ok(None) if taken_bytes < REQUEST_LIMIT_BYTES => {}
            Ok(None) => return Fate::Stays,
            Err(_) => return Fate::Leaves,
        }
        let mut buffer = [0; 4096];
        match socket.read(&mut buffer) {
            Ok(0) => return Fate::Leaves,
            Ok(taken) => {
                taken_bytes += taken;
                link.push(&buffer[..taken]);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Fate::Stays,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Fate::Leaves,
        }
    }
}

fn out_of_descriptors(error: &io::Error) -> bool {
    [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM]
        .iter()
        .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}
