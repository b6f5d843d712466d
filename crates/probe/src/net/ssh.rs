//! A responder on a host that has nothing but ssh: the running binary is copied to a private directory
//! there, started with a key that is good for this run, and removed again.
//!
//! Everything goes through one session of the system's own ssh, with its configuration, keys and agent. The
//! script below reads the key and the binary from its input, and lives until that input ends: whatever
//! happens to us, the far end cleans up.

use super::NetError;
use super::payload;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Begins a target that is reached over ssh.
pub const SCHEME: &str = "ssh://";

/// After our end of the session has closed, the far end has this long to clean up.
const FAREWELL: Duration = Duration::from_secs(5);

/// A raised stop flag is noticed after this time at the latest.
const TICK: Duration = Duration::from_millis(100);

/// Of what ssh complains, so much is kept.
const COMPLAINT_BYTES: u64 = 4096;

/// A longer line of the far end ends the session: a run of a large host has some hundreds of kilobytes.
const LINE_BYTES: u64 = 32 << 20;

/// How the script says that neither the copied binary nor an installed one runs there.
const CANNOT_RUN: &str = "cannot run it";

/// Runs in `/bin/sh` on the far host. `mktemp -d` makes the directory ours alone; where programs may not run in it
/// (noexec), the home directory serves. Where the copied program does not run at all (another architecture), the one
/// that is installed there does, if there is one.
///
/// The login shell, csh or fish perhaps, must take it as one word: it has no single quote and no exclamation mark, and
/// its lines are joined to one.
const SCRIPT: &str = r#"
set -eu;
umask 077;
read -r size;
read -r port;
IFS= read -r key;
d=$(mktemp -d "${TMPDIR:-/tmp}/fullwire.XXXXXXXXXX");
pid=;
trap "[ -z \"\$pid\" ] || kill \"\$pid\" 2>/dev/null || :; rm -rf \"\$d\"" EXIT;
trap "exit 1" HUP INT TERM PIPE;
head -c "$size" >"$d/fullwire";
chmod 700 "$d/fullwire";
p="$d/fullwire";
if "$p" --version >/dev/null 2>"$d/why"; then :; else
    h=$(mktemp -d "$HOME/.fullwire.XXXXXXXXXX");
    cp "$d/fullwire" "$h/fullwire";
    cp "$d/why" "$h/why";
    rm -rf "$d";
    d=$h;
    p="$d/fullwire";
    if "$p" --version >/dev/null 2>&1; then :;
    elif fullwire --version >/dev/null 2>&1; then p=fullwire;
    else
        echo "cannot run it ($(uname -sm)): $(head -n 1 "$d/why")";
        exit 1;
    fi;
fi;
printf "%s\n" "$key" >"$d/key";
any=0.0.0.0;
if [ -e /proc/net/if_inet6 ]; then any="[::]"; fi;
"#;

/// The end of the script for a responder: it lives until the input ends.
const RESPONDER: &str = r#"
"$p" serve --listen "$any:$port" --key-file "$d/key" </dev/null &
pid=$!;
cat >/dev/null || :
"#;

/// The end of the script for a node of a mesh: it reads the rest of the input itself, and ends with it.
const NODE: &str = r#"
"$p" node --listen "$any:$port" --key-file "$d/key"
"#;

/// The script with this end as one word of any login shell.
fn far_command(end: &str) -> String {
    let lines = SCRIPT.lines().chain(end.lines()).map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    format!("exec /bin/sh -c '{}'", lines.join(" "))
}

/// How ssh is used.
#[derive(Debug, Clone)]
pub struct SshOptions {
    /// More arguments for ssh, before the destination.
    pub arguments: Vec<String>,
    /// The port for the measurement on the far host; 0: any free one.
    pub port: u16,
    /// For the session, the copy and the start together.
    pub within: Duration,
    /// Set it to give the start up.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for SshOptions {
    fn default() -> Self {
        Self { arguments: Vec::new(), port: 0, within: Duration::from_secs(60), stop: None }
    }
}

/// A responder that runs on the far host as long as this value lives.
pub struct SshResponder {
    child: Child,
    /// Held open: its end tells the far end to clean up.
    stdin: Option<ChildStdin>,
    target: String,
    key: String,
}

impl SshResponder {
    /// Starts `binary` on the host of `ssh://[USER@]HOST[:PORT]`.
    pub fn start(target: &str, binary: &Path, options: &SshOptions) -> Result<Self, NetError> {
        let Far { child, stdin, host, port, key, .. } = bring(target, binary, options, RESPONDER)?;
        let host = if host.contains(':') { format!("[{host}]") } else { host };
        Ok(Self { child, stdin, target: format!("{host}:{port}"), key })
    }

