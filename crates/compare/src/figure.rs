//! The figures of a run that can be compared: for each measurement its rate, its latencies, what it cost.

use crate::options::Deltas;
use crate::plan::Question;
use crate::target::TargetProperties;
use fullwire_model::comparison::{Direction, LeftOut};
use fullwire_model::disk::{Bonnie, DiskResult, DiskStepResult, Pattern, SmallFilesResult, Sync, Timed};
use fullwire_model::latency::Latency;
use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::quantity::Unit;
use fullwire_model::{Asked, MeasurementId, PathName, Question as Named, Run};

/// What a figure is, apart from its values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kind {
    /// `throughput`, `p50`, ...
    pub name: &'static str,
    /// The unit of its values.
    pub unit: Unit,
    /// Which direction is good.
    pub better: Direction,
    /// Changes are ratios; else differences in the unit.
    pub ratio: bool,
    /// The smallest change that matters: a share, or in the unit.
    pub delta: f64,
    /// The one with the smallest rank is the primary figure of its path.
    pub rank: u8,
}

/// One figure of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The peer or the storage target.
    pub path: PathName,
    /// The measurement, numbered where a run has several of one label.
    pub measurement: MeasurementId,
    /// What it is.
    pub kind: Kind,
    /// One value for each repeat.
    pub values: Vec<f64>,
    /// The measurement never settled.
    pub unsteady: bool,
    /// What was requested.
    pub question: Question,
    /// What it was requested of.
    pub target: TargetProperties,
}

impl Figure {
    /// The same question, of a target of the same kind.
    pub fn is_like(&self, other: &Self) -> bool {
        self.measurement == other.measurement
            && self.question.difference(&other.question).is_none()
            && self.target.identity == other.target.identity
    }
}

/// The figures of one measurement before they have their path: kind and values.
type Kinds = Vec<(Kind, Vec<f64>)>;

/// Samples beyond a percentile that make it one: p99 needs 1,000 of them, p99.9 10,000.
const BEYOND: u64 = 10;

/// Everything of a run that can be compared, and what cannot.
pub fn figures(run: &Run, deltas: &Deltas) -> (Vec<Figure>, Vec<LeftOut>) {
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    let mut out = |what: String, why: &str| {
        left_out.push(LeftOut { run_id: run.run_id.clone(), what, why: why.to_owned() });
    };
    for (measurement, result) in run.net_measurements() {
        if let Some(why) = &result.incomplete {
            out(format!("{} {measurement}", result.target), why);
        } else {
            let path = &PathName::peer(result.target.as_str());
            let place = Place { path, target: &TargetProperties::of_net(run, result) };
            found.extend(place.figures(measurement, Question::of_net(result), of_net(result, deltas)));
        }
    }
    for result in &run.disk {
        if let Some(caveat) = result.caveats.iter().find(|caveat| caveat.void) {
            out(result.target.to_string(), &caveat.text);
            continue;
        }
        let place = Place { path: &result.target, target: &TargetProperties::of_disk(run, result) };
        for (measurement, step) in result.measurements() {
            let own = place.figures(measurement, Question::of_step(result, step), of_step(step, deltas));
            found.extend(own.map(|figure| Figure { unsteady: step.steady == Some(false), ..figure }));
        }
        let mut asked = Asked::default();
        for one in &result.small_files {
            let measurement = asked.again(&result.target, &Named::SmallFiles(one.plan.clone()));
            found.extend(place.figures(
                measurement,
                Question::of_small_files(&one.plan),
                of_files(one, deltas),
            ));
        }
        if let Some(table) = &result.bonnie {
            let measurement = asked.again(&result.target, &Named::Bonnie);
            found.extend(place.figures(measurement, Question::of_bonnie(table), of_bonnie(table, deltas)));
        }
        if let Some(short) = too_short(result) {
            out(format!("{} {short}", result.target), TOO_SHORT);
        }
    }
    found.retain(|figure| !figure.values.is_empty() && figure.values.iter().all(|value| value.is_finite()));
    (found, left_out)
}

/// Where figures were measured.
struct Place<'a> {
    path: &'a PathName,
    target: &'a TargetProperties,
}

impl Place<'_> {
    fn figures(
        &self,
        measurement: MeasurementId,
        question: Question,
        kinds: Kinds,
    ) -> impl Iterator<Item = Figure> + use<'_> {
        kinds.into_iter().map(move |(kind, values)| Figure {
            path: self.path.to_owned(),
            measurement: measurement.clone(),
            kind,
            values,
            unsteady: false,
            question: question.clone(),
            target: self.target.clone(),
        })
    }
}

