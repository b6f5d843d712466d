//! Nodes over ssh: brought to all hosts at the same time, each with a thread that writes and one that reads.

use crate::allowance::Allowance;
use anyhow::{Context, Result};
use fullwire_mesh::hosts::{HostSpec, ONLY_NETWORK};
use fullwire_mesh::limits::HostLimits;
use fullwire_mesh::message::{BEAT_NS, Order, PROTOCOL, Place, Report};
use fullwire_probe::net::NetError;
use fullwire_probe::net::ssh::{SshNode, SshOptions};
use std::collections::VecDeque;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

/// Sessions that start at the same time: a host in between drops more than ten that have not logged in yet
/// (`MaxStartups 10:30:100` of sshd).
const STARTS: usize = 8;
/// A start that the far end dropped is tried this often.
const TRIES: u32 = 3;
/// After our end has closed, all nodes together have this long to clean up.
const FAREWELL: Duration = Duration::from_secs(8);

/// What came from a host.
pub(crate) enum Said {
    /// A word of the node.
    Report(Box<Report>),
    /// The session is over.
    Gone(String),
    /// A lost node is not to be had again.
    NotBack,
}

/// The nodes of a mesh, however they are reached: over ssh, or as agents of an estate.
pub(crate) trait Nodes {
    /// Has a node begin: it reads its host and answers with that.
    fn begin(&mut self, host: usize);
    /// Tells a node something; one that is gone hears nothing.
    fn order(&mut self, host: usize, order: Order);
    /// What came next, waited for no longer than this.
    fn hear(&mut self, within: Duration) -> Option<(usize, Said)>;
    /// Where the responder of a host is on a network.
    fn place(&self, host: usize, network: &str) -> Option<Place>;
    /// Tries once more to have a node on a host, next to the caller.
    fn revive(&mut self, host: usize);
    /// Whether a node of this version can be worked with; else what to say of it. Another version may be installed on
    /// a host, as long as it means the same by its messages.
    fn fits(&self, version: &str, protocol: u32) -> Result<(), String> {
        if protocol == PROTOCOL {
            return Ok(());
        }
        let ours = env!("CARGO_PKG_VERSION");
        Err(format!("it runs fullwire {version}, protocol {protocol}; this is {ours}, protocol {PROTOCOL}"))
    }
    /// Whether runs are kept where they were measured: then no one need hold them until the end.
    fn keeps_runs(&self) -> bool {
        false
    }
}

/// Reports that wait to be heard: then the thread that reads a node's output waits, and so does the node. Nobody hears while hosts are
/// still being started, and each report may take as much memory as one document.
const WAITING: usize = 4;
const _: () = assert!(WAITING * fullwire_model::json::MEMORY_LIMIT_BYTES <= 512 << 20);

/// What a thread brings.
enum Brought {
    Said(Said),
    /// A lost node is there again.
    Back(Box<SshNode>),
}

/// How nodes are started.
#[derive(Clone)]
pub(crate) struct Start {
    pub(crate) binary: PathBuf,
    pub(crate) options: SshOptions,
    pub(crate) limits: HostLimits,
    pub(crate) storage: Vec<String>,
}

/// One for each host, and what all of them say.
pub(crate) struct SshNodes {
    start: Start,
    specs: Vec<HostSpec>,
    list: Vec<Option<Node>>,
    say: mpsc::SyncSender<(usize, Brought)>,
    hear: mpsc::Receiver<(usize, Brought)>,
}

struct Node {
    session: SshNode,
    orders: mpsc::Sender<Order>,
}

