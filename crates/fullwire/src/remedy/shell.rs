//! Commands of remedies, run as root would paste them.

use crate::output::Show;
use anyhow::{Context, Result, bail};
use fullwire_model::assessment::{Phase, Step, StepKind};
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::File;
use std::io::Read;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Hardly a command that changes something takes longer: one that rewrites a boot loader's menu takes tens of seconds. One
/// that does is waited for and never ended: a file that it was writing would stay cut.
pub(crate) const CHANGE_LIMIT: Duration = Duration::from_secs(300);
/// One that only looks is ended then.
const LOOK_LIMIT: Duration = Duration::from_secs(30);
/// What a change does may show a moment later.
const SETTLING: Duration = Duration::from_secs(3);
/// A link that was reset negotiates and joins its bond again; the next one must not be reset before.
const LINK_SETTLING: Duration = Duration::from_secs(60);
/// Between two looks at a command.
const TICK: Duration = Duration::from_millis(10);
/// More is cut off, not waited for.
const OUTPUT_BYTES: usize = 64 << 10;
/// What a command that has ended wrote last is there within this time.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Where root's programs are, whatever root's `PATH` says: another user's directory in it would let that user run as root.
const PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";

/// Runs a command that changes something. The lock is its own too: if we are killed meanwhile, nobody else changes the host
/// before it has ended.
pub(crate) fn run(command: &str, lock: File) -> Result<()> {
    // The one place that `apply`, `prove` and what takes back go through; a moment before, so that little can change meanwhile.
    if let Some(why) = super::led::led_elsewhere(command) {
        bail!(why);
    }
    ended(command, bare(&holding(command)), lock.into(), None).map(|_| ())
}

/// Runs a command that was typed by the person who runs fullwire, with that person's environment.
pub(crate) fn run_typed(command: &str, lock: File) -> Result<()> {
    ended(command, plain(&holding(command)), lock.into(), None).map(|_| ())
}

/// The command in a shell that has the lock on its standard input and hands it to nobody: a service that the command leaves
/// running must not hold it. What follows the command keeps the shell from becoming the command's last program.
fn holding(command: &str) -> String {
    format!("{{\n{command}\n}} < /dev/null\nexit $?")
}

/// Runs a command that only looks, and returns what it shows.
pub(crate) fn look(command: &str) -> Result<String> {
    ended(command, bare(command), Stdio::null(), Some(LOOK_LIMIT))
}

/// Whether a command that only looks succeeds. A program that is missing says nothing, also where its failure would.
pub(crate) fn holds(command: &str) -> bool {
    let present: Vec<String> =
        denied(command).map(|program| format!("command -v {program} > /dev/null && ")).collect();
    look(&format!("{}{{\n{command}\n}}", present.concat())).is_ok()
}

/// The programs whose failure a check asks for.
fn denied(command: &str) -> impl Iterator<Item = &str> {
    let words = || command.split_whitespace();
    let after = words().zip(words().skip(1)).filter(|(word, _)| *word == "!").map(|(_, program)| program);
    let is_program = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    after.filter(move |word| !word.starts_with('-') && word.chars().all(is_program))
}

/// Whether it succeeds within a moment.
pub(crate) fn comes_to_hold(command: &str, kind: StepKind) -> bool {
    let until = Instant::now() + if kind == StepKind::LinkReset { LINK_SETTLING } else { SETTLING };
    loop {
        if holds(command) {
            return true;
        }
        if Instant::now() > until {
            return false;
        }
        std::thread::sleep(TICK * 10);
    }
}

/// What a step is to have done shows within a moment.
pub(crate) fn took_effect(step: &Step) -> Result<()> {
    match step.read_back.as_deref().filter(|check| !comes_to_hold(check, step.kind)) {
        None => Ok(()),
        Some(check) => bail!(
            "{}: {check} fails",
            if step.phase == Phase::Persist {
                "the next boot would not have it"
            } else {
                "it did not take effect"
            }
        ),
    }
}

fn plain(command: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]);
    shell
}

/// For root nothing of the caller's surroundings counts: no variable, no directory, no mask.
fn bare(command: &str) -> Command {
    if !rustix::process::geteuid().is_root() {
        return plain(command);
    }
    let mut shell = plain(&format!("umask 022\n{command}"));
    shell.env_clear().envs([("PATH", PATH), ("LC_ALL", "C"), ("HOME", "/root")]).current_dir("/");
    shell
}

