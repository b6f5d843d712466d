//! A process beside that takes a change back unless a person says within a minute of its end that the host can still be reached. It
//! outlives the terminal and whoever started it.

use super::shell::CHANGE_LIMIT;
use super::{alone, undo};
use crate::journal::{Entry, Journal, Pen};
use anyhow::{Context, Result, bail};
use rustix::event::{PollFd, PollFlags, Timespec};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::process::{Child, ChildStderr, ChildStdin, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Without a word for so long after the command has ended the change is taken back.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks at the host's lock.
const AGAIN: Duration = Duration::from_millis(100);
/// The person is asked for a little less.
pub(crate) const QUESTION: Duration = Duration::from_secs(55);
/// The hidden command.
pub(crate) const COMMAND: &str = "watchdog";
const READY: &str = "ready";
/// The command has ended, and the minute begins.
const ENDED: &str = "ended";
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
    pub(crate) fn start(journal: &mut Journal, steps: Vec<(u32, Entry)>) -> Result<Self> {
        let program = std::env::current_exe().context("find fullwire's own file")?;
        // The journal stays locked as long as either of the two has it open.
        let mut child = Command::new(program)
            .arg(COMMAND)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(journal.pen().share()?)
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

    /// The command that changes something is over, in whatever way.
    pub(crate) fn command_ended(&mut self) {
        self.say(ENDED);
    }

    /// The change stays. False: it was taken back already.
    pub(crate) fn confirm(mut self) -> Result<bool> {
        self.say(STAYS);
        self.ended()
    }

    fn say(&mut self, what: &str) {
        if let Some(word) = &mut self.word {
            // It may be gone.
            let _ = word.write_all(format!("{what}\n").as_bytes());
        }
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
    let journal = std::io::stdout().as_fd().try_clone_to_owned().context("open the journal")?;
    let mut pen = Pen(File::from(journal));
    let stdin = std::io::stdin();
    let mut line = String::new();
    stdin.lock().read_line(&mut line).context("read the order")?;
    let order: Order = serde_json::from_str(&line).context("read the order")?;
    writeln!(std::io::stderr(), "{READY}").context("answer")?;
    let stays = match hear(&stdin, CHANGE_LIMIT + PATIENCE) {
        Heard::Ended => hear(&stdin, PATIENCE) == Heard::Stays,
        Heard::Stays => true,
        Heard::Nothing => {
            outlive_command();
            false
        }
    };
    if stays {
        return Ok(ExitCode::SUCCESS);
    }
    let mut failed = None;
    for (number, entry) in &order.steps {
        // What cannot be taken back keeps nothing else from it.
        failed = failed.or(undo::by(&mut pen, *number, entry).err());
    }
    failed.map_or(Ok(ExitCode::from(TAKEN_BACK)), Err)
}

/// Whoever started us is gone, and the command may go on: it has the host's lock until it has ended. Nothing is taken back
/// from under it.
fn outlive_command() {
    let until = Instant::now() + CHANGE_LIMIT;
    while alone::hold().is_err() && Instant::now() < until {
        std::thread::sleep(AGAIN);
    }
}

/// What comes within a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heard {
    Ended,
    Stays,
    /// When whoever could say it is gone, nobody will.
    Nothing,
}

fn hear(stdin: &std::io::Stdin, within: Duration) -> Heard {
    let until = Instant::now() + within;
    loop {
        let left = Timespec::try_from(until.saturating_duration_since(Instant::now())).ok();
        let mut waiting = [PollFd::new(stdin, PollFlags::IN)];
        match rustix::event::poll(&mut waiting, left.as_ref()) {
            Err(rustix::io::Errno::INTR) => {}
            Ok(0) | Err(_) => return Heard::Nothing,
            Ok(_) => {
                // Both words may have come.
                let mut words = [0; 32];
                let read = stdin.lock().read(&mut words).unwrap_or_default();
                return match String::from_utf8_lossy(&words[..read]) {
                    text if text.contains(STAYS) => Heard::Stays,
                    text if text.contains(ENDED) => Heard::Ended,
                    _ => Heard::Nothing,
                };
            }
        }
    }
}
