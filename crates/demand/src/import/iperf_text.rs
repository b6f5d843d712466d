//! What iperf3 and iperf 2 print for people: intervals and totals, TCP and UDP.

use super::{number, whole, words};
use crate::ReadError;
use crate::page::power;
use fullwire_model::net::{NetInterval, NetMode, NetPath, NetResult, TcpSummary, UdpSummary};
use fullwire_model::{AllStreams, PerStream};
use std::collections::BTreeMap;

/// More intervals than a day of seconds has.
const MOST_INTERVALS: usize = 100_000;

/// True for lines of intervals behind a number of a stream.
pub(super) fn is_iperf(text: &str) -> bool {
    if text.lines().take(2_000).any(|line| csv_row(line).is_some()) {
        return true;
    }
    text.lines().take(2_000).filter(|line| row(line).is_some()).take(2).count() > 0
        && (text.contains("bits/sec") || text.contains("Bytes/sec"))
}

/// One line: `[  5]   0.00-1.00   sec  87.4 KBytes   716 Kbits/sec    2   8.74 KBytes`.
#[derive(Debug, Clone, Default)]
struct Row {
    stream: String,
    from_s: f64,
    to_s: f64,
    bytes: f64,
    bytes_per_s: f64,
    retransmits: Option<u64>,
    cwnd_bytes: Option<f64>,
    jitter_ms: Option<f64>,
    lost: Option<(u64, u64)>,
    receiver: bool,
    sender: bool,
    /// `RX-S`, `TX-C`: of `--bidir` the direction and the end that prints it (iperf3's `iperf_locale.c`).
    role: String,
}

fn row(line: &str) -> Option<Row> {
    if let Some(row) = csv_row(line) {
        return Some(row);
    }
    // `200:  [  4] ...`: --title.
    let line =
        line.split_once(":  [").map_or(line.trim_start(), |(_, rest)| &line[line.len() - rest.len() - 1..]);
    let (stream, rest) = line.strip_prefix('[')?.split_once(']')?;
    let rest = rest.trim_start();
    let (role, rest) = rest.strip_prefix('[').map_or(Some(("", rest)), |rest| rest.split_once(']'))?;
    let words = words(rest);
    let (interval, rest) = words.split_first()?;
    // iperf 2 parts `0.0- 1.0`.
    let (from, to, rest) = match interval.split_once('-')? {
        (from, "") => (from, *rest.first()?, &rest[1..]),
        (from, to) => (from, to, rest),
    };
    let ["sec", moved, moved_unit, rate, rate_unit, rest @ ..] = rest else { return None };
    let mut row = Row {
        stream: stream.trim().to_owned(),
        from_s: number(from)?,
        to_s: number(to)?,
        bytes: number(moved)? * size_unit(moved_unit)?,
        bytes_per_s: number(rate)? * rate_factor(rate_unit)?,
        receiver: rest.last() == Some(&"receiver"),
        sender: rest.last() == Some(&"sender"),
        role: role.to_owned(),
        ..Row::default()
    };
    match rest {
        [jitter, "ms", share @ ..] => {
            row.jitter_ms = number(jitter);
            // iperf 2 pads both: `177/  427 (41%)`.
            let share = share.concat();
            let (lost, total) = share.split_once('/')?;
            row.lost = lost.parse().ok().zip(total.split('(').next()?.parse().ok());
        }
        // iperf 2 -e: writes and their errors, then retries; of a server reads and their sizes, which are none.
        [writes, again, ..] if writes.contains('/') => row.retransmits = again.parse().ok(),
        [_, sizes, ..] if sizes.matches(':').count() > 2 => {}
        [again, cwnd, unit, ..] if size_unit(unit).is_some() => {
            row.retransmits = again.parse().ok();
            row.cwnd_bytes = number(cwnd).zip(size_unit(unit)).map(|(size, unit)| size * unit);
        }
        [again, ..] => row.retransmits = again.parse().ok(),
        [] => {}
    }
    Some(row)
}

