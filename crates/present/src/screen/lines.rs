//! The body: a file beside the recording, storage, network, databases, threads and events as lines of a width.

use super::columns::{cut, left, number, right, share, spark};
use super::{LatencyView, Order, Screen};
use crate::report::chart::bands::{Bands, NAMES, Weight};
use fullwire_model::live::{Live, LiveProcess, NetworkRow, StorageRates, StorageRow};
use unicode_width::UnicodeWidthStr as _;

/// From this width on a row has all its columns.
pub(super) const WIDE: usize = 76;

/// From this width on a device has what iostat -x shows of it: merges, size of a request, busy.
const WIDEST: usize = 110;

/// A row's history is drawn in what is left, at most so wide.
const SPARK_WIDTH: usize = 30;

/// Columns of a band's name.
const BAND_NAME: usize = 13;

/// Events and threads that are listed.
const LISTED: usize = 16;

/// A line of the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BodyLine {
    pub(super) text: String,
    /// The head of a list.
    pub(super) head: bool,
    /// Something is wrong with what it shows.
    pub(super) alarm: bool,
}

pub(super) fn head(text: String) -> BodyLine {
    BodyLine { text, head: true, alarm: false }
}

pub(super) fn plain(text: String, alarm: bool) -> BodyLine {
    BodyLine { text, head: false, alarm }
}

/// All lines, of which the screen shows a part.
pub(super) fn body(screen: &Screen, width: usize) -> Vec<BodyLine> {
    let mut lines = screen.track.as_ref().map_or_else(Vec::new, |track| track.lines(screen, width));
    lines.extend(storage(screen, width));
    lines.extend(latency(screen, width));
    lines.extend(network(screen, width));
    lines.extend(databases(screen, width));
    lines.extend(processes(screen, width));
    lines.extend(threads(screen, width));
    lines.extend(events(screen, width));
    lines
}

pub(super) fn wanted(screen: &Screen, text: &str) -> bool {
    screen.filter.is_empty() || text.to_lowercase().contains(&screen.filter.to_lowercase())
}

/// The columns of numbers, each with its width, then the name's and the history's.
struct Layout {
    name: usize,
    spark: usize,
}

fn layout(width: usize, numbers: usize) -> Layout {
    let rest = width.saturating_sub(numbers);
    let spark = if width >= WIDE { (rest / 3).min(SPARK_WIDTH) } else { 0 };
    Layout { name: rest.saturating_sub(spark + usize::from(spark > 0)), spark }
}

fn with_spark(screen: &Screen, key: &str, line: String, spark_width: usize) -> String {
    if spark_width == 0 {
        return line;
    }
    let points = screen.history.get(key).into_iter().flatten().copied();
    format!("{line} {}", spark(points, spark_width, screen.face.unicode))
}

fn indent(screen: &Screen, depth: u32) -> String {
    let depth = usize::try_from(depth).unwrap_or(0);
    match depth {
        0 => String::new(),
        _ if screen.face.unicode => format!("{}└ ", "  ".repeat(depth - 1)),
        _ => format!("{}`-", "  ".repeat(depth - 1)),
    }
}