/// What interrupts us must not cut a command short: it has its own process group.
fn ended(command: &str, mut shell: Command, stdin: Stdio, limit: Option<Duration>) -> Result<String> {
    shell.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = shell.spawn().with_context(|| format!("run {command}"))?;
    let (said, told) = (listen(child.stdout.take()), listen(child.stderr.take()));
    let status = wait(&mut child, command, limit).with_context(|| format!("wait for {command}"))?;
    if status.success() {
        return Ok(said.text());
    }
    let text = told.text();
    let text = text.trim();
    bail!("{command}: {}{status}", if text.is_empty() { String::new() } else { format!("{text}, ") })
}

/// One that only looks and does not end in time is ended with all that it had started.
fn wait(child: &mut Child, command: &str, limit: Option<Duration>) -> Result<ExitStatus> {
    let begin = Instant::now();
    let mut told = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if let Some(limit) = limit.filter(|limit| begin.elapsed() > *limit) {
            if let Some(group) = Pid::from_raw(i32::try_from(child.id())?) {
                let _ = kill_process_group(group, Signal::KILL);
            }
            // One that waits for a device in the kernel cannot be ended; nobody waits with it.
            bail!("it did not end within {} s", limit.as_secs());
        }
        if !told && limit.is_none() && begin.elapsed() > CHANGE_LIMIT {
            told = true;
            Show::warn(&format!(
                "{command} still runs after {} s: it is waited for, and not ended",
                CHANGE_LIMIT.as_secs()
            ));
        }
        std::thread::sleep(TICK);
    }
}

/// What a pipe brings.
struct Said {
    bytes: Arc<Mutex<Vec<u8>>>,
    end: Receiver<()>,
}

impl Said {
    /// All of it. A program that the command left in the background holds the pipe open: it is not waited for.
    fn text(&self) -> String {
        let _ = self.end.recv_timeout(LAST_WORDS);
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Reads on to the end: a command that writes on is not stopped by a full pipe.
fn listen(mut pipe: Option<impl Read + Send + 'static>) -> Said {
    let bytes = Arc::new(Mutex::new(Vec::new()));
    let (over, end) = mpsc::channel();
    let heard = Arc::clone(&bytes);
    std::thread::spawn(move || {
        let _over = over;
        let mut buffer = [0; 4096];
        while let Some(read) = pipe_read(pipe.as_mut(), &mut buffer) {
            let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
            let room = OUTPUT_BYTES.saturating_sub(heard.len());
            heard.extend_from_slice(&buffer[..read.min(room)]);
        }
    });
    Said { bytes, end }
}

/// The next bytes; `None` at the end.
fn pipe_read(pipe: Option<&mut impl Read>, buffer: &mut [u8]) -> Option<usize> {
    pipe?.read(buffer).ok().filter(|read| *read > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_fails_says_what_it_said() {
        let lock = || tempfile::tempfile().unwrap();
        assert!(run("true", lock()).is_ok() && holds("test -d /") && !holds("test -d /nowhere"));
        assert!(run("read x", lock()).is_err(), "a command is not asked");
        let error = run("echo no such thing >&2; exit 3", lock()).unwrap_err().to_string();
        assert!(error.contains("no such thing") && error.contains('3'), "{error}");
        assert_eq!(look("echo shown").unwrap(), "shown\n");
        // A daemon that it leaves behind holds its output open for longer than any test.
        let begun = Instant::now();
        assert_eq!(look("echo begun; sleep 30 & true").unwrap(), "begun\n");
        assert!(begun.elapsed() < Duration::from_secs(20));
    }

    /// A command that is ended leaves cut what it was writing: an image that the next boot needs.
    #[test]
    fn only_what_looks_is_ended() {
        let child = || plain("sleep 1; echo whole > /dev/null").process_group(0).spawn().unwrap();
        let limit = Some(Duration::from_millis(50));
        let error = wait(&mut child(), "it", limit).unwrap_err().to_string();
        assert!(error.contains("did not end"), "{error}");
        assert!(wait(&mut child(), "it", None).unwrap().success());
    }

    #[test]
    fn a_check_that_a_program_fails_needs_the_program() {
        assert!(holds("! test -e /nowhere") && !holds("! test -e /") && holds("test ! -e /nowhere"));
        assert!(!holds("! no-such-program -x") && !holds("true && ! no-such-program | grep -q x"));
        assert!(holds("! grep -q root /dev/null"));
    }

    /// Whoever can set a variable of a program that sudo starts must not choose what runs.
    #[test]
    fn for_root_the_callers_surroundings_do_not_count() {
        let shell = bare("true");
        let names: Vec<_> = shell.get_envs().map(|(name, _)| name.to_owned()).collect();
        if rustix::process::geteuid().is_root() {
            assert_eq!(names, ["HOME", "LC_ALL", "PATH"]);
            assert_eq!(shell.get_current_dir(), Some(std::path::Path::new("/")));
        }
    }
}
