//! From single logs to the rate at its worst.

use super::over_time::{by_hour, percentiles, seconds_between};
use fullwire_model::demand::{RedoHistory, RedoLog, RedoPoint};
use fullwire_model::{Gap, GapReason};
use jiff::civil::DateTime;

/// What is added to the peak unless the user says otherwise: 30 %, for protocol overhead and for bursts within a log.
pub const DEFAULT_HEADROOM: f64 = 0.3;

/// Oracle's MAA plans for 30 % of protocol overhead: the redo may fill 70 % of the path.
pub const MAA_SHARE: f64 = 0.7;

/// A chart needs no more points; beyond, each keeps the highest of its span.
const MOST_POINTS: usize = 2_000;
/// Times of a second's resolution blur the rate of a log that filled faster.
const SHORTEST_SURE_S: f64 = 10.0;

/// Folds logs into a history: peaks, percentiles, what the path must carry.
pub fn summarise(source: &str, database: &str, logs: Vec<RedoLog>, headroom: f64) -> RedoHistory {
    let mut history = RedoHistory {
        source: source.to_owned(),
        database: database.to_owned(),
        logs,
        headroom,
        ..RedoHistory::default()
    };
    per_log(&mut history);
    let steps = steps(&history.logs);
    if steps.is_empty() {
        without_times(&mut history);
    } else {
        with_times(&mut history, &steps);
    }
    let peak = history.peak_bytes_per_s;
    require(&mut history, peak);
    history
}

/// What the path must carry for this peak of what is sent.
pub(super) fn require(history: &mut RedoHistory, sent_peak: Option<f64>) {
    history.required_bytes_per_s = sent_peak.map(|peak| peak * (1.0 + history.headroom));
    history.required_maa_bytes_per_s = sent_peak.map(|peak| peak / MAA_SHARE);
}

fn per_log(history: &mut RedoHistory) {
    let rates = history.logs.iter().filter_map(|log| log.bytes_per_s);
    history.peak_log_bytes_per_s = rates.reduce(f64::max);
    let lasting = history.logs.iter().filter_map(|log| Some((log.bytes_per_s?, log.seconds?)));
    set_percentiles(history, lasting.collect());
}

/// Each rate counts by the time for which it lasted.
fn set_percentiles(history: &mut RedoHistory, lasting: Vec<(f64, f64)>) {
    [history.p50_bytes_per_s, history.p95_bytes_per_s, history.p99_bytes_per_s] =
        percentiles(lasting, [0.50, 0.95, 0.99]);
}

/// Sizes and durations alone: the worst log is a lower bound when several threads write.
fn without_times(history: &mut RedoHistory) {
    let worst = history.logs.iter().filter(|log| log.bytes_per_s.is_some());
    let worst = worst.max_by(|a, b| a.bytes_per_s.unwrap_or(0.0).total_cmp(&b.bytes_per_s.unwrap_or(0.0)));
    history.peak_at = worst.map(|log| format!("thread {} sequence {}", log.thread, log.sequence));
    history.peak_bytes_per_s = history.peak_log_bytes_per_s;
    let (bytes, seconds) = history
        .logs
        .iter()
        .filter_map(|log| Some((log.bytes, log.seconds?)))
        .fold((0.0, 0.0), |(bytes, seconds), (b, s)| (bytes + b, seconds + s));
    history.mean_bytes_per_s = (seconds > 0.0).then(|| bytes / seconds);
    let threads = threads(&history.logs);
    if threads > 1 {
        history.peak_is_lower_bound = true;
        let detail = format!(
            "the listing has no times: the logs of {threads} threads overlap, so the peak of a single log is a lower bound; \
             list FIRST_TIME and NEXT_TIME with hours and seconds (fullwire redo --sql oracle)"
        );
        history.gaps.push(Gap::new("peak over all threads", GapReason::Absent, detail));
    }
}