/// Intervals of a piece of iperf3's JSON, which is no document any more, as the rows that it prints for people.
pub(crate) fn of_json(text: &str) -> Option<String> {
    if !text.contains("\"bits_per_second\"")
        || text.contains("\"tcp_mss_default\"")
        || text.contains("\"test_start\"")
    {
        return None;
    }
    let mut rows: Vec<String> = Vec::new();
    let mut fields: BTreeMap<&str, f64> = BTreeMap::new();
    for line in text.lines().map(str::trim) {
        let field = line.trim_end_matches(',').split_once("\":");
        if let Some((name, value)) =
            field.and_then(|(name, value)| Some((name.strip_prefix('"')?, number(value.trim())?)))
        {
            fields.insert(name, value);
        }
        if !line.starts_with('}') {
            continue;
        }
        let of = std::mem::take(&mut fields);
        let (Some(bits), Some(bytes)) = (of.get("bits_per_second"), of.get("bytes")) else { continue };
        let end = of.get("end").copied().unwrap_or(rows.len() as f64 + 1.0);
        let start = of.get("start").copied().unwrap_or(end - of.get("seconds").copied().unwrap_or(1.0));
        let again = of.get("retransmits").map_or(String::new(), f64::to_string);
        let cwnd = of.get("snd_cwnd").map_or(String::new(), |cwnd| format!("{cwnd} Bytes"));
        let row = format!("[  5] {start:.2}-{end:.2} sec {bytes} Bytes {bits} bits/sec {again} {cwnd}");
        // The sum of one stream repeats it.
        if rows
            .last()
            .is_none_or(|last| !row.trim_end().starts_with(last.split(" Bytes ").next().unwrap_or("-")))
        {
            rows.push(row);
        }
    }
    (!rows.is_empty()).then(|| rows.join("\n") + "\n")
}

/// A line of `iperf -y C`: `20260102081200,192.0.2.1,44632,192.0.2.2,5001,3,0.0-10.0,BYTES,BITS`, of UDP with jitter, lost and
/// all datagrams behind (iperf 2 src/ReportOutputs.c).
fn csv_row(line: &str) -> Option<Row> {
    let cells: Vec<&str> = line.trim().split(',').collect();
    let [stamp, _, _, peer, port, stream, interval, bytes, bits, udp @ ..] = cells.as_slice() else {
        return None;
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !stamp.starts_with("20") || stamp.len() < 14 || peer.is_empty() || !digits(port) {
        return None;
    }
    let (from, to) = interval.split_once('-')?;
    let mut row = Row {
        // The sum of several streams has -1.
        stream: if *stream == "-1" { "SUM".to_owned() } else { (*stream).to_owned() },
        from_s: number(from)?,
        to_s: number(to)?,
        bytes: number(bytes)?,
        bytes_per_s: number(bits)? / 8.0,
        ..Row::default()
    };
    if let [jitter, lost, all, ..] = udp {
        row.jitter_ms = number(jitter);
        row.lost = lost.parse().ok().zip(all.parse().ok());
    }
    Some(row)
}

/// The rows of all streams over the same interval as one: a text that was cut has no `[SUM]`.
fn summed(rows: Vec<Row>) -> Vec<Row> {
    let mut sums: Vec<Row> = Vec::new();
    for row in rows {
        let alike = |sum: &&mut Row| {
            let end =
                (sum.from_s - row.from_s).abs() < f64::EPSILON && (sum.to_s - row.to_s).abs() < f64::EPSILON;
            end && sum.sender == row.sender && sum.receiver == row.receiver
        };
        // Rows of one interval follow each other.
        match sums.iter_mut().rev().take(4).find(alike) {
            Some(sum) => sum.add(&row),
            None => sums.push(row),
        }
    }
    sums
}

/// All intervals of a text without totals, as one row from the first to the last.
fn whole_of<'a>(rows: impl Iterator<Item = &'a Row>) -> Option<Row> {
    let mut whole: Option<Row> = None;
    for row in rows {
        match &mut whole {
            Some(whole) => {
                whole.add(row);
                whole.from_s = whole.from_s.min(row.from_s);
                whole.to_s = whole.to_s.max(row.to_s);
            }
            None => whole = Some(row.clone()),
        }
    }
    let mut whole = whole?;
    whole.bytes_per_s = whole.bytes / (whole.to_s - whole.from_s).max(f64::EPSILON);
    Some(whole)
}

