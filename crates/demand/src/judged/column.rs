//! What decides whether a thing is well, by the names of its columns or fields: a share, a part of a whole, a figure beside its
//! bounds, a time that has passed, or how many of its parts are there. Each figure is told with its bound, and where that is from.

use super::figure::{Figure, figure, figures, seconds, size, words_of};
use crate::page::{each, nanoseconds};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::LazyLock;

/// Words of names that mean the same here ([`WORDS`]), by their bit.
#[derive(Debug, Clone, Copy)]
struct List(u32);

const SHARE: List = List(0);
const USED: List = List(1);
const FREE: List = List(2);
const BUSY_WORDS: List = List(3);
const KEPT_FULL: List = List(4);
const WHOLE: List = List(5);
const PART: List = List(6);
const LIMIT: List = List(7);
const BOUND: List = List(8);
const LOW: List = List(9);
const HIGH: List = List(10);
const WARNS: List = List(11);
const READING: List = List(12);
const LAG: List = List(13);
const AGE: List = List(14);
const OF_TRANSACTION: List = List(15);
const THERE: List = List(16);
const ALL: List = List(17);
const RESERVE: List = List(18);
const COUNTED_IN: List = List(19);
const SIZE: List = List(20);
const MAX: List = List(21);
const BEGINS: List = List(22);
const SIZED: List = List(23);
const GROWS: List = List(24);
const PROMISED: List = List(25);

/// The words of each list.
#[rustfmt::skip]
const WORDS: [(List, &[&str]); 26] = [
    (SHARE, &["%"]),
    (USED, &["used¦u¦use¦usage¦full¦capacity¦allocated¦alloc¦occupied¦occupancy¦filled¦fill¦consumed¦utilized¦inuse"]),
    (FREE, &["free¦avail¦available¦remaining¦left"]),
    (BUSY_WORDS, &["util¦utilization¦utilisation¦busy"]),
    (KEPT_FULL, &["mem¦memory¦ram¦heap¦cache¦buffer¦buffers¦cpu¦sga¦pga¦hit¦miss¦wear¦life¦ratio¦reclaimable¦dedup¦buff¦hugepages¦huge¦cached"]),
    (WHOLE, &["total¦size¦capacity¦quota¦limit¦hard¦max¦maximum¦allowed¦configured"]),
    (PART, &["used¦inuse¦current¦allocated¦consumed¦usage¦active¦open¦in¦use"]),
    (LIMIT, &["quota¦limit¦hard¦allowed"]),
    (BOUND, &["high¦low¦upper¦lower¦max¦min¦maximum¦minimum¦crit¦critical¦warn¦warning¦alarm¦alarms¦threshold¦thresholds¦limit¦hi¦lo¦lnr¦lcr¦lnc¦unc¦ucr¦unr¦shutdown¦emerg"]),
    (LOW, &["low¦lower¦min¦minimum¦lo¦lnr¦lcr¦lnc"]),
    (HIGH, &["high¦upper¦max¦maximum¦hi¦unc¦ucr¦unr¦crit¦critical¦warn¦warning¦shutdown¦emerg"]),
    (WARNS, &["warn¦warning¦lnc¦unc¦max¦min"]),
    (READING, &["reading¦current¦measurement¦measured¦actual¦now¦sensor"]),
    (LAG, &["lag¦behind¦delay¦delayed¦late¦lagging"]),
    (AGE, &["age¦duration¦elapsed¦open"]),
    (OF_TRANSACTION, &["xact¦xid¦trx¦transaction¦gid¦prepared¦xmin"]),
    (THERE, &["operational¦online¦up¦ready¦healthy¦alive¦optimal¦insync¦synced"]),
    (ALL, &["total¦configured¦expected¦desired¦all"]),
    (RESERVE, &["spare¦spares¦standby¦unused¦disabled"]),
    (COUNTED_IN, &["ready¦up¦online¦operational¦healthy¦alive¦paths¦replicas¦members¦synced¦nodes"]),
    (SIZE, &["total¦size¦capacity¦configured"]),
    (MAX, &["max¦maximum"]),
    (BEGINS, &["started¦prepared¦start¦began"]),
    (SIZED, &["mb¦gb¦kb¦bytes¦byte¦size"]),
    (GROWS, &["total¦size¦capacity"]),
    (PROMISED, &["prepared¦started¦gid"]),
];

