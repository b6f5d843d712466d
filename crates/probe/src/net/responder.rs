//! The responder: one port, many clients, a key.

use super::NetError;
use super::budget::{Budget, Cost, place};
use super::facts::FactsSource;
use super::gate::Gate;
use super::limits::Limits;
use super::lobby::{Caller, Lobby, Tokens};
use super::noise::Key;
use super::remote_file::WriteDir;
use super::session::{self, Session};
use super::shared::Shared;
use super::socket::connect;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Stack of a session's thread.
const STACK_BYTES: usize = 512 * 1024;

/// Sessions notice the stop flag within a tick; after this the process ends with them.
const FAREWELL: Duration = Duration::from_secs(3);

/// Who may use a responder.
#[derive(Debug, Clone)]
pub enum Access {
    /// Who knows the key.
    Key(String),
    /// Anyone who reaches the port.
    Open,
}

/// A responder to be.
#[derive(Clone)]
pub struct ServeConfig {
    /// `ADDRESS:PORT`; port 0: any free one.
    pub listen: String,
    /// Who may use it.
    pub access: Access,
    /// Where clients may have messages written; `None`: nowhere.
    pub write_dir: Option<PathBuf>,
    /// What it allows.
    pub limits: Limits,
    /// Reads this host for clients; `None`: they learn nothing.
    pub facts: Option<FactsSource>,
    /// Asked before each test, next to the limits; `None`: no one.
    pub gate: Option<Arc<dyn Gate>>,
    /// Its own socket buffers, whatever a client plans for, bytes; 0: the system's default. `None`: as the client plans.
    pub sockbuf_bytes: Option<u64>,
    /// Ends after the first test.
    pub once: bool,
    /// Told what happens, one line each: a test that ended, a client or a test that was refused.
    pub log: Arc<dyn Fn(&str) + Send + Sync>,
}

impl Default for ServeConfig {
    fn default() -> Self {
        Self {
            listen: format!("[::]:{}", super::DEFAULT_PORT),
            access: Access::Open,
            write_dir: None,
            limits: Limits::default(),
            facts: None,
            gate: None,
            sockbuf_bytes: None,
            once: false,
            log: Arc::new(|_| {}),
        }
    }
}

/// A responder, listening.
pub struct Responder {
    lobby: Lobby,
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Responder {
    /// Binds the port and opens what it will need; nothing is served yet.
    pub fn bind(config: ServeConfig) -> Result<Self, NetError> {
        let descriptors = raise_open_files();
        let addresses = connect::resolve(&config.listen)?;
        let listener = TcpListener::bind(&addresses[..])
            .map_err(|error| NetError::local(format!("listen on {}", config.listen), error))?;
        let failed = |error| NetError::local("serve", error);
        let address = listener.local_addr().map_err(failed)?;
        let key = match &config.access {
            Access::Key(text) => Some(Key::derive(text)),
            Access::Open => None,
        };
        let open = |path| WriteDir::open(path, config.limits.write_bytes);
        let write_dir = config.write_dir.as_deref().map(open).transpose()?;
        let most = Cost { lanes: config.limits.lanes, memory_bytes: config.limits.memory_bytes };
        let tokens = Tokens::default();
        // Half of the descriptors stay for lanes and files of the tests that run.
        let room = config.limits.connections.min(descriptors / 2).max(1);
        let lobby = Lobby::new(listener, key, tokens.clone(), room, config.log.clone()).map_err(failed)?;
        let shared = Arc::new(Shared {
            limits: config.limits,
            tokens,
            budget: Budget::new(most),
            write_dir,
            facts: config.facts,
            gate: config.gate,
            sockbuf_bytes: config.sockbuf_bytes,
            log: config.log,
            stop: AtomicBool::new(false),
            once: config.once,
            sessions: AtomicUsize::new(0),
            addresses: Mutex::default(),
        });
        Ok(Self { lobby, address, shared })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until told to stop (a signal handler may set the flag). Sessions in progress are ended.
    pub fn run(mut self, stop: &AtomicBool) {
        while !stop.load(SeqCst) && !self.shared.stop.load(SeqCst) {
            let shared = &self.shared;
            self.lobby.turn(&mut |caller| admit(shared, caller));
        }
        self.shared.stop.store(true, SeqCst);
        drop(self.lobby);
        let deadline = Instant::now() + FAREWELL;
        while self.shared.sessions.load(SeqCst) > 0 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Gives a caller a thread, if there is one left.
fn admit(shared: &Arc<Shared>, caller: Caller) {
    let guard = match Seat::take(shared, &caller) {
        Ok(seat) => seat,
        Err(why) => {
            (shared.log)(&format!("{} refused: {why}", caller.name()));
            return session::refuse(caller, why);
        }
    };
    let spawned =
        std::thread::Builder::new().name("session".into()).stack_size(STACK_BYTES).spawn(move || {
            let seat = guard;
            Session::new(seat.shared.clone(), caller).serve();
        });
    if let Err(error) = spawned {
        (shared.log)(&format!("cannot start a thread for a client: {error}"));
    }
}

/// A session's place; given back however it ends.
struct Seat {
    shared: Arc<Shared>,
    address: Option<IpAddr>,
}

impl Seat {
    /// The next place, or why there is none.
    fn take(shared: &Arc<Shared>, caller: &Caller) -> Result<Self, &'static str> {
        let limits = &shared.limits;
        if shared.sessions.load(SeqCst) >= limits.tests {
            return Err("it has reached its limit of clients: try again later");
        }
        let address = caller.socket.peer_addr().ok().map(|address| place(address.ip()));
        if let Some(address) = address {
            let mut addresses = shared.addresses();
            let held = addresses.entry(address).or_default();
            if limits.tests_per_address > 0 && *held >= limits.tests_per_address {
                return Err("it has reached its limit of clients from your address: try again later");
            }
            *held += 1;
        }
        // Only the lobby's thread takes places, so none was taken since.
        shared.sessions.fetch_add(1, SeqCst);
        Ok(Self { shared: shared.clone(), address })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.shared.sessions.fetch_sub(1, SeqCst);
        let Some(address) = self.address else { return };
        let mut addresses = self.shared.addresses();
        if let Some(held) = addresses.get_mut(&address) {
            *held -= 1;
            if *held == 0 {
                addresses.remove(&address);
            }
        }
    }
}

/// Uses all descriptors that the administrator allows; how many those are.
fn raise_open_files() -> usize {
    let limit = getrlimit(Resource::Nofile);
    // Without the right to, the old limit stays and is what counts.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    let now = getrlimit(Resource::Nofile).current;
    now.map_or(usize::MAX, |now| usize::try_from(now).unwrap_or(usize::MAX))
}
