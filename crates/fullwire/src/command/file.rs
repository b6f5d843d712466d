//! `fullwire FILE`: whatever someone has, a report, a recording, an output, a piece of a log. What it is tells the file.

use crate::cli::FileArgs;
use crate::demand::{self, Reading};
use crate::output::{Show, open};
use crate::session::Session;
use anyhow::{Context, Result, bail};
use fullwire_demand::import::{self, Options, detect_and_read, together};
use fullwire_demand::piece::{Kind, Piece, is_known_form, pieces, stamped, unknown};
use fullwire_demand::{ReadError, ReadErrorKind, awr, logged, redo, totals, views};
use fullwire_model::assessment::quote;
use fullwire_model::demand::{Demand, ImportedSeries};
use fullwire_model::{Gap, GapReason, LoggedLine, Run};
use fullwire_observe::{Root, ZipFiles, open_regular, unpacked, without_secrets};
use fullwire_present::{json, terminal};
use jiff::Zoned;
use rustix::fs::OFlags;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A text is read whole, but never more than this.
const LARGEST_BYTES: u64 = 128 << 20;

/// Results of other tools that are judged: rules compare each with each.
const MOST_RESULTS: usize = 1_000;

pub(crate) fn run(args: &FileArgs, show: &Show) -> Result<ExitCode> {
    let options = Options {
        date_order: args.date_order.map(Into::into),
        today: Some(Zoned::now().date()),
        known: fullwire_rules::KNOWN_LINES,
    };
    let mut found = Found::default();
    let mut unread = None;
    for path in &args.files {
        let taken = contents(path).and_then(|(files, left_out)| {
            found.gaps.extend(left_out);
            found.take_all(&files, options)
        });
        if let Err(error) = taken {
            found.unread(&path.display().to_string(), &error);
            unread.get_or_insert(error);
        }
    }
    // Among others a file that nothing knows is a gap; alone it is all that there is to say.
    if let Some(error) = unread.filter(|_| found.count() == 0) {
        return Err(error);
    }
    let files = std::mem::take(&mut found.files);
    let is_host = !files.is_empty();
    let mut session = Session::on(Root::of_files(files), "file", &args.keep);
    session.judge_by(&args.judge, &[])?;
    if is_host {
        session.observe(&[]);
        session.glance();
    } else {
        session.run.host.gaps.push(Gap::new("kernel log", GapReason::Absent, "the file has none"));
    }
    found.into_session(&mut session);
    let mut outcome = session.finish();
    // A piece has none of a host's other files, and nobody asked for them: rules know what they lack.
    outcome.run.host.gaps.clear();
    let text = || terminal::report(&outcome.report()).render(true);
    outcome.show(show, &json::assess(&outcome.run, &outcome.assessment), text)?;
    outcome.keep(&args.keep, show);
    Ok(outcome.exit_code(args.judge.fail_on))
}

/// What a command that does not know a file says where `fullwire FILE` knows it.
pub(crate) fn or_of_another_kind(error: anyhow::Error, files: &[PathBuf]) -> anyhow::Error {
    let of_reader = |kind: ReadErrorKind| {
        error.chain().filter_map(|cause| cause.downcast_ref::<ReadError>()).any(|cause| cause.kind == kind)
    };
    let options = Options { known: fullwire_rules::KNOWN_LINES, ..Options::default() };
    let is_known = |path: &&PathBuf| {
        contents(path).is_ok_and(|(files, _)| {
            files.iter().any(|(name, bytes)| Found::default().take(bytes, name, options).is_ok())
        })
    };
    let named = files.iter().filter(|path| path.as_path() != Path::new("-"));
    match named.filter(|_| of_reader(ReadErrorKind::Foreign)).find(is_known) {
        Some(path) => {
            let path = path.display();
            anyhow::anyhow!("{path} is of another kind: `fullwire {path}` reads it")
        }
        None => error,
    }
}

/// Files by their names, and what was left out and why.
type Contents = (Vec<(String, Vec<u8>)>, Vec<(String, String)>);