/// Without the first interval of a test, where it alone lost datagrams: its buffers were not warm.
fn settled(mut rows: Vec<&Row>) -> Vec<&Row> {
    let lost = |row: &Row| row.lost.map(|(lost, _)| lost);
    if let [first, rest @ ..] = rows.as_slice()
        && rest.len() > 1
        && first.from_s <= 0.0
        && lost(first).is_some_and(|lost| lost > 0)
        && rest.iter().all(|row| lost(row) == Some(0))
    {
        rows.remove(0);
    }
    rows
}

impl Row {
    fn add(&mut self, other: &Self) {
        self.bytes += other.bytes;
        self.bytes_per_s += other.bytes_per_s;
        self.retransmits = match (self.retransmits, other.retransmits) {
            (Some(one), Some(more)) => Some(one + more),
            (one, more) => one.or(more),
        };
        self.cwnd_bytes =
            self.cwnd_bytes.map(|cwnd| cwnd + other.cwnd_bytes.unwrap_or(0.0)).or(other.cwnd_bytes);
        if let (Some((lost, all)), Some((more, of))) = (&mut self.lost, other.lost) {
            *lost += more;
            *all += of;
        }
    }
}

/// Sizes are powers of 1024 (iperf3 units.c).
fn size_unit(unit: &str) -> Option<f64> {
    power(unit.strip_suffix("Bytes")?, 1024.0)
}

/// Bits are powers of 1000, bytes of 1024 (iperf3 units.c).
fn rate_factor(unit: &str) -> Option<f64> {
    let unit = unit.strip_suffix("/sec")?;
    size_unit(unit).or_else(|| Some(power(unit.strip_suffix("bits")?, 1e3)? / 8.0))
}

/// Reads one test: of both directions at once one after the other, what was received first.
pub(super) fn read(text: &str, name: &str) -> Result<Vec<NetResult>, ReadError> {
    let rows: Vec<Row> = text.lines().filter_map(row).take(MOST_INTERVALS).collect();
    let mut roles: Vec<String> = rows.iter().map(|row| row.role.clone()).collect();
    roles.sort_unstable();
    roles.dedup();
    let of = |role: &String| {
        let mut own: Vec<Row> = rows.iter().filter(|row| row.role == *role).cloned().collect();
        // A server that is stopped prints its last interval twice.
        own.dedup_by(|next, one| {
            let same = |own: f64, other: f64| (own - other).abs() < f64::EPSILON;
            next.stream == one.stream && same(next.bytes, one.bytes) && same(next.to_s, one.to_s)
        });
        let mut result = direction(own, text, name)?;
        result.reverse |= ["TX-S", "RX-C"].contains(&role.as_str());
        Ok(result)
    };
    if rows.iter().all(|row| row.role.is_empty()) {
        return direction(rows, text, name).map(|result| vec![result]);
    }
    roles.iter().map(of).collect()
}