fn of_net(result: &NetResult, deltas: &Deltas) -> Kinds {
    let mut kinds: Kinds = Vec::new();
    match result.mode {
        NetMode::Async => {
            let plain = result.streams <= 1 && !result.reverse && result.plan.sockbuf_bytes == 0;
            let rate = rate_kind(deltas, u8::from(!plain));
            kinds.push((rate, repeated(&result.repeats_bytes_per_s, settled_bytes_per_s(result))));
            if let Some(back) = result.reverse_throughput_bytes_per_s {
                kinds.push((Kind { name: "throughput back", rank: 2, ..rate }, vec![back]));
            }
            if let Some(tcp) = result.tcp.as_ref().filter(|tcp| tcp.rtt_min_ns > 0) {
                kinds.push((SMALLEST_ROUND_TRIP, vec![tcp.rtt_min_ns as f64]));
            }
            if result.cpu.client_s_per_gb > 0.0 {
                kinds.push((CPU_PER_GB, vec![result.cpu.client_s_per_gb]));
            }
        }
        NetMode::Sync | NetMode::Rtt => {
            let rank = if result.mode == NetMode::Sync { 2 } else { 3 };
            if let Some(latency) = &result.latency_ns {
                let p50s: Vec<f64> = result.repeats_p50_ns.iter().map(|ns| *ns as f64).collect();
                kinds.extend(latencies(latency, &p50s, deltas, rank));
            }
        }
        NetMode::Udp => {
            kinds.extend(losses(result));
            let rates = repeated(&result.repeats_bytes_per_s, result.throughput_bytes_per_s);
            kinds.push((rate_kind(deltas, 2), rates));
        }
        NetMode::Interconnect => {
            if let Some(per_s) = result.exchanges_per_s() {
                let kind = Kind { name: "exchanges per second", unit: Unit::PerS, ..rate_kind(deltas, 1) };
                kinds.push((kind, vec![per_s]));
            }
            if let Some(latency) = &result.latency_ns {
                let p50s: Vec<f64> = result.repeats_p50_ns.iter().map(|ns| *ns as f64).collect();
                kinds.extend(latencies(latency, &p50s, deltas, 2));
            }
            kinds.extend(losses(result));
        }
    }
    kinds
}

/// Share of the datagrams that were lost.
fn losses(result: &NetResult) -> Option<(Kind, Vec<f64>)> {
    let udp = result.udp.as_ref().filter(|udp| udp.sent > 0)?;
    Some((LOSS, vec![udp.lost as f64 / udp.sent as f64]))
}

fn of_step(step: &DiskStepResult, deltas: &Deltas) -> Kinds {
    let rates = repeated(&step.repeats_bytes_per_s, step.throughput_bytes_per_s);
    // A commit is waited for: its latency is what counts. Of all else it is the rate.
    let commit = step.sync != Sync::None && step.queue_depth <= 1;
    let (rate_rank, latency_rank) = if commit { (5, 1) } else { (1, 5) };
    let mut kinds = if step.pattern == Pattern::Random && step.throughput_bytes_per_s > 0.0 {
        let per_byte = step.iops / step.throughput_bytes_per_s;
        let kind = Kind { name: "I/Os per second", unit: Unit::IoPerS, ..rate_kind(deltas, rate_rank) };
        vec![(kind, rates.iter().map(|rate| rate * per_byte).collect())]
    } else {
        vec![(rate_kind(deltas, rate_rank), rates)]
    };
    let p50s: Vec<f64> = step.repeats_p50_ns.iter().map(|ns| *ns as f64).collect();
    kinds.extend(latencies(&step.latency_ns, &p50s, deltas, latency_rank));
    kinds
}

/// Why rows of a table are not compared.
const TOO_SHORT: &str =
    "rows that took less than half a second have no figure: more files or a larger file give one";

/// The rows of a table that have no figure, in words; `None`: all have one.
fn too_short(result: &DiskResult) -> Option<String> {
    let tables = result.bonnie.iter().flat_map(|table| [&table.sequential, &table.random]);
    let rows = result.small_files.iter().chain(tables).flat_map(|one| [&one.create, &one.read, &one.delete]);
    let short = rows.filter(|row| row.count > 0 && row.per_s.is_none()).count();
    (short > 0).then(|| format!("{short} rows of small files"))
}