/// What another tool measured, as a run of a comparison; `None`: the file is of no kind that is known.
pub(crate) fn measured(path: &Path) -> Option<Result<Run>> {
    let options = Options { known: fullwire_rules::KNOWN_LINES, ..Options::default() };
    let mut found = Found::default();
    found.take_all(&contents(path).ok()?.0, options).ok()?;
    let path = path.display().to_string();
    if found.net.is_empty() && found.disk.is_empty() {
        let command = if found.reports.is_empty() { "import" } else { "awr" };
        return Some(Err(anyhow::anyhow!(
            "{path} holds no result of a measurement (fio, iperf, dd, ...): `fullwire {command} FILE...` shows several files beside each other"
        )));
    }
    Some(Ok(Run { run_id: path, net: found.net, disk: found.disk, ..Run::default() }))
}

/// What is in a file: itself, unpacked, or the members of a ZIP archive.
fn contents(path: &Path) -> Result<Contents> {
    let name = if path == Path::new("-") { "stdin".to_owned() } else { path.display().to_string() };
    if path.is_dir() {
        bail!("a folder: `fullwire {}` looks into it", quote(&name));
    }
    let file = open(path).with_context(|| format!("open {name}"))?;
    let mut bytes = Vec::new();
    let mut reader = unpacked(BufReader::new(file)).with_context(|| format!("unpack {name}"))?;
    let most = LARGEST_BYTES + 1;
    reader.by_ref().take(most).read_to_end(&mut bytes).with_context(|| format!("read {name}"))?;
    if bytes.len() as u64 > LARGEST_BYTES {
        bail!(
            "{name} has more than {} MiB: give a part of it (tail -c 100M), or read a long recording with fullwire import",
            LARGEST_BYTES >> 20
        );
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        bail!("{name} is empty");
    }
    let Some(ZipFiles { mut files, mut left_out }) = reader.zip_members(&bytes, LARGEST_BYTES) else {
        return Ok((vec![(name, bytes)], Vec::new()));
    };
    let names = files.iter_mut().map(|(member, _)| member);
    for member in names.chain(left_out.iter_mut().map(|(member, _)| member)) {
        *member = format!("{name}/{member}");
    }
    if let (true, Some((member, why))) = (files.is_empty(), left_out.first()) {
        bail!("{member}: {why}");
    }
    Ok((files, left_out))
}

/// Files of a host of which lines tell what no record of it has, and how these begin.
const TOLD_BESIDE: [&str; 7] = [
    "multipath_-ll", "multipath.conf", "lsblk", "meminfo", "zpool_status_-vx", "diskstats", "ethtool_-g_eth0",
];
const TOLD_BY: [&str; 7] =
    ["multipath ", "multipath.conf: ", "lsblk: ", "Dirty:", "disk totals: ", "disk between: ", "ring of "];

/// Listings whose rows rules judge, so that no line of them says it again.
const JUDGED: [&str; 2] = ["v$asm_diskgroup: ", "v$dataguard_stats: "];

/// What was found in all files.
#[derive(Default)]
pub(crate) struct Found {
    /// Files of a host, by the path where it has them.
    files: Vec<(String, Vec<u8>)>,
    reports: Vec<fullwire_model::demand::AwrReport>,
    series: Vec<ImportedSeries>,
    net: Vec<fullwire_model::net::NetResult>,
    disk: Vec<fullwire_model::disk::DiskResult>,
    redo: Vec<fullwire_model::demand::RedoHistory>,
    views: Vec<fullwire_model::demand::OracleViews>,
    logged: Vec<LoggedLine>,
    totals: Vec<fullwire_model::Total>,
    gaps: Vec<(String, String)>,
    /// Logs and outputs of a known form, none of whose lines tells of trouble.
    quiet: usize,
}

impl Found {
    /// All members of a file: one that nothing knows is a gap beside the others.
    fn take_all(&mut self, files: &[(String, Vec<u8>)], options: Options) -> Result<()> {
        let (before, mut failed) = (self.count(), None);
        for (name, bytes) in files {
            if let Err(error) = self.take(bytes, name, options) {
                if files.len() > 1 {
                    self.unread(name, &error);
                }
                failed.get_or_insert(error);
            }
        }
        failed.filter(|_| self.count() == before).map_or(Ok(()), Err)
    }

