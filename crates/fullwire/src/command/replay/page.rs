//! `fullwire report RECORDING`: one page with every curve, trouble and event on one axis of time.

use super::{curves, foreign, judge, time};
use crate::cli::ReportArgs;
use crate::output::{Show, write_to};
use crate::signals;
use anyhow::{Context, Result, bail};
use fullwire_model::host::Host;
use fullwire_present::{Recorded, html};
use fullwire_store::recording::{Recording, Span as Stretch};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

/// A recording is named by its path: a file of ours, or a directory of them.
pub(crate) fn is_recording(name: &str) -> bool {
    let path = Path::new(name);
    path.is_dir() || (path.is_file() && path.extension().is_some_and(|extension| extension == "fwr"))
}

/// Judges the stretch and draws it.
pub(crate) fn report(args: &ReportArgs, show: &Show) -> Result<ExitCode> {
    signals::on_signals()?;
    let recording = Recording::open_until(Path::new(&args.run), signals::raised)?;
    let zone = time::zone(recording.meta("zone").as_deref());
    let whole = recording.span();
    let at = |text: &Option<String>, default| match text {
        Some(text) => time::parse(text, whole, &zone),
        None => Ok(default),
    };
    let stretch = Stretch { from: at(&args.from, whole.from)?, to: at(&args.to, whole.to)? };
    if recording.times(stretch.from, stretch.to).len() < 2 {
        bail!(
            "fewer than two samples from {} to {}; the recording goes from {} to {}",
            time::shown(stretch.from, &zone),
            time::shown(stretch.to, &zone),
            time::shown(whole.from, &zone),
            time::shown(whole.to, &zone)
        );
    }
    let last = recording.sample_at(stretch.to).context("no sample of the recording can be read")?;
    let host = recording.host(last.host).unwrap_or_default();
    let beside = foreign::beside(&args.with, &recording, &host, &zone)?;
    let judged = judge::judge(&recording, stretch, None, beside);
    let spans = judged.all_spans();
    let curves = curves::read(&recording, stretch, &host, &spans);
    let page = html::recording(&Recorded {
        host: if host.hostname.is_empty() { "a host" } else { &host.hostname },
        tool_version: env!("CARGO_PKG_VERSION"),
        from: stretch.from,
        to: stretch.to,
        zone: &zone,
        samples: judged.stretch.samples,
        curves: &curves,
        labels: &labels(&host),
        spans: &spans,
        events: &recording.events(stretch.from, stretch.to),
        gaps: &judged.gaps,
        beside: judged.beside.as_ref(),
    });
    if signals::raised() {
        return Ok(ExitCode::from(signals::INTERRUPTED));
    }
    write_to(&args.output, &page)?;
    if args.output != Path::new("-") {
        show.note(&format!("wrote {}", args.output.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Where a device is mounted, at the shortest of its mount points, or what a map is called.
fn labels(host: &Host) -> BTreeMap<String, String> {
    let mut labels: BTreeMap<String, String> = BTreeMap::new();
    for mount in &host.mounts {
        let Some(disk) = host.disk_by_number(&mount.number) else { continue };
        let label = labels.entry(disk.name.clone()).or_insert_with(|| mount.target.clone());
        if mount.target.len() < label.len() {
            label.clone_from(&mount.target);
        }
    }
    for disk in &host.disks {
        if let Some(dm) = disk.dm.as_ref().filter(|dm| !dm.name.is_empty()) {
            labels.entry(disk.name.clone()).or_insert_with(|| dm.name.clone());
        }
    }
    labels
}
