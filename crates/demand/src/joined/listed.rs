//! The one reader of listings: tables that are known by the names of their columns, records of names and values, and lines of
//! figures between words, whatever the query or the tool. Each row becomes a line `v$asm_disk: name=DATA_0003; read_errs=17`; what
//! it means is known by its words, as of any other line.

use super::forms::{HEADINGS, LINES};
use crate::page;
use crate::sheet::{self, Sheet};
use fullwire_model::host::words::Words;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::LazyLock;

/// A listing of more rows is cut.
const MOST_ROWS: usize = 400;
/// A text of more bytes is a log.
const LARGEST_BYTES: usize = 1 << 20;
/// Words of a line of figures: a form may ask for each where it ends.
const MOST_WORDS: usize = 100;
/// Rows that tell which of several listings with the same columns it is.
const MOST_LOOKED_AT: usize = 60;

/// Every listing with a heading, and every record.
static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| HEADINGS.iter().map(|form| Form::of(form)).collect());

/// Every line of figures.
static RESULTS: LazyLock<Vec<Line>> =
    LazyLock::new(|| LINES.iter().map(|(tool, form)| Line::of(tool, form)).collect());

/// A table or a record, and what it has at least.
struct Form {
    name: &'static str,
    columns: Vec<Column>,
    /// Of names and values in the first and the last column, which are one record: it has one of these; empty: any.
    names: Vec<&'static str>,
    is_record: bool,
    has_units: bool,
}

/// A column as it is printed and as headings are compared, and what it is called here.
struct Column {
    name: &'static str,
    reduced: String,
    own: &'static str,
    /// Of what is printed.
    factor: Option<f64>,
}

/// `total/1000`, `ms*1000`: a name and its factor.
fn scaled(text: &'static str) -> (&'static str, Option<f64>) {
    let parts = text.rsplit_once(['/', '*']).map(|(name, by)| (name, by.parse::<f64>()));
    match parts {
        Some((name, Ok(by))) if text[name.len()..].starts_with('*') => (name, Some(by)),
        Some((name, Ok(by))) => (name, Some(1.0 / by)),
        _ => (text, None),
    }
}

/// A figure of which a part counts, to the thousandth.
fn part(value: f64, factor: Option<f64>) -> f64 {
    factor.map_or(value, |factor| (value * factor * 1e3).round() / 1e3)
}

impl Form {
    fn of(text: &'static str) -> Self {
        let (is_record, text) = text.strip_prefix(':').map_or((false, text), |text| (true, text));
        let (name, rest) = text.split_once('|').unwrap_or((text, ""));
        let column = |text: &'static str| {
            let (printed, own) = text.split_once('>').map_or((text, None), |(name, own)| (name, Some(own)));
            let (name, factor) = if own.is_some() { scaled(printed) } else { (printed, None) };
            Column { name, reduced: sheet::reduce(name), own: own.unwrap_or(name), factor }
        };
        let (names, columns): (Vec<_>, Vec<_>) = rest.split('|').partition(|part| part.starts_with('='));
        Self {
            name: name.trim_end_matches('~'),
            columns: columns.into_iter().map(column).collect(),
            names: names.into_iter().map(|name| &name[1..]).collect(),
            is_record,
            has_units: name.ends_with('~'),
        }
    }

    fn is_pairs(&self) -> bool {
        self.columns.last().is_some_and(|last| last.name == "value")
    }
}

/// A line of a tool in its parts.
struct Line {
    tool: &'static str,
    form: Vec<Part>,
    /// The longest word that is always there: of most lines it tells that they are another's.
    handle: &'static str,
}

