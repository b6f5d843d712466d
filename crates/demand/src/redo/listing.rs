//! Listings of `V$ARCHIVED_LOG` or `V$LOG_HISTORY`: `SQL*Plus`, `SQLcl`, CSV. Columns are found by name, whatever the query
//! calls them.

use super::history::summarise;
use super::over_time::seconds_between;
use crate::clock::{Calendar, DateOrder, Hints};
use crate::sheet::{self, Sheet};
use crate::{ReadError, page};
use fullwire_model::demand::{RedoHistory, RedoLog};
use fullwire_model::{Gap, GapReason};
use std::collections::BTreeSet;

/// Oracle people's MB.
const MIB: f64 = 1_048_576.0;
/// Lines that made no sense: this many are named, the rest counted.
const MOST_GAPS: usize = 20;

/// Reads a listing. `name` is what the record and the error call the file; `headroom` is what is added to the peak.
pub fn read(
    text: &str,
    name: &str,
    headroom: f64,
    order: Option<DateOrder>,
) -> Result<RedoHistory, ReadError> {
    let (text, cut) = page::whole_lines(text);
    let sheet = sheet::read(text, name)?;
    let columns = Columns::of(&sheet).map_err(|what| ReadError::new(name, sheet.line, what))?;
    let dates = [columns.first_time, columns.next_time].into_iter().flatten();
    let dates = dates.flat_map(|column| sheet.rows.iter().map(move |row| date_part(row.cell(column))));
    let (calendar, assumed) = Calendar::settle(order, dates, Hints { text: "", name, today: None });
    let reader = Reader { sheet: &sheet, columns, calendar };
    let mut gaps: Vec<Gap> =
        assumed.into_iter().map(|detail| Gap::new("date", GapReason::Malformed, detail)).collect();
    let logs = reader.logs(&mut gaps);
    if logs.is_empty() {
        let what = "no row below the heading could be read: expected THREAD#, SEQUENCE# and a size with a time or a rate";
        return Err(ReadError::new(name, sheet.line, what));
    }
    let mut history = summarise(name, "oracle", logs, headroom);
    history.gaps.extend(gaps);
    history.gaps.extend(cut.map(|detail| Gap::new("end of file", GapReason::Malformed, detail)));
    Ok(history)
}

fn date_part(cell: &str) -> &str {
    cell.split([' ', 'T']).next().unwrap_or("")
}

/// Where each thing stands.
#[derive(Debug, Clone, Copy)]
struct Columns {
    thread: Option<usize>,
    sequence: Option<usize>,
    size: Option<Size>,
    seconds: Option<(usize, f64)>,
    rate: Option<(usize, f64)>,
    first_time: Option<usize>,
    next_time: Option<usize>,
}

/// How the size is given.
#[derive(Debug, Clone, Copy)]
enum Size {
    /// A column, and the bytes of its unit.
    Scaled(usize, f64),
    /// `BLOCKS` and `BLOCK_SIZE`.
    Blocks(usize, usize),
}

impl Columns {
    fn of(sheet: &Sheet) -> Result<Self, String> {
        let find = |names: &[&str]| names.iter().find_map(|name| sheet.column(name));
        let scaled =
            |names: &[(&str, f64)]| names.iter().find_map(|(name, unit)| Some((sheet.column(name)?, *unit)));
        let size = scaled(&[
            ("bytes", 1.0),
            ("sizebytes", 1.0),
            ("mb", MIB),
            ("mbytes", MIB),
            ("mib", MIB),
            ("sizemb", MIB),
            ("size(mb)", MIB),
            ("sizeinmb", MIB),
            ("redomb", MIB),
            ("gb", MIB * 1024.0),
            ("sizegb", MIB * 1024.0),
            ("sizeingb", MIB * 1024.0),
            ("kb", 1024.0),
            ("sizekb", 1024.0),
        ]);
        let blocks = || Some(Size::Blocks(sheet.column("blocks")?, sheet.column("blocksize")?));
        let columns = Self {
            thread: find(&["thread#", "thread", "thr#", "thr", "instid", "inst"]),
            sequence: find(&["sequence#", "sequence", "seq#", "seq"]),
            size: size.map(|(column, unit)| Size::Scaled(column, unit)).or_else(blocks),
            seconds: scaled(&[
                ("sec", 1.0),
                ("secs", 1.0),
                ("seconds", 1.0),
                ("durations", 1.0),
                ("duration(s)", 1.0),
                ("elapsed(s)", 1.0),
                ("minutes", 60.0),
                ("min", 60.0),
                ("mins", 60.0),
            ]),
            rate: scaled(&[
                ("mb/s", MIB),
                ("mb/sec", MIB),
                ("mbps", MIB),
                ("mbs", MIB),
                ("mbpersec", MIB),
                ("mbpers", MIB),
                ("bytes/s", 1.0),
                ("bytespers", 1.0),
            ]),
            first_time: find(&["firsttime", "begintime", "start", "starttime", "begin", "first"]),
            next_time: find(&["nexttime", "completiontime", "endtime", "end", "next", "completion"]),
        };
        columns.check(sheet)?;
        Ok(columns)
    }