/// The lists that a word is in, a bit each.
fn lists_of(word: &str) -> u32 {
    static LISTS: LazyLock<BTreeMap<&str, u32>> = LazyLock::new(|| {
        let mut lists = BTreeMap::new();
        for (list, words) in WORDS {
            each(words).for_each(|word| *lists.entry(word).or_default() |= 1 << list.0);
        }
        lists
    });
    LISTS.get(word).copied().unwrap_or(0)
}

/// What a column or field is called.
#[derive(Debug)]
struct Name {
    printed: String,
    /// [`words_of`] it, each with the lists that it is in.
    words: Vec<(String, u32)>,
    /// The lists of all its words.
    lists: u32,
}

/// A column or field of a thing.
#[derive(Debug, Clone)]
pub(super) struct Field {
    name: Rc<Name>,
    pub(super) value: String,
}

impl Field {
    pub(super) fn new(name: &str, value: &str) -> Self {
        let words: Vec<(String, u32)> = words_of(name)
            .into_iter()
            .map(|word| {
                let lists = lists_of(&word);
                (word, lists)
            })
            .collect();
        let lists = words.iter().fold(0, |all, (_, lists)| all | lists);
        let name = Name { printed: name.trim().to_owned(), words, lists };
        Self { name: Rc::new(name), value: value.trim().to_owned() }
    }

    /// Another cell of the same column.
    pub(super) fn with(&self, value: &str) -> Self {
        Self { name: Rc::clone(&self.name), value: value.trim().to_owned() }
    }

    /// As it is printed.
    pub(super) fn name(&self) -> &str {
        &self.name.printed
    }

    fn words(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.name.words.iter().map(|(word, _)| word.as_str())
    }

    fn has(&self, list: List) -> bool {
        self.name.lists & 1 << list.0 != 0
    }

    /// What is left of its name without these words.
    fn without(&self, list: List) -> Vec<&str> {
        let words = self.name.words.iter().filter(|(_, lists)| lists & 1 << list.0 == 0);
        words.map(|(word, _)| word.as_str()).collect()
    }

    fn figure(&self) -> Option<Figure> {
        figure(&self.value)
    }

    /// Its last word.
    pub(super) fn last(&self) -> &str {
        self.words().rfind(|word| *word != "desc").unwrap_or("")
    }

    /// Its last word is one of these.
    pub(super) fn is_called(&self, last: &[&str]) -> bool {
        last.contains(&self.last())
    }

    /// It is when a transaction began.
    pub(super) fn begins(&self, fields: &[Self]) -> bool {
        self.has(BEGINS) && fields.iter().any(|field| field.has(OF_TRANSACTION))
    }

    /// It begins as a number does.
    pub(super) fn is_figure(&self) -> bool {
        self.value.starts_with(|c: char| c.is_ascii_digit())
    }

    /// The count below a name of these words, and whether the name is of what is carried as well.
    pub(super) fn count(&self) -> Option<(u64, String)> {
        let count = self.value.replace(',', "").parse().ok()?;
        Some((count, self.words().collect::<Vec<_>>().join(" ")))
    }
}

/// A column of this name may decide.
pub(super) fn may_decide(name: &str) -> bool {
    let field = Field::new(name, "");
    let is_share = field.has(SHARE) && (field.has(USED) || field.has(FREE) || field.has(BUSY_WORDS));
    is_share
        || field.has(PART)
        || field.has(LAG)
        || field.has(AGE)
        || field.has(COUNTED_IN)
        || field.has(READING)
        || field.has(BOUND)
        || field.has(PROMISED)
}

/// What a field decides.
#[derive(Debug, Clone)]
pub(super) struct Decided {
    /// The name of the column or field.
    pub(super) by: String,
    /// How it is told where it is bad: `filled: thing=x; is=98%; ...`.
    pub(super) bad: Option<String>,
    /// How much of its bound the thing has used, where that can be said, %.
    pub(super) share: Option<f64>,
}

