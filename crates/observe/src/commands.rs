//! The only commands that fullwire ever runs on a host: read-only, with a time limit, and only where no file
//! and no kernel interface tells the same.

use crate::Root;
use fullwire_model::{Gap, GapReason};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::sockopt::socket_peercred;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
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
    /// The abstract socket at which it asks a daemon of root's: any user may take that name while the daemon does not run (unix(7)).
    pub daemon: Option<&'static str>,
}

/// The multipath daemon's own view: checker states and the settings in effect are nowhere in sysfs.
pub(crate) const MULTIPATHD_MAPS: ReadOnlyCommand = ReadOnlyCommand {
    argv: &["multipathd", "show", "maps", "json"],
    reason: "only the daemon knows checker states and path priorities",
    captured: "/sos_commands/multipath/multipathd_show_maps_json",
    // `DEFAULT_SOCKET` of multipath-tools.
    daemon: Some("/org/kernel/linux/storage/multipathd"),
};

/// PowerPath keeps the state of its paths to itself.
pub(crate) const POWERMT_DEVICES: ReadOnlyCommand = ReadOnlyCommand {
    argv: &["powermt", "display", "dev=all"],
    reason: "the paths of PowerPath's devices and their states are in no file",
    captured: "/sos_commands/powerpath/powermt_display_dev_all",
    daemon: None,
};

/// chrony corrects the clock by its rate and leaves the kernel's own offset at zero.
pub(crate) const CHRONY_TRACKING: ReadOnlyCommand = ReadOnlyCommand {
    argv: &["chronyc", "-n", "tracking"],
    reason: "only chronyd knows the offset of the clock",
    captured: "/sos_commands/chrony/chronyc_-n_tracking",
    daemon: None,
};

/// Under a unit with `ProtectClock` the kernel refuses adjtimex(2), by which the clock is asked and set: systemd-timedated may ask.
pub(crate) const TIMEDATECTL: ReadOnlyCommand = ReadOnlyCommand {
    argv: &["timedatectl", "show", "--property=NTPSynchronized"],
    reason: "where adjtimex is refused nothing else tells whether the clock is synchronised",
    captured: "/sos_commands/systemd/timedatectl",
    daemon: None,
};

/// Every command.
pub const COMMANDS: &[ReadOnlyCommand] = &[MULTIPATHD_MAPS, POWERMT_DEVICES, CHRONY_TRACKING, TIMEDATECTL];

/// How long a command may take.
const TIME_LIMIT: Duration = Duration::from_secs(2);

/// How much it may print.
const OUTPUT_LIMIT: usize = 16 << 20;