    /// Beside what is known, the list of all that is read is no answer.
    fn unread(&mut self, name: &str, error: &anyhow::Error) {
        let why = crate::sentence(error);
        let short = why.split_once(": it reads ").map_or(why.as_str(), |(what, _)| what);
        self.gaps.push((name.to_owned(), without_secrets(short)));
    }

    /// Takes a file apart. An error: nothing in it is known.
    pub(crate) fn take(&mut self, bytes: &[u8], name: &str, options: Options) -> Result<()> {
        if is_binary(bytes) {
            // Its own reader says what it is.
            import::detect(bytes, name)?;
        }
        let text = String::from_utf8_lossy(bytes);
        let before = self.count();
        let mut failed = None;
        for piece in pieces(&text, name, options) {
            if let Err(error) = self.piece(&piece, name, options) {
                self.gaps.push((name.to_owned(), crate::sentence(&error)));
                failed.get_or_insert(error);
            }
        }
        match failed {
            _ if self.count() > before => Ok(()),
            Some(error) => Err(error),
            None => Err(unknown(&without_secrets(&text), name).into()),
        }
    }

    fn count(&self) -> usize {
        let of_databases = self.reports.len() + self.redo.len() + self.views.len();
        let measured = self.series.len() + self.net.len() + self.disk.len();
        of_databases + measured + self.files.len() + self.logged.len() + self.totals.len() + self.quiet
    }

    fn piece(&mut self, piece: &Piece, name: &str, options: Options) -> Result<()> {
        let text = piece.text.as_str();
        match &piece.kind {
            Kind::Report => self.reports.push(awr::read(text.as_bytes(), name)?),
            Kind::Recording => {
                // What the kernel said meanwhile is pasted below.
                let told: String = stamped(text).map(|line| format!("{line}\n")).collect();
                self.lines(&(told + &logged::rows(text)), name);
                let mut imported = detect_and_read(text.as_bytes(), name, options)?;
                self.series.append(&mut imported.series);
                self.net.append(&mut imported.net);
                self.disk.append(&mut imported.disk);
            }
            Kind::Views => {
                self.views.push(views::read(text, name)?);
                // These have rules of their own, which judge the same.
                let judged = |line: &LoggedLine| JUDGED.iter().any(|view| line.text.starts_with(view));
                self.lines_if(text, name, |line| !judged(line));
            }
            Kind::Redo => self.redo.push(redo::read(text, name, redo::DEFAULT_HEADROOM, options.date_order)?),
            Kind::Host(path) => {
                self.files.push(((*path).to_owned(), text.as_bytes().to_vec()));
                // What the kernel said is pasted below.
                self.lines(&stamped(text).map(|line| format!("{line}\n")).collect::<String>(), name);
                self.beside(path, text, name);
            }
            Kind::File(path) => {
                self.files.push((path.clone(), text.as_bytes().to_vec()));
                self.beside(path, text, name);
            }
            Kind::Totals => {
                self.totals.extend(totals::totals(text, name));
                self.lines_if(text, name, |line| line.text.starts_with("mtu: "));
            }
            Kind::Lines => {
                let before = self.logged.len();
                self.lines(text, name);
                if self.logged.len() == before {
                    self.logged.extend(logged::judged(text, name));
                }
                // What was told or judged is known.
                self.quiet += usize::from(self.logged.len() == before && is_known_form(text, options.known));
            }
        }
        Ok(())
    }

    /// What is told of some files of a host beside what its readers make of them.
    fn beside(&mut self, path: &str, text: &str, name: &str) {
        if !TOLD_BESIDE.iter().any(|file| path.ends_with(file)) {
            return;
        }
        self.lines_if(text, name, |line| {
            TOLD_BY.iter().any(|start| line.text.starts_with(start)) || line.text.contains("% done")
        });
    }

    fn lines(&mut self, text: &str, name: &str) {
        self.lines_if(text, name, |_| true);
    }

    fn lines_if(&mut self, text: &str, name: &str, told: impl Fn(&LoggedLine) -> bool) {
        let lines = logged::lines(text, name, fullwire_rules::KNOWN_LINES).into_iter().filter(told);
        self.logged.extend(lines.map(|line| LoggedLine { text: without_secrets(&line.text), ..line }));
    }