/// The rows of one direction.
fn direction(rows: Vec<Row>, text: &str, name: &str) -> Result<NetResult, ReadError> {
    let several = rows.iter().any(|row| row.stream == "SUM");
    let streams = {
        let mut names: Vec<&str> =
            rows.iter().map(|row| row.stream.as_str()).filter(|name| *name != "SUM").collect();
        names.sort_unstable();
        names.dedup();
        names.len().max(1)
    };
    let rows = if several || streams == 1 { rows } else { summed(rows) };
    let end_s = rows.iter().map(|row| row.to_s).fold(0.0, f64::max);
    // The two ends of a test stop at slightly different times.
    let is_total =
        |row: &&Row| row.from_s <= 0.0 && row.to_s > 0.0 && (row.to_s >= end_s || row.sender || row.receiver);
    let counts = |row: &&Row| !several || row.stream == "SUM";
    let totals: Vec<&Row> = rows.iter().filter(is_total).filter(counts).collect();
    let total = totals.iter().find(|row| row.receiver).or_else(|| totals.last());
    let of_intervals = whole_of(settled(rows.iter().filter(counts).collect()).into_iter());
    let Some(total) = total.copied().or(of_intervals.as_ref()) else {
        return Err(ReadError::at_end(name, text, "iperf's heading without figures"));
    };
    let sent = totals.iter().find(|row| row.sender).copied().unwrap_or(total);
    let whole_only = rows.iter().filter(counts).filter(|row| !is_total(row)).count() == 0;
    let intervals = rows
        .iter()
        .filter(counts)
        .filter(|row| !is_total(row) || whole_only)
        .filter(|row| !row.receiver && !row.sender);
    let udp =
        text.contains("atagram") || rows.iter().any(|row| row.lost.is_some() || row.jitter_ms.is_some());
    let intervals: Vec<NetInterval> = intervals
        .map(|row| NetInterval {
            t_s: row.to_s,
            throughput_bytes_per_s: row.bytes_per_s,
            retransmits: row.retransmits.filter(|_| !udp),
            cwnd_bytes: row.cwnd_bytes.map(whole),
            ..NetInterval::default()
        })
        .collect();
    let cwnd = intervals.iter().filter_map(|interval| interval.cwnd_bytes).max();
    let mut result = NetResult {
        target: target(text).unwrap_or_else(|| name.to_owned()).into(),
        mode: if udp { NetMode::Udp } else { NetMode::Async },
        streams: u32::try_from(streams).unwrap_or(1),
        duration_s: total.to_s - total.from_s,
        bytes: whole(total.bytes),
        throughput_bytes_per_s: total.bytes_per_s,
        reverse: text.contains("Reverse mode"),
        intervals,
        path: path(text),
        ..NetResult::default()
    };
    if udp {
        let (lost, all) = total.lost.or(sent.lost).unwrap_or((0, 0));
        let jitter_ns = total.jitter_ms.map(|ms| whole(ms * 1e6));
        // iperf 2 prints it in the row before that of the server.
        let of_sender = |row: &&&Row| row.sender || row.lost.is_none() && row.jitter_ms.is_none();
        let sent_bytes_per_s = totals.iter().find(of_sender).map_or(0.0, |row| row.bytes_per_s);
        result.udp =
            Some(UdpSummary { sent: all, lost, jitter_ns, sent_bytes_per_s, ..UdpSummary::default() });
    } else {
        result.tcp = Some(TcpSummary {
            sndbuf_bytes: PerStream(0),
            retransmits: sent.retransmits.unwrap_or(0),
            cwnd_bytes: AllStreams(cwnd.unwrap_or(0)),
            ..TcpSummary::default()
        });
    }
    result.plan.target.clone_from(&result.target);
    result.plan.sockbuf_bytes = window_bytes(text).filter(|_| !udp).unwrap_or(0);
    Ok(result)
}

/// The window that iperf 2 was asked for: `TCP window size: 64.0 KByte (WARNING: requested 32.0 KByte)`, but not `85.3 KByte
/// (default)`.
fn window_bytes(text: &str) -> Option<u64> {
    let line =
        text.lines().find(|line| line.starts_with("TCP window size:") && !line.contains("(default)"))?;
    let [size, unit, ..] = words(line.split_once(':')?.1)[..] else { return None };
    let unit = size_unit(&format!("{}s", unit.trim_end_matches('s')))?;
    number(size).map(|size| whole(size * unit))
}