enum Part {
    Any,
    Word(&'static str),
    Start(&'static str),
    Figure(&'static str, Option<f64>, &'static str),
    Name(&'static str, Option<&'static str>, &'static str),
}

impl Line {
    fn of(tool: &'static str, form: &'static str) -> Self {
        let part = |word: &'static str| {
            let within = |open: char, close: char| word.strip_prefix(open)?.split_once(close);
            if word == "*" {
                Part::Any
            } else if let Some((name, unit)) = within('{', '}') {
                let (name, factor) = scaled(name);
                Part::Figure(name, factor, unit)
            } else if let Some((name, end)) = within('<', '>') {
                let (name, of) = name.split_once('=').map_or((name, None), |(name, of)| (name, Some(of)));
                Part::Name(name, of, end)
            } else {
                word.strip_suffix('~').map_or(Part::Word(word), Part::Start)
            }
        };
        let form: Vec<Part> = form.split(' ').map(part).collect();
        let fixed = form.iter().filter_map(|part| match part {
            Part::Word(word) | Part::Start(word) => Some(*word),
            _ => None,
        });
        let handle = fixed.max_by_key(|word| word.len()).unwrap_or("");
        Self { tool, form, handle }
    }

    /// The row of a line that is a result.
    fn row(&self, line: &str, words: &[&str]) -> Option<String> {
        let mut figures = Vec::new();
        (line.contains(self.handle) && fits(&self.form, words, &mut figures))
            .then(|| format!("{}: {}", self.tool, figures.join("; ")))
    }
}

fn fits(form: &[Part], words: &[&str], figures: &mut Vec<String>) -> bool {
    let Some((first, form)) = form.split_first() else { return words.is_empty() };
    if matches!(first, Part::Any) {
        return form.is_empty()
            || (0..=words.len()).any(|at| {
                let before = figures.len();
                fits(form, &words[at..], figures) || {
                    figures.truncate(before);
                    false
                }
            });
    }
    let Some((word, words)) = words.split_first() else { return false };
    let is_it = match first {
        Part::Any => true,
        Part::Word(own) => word == own,
        Part::Start(own) => word.starts_with(own),
        Part::Figure(name, factor, unit) => {
            let bare =
                word.strip_suffix(unit).map(|word| word.trim_end_matches([',', ';', '%']).replace(',', ""));
            let value = bare.and_then(|word| word.parse::<f64>().ok());
            figures.extend(value.map(|value| format!("{name}={}", part(value, *factor))));
            value.is_some()
        }
        Part::Name(name, of, end) => {
            figures.push(format!("{name}={}", word.replace(';', ",")));
            word.ends_with(end) && of.is_none_or(|of| of.split('/').any(|one| one == *word))
        }
    };
    is_it && fits(form, words, figures)
}

/// The row of a line of figures.
fn result(line: &str) -> Option<String> {
    static HANDLES: LazyLock<Words> = LazyLock::new(|| {
        Words::new(RESULTS.iter().map(|line| line.handle).filter(|handle| !handle.is_empty()))
    });
    // Those without a word of their own begin with a figure.
    let may_be = line.trim_start().starts_with(|c: char| c.is_ascii_digit()) || HANDLES.is_any_in(line);
    let words: Vec<&str> = line.split_whitespace().take(if may_be { MOST_WORDS } else { 0 }).collect();
    RESULTS.iter().filter(|_| may_be).find_map(|one| one.row(line, &words))
}

const HISTOGRAM: &str = "v$event_histogram";
/// Buckets that hold fewer of the waits, with all that are longer, tell of none that counts (own choice).
const RARE: f64 = 0.001;

/// A histogram of waits without the buckets of rare ones, but for the log writer's, where each is a commit's; the event may be
/// named by the statement alone (`where event = 'log file sync'`).
fn of_histogram(rows: &[String], before: &[String]) -> Vec<String> {
    let asked = before.iter().rev().take(8).find_map(|line| {
        let (_, quoted) =
            line.split_once('\'').filter(|(start, _)| start.to_lowercase().contains("event"))?;
        quoted.split('\'').next()
    });
    let cell =
        |row: &str, name: &str| cells(row).find(|(own, _)| *own == name).map(|(_, value)| value.to_owned());
    let event = |row: &str| cell(row, "event").or_else(|| asked.map(str::to_owned)).unwrap_or_default();
    let number =
        |row: &str, name: &str| cell(row, name).and_then(|value| value.parse::<f64>().ok()).unwrap_or(0.0);
    let at_least = |of: &str, least: f64| -> f64 {
        let own = rows.iter().filter(|row| event(row) == of && number(row, "wait_time_milli") >= least);
        own.map(|row| number(row, "wait_count")).sum()
    };
    let counts = |row: &&String| {
        let of = event(row);
        of.starts_with("log file parallel")
            || at_least(&of, number(row, "wait_time_milli")) >= RARE * at_least(&of, 0.0)
    };
    let named = |row: &String| match asked.filter(|_| cell(row, "event").is_none()) {
        Some(event) => row.replacen(": ", &format!(": event={event}; "), 1),
        None => row.clone(),
    };
    rows.iter().filter(counts).map(named).collect()
}

/// Whether a text is such a listing.
pub(crate) fn is_listing(text: &str) -> bool {
    !read(text).lines.is_empty()
}

/// A line is a row of one of them: its own words say nothing, what is known of the listing does.
pub(crate) fn is_row(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(name, rest)| {
        rest.contains('=')
            && (OTHERS.contains(&name)
                || RESULTS.iter().any(|line| line.tool == name)
                || FORMS.iter().any(|form| form.name == name))
    })
}

/// The columns of a row with their values.
pub(crate) fn cells(row: &str) -> impl Iterator<Item = (&str, &str)> {
    let cells = row.split_once(": ").filter(|_| is_row(row)).map_or("", |(_, cells)| cells);
    cells.split("; ").filter_map(|cell| cell.split_once('='))
}

/// Those whose form is their own.
const OTHERS: [&str; 8] =
    ["netperf", "slow query", "multipath.conf", "mtu", "recovery area", "ADDM", "cell", "log switches"];

/// What is listed in a text.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    pub(crate) lines: Vec<String>,
    /// Where it stands, as numbers of the text's lines.
    pub(crate) at: BTreeSet<usize>,
}

