//! `fullwire import`: other tools' outputs, as a run that can be charted, judged and compared.

use crate::cli::{DateOrderArg, ImportArgs};
use crate::output::Show;
use crate::session::Session;
use anyhow::{Context, Result};
use fullwire_demand::DateOrder;
use fullwire_demand::import::{Format, HEAD_BYTES, Imported, Options, detect, detect_and_read, read_stream};
use fullwire_model::GapReason;
use fullwire_present::{json, terminal};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Text is read whole, but never more than this.
const LARGEST_BYTES: u64 = 1 << 30;

pub(crate) fn run(args: &ImportArgs, show: &Show) -> Result<ExitCode> {
    let mut session = Session::live("import", &args.keep)?;
    session.judge_by(&args.judge, &[])?;
    session.run.command.expect_bytes_per_s = args.expect;
    let options = Options { date_order: args.date_order.map(Into::into) };
    read_all(&mut session, &args.files, options)?;
    let outcome = session.finish();
    let text = || {
        let report = outcome.report();
        let measured = !outcome.run.net.is_empty() || !outcome.run.disk.is_empty();
        if measured { terminal::assess(&report).render(true) } else { terminal::demand(&report).render(true) }
    };
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
fn read_all(session: &mut Session, files: &[PathBuf], options: Options) -> Result<()> {
    let mut failed: Option<anyhow::Error> = None;
    let mut some = false;
    for path in files {
        match read(path, options) {
            Ok(mut imported) => {
                session.run.imported.append(&mut imported.series);
                session.run.net.append(&mut imported.net);
                session.run.disk.append(&mut imported.disk);
                some = true;
            }
            Err(error) => {
                let detail = crate::sentence(&error);
                session.gap(&path.display().to_string(), GapReason::Malformed, detail);
                failed.get_or_insert(error);
            }
        }
    }
    match failed {
        Some(error) if !some => Err(error),
        _ => Ok(()),
    }
}

/// Reads one file.
pub(crate) fn read(path: &Path, options: Options) -> Result<Imported> {
    if path == Path::new("-") {
        return read_from(std::io::stdin().lock(), "stdin", options);
    }
    let name = path.display().to_string();
    let file = File::open(path).with_context(|| format!("open {name}"))?;
    read_from(BufReader::with_capacity(1 << 20, file), &name, options)
}

/// What may be very long is streamed, the rest read whole.
fn read_from(mut reader: impl BufRead, name: &str, options: Options) -> Result<Imported> {
    let mut head = Vec::new();
    (&mut reader).take(HEAD_BYTES as u64).read_to_end(&mut head).with_context(|| format!("read {name}"))?;
    if detect(&head, name)? == Format::SysstatJson {
        return Ok(read_stream(head.as_slice().chain(reader), name, options)?);
    }
    let mut bytes = head;
    reader.take(LARGEST_BYTES).read_to_end(&mut bytes).with_context(|| format!("read {name}"))?;
    Ok(detect_and_read(&bytes, name, options)?)
}

impl From<DateOrderArg> for DateOrder {
    fn from(order: DateOrderArg) -> Self {
        match order {
            DateOrderArg::Mdy => Self::MonthDayYear,
            DateOrderArg::Dmy => Self::DayMonthYear,
            DateOrderArg::Ymd => Self::YearMonthDay,
        }
    }
}
