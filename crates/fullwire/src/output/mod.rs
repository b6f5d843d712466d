//! What a command prints, and where: JSON, terminal text, a file.

pub(crate) mod charset;
pub(crate) mod progress;
pub(crate) mod verbose;

use crate::cli::{Color, OutputArgs};
use anyhow::{Context, Result, bail};
use fullwire_model::assessment::is_harmful;
use fullwire_model::json;
use fullwire_present::{harmless, harmless_styled};
use rustix::fs::{AtFlags, Mode, OFlags};
use serde::Serialize;
use std::fs::File;
use std::io::{self, IsTerminal, Read as _, Write};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
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
            write_to(path, escaped(&json::pretty(document)?).as_bytes())?;
        }
        if self.options.json {
            return plain(&escaped(&json::pretty(document)?));
        }
        styled(&text())
    }

    /// Text on stdout, coloured and drawn as the terminal allows.
    pub(crate) fn text(text: &str) -> Result<()> {
        styled(text)
    }

    /// One document a line, on stdout.
    pub(crate) fn json_line<D: Serialize>(document: &D) -> Result<()> {
        plain(&(escaped(&serde_json::to_string(document)?) + "\n"))
    }

    /// What is kept or read by a program, on stdout: as it is.
    pub(crate) fn source(text: &str) -> Result<()> {
        plain(text)
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
    std::thread::spawn(move || sender.send(File::open(path)));
    file.recv_timeout(within).unwrap_or_else(|_| {
        let what = format!("it could not be opened within {} s: no program writes into a pipe of this name, or its file system does not answer", within.as_secs());
        Err(io::Error::new(io::ErrorKind::TimedOut, what))
    })
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
fn say(text: &str) {
    let _ = writeln!(anstream::stderr(), "{}", charset::shown(&harmless(text)));
}

/// Writes a result to a file that only its owner reads, or to stdout when it is called `-`.
pub(crate) fn write_to(path: &Path, bytes: &[u8]) -> Result<()> {
    write_file(path, bytes, 0o600)
}

/// Writes next to the file and renames: whoever reads meanwhile sees the old one or the new one whole, and a link in its
/// place is replaced, never followed. Devices and pipes, and what this process has open, are written as they are.
pub(crate) fn write_file(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    if path == Path::new("-") {
        return forgive_closed_pipe(std::io::stdout().lock().write_all(bytes));
    }
    let written = match stream(path) {
        Some(stream) => stream.and_then(|mut stream| stream.write_all(bytes)),
        None => replaced(path, bytes, mode),
    };
    written.with_context(|| format!("write {}", path.display()))
}

/// What is no file to be replaced: it is looked at by a descriptor that opens nothing, and opened by that, so that nothing
/// else can be put in its place between. A pipe waits for its reader.
fn stream(path: &Path) -> Option<std::io::Result<File>> {
    let write = |path: &Path| File::options().write(true).open(path);
    let own = ["/dev/stdout", "/dev/stderr"].map(Path::new).contains(&path)
        || ["/dev/fd", "/proc/self/fd"].map(Path::new).contains(&path.parent()?);
    if own {
        return Some(write(path));
    }
    let there =
        rustix::fs::open(path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let kind = File::from(there.try_clone().ok()?).metadata().ok()?.file_type();
    let by_descriptor = format!("/proc/self/fd/{}", there.as_raw_fd());
    match () {
        () if kind.is_char_device() || kind.is_fifo() => Some(write(Path::new(&by_descriptor))),
        () if kind.is_block_device() || kind.is_socket() => {
            Some(Err(std::io::Error::other("it is a device or a socket")))
        }
        () => None,
    }
}

/// A new file that takes the place of what was there, in the directory as it was opened.
fn replaced(path: &Path, bytes: &[u8], mode: u32) -> std::io::Result<()> {
    let name = path.file_name().ok_or(std::io::ErrorKind::IsADirectory)?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let parent = File::open(parent)?;
    let mut beside = std::ffi::OsString::from(".");
    beside.push(name);
    // It does not end as a collector's pattern does.
    beside.push(format!(".{}", std::process::id()));
    let write = || -> std::io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::openat(&parent, &beside, flags, Mode::RUSR | Mode::WUSR)?);
        file.write_all(bytes)?;
        file.set_permissions(std::fs::Permissions::from_mode(mode))?;
        file.sync_all()?;
        Ok(rustix::fs::renameat(&parent, &beside, &parent, name)?)
    };
    write().inspect_err(|_| {
        let _ = rustix::fs::unlinkat(&parent, &beside, AtFlags::empty());
    })
}

/// A document whose values are as they were read and steer no terminal: what would is written as JSON's own escape (RFC 8259,
/// section 7). Outside of strings a document has no such character but line ends.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || !is_harmful(c) {
            text.push(c);
        } else {
            text.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    text
}

/// A reader that went away (`| head`) is no failure.
fn forgive_closed_pipe(written: std::io::Result<()>) -> Result<()> {
    match written {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("write to stdout"),
    }
}

fn plain(text: &str) -> Result<()> {
    forgive_closed_pipe(std::io::stdout().lock().write_all(text.as_bytes()))
}

fn styled(text: &str) -> Result<()> {
    let mut out = anstream::stdout().lock();
    let text = harmless_styled(&charset::shown(text));
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

    #[test]
    fn a_document_steers_no_terminal_and_keeps_its_values() {
        let value = "a\u{1b}[2J\u{9b}31m\u{202e}\u{7f}\u{e0041}\nä";
        let shown = escaped(&json::pretty(&[value]).unwrap());
        assert!(!shown.contains(|c| c != '\n' && is_harmful(c)), "{shown:?}");
        assert!(shown.contains(r"\u009b31m\u202e\u007f\udb40\udc41\nä"), "{shown}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&shown).unwrap(), [value]);
    }

    #[test]
    fn a_link_is_replaced_and_a_pipe_is_written() {
        for parent in [std::env::temp_dir(), "/dev/shm".into()] {
            let Ok(folder) = tempfile::tempdir_in(&parent) else { continue };
            let (target, link) = (folder.path().join("target"), folder.path().join("link"));
            std::fs::write(&target, "before").unwrap();
            std::os::unix::fs::symlink(&target, &link).unwrap();
            write_to(&link, b"a report").unwrap();
            assert_eq!(std::fs::read(&target).unwrap(), b"before", "{}", parent.display());
            assert_eq!(std::fs::read(&link).unwrap(), b"a report");
            assert!(std::fs::symlink_metadata(&link).unwrap().is_file());
            let pipe = folder.path().join("pipe");
            rustix::fs::mknodat(
                rustix::fs::CWD,
                &pipe,
                rustix::fs::FileType::Fifo,
                Mode::RUSR | Mode::WUSR,
                0,
            )
            .unwrap();
            let reader = std::thread::spawn({
                let pipe = pipe.clone();
                move || std::fs::read(pipe).unwrap()
            });
            write_to(&pipe, b"a report").unwrap();
            assert_eq!(reader.join().unwrap(), b"a report", "whoever came first waited for the other");
            let socket = folder.path().join("socket");
            let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
            assert!(write_to(&socket, b"a report").is_err());
            assert!(std::fs::symlink_metadata(&socket).unwrap().file_type().is_socket());
        }
        write_to(Path::new("/dev/null"), b"a report").unwrap();
    }
}
