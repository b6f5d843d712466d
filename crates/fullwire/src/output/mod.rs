//! What a command prints, and where: JSON, terminal text, a file.

pub(crate) mod charset;
mod file;
pub(crate) mod person;
pub(crate) mod progress;
pub(crate) mod verbose;

pub(crate) use file::{append, create, log, write_file, write_to};

use crate::cli::{Color, OutputArgs};
use anyhow::{Context, Result, bail};
use fullwire_model::json;
use fullwire_present::Printed;
use rustix::fs::{Mode, OFlags};
use serde::Serialize;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, IsTerminal, Read as _, Write};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

/// A command's way of speaking.
#[derive(Clone)]
pub(crate) struct Show {
    options: OutputArgs,
}

impl Show {
    pub(crate) fn new(options: &OutputArgs) -> Self {
        let choice = match options.color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
        charset::begin(options.ascii);
        if let Some((terminal_size::Width(columns), _)) = terminal_size::terminal_size_of(std::io::stdout()) {
            fullwire_present::terminal::fit(columns.into());
        }
        Self { options: options.clone() }
    }

    /// JSON was requested.
    pub(crate) fn json_wanted(&self) -> bool {
        self.options.json || self.options.json_file.is_some()
    }

    /// More was requested.
    pub(crate) fn verbose(&self) -> bool {
        self.options.verbose
    }

    /// The same without notes and progress: for one of many measurements.
    pub(crate) fn without_notes(&self) -> Self {
        Self { options: OutputArgs { quiet: true, ..self.options.clone() } }
    }

    /// The result is wanted as JSON.
    pub(crate) fn json(&self) -> bool {
        self.options.json
    }

    /// When to colour.
    pub(crate) fn color(&self) -> Color {
        self.options.color
    }

    /// Progress may have colours.
    pub(crate) fn coloured(&self) -> bool {
        self.options.color != Color::Never
    }

    /// Progress may be drawn: a person watches stderr.
    pub(crate) fn progress_wanted(&self) -> bool {
        !self.options.quiet && std::io::stderr().is_terminal()
    }

    /// Notes to a person, on stderr.
    pub(crate) fn note(&self, text: &str) {
        if !self.options.quiet {
            say(text);
        }
    }

    /// What a person must know even with `--quiet`, on stderr.
    pub(crate) fn warn(text: &str) {
        say(&format!("fullwire: {text}"));
    }

    /// The result: JSON or text on stdout, and JSON to a file where requested.
    pub(crate) fn result<D: Serialize>(&self, document: &D, text: impl FnOnce() -> String) -> Result<()> {
        if let Some(path) = &self.options.json_file {
            write_to(path, &Printed::json(&json::pretty(document)?))?;
        }
        if self.options.json {
            return plain(&Printed::json(&json::pretty(document)?));
        }
        styled(&text())
    }

    /// Text on stdout, coloured and drawn as the terminal allows.
    pub(crate) fn text(text: &str) -> Result<()> {
        styled(text)
    }

    /// One document a line, on stdout.
    pub(crate) fn json_line<D: Serialize>(document: &D) -> Result<()> {
        plain(&Printed::json(&(serde_json::to_string(document)? + "\n")))
    }

    /// What is kept or read by a program, on stdout: without colours and in its own characters.
    pub(crate) fn source(text: &str) -> Result<()> {
        plain(&Printed::lines(text))
    }
}

/// A file to be read; `-` is stdin.
pub(crate) fn input(path: &Path) -> &Path {
    if path == Path::new("-") { Path::new("/dev/stdin") } else { path }
}

/// A pipe without a program that writes into it, and a file system that does not answer, are given up after this time.
const OPENING: Duration = Duration::from_secs(10);

/// Opens a named file to be read; `-` is stdin.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    opened(path, OPENING)
}

fn opened(path: &Path, within: Duration) -> io::Result<File> {
    let path = input(path).to_owned();
    let (sender, file) = mpsc::channel();
    std::thread::spawn(move || sender.send(named(&path)));
    file.recv_timeout(within).unwrap_or_else(|_| {
        let what = format!("it could not be opened within {} s: no program writes into a pipe of this name, or its file system does not answer", within.as_secs());
        Err(io::Error::new(io::ErrorKind::TimedOut, what))
    })
}

