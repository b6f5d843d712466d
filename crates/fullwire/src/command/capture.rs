//! `fullwire capture`: what `check` reads, as an archive.

use crate::ask;
use crate::cli::CaptureArgs;
use crate::output::Show;
use crate::{signals, usage};
use anyhow::{Context, Result};
use fullwire_model::format::counted;
use fullwire_observe::{CaptureOptions, CountersAsk, Root};
use fullwire_present::json::CaptureDocument;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Counters are kept at both ends of this span, so that `check --root` can judge what changes.
const WINDOW: Duration = Duration::from_secs(2);
const THREADS_KEPT: usize = 64;

pub(crate) fn run(args: &CaptureArgs, show: &Show) -> Result<ExitCode> {
    signals::on_signals()?;
    let root = Root::live().context("open this host's /proc and /sys")?;
    let path = args.output.clone().unwrap_or_else(|| default_name(&root, args.anonymise));
    if path == Path::new("-") {
        return into_stdout(&root, args.anonymise, show);
    }
    // What a host says of itself is not for everyone.
    let (mut file, remove) = crate::output::create(&path)?;
    let options = options(args.anonymise);
    let captured = fullwire_observe::capture(&root, &options, &mut file);
    // Half an archive helps no one.
    let report = match captured {
        Ok(_) if signals::raised() => {
            remove();
            Show::warn("interrupted: the archive was removed");
            return Ok(ExitCode::from(signals::INTERRUPTED));
        }
        Ok(report) => report,
        Err(error) => {
            remove();
            return Err(error).with_context(|| format!("capture this host into {}", path.display()));
        }
    };
    let gaps = report.host.gaps.len();
    let document = CaptureDocument {
        schema: "fullwire.capture/1",
        path: path.display().to_string(),
        files: report.files as u64,
        bytes: report.bytes,
        gaps: &report.host.gaps,
    };
    show.result(&document, || format!("{}\n", path.display()))?;
    show.note(&format!(
        "{}, {} kB before compression; {}; read it with: fullwire check --root {}",
        counted(report.files, "file"),
        report.bytes / 1000,
        counted(gaps, "gap"),
        path.display()
    ));
    Ok(ExitCode::SUCCESS)
}

fn default_name(root: &Root, anonymise: bool) -> PathBuf {
    let host =
        root.attribute("/proc/sys/kernel/hostname").filter(|_| !anonymise).unwrap_or_else(|| "host".into());
    let time = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S").to_string();
    format!("fullwire-{host}-{time}.tar.zst").into()
}

fn options(anonymise: bool) -> CaptureOptions {
    CaptureOptions {
        anonymise,
        window: WINDOW,
        ask: ask::of_host(Vec::new()),
        counters_ask: CountersAsk { threads: THREADS_KEPT, ..CountersAsk::default() },
    }
}

/// For `ssh db1 fullwire capture -o - | fullwire check --root -`: the archive alone is on stdout.
fn into_stdout(root: &Root, anonymise: bool, show: &Show) -> Result<ExitCode> {
    if std::io::stdout().is_terminal() {
        return usage::wrong("not writing an archive to a terminal: name a file with -o, or pipe it");
    }
    let mut out = std::io::stdout().lock();
    let report = fullwire_observe::capture(root, &options(anonymise), &mut out)
        .context("capture this host into stdout")?;
    if signals::raised() {
        Show::warn("interrupted: the archive is incomplete");
        return Ok(ExitCode::from(signals::INTERRUPTED));
    }
    show.note(&format!("{}, {}", counted(report.files, "file"), counted(report.host.gaps.len(), "gap")));
    Ok(ExitCode::SUCCESS)
}
