//! What other tools recorded: sysstat (`iostat`, `sar`, `sadf`), `vmstat`, `nfsiostat`, OSWatcher, fio, iperf3,
//! oratcptest, bonnie++. Columns are found by name; units become bytes, nanoseconds and ratios.

mod bonnie;
mod brief;
mod builder;
mod dd;
mod fio;
mod fio_text;
mod idle;
mod iostat;
mod iperf3;
mod iperf_text;
mod json_cut;
mod metric;
mod nfsiostat;
mod oratcptest;
mod oswatcher;
mod pasted;
mod pidstat;
mod sadf_csv;
mod sadf_json;
mod sadf_lines;
mod sar;
mod sysstat;
mod unread;
mod vmstat;

pub(crate) use iperf_text::of_json as iperf_rows;
pub use oswatcher::together;

use crate::ReadError;
use crate::clock::{Calendar, DateOrder, Hints};
use crate::page::{self, capital_power, number};
use fullwire_model::demand::{ImportedSeries, origin};
use fullwire_model::disk::DiskResult;
use fullwire_model::host::trouble::Known;
use fullwire_model::net::NetResult;
use fullwire_model::{Gap, GapReason};
use std::io::BufRead;

/// Text reports are read whole; larger ones are requested as `sadf -j`, which streams.
pub const LARGEST_TEXT_BYTES: usize = 512 << 20;
/// This much of a file tells what it is.
pub const HEAD_BYTES: usize = 16 << 10;

/// What the user said about a file.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// `--date-order`: how dates of numbers alone are to be read.
    pub date_order: Option<DateOrder>,
    /// The day of the reading: nothing was recorded later.
    pub today: Option<jiff::civil::Date>,
    /// Which lines of logs are of use.
    pub known: Known,
}

impl Options {
    /// The order of a file's dates, and what is to be said of it.
    fn calendar<'a>(
        self,
        dates: impl Iterator<Item = &'a str>,
        (text, name): (&str, &str),
    ) -> (Calendar, Option<String>) {
        Calendar::settle(self.date_order, dates, Hints { text, name, today: self.today })
    }
}

/// What one file contains.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    /// Time series.
    pub series: Vec<ImportedSeries>,
    /// Network results (iperf3).
    pub net: Vec<NetResult>,
    /// Storage results (fio, bonnie++).
    pub disk: Vec<DiskResult>,
}

/// A format that is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `iostat`.
    Iostat,
    /// `sadf -j` and `iostat -o JSON`: may be streamed.
    SysstatJson,
    /// `sadf -d`, `sadf -dh`.
    SadfCsv,
    /// `sadf -p`.
    SadfLines,
    /// `sar`.
    Sar,
    /// `vmstat`.
    Vmstat,
    /// `nfsiostat`.
    Nfsiostat,
    /// fio's JSON.
    Fio,
    /// iperf3's JSON.
    Iperf3,
    /// bonnie++'s table or CSV line.
    Bonnie,
    /// What `oratcptest.jar` prints.
    Oratcptest,
    /// fio's output for people, and its terse lines.
    FioText,
    /// iperf3's and iperf 2's output for people.
    IperfText,
    /// `dd`, with its commands.
    Dd,
    /// `pidstat`.
    Pidstat,
    /// `iotop`.
    Iotop,
    /// The first lines of `uptime`, `w` and `top`.
    Top,
    /// dstat, collectl, atop, nmon: CPU and disks of one host.
    Grouped,
    /// `ioping`.
    Ioping,
    /// Tests of storage that print a few lines.
    Bench,
    /// `pgbench`.
    Pgbench,
    /// Copies of `/proc/diskstats`.
    Diskstats,
    /// CSV of a cloud's monitor.
    Cloud,
    /// Devices of Solaris, AIX, FreeBSD and ZFS.
    Devices,
}

