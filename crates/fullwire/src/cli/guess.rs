//! `fullwire FILE`, `fullwire DIR`, `fullwire HOST`: which command is meant where none is named. The rest of the line is kept:
//! it has that command's options.

use super::Cli;
use clap::CommandFactory as _;
use fullwire_demand::import::{self, Options};
use fullwire_demand::piece::{Kind, is_known_form, pieces};
use fullwire_observe::{open_regular, unpacked};
use fullwire_probe::net::lookup;
use rustix::fs::OFlags;
use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};

/// What a file of SQLite begins with.
const SQLITE: &[u8] = b"SQLite format 3\0";
/// What an archive of a captured host ends with.
const ARCHIVES: [&str; 8] = [".tar", ".tar.zst", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz"];
/// Names that only the tree of a host has at its top.
const OF_A_HOST: [&str; 6] = ["proc", "sys", "etc", "var", "sos_commands", "basic-environment.txt"];
/// Addresses of databases, whose redo is read.
const OF_DATABASES: [&str; 3] = ["postgres://", "postgresql://", "mysql://"];
/// Entries of a folder that are looked at.
const MOST_ENTRIES: usize = 2_000;
/// What is read of a file to know whether it is text, and of which kind.
const HEAD_BYTES: u64 = 64 << 10;

/// The command line, with the command in front of a first argument that is none.
pub(crate) fn completed(arguments: Vec<OsString>) -> Vec<OsString> {
    let is_screen = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    completed_for(arguments, is_screen)
}

/// Where no screen shows a recording page by page, what was wrong is meant.
fn completed_for(mut arguments: Vec<OsString>, is_screen: bool) -> Vec<OsString> {
    let switches = arguments.iter().skip(1).take_while(|word| is_switch(word)).count();
    let first = 1 + switches;
    let meant = arguments.get(first).map_or(&[][..], |first| command(first));
    let is_bare = arguments.len() == first + 1;
    let folder = arguments.get(first).map(Path::new).filter(|path| meant == OF_REPORTS && path.is_dir());
    if let Some(files) = folder.and_then(reports) {
        arguments.splice(first..=first, files.into_iter().map(PathBuf::into_os_string));
    }
    arguments.splice(first..first, meant.iter().map(OsString::from));
    if let Some(option) = arguments.get(first..first + 2).and_then(option_left_out) {
        arguments.insert(first + 1, option.into());
    }
    if meant == ["replay"] && is_bare && !is_screen {
        arguments.push("--judge".into());
    }
    arguments
}

/// `assess /data`, `assess db2`, `check HOST.tar.gz`: the option that such a word is the value of, where it would mean this
/// very command without its name.
fn option_left_out(words: &[OsString]) -> Option<&'static str> {
    // The others take the word as it is: nothing is resolved or read for them.
    if !["assess", "check"].iter().any(|named| words[0] == *named) {
        return None;
    }
    match command(&words[1]) {
        [named, option] if words[0] == *named => Some(option),
        _ => None,
    }
}

/// An option of every command that takes no value, or has it behind a `=`: a file may follow it.
fn is_switch(word: &OsStr) -> bool {
    const SWITCHES: [&str; 6] = ["-v", "--verbose", "-q", "--quiet", "--json", "--ascii"];
    let Some(word) = word.to_str() else { return false };
    SWITCHES.contains(&word) || ["--color=", "--json-file="].iter().any(|begin| word.starts_with(begin))
}

/// What to do where a command of the estate is not in this build.
pub(crate) fn not_built(word: &str, has_estate: bool) -> Option<String> {
    (!has_estate && ["agent", "coordinator", "estate"].contains(&word)).then(|| {
        format!(
            "this build has no `{word}`: the commands for many hosts are a feature, `cargo build --release --features estate`; \
             `fullwire mesh` measures a cluster once without it"
        )
    })
}

