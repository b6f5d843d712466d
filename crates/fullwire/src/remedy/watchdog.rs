//! A process beside that takes a change back unless a person says within a minute that the host can still be reached. It
//! outlives the terminal and whoever started it.

use super::undo;
use crate::journal::{Entry, Journal, tell_undone};
use anyhow::{Context, Result, bail};
use rustix::event::{PollFd, PollFlags, Timespec};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::process::{Child, ChildStderr, ChildStdin, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Without a word for so long the change is taken back.
const PATIENCE: Duration = Duration::from_secs(60);
/// The person is asked for a little less.
pub(crate) const QUESTION: Duration = Duration::from_secs(55);
/// The hidden command.
pub(crate) const COMMAND: &str = "watchdog";
const READY: &str = "ready";
const STAYS: &str = "stays";
/// Exit status when the change was taken back.
const TAKEN_BACK: u8 = 1;

/// What is taken back, the last step first.
#[derive(Debug, Serialize, Deserialize)]
struct Order {
    steps: Vec<(u32, Entry)>,
}

/// A watchdog that runs.
pub(crate) struct Watchdog {
    child: Child,
    word: Option<ChildStdin>,
    /// What it says of an error has a place to go.
    _said: BufReader<ChildStderr>,
}

impl Watchdog {
    /// Starts one for these steps, which are in the journal; it is there when this returns.
    pub(crate) fn start(journal: &Journal, steps: Vec<(u32, Entry)>) -> Result<Self> {
        let program = std::env::current_exe().context("find fullwire's own file")?;
        // The journal stays locked as long as either of the two has it open.
        let mut child = Command::new(program)
            .arg(COMMAND)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(journal.shared()?)
            .stderr(Stdio::piped())
            .spawn()
            .context("start the watchdog")?;
        let mut word = child.stdin.take().context("speak to the watchdog")?;
        let order = serde_json::to_string(&Order { steps })? + "\n";
        word.write_all(order.as_bytes()).context("speak to the watchdog")?;
        let mut heard = String::new();
        let mut said = BufReader::new(child.stderr.take().context("hear the watchdog")?);
        said.read_line(&mut heard).context("hear the watchdog")?;
        if heard.trim() != READY {
            let _ = child.kill();
            bail!("the watchdog did not start: {heard}");
        }
        Ok(Self { child, word: Some(word), _said: said })
    }

    /// The change stays. False: it was taken back already.
    pub(crate) fn confirm(mut self) -> Result<bool> {
        if let Some(word) = &mut self.word {
            // It may be gone.
            let _ = word.write_all(format!("{STAYS}\n").as_bytes());
        }
        self.ended()
    }

    /// The change is to be taken back at once. True: it stays nevertheless, for it could not be.
    pub(crate) fn refuse(mut self) -> Result<bool> {
        self.ended()
    }

    fn ended(&mut self) -> Result<bool> {
        self.word = None;
        let status = self.child.wait().context("wait for the watchdog")?;
        match status.code() {
            Some(0) => Ok(true),
            Some(code) if code == i32::from(TAKEN_BACK) => Ok(false),
            _ => bail!(
                "the watchdog could not take the change back ({status}): `fullwire apply --undo` shows how"
            ),
        }
    }
}

/// The watchdog's own life. Its stdin brings the order and the word, its stdout is the journal.
pub(crate) fn run() -> Result<ExitCode> {
    // No terminal's end is its own; as a child of whoever started it, it leads no group yet.
    let _ = rustix::process::setsid();
    let mut journal = File::from(std::io::stdout().as_fd().try_clone_to_owned().context("open the journal")?);
    let stdin = std::io::stdin();
    let mut line = String::new();
    stdin.lock().read_line(&mut line).context("read the order")?;
    let order: Order = serde_json::from_str(&line).context("read the order")?;
    eprintln!("{READY}");
    if stays(&stdin) {
        return Ok(ExitCode::SUCCESS);
    }
    let mut failed = None;
    for (number, entry) in &order.steps {
        // What cannot be taken back keeps nothing else from it.
        let told = undo::entry_alone(entry).and_then(|()| tell_undone(&mut journal, *number));
        failed = failed.or(told.err());
    }
    failed.map_or(Ok(ExitCode::from(TAKEN_BACK)), Err)
}

/// Whether the word comes in time. When whoever could say it is gone, nobody will.
fn stays(stdin: &std::io::Stdin) -> bool {
    let until = Instant::now() + PATIENCE;
    loop {
        let left = Timespec::try_from(until.saturating_duration_since(Instant::now())).ok();
        let mut waiting = [PollFd::new(stdin, PollFlags::IN)];
        match rustix::event::poll(&mut waiting, left.as_ref()) {
            Err(rustix::io::Errno::INTR) => {}
            Ok(0) | Err(_) => return false,
            Ok(_) => {
                let mut word = [0; 16];
                let read = stdin.lock().read(&mut word);
                return read.is_ok_and(|length| word[..length].starts_with(STAYS.as_bytes()));
            }
        }
    }
}