/// Recognises a file by its first bytes.
pub fn detect(head: &[u8], name: &str) -> Result<Format, ReadError> {
    let text = page::decode(&head[..head.len().min(HEAD_BYTES)]);
    // The last line may be cut.
    let whole = if head.len() > HEAD_BYTES {
        text.rsplit_once('\n').map_or(&*text, |(whole, _)| whole)
    } else {
        &text
    };
    let text = pasted::restored(whole).text;
    let has = |needle: &str| text.contains(needle);
    let json = text.trim_start().starts_with('{') || has("\n{");
    let format = match () {
        () if json && has("\"sysstat\"") => Format::SysstatJson,
        () if json && has("\"fio version\"") => Format::Fio,
        () if json
            && (has("\"iperf")
                || has("\"tcp_mss_default\"")
                || (has("\"start\"") && has("\"connected\""))) =>
        {
            Format::Iperf3
        }
        () if oratcptest::is_oratcptest(&text) => Format::Oratcptest,
        () if fio_text::is_fio(&text) => Format::FioText,
        () if iperf_text::is_iperf(&text) => Format::IperfText,
        () if dd::is_dd(&text) => Format::Dd,
        () if brief::iotop::is_iotop(&text) => Format::Iotop,
        () if pidstat::is_pidstat(&text) => Format::Pidstat,
        () if brief::ioping::is_ioping(&text) => Format::Ioping,
        () if brief::bench::is_bench(&text) => Format::Bench,
        () if brief::pgbench::is_pgbench(&text) => Format::Pgbench,
        () if brief::diskstats::is_diskstats(&text) => Format::Diskstats,
        () if bonnie::is_bonnie(&text) => Format::Bonnie,
        () if nfsiostat::is_nfsiostat(&text) => Format::Nfsiostat,
        () if has(" swpd ") && text.lines().any(|line| line.trim_start().starts_with("r ")) => Format::Vmstat,
        () if sadf_csv::is_sadf(&text) => Format::SadfCsv,
        () if sadf_lines::is_sadf(&text) => Format::SadfLines,
        () if iostat::is_iostat(&text) => Format::Iostat,
        () if sar::is_sar(&text) => Format::Sar,
        () if brief::devices::is_devices(&text) => Format::Devices,
        () if brief::grouped::is_grouped(&text) => Format::Grouped,
        () if brief::top::is_top(&text) => Format::Top,
        () if brief::cloud::is_cloud(&text) => Format::Cloud,
        () => return Err(foreign(&text, name)),
    };
    Ok(format)
}

fn foreign(text: &str, name: &str) -> ReadError {
    let line = text.lines().position(|line| !line.trim().is_empty());
    let Some(index) = line else { return ReadError::new(name, 1, "the file is empty") };
    let first: String = text.lines().nth(index).unwrap_or("").trim().chars().take(60).collect();
    let what = if oswatcher::is_archive(text) {
        "OSWatcher's output of a command that is not read: vmstat, iostat, mpstat and nfsiostat are"
            .to_owned()
    } else if first.starts_with("AIX ") || first.starts_with("SunOS ") || first.starts_with("HP-UX ") {
        format!("sar output of a system other than Linux (\"{first}\") is not supported")
    } else if text.starts_with("disk-") {
        "vmstat -d prints totals since boot: record iostat -xt, or vmstat without -d".to_owned()
    } else if first.starts_with("<?xml") {
        "XML or SVG (sadf -x, sadf -g): export the same file with sadf -j FILE -- -A".to_owned()
    } else if text.starts_with('\u{fffd}') || text.contains('\0') {
        "a binary file; convert sar's own files to text with sadf -j FILE -- -A".to_owned()
    } else {
        format!(
            "not a supported format (iostat, sar, sadf -j or -d, vmstat, nfsiostat, fio JSON, iperf3 JSON, oratcptest, bonnie++): it begins with \"{first}\""
        )
    };
    ReadError::new(name, index + 1, what)
}

/// True for a file of OSWatcher's archive, by its first bytes.
pub fn is_oswatcher(head: &[u8]) -> bool {
    oswatcher::is_archive(&page::decode(&head[..head.len().min(HEAD_BYTES)]))
}

