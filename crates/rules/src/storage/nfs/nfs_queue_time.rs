use super::counted::{Counted, Times, worst};

rule! {
    /// # What it checks
    /// Passes when, during a measurement, the mean time of READ or WRITE in the client's queue is below the round trip
    /// to the server, or below 1 ms. In a recording only READ is looked at: written pages go to the server later, all at
    /// once, and no program waits for them. Counters that were read once are judged by their mean since the mount, WRITE only
    /// where nine bytes of ten were written past the page cache.
    /// # Why it matters
    /// The client, not the network or the filer, delays requests: too few slots or one connection.
    /// # Evidence
    /// Queue, round-trip and execution time per operation in `/proc/self/mountstats` over each window, or since the mount.
    /// # Remedy
    /// `nconnect=4` to 8, a slot table of 128.
    /// # Source
    /// nfsiostat(8) (exe, RTT and queue time); nfs(5), nconnect; NetApp ontap-apps-dbs, nfs-slot-tables.adoc.
    code: "nfs-queue-time",
    title: "NFS requests wait longer in the client than on the network and server",
    layer: Storage, severity: Warning, on: [Mount], limits: [NfsQueue],

    /// Of one I/O that becomes more requests than this, some wait for others.
    const SPLIT: f64 = 1.5;
    /// Of an I/O's time in the client: longer than on network and server.
    const LONGER: f64 = 0.5;
    /// Weight of the explanations by which bytes hold a step (own choice: more than half of it).
    const SURE: f64 = 0.6;
}

fn check(run: &Facts) -> Vec<Outcome> {
    run.host.mounts.iter().filter_map(|mount| mount.nfs.as_ref().map(|nfs| judge(run, mount, nfs))).collect()
}

fn judge(run: &Facts, mount: &Mount, nfs: &NfsMount) -> Outcome {
    if facts::side::own(run).is_read_once() {
        return judge_since_the_mount(run, mount, nfs);
    }
    let timed: Vec<_> = facts::windows(run)
        .flat_map(|window| {
            felt(window).iter().filter_map(move |name| Counted::of_window(window, mount)?.times(name))
        })
        .collect();
    if timed.is_empty() {
        return too_few(mount);
    }
    match worst(timed.into_iter()) {
        Some(time) if is_held_by_bytes(run, mount, time.name) => Outcome::Passes,
        Some(time) => fires(run, mount, nfs, &time, None),
        None => Outcome::Passes,
    }
}

fn judge_since_the_mount(run: &Run, mount: &Mount, nfs: &NfsMount) -> Outcome {
    let Some(counted) = Counted::of(run, mount) else {
        return facts::unwatched(run, &format!("the reads and writes on {}", mount.target));
    };
    if counted.waited_for().iter().all(|name| counted.times(name).is_none()) {
        return too_few(mount);
    }
    match counted.queued() {
        Some(time) => fires(run, mount, nfs, &time, Some(counted.span)),
        None => Outcome::Passes,
    }
}

fn too_few(mount: &Mount) -> Outcome {
    unknown!("too few reads and writes on {} to time them", mount.target)
}

/// The operations that a program waits for. A measurement writes synchronously; a recording does not tell which writes are
/// the kernel's own, of pages written before.
fn felt(window: &Window) -> &'static [&'static str] {
    if window.kind == WindowKind::Recorded { &["READ"] } else { &["READ", "WRITE"] }
}