fn threads(logs: &[RedoLog]) -> usize {
    let mut threads: Vec<u64> = logs.iter().map(|log| log.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    threads.len()
}

fn with_times(history: &mut RedoHistory, steps: &[RedoPoint]) {
    let peak = steps.iter().max_by(|a, b| a.bytes_per_s.total_cmp(&b.bytes_per_s));
    if let Some(peak) = peak {
        history.peak_bytes_per_s = Some(peak.bytes_per_s);
        history.peak_at = Some(peak.at.strftime("%Y-%m-%dT%H:%M:%S").to_string());
        // A live server is read by a finer clock.
        let coarse = |at: DateTime| at.subsec_nanosecond() == 0;
        let blurred = history.logs.iter().any(|log| {
            log.begin.is_some_and(|begin| begin <= peak.at && coarse(begin))
                && log.end.is_some_and(|end| end > peak.at && coarse(end))
                && log.seconds.is_some_and(|seconds| seconds < SHORTEST_SURE_S)
        });
        if blurred {
            let detail = "the log at the peak filled in less than 10 s and times are in whole seconds, so its rate may be off by more than 10 %";
            history.gaps.push(Gap::new("peak rate", GapReason::Unsupported, detail));
        }
    }
    history.peak_hour_bytes_per_s = peak_hour(steps);
    let bytes: f64 = history.logs.iter().filter(|log| log.begin.is_some()).map(|log| log.bytes).sum();
    // Reports may leave hours out: what is not reported is not idle.
    let told = steps.windows(2).filter(|pair| pair[0].bytes_per_s > 0.0);
    let seconds: f64 = told.map(|pair| seconds_between(pair[0].at, pair[1].at)).sum();
    history.mean_bytes_per_s = (seconds > 0.0).then(|| bytes / seconds);
    let told = steps.windows(2).filter(|pair| pair[0].bytes_per_s > 0.0);
    let lasting = told.map(|pair| (pair[0].bytes_per_s, seconds_between(pair[0].at, pair[1].at)));
    set_percentiles(history, lasting.collect());
    history.hours = by_hour(steps);
    history.series = thin(steps);
}

/// The sum of the rates of all logs that were being filled, from each time on at which it changed; ends with zero.
fn steps(logs: &[RedoLog]) -> Vec<RedoPoint> {
    let mut changes: Vec<(DateTime, f64)> = Vec::with_capacity(logs.len() * 2);
    for log in logs {
        if let (Some(begin), Some(end), Some(rate)) = (log.begin, log.end, log.bytes_per_s)
            && end > begin
        {
            changes.extend([(begin, rate), (end, -rate)]);
        }
    }
    changes.sort_by_key(|change| change.0);
    let mut steps: Vec<RedoPoint> = Vec::with_capacity(changes.len());
    let (mut sum, mut open) = (0.0, 0_i64);
    for (at, change) in changes {
        sum += change;
        open += if change < 0.0 { -1 } else { 1 };
        if open == 0 {
            // Sums of differences leave noise; nothing is being filled here.
            sum = 0.0;
        }
        match steps.last_mut() {
            Some(last) if last.at == at => last.bytes_per_s = sum,
            _ => steps.push(RedoPoint { at, bytes_per_s: sum }),
        }
    }
    steps
}

/// The mean over the worst hour, when there is an hour of which nothing is left out: windows that begin or end at a step
/// hold the maximum.
fn peak_hour(steps: &[RedoPoint]) -> Option<f64> {
    const HOUR_S: f64 = 3600.0;
    let first = steps.first()?.at;
    let times: Vec<f64> = steps.iter().map(|step| seconds_between(first, step.at)).collect();
    let end = *times.last()?;
    if end < HOUR_S {
        return None;
    }
    // Bytes made and seconds covered up to each step.
    let mut made = vec![(0.0, 0.0); steps.len()];
    let within = |index: usize, seconds: f64| {
        let rate = steps[index].bytes_per_s;
        (rate * seconds, if rate > 0.0 { seconds } else { 0.0 })
    };
    for index in 1..steps.len() {
        let (bytes, told) = within(index - 1, times[index] - times[index - 1]);
        made[index] = (made[index - 1].0 + bytes, made[index - 1].1 + told);
    }
    let until = |t: f64| {
        let index = times.partition_point(|&time| time <= t).max(1) - 1;
        let (bytes, told) = within(index, (t - times[index]).max(0.0));
        (made[index].0 + bytes, made[index].1 + told)
    };
    let best = times
        .iter()
        .flat_map(|&t| [t, t - HOUR_S])
        .filter(|&from| from >= 0.0 && from + HOUR_S <= end)
        .map(|from| (until(from), until(from + HOUR_S)))
        // A second may be lost between two logs.
        .filter(|(from, to)| to.1 - from.1 >= HOUR_S * 0.99)
        .map(|(from, to)| to.0 - from.0)
        .reduce(f64::max);
    best.map(|bytes| bytes / HOUR_S)
}

fn thin(steps: &[RedoPoint]) -> Vec<RedoPoint> {
    let span = steps.len().div_ceil(MOST_POINTS).max(1);
    let highest = |chunk: &[RedoPoint]| {
        let rate = chunk.iter().map(|step| step.bytes_per_s).fold(0.0, f64::max);
        RedoPoint { at: chunk[0].at, bytes_per_s: rate }
    };
    steps.chunks(span).map(highest).collect()
}