/// So full that it is told, %: what a vendor fills on purpose is less (own choice).
const FULL: f64 = 97.0;
/// Where a tool itself calls it nearly full (Ceph documentation, `mon_osd_nearfull_ratio`), by the words of its column, %.
const NEARLY_FULL: [(&[&str], f64); 1] = [(&["%", "raw", "used"], 85.0)];
/// So busy that what comes next waits, %: at 95 % a queue before one server is nineteen long on average (M/M/1, utilisation over
/// what is left of it).
const BUSY: f64 = 95.0;
/// A standby that is later misses more than a moment (own choice), s.
const LATE_S: f64 = 60.0;
/// By default PostgreSQL recycles WAL beyond so much (`max_wal_size`), bytes.
const LATE_BYTES: f64 = 1_073_741_824.0;
/// Transactions that are open for longer keep old versions of rows, and their locks (own choice), s.
const OPEN_S: f64 = 3600.0;
/// No receiver of Ethernet or Fibre Channel works with less light: SFF-8472 ends at -40 dBm, the most sensitive receivers need
/// about -28 dBm (IEEE 802.3, optical budgets), dBm.
const DARK_DBM: f64 = -35.0;

/// The name of a thing that is full on purpose.
fn is_kept_full(thing: &str) -> bool {
    words_of(thing).iter().any(|word| lists_of(word) & 1 << KEPT_FULL.0 != 0)
}

/// How full or busy a thing is. What may grow is full where its maximum is; what is only read, or is filled anew each time
/// (Oracle Database Concepts, temporary segments), is full on purpose.
pub(super) fn shares(thing: &str, fields: &[Field]) -> Vec<Decided> {
    const ON_PURPOSE: [&str; 4] = ["read only", "read-only", "readonly", "temporary"];
    let is_on_purpose = |field: &Field| ON_PURPOSE.iter().any(|own| field.value.eq_ignore_ascii_case(own));
    if fields.iter().any(is_on_purpose) {
        return Vec::new();
    }
    let all = fields.iter().filter_map(|field| Some((field.has(MAX), share(thing, field)?)));
    let (of_maximum, of_now): (Vec<_>, Vec<_>) = all.partition(|(is_of_maximum, _)| *is_of_maximum);
    let shares = if of_maximum.is_empty() { of_now } else { of_maximum };
    let may_grow = fields.iter().any(|field| field.has(MAX) && field.has(SIZED));
    let part = if may_grow || shares.is_empty() { part(thing, fields) } else { None };
    part.map_or_else(|| shares.into_iter().map(|(_, share)| share).collect(), |part| vec![part])
}

/// `None`: it is no share of something that must not be full.
fn share(thing: &str, field: &Field) -> Option<Decided> {
    let is_share = field.has(SHARE) || field.value.ends_with('%');
    if !is_share || field.has(KEPT_FULL) || is_kept_full(thing) {
        return None;
    }
    let value = field.figure().filter(|figure| matches!(figure.unit.as_str(), "" | "%"))?.value;
    if !(0.0..=110.0).contains(&value) {
        return None;
    }
    let (is, kind, bound) = if field.has(FREE) {
        (100.0 - value, "filled", FULL)
    } else if field.has(BUSY_WORDS) && !field.has(USED) {
        (value, "busy", BUSY)
    } else if field.has(USED) || field.words().eq(["%", "max"]) {
        let own = NEARLY_FULL
            .iter()
            .find(|(words, _)| words.iter().all(|word| field.words().any(|own| own == *word)));
        (value, "filled", own.map_or(FULL, |(_, bound)| *bound))
    } else {
        return None;
    };
    let bad = (is >= bound).then(|| {
        format!("{kind}: thing={thing}; is={}%; bound={bound}%; column={}", round(is), field.name())
    });
    Some(Decided { by: field.name().to_owned(), bad, share: Some(is) })
}

