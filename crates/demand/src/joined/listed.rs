//! The one reader of listings: tables that are known by the names of their columns, records of names and values, and lines of
//! figures between words, whatever the query or the tool. Each row becomes a line `v$asm_disk: name=DATA_0003; read_errs=17`; what
//! it means is known by its words, as of any other line.

use super::forms::{HEADINGS, LINES};
use crate::judged::{LARGEST_BYTES, ROWS};
use crate::page;
use crate::sheet::{self, Sheet};
use fullwire_model::host::words::Words;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::LazyLock;

/// A listing of more rows is cut.
const MOST_ROWS: usize = 400;
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
    Figures,
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
            } else if word == "{..}" {
                Part::Figures
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
    let figure = |word: &str| word.parse::<f64>().ok().or_else(|| in_thousands(word));
    if matches!(first, Part::Figures) {
        return words.iter().all(|word| figure(word).is_some());
    }
    let Some((word, words)) = words.split_first() else { return false };
    let is_it = match first {
        Part::Any | Part::Figures => true,
        Part::Word(own) => word == own,
        Part::Start(own) => word.starts_with(own),
        Part::Figure(name, factor, unit) => {
            let bare =
                word.strip_suffix(unit).map(|word| word.trim_end_matches([',', ';', '%']).replace(',', ""));
            let value = bare.and_then(|word| figure(&word));
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

/// `912.2k`, `4.1m`, as Fabric OS shortens counts.
fn in_thousands(word: &str) -> Option<f64> {
    let digits = word.trim_end_matches(char::is_alphabetic);
    Some((digits.parse::<f64>().ok()? * page::power(&word[digits.len()..], 1e3)?).round())
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
                || ROWS.contains(&name)
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
const OTHERS: [&str; 10] = [
    "by hour", "netperf", "slow query", "multipath.conf", "mtu", "recovery area", "ADDM", "cell",
    "log switches", "kafka",
];

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
    let lines: Vec<String> = page::prefix(text, LARGEST_BYTES).lines().map(page::plain).collect();
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
        // Of each of its forms.
        let columns = || FORMS.iter().filter(|one| one.name == form.name).flat_map(|one| &one.columns);
        let whole = columns().any(|column| column.name == bare);
        let cut = |column: &&Column| !whole && sheet::is_cut_from(&sheet::reduce(&bare), &column.reduced);
        columns().find(cut).map(|column| column.name.to_owned()).unwrap_or(bare)
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
mod tests;
