//! Figures that cannot be true: a report that says two things of one rate, shares beyond the whole, negative times. They
//! are taken out, and a gap says so: nothing is sized by them.

use fullwire_model::demand::AwrReport;
use fullwire_model::{Gap, GapReason};

/// Two figures of one rate are rounded apart, or of slightly other times; a factor of 2 is neither.
const SAME: f64 = 2.0;
const MIB: f64 = 1_048_576.0;
/// Shares are rounded to one or two places.
const WHOLE_PCT: f64 = 100.5;

/// Takes out what contradicts itself or makes no sense.
pub(super) fn check(report: &mut AwrReport) {
    requests(report);
    volumes(report);
    redo(report);
    shares(report);
    times(report);
}

/// One rate as a section of the report has it.
type Said = (&'static str, Option<f64>);

/// By the total and the length of the interval, and as printed a second.
fn activity(report: &AwrReport, name: &str) -> [Said; 2] {
    let activity = report.activity.get(name);
    let seconds = report.elapsed_min.map(|minutes| minutes * 60.0).filter(|&seconds| seconds > 0.0);
    let by_total = activity.zip(seconds).map(|(activity, seconds)| activity.total / seconds);
    [
        ("instance activity, total over elapsed time", by_total),
        ("instance activity, per second", activity.and_then(|activity| activity.per_s)),
    ]
}

fn requests(report: &mut AwrReport) {
    let profile = report.io_profile.get("total requests").copied().unwrap_or_default();
    for (what, name, printed, reads) in [
        ("read requests", "physical read total IO requests", profile.read_per_s, true),
        ("write requests", "physical write total IO requests", profile.write_per_s, false),
    ] {
        let [total, per_s] = activity(report, name);
        if contradicted(report, what, "/s", 10.0, &[total, per_s, ("I/O profile", printed)]) {
            *(if reads { &mut report.read_io_per_s } else { &mut report.write_io_per_s }) = None;
        }
    }
}

fn volumes(report: &mut AwrReport) {
    let profile = report.io_profile.get("total (mb)").copied().unwrap_or_default();
    for (what, name, printed, reads) in [
        ("bytes read", "physical read total bytes", profile.read_per_s, true),
        ("bytes written", "physical write total bytes", profile.write_per_s, false),
    ] {
        let [total, per_s] = activity(report, name);
        let printed = printed.map(|mb| mb * MIB);
        if contradicted(report, what, " bytes/s", 10.0 * MIB, &[total, per_s, ("I/O profile", printed)]) {
            *(if reads { &mut report.read_bytes_per_s } else { &mut report.write_bytes_per_s }) = None;
        }
    }
}

fn redo(report: &mut AwrReport) {
    let [total, per_s] = activity(report, "redo size");
    let profile = ["redo size", "redo size (bytes)"].iter().find_map(|label| report.load_profile.get(*label));
    let profile = ("load profile", profile.copied());
    if contradicted(report, "redo size", " bytes/s", 1e5, &[total, per_s, profile]) {
        report.redo_size_per_s = None;
        report.redo_size_total = None;
    }
}

/// True, and a gap, when sections differ by more than a factor of 2; below `least` rounding alone may do that.
fn contradicted(report: &mut AwrReport, what: &str, unit: &str, least: f64, said: &[Said]) -> bool {
    let known = said.iter().filter_map(|(section, value)| Some((*section, (*value)?)));
    let Some(high) = known.clone().max_by(|a, b| a.1.total_cmp(&b.1)) else { return false };
    let Some(low) = known.min_by(|a, b| a.1.total_cmp(&b.1)) else { return false };
    if high.1 < least || high.1 <= low.1 * SAME {
        return false;
    }
    let detail = format!(
        "the report contradicts itself: {:.0}{unit} by its {}, {:.0}{unit} by its {}; neither is used",
        high.1, high.0, low.1, low.0
    );
    report.gaps.push(Gap::new(what, GapReason::Malformed, detail));
    true
}

fn shares(report: &mut AwrReport) {
    let gaps = &mut report.gaps;
    let mut check = |what: &str, share: &mut Option<f64>| {
        if let Some(value) = share.take_if(|value| !(0.0..=WHOLE_PCT).contains(value)) {
            gaps.push(Gap::new(
                what,
                GapReason::Malformed,
                format!("{value} % is not a valid percentage: ignored"),
            ));
        }
    };
    check("buffer hits", &mut report.buffer_hit_pct);
    check("latch hits", &mut report.latch_hit_pct);
    check("library cache hits", &mut report.library_hit_pct);
    for event in &mut report.top_events {
        check(&event.name, &mut event.share_pct);
    }
}

/// Clocks that were set back make negative times.
fn times(report: &mut AwrReport) {
    let mut negative = 0;
    let waits = report.waits.values_mut().chain(report.background_waits.values_mut());
    let of_waits = waits.flat_map(|wait| {
        [&mut wait.time_s, &mut wait.mean_ms, &mut wait.printed_mean_ms, &mut wait.recomputed_mean_ms]
    });
    let of_events = report
        .top_events
        .iter_mut()
        .flat_map(|event| [&mut event.time_s, &mut event.mean_wait_ms, &mut event.printed_mean_wait_ms]);
    for time in of_waits.chain(of_events) {
        negative += usize::from(time.take_if(|value| *value < 0.0).is_some());
    }
    if negative > 0 {
        let detail = format!("{negative} waits and means are negative: ignored");
        report.gaps.push(Gap::new("wait times", GapReason::Malformed, detail));
    }
}