    /// Hands over what was found.
    pub(crate) fn into_session(self, session: &mut Session) {
        session.run.imported.append(&mut together(self.series));
        let count = self.net.len() + self.disk.iter().map(|result| result.steps.len()).sum::<usize>();
        if count > MOST_RESULTS {
            let what =
                format!("the first {MOST_RESULTS} of {count} results are judged: each is compared with each");
            session.gap("results", GapReason::Skipped, what);
        }
        let mut left = MOST_RESULTS;
        session.run.net.extend(self.net.into_iter().take(left));
        left = left.saturating_sub(session.run.net.len());
        for mut result in self.disk {
            result.steps.truncate(left);
            left -= result.steps.len();
            session.run.disk.push(result);
        }
        session.run.logged.extend(self.logged);
        session.run.totals.extend(self.totals);
        session.run.reports.extend(self.reports);
        for views in self.views {
            demand::keep_views(session, views);
        }
        let mut demands: Vec<Demand> = Vec::new();
        for history in self.redo {
            demands.push(fullwire_demand::of_redo(&history));
            demand::keep_history(session, history);
        }
        demand::conclude(session, demands, Reading::default());
        for (name, detail) in self.gaps {
            session.gap(&name, GapReason::Malformed, detail);
        }
    }
}

/// Text has no zero bytes; in UTF-16 every other one may be.
fn is_binary(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(import::HEAD_BYTES)];
    head.contains(&0) && !head.starts_with(&[0xff, 0xfe]) && !head.starts_with(&[0xfe, 0xff])
}

/// A tree of no more files is looked at file by file, wherever they are.
const SMALL_TREE: usize = 40;
/// Of each file of a small tree.
const LARGEST_OF_TREE: u64 = 16 << 20;

/// What the readers of a host know by its place. Told once more as loose lines, it would be trouble where it is always so:
/// a full squashfs, `nofail` in the fstab.
const READ_BY_PLACE: [&str; 22] = [
    "boot",
    "etc",
    "proc/1",
    "proc/cmdline",
    "proc/cpuinfo",
    "proc/meminfo",
    "proc/mounts",
    "run",
    "sos_commands/block",
    "sos_commands/chrony",
    "sos_commands/date",
    "sos_commands/devicemapper",
    "sos_commands/filesys",
    "sos_commands/host",
    "sos_commands/kernel",
    "sos_commands/memory",
    "sos_commands/networking/ip_-d_address",
    "sos_commands/networking/ip_-s_-d_link",
    "sos_commands/networking/ip_route_show_table_all",
    "sos_commands/process",
    "sys",
    "usr",
];

/// What the files of a small tree tell by themselves; `None`: the tree is a whole host's.
pub(crate) fn of_small_tree(root: &Path, options: Options) -> Option<Found> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).ok()?.flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
            if files.len() > SMALL_TREE || folders.len() > SMALL_TREE {
                return None;
            }
        }
    }
    let is_host = root.join("etc/os-release").exists() || root.join("proc/meminfo").exists();
    let by_place = |path: &PathBuf| {
        is_host
            && path
                .strip_prefix(root)
                .is_ok_and(|path| READ_BY_PLACE.iter().any(|place| path.starts_with(place)))
    };
    files.retain(|path| !by_place(path));
    files.sort();
    let mut found = Found::default();
    for path in files {
        let mut bytes = Vec::new();
        let file = open_regular(&path, OFlags::NOFOLLOW);
        let read = file.and_then(|file| file.take(LARGEST_OF_TREE).read_to_end(&mut bytes));
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        // What is not known by itself may be known by its place.
        if read.is_ok() {
            let _ = found.take(&bytes, &name, options);
        }
    }
    // The tree has them at their own places.
    found.files.clear();
    found.gaps.clear();
    Some(found)
}

impl Found {
    /// Nothing of a known kind.
    pub(crate) fn is_empty(&self) -> bool {
        self.count() == self.quiet
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("the sources").flatten() {
            if entry.path().is_dir() {
                files(&entry.path(), found);
            } else {
                found.push(entry.path());
            }
        }
    }