/// A part beside its whole or its limit, of the same thing and in the same unit: `USED_MB` and `SIZE_MB`, `connections` and
/// `max connections`.
fn part(thing: &str, fields: &[Field]) -> Option<Decided> {
    if is_kept_full(thing) {
        return None;
    }
    let is_whole = |field: &&Field| field.has(WHOLE) && !field.has(KEPT_FULL) && !field.has(SHARE);
    // What may grow has a maximum beside its size.
    let wholes = fields.iter().filter(is_whole);
    let largest = wholes.clone().filter(|whole| whole.has(MAX));
    let mut pairs = largest
        .chain(wholes)
        .flat_map(|whole| fields.iter().filter(|part| is_part(part, whole)).map(move |part| (part, whole)));
    let (part, whole) = pairs.next()?;
    let (used, all) = (part.figure()?, whole.figure()?);
    let (is, of) = if used.unit == all.unit { (used.value, all.value) } else { (size(&used)?, size(&all)?) };
    if of <= 0.0 || is < 0.0 || is > 1.1 * of {
        return None;
    }
    let share = is / of * 100.0;
    let kind = if whole.has(GROWS) || whole.has(SIZED) { "filled" } else { "limit" };
    let bad = (share >= FULL).then(|| {
        format!(
            "{kind}: thing={thing}; is={}%; bound={FULL}%; column={} of {}; used={}; of={}",
            round(share),
            part.name(),
            whole.name(),
            part.value,
            whole.value
        )
    });
    Some(Decided { by: format!("{} of {}", part.name(), whole.name()), bad, share: Some(share) })
}

/// `used` of `size`, `connections` of `max connections`. A largest value alone may be the highest that was seen.
fn is_part(part: &Field, whole: &Field) -> bool {
    let is_size = whole.has(SIZE) && part.has(PART);
    let is_other = part.has(WHOLE) || part.has(SHARE) || part.has(FREE);
    if is_other || !(is_size || whole.has(LIMIT) || whole.has(MAX)) {
        return false;
    }
    let of = whole.without(WHOLE);
    part.without(PART) == of && (is_size || whole.has(LIMIT) || !of.is_empty())
}

/// Of what is lowered or raised on purpose no bound is one: rates, times and sizes have a range.
const PHYSICAL: &[&str] = &["c¦f¦v¦mv¦volt¦volts¦ma¦a¦amps¦w¦watts¦dbm¦mw¦uw¦rpm¦degrees¦deg¦celsius"];

fn has_physical(figures: &[Figure]) -> bool {
    figures.iter().any(|one| each(PHYSICAL).any(|own| own == one.unit))
}

/// A physical figure past a bound that the output itself has: the alarm before the warning.
pub(super) fn beyond(thing: &str, fields: &[Field]) -> Vec<Decided> {
    let of = |field: &'_ Field| -> Vec<String> {
        // Each lane of a transceiver has the bounds of all.
        let words = field.without(BOUND).into_iter().filter(|word| {
            lists_of(word) & 1 << READING.0 == 0 && !matches!(*word, "channel" | "lane" | "ch")
        });
        words.filter(|word| word.parse::<u32>().is_err()).map(str::to_owned).collect()
    };
    let bounds: Vec<(Vec<String>, &Field)> =
        fields.iter().filter(|field| field.has(BOUND)).map(|field| (of(field), field)).collect();
    if bounds.is_empty() {
        return Vec::new();
    }
    let is_physical = |field: &Field| has_physical(&figures(&field.value));
    let readings: Vec<&Field> = fields.iter().filter(|field| !field.has(BOUND)).collect();
    // Bounds that name nothing are of the only figure beside them.
    let only = readings.iter().filter(|field| is_physical(field)).count() == 1;
    let mut found = Vec::new();
    for reading in readings {
        let about = of(reading);
        let is_only = only && is_physical(reading);
        let own = bounds.iter().filter(|(stem, _)| *stem == about || stem.is_empty() && is_only);
        let own: Vec<&Field> = own.map(|(_, field)| *field).collect();
        let is_reading = !about.is_empty() || reading.has(READING);
        if is_reading && !own.is_empty() {
            found.extend(past(thing, reading, &own));
        }
    }
    found
}

/// A sensor's row without a heading (`ipmitool(1)`, sensor and sdr): its name, the figure and its unit in one cell or two, then its
/// state.
pub(super) fn sensor(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once('|')?;
    let cells: Vec<&str> = rest.split('|').map(str::trim).collect();
    let of = |many: usize| {
        let (figure, state) = (cells.get(..many)?.join(" "), *cells.get(many)?);
        has_physical(&figures(&figure)).then_some(state)
    };
    let state = of(1).or_else(|| of(2))?;
    Some((name.trim(), state))
}

/// A figure beside one of its bounds.
struct Beside<'a> {
    is: f64,
    limit: f64,
    /// It is bad below the bound; otherwise above.
    is_low: bool,
    is_alarm: bool,
    printed: &'a str,
}

impl Beside<'_> {
    fn is_past(&self) -> bool {
        if self.is_low { self.is < self.limit } else { self.is >= self.limit }
    }
}