/// All listings of a text.
pub(crate) fn read(text: &str) -> Listed {
    let mut listed = Listed::default();
    if text.len() > LARGEST_BYTES {
        return listed;
    }
    let lines: Vec<String> = text.lines().map(page::plain).collect();
    let records = FORMS.iter().filter(|form| form.is_record);
    let has_records = records.filter_map(|form| form.columns.last()).any(|last| text.contains(last.name));
    // A block ends at the next empty line. Only from its first line can all of it be one record.
    let (mut from, mut to) = (0, 0);
    while from < lines.len() {
        if lines[from].trim().is_empty() {
            from += 1;
            continue;
        }
        let begins = from >= to;
        if begins {
            let after = lines[from + 1..].iter().position(|line| line.trim().is_empty());
            to = after.map_or(lines.len(), |after| from + 1 + after);
        }
        let upright = || begins.then(|| record(&lines[from..to], false)).flatten();
        let found = table(&lines[..to], from).or_else(upright);
        // A record of names and values may have empty lines in it.
        let end = if found.is_some() { to } else { lines.len().min(from + MOST_ROWS) };
        match found.or_else(|| (begins && has_records).then(|| record(&lines[from..end], true)).flatten()) {
            Some(rows) => {
                listed.lines.extend(rows.into_iter().take(MOST_ROWS));
                listed.at.extend(from..end);
                from = end;
            }
            None => from += 1,
        }
    }
    for (at, line) in lines.iter().enumerate() {
        if let Some(row) = result(line).or_else(|| netperf(&lines, at)).or_else(|| sleeper(line)) {
            listed.lines.push(row);
            listed.at.insert(at);
        }
    }
    listed.lines.truncate(MOST_ROWS);
    listed
}

/// What headings of listings begin with: of all lines few have one of them.
static HANDLES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let first = FORMS.iter().filter(|form| !form.is_record).filter_map(|form| form.columns.first());
    first
        .flat_map(|column| column.name.split(' ').map(sheet::reduce).chain([column.reduced.clone()]))
        .collect()
});