fn command(first: &OsStr) -> &'static [&'static str] {
    let path = Path::new(first);
    let word = first.to_str();
    let program = Cli::command();
    if word.is_some_and(|word| program.find_subcommand(word).is_some()) {
        return &[];
    }
    match word {
        Some("-") => &["file"],
        _ if first.as_encoded_bytes().starts_with(b"-") => &[],
        _ if path.is_dir() => of_folder(path),
        _ if path.exists() => of_file(path),
        Some(word) if is_host(word) => &["assess", "--peer"],
        Some(word) if OF_DATABASES.iter().any(|scheme| word.starts_with(scheme)) => &["redo"],
        // An address of something else: nothing is fetched.
        Some(word) if word.contains("://") => &[],
        // No command has a slash: the file is not there, and the command that reads files says so.
        Some(word) if word.contains('/') => &["file"],
        _ => &[],
    }
}

/// A recording is replayed, a packed host audited, everything else read for what is in it.
fn of_file(path: &Path) -> &'static [&'static str] {
    let mut head = [0; SQLITE.len()];
    // What is read of a pipe is gone for the command that reads it.
    let file = open_regular(path, OFlags::empty());
    let is_recording = file.and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == *SQLITE;
    let name = path.to_string_lossy().to_lowercase();
    match () {
        () if is_recording => &["replay"],
        () if ARCHIVES.iter().any(|end| name.ends_with(end)) => &["check", "--root"],
        () => &["file"],
    }
}

/// The command that reads a folder of reports: it is given the files.
const OF_REPORTS: &[&str] = &["file"];

/// The files of a folder in which more are known reports than are no text at all, folders among them: they are read. What a file is
/// called tells nothing, of datafiles none is text, and a server's directory is full of folders. `None`: any other folder.
pub(crate) fn reports(folder: &Path) -> Option<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).ok()?.flatten().take(MOST_ENTRIES);
    let visible = entries.filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."));
    let mut files: Vec<PathBuf> = visible.map(|entry| entry.path()).collect();
    files.sort();
    let texts: Vec<Option<String>> = files.iter().map(|path| head_of_text(path)).collect();
    let others = texts.iter().filter(|text| text.is_none()).count();
    let named = |(text, path): &(&Option<String>, &PathBuf)| {
        text.as_ref().is_some_and(|text| is_known(text, &path.to_string_lossy()))
    };
    (texts.iter().zip(&files).filter(named).count() > others).then_some(files)
}

/// The beginning of a file, unpacked; `None`: it is no text.
fn head_of_text(path: &Path) -> Option<String> {
    let file = open_regular(path, OFlags::empty()).ok()?;
    let mut head = Vec::new();
    unpacked(std::io::BufReader::new(file)).ok()?.take(HEAD_BYTES).read_to_end(&mut head).ok()?;
    (!head.contains(&0)).then(|| String::from_utf8_lossy(&head).into_owned())
}

fn is_known(text: &str, name: &str) -> bool {
    let options = Options { known: fullwire_rules::KNOWN_LINES, ..Options::default() };
    let is_piece = || pieces(text, name, options).iter().any(|piece| piece.kind != Kind::Lines);
    import::detect(text.as_bytes(), name).is_ok() || is_known_form(text, options.known) || is_piece()
}

/// Recordings are replayed, a captured host (or a few files of one) is audited, reports are read, any other folder is storage
/// to be measured.
fn of_folder(path: &Path) -> &'static [&'static str] {
    let entries = || std::fs::read_dir(path).into_iter().flatten().flatten().take(MOST_ENTRIES);
    let names: Vec<String> =
        entries().map(|entry| entry.file_name().to_string_lossy().to_lowercase()).collect();
    let is_live_root = path.canonicalize().is_ok_and(|path| path == Path::new("/"));
    let of_host =
        names.iter().any(|name| OF_A_HOST.contains(&name.as_str()) || name.starts_with("sosreport"))
            || holds_one_host(path);
    // Folders of OSWatcher: oswiostat, oswvmstat, archive.
    let watched = names.iter().any(|name| name.starts_with("osw"));
    match () {
        () if names.iter().any(|name| Path::new(name).extension().is_some_and(|end| end == "fwr")) => {
            &["replay"]
        }
        () if watched => &["import"],
        () if of_host && !is_live_root => &["check", "--root"],
        () if reports(path).is_some() => OF_REPORTS,
        () => &["assess", "--path"],
    }
}

/// A folder with nothing in it but the folder of a host, as an archive unpacks. Programs have an `etc` and a `var` of their own.
fn holds_one_host(path: &Path) -> bool {
    let mut entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let (Some(only), None) = (entries.next(), entries.next()) else { return false };
    only.file_type().is_ok_and(|kind| kind.is_dir())
        && ["proc/meminfo", "proc/cpuinfo", "sos_commands", "basic-environment.txt"]
            .iter()
            .any(|name| only.path().join(name).exists())
}

