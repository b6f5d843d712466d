//! What other tools recorded of requests to an NFS server.

use super::ms;
use super::record::{Figure, File, Record, find, since, worst};
use crate::facts::percent;

thresholds! {
    /// A request of NFS that takes longer than any healthy server, ns (as `nfs-wait-long`).
    const LONG_NS: f64 = 500e6;
    /// A request of NFS that takes this long, ns, is worth a look where nearly all of it is the client's own queue (own choice).
    const QUEUED_NS: f64 = 20e6;
    /// A mean of so many requests of NFS that is worth a look, ns: five times what a spinning disk needs (own choice).
    const SLOW_NS: f64 = 100e6;
    /// Beside its time at the server: so many times as long is a queue (own choice).
    const QUEUED: f64 = 10.0;
    /// Share of the requests that were sent again from which it is worth a look (own choice).
    const AGAIN: f64 = 0.01;
    /// Requests that were sent again: fewer are an accident of months (as `counter-total` has it).
    const SOME: f64 = 1_000.0;
    /// Fewer requests a second tell of nothing.
    const FEW_PER_S: f64 = 1.0;
}

/// A request of NFS that takes too long by itself, or mostly waits for its turn.
pub(super) fn figure(file: &File<'_>, name: &str) -> Option<Figure> {
    let record = worst(file, "nfs", name, "await_ns")?;
    let get = |metric: &str| record.get(metric).copied().unwrap_or(0.0);
    let whole = get("await_ns");
    let server = get("rtt_ns");
    let is_queued =
        server > 0.0 && whole >= QUEUED * server && whole >= QUEUED_NS && get("io_per_s") >= FEW_PER_S;
    let is_slow = whole >= LONG_NS || (whole >= SLOW_NS && get("io_per_s") >= FEW_PER_S);
    (is_slow || is_queued).then(|| {
        let text = format!("{}.", times(file, name, &record));
        Figure { weight: 2.0 + (whole / LONG_NS).min(100.0), text }
    })
}

/// Requests that were sent again, by the share that the tool prints.
pub(super) fn again(file: &File<'_>, name: &str) -> Option<Figure> {
    let most =
        |metric: &str| find(file, "nfs", name, metric).and_then(|one| file.summary(one)).map(|one| one.max);
    let share = most("retransmits_ratio").filter(|share| *share >= AGAIN)?;
    let count = most("retransmits").filter(|count| *count >= SOME)?;
    let text = format!(
        "{name}: {} of the requests of NFS were sent again{} ({count:.0}): the server did not answer within the mount's timeo, or the connection broke. Over TCP each is a long stall: look at the server and the path to it at that time.",
        percent(share),
        since(file)
    );
    Some(Figure { weight: 2.0 + share, text })
}

/// How long a request of NFS takes, and where most of it goes.
fn times(file: &File<'_>, name: &str, record: &Record<'_>) -> String {
    let get = |metric: &str| record.get(metric).copied().unwrap_or(0.0);
    let (whole, server) = (get("await_ns"), get("rtt_ns"));
    let queue = queued(record);
    let why = if queue > 0.5 * whole {
        format!(
            "{} of it in the client's own queue: too few slots, or a server that does not keep up",
            ms(queue)
        )
    } else {
        format!("{} of it at the server and on the way", ms(server))
    };
    format!("{name}: a request of NFS takes {}{}, {why}", ms(whole), since(file))
}

/// The requests of NFS in one record that take longest, where they wait mostly for their turn here.
pub(super) fn slowest(file: &File<'_>) -> Option<String> {
    let names = file.of.keys().filter(|(area, _)| *area == "nfs").map(|(_, name)| *name);
    let records = names.filter_map(|name| Some((name, worst(file, "nfs", name, "await_ns")?)));
    let of = |record: &Record<'_>, metric: &str| record.get(metric).copied().unwrap_or(0.0);
    let busy = records.filter(|(_, record)| {
        let whole = of(record, "await_ns");
        of(record, "io_per_s") >= FEW_PER_S && whole >= QUEUED_NS && queued(record) > 0.5 * whole
    });
    let most = busy.max_by(|one, other| of(&one.1, "await_ns").total_cmp(&of(&other.1, "await_ns")));
    most.map(|(name, record)| times(file, name, &record))
}

/// Time in the client's own queue, ns.
fn queued(record: &Record<'_>) -> f64 {
    let get = |metric: &str| record.get(metric).copied().unwrap_or(0.0);
    let queue = get("queue_ns");
    if queue > 0.0 { queue } else { (get("await_ns") - get("rtt_ns")).max(0.0) }
}