/// `Connecting to host 192.0.2.5, port 5201`, `Client connecting to 192.0.2.5, TCP port 5001`.
fn target(text: &str) -> Option<String> {
    let rest = text.lines().find_map(|line| {
        line.split_once("onnecting to ").map(|(_, rest)| rest.trim_start_matches("host "))
    })?;
    Some(rest.split([',', ' ']).next()?.to_owned()).filter(|host| !host.is_empty())
}

/// `[  5] local 192.0.2.28 port 55834 connected to 192.0.2.5 port 5201`
fn path(text: &str) -> NetPath {
    let line = text.lines().find(|line| line.contains(" local ") && line.contains("connected "));
    let words = line.map(words).unwrap_or_default();
    let after = |word: &str| {
        let place = words.iter().position(|own| *own == word)?;
        let host = words.get(place + 1).filter(|host| **host != "to").or_else(|| words.get(place + 2))?;
        Some((*host).to_owned())
    };
    let (local, remote) = (after("local").unwrap_or_default(), after("connected").unwrap_or_default());
    let loopback = !local.is_empty() && local == remote;
    NetPath { local, remote, loopback, ..NetPath::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The window of `-w` is a limit; the kernel's own grows.
    #[test]
    fn a_window_that_was_asked_for_is_kept() {
        let of = |size: &str| {
            let row = "[  3]  0.0-10.0 sec  26.1 MBytes  21.9 Mbits/sec";
            let text =
                format!("Client connecting to x, TCP port 5001\nTCP window size: {size}\n{row}\n{row}\n");
            read(&text, "x").expect("a test")[0].plan.sockbuf_bytes
        };
        assert_eq!(of("64.0 KByte (WARNING: requested 32.0 KByte)"), 65_536);
        assert_eq!(of("85.3 KByte (default)"), 0);
    }

    /// What was cut off before the sums.
    #[test]
    fn without_sums_the_streams_and_the_intervals_count() {
        let of = |rows: &[&str]| {
            let text = format!(
                "Connecting to host x, port 5201\n[ ID] Interval Transfer Bandwidth Retr Cwnd\n{}\n",
                rows.join("\n")
            );
            let result = read(&text, "x").expect("a test").remove(0);
            let again = result.tcp.map_or(0, |tcp| tcp.retransmits);
            ((result.throughput_bytes_per_s * 8e-6).round(), again, result.streams, result.intervals.len())
        };
        let streams = [
            "[  4]   0.00-10.00  sec   100 MBytes   80.0 Mbits/sec  3    700 KBytes",
            "[  6]   0.00-10.00  sec   50 MBytes   40.0 Mbits/sec  4    600 KBytes",
        ];
        assert_eq!(of(&streams), (120.0, 7, 2, 1));
        let intervals = [
            "[  5]  45.00-46.00  sec  5.00 MBytes  41.9 Mbits/sec    0    379 KBytes",
            "[  5]  46.00-47.00  sec  0.00 Bytes  0.00 bits/sec    2   1.41 KBytes",
        ];
        assert_eq!(of(&intervals), (21.0, 2, 1, 2));
    }

    #[test]
    fn columns_of_iperf_2_are_its_own() {
        let row = |text: &str| row(text).expect("an interval");
        let lost = row("[  4]  0.0-14.0 sec   359 KBytes   210 Kbits/sec  81.233 ms  123/  812 (15%)").lost;
        assert_eq!(lost, Some((123, 812)));
        let writes =
            "[  1] 0.00-1.00 sec   112 MBytes   941 Mbits/sec  898/0         45      438K/3312(22) us  35500";
        assert_eq!(row(writes).retransmits, Some(45));
        let reads = "[  4] 0.00-1.00 sec   112 MBytes   941 Mbits/sec  5234    812:17:4:3:1:0:0:4397";
        assert_eq!(row(reads).retransmits, None);
    }

    #[test]
    fn directions_are_no_streams_of_one_and_a_title_is_no_part_of_a_row() {
        let text = "[  5][RX-S] 8.00-9.00 sec   500 MBytes  4.00 Gbits/sec  0.001 ms  140/1000 (14%)\n\
                    [  6][TX-S] 8.00-9.00 sec   250 MBytes  2.00 Gbits/sec            227543\n\
                    [  5][RX-S] 9.00-10.00 sec   500 MBytes  4.00 Gbits/sec  0.001 ms  140/1000 (14%)\n\
                    [  6][TX-S] 9.00-10.00 sec   250 MBytes  2.00 Gbits/sec            227543\n";
        let results = read(text, "x").expect("a test");
        let udp = results[0].udp.as_ref().expect("datagrams");
        assert_eq!((results.len(), udp.lost, udp.sent, results[0].streams), (2, 280, 2000, 1));
        assert!(results[1].reverse && !results[0].reverse);
        assert!((results[0].throughput_bytes_per_s / results[1].throughput_bytes_per_s - 2.0).abs() < 0.01);
        let titled = "7:  [  4]   0.00-10.00  sec  59.0 MBytes  49.5 Mbits/sec  0.062 ms  8274/15114 (55%)\n";
        assert_eq!(read(titled, "x").expect("a test")[0].udp.as_ref().expect("datagrams").lost, 8274);
    }

    #[test]
    fn a_piece_of_its_json_has_the_same_rows() {
        let stream = "\"start\": 7,\n\"end\": 8,\n\"bytes\": 125000000,\n\"bits_per_second\": 1e9,\n\"retransmits\": 173,\n\"snd_cwnd\": 590784\n}],\n";
        let text = format!(
            "{stream}\"sum\": {{\n{}",
            stream.replace("\"snd_cwnd\": 590784\n", "\"omitted\": false\n")
        );
        let rows = of_json(&text).expect("rows");
        assert_eq!(rows, "[  5] 7.00-8.00 sec 125000000 Bytes 1000000000 bits/sec 173 590784 Bytes\n");
        let result = &read(&rows, "x").expect("a test")[0];
        assert_eq!((result.bytes, result.tcp.as_ref().map(|tcp| tcp.retransmits)), (125_000_000, Some(173)));
        assert_eq!(of_json("{\"start\": {\"test_start\": {}}, \"bits_per_second\": 1}"), None);
    }

    /// The first second of a test fills buffers.
    #[test]
    fn what_the_first_interval_alone_lost_is_left_out() {
        let rows = "[  4]  0.0- 1.0 sec  20.7 MBytes   174 Mbits/sec  0.047 ms 812/9000 (9%)\n[  4]  1.0- 2.0 sec  20.7 MBytes   174 Mbits/sec  0.047 ms 0/9000 (0%)\n\
                    [  4]  2.0- 3.0 sec  20.7 MBytes   174 Mbits/sec  0.047 ms 0/9000 (0%)\n";
        let lost = |text: &str| read(text, "x").expect("a test")[0].udp.as_ref().expect("datagrams").lost;
        assert_eq!(lost(rows), 0);
        assert_eq!(lost(&rows.replace(" 0/9000", " 7/9000")), 826);
    }

    #[test]
    fn a_csv_of_iperf_2() {
        let line = "20260102081200,192.0.2.1,44632,192.0.2.2,5001,3,0.0-10.0,11250000000,9000000000\n";
        assert!(is_iperf(line));
        let result = &read(line, "x").expect("a result")[0];
        assert_eq!(
            (result.bytes, result.throughput_bytes_per_s, result.duration_s),
            (11_250_000_000, 1.125e9, 10.0)
        );
        let udp =
            "20260102081200,192.0.2.1,44632,192.0.2.2,5001,3,0.0-10.0,1250000,1000000,0.081,8,812,0.985,0\n";
        let result = &read(udp, "x").expect("a result")[0];
        assert_eq!(result.udp.as_ref().map(|udp| udp.lost), Some(8));
        assert!(!is_iperf("2026-01-02,a,b,c,d,e,f,g,h\n"));
    }
}
