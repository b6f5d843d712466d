//! Means since boot of the disks that share the load of a volume.

use super::{Span, side};
use fullwire_model::Run;
use fullwire_model::counters::DiskCounters;
use fullwire_model::host::{Disk, Host};

/// A stripe, mirror or array, and what shares its load.
pub(crate) struct Volume<'a> {
    pub(crate) name: &'a str,
    legs: Vec<&'a Disk>,
}

/// Arrays, and volumes that spread each file over several disks.
pub(crate) fn volumes(host: &Host) -> Vec<Volume<'_>> {
    let arrays = host.disks.iter().filter(|disk| disk.kind == "md");
    let arrays = arrays.map(|array| (array.name.as_str(), &array.slaves));
    let spread = host.logical_volumes.iter();
    let spread = spread.filter(|volume| matches!(volume.layout.as_str(), "striped" | "raid" | "mixed"));
    let spread = spread.map(|volume| (volume.name.as_str(), &volume.physical_volumes));
    let legs = |names: &[String]| names.iter().filter_map(|name| host.disk(name)).collect();
    let found = arrays.chain(spread).map(|(name, names)| Volume { name, legs: legs(names) });
    let mut found: Vec<Volume<'_>> = found.filter(|volume| volume.legs.len() > 1).collect();
    // Volumes of one group are on the same disks: a slow one is told once.
    let mut seen: Vec<Vec<&str>> = Vec::new();
    found.retain(|volume| {
        let names: Vec<&str> = volume.legs.iter().map(|leg| leg.name.as_str()).collect();
        let is_new = !seen.contains(&names);
        seen.push(names);
        is_new
    });
    found
}

/// What a leg did since boot.
pub(crate) struct Leg<'a> {
    pub(crate) name: &'a str,
    /// Share of the time with a request in flight.
    pub(crate) busy: f64,
    directions: [Direction; 2],
}

/// Reads or writes: how many, how long and how large on average.
#[derive(Clone, Copy)]
struct Direction {
    count: u64,
    await_ms: f64,
    bytes: f64,
}

/// The leg that takes longer than the others.
pub(crate) struct Slow<'a> {
    pub(crate) name: &'a str,
    pub(crate) what: &'static str,
    pub(crate) await_ms: f64,
    /// The longest time of the others.
    pub(crate) others_ms: f64,
}

thresholds! {
    /// A leg is slow that takes 4 times the other legs' time, and 2 ms more (own choice).
    pub(crate) const SLOWER: f64 = 4.0;
    /// A leg is slow that takes 2 ms more than the others, and 4 times their time; less is scatter (own choice).
    pub(crate) const SLOWER_NS: f64 = 2e6;
    /// Fewer requests say nothing of months.
    const ENOUGH: u64 = 100_000;
    /// A rebuild writes in larger pieces than a database, each of which takes longer.
    const LARGER: f64 = 2.0;
    /// The slow leg is in use for so many times the others' time.
    const BUSIER: f64 = 1.5;
}

/// The legs since boot, where the counters were read once; `None`: nothing is known of some.
pub(crate) fn of<'a>(run: &Run, volume: &Volume<'a>) -> Option<(Span, Vec<Leg<'a>>)> {
    let side = side::own(run);
    let span = side.since_boot()?;
    let counters = &side.windows.last()?.to.disks;
    let legs = volume.legs.iter().map(|disk| Some(leg(&disk.name, counters.get(&disk.name)?, span)));
    Some((span, legs.collect::<Option<Vec<_>>>()?))
}

fn leg<'a>(name: &'a str, counted: &DiskCounters, span: Span) -> Leg<'a> {
    let direction = |count: u64, ms: u64, bytes: u64| {
        let each = |sum: u64| sum as f64 / count.max(1) as f64;
        Direction { count, await_ms: each(ms), bytes: each(bytes) }
    };
    Leg {
        name,
        busy: counted.busy_ms as f64 / 1e3 / span.seconds,
        directions: [
            direction(counted.reads, counted.read_ms, counted.read_bytes),
            direction(counted.writes, counted.write_ms, counted.write_bytes),
        ],
    }
}

/// The leg whose reads or writes, of like size, take far longer than on any other, and that is in use for longer.
pub(crate) fn slowest<'a>(legs: &[Leg<'a>]) -> Option<Slow<'a>> {
    ["read", "write"].into_iter().enumerate().find_map(|(which, what)| {
        let counted: Vec<(&Leg<'a>, Direction)> = legs
            .iter()
            .map(|leg| (leg, leg.directions[which]))
            .filter(|(_, one)| one.count >= ENOUGH)
            .collect();
        let (leg, slow) = counted.iter().max_by(|a, b| a.1.await_ms.total_cmp(&b.1.await_ms))?;
        let others = counted.iter().filter(|(other, _)| other.name != leg.name);
        let most = |read: fn(&(&Leg<'a>, Direction)) -> f64| others.clone().map(read).reduce(f64::max);
        let (others_ms, bytes, busy) = (most(|o| o.1.await_ms)?, most(|o| o.1.bytes)?, most(|o| o.0.busy)?);
        let longer = slow.await_ms >= SLOWER * others_ms && slow.await_ms >= others_ms + SLOWER_NS / 1e6;
        let alike = slow.bytes <= LARGER * bytes && leg.busy >= BUSIER * busy;
        (longer && alike).then_some(Slow { name: leg.name, what, await_ms: slow.await_ms, others_ms })
    })
}