/// The rows below a heading that is known.
fn table(lines: &[String], heading: usize) -> Option<Vec<String>> {
    let line = &lines[heading];
    if !line.contains(char::is_alphabetic) {
        return None;
    }
    let names: Vec<String> = sheet::heading_names(line);
    let is_ruled = lines.get(heading + 1).is_some_and(|line| sheet::is_rule(line));
    let may_be = is_ruled || line.contains('%') || names.iter().any(|name| HANDLES.contains(name));
    // A statement names columns, too.
    if !may_be || line.to_lowercase().contains("select ") {
        return None;
    }
    let joined: String = names.concat();
    let has = |column: &Column| {
        names.contains(&column.reduced)
            || column.name.contains(['%', ' ']) && joined.contains(&column.reduced)
            // `SQL*Plus` cuts a name to the width of its column, which its ruler shows.
            || is_ruled && names.iter().any(|name| sheet::is_cut_from(name, &column.reduced))
    };
    let mut known = FORMS.iter().filter(|form| !form.is_record && form.columns.iter().all(has)).peekable();
    known.peek()?;
    let sheet = sheet::all_rows(lines, heading);
    let (form, rows) = known.find_map(|form| Some((form, told(form, &sheet)?)))?;
    // Each row asks for all.
    let rows = if form.name == HISTOGRAM && rows.len() <= MOST_LOOKED_AT {
        of_histogram(&rows, &lines[..heading])
    } else {
        rows
    };
    (!rows.is_empty()).then_some(rows)
}

fn told(form: &Form, sheet: &Sheet) -> Option<Vec<String>> {
    if form.is_pairs() {
        let name = sheet.column_or_cut(&form.columns[0].reduced)?;
        let value = sheet.column_or_cut("value")?;
        let rows = sheet.rows.iter().map(|row| (row.cell(name).to_lowercase(), row.cell(value)));
        let rows: Vec<(String, &str)> = rows.collect();
        let own = |(name, _): &(String, &str)| form.names.contains(&name.as_str());
        let is_own = form.names.is_empty() || rows.iter().take(MOST_LOOKED_AT).any(own);
        return is_own.then(|| line(form, rows.into_iter(), sheet)).flatten().map(|row| vec![row]);
    }
    let full = |name: &str| {
        let bare = name.trim().to_lowercase();
        let whole = form.columns.iter().any(|column| column.name == bare);
        let cut = |column: &&Column| !whole && sheet::is_cut_from(&sheet::reduce(&bare), &column.reduced);
        form.columns.iter().find(cut).map(|column| column.name.to_owned()).unwrap_or(bare)
    };
    let names: Vec<String> = sheet.columns().iter().map(|name| full(name)).collect();
    let of = |row: &sheet::Row| {
        let cells = names.iter().enumerate().map(|(column, name)| (name.clone(), row.cell(column)));
        line(form, cells, sheet)
    };
    Some(sheet.rows.iter().filter_map(of).collect())
}

/// A row by the names of its cells; `None`: a column of which a part counts has no figure.
fn line<'a>(form: &Form, cells: impl Iterator<Item = (String, &'a str)>, sheet: &Sheet) -> Option<String> {
    let mut line = format!("{}:", form.name);
    for (name, cell) in cells.filter(|(name, cell)| !name.is_empty() && !cell.is_empty()) {
        let is_number = cell.ends_with(|c: char| c.is_ascii_digit()) && !cell.contains(['-', ':', ' ']);
        let number = sheet.number(cell).filter(|_| is_number);
        let number = number.or_else(|| form.has_units.then(|| page::quantity(cell)).flatten());
        let column = form.columns.iter().find(|column| column.own != column.name && column.name == name);
        let name = column.map_or(&*name, |column| column.own);
        let _ = match number {
            Some(number) => {
                write!(line, " {name}={};", part(number, column.and_then(|column| column.factor)))
            }
            None if column.is_some_and(|column| column.factor.is_some()) => return None,
            None => write!(line, " {name}={};", cell.replace(';', ",")),
        };
    }
    Some(line.trim_end_matches(';').to_owned())
}

