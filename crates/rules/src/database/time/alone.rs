//! What single tables of a report tell where no session's waits are listed.

use super::DOMINANT;
use super::words::{DISK_MS, IDLE, ms, waits_for_cpu};
use crate::facts::percent;
use fullwire_model::assessment::TimeClass;
use fullwire_model::demand::{AwrReport, WaitHistogram, WaitStat};

/// A class and a sentence.
type Said = Option<(TimeClass, String)>;

/// The waits of the background alone, also of a listing of its sessions: what most of its I/O is for, and whether a request of it
/// queues.
pub(super) fn background(report: &AwrReport) -> Said {
    const IO: [&str; 4] = ["parallel write", "file sequential", "single write", "I/O"];
    let time_s = |wait: &WaitStat| wait.time_s.unwrap_or(0.0);
    let all = [&report.background_waits, &report.waits].into_iter().find(|waits| !waits.is_empty())?;
    let told = |wait: &WaitStat| wait.mean_ms.is_some() || wait.share_pct.is_some();
    let own = || all.iter().filter(|(name, wait)| told(wait) && IO.iter().any(|word| name.contains(word)));
    let (name, most) = own().max_by(|(_, one), (_, other)| time_s(one).total_cmp(&time_s(other)))?;
    let share = most.share_pct.map(|share| format!("{} of the background's time", percent(share / 100.0)));
    let mean = most.mean_ms.map(|mean| format!("{} each", ms(mean)));
    let figures: Vec<String> = share.into_iter().chain(mean).collect();
    let slow: Vec<String> = own()
        .filter_map(|(name, wait)| Some((name, wait.mean_ms.filter(|mean| *mean >= 2.0 * DISK_MS)?)))
        .map(|(name, mean)| format!("{name} {}", ms(mean)))
        .collect();
    let judged = if slow.is_empty() {
        String::new()
    } else {
        format!(" Requests queue, the storage is overloaded: {}.", slow.join(", "))
    };
    let text = format!(
        "The file lists waits of background processes alone; of their I/O most time goes to {name} ({}).{judged}",
        figures.join(", ")
    );
    Some((TimeClass::Io, text))
}

/// Histograms alone: the event of the path that has most slow waits.
pub(super) fn histogram(report: &AwrReport) -> Said {
    const OF_PATH: [&str; 4] = [" read", " write", "log file sync", "gc "];
    /// Oracle's bounds are powers of two, ms; this one is printed as 16 ms.
    const BOUND_US: f64 = 16_500.0;
    /// Fewer are single accidents (own choice).
    const MANY_PCT: f64 = 5.0;
    let slow_pct = |one: &WaitHistogram| {
        let slow = one.buckets.iter().filter(|bucket| bucket.upto_us.is_none_or(|us| us > BOUND_US));
        slow.map(|bucket| bucket.pct).sum::<f64>()
    };
    let own = report.histograms.iter().filter(|(name, _)| OF_PATH.iter().any(|word| name.contains(word)));
    let (name, pct) =
        own.map(|(name, one)| (name, slow_pct(one))).max_by(|(_, one), (_, other)| one.total_cmp(other))?;
    let judged = if pct >= MANY_PCT { "requests queue" } else { "few" };
    Some((TimeClass::Io, format!("Of the waits for {name} {pct:.0} % take longer than 16 ms: {judged}.")))
}

/// Reads of tablespaces or files alone: the slowest of those that are read all the time.
pub(super) fn files(report: &AwrReport) -> Said {
    let all = if report.tablespaces.is_empty() { &report.files } else { &report.tablespaces };
    let read = all.iter().filter(|one| one.reads_per_s.is_some_and(|rate| rate >= 1.0));
    let slowest = read.filter_map(|one| Some((one, one.read_mean_ms?)));
    let (one, mean) = slowest.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
    let judged = if mean >= 2.0 * DISK_MS {
        "requests queue, the storage is overloaded"
    } else {
        "no other takes longer"
    };
    let text = format!(
        "A read of tablespace {} takes {}, {:.0} a second: {judged}.",
        one.tablespace,
        ms(mean),
        one.reads_per_s?
    );
    Some((TimeClass::Io, text))
}

/// The load profile or the time model alone: how much of DB time is CPU.
pub(super) fn loaded(report: &AwrReport) -> Said {
    let of = |name: &str| {
        report.load_profile.iter().find(|(label, _)| label.starts_with(name)).map(|(_, value)| *value)
    };
    let profile = of("db time").zip(of("db cpu"));
    let model =
        || report.time_model_s.get("DB time").copied().zip(report.time_model_s.get("DB CPU").copied());
    let (all, on_cpu) = profile.or_else(model)?;
    if profile.is_some() && all < IDLE {
        return Some((
            TimeClass::Unknown,
            format!("The database was nearly idle ({all:.2} active sessions)."),
        ));
    }
    let share = (on_cpu / all.max(1e-9)).min(1.0);
    let (class, what) = if share >= 1.0 - DOMINANT {
        (TimeClass::Cpu, format!("{} of DB time is CPU", percent(share)))
    } else {
        let waits = percent(1.0 - share);
        let what = format!(
            "{waits} of DB time is waits, and the table of events that would tell what they are is not in the file"
        );
        (TimeClass::Unknown, what)
    };
    let cpus = report.cpus.map_or(String::new(), |cpus| format!(" (of {cpus})"));
    let sessions = profile.map_or(String::new(), |_| {
        format!("{all:.1} sessions are active on average, {on_cpu:.1} of them on a CPU{cpus}: ")
    });
    Some((class, format!("{sessions}{what}.")))
}

/// The host's CPUs alone.
pub(super) fn host(report: &AwrReport) -> Said {
    let of = |name: &str| report.os_statistics.get(name).map(|percent| percent / 100.0);
    let waiting = of("%WIO").unwrap_or(0.0);
    if waiting >= WAITING {
        let text = format!(
            "The host's CPUs had nothing to do but wait for I/O {} of the time: the storage does not keep up; the table of events tells whose.",
            percent(waiting)
        );
        return Some((TimeClass::Io, text));
    }
    if waits_for_cpu(report) {
        return Some((
            TimeClass::Cpu,
            "The host's CPUs were busy all the time: none is left for more.".to_owned(),
        ));
    }
    let idle = percent(of("%Idle")?);
    let text = format!(
        "The host's CPUs were idle {idle} of the time: they are not the limit; the table of events tells what the database waited for."
    );
    Some((TimeClass::Unknown, text))
}

/// Waiting for I/O of so much of the time is conspicuous (a third, as in recordings).
const WAITING: f64 = 1.0 / 3.0;
