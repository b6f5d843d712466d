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
use brief::{bench, cloud, devices, diskstats, grouped, ioping, iotop, pgbench, top};
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

/// A format that is understood: its row of `FORMATS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format(usize);

impl Format {
    /// `sadf -j` and `iostat -o JSON` may be long: `read_stream` reads them.
    pub fn is_streamed(self) -> bool {
        self == STREAMED
    }
}

/// A file as a reader gets it.
struct Given<'a> {
    text: &'a str,
    name: &'a str,
    options: Options,
}

/// What tells a format apart, in the order of asking; whether its last line may be cut off; its reader.
type Row = (fn(&str) -> bool, bool, fn(&Given<'_>) -> Result<Imported, ReadError>);

const MAY_BE_CUT: bool = true;
const WHOLE: bool = false;
const STREAMED: Format = Format(0);
const FORMATS: [Row; 24] = [
    (sadf_json::is_sysstat, WHOLE, |f| read_stream(f.text.as_bytes(), f.name, f.options)),
    (fio::is_fio, WHOLE, |f| Ok(disk(fio::read(f.text, f.name)?, "fio", f.name))),
    (iperf3::is_iperf3, WHOLE, |f| Ok(net(vec![iperf3::read(f.text, f.name)?], "iperf3", f.name))),
    (oratcptest::is_oratcptest, WHOLE, |f| {
        Ok(net(vec![oratcptest::read(f.text, f.name)?], "oratcptest", f.name))
    }),
    (fio_text::is_fio, MAY_BE_CUT, |f| Ok(disk(vec![fio_text::read(f.text, f.name)?], "fio", f.name))),
    (iperf_text::is_iperf, WHOLE, |f| Ok(net(iperf_text::read(f.text, f.name)?, "iperf", f.name))),
    (dd::is_dd, WHOLE, |f| Ok(disk(vec![dd::read(f.text, f.name)?], "dd", f.name))),
    (iotop::is_iotop, MAY_BE_CUT, |f| Ok(one(iotop::read(f.text, f.name)?))),
    (pidstat::is_pidstat, MAY_BE_CUT, |f| Ok(one(pidstat::read(f.text, f.name, f.options)?))),
    (ioping::is_ioping, MAY_BE_CUT, |f| Ok(disk(vec![ioping::read(f.text, f.name)?], "ioping", f.name))),
    (bench::is_bench, MAY_BE_CUT, |f| {
        bench::read(f.text, f.name).map(|(result, tool)| disk(vec![result], tool, f.name))
    }),
    (pgbench::is_pgbench, MAY_BE_CUT, |f| Ok(one(pgbench::read(f.text, f.name)?))),
    (diskstats::is_diskstats, MAY_BE_CUT, |f| Ok(one(diskstats::read(f.text, f.name)?))),
    (bonnie::is_bonnie, MAY_BE_CUT, |f| Ok(disk(vec![bonnie::read(f.text, f.name)?], "bonnie++", f.name))),
    (nfsiostat::is_nfsiostat, MAY_BE_CUT, |f| Ok(one(nfsiostat::read(f.text, f.name)?))),
    (vmstat::is_vmstat, MAY_BE_CUT, |f| Ok(one(vmstat::read(f.text, f.name, f.options)?))),
    (sadf_csv::is_sadf, MAY_BE_CUT, |f| Ok(all(sadf_csv::read(f.text, f.name)?))),
    (sadf_lines::is_sadf, MAY_BE_CUT, |f| Ok(one(sadf_lines::read(f.text, f.name)?))),
    (iostat::is_iostat, MAY_BE_CUT, |f| of_each_host(f, iostat::read)),
    (sar::is_sar, MAY_BE_CUT, |f| of_each_host(f, sar::read)),
    (devices::is_devices, MAY_BE_CUT, |f| Ok(one(devices::read(f.text, f.name)?))),
    (grouped::is_grouped, MAY_BE_CUT, |f| Ok(one(grouped::read(f.text, f.name)?))),
    (top::is_top, MAY_BE_CUT, |f| Ok(one(top::read(f.text, f.name)?))),
    (cloud::is_cloud, MAY_BE_CUT, |f| Ok(one(cloud::read(f.text, f.name, f.options)?))),
];

fn is_json(text: &str) -> bool {
    text.trim_start().starts_with('{') || text.contains("\n{")
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
    let known = FORMATS.iter().position(|(is_own, ..)| is_own(&text));
    known.map(Format).ok_or_else(|| foreign(&text, name))
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
    if format.is_streamed() {
        return read_stream(bytes, name, options);
    }
    if bytes.len() > LARGEST_TEXT_BYTES {
        return Err(ReadError::new(name, 1, "larger than 512 MiB: use sadf -j, which is read as a stream"));
    }
    let text = page::decode(bytes);
    let pasted = pasted::restored(&text);
    let text = pasted.text;
    let (_, may_be_cut, read) = FORMATS[format.0];
    // JSON says itself when it is whole.
    let may_be_cut = may_be_cut && !text.trim_start().starts_with('{');
    let (lines, cut) = if may_be_cut { page::whole_lines(&text) } else { (&*text, None) };
    let options = oswatcher::settle_dates(&text, options);
    let mut imported = read(&Given { text: lines, name, options })?;
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

fn all(series: Vec<ImportedSeries>) -> Imported {
    Imported { series, ..Imported::default() }
}

fn one(series: ImportedSeries) -> Imported {
    all(vec![series])
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
    sadf_json::read(reader, name, options).map(all)
}

/// Reads the part of each host of a file; the lines of errors are counted from the beginning of the file.
fn of_each_host(
    file: &Given<'_>,
    read: fn(&str, &str, Options) -> Result<ImportedSeries, ReadError>,
) -> Result<Imported, ReadError> {
    let own = |(before, part): (usize, &str)| {
        read(part, file.name, file.options).map_err(|error| ReadError { line: error.line + before, ..error })
    };
    sysstat::by_host(file.text).into_iter().map(own).collect::<Result<_, _>>().map(all)
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