/// One figure and its bounds.
fn past(thing: &str, reading: &Field, bounds: &[&Field]) -> Option<Decided> {
    let values = figures(&reading.value);
    let mut all: Vec<Beside<'_>> = Vec::new();
    for bound in bounds {
        // Of heat alone a bound without a side is the upper one.
        let is_heat = |unit: &str| ["c", "f", "celsius"].contains(&unit);
        let is_sided = bound.has(LOW) || bound.has(HIGH);
        for limit in figures(&bound.value).into_iter().filter(|limit| is_sided || is_heat(&limit.unit)) {
            let mut same = values
                .iter()
                .filter(|value| value.unit == limit.unit || limit.unit.is_empty() || value.unit.is_empty());
            if let Some(value) = same.next_back() {
                all.push(Beside {
                    is: value.value,
                    limit: limit.value,
                    is_low: bound.has(LOW),
                    is_alarm: !bound.has(WARNS),
                    printed: &bound.value,
                });
            }
        }
    }
    // Bounds of nothing, or all alike, are not set.
    all.retain(|one| one.limit != 0.0 || has_physical(&values));
    if all.is_empty() {
        return None;
    }
    let past: Vec<&Beside<'_>> = all.iter().filter(|one| one.is_past()).collect();
    // One that is past both of its sides is no figure of this kind.
    let is_of_both = past.iter().any(|one| one.is_low) && past.iter().any(|one| !one.is_low);
    let worst = past.into_iter().max_by_key(|one| one.is_alarm).filter(|_| !is_of_both);
    let bad = worst
        .map(|one| told_beyond(thing, reading.name(), &reading.value, one.is_low, one.is_alarm, one.printed));
    Some(Decided { by: format!("{} and its bounds", reading.name()), bad, share: None })
}

fn told_beyond(thing: &str, what: &str, is: &str, is_low: bool, is_alarm: bool, bound: &str) -> String {
    let kind = if is_alarm { "beyond" } else { "near" };
    let side = if is_low { "below" } else { "above" };
    let of = if ["", "it"].contains(&thing) || thing.eq_ignore_ascii_case(what) {
        what.to_owned()
    } else {
        format!("{what} of {thing}")
    };
    format!("{kind}: what={of}; is={is}; side={side}; bound={bound}")
}

/// A row of a figure, in one unit or two, and four bounds, whatever their order: two alarms outside of two warnings (SFF-8472).
pub(super) fn of_four(thing: &str, row: &str) -> Option<Decided> {
    let thing = thing.trim_end_matches(':');
    let all = figures(&row.replace("++", " ").replace("--", " "));
    let (values, bounds) = all.split_at_checked(all.len().checked_sub(4)?)?;
    let unit = &bounds[0].unit;
    let fits = |one: &&Figure| one.unit.is_empty() || unit.is_empty() || one.unit == *unit;
    let value = values.iter().rfind(fits).filter(|_| values.len() <= 2)?;
    if bounds.iter().any(|one| one.unit != *unit) {
        return None;
    }
    let mut sorted: Vec<f64> = bounds.iter().map(|one| one.value).collect();
    sorted.sort_by(f64::total_cmp);
    let past = |bound: f64, is_low: bool, is_alarm: bool| Some((bound, is_low, is_alarm));
    let worst = match value.value {
        is if is < sorted[0] => past(sorted[0], true, true),
        is if is > sorted[3] => past(sorted[3], false, true),
        is if is < sorted[1] => past(sorted[1], true, false),
        is if is > sorted[2] => past(sorted[2], false, false),
        _ => None,
    };
    let unit = row.to_lowercase().find(&bounds[0].unit).map_or("", |at| &row[at..at + bounds[0].unit.len()]);
    let shown = |value: f64| format!("{value} {unit}").trim().to_owned();
    let bad = worst.map(|(bound, is_low, is_alarm)| {
        told_beyond("", thing, &shown(value.value), is_low, is_alarm, &shown(bound))
    });
    Some(Decided { by: format!("{thing} and its bounds"), bad, share: None })
}

