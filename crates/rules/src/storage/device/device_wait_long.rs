use crate::facts::Activity;
use fullwire_model::UsualDisk;

rule! {
    /// # What it checks
    /// Passes unless, in a stretch of a recording, a disk was busy nearly all the time while each request waited 100 ms or
    /// more, or took five times as long as it usually does there.
    /// # Why it matters
    /// Every read that the database waits for, and every write of its log, takes that long. Requesting more gives a
    /// longer queue and no more work.
    /// # Evidence
    /// Mean time of a read and of a write, time with a request in flight, time for each request of `/proc/diskstats` or
    /// of the recording (`r_await`, `w_await`, `%util`, `await` of iostat and sar). Utilisation alone proves nothing
    /// and is no reason: an array or a flash disk at 100 % may take more. A deeper queue alone is no reason either, nor
    /// larger requests.
    /// # Remedy
    /// Find what causes the load at that time (backup, statistics, another host of the array), move or limit it; or
    /// storage that can do more.
    /// # Source
    /// sysstat iostat(1) (`await` includes queue and device; `%util` of parallel devices is no limit); Oracle's customary
    /// 10 ms for a single read, ten times over; Perseus (FAST'23): fail-slow disks are recognised by their own past, not by a
    /// bound.
    code: "device-wait-long",
    title: "requests queue for a long time before a busy disk",
    layer: Storage, severity: Critical, on: [Disk],
    check: |run| facts::recorded(run).flat_map(|window| judge_window(run, window)).collect(),

    /// Ten times Oracle's customary 10 ms.
    const LONG_MS: f64 = 100.0;
    /// A request this old makes programs report errors.
    const UNBEARABLE_MS: f64 = 1_000.0;
    /// Nearly all the time at least one request was in flight.
    const BUSY: f64 = 0.90;
    /// Compared with its own past: this many times as long, and long enough to matter.
    const TIMES_USUAL: f64 = 5.0;
    /// Shorter waits are not felt by a commit or a single read.
    const FELT_MS: f64 = 10.0;
    /// Share of the time with a request in flight, where it is slower than its own past.
    const BUSY_AGAINST_PAST: f64 = 0.50;
    /// Larger requests take longer by themselves.
    const LARGER: f64 = 2.0;
    /// With fewer waiting or in work on average there is no queue.
    const QUEUE: f64 = 2.0;
    /// Requests of one direction in a window, from which on a mean is one.
    const FEWEST: u64 = 3;
}

fn judge_window(run: &Facts, window: &Window) -> Vec<Outcome> {
    let disks = facts::recorded_disks(run, window);
    if disks.is_empty() {
        return vec![facts::unread("the disks of the recording")];
    }
    disks.into_iter().filter_map(|name| judge(window, name)).collect()
}

/// Reads, writes, or both where the recording does not tell them apart (`await` of sar and of older iostat).
struct Direction {
    name: &'static str,
    await_ms: f64,
    usual_ms: Option<f64>,
}

impl Direction {
    /// As iostat calls it.
    fn column(&self) -> &'static str {
        match self.name {
            "read" => "r_await",
            "write" => "w_await",
            _ => "await",
        }
    }
}

fn judge(window: &Window, name: &str) -> Option<Outcome> {
    let activity = facts::disk_activity(window, name)?;
    let usual = window.usual.get(name).copied().unwrap_or_default();
    let both = (activity.ios > 0).then_some(activity.await_ms);
    let directions = if usual.one_await {
        vec![("request", activity.ios, both, usual.read_await_ms.or(usual.write_await_ms))]
    } else {
        vec![
            ("read", activity.reads, activity.read_await_ms, usual.read_await_ms),
            ("write", activity.writes, activity.write_await_ms, usual.write_await_ms),
        ]
    };
    let counted = directions.into_iter().filter(|(_, ios, ..)| *ios >= FEWEST);
    let timed = counted
        .filter_map(|(name, _, await_ms, usual_ms)| Some(Direction { name, await_ms: await_ms?, usual_ms }));
    let bad = timed.filter(|direction| is_long(&activity, direction, &usual));
    let worst = bad.max_by(|one, other| one.await_ms.total_cmp(&other.await_ms));
    Some(worst.map_or(Outcome::Passes, |worst| fires(name, &activity, &worst, &usual).into()))
}