fn storage(screen: &Screen, width: usize) -> Vec<BodyLine> {
    let (wide, widest) = (width >= WIDE, width >= WIDEST);
    let widths: &[(&str, usize)] = if widest {
        &[
            ("r/s", 7),
            ("w/s", 7),
            ("merged/s", 9),
            ("MB/s", 7),
            ("KiB", 6),
            ("r ms", 6),
            ("w ms", 6),
            ("queue", 6),
            ("busy", 6),
            ("of limit", 9),
        ]
    } else if wide {
        &[("r/s", 7), ("w/s", 7), ("MB/s", 7), ("r ms", 6), ("w ms", 6), ("queue", 6), ("of limit", 9)]
    } else {
        &[("MB/s", 6), ("ms", 6), ("limit", 6)]
    };
    let layout = layout(width, widths.iter().map(|(_, width)| width).sum());
    let heads: String = widths.iter().map(|(name, width)| right(name, *width)).collect();
    let mut lines = vec![head(left("storage", layout.name, screen.face.unicode) + &heads)];
    for row in &screen.live.storage {
        let name = storage_name(screen, row);
        if !wanted(screen, &name) {
            continue;
        }
        let io = row.io.as_ref();
        let cells = if widest {
            vec![
                number(io.map(|io| io.reads_per_s)),
                number(io.map(|io| io.writes_per_s)),
                number(io.map(|io| io.merges_per_s)),
                number(io.map(|io| (io.read_bytes_per_s + io.write_bytes_per_s) / 1e6)),
                number(io.and_then(StorageRates::request_bytes).map(|bytes| bytes / 1024.0)),
                number(io.and_then(|io| io.read_await_ms)),
                number(io.and_then(|io| io.write_await_ms)),
                number(io.map(|io| io.queue)),
                io.and_then(|io| io.busy).map_or_else(|| "-".to_owned(), |busy| share(Some(busy))),
                share(row.share),
            ]
        } else if wide {
            vec![
                number(io.map(|io| io.reads_per_s)),
                number(io.map(|io| io.writes_per_s)),
                number(io.map(|io| (io.read_bytes_per_s + io.write_bytes_per_s) / 1e6)),
                number(io.and_then(|io| io.read_await_ms)),
                number(io.and_then(|io| io.write_await_ms)),
                number(io.map(|io| io.queue)),
                share(row.share),
            ]
        } else {
            let slower = io
                .and_then(|io| [io.read_await_ms, io.write_await_ms].into_iter().flatten().reduce(f64::max));
            vec![
                number(io.map(|io| (io.read_bytes_per_s + io.write_bytes_per_s) / 1e6)),
                number(slower),
                share(row.share),
            ]
        };
        let alarm = row.stalled_s.is_some() || !row.state.is_empty();
        let cells: String = cells.iter().zip(widths).map(|(cell, (_, width))| right(cell, *width)).collect();
        let line = left(&name, layout.name, screen.face.unicode) + &cells;
        lines.push(plain(with_spark(screen, &format!("s {}", row.device), line, layout.spark), alarm));
    }
    lines
}

fn storage_name(screen: &Screen, row: &StorageRow) -> String {
    let mut name = indent(screen, row.depth) + &row.name;
    if let Some(seconds) = row.stalled_s {
        name = format!("{name} STALLED {seconds:.0} s");
    } else if !row.state.is_empty() {
        name = format!("{name} {}", row.state.to_uppercase());
    }
    if row.device != row.name {
        name = format!("{name} {}", row.device);
    }
    if row.database {
        name.push_str(if screen.face.unicode { " ◆" } else { " *" });
    }
    if !row.users.is_empty() {
        name = format!("{name} by {}", row.users.join(", "));
    }
    name
}

fn network(screen: &Screen, width: usize) -> Vec<BodyLine> {
    let wide = width >= WIDE;
    let widths: &[(&str, usize)] = if wide {
        &[("in MB/s", 8), ("out MB/s", 9), ("drop/s", 7), ("err/s", 7), ("of limit", 9)]
    } else {
        &[("in", 6), ("out", 6), ("limit", 6)]
    };
    let layout = layout(width, widths.iter().map(|(_, width)| width).sum());
    let heads: String = widths.iter().map(|(name, width)| right(name, *width)).collect();
    let resent = screen.live.retransmitted_share.filter(|_| wide);
    let resent = resent.map_or_else(String::new, |share| format!(", {:.2} % resent", share * 100.0));
    let title = format!("network{resent}");
    let mut lines = vec![head(left(&title, layout.name, screen.face.unicode) + &heads)];
    for row in &screen.live.network {
        let name = network_name(screen, row);
        if !wanted(screen, &name) {
            continue;
        }
        let io = row.io.as_ref();
        let received = number(io.map(|io| io.rx_bytes_per_s / 1e6));
        let sent = number(io.map(|io| io.tx_bytes_per_s / 1e6));
        let cells = if wide {
            let drops = number(io.map(|io| io.drops_per_s));
            vec![received, sent, drops, number(io.map(|io| io.errors_per_s)), share(row.share)]
        } else {
            vec![received, sent, share(row.share)]
        };
        let alarm = row.state == "down" && row.depth > 0
            || io.is_some_and(|io| io.drops_per_s + io.errors_per_s >= 1.0);
        let cells: String = cells.iter().zip(widths).map(|(cell, (_, width))| right(cell, *width)).collect();
        let line = left(&name, layout.name, screen.face.unicode) + &cells;
        lines.push(plain(with_spark(screen, &format!("n {}", row.name), line, layout.spark), alarm));
    }
    lines
}