    fn check(&self, sheet: &Sheet) -> Result<(), String> {
        let times = self.first_time.is_some();
        if self.sequence.is_none() && !times {
            return Err(format!(
                "not an archived-log listing: no SEQUENCE# among the columns {}",
                sheet.names()
            ));
        }
        let rate = self.rate.is_some() || self.seconds.is_some() || times;
        match (self.size, self.rate) {
            (None, None) => Err(format!(
                "neither size nor rate among the columns {}: expected BYTES, MB, BLOCKS with BLOCK_SIZE, or MB/S",
                sheet.names()
            )),
            _ if !rate => Err(format!(
                "no time among the columns {}: expected FIRST_TIME and NEXT_TIME, or SECONDS",
                sheet.names()
            )),
            _ => Ok(()),
        }
    }
}

struct Reader<'a> {
    sheet: &'a Sheet,
    columns: Columns,
    calendar: Calendar,
}

impl Reader<'_> {
    /// Each log once, though every destination of the archiver has its own row.
    fn logs(&self, gaps: &mut Vec<Gap>) -> Vec<RedoLog> {
        let mut seen = BTreeSet::new();
        let mut logs = Vec::new();
        let mut bad = 0;
        for (index, row) in self.sheet.rows.iter().enumerate() {
            match self.log(row, index) {
                Ok(log) => {
                    if seen.insert((log.thread, log.sequence, log.begin)) {
                        logs.push(log);
                    }
                }
                Err(what) => {
                    bad += 1;
                    if bad <= MOST_GAPS {
                        let detail = format!("line {}: {what}", row.line);
                        gaps.push(Gap::new("archived log", GapReason::Malformed, detail));
                    }
                }
            }
        }
        if bad > MOST_GAPS {
            let detail = format!("{} more lines could not be parsed", bad - MOST_GAPS);
            gaps.push(Gap::new("archived logs", GapReason::Malformed, detail));
        }
        self.complete_from_successors(&mut logs);
        logs
    }

    fn log(&self, row: &sheet::Row, index: usize) -> Result<RedoLog, String> {
        let columns = &self.columns;
        let number = |column: usize| self.sheet.number(row.cell(column));
        let scaled =
            |place: Option<(usize, f64)>| place.and_then(|(column, unit)| Some(number(column)? * unit));
        let whole = |column: Option<usize>| column.and_then(|column| row.cell(column).parse::<u64>().ok());
        let sequence = match columns.sequence {
            Some(column) => row
                .cell(column)
                .parse()
                .map_err(|_| format!("\"{}\" is not a sequence number", row.cell(column)))?,
            None => index as u64 + 1,
        };
        let (begin, end) = (self.time(row, columns.first_time), self.time(row, columns.next_time));
        let between = begin.zip(end).map(|(begin, end)| seconds_between(begin, end));
        let seconds = scaled(columns.seconds).or(between).filter(|&seconds| seconds > 0.0);
        let bytes = match columns.size {
            Some(Size::Scaled(column, unit)) => number(column).map(|value| value * unit),
            Some(Size::Blocks(blocks, size)) => {
                number(blocks).zip(number(size)).map(|(blocks, size)| blocks * size)
            }
            None => None,
        };
        let printed = scaled(columns.rate);
        let rate = bytes.zip(seconds).map(|(bytes, seconds)| bytes / seconds).or(printed);
        let bytes = bytes.or_else(|| Some(rate? * seconds?)).or(rate).filter(|bytes| *bytes >= 0.0);
        let Some(bytes) = bytes else {
            return Err(
                "the size is not a number (#### means that the column is too narrow: set numwidth 20)".into(),
            );
        };
        Ok(RedoLog {
            thread: whole(columns.thread).unwrap_or(1),
            sequence,
            bytes,
            seconds,
            bytes_per_s: rate,
            begin,
            end,
        })
    }

    fn time(&self, row: &sheet::Row, column: Option<usize>) -> Option<jiff::civil::DateTime> {
        self.calendar.date_time(row.cell(column?))
    }

    /// With `FIRST_TIME` alone (as `V$LOG_HISTORY` has it), a log ends where the next of its thread begins.
    fn complete_from_successors(&self, logs: &mut [RedoLog]) {
        if self.columns.next_time.is_some() || self.columns.first_time.is_none() {
            return;
        }
        let mut order: Vec<usize> = (0..logs.len()).collect();
        order.sort_by_key(|&index| (logs[index].thread, logs[index].sequence));
        for pair in order.windows(2) {
            let (this, next) = (pair[0], pair[1]);
            let follows =
                logs[this].thread == logs[next].thread && logs[this].sequence + 1 == logs[next].sequence;
            if follows && let (Some(begin), Some(end)) = (logs[this].begin, logs[next].begin) {
                let seconds = seconds_between(begin, end);
                let log = &mut logs[this];
                log.end = Some(end);
                log.seconds = log.seconds.or((seconds > 0.0).then_some(seconds));
                log.bytes_per_s = log.bytes_per_s.or(log.seconds.map(|seconds| log.bytes / seconds));
            }
        }
    }
}
