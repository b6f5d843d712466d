//! What decides in an output, of whatever tool: the column or the field by which a thing is well or not. A table's row and a
//! record are the same here, a thing with fields: its state, how full it is, how late, a figure beside the bounds that the output
//! has itself, how many of its parts are there, and what is counted and should not be. No tool is known by its name.

mod column;
mod counted;
mod figure;
mod state;

use crate::clock::Calendar;
use crate::page;
use crate::sheet::{self, is_rule};
use crate::stamp::is_log;
use column::{Decided, Field};
use jiff::civil::DateTime;
use state::{FieldState, Heading, plain, words};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Names of the rows that are told.
pub(crate) const ROWS: [&str; 13] = [
    "state", "listed", "alarm", "filled", "busy", "limit", "beyond", "near", "late", "open", "since",
    "lacks", "counted",
];
/// Rows of one text.
const MOST: usize = 20;
/// Of a longer text so much is judged, and the answer says so.
pub(crate) const LARGEST_BYTES: usize = 16 << 20;
/// Fields of one record.
const MOST_FIELDS: usize = 400;
/// What is always full: images that are only read, and what the kernel only shows as files.
const IMAGES: [&str; 13] = [
    " /snap/", " /media/", " /cdrom", "squashfs", "iso9660", "/dev/sr", "devfs ", "fdescfs ", "procfs ",
    "map ", "objfs ", "ctfs ", "sharefs ",
];
/// Columns that are named where nothing is bad.
const MOST_NAMED: usize = 4;

/// What decides in a text.
#[derive(Debug, Default)]
pub(crate) struct Judgement {
    /// What is bad, a row each: `state: thing=Id 41; is=failed`, `filled: thing=aggr1; is=98%; ...`.
    pub(crate) bad: Vec<String>,
    /// Columns and fields that were judged, in their order.
    by: Vec<String>,
    /// Rows and fields with one of them.
    things: usize,
    /// The largest share, and of which thing.
    highest: Option<(f64, String)>,
    /// States of which it is not known whether they are bad.
    open: Vec<String>,
    /// Rows of tables that were judged.
    rows: BTreeSet<String>,
    /// The text is longer than what was judged of it.
    is_cut: bool,
}

impl Judgement {
    /// Something was judged, or would have been if its state were known.
    pub(crate) fn is_known(&self) -> bool {
        self.things > 0 || !self.open.is_empty()
    }

    /// The line is a row that was judged, and of its state it is known that it is not bad.
    pub(crate) fn has(&self, line: &str) -> bool {
        self.rows.contains(line.trim())
    }

    /// What was judged, where nothing is bad: `judged: things=8; by=State, PCT_USED; highest=81% (USERS)`.
    pub(crate) fn told(&self) -> Option<String> {
        let by = self.by.join(", ");
        let highest = self.highest.as_ref().map(|(share, thing)| format!("; highest={share:.0}% ({thing})"));
        let open = (!self.open.is_empty()).then(|| format!("; open={}", self.open.join(" or ")));
        (self.bad.is_empty() && self.is_known() && !by.is_empty()).then(|| {
            let cut = self.is_cut.then(|| format!("; first={} MiB", LARGEST_BYTES >> 20));
            let parts = [highest, open, cut].into_iter().flatten().collect::<String>();
            format!("judged: things={}; by={by}{parts}", self.things)
        })
    }

    fn takes(&mut self, by: &str, bad: Option<String>) {
        if !by.is_empty() && !self.by.iter().any(|own| own == by) && self.by.len() < MOST_NAMED {
            self.by.push(clean(by));
        }
        self.bad.extend(bad);
    }

    /// A state that nobody here knows.
    fn leaves(&mut self, open: Option<String>) {
        let own = open.map(|open| clean(&open)).filter(|open| !self.open.contains(open));
        self.open.extend(own.filter(|_| self.open.len() < MOST_NAMED));
    }

    /// Whether one of these is bad.
    fn decided(&mut self, thing: &str, all: Vec<Decided>) -> bool {
        let before = self.bad.len();
        for one in all {
            if let Some(share) =
                one.share.filter(|share| self.highest.as_ref().is_none_or(|(most, _)| share > most))
            {
                self.highest = Some((share, clean(thing)));
            }
            self.takes(&one.by, one.bad);
        }
        self.bad.len() > before
    }
}

