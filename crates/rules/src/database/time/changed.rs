//! Several reports of one database: what changed between the interval with the least load and the one with the most, ranked
//! by the DB time that it costs.

use super::{Spent, load, spent};
use fullwire_model::demand::AwrReport;
use std::collections::BTreeMap;

/// Loads that differ by less are the same (own choice).
const SAME: f64 = 1.2;
/// Changes that are named.
const NAMED: usize = 3;

/// What changed; nothing for one report, or reports of several databases.
pub(super) fn sentences(by_load: &[&AwrReport]) -> Vec<String> {
    let (Some(bad), true) = (by_load.first(), by_load.len() > 1) else { return Vec::new() };
    let whose = |report: &AwrReport| (report.db_id, report.db_name.clone(), report.instance.clone());
    if by_load.iter().any(|report| whose(report) != whose(bad)) {
        return Vec::new();
    }
    // Of many, the usual one: the least loaded may be a night without work.
    let good = if by_load.len() > 2 { by_load[by_load.len() / 2] } else { by_load[1] };
    let (Some(high), Some(low)) = (load(bad), load(good)) else { return Vec::new() };
    let names = format!("from {} to {}", when(good), when(bad));
    if high < SAME * low {
        return vec![format!(
            "The load is alike in all reports: {low:.1} and {high:.1} active sessions {names}."
        )];
    }
    let changes = changes(by_load, (good, low), (bad, high));
    let listed: Vec<String> = changes.iter().take(NAMED).map(Change::text).collect();
    let what = if listed.is_empty() { String::new() } else { format!(": {}", listed.join(", ")) };
    vec![format!("Active sessions went from {low:.1} to {high:.1} {names}{what}.")]
}

struct Change {
    event: String,
    /// Active sessions more or less.
    by: f64,
    means_ms: Option<(f64, f64)>,
}

impl Change {
    /// `db file sequential read +3.1 (4.10 → 12.0 ms)`
    fn text(&self) -> String {
        let means = self.means_ms.map(|(from, to)| format!(" (mean {from:.2} → {to:.2} ms)"));
        format!("{} {:+.2}{}", self.event, self.by, means.unwrap_or_default())
    }
}

/// Events by how many more sessions were in them; what scatters as much among the other reports is no change.
fn changes(all: &[&AwrReport], good: (&AwrReport, f64), bad: (&AwrReport, f64)) -> Vec<Change> {
    let sessions = |(report, load): (&AwrReport, f64)| -> BTreeMap<String, (f64, Option<f64>)> {
        let of = |one: Spent| (one.event, (one.share * load, one.mean_ms));
        spent(report).into_iter().map(of).collect()
    };
    let (before, after) = (sessions(good), sessions(bad));
    let others: Vec<BTreeMap<String, (f64, Option<f64>)>> =
        all.iter().skip(1).filter_map(|report| Some(sessions((report, load(report)?)))).collect();
    let mut changes: Vec<Change> = Vec::new();
    for event in before.keys().chain(after.keys().filter(|event| !before.contains_key(*event))) {
        let of = |all: &BTreeMap<String, (f64, Option<f64>)>| all.get(event).map_or(0.0, |one| one.0);
        let by = of(&after) - of(&before);
        let range = others
            .iter()
            .map(of)
            .fold((f64::MAX, f64::MIN), |(low, high), one| (low.min(one), high.max(one)));
        let noise = if others.len() > 1 { range.1 - range.0 } else { 0.0 };
        if by.abs() > noise && by.abs() >= 0.05 * (bad.1 - good.1).abs() {
            let mean = |all: &BTreeMap<String, (f64, Option<f64>)>| all.get(event).and_then(|one| one.1);
            changes.push(Change { event: event.clone(), by, means_ms: mean(&before).zip(mean(&after)) });
        }
    }
    changes.sort_by(|one, other| other.by.abs().total_cmp(&one.by.abs()));
    changes
}

fn when(report: &AwrReport) -> String {
    match report.begin {
        Some(begin) => begin.strftime("%Y-%m-%d %H:%M").to_string(),
        None => report.source.clone(),
    }
}