/// Names and values, one of each in a line: `psql`'s expanded form (`name | value`) of a table, `name: value` or `name value` of a
/// record.
fn record(lines: &[String], is_record: bool) -> Option<Vec<String>> {
    let pair = |line: &String| {
        let line = line.trim();
        let bar = line.split_once('|').filter(|(name, _)| !name.trim().contains(' '));
        let (name, value) = bar.or_else(|| line.split_once([':', '='])).or_else(|| {
            let (name, value) = line.rsplit_once(' ')?;
            Some((name.rsplit(' ').next()?, value))
        })?;
        let name = name.trim().to_lowercase();
        (!name.is_empty()).then(|| (name, value.trim().to_owned(), bar.is_some()))
    };
    let pairs: Vec<(String, String, bool)> =
        lines.iter().take(MOST_ROWS).filter_map(pair).filter(|(.., bar)| is_record || *bar).collect();
    let has = |column: &Column| pairs.iter().any(|(name, ..)| *name == column.name);
    let forms = || FORMS.iter().filter(|form| form.is_record == is_record && !form.is_pairs());
    let known = forms().find(|form| form.columns.iter().all(has))?;
    let cells = pairs.iter().map(|(name, value, _)| (name.clone(), value.as_str()));
    line(known, cells, &Sheet::default()).map(|row| vec![row])
}

/// A process in state D and the function of the kernel that it waits in, as `ps -eo pid,stat,wchan,comm` lists it, whether or not
/// grep left its heading: `4120 Ds rpc_wait_bit_killable ora_dbw0_db7`.
fn sleeper(line: &str) -> Option<String> {
    let words: Vec<&str> =
        line.split_whitespace().take(if line.contains(" D") { usize::MAX } else { 0 }).collect();
    let is_state = |word: &&str| word.starts_with('D') && word[1..].chars().all(|c| "sl<N+L".contains(c));
    let is_function = |word: &str| {
        word.contains('_') && word.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_')
    };
    let state = words.iter().position(is_state).filter(|at| *at > 0)?;
    let pid = words[..state].iter().find(|word| word.parse::<u32>().is_ok())?;
    let (wchan, command) = (words.get(state + 1)?, words.get(state + 2..)?.first()?);
    is_function(wchan).then(|| format!("ps: pid={pid}; state=D; wchan={wchan}; command={command}"))
}