    /// `HOST:PORT` of the responder: where a plan's target is to point.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Its key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Says of a failed connection what ssh's success adds to it.
    pub fn explain(&self, error: NetError) -> NetError {
        match error {
            NetError::Connect { address, source } => NetError::Refused(format!(
                "ssh works and the responder runs there, but {address} cannot be reached directly ({source}): a firewall probably blocks the port; measurements do not go through ssh"
            )),
            other => other,
        }
    }
}

impl Drop for SshResponder {
    fn drop(&mut self) {
        self.stdin = None;
        end(&mut self.child, FAREWELL);
    }
}

/// A node of a mesh on the far host: a responder that also measures, as long as this value lives. What is said to it
/// and what it says are lines.
pub struct SshNode {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Option<mpsc::Receiver<String>>,
    /// The host as ssh's configuration knows it.
    pub host: String,
    /// Where its responder listens.
    pub port: u16,
    /// The responder's key.
    pub key: String,
}

impl SshNode {
    /// Starts `binary` as a node on the host of `ssh://[USER@]HOST[:PORT]`.
    pub fn start(target: &str, binary: &Path, options: &SshOptions) -> Result<Self, NetError> {
        let Far { child, stdin, lines, host, port, key } = bring(target, binary, options, NODE)?;
        Ok(Self { child, stdin, lines: Some(lines), host, port, key })
    }

    /// What it says from now on, line by line, to the end of the session. Given once.
    pub fn take_lines(&mut self) -> Option<mpsc::Receiver<String>> {
        self.lines.take()
    }

    /// Where to write to it; its end is the node's end. Given once.
    pub fn take_input(&mut self) -> Option<ChildStdin> {
        self.stdin.take()
    }

    /// The session is over.
    pub fn is_over(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits for the far end to clean up; a session that does not end is ended.
    pub fn end(&mut self, within: Duration) {
        self.stdin = None;
        end(&mut self.child, within);
    }
}

impl Drop for SshNode {
    fn drop(&mut self) {
        self.end(FAREWELL);
    }
}

/// A session in which the far end listens.
struct Far {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: mpsc::Receiver<String>,
    host: String,
    port: u16,
    key: String,
}

/// Copies the binary to the far host and starts it there.
fn bring(target: &str, binary: &Path, options: &SshOptions, script_end: &str) -> Result<Far, NetError> {
    let destination = Destination::parse(target)?;
    let host = destination.host_name(options)?;
    let mut key = [0; 32];
    payload::random(&mut key)?;
    let key = super::wire::token_text(&key);
    let open = |error| NetError::local(format!("read {}", binary.display()), error);
    let file = File::open(binary).map_err(open)?;
    let size = file.metadata().map_err(open)?.len();
    let mut child = destination
        .ssh(options)
        .args(["--", destination.name()])
        .arg(far_command(script_end))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| NetError::local("run ssh", error))?;
    let header = format!("{size}\n{}\n{key}\n", options.port);
    let stdin = feed(&mut child, header, file);
    match port(&mut child, options) {
        Ok((port, lines)) => {
            Ok(Far { child, stdin: stdin.recv_timeout(FAREWELL).ok(), lines, host, port, key })
        }
        Err(error) => {
            end(&mut child, Duration::ZERO);
            Err(error)
        }
    }
}

/// Whether this names a host that ssh may be asked for; a leading dash would be an option of ssh.
pub fn check_target(target: &str) -> Result<(), NetError> {
    Destination::parse(target).map(drop)
}

/// What is after `ssh://`.
struct Destination {
    user_and_host: String,
    port: Option<u16>,
}

