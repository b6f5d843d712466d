//! The only commands that fullwire ever runs on a host: read-only, with a time limit, and only where no file
//! and no kernel interface tells the same.

use crate::Root;
use fullwire_model::{Gap, GapReason};
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A command that may be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadOnlyCommand {
    /// Program and arguments.
    pub argv: &'static [&'static str],
    /// Why no file tells it.
    pub reason: &'static str,
    /// Where a captured tree (sosreport) keeps its output.
    pub captured: &'static str,
}

/// The multipath daemon's own view: checker states and the settings in effect are nowhere in sysfs.
pub(crate) const MULTIPATHD_MAPS: ReadOnlyCommand = ReadOnlyCommand {
    argv: &["multipathd", "show", "maps", "json"],
    reason: "checker states and path priorities are known to the daemon alone",
    captured: "/sos_commands/multipath/multipathd_show_maps_json",
};

/// Every command.
pub const COMMANDS: &[ReadOnlyCommand] = &[MULTIPATHD_MAPS];

/// How long a command may take.
const TIME_LIMIT: Duration = Duration::from_secs(2);

/// How much it may print.
const OUTPUT_LIMIT: u64 = 16 << 20;

/// What the command prints: run on the live host, its captured output in a tree.
pub(crate) fn output(root: &Root, command: &ReadOnlyCommand, gaps: &mut Vec<Gap>) -> Option<String> {
    let subject = command.argv.join(" ");
    let answer = root.answer(&subject, || {
        run(command.argv, TIME_LIMIT).map_err(|(reason, detail)| Gap::new(subject.as_str(), reason, detail))
    });
    match answer {
        Ok(text) => Some(text),
        Err(gap) if root.is_live() => {
            gaps.push(gap);
            None
        }
        Err(_) => root.read_optional(command.captured, gaps),
    }
}

fn run(argv: &[&str], limit: Duration) -> Result<String, (GapReason, String)> {
    let (program, arguments) = argv.split_first().ok_or((GapReason::Absent, "no command".to_owned()))?;
    let started = Command::new(program)
        .args(arguments)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = started
        .map_err(|error| (crate::root::gap_reason(&error), format!("cannot run {program}: {error}")))?;
    let pipe = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        pipe.map(|pipe| pipe.take(OUTPUT_LIMIT).read_to_string(&mut text));
        text
    });
    let deadline = Instant::now() + limit;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => break,
            Ok(Some(status)) => {
                return Err((GapReason::Unsupported, format!("{program} ended with {status}")));
            }
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(2)),
            Ok(None) => {
                let stopped = child.kill().and_then(|()| child.wait());
                let detail = format!("{program} did not answer within {limit:?} ({stopped:?})");
                return Err((GapReason::Timeout, detail));
            }
            Err(error) => {
                return Err((GapReason::Unsupported, format!("cannot wait for {program}: {error}")));
            }
        }
    }
    reader.join().map_err(|_| (GapReason::Malformed, format!("{program} printed no text")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_hangs_is_a_timeout() {
        let (reason, detail) = run(&["sleep", "30"], Duration::from_millis(50)).unwrap_err();
        assert_eq!(reason, GapReason::Timeout);
        assert!(detail.contains("sleep did not answer"), "{detail}");
    }

    #[test]
    fn a_command_that_is_not_there_is_absent() {
        assert_eq!(run(&["fullwire-no-such-command"], TIME_LIMIT).unwrap_err().0, GapReason::Absent);
        assert_eq!(run(&["printf", "a b"], TIME_LIMIT).expect("printf is everywhere"), "a b");
    }
}
