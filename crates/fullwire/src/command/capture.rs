//! `fullwire capture`: what `check` reads, as an archive.

use crate::cli::CaptureArgs;
use crate::output::Show;
use crate::signals;
use anyhow::{Context, Result};
use fullwire_observe::{Ask, CaptureOptions, CountersAsk, Root};
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Counters are kept at both ends of this span, so that `check --root` can judge what changes.
const WINDOW: Duration = Duration::from_secs(2);
const THREADS_KEPT: usize = 64;

pub(crate) fn run(args: &CaptureArgs, show: &Show) -> Result<ExitCode> {
    signals::on_signals()?;
    let root = Root::live().context("open this host's /proc and /sys")?;
    let path = args.output.clone().unwrap_or_else(|| default_name(&root, args.anonymise));
    // What a host says of itself is not for everybody.
    let open = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
    let mut file = open.with_context(|| format!("create {} (it must not exist)", path.display()))?;
    let options = CaptureOptions {
        anonymise: args.anonymise,
        window: WINDOW,
        ask: Ask::default(),
        counters_ask: CountersAsk { threads: THREADS_KEPT, ..CountersAsk::default() },
    };
    let captured = fullwire_observe::capture(&root, &options, &mut file);
    // Ours alone: it was created above, and half an archive helps nobody.
    let remove = || {
        let _ = std::fs::remove_file(&path);
    };
    let report = match captured {
        Ok(_) if signals::raised() => {
            remove();
            anstream::eprintln!("fullwire: interrupted: the archive was removed");
            return Ok(ExitCode::from(signals::INTERRUPTED));
        }
        Ok(report) => report,
        Err(error) => {
            remove();
            return Err(error).with_context(|| format!("capture this host into {}", path.display()));
        }
    };
    let gaps = report.host.gaps.len();
    let document = serde_json::json!({
        "path": path.display().to_string(),
        "files": report.files,
        "bytes": report.bytes,
        "gaps": report.host.gaps,
    });
    show.result(&document, || format!("{}\n", path.display()))?;
    show.note(&format!(
        "{} files, {} kB before compression; {gaps} gaps; read it with: fullwire check --root {}",
        report.files,
        report.bytes / 1000,
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