impl SshNodes {
    /// Brings a node to each host; those that cannot be had are `Err`, in the order of the hosts.
    pub(crate) fn start(
        specs: &[HostSpec],
        start: &Start,
        told: &dyn Fn(usize),
    ) -> (Self, Vec<Option<NetError>>) {
        let (say, hear) = mpsc::sync_channel(WAITING);
        let queue: Mutex<VecDeque<usize>> = Mutex::new((0..specs.len()).collect());
        let (done, finished) = mpsc::channel();
        let mut list: Vec<Option<Node>> = specs.iter().map(|_| None).collect();
        let mut failures: Vec<Option<NetError>> = specs.iter().map(|_| None).collect();
        std::thread::scope(|scope| {
            for _ in 0..STARTS.min(specs.len()) {
                let done = done.clone();
                let queue = &queue;
                scope.spawn(move || {
                    while let Some(host) = take(queue) {
                        // No one hears it only when this function has panicked.
                        let _ = done.send((host, bring(&specs[host].target, &start.binary, &start.options)));
                    }
                });
            }
            drop(done);
            for (count, (host, result)) in finished.iter().enumerate() {
                told(count + 1);
                match result {
                    Ok(session) => list[host] = Node::adopt(host, session, &say).ok(),
                    Err(error) => failures[host] = Some(error),
                }
            }
        });
        (Self { start: start.clone(), specs: specs.to_vec(), list, say, hear }, failures)
    }

    /// Ends all of them, and waits until each has cleaned up behind itself.
    pub(crate) fn end(mut self) {
        let mut sessions: Vec<SshNode> = Vec::new();
        for node in self.list.drain(..).flatten() {
            // The writing thread ends with the last sender and closes the input.
            drop(node.orders);
            sessions.push(node.session);
        }
        std::thread::scope(|scope| {
            for mut session in sessions {
                scope.spawn(move || session.end(FAREWELL));
            }
        });
    }
}

impl Nodes for SshNodes {
    fn begin(&mut self, host: usize) {
        let addresses =
            self.specs.iter().flat_map(|spec| spec.addresses.iter().map(|(_, address)| address.clone()));
        let names = self.list.iter().flatten().map(|node| node.session.host.clone());
        let order = Order::Begin {
            limits: self.start.limits.clone(),
            peers: addresses.chain(names).collect(),
            storage: self.start.storage.clone(),
        };
        self.order(host, order);
    }

    fn order(&mut self, host: usize, order: Order) {
        if let Some(node) = &self.list[host] {
            // Its thread has ended with the session, which is reported elsewhere.
            let _ = node.orders.send(order);
        }
    }

    fn hear(&mut self, within: Duration) -> Option<(usize, Said)> {
        match self.hear.recv_timeout(within).ok()? {
            (host, Brought::Said(said)) => Some((host, said)),
            (host, Brought::Back(session)) => {
                self.list[host] = Node::adopt(host, *session, &self.say).ok();
                self.begin(host);
                None
            }
        }
    }

    fn place(&self, host: usize, network: &str) -> Option<Place> {
        let (spec, node) = (&self.specs[host], self.list[host].as_ref()?);
        let named =
            spec.addresses.iter().find(|(name, _)| name == network).map(|(_, address)| address.clone());
        let unnamed =
            || (spec.addresses.is_empty() && network == ONLY_NETWORK).then(|| node.session.host.clone());
        let address = named.or_else(unnamed)?;
        Some(Place {
            name: spec.name.clone(),
            address: with_port(&address, node.session.port),
            key: node.session.key.clone(),
            network: network.to_owned(),
        })
    }

    fn revive(&mut self, host: usize) {
        let old = self.list[host].take();
        let (say, target, start) = (self.say.clone(), self.specs[host].target.clone(), self.start.clone());
        let again = move || {
            // Its session may take a while to end.
            drop(old);
            let brought = match bring(&target, &start.binary, &start.options) {
                Ok(session) => Brought::Back(Box::new(session)),
                Err(_) => Brought::Said(Said::NotBack),
            };
            // No one hears it any more: then the session is dropped, and the far end cleans up.
            let _ = say.send((host, brought));
        };
        if std::thread::Builder::new().name("revive".into()).spawn(again).is_err() {
            let _ = self.say.send((host, Brought::Said(Said::NotBack)));
        }
    }
}