impl Destination {
    fn parse(target: &str) -> Result<Self, NetError> {
        let malformed = || NetError::SshTarget(target.to_owned());
        let rest = target.strip_prefix(SCHEME).ok_or_else(malformed)?.trim_end_matches('/');
        let (user, place) = rest.rsplit_once('@').map_or((None, rest), |(user, place)| (Some(user), place));
        let (host, port) = match place.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
            Some((host, "")) => (host, None),
            Some((host, port)) => (host, Some(port.strip_prefix(':').ok_or_else(malformed)?)),
            None => place.split_once(':').map_or((place, None), |(host, port)| (host, Some(port))),
        };
        let port = port.map(str::parse).transpose().map_err(|_| malformed())?;
        // A leading dash would be an option of ssh.
        let plain = |text: &str| {
            let allowed = |c: char| c.is_alphanumeric() || ".-_:%+\\".contains(c);
            !text.is_empty() && !text.starts_with('-') && text.chars().all(allowed)
        };
        if !plain(host) || user.is_some_and(|user| !plain(user)) {
            return Err(malformed());
        }
        let user_and_host = user.map_or_else(|| host.to_owned(), |user| format!("{user}@{host}"));
        Ok(Self { user_and_host, port })
    }

    fn name(&self) -> &str {
        &self.user_and_host
    }

    fn ssh(&self, options: &SshOptions) -> Command {
        let mut command = Command::new("ssh");
        command.args(&options.arguments).args(["-T", "-o", "ServerAliveInterval=5"]);
        if let Some(port) = self.port {
            command.args(["-p", &port.to_string()]);
        }
        command
    }

    /// The name behind the user's alias, as ssh's own configuration has it.
    fn host_name(&self, options: &SshOptions) -> Result<String, NetError> {
        let output = self
            .ssh(options)
            .args(["-G", "--", self.name()])
            .stdin(Stdio::null())
            .output()
            .map_err(|error| NetError::local("run ssh (is the OpenSSH client installed?)", error))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let name = text.lines().find_map(|line| line.strip_prefix("hostname ")).map(str::to_owned);
        name.ok_or_else(|| NetError::Resolve {
            target: self.user_and_host.clone(),
            reason: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        })
    }
}

/// Writes the header and the binary next to the caller, who watches the time; gives the open end back.
fn feed(child: &mut Child, header: String, mut binary: File) -> mpsc::Receiver<ChildStdin> {
    let (give, take) = mpsc::channel();
    if let Some(mut stdin) = child.stdin.take() {
        std::thread::spawn(move || {
            let fed =
                stdin.write_all(header.as_bytes()).and_then(|()| std::io::copy(&mut binary, &mut stdin));
            if fed.is_ok() {
                // No one takes it when the start has failed: then it closes here.
                let _ = give.send(stdin);
            }
        });
    }
    take
}

/// Reads on which port the responder listens; gives the lines that follow as well.
fn port(child: &mut Child, options: &SshOptions) -> Result<(u16, mpsc::Receiver<String>), NetError> {
    let complaint = read_beside(child.stderr.take());
    // Whoever says more than is heard waits: lines that nobody has asked for fill no memory.
    let (say, hear) = mpsc::sync_channel(1);
    if let Some(stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            while let Some(line) = next_line(&mut stdout) {
                // Where no one listens after the first word, the rest is read so that the far end never blocks.
                let _ = say.send(line);
            }
        });
    }
    let phase = "starting the responder over ssh";
    let deadline = Instant::now() + options.within;
    let stopped = || options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
    loop {
        match hear.recv_timeout(TICK) {
            // A login shell may greet first.
            Ok(line) if line.starts_with(CANNOT_RUN) => return Err(NetError::Lost { phase, reason: line }),
            Ok(line) => {
                if let Some(port) = listening(&line) {
                    return Ok((port, hear));
                }
            }
            Err(RecvTimeoutError::Timeout) if stopped() => return Err(NetError::Interrupted),
            Err(RecvTimeoutError::Timeout) if Instant::now() < deadline => {}
            Err(RecvTimeoutError::Timeout) => {
                return Err(NetError::Timeout { phase, seconds: options.within.as_secs_f64() });
            }
            Err(RecvTimeoutError::Disconnected) => {
                let text = complaint.recv_timeout(FAREWELL).unwrap_or_default();
                let reason = text.trim();
                let reason = if reason.is_empty() { "the session ended without any output" } else { reason };
                return Err(NetError::Lost { phase, reason: reason.to_owned() });
            }
        }
    }
}

/// The next line; `None` at the end, or when it is longer than any that we send.
fn next_line(from: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    let read = from.by_ref().take(LINE_BYTES).read_until(b'\n', &mut bytes).ok()?;
    let whole = bytes.last() == Some(&b'\n') || (read as u64) < LINE_BYTES;
    (read > 0 && whole).then(|| String::from_utf8_lossy(&bytes).trim_end().to_owned())
}

/// The port of `listening on ADDRESS:PORT`.
fn listening(line: &str) -> Option<u16> {
    line.strip_prefix("listening on ")?.rsplit_once(':')?.1.trim().parse().ok()
}