/// Judges a text. What it is, what its lines say and what was judged are asked one after the other: the last answer is kept.
pub(crate) fn judge(text: &str) -> Rc<Judgement> {
    thread_local! {
        static LAST: RefCell<(String, Rc<Judgement>)> = RefCell::default();
    }
    LAST.with_borrow_mut(|(last, judgement)| {
        if last != text {
            (*last, *judgement) = (text.to_owned(), Rc::new(judgement_of(text)));
        }
        Rc::clone(judgement)
    })
}

/// Of a log tables alone: its lines speak for themselves.
fn judgement_of(text: &str) -> Judgement {
    let mut all = Judgement { is_cut: text.len() > LARGEST_BYTES, ..Judgement::default() };
    let head = page::prefix(text, LARGEST_BYTES);
    let text = head.rfind('\n').filter(|_| all.is_cut).map_or(head, |end| &head[..end]);
    let is_log = is_log(text);
    let lines: Vec<String> = text.lines().map(page::plain).collect();
    let headings = headings(&lines);
    let mut reader = Reader {
        lines: &lines,
        all: &mut all,
        has_bounds: has_bounds(text),
        record: Vec::new(),
        named: String::new(),
        states: Vec::new(),
        depth: usize::MAX,
        counts: Vec::new(),
        stamps: Stamps::default(),
    };
    let mut at = 0;
    while at < lines.len() {
        let Some(heading) = headings.get(&at) else {
            if !is_log {
                reader.line(&lines[at]);
            }
            at += 1;
            continue;
        };
        let is_end = |at: &usize| lines[*at].trim().is_empty() || headings.contains_key(at);
        // Below a heading one line may be empty.
        let is_below = |at: &usize| !lines[*at].trim().is_empty() && !is_rule(&lines[*at]);
        let first = (at + 1..lines.len().min(at + 4)).find(is_below).unwrap_or(at + 1);
        let end = (first..lines.len()).find(is_end).unwrap_or(lines.len());

        reader.record_ends();
        reader.table(heading, at, end);
        at = end;
    }
    reader.record_ends();
    let (mut counts, stamps) = (std::mem::take(&mut reader.counts), std::mem::take(&mut reader.stamps));
    all.bad.extend(oldest(&stamps));
    if !is_log {
        counts.extend(counted::of_lines(text));
    }
    counted::judge(&counts, &mut all);
    all.bad.dedup();
    all.bad.truncate(MOST);
    all
}

/// The headings of a text. A row may have their words: below dashes, or with as many words as the heading above, until a line is
/// empty.
fn headings(lines: &[String]) -> BTreeMap<usize, Heading> {
    let mut found = BTreeMap::new();
    let mut is_below_dashes = false;
    let mut above: Option<&String> = None;
    for (at, line) in lines.iter().enumerate() {
        let rule = lines.get(at + 1).map(|below| below.trim()).filter(|below| is_rule(below));
        let is_ruled = rule.is_some_and(|below| below.contains("- -"));
        if line.trim().is_empty() || rule.is_some() {
            (is_below_dashes, above) = (false, None);
        }
        let is_like = |heading: &&String| *heading != line && words(heading).count() == words(line).count();
        let is_row = is_below_dashes || above.as_ref().is_some_and(is_like);
        let heading = if is_row { None } else { Heading::of(line, is_ruled) };
        is_below_dashes |= is_ruled || rule.is_some_and(|below| heading.is_some() || below.contains("-+-"));
        if let Some(heading) = heading {
            above = Some(line);
            found.insert(at, heading);
        }
    }
    found
}

/// A client of SQL prints it: what a table of it is of the statement decides, and it may be orders as well as disks.
fn is_answer(heading: &str, rule: &str) -> bool {
    let of_sqlplus = || rule.contains("- -") && heading == heading.to_uppercase();
    is_rule(rule) && (rule.contains("-+-") || of_sqlplus())
}

/// Rows of a figure and four bounds have them named above.
fn has_bounds(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["high", "low", "alarm", "warn"].iter().all(|word| lower.contains(word))
}

/// When a transaction began, and every other time of the text: the newest proves how old the oldest is at least.
#[derive(Debug, Default)]
struct Stamps {
    began: Option<(DateTime, String, String)>,
    newest: Option<DateTime>,
    /// A transaction that was promised, and since when.
    prepared: Option<(String, String)>,
}

fn oldest(stamps: &Stamps) -> Option<String> {
    const OPEN_S: i64 = 3600;
    let proven = || {
        let (began, thing, column) = stamps.began.as_ref()?;
        let passed = stamps.newest?.duration_since(*began);
        let hours = passed.as_hours();
        (passed.as_secs() >= OPEN_S)
            .then(|| format!("open: thing={thing}; is={hours} h at least; bound=1 h; column={column}"))
    };
    let since = |(thing, since): &(String, String)| format!("since: thing={thing}; is={since}");
    proven().or_else(|| stamps.prepared.as_ref().map(since))
}

