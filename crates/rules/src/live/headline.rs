//! The first line: what limits the host now, as a sentence, with the share of its ceiling.

use crate::facts::percent;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::graph::Topology;
use fullwire_model::host::Host;
use fullwire_model::live::{Headline, Live, NetworkRow, StorageRow, Trouble};
use fullwire_model::subject::Kind;

/// From here on a resource is called busy.
const BUSY: f64 = 0.70;

/// From here on a ceiling is reached: full wire, which is what a path is for.
const FULL: f64 = 0.90;

/// Tasks that wait for this much of the time are worth a word.
const WAITED: f64 = 0.10;

/// Nothing moves below this, bytes per second.
const IDLE_BYTES_PER_S: f64 = 1e5;

/// CPUs that work more than this are not idle.
const AT_WORK: f64 = 0.05;

/// Errors before saturation before utilisation; where nothing is known it says so.
pub(super) fn of(live: &Live, host: &Host, trouble: &[Trouble]) -> Headline {
    let critical = trouble.iter().find(|one| one.severity == Severity::Critical);
    critical
        .map(|one| told(live, host, one))
        .or_else(|| stalled(live))
        .or_else(|| trouble.first().map(|one| told(live, host, one)))
        .or_else(|| saturated(live))
        .or_else(|| waiting(live))
        .unwrap_or_else(|| busiest(live))
}

fn told(live: &Live, host: &Host, trouble: &Trouble) -> Headline {
    let whole = Some(&trouble.subject_ref).filter(|subject| subject.aspect.is_empty());
    let things = whole.map(|subject| Topology::of(host).called(subject)).unwrap_or_default();
    let is_of = |row: &&StorageRow| {
        things.contains(&Kind::Disk.named(&row.device)) || things.contains(&Kind::Mount.named(&row.name))
    };
    let of_device = live.storage.iter().filter(is_of).find_map(|row| row.share);
    let is_carrier = |row: &&NetworkRow| things.contains(&Kind::Nic.named(&row.name));
    let of_interface = live.network.iter().find(is_carrier).and_then(|row| row.share);
    let share = of_device.or(of_interface);
    let used = share.map_or_else(String::new, |share| format!(" (at {} of its link)", percent(share)));
    Headline {
        severity: Some(trouble.severity),
        layer: Some(trouble.layer),
        subject: trouble.subject.clone(),
        code: trouble.code.clone(),
        sentence: format!("{}{used}", trouble.message.trim_end_matches('.')),
        share,
    }
}

/// The deepest device that hangs: those above it wait for it.
fn stalled(live: &Live) -> Option<Headline> {
    let row = live.storage.iter().filter(|row| row.stalled_s.is_some()).max_by_key(|row| row.depth)?;
    let queue = row.io.as_ref().map_or(0.0, |io| io.queue);
    Some(Headline {
        severity: Some(Severity::Critical),
        layer: Some(Layer::Storage),
        subject: row.device.clone(),
        code: String::new(),
        sentence: format!(
            "storage {}: {queue:.0} I/Os in flight and nothing completed for {:.0} s",
            row.device,
            row.stalled_s.unwrap_or(0.0)
        ),
        share: None,
    })
}

/// A link or the CPUs near their ceiling.
fn saturated(live: &Live) -> Option<Headline> {
    let busy = live.cpu.busy.filter(|busy| *busy >= FULL).map(|busy| {
        let running = live.cpu.running.unwrap_or(0);
        let sentence =
            format!("host: the {} CPUs are {} busy, {running} tasks run", live.cpu.cpus, percent(busy));
        (busy, Layer::Host, "CPU".to_owned(), sentence)
    });
    let found = [storage(live), network(live), busy].into_iter().flatten().filter(|one| one.0 >= BUSY);
    let (share, layer, subject, sentence) = found.max_by(|one, other| one.0.total_cmp(&other.0))?;
    Some(Headline {
        severity: (share >= FULL).then_some(Severity::Info),
        layer: Some(layer),
        subject,
        code: String::new(),
        sentence,
        share: Some(share),
    })
}

type Load = (f64, Layer, String, String);

/// The mount whose link is used most.
fn storage(live: &Live) -> Option<Load> {
    let mut top = "";
    let mut best: Option<(f64, String, String)> = None;
    for row in &live.storage {
        if row.depth == 0 {
            top = &row.name;
        }
        let (Some(share), Some(limit), Some(io)) = (row.share, row.limit_bytes_per_s, &row.io) else {
            continue;
        };
        if best.as_ref().is_none_or(|best| share > best.0) {
            let sentence = format!(
                "storage {top}: {} carries {} of {} ({}, {})",
                row.device,
                megabytes(io.read_bytes_per_s + io.write_bytes_per_s),
                rate(limit),
                row.limit_source,
                percent(share)
            );
            best = Some((share, top.to_owned(), sentence));
        }
    }
    best.map(|(share, subject, sentence)| (share, Layer::Storage, subject, sentence))
}