/// An address and a port as they are written together.
pub(crate) fn with_port(address: &str, port: u16) -> String {
    if address.contains(':') { format!("[{address}]:{port}") } else { format!("{address}:{port}") }
}

impl Node {
    fn adopt(host: usize, mut session: SshNode, say: &mpsc::SyncSender<(usize, Brought)>) -> Result<Self> {
        let (orders, taken) = mpsc::channel::<Order>();
        let mut input = session.take_input().context("the session has no input")?;
        let lines = session.take_lines().context("the session has no output")?;
        let write = move || {
            loop {
                let order = match taken.recv_timeout(Duration::from_nanos(BEAT_NS)) {
                    Ok(order) => order,
                    Err(mpsc::RecvTimeoutError::Timeout) => Order::Alive,
                    Err(mpsc::RecvTimeoutError::Disconnected) => return,
                };
                let Ok(mut line) = serde_json::to_vec(&order) else { continue };
                line.push(b'\n');
                if input.write_all(&line).and_then(|()| input.flush()).is_err() {
                    return;
                }
            }
        };
        let say = say.clone();
        let read = move || {
            let mut allowance = Allowance::new(LINES);
            let mut end = "the ssh session ended";
            for line in lines {
                if !allowance.takes(1.0 + line.len() as f64 / LINE_BYTES) {
                    end = "it said more than a node has to say";
                    break;
                }
                // What is no report is a word of something else there, as of a profile.
                if let Ok(report) = fullwire_model::json::read::<Report>(line.as_bytes())
                    && say.send((host, Brought::Said(Said::Report(Box::new(report))))).is_err()
                {
                    return;
                }
            }
            let _ = say.send((host, Brought::Said(Said::Gone(end.into()))));
        };
        std::thread::Builder::new().name("orders".into()).spawn(write).context("start a thread")?;
        std::thread::Builder::new().name("reports".into()).spawn(read).context("start a thread")?;
        Ok(Self { session, orders })
    }
}

/// Lines that a node may say at once, and each second (own choice): all reports of a large mesh that waited; a beat each second and a
/// report of each test come nowhere near it, and whoever floods us costs no more than this.
const LINES: (f64, f64) = (2000.0, 50.0);
/// A line of so many bytes counts as one more: a run of a large host has some hundreds of kilobytes.
const LINE_BYTES: f64 = 65_536.0;

fn take(queue: &Mutex<VecDeque<usize>>) -> Option<usize> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
}

/// The host over which the others are reached is reached itself without going over it: ssh refuses that as a loop.
fn direct(target: &str, options: &SshOptions) -> SshOptions {
    let bare = target.strip_prefix("ssh://").unwrap_or(target);
    let mut options = options.clone();
    let over = options.arguments.iter().position(|word| word == "-J");
    if let Some(place) =
        over.filter(|place| options.arguments.get(place + 1).is_some_and(|jump| jump == bare))
    {
        options.arguments.drain(place..place + 2);
    }
    options
}

/// Starts a node; where the far end dropped the session before it began, again after a moment.
fn bring(target: &str, binary: &Path, options: &SshOptions) -> Result<SshNode, NetError> {
    let options = &direct(target, options);
    let stopped = || options.stop.as_ref().is_some_and(|stop: &Arc<AtomicBool>| stop.load(Ordering::Relaxed));
    let mut tries = 0;
    loop {
        tries += 1;
        match SshNode::start(target, binary, options) {
            Err(error) if tries < TRIES && dropped(&error) && !stopped() => {
                // Not all at the same moment again.
                let spread =
                    u64::from(target.bytes().fold(7_u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte)));
                std::thread::sleep(Duration::from_millis(300 * u64::from(tries) + spread * 4));
            }
            other => return other,
        }
    }
}

/// As sshd's `MaxStartups` has it.
fn dropped(error: &NetError) -> bool {
    let text = error.to_string();
    ["kex_exchange_identification", "Connection reset", "Connection closed by"]
        .iter()
        .any(|mark| text.contains(mark))
}
