//! Results as tables of text.

use super::{figures, told};
use crate::format;
use fullwire_model::assessment::{Ceiling, MeasurementAssessment, PathAssessment};
use fullwire_model::disk::{DiskResult, DiskStepResult, LayerStats, Pattern, SmallFilesResult, Sweep};
use fullwire_model::latency::Latency;
use fullwire_model::mtu::{Confirmation, Jumbo, MtuResult};
use fullwire_model::net::{NetMode, NetResult, UdpSummary};
use fullwire_model::quantity::Unit;
use fullwire_model::rfc6349::Rfc6349;

const ZEROCOPY_COPIED: &str = "not effective: the kernel copied the data, as it does on loopback, on veth and when packets are inspected";

/// A table; drawn with aligned columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// Column heads.
    pub columns: Vec<Column>,
    /// One cell for each column.
    pub rows: Vec<Vec<Cell>>,
    /// Sentences below it.
    pub notes: Vec<String>,
    /// It does not bear on what the command was asked: a page has it, and a terminal with `--verbose`.
    pub detail: bool,
}

/// A column's head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// It holds numbers: aligned to the right.
    pub numeric: bool,
    /// Its cells are never cut: half a time is none.
    pub whole: bool,
}

/// A cell's text.
pub type Cell = String;

impl Table {
    /// A table of these columns; one whose name starts with `#` holds numbers, with `@` what is never cut.
    pub(crate) fn new(title: impl Into<String>, columns: &[&'static str]) -> Self {
        let column = |name: &&'static str| Column {
            name: name.trim_start_matches(['#', '@']),
            numeric: name.starts_with('#'),
            whole: name.starts_with('@'),
        };
        Self { title: title.into(), columns: columns.iter().map(column).collect(), ..Self::default() }
    }

    /// Drops columns that say nothing.
    pub(crate) fn without_empty_columns(mut self) -> Self {
        let kept: Vec<bool> = (0..self.columns.len())
            .map(|index| self.rows.iter().any(|row| row.get(index).is_some_and(|cell| !cell.is_empty())))
            .collect();
        let mut keep = kept.iter();
        self.columns.retain(|_| *keep.next().unwrap_or(&true));
        for row in &mut self.rows {
            let mut keep = kept.iter();
            row.retain(|_| *keep.next().unwrap_or(&true));
        }
        self
    }
}

fn time_of(latency: Option<&Latency>, pick: impl FnOnce(&Latency) -> u64) -> String {
    // A tool that prints the mean alone has no percentiles.
    let known = latency.filter(|latency| latency.count > 0).map(pick).filter(|ns| *ns > 0);
    told(known, |ns| format::time(ns as f64))
}

/// A result of a probe, and what the rules made of its figure.
type Judged<'a, T> = (&'a T, Option<&'a MeasurementAssessment>);

/// The rate that the verdict rests on, and else the one that was measured.
fn figure(judged: Option<&MeasurementAssessment>, unit: Unit, measured: f64) -> f64 {
    judged.and_then(|judged| judged.value_in(unit)).unwrap_or(measured)
}

/// `±2 %` of a figure.
fn noise(judged: Option<&MeasurementAssessment>) -> Cell {
    format::noise(judged.and_then(MeasurementAssessment::noise)).trim().to_owned()
}

