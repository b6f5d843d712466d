//! What only a person can tell, asked on the terminal.

use fullwire_present::Printed;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::termios::{QueueSelector, tcflush};
use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::time::Duration;

/// There is someone to ask.
pub(crate) fn is_there() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Whether the answer is yes; no answer is no.
pub(crate) fn agrees(question: &str) -> bool {
    answer(question, None)
}

/// The same, for as long as this.
pub(crate) fn agrees_within(question: &str, limit: Duration) -> bool {
    answer(question, Some(limit))
}

fn answer(question: &str, limit: Option<Duration>) -> bool {
    if !is_there() {
        return false;
    }
    // What was typed before the question is no answer to it.
    let _ = tcflush(std::io::stdin(), QueueSelector::IFlush);
    let mut stderr = anstream::stderr();
    let asked = write!(stderr, "{} [y/N] ", Printed::line(question)).and_then(|()| stderr.flush());
    if asked.is_err() || !comes(limit) {
        let _ = writeln!(stderr);
        return false;
    }
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    read.is_ok() && matches!(line.trim(), "y" | "Y" | "yes")
}

/// Whether a line comes within this time.
fn comes(limit: Option<Duration>) -> bool {
    let stdin = std::io::stdin();
    let mut waiting = [PollFd::new(&stdin, PollFlags::IN)];
    let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
    matches!(rustix::event::poll(&mut waiting, limit.as_ref()), Ok(1..))
}