/// What the command prints: run on the live host, its captured output in a tree.
pub(crate) fn output(root: &Root, command: &ReadOnlyCommand, gaps: &mut Vec<Gap>) -> Option<String> {
    let subject = command.argv.join(" ");
    let answer = root.answer(&subject, || {
        let daemon = command.daemon.map_or(Ok(()), is_roots);
        let said = daemon.and_then(|()| run(command.argv, TIME_LIMIT));
        said.map_err(|(reason, detail)| Gap::new(subject.as_str(), reason, detail))
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

/// Where root's commands are looked for, whatever root's `PATH` says: a directory of another user in it, or the current
/// one, would let that user run as root.
const DIRECTORIES: [&str; 4] = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/// The program's file for root; for anyone else its name, which is looked for in `PATH`.
fn located(program: &str, is_root: bool) -> Option<PathBuf> {
    if !is_root {
        return Some(program.into());
    }
    DIRECTORIES.iter().map(|directory| Path::new(directory).join(program)).find(|path| path.is_file())
}

/// Why a command said nothing.
type Failure = (GapReason, String);

/// Whether nobody but root listens at an abstract socket.
fn is_roots(name: &str) -> Result<(), Failure> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let asked = SocketAddrUnix::new_abstract_name(name.as_bytes()).and_then(|address| {
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        connect(&socket, &address)?;
        Ok(socket_peercred(&socket)?.uid)
    });
    match asked {
        Ok(uid) if !uid.is_root() => {
            let uid = uid.as_raw();
            Err((GapReason::Denied, format!("user {uid} listens at @{name} in place of the daemon")))
        }
        Err(Errno::AGAIN) => Err((GapReason::Timeout, format!("who listens at @{name} does not answer"))),
        // The command says it.
        _ => Ok(()),
    }
}

fn run(argv: &[&str], limit: Duration) -> Result<String, Failure> {
    let (program, arguments) = argv.split_first().ok_or((GapReason::Absent, "no command".to_owned()))?;
    let is_root = rustix::process::geteuid().is_root();
    let file = located(program, is_root)
        .ok_or_else(|| (GapReason::Absent, format!("{program} is not in {}", DIRECTORIES.join(", "))))?;
    let own_path = std::env::var_os("PATH").filter(|_| !is_root);
    let started = Command::new(file)
        .args(arguments)
        .env_clear()
        .env("LC_ALL", "C")
        .env("PATH", own_path.unwrap_or_else(|| DIRECTORIES.join(":").into()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = started
        .map_err(|error| (crate::root::gap_reason(&error), format!("cannot run {program}: {error}")))?;
    let said = listen(&mut child, program, Instant::now() + limit, limit);
    if said.is_err() {
        let _ = child.kill(); // it may have ended already
        let _ = child.wait();
    }
    said
}

/// What the child prints until it ends. No thread is needed, and where none can be started there is one thing less
/// that fails.
fn listen(child: &mut Child, program: &str, deadline: Instant, limit: Duration) -> Result<String, Failure> {
    let failed =
        |error: io::Error| (GapReason::Unsupported, format!("cannot read the output of {program}: {error}"));
    let late = || (GapReason::Timeout, format!("{program} did not answer within {} ms", limit.as_millis()));
    let Some(mut pipe) = child.stdout.take() else { return Ok(String::new()) };
    let mut said = Vec::new();
    let mut buffer = [0_u8; 1 << 14];
    while said.len() < OUTPUT_LIMIT {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(left).map_err(|_| late())?;
        let mut waiting = [PollFd::new(&pipe, PollFlags::IN)];
        match rustix::event::poll(&mut waiting, Some(&timeout)) {
            Ok(0) => return Err(late()),
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(errno) => return Err(failed(errno.into())),
        }
        match pipe.read(&mut buffer).map_err(failed)? {
            0 => break,
            read => said.extend_from_slice(&buffer[..read]),
        }
    }
    drop(pipe);
    loop {
        match child.try_wait().map_err(failed)? {
            Some(status) if status.success() => break,
            Some(status) => return Err((GapReason::Unsupported, format!("{program} ended with {status}"))),
            None if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(2)),
            None => return Err(late()),
        }
    }
    String::from_utf8(said).map_err(|_| (GapReason::Malformed, format!("{program} did not print text")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::{SocketAddr, UnixListener};
    use std::os::unix::process::CommandExt as _;

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

    #[test]
    fn root_runs_what_stands_in_the_systems_directories() {
        let sleep = located("sleep", true).expect("everywhere");
        assert!(
            sleep.is_absolute() && DIRECTORIES.iter().any(|directory| sleep.starts_with(directory)),
            "{sleep:?}"
        );
        assert_eq!(located("fullwire-no-such-command", true), None);
        assert_eq!(located("sleep", false), Some("sleep".into()));
    }

    #[test]
    fn a_daemon_is_not_asked_where_another_user_listens_in_its_place() {
        let name = format!("fullwire-test-{}", std::process::id());
        assert_eq!(is_roots(&name), Ok(()), "nobody listens");
        let address = SocketAddr::from_abstract_name(&name).expect("a name");
        let _roots = UnixListener::bind_addr(&address).expect("bound");
        let own = rustix::process::geteuid();
        assert_eq!(is_roots(&name).is_ok(), own.is_root());
        if !own.is_root() {
            return crate::skips::skipped("needs root, who alone may become another user");
        }
        let taken = format!("{name}-taken");
        let script = "import socket, sys, time; s = socket.socket(socket.AF_UNIX); s.bind(chr(0) + sys.argv[1]); \
            s.listen(); print(); sys.stdout.flush(); time.sleep(60)";
        let mut listener = Command::new("python3");
        listener.args(["-c", script, &taken]).stdout(Stdio::piped()).uid(65_534);
        let Ok(mut child) = listener.spawn() else { return crate::skips::skipped("needs python3") };
        let _ = child.stdout.take().expect("a pipe").read(&mut [0]);
        let (reason, detail) = is_roots(&taken).unwrap_err();
        let _ = child.kill();
        let _ = child.wait();
        assert_eq!(reason, GapReason::Denied, "{detail}");
        assert!(detail.contains("user 65534 listens"), "{detail}");
    }

    #[test]
    fn a_command_gets_no_environment_of_ours() {
        let environment = run(&["env"], TIME_LIMIT).expect("env is everywhere");
        let mut names: Vec<&str> =
            environment.lines().filter_map(|line| line.split_once('=').map(|(name, _)| name)).collect();
        names.sort_unstable();
        assert_eq!(names, ["LC_ALL", "PATH"]);
    }

    #[test]
    fn a_child_that_leaves_a_grandchild_with_our_pipe_is_not_waited_for() {
        let (reason, _) = run(&["sh", "-c", "sleep 5 & exit 0"], Duration::from_millis(100)).unwrap_err();
        assert_eq!(reason, GapReason::Timeout);
    }
}