fn fires(run: &Run, mount: &Mount, nfs: &NfsMount, time: &Times, since: Option<Span>) -> Outcome {
    // A recording of another tool does not tell; our own reads 1 where nothing is set.
    let known = nfs.nconnect > 0;
    let connections = if known { format!(" (nconnect {})", nfs.nconnect) } else { String::new() };
    let (wait, when) = match since {
        Some(span) => ("waited", format!(" on average {}", span.text())),
        None => ("wait", String::new()),
    };
    let message = format!(
        "NFS {} requests of {} {wait} {:.1} ms in the client's queue and {:.1} ms for network and server{when}: too few slots or connections{connections}",
        time.name, mount.target, time.queue_ms, time.rtt_ms,
    );
    let advice = if known { connect_more(run, mount) } else { look(mount) };
    // Where it was measured which I/Os wait, those that wait for their own parts are none.
    let explained = queued(run, mount, time);
    let longer = |one: &Explanation| one.active_share.is_some_and(|share| share >= LONGER);
    if !explained.is_empty() && !explained.iter().any(longer) {
        return Outcome::Passes;
    }
    let finding = RULE
        .finding(Kind::Mount.named(&mount.target), message)
        .measured(time.queue_ms * 1e6, time.rtt_ms * 1e6, Unit::Ns)
        .evidence(
            format!("{}: queue {:.2} ms, RTT {:.2} ms", time.name, time.queue_ms, time.rtt_ms),
            if since.is_some() { "/proc/self/mountstats" } else { "/proc/self/mountstats over the probe" },
        )
        .explains(explained)
        .advice(
            advice.expecting("queue time of `nfsiostat` below the RTT, and a higher rate at the same depth"),
        );
    finding.into()
}

/// The steps of the operation that have several requests under way, each by what was counted while it ran: a single one waits
/// for nobody.
fn queued(run: &Run, mount: &Mount, time: &Times) -> Vec<Explanation> {
    let several = run.disk.iter().filter(|result| result.mount_point == mount.target).flat_map(|result| {
        result.steps.iter().filter(|step| has_several(step, time.name)).map(move |step| (result, step))
    });
    let explained = several.filter_map(|(result, step)| {
        let mut own = run
            .windows_of_probe(step.probe)
            .filter_map(|one| Counted::of_window(one, mount)?.times(time.name))
            .peekable();
        let own = if own.peek().is_some() { worst(own)? } else { *time };
        // Parts of one I/O wait for each other as well: in one piece it would wait for other I/Os alone.
        let queue_ms = own.queue_ms / facts::residence::requests_for_one(step);
        let share = queue_ms / (queue_ms + own.rtt_ms);
        Some(explain::step(result, step, Mechanism::NfsQueue).active(share))
    });
    explained.collect()
}

fn has_several(step: &DiskStepResult, operation: &str) -> bool {
    let split = step.requests_per_io.is_none_or(|requests| requests > SPLIT);
    let same = match step.operation {
        Operation::Read => operation == "READ",
        Operation::Write => operation == "WRITE",
        Operation::Mixed | Operation::Copy => true,
    };
    same && (split || facts::in_flight(step) > 1)
}

/// A limit in bytes a second sets the rate of every step that has several requests under way. Where all requests are of one size,
/// one of requests, such as a few slots, is as likely.
fn is_held_by_bytes(run: &Facts, mount: &Mount, operation: &str) -> bool {
    let inside = run.disk.iter().filter(|result| result.mount_point == mount.target);
    let mut several = inside
        .flat_map(|result| result.steps.iter().map(move |step| (result, step)))
        .filter(|(_, step)| has_several(step, operation))
        .peekable();
    several.peek().is_some()
        && several.all(|(result, step)| {
            let known = run.characteristics.get(&result.target);
            known.is_some_and(|known| known.share_of(&result.name_of(step), &[Quantity::ByteRate]) >= SURE)
        })
}

const WHY: &str =
    "A request that waits for a slot, or behind others on the same connection, has not been sent yet.";
const SLOTS: &str = "Raise the slot tables as well: options sunrpc tcp_slot_table_entries=128 tcp_max_slot_table_entries=128 in /etc/modprobe.d";

fn connect_more(run: &Run, mount: &Mount) -> Advice {
    more_connections(run, mount, WHY).persist(SLOTS)
}

/// What the mount has now decides whether anything is to be changed.
fn look(mount: &Mount) -> Advice {
    because(WHY)
        .look(
            sh!("findmnt -no options {}", mount.target),
            "Shows nconnect: without it the mount has one connection",
        )
        .look("sysctl sunrpc.tcp_max_slot_table_entries", "Shows how many requests may be in flight together")
        .persist(
            "With one connection: nconnect=8 in the line of the mount in /etc/fstab at the next maintenance",
        )
}