fn of_files(result: &SmallFilesResult, deltas: &Deltas) -> Kinds {
    let rows =
        [("files created", &result.create), ("files read", &result.read), ("files deleted", &result.delete)];
    let rank = |index: usize| if index == 0 { 1 } else { 2 };
    let row = |(index, (name, row)): (usize, (&'static str, &Timed))| {
        let kind = Kind { name, unit: Unit::PerS, ..rate_kind(deltas, rank(index)) };
        Some((kind, vec![row.per_s?]))
    };
    rows.into_iter().enumerate().filter_map(row).collect()
}

/// The rows of bonnie++'s table; blocks first, for a byte at a time measures the C library.
fn of_bonnie(table: &Bonnie, deltas: &Deltas) -> Kinds {
    let bytes = |name, rank| Kind { name, ..rate_kind(deltas, rank) };
    let each = |name, rank| Kind { name, unit: Unit::PerS, ..rate_kind(deltas, rank) };
    let (sequential, random) = (&table.sequential, &table.random);
    let rows = [
        (bytes("output in blocks", 1), &table.output_block),
        (bytes("input in blocks", 2), &table.input_block),
        (bytes("rewrite", 3), &table.rewrite),
        (each("seeks", 4), &table.seeks),
        (bytes("output by characters", 8), &table.output_char),
        (bytes("input by characters", 8), &table.input_char),
        (each("files created in order", 5), &sequential.create),
        (each("files read in order", 6), &sequential.read),
        (each("files deleted in order", 6), &sequential.delete),
        (each("files created at random", 6), &random.create),
        (each("files read at random", 6), &random.read),
        (each("files deleted at random", 6), &random.delete),
    ];
    rows.into_iter().filter_map(|(kind, row)| Some((kind, vec![row.per_s?]))).collect()
}

fn rate_kind(deltas: &Deltas, rank: u8) -> Kind {
    let better = Direction::Higher;
    Kind { name: "throughput", unit: Unit::BytesPerS, better, ratio: true, delta: deltas.rate, rank }
}

/// A floor: barely noisy, and a few microseconds more matter nowhere.
const SMALLEST_ROUND_TRIP: Kind = Kind {
    name: "smallest round trip",
    unit: Unit::Ns,
    better: Direction::Lower,
    ratio: false,
    delta: 5_000.0,
    rank: 8,
};

const CPU_PER_GB: Kind =
    Kind { name: "CPU per GB", unit: Unit::S, better: Direction::Lower, ratio: true, delta: 0.05, rank: 9 };

/// A tenth of a percent of datagrams.
const LOSS: Kind =
    Kind { name: "loss", unit: Unit::Ratio, better: Direction::Lower, ratio: false, delta: 0.001, rank: 4 };

/// The percentiles that there are samples for. The maximum is never compared: it grows with the number of samples.
fn latencies(latency: &Latency, p50s: &[f64], deltas: &Deltas, rank: u8) -> Vec<(Kind, Vec<f64>)> {
    let kind =
        |name, delta, rank| Kind { name, unit: Unit::Ns, better: Direction::Lower, ratio: true, delta, rank };
    let mut found = Vec::new();
    if latency.count > 0 {
        found.push((kind("p50", deltas.median, rank), repeated(p50s, latency.p50 as f64)));
    }
    if latency.count >= 100 * BEYOND {
        found.push((kind("p99", deltas.p99, 6), vec![latency.p99 as f64]));
    }
    if latency.count >= 1000 * BEYOND {
        found.push((kind("p99.9", deltas.p999, 7), vec![latency.p999 as f64]));
    }
    found
}

fn repeated(repeats: &[f64], single: f64) -> Vec<f64> {
    if repeats.len() > 1 { repeats.to_vec() } else { vec![single] }
}

/// Cut off the start of a stream that was not warmed up, s: slow start is not the path's rate.
const WARM_UP_S: f64 = 1.0;

/// The rate without the start; the whole run's where the test is short or was warmed up.
fn settled_bytes_per_s(result: &NetResult) -> f64 {
    let whole = result.throughput_bytes_per_s;
    let round_trip_s = result.tcp.as_ref().map_or(0.0, |tcp| tcp.rtt_min_ns as f64 / 1e9);
    let cut_s = WARM_UP_S.max(10.0 * round_trip_s);
    if result.plan.warmup_ns > 0 || result.duration_s < 4.0 * cut_s {
        return whole;
    }
    let (mut bytes, mut seconds, mut since) = (0.0, 0.0, 0.0);
    for slice in &result.intervals {
        if since >= cut_s - 1e-3 {
            bytes += slice.throughput_bytes_per_s * (slice.t_s - since).max(0.0);
            seconds += (slice.t_s - since).max(0.0);
        }
        since = slice.t_s;
    }
    if seconds >= 0.5 * result.duration_s { bytes / seconds } else { whole }
}