fn is_long(activity: &Activity, direction: &Direction, usual: &UsualDisk) -> bool {
    let busy = activity.busy.unwrap_or(0.0);
    let saturated = busy >= BUSY || (activity.queue_mean >= 1.0 && direction.await_ms >= UNBEARABLE_MS);
    (direction.await_ms >= LONG_MS && saturated)
        || (busy >= BUSY_AGAINST_PAST && is_slower_than_usual(activity, direction, usual))
}

/// Each request takes longer than it used to, and so does the device for each: not because more of them queue, and not
/// because they are larger.
fn is_slower_than_usual(activity: &Activity, direction: &Direction, usual: &UsualDisk) -> bool {
    let longer = |now: Option<f64>, usual: Option<f64>| {
        now.zip(usual).is_some_and(|(now, usual)| now >= TIMES_USUAL * usual)
    };
    let request = activity.bytes_per_s / activity.io_per_s.max(1e-9);
    let larger = usual.request_mean_bytes.is_some_and(|usual| request > LARGER * usual);
    direction.await_ms >= FELT_MS
        && longer(Some(direction.await_ms), direction.usual_ms)
        && longer(activity.service_ms, usual.service_ms)
        && !larger
}

fn fires(name: &str, activity: &Activity, direction: &Direction, usual: &UsualDisk) -> Finding {
    let past = direction.usual_ms.filter(|_| is_slower_than_usual(activity, direction, usual));
    let limit_ms = past.map_or(LONG_MS, |usual| (TIMES_USUAL * usual).max(FELT_MS));
    let beside = past.map_or(String::new(), |usual| format!(" (usually {})", words::time(usual * 1e6)));
    let busy =
        activity.busy.map_or(String::new(), |busy| format!(", busy {}", facts::percent(busy.min(1.0))));
    let message = format!(
        "a {} on {name} takes {}{beside}: {:.0} requests per second, {:.1} MB/s{busy}, {:.1} waiting or in work on average",
        direction.name,
        words::time(direction.await_ms * 1e6),
        activity.io_per_s,
        activity.bytes_per_s / 1e6,
        activity.queue_mean,
    );
    let severity = if direction.await_ms >= UNBEARABLE_MS { Severity::Critical } else { Severity::Warning };
    RULE.finding(Kind::Disk.named(name), message)
        .severity(severity)
        .measured(direction.await_ms * 1e6, limit_ms * 1e6, Unit::Ns)
        .evidence(
            format!(
                "{} {:.1} ms, queue {:.2}{busy}",
                direction.column(),
                direction.await_ms,
                activity.queue_mean
            ),
            "disk counters of the recording",
        )
        .advice(advice(activity.queue_mean))
}

fn advice(queue_mean: f64) -> Advice {
    let advice = if queue_mean < QUEUE {
        because("Hardly anything is in flight, so no queue of this host makes the requests wait: the device itself takes that long.")
            .look("dmesg -T | tail -100", "Shows whether the device reports errors: each retry takes seconds")
            .now("`smartctl -a` of the disk; of an array's unit or a cloud's volume its own latency and limits at that time")
            .of_drive(OfDrive::Asked)
            .persist("Replace a disk that counts errors or retries, once the redundancy above it is whole")
            .of_drive(OfDrive::Replaced)
    } else {
        because("The queue is longer than the device can process in acceptable time.")
            .look("iostat -x 1 10", "Shows whether it still happens, and whether reads or writes wait")
            .look("pidstat -d 1 10", "Shows who reads and writes")
            .now("Compare with the array's own latency of that time: lower there means the fabric or the host's queue")
            .persist("Move batch work and backups out of the database's busy hours, limit them (systemctl set-property UNIT IOWeight=20), or give the database its own device")
    };
    advice.expecting("await below 10 ms at the same load")
}