    /// The heading that a query makes, and a row: `select status, error from v$archive_dest where ...`.
    fn listing(query: &str) -> Option<(String, String)> {
        let (columns, rest) = query.split_once(" from ")?;
        let view: String =
            rest.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '$')).collect();
        let all = match view.as_str() {
            "v$archive_gap" => "thread#, low_sequence#, high_sequence#",
            "v$recovery_area_usage" => "file_type, percent_space_used, percent_space_reclaimable",
            _ => columns,
        };
        // `count(*) members` is headed by its alias.
        let alias = |name: &str| name.split_whitespace().last().unwrap_or_default().to_uppercase();
        let names: Vec<String> = all.split(", ").map(alias).collect();
        let row = vec!["1"; names.len()].join(",");
        Some((view, format!("{}\n{row}\n", names.join(","))))
    }

    #[test]
    fn a_file_of_another_kind_is_sent_to_the_command_that_reads_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("a file");
            path
        };
        let iostat = write(
            "iostat.txt",
            "Device            r/s     w/s     rkB/s     wkB/s   await  %util\nsda              1.00    2.00      8.00     16.00    1.00   0.10\n",
        );
        let letter = write("letter.txt", "Dear all,\n");
        let refused = |path: &PathBuf| {
            let bytes = std::fs::read(path).expect("the file");
            let error = awr::read(&bytes, "x").expect_err("no report");
            or_of_another_kind(error.into(), std::slice::from_ref(path)).to_string()
        };
        assert!(refused(&iostat).contains("of another kind: `fullwire "), "{}", refused(&iostat));
        assert!(!refused(&letter).contains("of another kind"));
    }

    #[test]
    fn files_that_a_text_names_lie_where_a_host_has_them() {
        let text = "[root@db1 ~]# cat /sys/block/sda/device/queue_depth\n1\n[root@db1 ~]# cat /etc/fstab\n\
                    UUID=0-1 /u01 xfs noatime,nofail 0 0\n[root@db1 ~]# uptime\n up 3 days\n";
        let mut found = Found::default();
        found.take(text.as_bytes(), "pasted", Options::default()).expect("two files");
        let paths: Vec<&str> = found.files.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["/sys/block/sda/device/queue_depth", "/etc/fstab"]);
        assert_eq!(found.files[0].1, b"1\n");
    }

    /// Whoever runs what a remedy says has its output, and hands that over.
    #[test]
    fn what_a_remedy_lets_its_reader_ask_is_known_when_it_comes_back() {
        let mut sources = Vec::new();
        files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules/src/database"), &mut sources);
        let options = Options { known: fullwire_rules::KNOWN_LINES, ..Options::default() };
        let mut asked = 0;
        for path in sources {
            let text = std::fs::read_to_string(&path).expect("a source");
            let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            for query in lines.flat_map(|line| line.split("select ").skip(1)) {
                let Some((view, listing)) = listing(query).filter(|(view, _)| view.starts_with("v$")) else {
                    continue;
                };
                asked += 1;
                let known = Found::default().take(listing.as_bytes(), "x", options);
                assert!(known.is_ok(), "{}: {view}\n{listing}{known:?}", path.display());
            }
        }
        assert!(asked >= 12, "{asked} queries were found");
        let getif = b"eth1  192.168.10.0  global  cluster_interconnect\n";
        assert!(Found::default().take(getif, "x", options).is_ok());
    }

    /// A ZIP of a mail: its text, and the log that tells of trouble.
    #[test]
    fn a_member_that_nothing_knows_hides_no_other() {
        let member = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
        let log = "Nov 22 02:00:00 db kernel: XFS (sdb): Log I/O Error Detected. Shutting down filesystem\n";
        let mut files = vec![member("readme.txt", "Dear all,\nsee below."), member("messages", log)];
        for _ in 0..2 {
            let mut found = Found::default();
            found.take_all(&files, Options::default()).unwrap();
            assert_eq!((found.gaps.len(), found.gaps[0].0.as_str()), (1, "readme.txt"), "{:?}", found.gaps);
            assert!(found.count() > 0);
            files.reverse();
        }
        files.retain(|(name, _)| name == "readme.txt");
        assert!(Found::default().take_all(&files, Options::default()).is_err());
    }
}
