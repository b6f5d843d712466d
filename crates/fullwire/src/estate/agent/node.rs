//! The process that measures: `fullwire node`, started when a round begins and ended with it.

use super::Happening;
use crate::peer::key::new_key;
use anyhow::{Context, Result, bail};
use fullwire_mesh::conduct::Ticket;
use fullwire_mesh::message::{LINE_LIMIT_BYTES, Order, Report};
use fullwire_model::host::Host;
use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::SyncSender;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// After its input was closed a node has this long to clean up.
const FAREWELL: Duration = Duration::from_secs(6);

/// What is known of a test that the node drives.
#[derive(Debug, Clone, Default)]
pub(super) struct About {
    pub(super) round: String,
    pub(super) to: String,
    pub(super) network: String,
}

/// A running node.
pub(super) struct Node {
    child: Child,
    orders: Option<ChildStdin>,
    pub(super) generation: u64,
    pub(super) port: u16,
    pub(super) key: String,
    /// The host's records, from the node's first word.
    pub(super) host: Host,
    pub(super) tests: HashMap<Ticket, About>,
    /// Bytes of the day's budget that it was given.
    pub(super) given_bytes: u64,
    /// Reads what it says; its result is the node's own account, if it ended in good order.
    reader: Option<JoinHandle<Option<u64>>>,
}

impl Node {
    /// Starts one; what it says comes as happenings of this generation.
    pub(super) fn start(listen: &str, generation: u64, say: &SyncSender<Happening>) -> Result<Self> {
        let key = new_key()?;
        let program = own_program()?;
        let mut child = Command::new(program)
            .args(["node", "--listen", listen])
            .env("FULLWIRE_KEY", &key)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("start the process that measures")?;
        let orders = child.stdin.take();
        let mut lines = BufReader::new(child.stdout.take().context("the process that measures is mute")?);
        let mut first = String::new();
        lines.by_ref().take(4096).read_line(&mut first).context("hear the process that measures")?;
        let port = first.trim().rsplit_once(':').and_then(|(_, port)| port.parse().ok());
        let Some(port) = port else {
            let _ = child.kill();
            let _ = child.wait();
            bail!("the process that measures cannot listen on {listen}: is the port taken?");
        };
        let say = say.clone();
        let read = move || {
            let mut account = None;
            loop {
                let mut line = Vec::new();
                let read = lines.by_ref().take(LINE_LIMIT_BYTES).read_until(b'\n', &mut line);
                if !matches!(read, Ok(length) if length > 0) {
                    break;
                }
                let Ok(report) = fullwire_model::json::read::<Report>(&line) else { continue };
                if let Report::Account { moved_bytes } = report {
                    account = Some(moved_bytes);
                } else if say.send(Happening::Node(generation, Box::new(report))).is_err() {
                    break;
                }
            }
            let _ = say.send(Happening::NodeEnded(generation));
            account
        };
        let reader = std::thread::Builder::new().name("node".into()).spawn(read).context("start a thread")?;
        Ok(Self {
            child,
            orders,
            generation,
            port,
            key,
            host: Host::default(),
            tests: HashMap::new(),
            given_bytes: 0,
            reader: Some(reader),
        })
    }

    /// Ends it; what all its tests moved, if it ended in good order.
    pub(super) fn end(mut self) -> Option<u64> {
        self.dismiss();
        self.reader.take()?.join().ok()?
    }

    /// The end of its input is its end.
    fn dismiss(&mut self) {
        self.orders = None;
        let deadline = Instant::now() + FAREWELL;
        while Instant::now() < deadline {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Tells it something; one that is gone hears nothing, and says so elsewhere.
    pub(super) fn order(&mut self, order: &Order) {
        let Some(orders) = &mut self.orders else { return };
        let Ok(mut line) = serde_json::to_vec(order) else { return };
        line.push(b'\n');
        if orders.write_all(&line).and_then(|()| orders.flush()).is_err() {
            self.orders = None;
        }
    }
}

/// This program's file. After an upgrade the one that runs is deleted, and the new one has its place.
fn own_program() -> Result<PathBuf> {
    let program = std::env::current_exe().context("find this program's own file")?;
    let successor = program.to_str().and_then(|path| path.strip_suffix(" (deleted)")).map(PathBuf::from);
    Ok(successor.unwrap_or(program))
}

impl Drop for Node {
    fn drop(&mut self) {
        self.dismiss();
    }
}
