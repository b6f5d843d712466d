//! The clients of live databases, in a process of its own. That of MySQL makes room for as many columns as a server announces
//! before one of them has come (the crate mysql, `handle_result_set`); that of PostgreSQL keeps all rows of an answer. Without
//! room either ends its process: that one alone.

use super::super::Sampling;
use super::{TICK, sample_here};
use crate::output::Show;
use crate::signals;
use anyhow::{Context, Result, anyhow, bail};
use fullwire_model::demand::{Demand, RedoHistory};
use rustix::process::{Pid, Resource, Rlimit, Signal, getpid, kill_process, setrlimit};
use serde::{Deserialize, Serialize};
use std::io::{BufRead as _, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{ChildStdout, Command, ExitCode, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// The command of that process.
pub(crate) const COMMAND: &str = "client";
/// What it may have, whatever a server announces.
const MEMORY_BYTES: u64 = 1 << 30;
/// What it may say: a few hundred readings of a few counters.
const ANSWER_BYTES: u64 = 64 << 20;
/// Told to end, it says what it has read within this time.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Serialize, Deserialize)]
struct Order {
    source: String,
    sampling: Sampling,
}

#[derive(Serialize, Deserialize)]
enum Said {
    Read(Box<(RedoHistory, Demand)>),
    Failed(String),
}

/// Has a server read by that process. When `stop` says so, it ends with what was read until then.
pub(super) fn sample(
    source: &str,
    sampling: Sampling,
    stop: &dyn Fn() -> bool,
) -> Result<(RedoHistory, Demand)> {
    // Not in our group: Ctrl-C is ours, and it is told.
    let mut child = Command::new("/proc/self/exe")
        .arg(COMMAND)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("start the client of the database")?;
    let order = serde_json::to_string(&Order { source: source.to_owned(), sampling })? + "\n";
    let mut word = child.stdin.take();
    if let Some(word) = &mut word {
        // If it has ended, its answer says so.
        let _ = word.write_all(order.as_bytes());
    }
    let answer = heard(child.stdout.take())?;
    let mut told: Option<Instant> = None;
    let bytes = loop {
        match answer.recv_timeout(TICK) {
            Ok(bytes) => break bytes,
            Err(RecvTimeoutError::Disconnected) => break Vec::new(),
            Err(RecvTimeoutError::Timeout) if told.is_some_and(|told| told.elapsed() > PATIENCE) => {
                let _ = child.kill();
                let _ = child.wait();
                bail!("interrupted while waiting for {source}");
            }
            Err(RecvTimeoutError::Timeout) if told.is_none() && stop() => {
                told = Some(Instant::now());
                // It hears that nobody wants more.
                word = None;
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    };
    drop(word);
    let ended = child.wait().context("wait for the client of the database")?;
    match fullwire_model::json::read(&bytes) {
        Ok(Said::Read(read)) => Ok(*read),
        Ok(Said::Failed(why)) => Err(anyhow!(why)),
        Err(_) => bail!("the answer of the server cannot be read, and its client was ended by it ({ended})"),
    }
}

/// All that it says, once it has ended.
fn heard(out: Option<ChildStdout>) -> Result<mpsc::Receiver<Vec<u8>>> {
    let out = out.context("the client of the database is mute")?;
    let (say, hear) = mpsc::channel();
    let run = move || {
        let mut bytes = Vec::new();
        let _ = out.take(ANSWER_BYTES).read_to_end(&mut bytes);
        let _ = say.send(bytes);
    };
    std::thread::Builder::new().name("database".into()).spawn(run).context("start a thread")?;
    Ok(hear)
}

/// What that process does.
pub(crate) fn run() -> Result<ExitCode> {
    signals::on_signals()?;
    // Where it is refused, the kernel's own limit counts.
    let most = Rlimit { current: Some(MEMORY_BYTES), maximum: Some(MEMORY_BYTES) };
    let _ = setrlimit(Resource::As, most);
    let mut line = String::new();
    std::io::stdin().lock().take(1 << 16).read_line(&mut line).context("hear what is asked")?;
    let Order { source, sampling } =
        serde_json::from_str(&line).context("this is started by fullwire itself")?;
    let own: Pid = getpid();
    let listen = move || {
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        // As if it had been told by the terminal.
        let _ = kill_process(own, Signal::INT);
    };
    std::thread::Builder::new().name("word".into()).spawn(listen).context("start a thread")?;
    let said = match sample_here(&source, sampling, &signals::raised) {
        Ok(read) => Said::Read(Box::new(read)),
        Err(error) => Said::Failed(crate::sentence(&error)),
    };
    Show::json_line(&said)?;
    Ok(ExitCode::SUCCESS)
}