/// The figure of netperf stands last in the first row of numbers below its units.
fn netperf(lines: &[String], at: usize) -> Option<String> {
    const HEADING: usize = 3;
    let is_number = lines[at].trim_start().starts_with(|c: char| c.is_ascii_digit());
    let words: Vec<&str> =
        lines[at].split_whitespace().take(if is_number { usize::MAX } else { 0 }).collect();
    let is_row = words.len() >= 5 && words.iter().all(|word| word.parse::<f64>().is_ok());
    let units = lines[at.saturating_sub(HEADING)..at].iter().rev().find(|line| line.contains("secs."))?;
    let name = if units.contains("bits/sec") {
        "throughput_mbit"
    } else if units.contains("per sec") {
        "transactions_per_s"
    } else {
        return None;
    };
    is_row.then(|| format!("netperf: {name}={}", words.last().unwrap_or(&"0")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        read(text).lines
    }

    #[test]
    fn a_row_has_its_columns_by_name_however_it_is_printed() {
        let ruled = "NAME                            READ_ERRS WRITE_ERRS\n------------------------------ ---------- ----------\n\
                     DATA_0000                               0          0\nDATA_0003                              17          4\n";
        let csv = "\"NAME\",\"READ_ERRS\",\"WRITE_ERRS\"\n\"DATA_0000\",0,0\n\"DATA_0003\",17,4\n";
        for text in [ruled, csv] {
            assert_eq!(lines(text)[1], "v$asm_disk: name=DATA_0003; read_errs=17; write_errs=4", "{text}");
        }
        let standby = "PROCESS   STATUS        SEQUENCE#\n--------- ------------ ----------\nARCH      CLOSING           8412\nMRP0      WAIT_FOR_GAP      8399\n";
        assert_eq!(lines(standby)[1], "v$managed_standby: process=MRP0; status=WAIT_FOR_GAP; sequence#=8399");
        let psql = "-[ RECORD 1 ]---------+------\ncheckpoints_timed     | 12\ncheckpoints_req       | 340\nbuffers_backend_fsync | 7\n";
        assert_eq!(
            lines(psql),
            ["pg_stat_bgwriter: checkpoints_timed=12; checkpoints_req=340; buffers_backend_fsync=7"]
        );
    }

    #[test]
    fn names_and_values_are_one_record() {
        let sysstat = "NAME                                     VALUE\n----------------------------------- ----------\n\
                       redo size                           3418477080\nredo writes                             426201\n";
        assert_eq!(lines(sysstat), ["v$sysstat: redo size=3418477080; redo writes=426201"]);
        let shown = "NAME                                 TYPE        VALUE\n------------------------------------ ----------- ------------------------------\n\
                     filesystemio_options                 string      none\n";
        assert_eq!(lines(shown), ["v$parameter: filesystemio_options=none"]);
    }

    #[test]
    fn tools_with_a_form_of_their_own() {
        let getif = "eth0  10.1.0.0  global  public\neth1  192.168.10.0  global  cluster_interconnect\n";
        assert_eq!(lines(getif)[1], "oifcfg: interface=eth1; network=192.168.10.0; use=cluster_interconnect");
        let stream = "Recv   Send    Send\nSocket Socket  Message  Elapsed\nSize   Size    Size     Time     Throughput\n\
                      bytes  bytes   bytes    secs.    10^6bits/sec\n\n 87380  16384  16384    10.02     941.38\n";
        assert_eq!(lines(stream), ["netperf: throughput_mbit=941.38"]);
        let wall = "the switch cluster_interconnect is global\nselect name, read_errs, write_errs from v$asm_disk;\n";
        assert_eq!(lines(wall), Vec::<String>::new());
    }

    #[test]
    fn a_line_is_a_row_of_figures() {
        for (line, told) in [
            (
                "I2D  0.000000198  0.021310922  0.201221002  20319",
                "btt in the queue: min=0.000000198; ms=21.311; max=0.201221002; count=20319",
            ),
            (
                "ora_lgwr_db7:812 |  812.204 ms |  7122 | avg:   12.412 ms | max: 412.2 ms",
                "perf sched: process=ora_lgwr_db7:812; total_ms=812.204; count=7122; delay_ms=12.412",
            ),
            (
                "total:  121634816 |  14848 |  3.87 |  494.86 |  64.621 |  88.212",
                "diskspd: bytes=121634816; ios=14848; mib=3.87; io_per_s=494.86; average_ms=64.621",
            ),
            (
                "3f1c22ab1122  postgres  99.87%  3.998GiB / 4GiB  99.95%  1.2GB / 3.4GB",
                "docker stats: id=3f1c22ab1122; container=postgres; cpu=99.87; used=3.998GiB; limit=4GiB; mem=99.95",
            ),
            (
                "read:   812  4  0  816  7  812.4  38",
                "smartctl: fast=812; slow=4; again=0; corrected=816; tries=7; gbyte=812.4; uncorrected=38",
            ),
            (
                "LISTEN  129  128  0.0.0.0:1521  0.0.0.0:*",
                "listening: queued=129; most=128; address=0.0.0.0:1521",
            ),
            (
                "94.11  84212.44 us  9121.00 us  912331.00 us  13412  FSYNC",
                "gluster: share=94.11; ms=84.212; min=9121; max=912331; calls=13412; fop=FSYNC",
            ),
            ("sockperf: Summary: Latency is 23.512 usec", "sockperf: us=23.512"),
            ("    0 runts  0 giants  812 CRC  0 no buffer", "port: runts=0; giants=0; crc=812"),
            ("    7 input errors, 812 CRC, 0 frame, 0 overrun", "port: errors=7; crc=812"),
            (" latency  =  23.1 us", "qperf: us=23.1"),
            (
                " 1112.5000 MB /  10.00 sec =  933.2 Mbps 4 %TX 12 %RX 4124 retrans 0.31 msRTT",
                "nuttcp: mb=1112.5; s=10; mbit=933.2; tx=4; rx=12; retrans=4124",
            ),
            (
                "Vuser 1:TEST RESULT : System achieved 41231 NOPM from 95112 Oracle TPM",
                "HammerDB: nopm=41231; tpm=95112",
            ),
            (
                "10:00:02.060     avg_2-2   80124.00   312.98    4096  70.00    0.399    0.418    0.358  12.91",
                "vdbench: iops=80124; mb=312.98; bytes=4096; read=70; ms=0.399; read_ms=0.418; write_ms=0.358",
            ),
            (
                "3/12/2023 10:12:21 PM :: Busy: Source 12% > Proxy 8% > Network 31% > Target 92%",
                "veeam: source=12; proxy=8; network=31; target=92",
            ),
            ("1min 30.114s dev-sdq1.device", "systemd-analyze blame: min=1; s=30.114; unit=dev-sdq1.device"),
        ] {
            assert_eq!(result(line).as_deref(), Some(told));
        }
        for other in
            ["took 12.5s in all", "latency is 23 us", "the average of TPS : 7 x 8 *", "latency = high us", ""]
        {
            assert_eq!(result(other), None, "{other}");
        }
    }

    #[test]
    fn a_record_and_cells_with_units() {
        let virsh = "vdq rd_req 7\nvdq wr_req 812\nvdq flush_operations 4\nvdq wr_total_times 81200\nvdq flush_total_times 400\n";
        assert!(lines(virsh)[0].starts_with("virsh domblkstat: rd_req=7; wr_req=812; flush_operations=4;"));
        let coalescing =
            "Coalesce parameters for eth7:\nAdaptive RX: off  TX: off\n\nrx-usecs: 812\ntx-usecs: 7\n";
        assert!(
            lines(coalescing)[0].ends_with("adaptive rx=off  TX: off; rx-usecs=812; tx-usecs=7"),
            "{:?}",
            lines(coalescing)
        );
        let qos = "Workload   ID    Latency    Network    QoS Max       Disk\n---------- ------ ---------- ---------- ---------- ----------\n\
                   vol7-wid9  812    18.31ms   112.00us    17.94ms    41.00us\n";
        assert_eq!(
            lines(qos),
            [
                "netapp qos: workload=vol7-wid9; id=812; latency=18.31; network=0.112; qos max=17.94; disk=0.041"
            ]
        );
        let calls = "   syscall            calls  errors  total       min       avg       max       stddev\n   \
                     (msec)    (msec)    (msec)    (msec)        (%)\n   --------------- --------  ------ -------- --------- --------- ---------     ------\n   \
                     fdatasync            100      0  9120.000     4.120    91.200   412.881      2.12%\n";
        assert!(
            lines(calls)[0].starts_with("strace: syscall=fdatasync; calls=100; errors=0; seconds=9.12;"),
            "{:?}",
            lines(calls)
        );
    }

    /// No block begins with one, and none is read for its sake.
    #[test]
    fn empty_lines_are_passed_over() {
        let empty = "\n".repeat(LARGEST_BYTES / 2);
        let row = read("Attribute: value\n\nname value\n").lines;
        assert_eq!(read(&format!("{empty}Attribute: value\n\nname value\n")).lines, row);
    }
}
