//! Redo logs, destinations and standbys (Oracle Database Reference: `V$LOG`, `V$STANDBY_LOG`, `V$ARCHIVE_DEST`,
//! `V$DATAGUARD_STATS`, `V$RECOVERY_FILE_DEST`, `V$DATABASE`).

use super::{Cells, Table, yes};
use crate::clock;
use fullwire_model::demand::{
    ArchiveDestination, DataguardStat, OracleDatabase, OracleViews, RecoveryArea, RedoGroup,
};
use jiff::civil::DateTime;

pub(super) fn logs(table: Option<&Table>, views: &mut OracleViews) {
    let rows = table.map_or_else(Vec::new, |table| table.rows("v$log", &mut views.gaps, log));
    views.redo_groups.get_or_insert_with(Vec::new).extend(rows);
}

pub(super) fn standby_logs(table: Option<&Table>, views: &mut OracleViews) {
    let rows = table.map_or_else(Vec::new, |table| table.rows("v$standby_log", &mut views.gaps, log));
    views.standby_groups.get_or_insert_with(Vec::new).extend(rows);
}

fn log(cells: &Cells) -> Option<RedoGroup> {
    Some(RedoGroup {
        thread: cells.count(&["thread#"])?,
        group: cells.count(&["group#"])?,
        bytes: cells.count(&["bytes"])?,
    })
}

pub(super) fn destinations(table: Option<&Table>, views: &mut OracleViews) {
    let rows =
        table.map_or_else(Vec::new, |table| table.rows("v$archive_dest", &mut views.gaps, destination));
    // A listing without a condition has 31 rows of which most are not set.
    let set = rows.into_iter().filter(|one| one.status != "INACTIVE");
    views.destinations.get_or_insert_with(Vec::new).extend(set);
}

fn destination(cells: &Cells) -> Option<ArchiveDestination> {
    Some(ArchiveDestination {
        id: cells.count(&["destid"])?,
        status: Some(cells.word(&["status"])).filter(|word| !word.is_empty())?,
        target: cells.word(&["target"]),
        destination: cells.text(&["destination"]),
        error: cells.text(&["error"]),
        transmit_mode: cells.word(&["transmitmode"]),
        affirm: yes(&cells.word(&["affirm"])),
        net_timeout_s: cells.count(&["nettimeout"]),
        delay_minutes: cells.count(&["delaymins"]),
    })
}

pub(super) fn stats(table: Option<&Table>, views: &mut OracleViews) {
    let rows = table.map_or_else(Vec::new, |table| table.rows("v$dataguard_stats", &mut views.gaps, stat));
    views.dataguard.get_or_insert_with(Vec::new).extend(rows);
}

fn stat(cells: &Cells) -> Option<DataguardStat> {
    let value = cells.text(&["value"]);
    Some(DataguardStat {
        name: Some(cells.text(&["name"]).to_lowercase()).filter(|name| !name.is_empty())?,
        seconds: interval_s(&value),
        value,
        datum_age_s: age_s(&cells.text(&["datumtime"]), &cells.text(&["timecomputed"])),
    })
}

/// `+00 00:00:03`, `+00 00:00:21.000`: days, then hours, minutes, seconds.
fn interval_s(text: &str) -> Option<f64> {
    let (days, time) = text.trim().split_once(' ')?;
    let days: f64 = days.trim_start_matches('+').parse().ok()?;
    let all = days * 86_400.0 + clock::interval_s(time.trim())?;
    (all.is_finite() && all >= 0.0).then_some(all)
}

/// Both columns are text in one fixed form, whatever the session's date format.
fn age_s(from: &str, to: &str) -> Option<f64> {
    let time = |text: &str| DateTime::strptime("%m/%d/%Y %H:%M:%S", text.trim()).ok();
    Some(time(to)?.duration_since(time(from)?).as_secs_f64())
}

pub(super) fn recovery_areas(table: Option<&Table>, views: &mut OracleViews) {
    let area = |cells: &Cells| {
        Some(RecoveryArea {
            name: cells.text(&["name"]),
            limit_bytes: cells.count(&["spacelimit"])?,
            used_bytes: cells.count(&["spaceused"])?,
            reclaimable_bytes: cells.count(&["spacereclaimable"])?,
        })
    };
    let rows = table.map_or_else(Vec::new, |table| table.rows("v$recovery_file_dest", &mut views.gaps, area));
    views.recovery_areas.get_or_insert_with(Vec::new).extend(rows);
}

pub(super) fn database(table: Option<&Table>, views: &mut OracleViews) {
    let one = |cells: &Cells| {
        Some(OracleDatabase {
            name: cells.text(&["dbuniquename", "name"]),
            role: Some(cells.word(&["databaserole"])).filter(|word| !word.is_empty())?,
            protection_mode: cells.word(&["protectionmode"]),
            protection_level: cells.word(&["protectionlevel"]),
        })
    };
    let rows = table.map_or_else(Vec::new, |table| table.rows("v$database", &mut views.gaps, one));
    views.database = views.database.take().or(rows.into_iter().next());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_days_and_hours() {
        let seconds =
            ["+00 00:00:03", "+01 02:00:00.500", "", "3 s", "+00 00:03", "+-1 00:00:00"].map(interval_s);
        assert_eq!(age_s("11/22/2026 23:59:58", "11/23/2026 00:00:01"), Some(3.0));
        assert_eq!(age_s("", "11/23/2026 00:00:01"), None);
        assert_eq!(seconds, [Some(3.0), Some(93_600.5), None, None, None, None]);
    }
}
