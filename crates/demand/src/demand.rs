//! What a report or a redo history asks of the I/O path.

use crate::redo::DEFAULT_HEADROOM;
use fullwire_model::demand::{AwrReport, Demand, RedoHistory};

/// The demand that a report shows. Rates are means over its interval; the peak within is higher.
pub fn of_report(report: &AwrReport) -> Demand {
    let mean_ns = |event: &str| report.waits.get(event).and_then(|wait| wait.mean_ms).map(|ms| ms * 1e6);
    let peak = worst_instance(report).or(report.redo_size_per_s);
    Demand {
        source: report.source.clone(),
        database: "oracle".into(),
        redo_peak_bytes_per_s: peak,
        redo_required_bytes_per_s: peak.map(|peak| peak * (1.0 + DEFAULT_HEADROOM)),
        redo_write_mean_bytes: report.mean_redo_write_bytes,
        read_io_per_s: report.read_io_per_s,
        read_bytes_per_s: report.read_bytes_per_s,
        write_io_per_s: report.write_io_per_s,
        write_bytes_per_s: report.write_bytes_per_s,
        commits_per_s: report.transactions_per_s,
        log_write_mean_ns: mean_ns("log file parallel write"),
        commit_wait_mean_ns: mean_ns("log file sync"),
        gaps: report.gaps.clone(),
    }
}

/// The heavier of two compared periods.
fn worst_instance(report: &AwrReport) -> Option<f64> {
    let second = report.second.as_ref()?.redo_size_per_s?;
    Some(report.redo_size_per_s?.max(second))
}

/// The demand that a redo history shows.
pub fn of_redo(history: &RedoHistory) -> Demand {
    Demand {
        source: history.source.clone(),
        database: history.database.clone(),
        redo_peak_bytes_per_s: history.peak_bytes_per_s,
        redo_required_bytes_per_s: history.required_bytes_per_s,
        redo_write_mean_bytes: history.mean_redo_write_bytes,
        gaps: history.gaps.clone(),
        ..Demand::default()
    }
}

/// Several sources as one demand: of each figure the largest rate and the first mean.
pub fn combine(demands: &[Demand]) -> Option<Demand> {
    let (first, rest) = demands.split_first()?;
    let mut all = first.clone();
    for demand in rest {
        // A report gives a demand and, with others, a history.
        for source in demand.source.split(", ") {
            if !all.source.split(", ").any(|known| known == source) {
                all.source = format!("{}, {source}", all.source);
            }
        }
        for (field, other) in [
            (&mut all.redo_peak_bytes_per_s, demand.redo_peak_bytes_per_s),
            (&mut all.redo_required_bytes_per_s, demand.redo_required_bytes_per_s),
            (&mut all.read_io_per_s, demand.read_io_per_s),
            (&mut all.read_bytes_per_s, demand.read_bytes_per_s),
            (&mut all.write_io_per_s, demand.write_io_per_s),
            (&mut all.write_bytes_per_s, demand.write_bytes_per_s),
            (&mut all.commits_per_s, demand.commits_per_s),
        ] {
            *field = match (*field, other) {
                (Some(one), Some(other)) => Some(one.max(other)),
                (one, other) => one.or(other),
            };
        }
        all.redo_write_mean_bytes = all.redo_write_mean_bytes.or(demand.redo_write_mean_bytes);
        all.log_write_mean_ns = all.log_write_mean_ns.or(demand.log_write_mean_ns);
        all.commit_wait_mean_ns = all.commit_wait_mean_ns.or(demand.commit_wait_mean_ns);
        all.gaps
            .extend(demand.gaps.iter().filter(|gap| !all.gaps.contains(gap)).cloned().collect::<Vec<_>>());
    }
    Some(all)
}