/// Light that no receiver sees.
pub(super) fn dark(thing: &str, field: &Field) -> Option<Decided> {
    if field.has(BOUND) || !field.words().any(|word| word == "rx") {
        return None;
    }
    let dbm = figures(&field.value)
        .into_iter()
        .find(|one| one.unit == "dbm" || field.words().any(|word| word == "dbm"))?;
    let bad = (dbm.value <= DARK_DBM).then(|| {
        told_beyond(
            thing,
            field.name(),
            &format!("{} dBm", dbm.value),
            true,
            true,
            &format!("{DARK_DBM} dBm, which no receiver sees"),
        )
    });
    Some(Decided { by: field.name().to_owned(), bad, share: None })
}

/// How late a copy is, or for how long a transaction has been open.
pub(super) fn late(thing: &str, field: &Field, fields: &[Field]) -> Option<Decided> {
    if !field.has(LAG) && !field.has(AGE) {
        return None;
    }
    let ns = field.words().find_map(nanoseconds);
    let of_unit = || Some(field.figure().filter(|one| one.unit.is_empty())?.value * ns? / 1e9);
    let passed_s = seconds(&field.value).or_else(of_unit);
    let told = |kind: &str, is_bad: bool, bound: &str| Decided {
        by: field.name().to_owned(),
        bad: is_bad.then(|| {
            format!("{kind}: thing={thing}; is={}; bound={bound}; column={}", field.value, field.name())
        }),
        share: None,
    };
    if field.has(LAG) {
        let is_size = field.has(SIZED);
        let bytes = || {
            let one = field.figure().filter(|one| is_size || one.unit.ends_with('b'))?;
            let by_name = [("kb", 1024.0), ("mb", 1_048_576.0), ("gb", 1_073_741_824.0)]
                .into_iter()
                .find(|(name, _)| field.words().any(|word| word == *name));
            size(&one).map(|value| {
                value * by_name.filter(|_| one.unit.is_empty()).map_or(1.0, |(_, factor)| factor)
            })
        };
        return match (passed_s.filter(|_| !is_size), bytes()) {
            (Some(passed_s), _) => Some(told("late", passed_s >= LATE_S, "60 s")),
            (None, Some(bytes)) => Some(told("late", bytes >= LATE_BYTES, "1 GiB")),
            _ => None,
        };
    }
    let is_of_transaction = fields.iter().any(|one| one.has(OF_TRANSACTION));
    let is_idle = fields.iter().any(|one| one.value.eq_ignore_ascii_case("idle"));
    let passed_s = passed_s.filter(|_| is_of_transaction && !is_idle)?;
    Some(told("open", passed_s >= OPEN_S, "1 h"))
}

/// How many of its parts are there: `Operational Path Count: 1` of `Total Path Count: 2`, `1/2` below `READY`.
pub(super) fn lacking(thing: &str, fields: &[Field]) -> Option<Decided> {
    const MOST: f64 = 10_000.0;
    let count = |field: &Field| {
        field
            .figure()
            .filter(|one| one.unit.is_empty() && one.value.fract() == 0.0 && one.value <= MOST)
            .map(|one| one.value)
    };
    let told = |up: f64, of: f64, by: &str| Decided {
        by: by.to_owned(),
        bad: (up < of).then(|| format!("lacks: thing={thing}; up={up}; of={of}; column={by}")),
        share: None,
    };
    // What has ended is not there any more, and should not be.
    let is_over = fields
        .iter()
        .any(|one| ["completed", "succeeded"].iter().any(|over| one.value.eq_ignore_ascii_case(over)));
    let of_cell = fields.iter().filter(|_| !is_over).find_map(|field| {
        let (up, of) = field.value.split_once('/').filter(|_| field.has(COUNTED_IN))?;
        Some(told(up.trim().parse().ok()?, of.trim().parse().ok().filter(|of| *of > 0.0)?, field.name()))
    });
    of_cell.or_else(|| {
        let there = fields.iter().find(|field| field.has(THERE) && count(field).is_some())?;
        let all = fields.iter().find(|field| {
            field.has(ALL)
                && !field.has(THERE)
                && count(field).is_some()
                && field.without(ALL) == there.without(THERE)
        })?;
        let reserve: f64 = fields.iter().filter(|field| field.has(RESERVE)).filter_map(count).sum();
        Some(told(
            (count(there)? + reserve).min(count(all)?),
            count(all)?,
            &format!("{} of {}", there.name(), all.name()),
        ))
    })
}

fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests;