fn network(live: &Live) -> Option<Load> {
    let known = live.network.iter().filter_map(|row| Some((row.share?, row)));
    let (share, row) = known.max_by(|one, other| one.0.total_cmp(&other.0))?;
    let io = row.io.as_ref()?;
    let (way, bytes) = if io.tx_bytes_per_s >= io.rx_bytes_per_s {
        ("sends", io.tx_bytes_per_s)
    } else {
        ("receives", io.rx_bytes_per_s)
    };
    let sentence = format!(
        "network {}: {way} {} of {} ({}, {})",
        row.name,
        megabytes(bytes),
        rate(row.limit_bytes_per_s?),
        row.limit_source,
        percent(share)
    );
    Some((share, Layer::Network, row.name.clone(), sentence))
}

/// No ceiling is near, and yet tasks wait.
fn waiting(live: &Live) -> Option<Headline> {
    let pressure = live.pressure.as_ref()?;
    let (share, layer, what) = [
        (pressure.io, Layer::Storage, "I/O"),
        (pressure.memory, Layer::Host, "memory"),
        (pressure.cpu, Layer::Host, "a CPU"),
    ]
    .into_iter()
    .max_by(|one, other| one.0.total_cmp(&other.0))
    .filter(|(share, _, _)| *share >= WAITED)?;
    let name = if layer == Layer::Storage { "storage" } else { "host" };
    let which = if layer == Layer::Storage { device(live) } else { None };
    let which = which.map_or_else(String::new, |(_, text)| format!("; {text}"));
    Some(Headline {
        severity: None,
        layer: Some(layer),
        subject: String::new(),
        code: String::new(),
        sentence: format!("{name}: tasks waited for {what} {} of the time{which}", percent(share)),
        share: None,
    })
}

/// Nothing is near its ceiling: which is busiest, and how far it is from it.
fn busiest(live: &Live) -> Headline {
    if live.seconds <= 0.0 {
        let sentence = "not known yet: rates need a second sample".into();
        return Headline { sentence, ..Headline::default() };
    }
    let known = [storage(live), network(live)].into_iter().flatten();
    if let Some((share, layer, subject, sentence)) = known.max_by(|one, other| one.0.total_cmp(&other.0))
        && share >= 0.01
    {
        return Headline {
            layer: Some(layer),
            subject,
            sentence: format!("no bottleneck; busiest: {sentence}"),
            share: Some(share),
            ..Headline::default()
        };
    }
    match device(live) {
        Some((subject, text)) => Headline {
            layer: Some(Layer::Storage),
            subject,
            sentence: format!("no bottleneck seen; {text}, ceiling unknown"),
            ..Headline::default()
        },
        None => Headline { sentence: quiet(live), ..Headline::default() },
    }
}

/// No device moves anything: the network may, the CPUs may work, or nothing could be read.
fn quiet(live: &Live) -> String {
    let rated = |row: &NetworkRow| {
        row.io.as_ref().map(|io| (io.rx_bytes_per_s.max(io.tx_bytes_per_s), row.name.clone()))
    };
    let moved = live.network.iter().filter_map(rated).max_by(|one, other| one.0.total_cmp(&other.0));
    if let Some((bytes, name)) = moved.as_ref().filter(|(bytes, _)| *bytes >= IDLE_BYTES_PER_S) {
        return format!("no bottleneck seen; {name} carries {}, ceiling unknown", rate(*bytes));
    }
    if let Some(busy) = live.cpu.busy.filter(|busy| *busy >= AT_WORK) {
        return format!(
            "no bottleneck seen; the CPUs are {} busy, devices and links are idle",
            percent(busy)
        );
    }
    if live.is_blind() {
        return match moved {
            Some(_) => "not known: neither CPUs nor devices could be read; the links are idle".into(),
            None => "not known: neither devices nor links nor CPUs could be read".into(),
        };
    }
    "idle: nothing moves".into()
}

/// The device that moves most, with its figures.
fn device(live: &Live) -> Option<(String, String)> {
    let moved =
        |row: &StorageRow| row.io.as_ref().map_or(0.0, |io| io.read_bytes_per_s + io.write_bytes_per_s);
    let row = live.storage.iter().max_by(|one, other| moved(one).total_cmp(&moved(other)))?;
    let io = row.io.as_ref().filter(|_| moved(row) >= IDLE_BYTES_PER_S)?;
    let text =
        format!("{} carries {} at {:.0} IO/s", row.name, rate(moved(row)), io.reads_per_s + io.writes_per_s);
    Some((row.name.clone(), text))
}

fn megabytes(bytes_per_s: f64) -> String {
    let value = bytes_per_s / 1e6;
    if value < 10.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}

fn rate(bytes_per_s: f64) -> String {
    format!("{} MB/s", megabytes(bytes_per_s))
}