/// A regular file or a pipe, judged by a descriptor that opens nothing and opened by that: reading a terminal or a device
/// waits, has no end, or does something (a tape rewinds). What the caller put on stdin is theirs.
fn named(path: &Path) -> io::Result<File> {
    if path == Path::new("/dev/stdin") {
        return File::open(path);
    }
    let there = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let kind = File::from(there.try_clone()?).metadata()?.file_type();
    let by_descriptor = format!("/proc/self/fd/{}", there.as_raw_fd());
    let refused = if kind.is_block_device() {
        Some(
            "it is a device: `fullwire disk` reads it, `fullwire watch` shows who uses it, `fullwire check` judges its settings",
        )
    } else if kind.is_char_device() {
        Some("it is a device")
    } else if kind.is_socket() {
        Some("it is a socket")
    } else {
        std::fs::read_link(&by_descriptor).is_ok_and(|path| is_used_up(&path)).then_some(USED_UP)
    };
    match refused {
        Some(what) => Err(io::Error::new(io::ErrorKind::InvalidInput, what)),
        None => File::open(by_descriptor),
    }
}

const USED_UP: &str =
    "what is read of it is gone for the programs that it is meant for: save it with dmesg or journalctl -k";

/// Files of the kernel that lose what is read of them, and wait for more (proc(5), `/proc/kmsg`; the kernel's
/// Documentation/trace/ftrace.rst, `trace_pipe`).
fn is_used_up(path: &Path) -> bool {
    let of_kernel = path.starts_with("/proc") || path.starts_with("/sys");
    of_kernel && path.file_name().is_some_and(|name| name == "kmsg" || name == "trace_pipe")
}

/// What a named file holds, which may have this many bytes: a device or a pipe has no end.
pub(crate) fn read_limited(path: &Path, most: u64) -> Result<Vec<u8>> {
    let read = || format!("read {}", path.display());
    let mut bytes = Vec::new();
    let file = open(path).with_context(read)?;
    file.take(most + 1).read_to_end(&mut bytes).with_context(read)?;
    if bytes.len() as u64 > most {
        bail!("{} has more than {most} bytes, more than is read of such a file", path.display());
    }
    Ok(bytes)
}

/// A line on stderr. A terminal that is gone, or a log on a full disk, ends nothing: what is being done is done to its end.
pub(crate) fn say(text: &str) {
    let _ = writeln!(anstream::stderr(), "{}", charset::shown(&Printed::line(&in_short(text))));
}

/// No line for a person is longer.
const LINE_CHARACTERS: usize = 4000;

/// A text of which a part may be the word of a peer.
pub(crate) fn in_short(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LINE_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// What the command line was wrong about, coloured, on stderr.
pub(crate) fn say_mistake(text: &str) {
    // A reader that went away is no failure.
    let _ = anstream::stderr().write_all(Printed::styled(&charset::shown(text)).as_bytes());
}

/// A reader that went away (`| head`) is no failure.
fn forgive_closed_pipe(written: std::io::Result<()>) -> Result<()> {
    match written {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("write to stdout"),
    }
}

fn plain(text: &Printed) -> Result<()> {
    forgive_closed_pipe(std::io::stdout().lock().write_all(text.as_bytes()))
}

fn styled(text: &str) -> Result<()> {
    let mut out = anstream::stdout().lock();
    let text = Printed::styled(&charset::shown(text));
    forgive_closed_pipe(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also where everybody may make directories below /dev.
    #[test]
    fn a_pipe_into_which_nobody_writes_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let error = opened(&pipe, Duration::from_millis(50)).unwrap_err();
        assert!(error.to_string().contains("no program writes"), "{error}");
        assert_eq!(open(&folder.path().join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
        // One that is there and slow is waited for. By another name: the first is still waited for by who gave up.
        let pipe = folder.path().join("slow");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let writer = pipe.clone();
        let written = std::thread::spawn(move || std::fs::write(writer, "late").unwrap());
        let mut text = String::new();
        open(&pipe).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "late");
        written.join().unwrap();
    }

    /// The kernel's log is only asked for its name: nothing of it is read.
    #[test]
    fn what_is_no_file_is_refused_at_once_through_a_link_too() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let link = folder.path().join("link");
        let targets = ["/dev/zero", "/dev/ptmx", "/proc/kmsg"].map(Path::new);
        for target in targets.into_iter().chain([socket.as_path()]).filter(|target| target.exists()) {
            std::os::unix::fs::symlink(target, &link).unwrap();
            for path in [target, &link] {
                let error = opened(path, Duration::from_secs(5)).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{}: {error}", path.display());
            }
            std::fs::remove_file(&link).unwrap();
        }
        assert!(is_used_up(Path::new("/sys/kernel/tracing/per_cpu/cpu0/trace_pipe")));
        assert!(!is_used_up(Path::new("/proc/meminfo")) && !is_used_up(Path::new("/tmp/kmsg")));
        let file = folder.path().join("file");
        std::fs::write(&file, "text").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(read_limited(&link, 10).unwrap(), b"text");
    }
}