/// An address, a name with a port or a dot, a scheme of a peer, or a bare name that this host resolves and that no command
/// resembles.
fn is_host(word: &str) -> bool {
    const SCHEMES: [&str; 3] = ["ssh://", "iperf3://", "iperf2://"];
    let bare = SCHEMES.iter().find_map(|scheme| word.strip_prefix(scheme));
    let plain = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || ".-_:[]@".contains(c))
    };
    if let Some(rest) = bare {
        return plain(rest);
    }
    let has_port = word.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let is_file = Path::new(word).extension().is_some_and(|end| end.to_str().is_some_and(is_of_files));
    plain(word)
        && (has_port || (word.contains('.') && !is_file) || (!resembles_command(word) && resolves(word)))
}

/// Ends of names that people give to files and no country has: a missing file is no host.
fn is_of_files(end: &str) -> bool {
    const ENDS: [&str; 14] =
        ["txt", "log", "html", "htm", "lst", "json", "csv", "gz", "xz", "zst", "zip", "fwr", "out", "tar"];
    ENDS.contains(&end.to_lowercase().as_str())
}

/// A typing error of a command: the same letters but for two.
fn resembles_command(word: &str) -> bool {
    let program = Cli::command();
    program.get_subcommands().any(|command| {
        let name = command.get_name();
        let (short, long) = if word.len() < name.len() { (word, name) } else { (name, word) };
        let mut rest: Vec<char> = long.chars().collect();
        let missing = short
            .chars()
            .filter(|c| rest.iter().position(|one| one == c).map(|at| rest.remove(at)).is_none())
            .count();
        missing + rest.len() <= 2
    })
}