struct Reader<'a> {
    lines: &'a [String],
    all: &'a mut Judgement,
    has_bounds: bool,
    /// The record that is read, and the name that stood before it.
    record: Vec<Field>,
    named: String,
    /// States of the record that are bad, by the names of their fields.
    states: Vec<(String, &'static str)>,
    /// Blanks before the line above.
    depth: usize,
    counts: Vec<counted::Count>,
    stamps: Stamps,
}

impl Reader<'_> {
    /// The rows between a heading and the end of its block.
    fn table(&mut self, heading: &Heading, at: usize, end: usize) {
        let sheet = sheet::all_rows(&self.lines[..end], at);
        let names = sheet.columns();
        let columns: Vec<Field> = names.iter().map(|name| Field::new(name, "")).collect();
        let mut rows: BTreeMap<usize, Vec<Field>> = BTreeMap::new();
        for row in &sheet.rows {
            let cells = columns.iter().enumerate().map(|(place, column)| (column, row.cell(place)));
            let cells = cells.filter(|(column, cell)| !column.name().is_empty() && !cell.is_empty());
            rows.insert(row.line - 1, cells.map(|(column, cell)| column.with(cell)).collect());
        }
        let is_answer = self.lines.get(at + 1).is_some_and(|rule| is_answer(&self.lines[at], rule));
        let mut place = state::Place::default();
        let mut states: Vec<(String, bool, Option<String>)> = Vec::new();

        for number in at + 1..end {
            let line = &self.lines[number];
            if is_rule(line) || words(line).next().is_none() {
                continue;
            }
            let goes_on = place.takes(heading, line);
            let row = plain(line);
            if IMAGES.iter().any(|image| row.contains(image)) {
                continue;
            }
            let few = words(&row).count() <= 2;
            let fields = rows.remove(&number).unwrap_or_default();
            if let Some(name) = state::name_beside(&fields).filter(|_| !goes_on) {
                place.thing = name;
            }
            let own = heading.own_cells(&fields, line);
            let is_online = words(own.as_deref().unwrap_or(&row)).any(|word| word == "online");
            let state =
                heading.bad(&place, &row, own.as_deref(), &fields, !goes_on).filter(|_| goes_on || !few);
            let own = state.or_else(|| state::of_cells(&place.thing, &fields));
            let has_state = heading.has_state && !few;
            let has_wish = heading.has_wish && !few;
            let unknown = state::unknown(heading, &fields, &row).filter(|_| has_state && own.is_none());
            let is_open = unknown.is_some();
            if (has_wish || has_state) && !is_open {
                self.all.rows.insert(line.trim().to_owned());
            }
            if has_wish || has_state {
                self.all.takes(&heading.state, None);
            }
            self.all.leaves(unknown);
            let of_system = !is_answer || names.iter().chain([line]).any(|part| state::is_of_system(part));
            let own = own.map(|own| if of_system { own } else { own.replacen("state", "listed", 1) });
            states.push((place.thing.clone(), is_online, own));
            let decided = self.thing(&place.thing, &fields, line);
            self.all.things += usize::from(has_state && !is_open || has_wish || decided);
        }
        // What one node has online is offline on the others.
        let online: BTreeSet<&str> =
            states.iter().filter(|(_, is_online, _)| *is_online).map(|(thing, ..)| &**thing).collect();
        let is_bad = |(thing, _, bad): &(String, bool, Option<String>)| {
            bad.clone().filter(|bad| !(bad.ends_with("is=offline") && online.contains(&**thing)))
        };
        self.all.bad.extend(states.iter().filter_map(is_bad));
    }

    /// What the figures of a thing decide; whether there were any.
    fn thing(&mut self, thing: &str, fields: &[Field], line: &str) -> bool {
        let mut decided = column::shares(thing, fields);
        decided.extend(column::beyond(thing, fields));
        let optics = decided.is_empty() && self.has_bounds && !line.is_empty();
        decided.extend(
            optics.then(|| column::of_four(&clean(label(line)), &line[label(line).len()..])).flatten(),
        );
        if decided.is_empty() {
            decided.extend(fields.iter().filter_map(|field| column::dark(thing, field)));
        }
        decided.extend(fields.iter().filter_map(|field| column::late(thing, field, fields)));
        decided.extend(column::lacking(thing, fields));
        // Of a record its lines are counted.
        if !line.is_empty() {
            self.counts.extend(counted::of_fields(thing, fields));
        }
        self.stamp(thing, fields);
        let any = !decided.is_empty();
        self.all.decided(thing, decided);
        any
    }

    fn stamp(&mut self, thing: &str, fields: &[Field]) {
        if !fields.iter().any(|field| field.begins(fields)) {
            return;
        }
        for field in fields {
            let Some(time) = Calendar::default().date_time(&field.value) else { continue };
            if field.is_called(&["prepared"]) {
                self.stamps.prepared.get_or_insert_with(|| (clean(thing), field.value.clone()));
            }
            self.stamps.newest = self.stamps.newest.max(Some(time));
            if field.begins(fields) && self.stamps.began.as_ref().is_none_or(|(began, ..)| time < *began) {
                self.stamps.began = Some((time, clean(thing), field.name().to_owned()));
            }
        }
    }

    /// A line outside of tables.
    fn line(&mut self, line: &str) {
        let bare = line.trim();
        if state::says_none(bare) {
            self.all.things += 1;
            self.all.takes(bare, None);
        } else if let Some(all) =
            state::some(figure::pairs(line).iter().filter_map(|field| state::number_of(field)).collect())
        {
            self.all.bad.extend(all);
            self.all.things += 1;
        } else if let Some((thing, state)) = column::sensor(bare) {
            self.record_ends();
            thing.clone_into(&mut self.named);
            self.field("state", state, line);
            self.record_ends();
        } else if let Some((name, value)) = state::field(line) {
            self.field(name, value, line);
        } else if self.has_bounds {
            self.thing("", &[], line);
        } else if bare.split_whitespace().count() == 1 && bare.len() > 2 && depth(line) <= self.depth {
            self.record_ends();
            bare.clone_into(&mut self.named);
        }
        if !bare.is_empty() {
            self.depth = depth(line);
        }
    }

    fn field(&mut self, name: &str, value: &str, line: &str) {
        let is_next = self.record.iter().any(|field| field.name() == name.trim());
        if is_next || self.record.len() >= MOST_FIELDS {
            self.record_ends();
        }
        let own = Field::new(name, value);
        if let Some(state) = FieldState::of(&own) {
            self.all.things += usize::from(state.is_known);
            self.all.leaves((!state.is_known).then(|| format!("{name} {value}")));
            self.all.takes(name, None);
            self.states.extend(state.bad.map(|is| (name.to_owned(), is)));
        } else if self.named.is_empty() && state::is_name(&own) {
            value.clone_into(&mut self.named);
        }
        if let Some(bounds) = inline_bounds(value) {
            let decided = column::beyond(name, &bounds);
            self.all.things += usize::from(!decided.is_empty());
            self.all.decided(name, decided);
        } else if self.has_bounds && column::of_four(name, value).is_some() {
            self.thing("", &[], line);
        } else {
            self.record.push(own);
        }
    }

    /// Judges the fields of a record together.
    fn record_ends(&mut self) {
        let fields = std::mem::take(&mut self.record);
        let thing = std::mem::take(&mut self.named);
        for (name, is) in std::mem::take(&mut self.states) {
            let whose = if thing.is_empty() { &name } else { &thing };
            self.all.bad.push(format!("state: thing={}; is={is}", clean(whose)));
        }

        let thing = if thing.is_empty() { "it".to_owned() } else { thing };
        if !fields.is_empty() && self.thing(&clean(&thing), &fields, "") {
            self.all.things += 1;
        }
    }
}

/// Bounds in brackets behind a figure, as lm-sensors prints them: `+98.0 C  (high = +80.0 C, crit = +100.0 C)`.
fn inline_bounds(value: &str) -> Option<Vec<Field>> {
    let (reading, rest) = value.split_once('(')?;
    let pairs = rest.split(')').next()?.split(',').map(|pair| pair.split_once('='));
    let bounds: Option<Vec<Field>> =
        pairs.map(|pair| pair.map(|(name, value)| Field::new(name, value))).collect();
    Some(std::iter::once(Field::new("reading", reading)).chain(bounds?).collect())
}

/// The words before the first figure of a row.
fn label(line: &str) -> &str {
    let start = line.len() - line.trim_start().len();
    let end = line[start..].split_inclusive(' ').scan(start, |at, word| {
        let from = *at;
        *at += word.len();
        Some((from, word))
    });
    let first = end.into_iter().find(|(_, word)| {
        word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+'))
            && word.contains(|c: char| c.is_ascii_digit())
    });
    first.map_or(line, |(at, _)| &line[..at])
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn clean(name: &str) -> String {
    name.trim().replace(';', ",")
}

#[cfg(test)]
mod tests;