fn network_name(screen: &Screen, row: &NetworkRow) -> String {
    let state = if row.state == "up" || row.state == "unknown" { "" } else { row.state.as_str() };
    let speed =
        row.limit_bytes_per_s.map_or_else(String::new, |limit| format!(" {}G", trimmed(limit * 8.0 / 1e9)));
    let state = if state.is_empty() { String::new() } else { format!(" {}", state.to_uppercase()) };
    format!("{}{}{speed}{state}", indent(screen, row.depth), row.name)
}

fn trimmed(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

fn databases(screen: &Screen, width: usize) -> Vec<BodyLine> {
    let rows: Vec<BodyLine> = screen
        .live
        .databases
        .iter()
        .map(|database| {
            let cpus = database.cpus.map_or_else(String::new, |cpus| format!(", {cpus:.1} CPUs"));
            let on = if database.mounts.is_empty() {
                String::new()
            } else {
                format!(", on {}", database.mounts.join(" "))
            };
            format!("{} {}{cpus}{on}", database.kind, database.name)
        })
        .filter(|text| wanted(screen, text))
        .map(|text| plain(cut(&text, width, screen.face.unicode), false))
        .collect();
    if rows.is_empty() { rows } else { std::iter::once(head("databases".into())).chain(rows).collect() }
}

/// The time of the requests of the device that has most, in bands over the last looks.
fn latency(screen: &Screen, width: usize) -> Vec<BodyLine> {
    let LatencyView::By(weight) = screen.latency else { return Vec::new() };
    // Of all looks that are shown: in a quiet one the map stays where it was.
    let moved = |row: &&StorageRow| -> f32 {
        let of = |what: &str| screen.history.get(&format!("{what} {}", row.device));
        [of("reads"), of("writes")].into_iter().flatten().flatten().filter(|rate| rate.is_finite()).sum()
    };
    let busiest = screen.live.storage.iter().rev().max_by(|one, other| moved(one).total_cmp(&moved(other)));
    let Some(row) = busiest else { return Vec::new() };
    let columns = width.saturating_sub(BAND_NAME).min(super::SPARK);
    let mut bands = Bands::new(columns);
    for (waits, rates) in [("read wait", "reads"), ("write wait", "writes")] {
        let of = |what: &str| screen.history.get(&format!("{what} {}", row.device));
        let (Some(waits), Some(rates)) = (of(waits), of(rates)) else { continue };
        let before = waits.len().saturating_sub(columns);
        for (column, (wait, rate)) in waits.iter().zip(rates).skip(before).enumerate() {
            bands.add(column, f64::from(*rate), f64::from(*wait) * 1e6);
        }
    }
    let by = if weight == Weight::Time { "share of the time" } else { "share of the requests" };
    let title = format!("time of a request on {}, {by}; l: the other", row.name);
    let glyphs =
        if screen.face.unicode { [' ', '░', '▒', '▓', '█'] } else { [' ', '.', 'o', 'O', '#'] };
    let line = |(name, band): (&&str, Vec<u8>)| {
        let squares: String = band.into_iter().map(|shade| glyphs[usize::from(shade).min(4)]).collect();
        plain(left(name, BAND_NAME, screen.face.unicode) + squares.trim_end(), false)
    };
    let lines = NAMES.iter().zip(bands.shades(weight)).map(line);
    std::iter::once(head(cut(&title, width, screen.face.unicode))).chain(lines).collect()
}

/// Who reads and writes storage, and where.
fn processes(screen: &Screen, width: usize) -> Vec<BodyLine> {
    let mut listed: Vec<&LiveProcess> = screen.live.processes.iter().collect();
    let by = |bytes: fn(&LiveProcess) -> f64| {
        move |one: &&LiveProcess, other: &&LiveProcess| bytes(other).total_cmp(&bytes(one))
    };
    match screen.order {
        Order::All => listed.sort_by(by(|one| one.read_bytes_per_s + one.write_bytes_per_s)),
        Order::Reads => listed.sort_by(by(|one| one.read_bytes_per_s)),
        Order::Writes => listed.sort_by(by(|one| one.write_bytes_per_s)),
        Order::Name => listed.sort_by(|one, other| one.name.cmp(&other.name)),
    }
    let on = |process: &LiveProcess| {
        if process.mounts.is_empty() { String::new() } else { format!(" on {}", process.mounts.join(" ")) }
    };
    let row = |process: &LiveProcess| {
        format!(
            "{}{}{} {}{}",
            right(&number(Some(process.read_bytes_per_s / 1e6)), 8),
            right(&number(Some(process.write_bytes_per_s / 1e6)), 9),
            right(&process.pid.to_string(), 8),
            process.name,
            on(process)
        )
    };
    let rows = listed.into_iter().take(LISTED).map(row).filter(|text| wanted(screen, text));
    let rows: Vec<BodyLine> = rows.map(|text| plain(cut(&text, width, screen.face.unicode), false)).collect();
    if rows.is_empty() {
        return rows;
    }
    let title = "processes: read MB/s, write MB/s, pid, name, where".to_owned();
    std::iter::once(head(cut(&title, width, screen.face.unicode))).chain(rows).collect()
}

fn threads(screen: &Screen, width: usize) -> Vec<BodyLine> {
    let busy = screen
        .live
        .threads
        .iter()
        .filter(|thread| thread.state == "D" || thread.cpu.is_some_and(|cpu| cpu >= 0.005));
    let rows: Vec<BodyLine> = busy
        .take(LISTED)
        .map(|thread| {
            let own = if thread.name == thread.process {
                thread.name.clone()
            } else {
                format!("{}/{}", thread.process, thread.name)
            };
            let waits = if thread.wait_channel.is_empty() || thread.wait_channel == "0" {
                String::new()
            } else {
                format!(" in {}", thread.wait_channel)
            };
            let cpu = thread.cpu.map_or_else(|| "-".into(), |cpu| format!("{:.0} %", cpu * 100.0));
            (
                format!(
                    "{}{} {} {own}{waits}",
                    right(&cpu, 5),
                    right(&thread.tid.to_string(), 8),
                    thread.state
                ),
                thread.state == "D",
            )
        })
        .filter(|(text, _)| wanted(screen, text))
        .map(|(text, alarm)| plain(cut(&text, width, screen.face.unicode), alarm))
        .collect();
    if rows.is_empty() {
        rows
    } else {
        std::iter::once(head("threads: CPU, thread id, state, name".into())).chain(rows).collect()
    }
}

fn events(screen: &Screen, width: usize) -> Vec<BodyLine> {
    let rows: Vec<BodyLine> = screen
        .live
        .events
        .iter()
        .rev()
        .take(LISTED)
        .map(|event| {
            let time = event.wall.strftime("%H:%M:%S UTC");
            let subject =
                if event.subject.is_empty() { String::new() } else { format!(" {}", event.subject) };
            format!("{time} {}{subject}: {}", event.kind.name(), event.detail)
        })
        .filter(|text| wanted(screen, text))
        .map(|text| plain(cut(&text, width, screen.face.unicode), false))
        .collect();
    if rows.is_empty() { rows } else { std::iter::once(head("events".into())).chain(rows).collect() }
}

/// CPU, run queue, memory, pressure: one line, or two where it is narrow.
pub(super) fn host(live: &Live, width: usize, unicode: bool, cpu_history: &str) -> Vec<String> {
    let share =
        |value: Option<f64>| value.map_or_else(|| "-".into(), |value| format!("{:.0}%", value * 100.0));
    let cpu = &live.cpu;
    let run = cpu.running.map_or_else(|| "-".into(), |running| running.to_string());
    let blocked = cpu.blocked.filter(|blocked| *blocked > 0);
    let blocked = blocked.map_or_else(String::new, |blocked| format!(" blocked {blocked}"));
    let steal = cpu.steal.filter(|steal| *steal >= 0.005);
    let steal = steal.map_or_else(String::new, |steal| format!(" steal {:.0}%", steal * 100.0));
    let first = format!(
        "cpu {} {cpu_history} sys {} soft {} io {}{steal}  run {run}/{}{blocked}",
        share(cpu.busy),
        share(cpu.system),
        share(cpu.softirq),
        share(cpu.iowait),
        cpu.cpus
    );
    let total = live.memory.total_bytes as f64;
    let used = live.memory.available_bytes.filter(|_| total > 0.0);
    let used = used.map(|available| 1.0 - available as f64 / total);
    let swap =
        live.memory.swap_in_per_s.zip(live.memory.swap_out_per_s).map(|(read, written)| read + written);
    let pressure = live.pressure.as_ref().map_or_else(
        || "psi off".to_owned(),
        |psi| {
            let percent = |share: f64| format!("{:.0}", share * 100.0);
            format!("psi cpu {} io {} mem {}", percent(psi.cpu), percent(psi.io), percent(psi.memory))
        },
    );
    let second = format!("mem {}  swap {}/s  {pressure}", share(used), number(swap));
    if first.width() + second.width() + 2 <= width {
        return vec![format!("{first}  {second}")];
    }
    vec![cut(&first, width, unicode), cut(&second, width, unicode)]
}