/// Network results of one target.
pub(super) fn nets(results: &[Judged<'_, NetResult>], ceilings: &[&Ceiling]) -> Vec<Table> {
    if let Some(table) = window_sweep(results) {
        return vec![table];
    }
    let columns = ["", "#streams", "#MB/s", "#±", "#", "#p50", "#p99", "#resent", "#rtt min"];
    let mut table = Table::new("All measurements", &columns);
    let mut parts = Table::new("Where a synchronous message's time goes", &["", "#p50", "#p99", "#max"]);
    let several = results.iter().any(|(result, _)| result.streams > 1);
    let split = results.iter().filter(|(result, _)| result.parts_ns.is_some()).count() > 1;
    for (result, judged) in results {
        table.rows.push(net_row(result, *judged, several));
        table.notes.extend(mean_note(result, *judged));
        table.notes.extend(net_notes(result));
        table.notes.extend(
            Rfc6349::of(result, ceilings.iter().copied()).and_then(|terms| terms_note(result, &terms)),
        );
        if let Some(of) = &result.parts_ns {
            let named = |part: &str| {
                if split { format!("{part} ({})", name_of(result, *judged)) } else { part.to_owned() }
            };
            parts.rows.push(latency_row(&named("network and both stacks"), Some(&of.network)));
            parts.rows.push(latency_row(&named("the peer's disk write"), of.remote_write.as_ref()));
        }
    }
    parts.rows.retain(|row| !row[1].is_empty());
    [table, parts]
        .into_iter()
        .filter(|table| !table.rows.is_empty())
        .map(Table::without_empty_columns)
        .collect()
}

/// What each size of socket buffers gave; `None` where they were not varied.
fn window_sweep(results: &[Judged<'_, NetResult>]) -> Option<Table> {
    let asked = |result: &NetResult| result.plan.sockbuf_bytes;
    let (first, _) = results.first()?;
    let varied = results.iter().any(|(result, _)| asked(result) != asked(first));
    if !varied || results.iter().any(|(result, _)| asked(result) == 0) {
        return None;
    }
    let columns = ["#buffers", "#granted (send)", "#MB/s", "#±", "#", "#limited by the peer's window"];
    let mut table = Table::new("Socket buffers", &columns);
    table.rows = results.iter().map(|(result, judged)| window_row(result, *judged)).collect();
    table
        .notes
        .push("The kernel grants twice the requested size, up to net.core.wmem_max and rmem_max.".into());
    Some(table.without_empty_columns())
}

fn window_row(result: &NetResult, judged: Option<&MeasurementAssessment>) -> Vec<Cell> {
    let tcp = result.tcp.as_ref();
    let rate = figure(judged, Unit::BytesPerS, result.throughput_bytes_per_s);
    vec![
        format::size(result.plan.sockbuf_bytes as f64),
        told(tcp, |tcp| format::size(tcp.sndbuf_bytes.0 as f64)),
        format::rate(rate).trim_end_matches(" MB/s").to_owned(),
        noise(judged),
        format::bit_rate(rate),
        told(tcp.filter(|tcp| tcp.busy_s > 0.0), |tcp| format::percent(tcp.rwnd_limited_s / tcp.busy_s)),
    ]
}

fn name_of(result: &NetResult, judged: Option<&MeasurementAssessment>) -> String {
    judged.map_or_else(|| result.label(), |judged| judged.id.to_string())
}

fn net_row(result: &NetResult, judged: Option<&MeasurementAssessment>, several: bool) -> Vec<Cell> {
    let latency = result.latency_ns.as_ref();
    let tcp = result.tcp.as_ref();
    // Empty messages have no rate, and an interconnect's is in exchanges.
    let rated = (!matches!(result.mode, NetMode::Rtt | NetMode::Interconnect))
        .then(|| figure(judged, Unit::BytesPerS, result.throughput_bytes_per_s));
    vec![
        name_of(result, judged),
        if several { result.streams.max(1).to_string() } else { String::new() },
        told(rated, |rate| format::rate(rate).trim_end_matches(" MB/s").to_owned()),
        noise(judged.filter(|_| rated.is_some())),
        told(rated, format::bit_rate),
        time_of(latency, |latency| latency.p50),
        time_of(latency, |latency| latency.p99),
        told(tcp.filter(|tcp| tcp.segments_out > 0 || tcp.retransmits > 0), |tcp| {
            format::count(tcp.retransmits as f64)
        }),
        told(tcp.filter(|tcp| tcp.rtt_min_ns > 0), |tcp| format::time(tcp.rtt_min_ns as f64)),
    ]
}

fn latency_row(name: &str, latency: Option<&Latency>) -> Vec<Cell> {
    vec![
        name.to_owned(),
        time_of(latency, |latency| latency.p50),
        time_of(latency, |latency| latency.p99),
        time_of(latency, |latency| latency.max),
    ]
}

fn net_notes(result: &NetResult) -> Vec<String> {
    let mut notes = Vec::new();
    // Where it was asked for, it is the answer.
    if let (Some(idle), Some(loaded), false) =
        (&result.rtt_idle_ns, &result.rtt_loaded_ns, result.plan.under_load)
    {
        notes.push(format!(
            "Round trip {} idle, {} under load (median).",
            format::time(idle.p50 as f64),
            format::time(loaded.p50 as f64)
        ));
    }
    if let Some(tcp) = &result.tcp {
        let share = |seconds: f64| format::percent(seconds / tcp.busy_s.max(f64::MIN_POSITIVE));
        let mut limits = Vec::new();
        if tcp.busy_s > 0.0 && tcp.rwnd_limited_s > 0.0 {
            limits.push(format!("by the peer's window for {}", share(tcp.rwnd_limited_s)));
        }
        if tcp.busy_s > 0.0 && tcp.sndbuf_limited_s > 0.0 {
            limits.push(format!("by the send buffer for {}", share(tcp.sndbuf_limited_s)));
        }
        if !limits.is_empty() {
            let limits = limits.join(" and ");
            notes.push(format!("{}: TCP was limited {limits} of its busy time.", result.label()));
        }
    }
    if let (NetMode::Interconnect, Some(back)) = (result.mode, result.reverse_throughput_bytes_per_s) {
        let there = result.throughput_bytes_per_s;
        notes.push(format!("Blocks: {} out and {} back.", both_units(there), both_units(back)));
    }
    let back = result.reverse_udp.as_ref();
    notes.extend(result.udp.as_ref().map(|udp| udp_note(udp, if back.is_some() { " out" } else { "" })));
    notes.extend(back.map(|udp| udp_note(udp, " back")));
    notes.extend(result.zerocopy_effective.map(|effective| {
        let what = if effective {
            "effective: the kernel sent directly from the program's memory"
        } else {
            ZEROCOPY_COPIED
        };
        format!("{}: zero copy {what}.", result.label())
    }));
    notes
}

/// The mean of the whole run, where slow start keeps it below the rate that is shown.
fn mean_note(result: &NetResult, judged: Option<&MeasurementAssessment>) -> Option<String> {
    let steady = judged?.value_in(Unit::BytesPerS)?;
    let mean = result.throughput_bytes_per_s;
    ((steady - mean).abs() > 0.005 * steady).then(|| {
        format!(
            "{}: {} after slow start; {} over the whole run.",
            result.label(),
            format::rate(steady),
            format::rate(mean)
        )
    })
}

/// The terms of RFC 6349 that are known.
fn terms_note(result: &NetResult, terms: &Rfc6349) -> Option<String> {
    let known = [
        terms.transfer_time_ratio.map(|ratio| format!("transfer-time ratio {ratio:.2}")),
        terms.tcp_efficiency_percent.map(|percent| format!("TCP efficiency {percent:.2} %")),
        terms.buffer_delay_percent.map(buffer_delay),
    ];
    let known: Vec<String> = known.into_iter().flatten().collect();
    (!known.is_empty()).then(|| format!("RFC 6349 ({}): {}.", result.label(), known.join(", ")))
}

/// Percent where they can be pictured, else how many times the round trip of an idle path.
fn buffer_delay(percent: f64) -> String {
    if percent < 1_000.0 {
        return format!("buffer delay {percent:.0} %");
    }
    format!("mean round trip under load {:.0} times the idle one", percent / 100.0 + 1.0)
}

/// `23.8 MB/s (190 Mbit/s)`.
fn both_units(bytes_per_s: f64) -> String {
    format!("{} ({})", format::rate(bytes_per_s), format::bit_rate(bytes_per_s))
}

fn udp_note(udp: &UdpSummary, way: &str) -> String {
    let share = if udp.sent == 0 { 0.0 } else { udp.lost as f64 / udp.sent as f64 };
    format!(
        "Datagrams{way}: {} sent, {} lost ({}), {} out of order, {} duplicated{}.",
        format::count(udp.sent as f64),
        format::count(udp.lost as f64),
        format::percent(share),
        format::count(udp.reordered as f64),
        format::count(udp.duplicated as f64),
        udp.jitter_ns.map(|ns| format!(", jitter {}", format::time(ns as f64))).unwrap_or_default()
    )
}

/// Steps, small files and layers of a storage result.
pub(super) fn disk(result: &DiskResult, path: &PathAssessment) -> Vec<Table> {
    let columns = ["", "#MB/s", "#IO/s", "#p50", "#p99", "#p99.9", "#±"];
    let mut steps = Table::new("All measurements", &columns);
    steps.rows = figures::steps(result, Some(path)).map(|(step, judged)| step_row(step, judged)).collect();
    steps.notes.extend(result.sweep.iter().flat_map(sweep_notes));
    let mut tables = vec![steps.without_empty_columns(), small_files(&result.small_files)];
    tables.extend(result.steps.iter().filter(|step| !step.layers.is_empty()).map(layers));
    tables.retain(|table| !table.rows.is_empty());
    tables
}

fn sweep_notes(sweep: &Sweep) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(error) = sweep.little_error {
        let verdict = if error < 0.05 {
            "the times can be trusted"
        } else {
            "the load generator had to wait for a CPU"
        };
        notes.push(format!(
            "Little's law (in flight = rate x latency) is met within {}: {verdict}.",
            format::percent(error)
        ));
    }
    notes.extend(sweep.request_plateau_bytes.map(|bytes| {
        format!("Larger blocks are split: no request is larger than {}.", format::size(bytes as f64))
    }));
    notes
}

/// As bonnie++ has it.
const TOO_QUICK: &str = "++++";

/// Files created, looked at and deleted, per second; plus signs where it was over too soon to say, as in bonnie++.
fn small_files(results: &[SmallFilesResult]) -> Table {
    let columns = ["files, by threads", "#create/s", "#CPU", "#read/s", "#CPU", "#delete/s", "#CPU"];
    let mut table = Table::new("Small files", &columns);
    table.rows = results.iter().map(small_files_row).collect();
    if table.rows.iter().flatten().any(|cell| cell == TOO_QUICK) {
        let most = results.iter().map(|one| one.plan.files).max().unwrap_or(0);
        table.notes.push(format!(
            "{TOO_QUICK} finished too quickly to be timed: measure with more files, such as --files {}.",
            most * 10
        ));
    }
    table
}

fn small_files_row(result: &SmallFilesResult) -> Vec<Cell> {
    let plan = &result.plan;
    let order = if plan.pattern == Pattern::Random { "random" } else { "in order" };
    let threads = plan.threads.max(1);
    let size = match (plan.min_bytes, plan.max_bytes) {
        (_, 0) => "empty".to_owned(),
        (least, most) => format!("of {} to {}", format::size(least as f64), format::size(most as f64)),
    };
    let mut row = vec![format!("{} {size}, {order}, by {threads}", plan.files)];
    for timed in [&result.create, &result.read, &result.delete] {
        row.push(timed.per_s.map_or_else(|| TOO_QUICK.to_owned(), |rate| format::count(rate.round())));
        row.push(told(timed.cpu_share, format::percent));
    }
    row
}

/// A label that leaves room for figures on eighty columns.
fn short(label: &str) -> String {
    label
        .replace("sequential", "seq")
        .replace("random", "rand")
        .replace(" depth ", " qd ")
        .replace(" direct ", " dio ")
}

fn step_row(step: &DiskStepResult, judged: Option<&MeasurementAssessment>) -> Vec<Cell> {
    let latency = Some(&step.latency_ns);
    vec![
        short(&step.label()),
        format::rate(figure(judged, Unit::BytesPerS, step.throughput_bytes_per_s))
            .trim_end_matches(" MB/s")
            .to_owned(),
        format::count(figure(judged, Unit::IoPerS, step.iops).round()),
        time_of(latency, |latency| latency.p50),
        time_of(latency, |latency| latency.p99),
        time_of(latency, |latency| latency.p999),
        noise(judged),
    ]
}

/// From here on a device moved more than the program (own choice).
const BESIDES: f64 = 1.1;

fn layers(step: &DiskStepResult) -> Table {
    let columns = ["layer", "", "#IO/s", "#MB/s", "#request", "#await", "#queue", "#busy"];
    let mut table = Table::new(format!("Layers under {}", step.label()), &columns);
    table.rows = step.layers.iter().map(layer_row).collect();
    if let Some(ratio) = step.device_bytes_over_program_bytes {
        table.notes.push(if ratio > BESIDES {
            format!(
                "The device transferred {} the program's bytes: it also counts what the file system and other programs move.",
                format::times(ratio)
            )
        } else {
            format!("The device transferred {} of the program's bytes.", format::percent(ratio))
        });
    }
    table
}

fn layer_row(layer: &LayerStats) -> Vec<Cell> {
    vec![
        layer.name.clone(),
        layer.kind.clone(),
        format::count(layer.iops.round()),
        format::rate(layer.bytes_per_s).trim_end_matches(" MB/s").to_owned(),
        format::size(layer.mean_request_bytes),
        format::time(layer.await_ns),
        format!("{:.1}", layer.queue_mean),
        // Nobody counts how long a mount had a request in flight.
        if layer.kind == "nfs" { String::new() } else { format::percent(layer.utilisation) },
    ]
}

/// A path-MTU result: what answers the question, what else was seen (`--verbose`), and the frames of blocks.
pub(super) fn mtu(result: &MtuResult) -> [Table; 3] {
    let mut table = Table::new(format!("Path MTU to {}", result.target), &["", "#", ""]);
    let mut rest = Table::new(format!("Also seen on the path to {}", result.target), &["", "#", ""]);
    rest.detail = true;
    let bytes = |value: Option<u64>| told(value, |bytes| format!("{bytes}"));
    // What is as the path is, is no news.
    let other = |value: Option<u64>| bytes(value.filter(|_| value != result.path_mtu_bytes));
    let mut row = |bears: bool, name: &str, value: String, note: String| {
        if !value.is_empty() {
            let rows = if bears { &mut table.rows } else { &mut rest.rows };
            rows.push(vec![name.to_owned(), value, note]);
        }
    };
    let ends = [result.interface_mtu_bytes, result.peer_interface_mtu_bytes];
    // Ends that differ are in the answer and in the finding, and so is what the kernel takes from its own interface.
    let told_above = ends[0].is_some() && ends[1].is_some() && ends[0] != ends[1];
    let of_kernel = result.kernel_path_mtu_bytes;
    row(true, "path MTU", bytes(result.path_mtu_bytes), confirmed(result.confirmed_by).to_owned());
    row(true, "reverse direction", other(result.reverse_path_mtu_bytes), String::new());
    row(!told_above, "this interface", bytes(ends[0]), result.interface.clone());
    row(!told_above, "the peer's interface", bytes(ends[1]), result.remote.clone());
    row(of_kernel != ends[0], "in the kernel's route cache", other(of_kernel), String::new());
    let payload = told(result.goodput_fraction, format::percent);
    row(!told_above, "payload at line rate", payload, String::new());
    // What was not measured is in the note, with what it is compared with.
    if let Some(jumbo) = result.jumbo.as_ref().filter(|_| result.jumbo_gain.is_some()) {
        row(true, "jumbo frames, predicted", gain(jumbo.predicted_gain), "at line rate".to_owned());
        row(true, "jumbo frames, measured", told(result.jumbo_gain, gain), "on this path".to_owned());
    }
    // Hops matter where one of them says what it takes.
    let hops_tell = result.hops.iter().any(|hop| hop.mtu_bytes.is_some());
    for hop in &result.hops {
        let address = if hop.address.is_empty() { "does not answer" } else { &hop.address };
        let rtt = told(hop.rtt_ns, |ns| format!("  {}", format::time(ns as f64)));
        let size = bytes(hop.mtu_bytes).replace_empty("-");
        row(hops_tell, &format!("hop {}", hop.ttl), size, format!("{address}{rtt}"));
    }
    table.notes.extend(narrows(result));
    table.notes.extend(
        result.jumbo.as_ref().map(|jumbo| jumbo_note(jumbo, result.path_mtu_bytes == Some(jumbo.mtu_bytes))),
    );
    if result.black_hole {
        table
            .notes
            .push("Black hole: large packets are dropped and no ICMP message reaches the sender.".into());
    }
    [table, rest, frames_of_blocks(result)]
}

/// How many frames carry a block.
fn frames_of_blocks(result: &MtuResult) -> Table {
    let known = result.frames_per_block.iter();
    let mut frames: Vec<(u64, u64)> =
        known.filter_map(|(block, frames)| Some((block.parse().ok()?, *frames))).collect();
    frames.sort_unstable();
    let mut table = Table::new("Frames for a block sent as a datagram", &["block", "#frames"]);
    let row = |(block, count): &(u64, u64)| vec![format::size(*block as f64), count.to_string()];
    table.rows = frames.iter().map(row).collect();
    table.detail = true;
    table
}

/// Behind which hop the path takes less: the last one that larger packets reached.
fn narrows(result: &MtuResult) -> Option<String> {
    let path = result.path_mtu_bytes?;
    let told = result.hops.iter().filter(|hop| hop.mtu_bytes.is_some());
    let last = told.take_while(|hop| hop.mtu_bytes.is_some_and(|mtu| mtu > path)).last()?;
    Some(format!("The path falls to {path} bytes behind hop {}, {}.", last.ttl, last.address))
}

/// A factor as a gain.
fn gain(factor: f64) -> String {
    format!("{:+.1} %", (factor - 1.0) * 100.0)
}

/// Both rates, their cost, and whether the difference is one.
fn jumbo_note(jumbo: &Jumbo, carries: bool) -> String {
    let Some(seen) = &jumbo.measured else {
        let verb = if carries { "bring" } else { "would bring" };
        // Runs of earlier versions do not say what the gain is compared with.
        let base = match jumbo.base_mtu_bytes {
            0 => String::new(),
            base => format!(" over {base}"),
        };
        let (mtu, gain) = (jumbo.mtu_bytes, gain(jumbo.predicted_gain));
        return format!("Frames of {mtu} bytes {verb} {gain}{base} at line rate (predicted).");
    };
    let spread = format::percent(seen.noise);
    let clear = if seen.clear {
        format!("the rounds vary by {spread}")
    } else {
        format!("no clear gain: the rounds vary by {spread}")
    };
    format!(
        "Frames of {} bytes instead of 1500: {} instead of {} ({clear}); CPU of both ends {:.2} instead of {:.2} s/GB.",
        jumbo.mtu_bytes,
        format::rate(seen.full_bytes_per_s),
        format::rate(seen.small_bytes_per_s),
        seen.full_cpu_s_per_gb,
        seen.small_cpu_s_per_gb
    )
}

trait ReplaceEmpty {
    fn replace_empty(self, text: &str) -> String;
}

impl ReplaceEmpty for String {
    fn replace_empty(self, text: &str) -> String {
        if self.is_empty() { text.to_owned() } else { self }
    }
}

fn confirmed(by: Confirmation) -> &'static str {
    match by {
        Confirmation::Peer => "counted by the peer",
        Confirmation::Echo => "by ICMP echo",
        Confirmation::Kernel => "as the kernel reports it",
        Confirmation::None => "not confirmed",
    }
}
