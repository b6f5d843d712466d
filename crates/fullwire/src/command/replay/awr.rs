//! `replay --awr`: the database's own figures next to what its devices counted in the same time.

use super::time;
use crate::demand;
use anyhow::{Context, Result, bail};
use fullwire_model::demand::AwrReport;
use fullwire_model::host::Host;
use fullwire_model::recording::window;
use fullwire_present::{Balance, DatabaseBeside};
use fullwire_store::recording::{Recording, Span};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::collections::BTreeSet;
use std::path::Path;

/// Bytes are called conserved within this: snapshots are taken in minutes, and file systems add their own.
const TOLERANCE: f64 = 0.10;

/// Nothing is said of less, bytes per second.
const LITTLE_BYTES_PER_S: f64 = 1e5;

/// Reads the report; the time that it covers is to be judged.
pub(super) fn read(path: &Path, zone: &TimeZone, whole: Span) -> Result<(AwrReport, Span)> {
    let report = demand::report_of(path)?;
    let (Some(begin), Some(end)) = (report.begin, report.end) else {
        bail!("{} does not contain the begin and end of its interval", path.display());
    };
    let at = |time: jiff::civil::DateTime| -> Result<Timestamp> {
        Ok(time.to_zoned(zone.clone()).context("the report's time in the recording's zone")?.timestamp())
    };
    let span = Span { from: at(begin)?, to: at(end)? };
    if span.to < whole.from || span.from > whole.to {
        bail!(
            "the report covers {begin} to {end}, the recording {} to {}: they do not overlap",
            time::shown(whole.from, zone),
            time::shown(whole.to, zone)
        );
    }
    Ok((report, span))
}

/// What the devices under the database's files counted in the report's time.
pub(super) fn beside(report: &AwrReport, span: Span, recording: &Recording) -> Option<DatabaseBeside> {
    let (from, to) = (recording.sample_at(span.from)?, recording.sample_at(span.to)?);
    let host = recording.host(to.host).ok()?;
    let devices = devices(&host);
    let window = window(&from.sample, &to.sample);
    let window = window.continuous();
    let seconds = window.seconds();
    let moved = |read: fn(&fullwire_model::counters::DiskCounters) -> u64| -> Option<f64> {
        let grown = |name: &String| {
            Some(read(window.to.disks.get(name)?).saturating_sub(read(window.from.disks.get(name)?)))
        };
        let all: u64 = devices.iter().map(grown).collect::<Option<Vec<u64>>>()?.iter().sum();
        (seconds > 0.0 && !devices.is_empty()).then(|| all as f64 / seconds)
    };
    let balance = |database: Option<f64>, devices: Option<f64>| {
        let (database, devices) = (database?, devices?);
        let larger = database.max(devices);
        let conserved = larger < LITTLE_BYTES_PER_S || (database - devices).abs() <= TOLERANCE * larger;
        Some(Balance { database_bytes_per_s: database, devices_bytes_per_s: devices, conserved })
    };
    Some(DatabaseBeside {
        source: report.source.clone(),
        db_name: report.db_name.clone(),
        from: span.from,
        to: span.to,
        read: balance(report.read_bytes_per_s, moved(|disk| disk.read_bytes)),
        written: balance(report.write_bytes_per_s, moved(|disk| disk.write_bytes)),
        devices: devices.into_iter().collect(),
    })
}

/// Under the databases' files; where none is known all mounted devices.
fn devices(host: &Host) -> BTreeSet<String> {
    let locations = host.databases.iter().flat_map(|database| database.locations.keys());
    let of_databases: BTreeSet<String> = locations
        .filter_map(|path| Some(host.disk_by_number(&host.mount_of(path)?.number)?.name.clone()))
        .collect();
    if !of_databases.is_empty() {
        return of_databases;
    }
    let mounted = host.mounts.iter().filter_map(|mount| host.disk_by_number(&mount.number));
    mounted.map(|disk| disk.name.clone()).collect()
}