/// Reads a file whole.
pub fn detect_and_read(bytes: &[u8], name: &str, options: Options) -> Result<Imported, ReadError> {
    let format = detect(bytes, name)?;
    if format == Format::SysstatJson {
        return read_stream(bytes, name, options);
    }
    if bytes.len() > LARGEST_TEXT_BYTES {
        return Err(ReadError::new(name, 1, "larger than 512 MiB: use sadf -j, which is read as a stream"));
    }
    let text = page::decode(bytes);
    let pasted = pasted::restored(&text);
    let text = pasted.text;
    // JSON says itself when it is whole.
    let is_json = text.trim_start().starts_with('{');
    let (lines, cut) = if is_json { (&*text, None) } else { page::whole_lines(&text) };
    let options = oswatcher::settle_dates(&text, options);
    let all = |series: Vec<ImportedSeries>| Imported { series, ..Imported::default() };
    let mut imported = match format {
        Format::Iostat => all(of_each_host(lines, |part| iostat::read(part, name, options))?),
        Format::Sar => all(of_each_host(lines, |part| sar::read(part, name, options))?),
        Format::SadfCsv => all(sadf_csv::read(lines, name)?),
        Format::SadfLines => all(vec![sadf_lines::read(lines, name, options)?]),
        Format::Vmstat => all(vec![vmstat::read(lines, name, options)?]),
        Format::Nfsiostat => all(vec![nfsiostat::read(lines, name)?]),
        Format::Bonnie => disk(vec![bonnie::read(lines, name)?], "bonnie++", name),
        Format::Fio => return Ok(disk(fio::read(&text, name)?, "fio", name)),
        Format::Oratcptest => return Ok(net(vec![oratcptest::read(&text, name)?], "oratcptest", name)),
        Format::Iperf3 => return Ok(net(vec![iperf3::read(&text, name)?], "iperf3", name)),
        Format::FioText => disk(vec![fio_text::read(lines, name)?], "fio", name),
        Format::IperfText => return Ok(net(iperf_text::read(&text, name)?, "iperf", name)),
        Format::Dd => return Ok(disk(vec![dd::read(&text, name)?], "dd", name)),
        Format::Pidstat => all(vec![pidstat::read(lines, name, options)?]),
        Format::Iotop => all(vec![brief::iotop::read(lines, name)?]),
        Format::Grouped => all(vec![brief::grouped::read(lines, name)?]),
        Format::Top => all(vec![brief::top::read(lines, name)?]),
        Format::Ioping => disk(vec![brief::ioping::read(lines, name)?], "ioping", name),
        Format::Bench => {
            let (result, tool) = brief::bench::read(lines, name)?;
            disk(vec![result], tool, name)
        }
        Format::Pgbench => all(vec![brief::pgbench::read(lines, name)?]),
        Format::Diskstats => all(vec![brief::diskstats::read(lines, name)?]),
        Format::Cloud => all(vec![brief::cloud::read(lines, name, options)?]),
        Format::Devices => all(vec![brief::devices::read(lines, name)?]),
        Format::SysstatJson => unreachable!("streamed above"),
    };
    oswatcher::complete(&text, &mut imported.series);
    for series in &mut imported.series {
        series
            .gaps
            .extend(pasted.said.iter().map(|said| Gap::new("heading", GapReason::Malformed, said.clone())));
    }
    if let Some(detail) = cut {
        let gap = Gap::new("end of file", GapReason::Malformed, detail);
        let gaps = imported.series.iter_mut().map(|series| &mut series.gaps);
        let gaps = gaps.chain(imported.disk.iter_mut().map(|result| &mut result.gaps));
        gaps.for_each(|gaps| gaps.push(gap.clone()));
    }
    Ok(imported)
}

fn net(mut results: Vec<NetResult>, tool: &str, name: &str) -> Imported {
    for result in &mut results {
        result.imported_from = origin(tool, name);
    }
    Imported { net: results, ..Imported::default() }
}

fn disk(mut results: Vec<DiskResult>, tool: &str, name: &str) -> Imported {
    for result in &mut results {
        result.imported_from = origin(tool, name);
    }
    Imported { disk: results, ..Imported::default() }
}

/// Reads `sadf -j` or `iostat -o JSON` as a stream: memory is bounded however long the file is.
pub fn read_stream(reader: impl BufRead, name: &str, options: Options) -> Result<Imported, ReadError> {
    let series = sadf_json::read(reader, name, options)?;
    Ok(Imported { series, ..Imported::default() })
}

/// Reads the part of each host of a file; the lines of errors are counted from the beginning of the file.
fn of_each_host(
    text: &str,
    read: impl Fn(&str) -> Result<ImportedSeries, ReadError>,
) -> Result<Vec<ImportedSeries>, ReadError> {
    let parts = sysstat::by_host(text);
    parts
        .into_iter()
        .map(|(before, part)| read(part).map_err(|error| ReadError { line: error.line + before, ..error }))
        .collect()
}

/// A count or a size that a tool printed or that follows from its figures; none is negative.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a size or a count, not negative"
)]
fn whole(value: f64) -> u64 {
    value.max(0.0).round() as u64
}

/// `222.1k`, `1.5G` of `--human`: bytes, whatever unit the column has otherwise (sysstat common.c, `cprintf_unit`).
fn human(word: &str) -> Option<f64> {
    let (digits, suffix) = word.split_at_checked(word.len().checked_sub(1)?)?;
    let factor = capital_power(if suffix == "B" { "" } else { suffix }, 1024.0)?;
    number(digits).map(|value| value * factor)
}

/// True for a figure as tools print it: a number, a percentage, or bytes with a suffix.
fn is_figure(word: &str) -> bool {
    number(word.strip_suffix('%').unwrap_or(word)).is_some() || human(word).is_some()
}

/// The words of a line.
fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// A line without what terminals and pagers leave in it: tabs, form feeds, colours (`S_COLORS=always`).
fn clean(line: &str) -> String {
    if !line.contains('\u{1b}') {
        return page::plain(line);
    }
    let mut out = String::with_capacity(line.len());
    let mut pieces = line.split('\u{1b}');
    out.push_str(pieces.next().unwrap_or(""));
    for piece in pieces {
        // ESC [ parameters, ended by a letter.
        let end = piece.find(|c: char| c.is_ascii_alphabetic()).map_or(piece.len(), |end| end + 1);
        out.push_str(&piece[end..]);
    }
    page::plain(&out)
}