fn resolves(name: &str) -> bool {
    lookup(name, 0).is_ok_and(|found| !found.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(first: &Path) -> Vec<String> {
        command(first.as_os_str()).iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn hosts_look_like_hosts_and_mistyped_commands_do_not() {
        for host in
            ["db2.example.com", "10.0.0.2", "db2:5555", "ssh://oracle@db2", "[fe80::1]:5555", "localhost"]
        {
            assert!(is_host(host), "{host}");
        }
        for word in ["asses", "chekc", "hepl", "no/such/file", "missing.txt", "awr.html", "", "a b.c"] {
            assert!(!is_host(word), "{word}");
        }
    }

    #[test]
    fn a_build_without_the_estate_says_how_to_get_it() {
        let told = not_built("estate", false).expect("a sentence");
        assert!(told.contains("--features estate"), "{told}");
        assert_eq!((not_built("estate", true), not_built("mesh", false)), (None, None));
    }

    /// `<(zcat night.txt.gz)` as the file: nothing is taken out of the pipe.
    #[test]
    fn a_pipe_is_not_read_to_know_what_it_is() {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        std::io::Write::write_all(&mut writer, SQLITE).expect("written");
        drop(writer);
        let named = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&reader));
        assert_eq!(meant(Path::new(&named)), ["file"]);
        let mut left = Vec::new();
        std::io::Read::read_to_end(&mut { reader }, &mut left).expect("read");
        assert_eq!(left, SQLITE);
    }

    #[test]
    fn a_folder_and_a_file_tell_the_command_by_what_is_in_them() {
        let place = tempfile::tempdir().expect("made");
        let path = place.path();
        assert_eq!(meant(path), ["assess", "--path"], "an empty folder is storage");
        std::fs::write(path.join("users01.dbf"), "x").expect("written");
        assert_eq!(meant(path), ["assess", "--path"]);
        assert_eq!(meant(&path.join("users01.dbf")), ["file"]);
        std::fs::create_dir(path.join("proc")).expect("made");
        assert_eq!(meant(path), ["check", "--root"]);
        std::fs::write(path.join("db1.tar.gz"), "x").expect("written");
        assert_eq!(meant(&path.join("db1.tar.gz")), ["check", "--root"]);
        std::fs::write(path.join("night.fwr"), [SQLITE, b"rest of it"].concat()).expect("written");
        assert_eq!(meant(&path.join("night.fwr")), ["replay"]);
        assert_eq!(meant(path), ["replay"]);
        let line = |more: &[&str], is_screen| {
            let words = [&["fullwire", path.to_str().expect("text")], more].concat();
            completed_for(words.iter().map(OsString::from).collect(), is_screen).split_off(1)
        };
        let given =
            |words: &[&str]| completed_for(words.iter().map(OsString::from).collect(), false).split_off(1);
        assert_eq!(given(&["fullwire", "assess", "/", "--quick"]), ["assess", "--path", "/", "--quick"]);
        assert_eq!(given(&["fullwire", "assess", "10.0.0.2"]), ["assess", "--peer", "10.0.0.2"]);
        assert_eq!(
            given(&["fullwire", "-v", "check", "db1.tar.gz"]),
            ["-v", "check", "db1.tar.gz"],
            "it is not there"
        );
        assert_eq!(given(&["fullwire", "net", "10.0.0.2"]), ["net", "10.0.0.2"]);
        let own = path.as_os_str().to_owned();
        assert_eq!(line(&[], false), ["replay".into(), own.clone(), "--judge".into()]);
        assert_eq!(line(&[], true), ["replay".into(), own.clone()]);
        assert_eq!(line(&["--at", "12:00"], false), ["replay".into(), own, "--at".into(), "12:00".into()]);
        let file = path.join("users01.dbf");
        let words = ["fullwire", "-v", "--color=never", file.to_str().expect("text")];
        let line = completed_for(words.iter().map(OsString::from).collect(), false);
        assert_eq!(line[1..], ["-v", "--color=never", "file", words[3]], "{line:?}");
        assert_eq!(meant(&path.join("missing")), ["file"], "which says that it is not there");
        assert_eq!(meant(Path::new("postgres://db1/app")), ["redo"]);
        assert!(meant(Path::new("https://db1/awr.html")).is_empty(), "which is no command, says clap");
        let unpacked = tempfile::tempdir().expect("made");
        let proc = unpacked.path().join("db1-2026-11-01/proc");
        std::fs::create_dir_all(&proc).expect("made");
        assert_eq!(
            meant(unpacked.path()),
            ["assess", "--path"],
            "an empty folder of that name tells nothing"
        );
        std::fs::write(proc.join("meminfo"), "").expect("written");
        assert_eq!(meant(unpacked.path()), ["check", "--root"], "an archive's only folder is a host");
        std::fs::write(unpacked.path().join("users01.dbf"), "x").expect("written");
        assert_eq!(meant(unpacked.path()), ["assess", "--path"], "a datafile lies beside it");
        let reports = tempfile::tempdir().expect("made");
        let report = reports.path().join("iostat.txt");
        std::fs::write(reports.path().join("README.txt"), "of Monday night\n").expect("written");
        assert_eq!(meant(reports.path()), ["assess", "--path"], "a text of no kind");
        std::fs::write(
            &report,
            "Linux 5.4.0 (db1) \t03/01/2024 \t_x86_64_\t(2 CPU)\n\nDevice tps kB_read/s\n",
        )
        .expect("written");
        let words = ["fullwire", reports.path().to_str().expect("text"), "--no-store"];
        let line = completed_for(words.iter().map(OsString::from).collect(), false);
        let files = [reports.path().join("README.txt"), report].map(PathBuf::into_os_string);
        assert_eq!(
            line[1..],
            ["file".into(), files[0].clone(), files[1].clone(), "--no-store".into()],
            "read, not measured"
        );
        std::fs::write(reports.path().join("users01.dbf"), [0; 512]).expect("written");
        assert_eq!(meant(reports.path()), ["assess", "--path"], "a datafile lies there, too");
        std::fs::copy(reports.path().join("iostat.txt"), reports.path().join("iostat2.txt")).expect("copied");
        assert_eq!(meant(reports.path())[0], "file", "one picture among reports changes nothing");
        std::fs::create_dir(reports.path().join("base")).expect("made");
        assert_eq!(meant(reports.path()), ["assess", "--path"], "as many folders and files of no text");
        assert_eq!(meant(Path::new("/")), ["assess", "--path"], "the host that runs");
        assert!(meant(Path::new("check")).is_empty() && meant(Path::new("--help")).is_empty());
    }
}
