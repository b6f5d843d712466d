//! `fullwire import`: other tools' outputs, as a run that can be charted, judged and compared.

mod archive;

use super::file::or_of_another_kind;
use crate::cli::ImportArgs;
use crate::demand::only_member;
use crate::output::Show;
use crate::session::Session;
use anyhow::{Context, Result, bail};
use fullwire_demand::import::{
    HEAD_BYTES, Imported, Options, detect, detect_and_read, is_oswatcher, read_stream, together,
};
use fullwire_model::GapReason;
use fullwire_observe::{Unpacking, unpacked};
use fullwire_present::{json, terminal};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Text is read whole, but never more than this.
const LARGEST_BYTES: u64 = 1 << 30;

pub(crate) fn run(args: &ImportArgs, show: &Show) -> Result<ExitCode> {
    let mut session = Session::live("import", &args.keep)?;
    session.judge_by(&args.judge, &[])?;
    session.run.command.expect_bytes_per_s = args.expect;
    let options = Options {
        date_order: args.date_order.map(Into::into),
        today: Some(jiff::Zoned::now().date()),
        known: fullwire_rules::KNOWN_LINES,
    };
    let absent = args.files.iter().find(|path| path.as_path() != Path::new("-") && !path.exists());
    if let Some(absent) = absent {
        bail!("{} does not exist", absent.display());
    }
    read_all(&mut session, &args.files, options).map_err(|error| or_of_another_kind(error, &args.files))?;
    let outcome = session.finish();
    let text = || terminal::report(&outcome.report()).render(true);
    if args.spans {
        let gaps = fullwire_present::gaps(&outcome.run);
        let document = json::spans(&outcome.assessment.spans, &gaps);
        outcome.show(show, &document, || terminal::spans(&outcome.report()).render(true))?;
    } else {
        outcome.show(show, &json::assess(&outcome.run, &outcome.assessment), text)?;
    }
    outcome.keep(&args.keep, show);
    Ok(outcome.exit_code(args.judge.fail_on))
}

/// Reads every file; one bad file of many is a gap.
fn read_all(session: &mut Session, named: &[PathBuf], options: Options) -> Result<()> {
    let mut failed: Option<anyhow::Error> = None;
    let mut some = false;
    let mut unread: Unread = BTreeMap::new();
    let mut series = Vec::new();
    for path in named {
        let files = match archive::files_of(path) {
            Ok(files) => files,
            Err(error) => {
                note(session, path, &error);
                failed.get_or_insert(error);
                continue;
            }
        };
        let beside = archive::beside(path);
        if !beside.is_empty() {
            let detail = format!("not read, for they are not of OSWatcher's archive: {}", beside.join(", "));
            session.gap(path.display().to_string(), GapReason::Skipped, detail);
        }
        for file in &files {
            match read(file, options) {
                Ok(mut imported) => {
                    series.append(&mut imported.series);
                    session.run.net.append(&mut imported.net);
                    session.run.disk.append(&mut imported.disk);
                    some = true;
                }
                Err(error) => {
                    if is_unread(file) {
                        unread
                            .entry(archive::archive_of(file))
                            .or_default()
                            .insert(archive::command_of(file));
                    } else {
                        note(session, file, &error);
                    }
                    failed.get_or_insert(error);
                }
            }
        }
    }
    session.run.imported.append(&mut together(series));
    for (folder, commands) in unread {
        let commands = commands.into_iter().collect::<Vec<_>>().join(", ");
        let detail = format!("not read: {commands}. Of OSWatcher's files, {} are read", READ.join(", "));
        session.gap(&folder, GapReason::Skipped, detail);
    }
    match failed {
        Some(error) if !some => Err(error),
        _ => Ok(()),
    }
}

/// For each archive of OSWatcher, the commands whose output is not read.
type Unread = BTreeMap<String, BTreeSet<String>>;

/// OSWatcher's files that are read.
const READ: [&str; 4] = ["iostat", "mpstat", "nfsiostat", "vmstat"];

fn note(session: &mut Session, path: &Path, error: &anyhow::Error) {
    session.gap(path.display().to_string(), GapReason::Malformed, crate::sentence(error));
}

/// True for a file of OSWatcher with the output of a command that no reader is for.
fn is_unread(path: &Path) -> bool {
    let head = || -> Result<Vec<u8>> {
        let mut head = Vec::new();
        open(path)?.take(HEAD_BYTES as u64).read_to_end(&mut head)?;
        Ok(head)
    };
    let command = archive::command_of(path);
    path != Path::new("-")
        && !READ.contains(&command.as_str())
        && head().is_ok_and(|head| is_oswatcher(&head) && detect(&head, "").is_err())
}

/// Reads one file.
pub(crate) fn read(path: &Path, options: Options) -> Result<Imported> {
    if path == Path::new("-") {
        let unpacked = unpacked(std::io::stdin().lock()).context("unpack stdin")?;
        return read_from(BufReader::new(unpacked), "stdin", options);
    }
    read_from(open(path)?, &path.display().to_string(), options)
}

/// Opens a file, unpacking what is packed.
fn open(path: &Path) -> Result<BufReader<Unpacking<'static>>> {
    let name = path.display();
    let file = crate::output::open(path).with_context(|| format!("open {name}"))?;
    let mut file = BufReader::with_capacity(1 << 20, file);
    file.fill_buf().with_context(|| format!("read {name}"))?;
    let unpacked = unpacked(file).with_context(|| format!("unpack {name}"))?;
    Ok(BufReader::with_capacity(1 << 20, unpacked))
}

/// What may be very long is streamed, the rest read whole.
fn read_from(mut reader: BufReader<Unpacking<'_>>, name: &str, options: Options) -> Result<Imported> {
    let mut head = Vec::new();
    (&mut reader).take(HEAD_BYTES as u64).read_to_end(&mut head).with_context(|| format!("read {name}"))?;
    if head.starts_with(b"PK\x03\x04") {
        reader.by_ref().take(LARGEST_BYTES).read_to_end(&mut head).with_context(|| format!("read {name}"))?;
        let member = only_member(head, reader.get_ref(), LARGEST_BYTES)?;
        return Ok(detect_and_read(&member, name, options)?);
    }
    if detect(&head, name)?.is_streamed() {
        return Ok(read_stream(head.as_slice().chain(reader), name, options)?);
    }
    let mut bytes = head;
    reader.take(LARGEST_BYTES).read_to_end(&mut bytes).with_context(|| format!("read {name}"))?;
    Ok(detect_and_read(&bytes, name, options)?)
}