/// Reads to the end next to the caller; keeps the beginning.
fn read_beside(stream: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (say, hear) = mpsc::channel();
    if let Some(mut stream) = stream {
        std::thread::spawn(move || {
            let mut kept = Vec::new();
            // What cannot be read is no complaint; the rest is read so that ssh never blocks on it.
            let _ = stream.by_ref().take(COMPLAINT_BYTES).read_to_end(&mut kept);
            let _ = say.send(String::from_utf8_lossy(&kept).into_owned());
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        });
    }
    hear
}

/// Waits for the session's end; a session that does not end is ended.
fn end(child: &mut Child, within: Duration) {
    let deadline = Instant::now() + within;
    while Instant::now() < deadline {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(Duration::from_millis(20)),
            Ok(Some(_)) | Err(_) => return,
        }
    }
    // Both fail only when it is gone already.
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_split_and_options_in_disguise_refused() {
        let parsed = |text: &str| Destination::parse(text).ok().map(|d| (d.user_and_host, d.port));
        assert_eq!(parsed("ssh://oracle@db2"), Some(("oracle@db2".into(), None)));
        assert_eq!(parsed("ssh://db2:2222/"), Some(("db2".into(), Some(2222))));
        assert_eq!(parsed("ssh://root@[::1]:22"), Some(("root@::1".into(), Some(22))));
        for wrong in
            ["ssh://", "db2", "ssh://-oProxyCommand=x", "ssh://a b", "ssh://h:x", "ssh://-l@h", "ssh://$(x)"]
        {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_port_is_read_from_what_serve_prints() {
        assert_eq!(listening("listening on [::]:40001"), Some(40_001));
        assert_eq!(listening("cannot run it (Linux aarch64): Exec format error"), None);
    }

    /// A far program that listens as ours does, and says how it was called.
    const FAR: &str = "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\necho greeting\n\
                       echo \"listening on [::]:4711\"\necho \"$@\" >\"$0.said\"\nexec sleep 60\n";

    /// Runs the far command by this login shell, as sshd does, in a directory of the test's own.
    fn by_shell(shell: &str, far: &str, folder: &Path) -> (Child, Option<ChildStdin>) {
        let mut child = Command::new(shell)
            .args(["-c", &far_command(RESPONDER)])
            .env("TMPDIR", folder)
            .env("HOME", folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take();
        let header = format!("{}\n0\n  a key \\ with 'all' \"kinds\"\n{far}", far.len());
        stdin.as_mut().unwrap().write_all(header.as_bytes()).unwrap();
        (child, stdin)
    }

    /// What the script has made there; fish makes its own directories.
    fn ours(folder: &Path) -> Vec<std::path::PathBuf> {
        let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        paths.filter(|path| path.display().to_string().contains("fullwire.")).collect()
    }

    #[test]
    fn every_login_shell_starts_the_far_end_and_cleans_up() {
        for shell in ["sh", "bash", "dash", "zsh", "tcsh", "csh", "fish", "ksh"] {
            if Command::new(shell).args(["-c", "exit 0"]).output().is_err() {
                println!("{shell}: absent: skipped");
                continue;
            }
            let folder = tempfile::tempdir().unwrap();
            let (mut child, stdin) = by_shell(shell, FAR, folder.path());
            let options = SshOptions { within: Duration::from_secs(10), ..SshOptions::default() };
            let found = port(&mut child, &options);
            let found = found.map(|(port, _)| port);
            assert_eq!(found.as_ref().ok(), Some(&4711), "{shell}: {found:?}");
            let inside = ours(folder.path()).remove(0);
            let key = std::fs::read_to_string(inside.join("key")).unwrap();
            assert_eq!(key, "  a key \\ with 'all' \"kinds\"\n", "{shell}");
            drop(stdin);
            end(&mut child, FAREWELL);
            assert!(ours(folder.path()).is_empty(), "{shell}");

            let (mut child, _stdin) = by_shell(shell, "no program", folder.path());
            let refused = port(&mut child, &options).map(|(port, _)| port).unwrap_err().to_string();
            assert!(refused.contains(CANNOT_RUN), "{shell}: {refused}");
            end(&mut child, FAREWELL);
            assert!(ours(folder.path()).is_empty(), "{shell}");
        }
    }

    #[test]
    fn a_start_that_says_nothing_is_given_up_at_a_signal() {
        let mut child =
            Command::new("sleep").arg("60").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let options = SshOptions { stop: Some(Arc::clone(&stop)), ..SshOptions::default() };
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            stop.store(true, Ordering::Relaxed);
        });
        let begun = Instant::now();
        assert!(matches!(port(&mut child, &options), Err(NetError::Interrupted)));
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
        end(&mut child, Duration::ZERO);
    }
}
