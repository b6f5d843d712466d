//! States: the words of good and bad ones, in a column, in a field, or in a row that says what is wanted and what is.

use super::clean;
use super::column::{Field, may_decide};
use super::counted::is_counted;
use super::figure::words_of;
use crate::page::{self, Run, each};
use crate::sheet::{self, reduce};
use fullwire_model::host::words::Words;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// What the column or field is called, behind other words too (`Drive Status`).
const NAMES: [&str; 7] = ["state", "status", "health", "sts", "stat", "condition", "reason"];
/// States that are bad whatever the thing is.
const BAD: &[&str] = &[
    "failed¦failing¦degraded¦faulted¦faulty¦fault¦not ready¦notready¦not connected¦offline¦missing¦dead",
    "broken¦broken-off¦open/stale¦closed/stale¦unhealthy¦unreachable¦not responding¦rebuilding¦critical¦crashed¦suspect¦unrecoverable",
    "partially degraded¦no_hw¦down¦lock wait¦not reachable¦not synchronized¦out of sync¦out-of-sync¦unsynchronized¦split-brain¦lost communication¦not synchronizing¦not_healthy¦not healthy",
];
/// Those of a port: what is off there may be unused.
const BAD_AT_PORT: &[&str] =
    &["faulty¦mod_inv¦laser_flt¦port_flt¦errdisabled¦err-disabled¦error-disabled¦diag_flt"];
/// Those of a field or a cell of its own alone: a row has such words for other things. Not ready and blocked volumes of arrays (Dell
/// Solutions Enabler, symdev; Hitachi CCI, raidcom, pairdisplay), sensors past a bound (ipmitool(1)).
const BAD_OF_FIELD: &[&str] = &[
    "error¦bad¦disconnected¦major¦major failure¦non recoverable¦impaired¦nr¦blk¦psue¦psuse¦ssws¦cr¦nc¦err¦stale¦lost¦inconsistent¦partitioned¦alert¦unavailable¦onbatt¦on battery¦lowbatt¦commlost",
];
/// What a column is called whose cell says yes or no, and what is bad there.
const WANTED: [(&str, &str); 7] = [
    ("online", "not online"),
    ("connected", "not connected"),
    ("health", "not healthy"),
    ("healthy", "not healthy"),
    ("ready", "not ready"),
    ("alive", "not alive"),
    ("reachable", "not reachable"),
];
const NOT: &[&str] = &["n¦no¦false¦offline¦disconnected"];
/// States that are well, or that somebody chose: of others nobody here knows whether they are bad.
const WELL: &[&str] = &[
    "ok¦okay¦normal¦online¦healthy¦good¦optimal¦up¦active¦available¦ready¦enabled¦connected¦present¦nominal",
    "open/syncd¦closed/syncd¦running¦started¦true¦y¦yes¦spare¦standby¦passed¦stable¦open¦nml¦rw¦pair¦smpl",
    "alive¦reachable¦synced¦in-sync¦insync¦synchronized¦success¦established¦clean¦mounted¦attached¦leader¦follower¦primary¦secondary¦streaming¦idle¦full¦unused",
    "optl¦sync¦async¦quorum¦potential¦notconnect¦notconnected¦disabled¦no_light¦no_module¦no_sync¦absent¦ns¦na¦n/a¦-¦--¦none¦peer¦0x0000¦bound¦in-use¦member",
];
/// What a table of ports has a column of: within the name of the first two, or as a word of a later one (`Link Status`).
const OF_PORTS: [&str; 4] = ["port", "link", "interface", "duplex"];
/// How bad an alarm is that is told, and what says that it is over.
const ALARMS: &[&str] = &["critical¦major¦fatal¦emergency"];
const MILDER: [&str; 5] = ["minor", "warning", "info", "informational", "notice"];
const OVER: [&str; 3] = ["cleared", "resolved", "closed"];
/// What is done on purpose to a port.
const WISHED: [&str; 5] = ["administratively", "admindown", "sfpabsent", "notused", "shutdown"];
/// What several ports are made into, on purpose: one of these that is down is trouble.
const AGGREGATES: &[&str] = &["po¦port-channel¦ae¦bond¦lag¦aggr¦trk¦bundle-ether¦be¦vpc¦mlag¦team"];
/// Things that are counted by their state, of one.
const THINGS: &[&str] =
    &["pv¦pp¦disk¦drive¦device¦path¦member¦node¦brick¦osd¦extent¦partition¦controller¦pg¦battery¦fan"];
/// What else a database server stands on, or is a part of.
const OF_SYSTEMS: &[&str] = &[
    "host¦server¦instance¦inst¦database¦db¦replica¦standby¦port¦link¦interface¦nic¦volume¦vol¦lun¦array¦raid¦pool¦group¦diskgroup",
    "file¦datafile¦tablespace¦slot¦session¦target¦enclosure¦psu¦sensor¦cpu¦memory¦channel¦cluster¦peer¦backup¦archivelog¦rman¦listener",
    "shard¦broker¦mount¦share¦filesystem¦snapshot¦service¦worker¦publication¦subscription",
];
/// More words explain a state.
const WORDS_OF_STATE: usize = 6;
/// So many blanks deeper than the row a line goes on with it.
const DEEPER: usize = 8;
/// A longer line is no heading.
const LONGEST_HEADING: usize = 240;

/// The heading of a table with a column that may decide.
pub(super) struct Heading {
    first: String,
    /// Which column has the names.
    name: Option<usize>,
    /// What the column of states is called; empty: there is none.
    pub(super) state: String,
    pub(super) has_state: bool,
    /// Its rows are alarms: how bad, and what.
    has_alarms: bool,
    /// How many columns are before that of the states, and behind it.
    before: usize,
    behind: usize,
    /// It says what is wanted of each, too.
    pub(super) has_wish: bool,
    is_of_ports: bool,
    columns: usize,
    /// Where the words of it stand, which of them decide, and whether what is below can be told by its place.
    places: Vec<Run>,
    deciding: Vec<usize>,
    is_placed: bool,
    wanted: Option<&'static str>,
    /// The first column has no numbers, which stand at its right.
    is_of_names: bool,
}

/// What a row is about, and what it goes on with.
#[derive(Default)]
pub(super) struct Place {
    pub(super) thing: String,
    depth: usize,
    /// How deep a row of several ports in one stands, and whether this one is a member of it.
    aggregate: Option<usize>,
    is_member: bool,
}

impl Place {
    /// Takes a row; whether it goes on with the one before.
    pub(super) fn takes(&mut self, heading: &Heading, line: &str) -> bool {
        let depth = line.len() - line.trim_start().len();
        // What did not fit in stands below, without a name of its own.
        let is_short = depth >= 3 && words(line).count() <= 2;
        let goes_on =
            !self.thing.is_empty() && (is_short || heading.is_of_names && depth >= self.depth + DEEPER);
        // `lif_7` below its server.
        let own = words(line)
            .next()
            .filter(|word| goes_on && !is_short && word.contains(|c: char| c.is_ascii_digit() || c == '_'));
        if let Some(own) = own.filter(|word| word.starts_with(char::is_alphabetic)) {
            let above = self.thing.split(' ').next().unwrap_or("");
            self.thing = clean(&format!("{above} {own}"));
        } else if !goes_on {
            (self.thing, self.depth) = (heading.name_of(line), depth);
        }
        self.is_member = self.aggregate.is_some_and(|above| depth > above);
        if !self.is_member {
            self.aggregate = words(line).take(2).any(is_aggregate).then_some(depth);
        }
        goes_on
    }
}

/// What a column of states is called.
fn is_state(name: &str) -> bool {
    NAMES.iter().any(|own| reduce(name).trim_end_matches("desc").ends_with(own))
}

/// Or one that says whether a thing is as it is wanted.
fn decides_state(name: &str) -> bool {
    is_state(name) || WANTED.iter().any(|(own, _)| reduce(name) == *own)
}

/// `Po10`, `bond7`, `aggr1`: several ports that somebody made one.
fn is_aggregate(word: &str) -> bool {
    let lower = word.to_lowercase();
    let name = lower.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    name.len() < lower.len() && each(AGGREGATES).any(|own| own == name)
}

impl Heading {
    /// `is_ruled`: dashes stand below it, and what is above them are names, whatever signs these have.
    pub(super) fn of(line: &str, is_ruled: bool) -> Option<Self> {
        let trimmed = line.trim();
        let apart = ["  ", "--"].iter().any(|sign| trimmed.contains(sign))
            || line.contains(['|', '\t'])
            || line == line.to_uppercase();
        let parted = apart || line.matches('_').count() > 2 || line.contains(',');
        let has_digits = line
            .split(' ')
            .any(|word| word.contains(|c: char| c.is_ascii_digit()) && !word.ends_with("-blocks"));
        let has_signs = has_digits || line.contains([':', '[', '=']);
        if line.len() > LONGEST_HEADING || !parted || has_signs && !is_ruled || sheet::is_rule(line) {
            return None;
        }
        let names: Vec<String> =
            words(line).map(|word| reduce(word.trim_matches('-'))).filter(|name| !name.is_empty()).collect();
        let state = words(line).skip(1).find(|name| is_state(name));
        let is_column = |own: &str| names.iter().skip(1).any(|name| name == own);
        let wanted = WANTED.into_iter().find(|(own, _)| is_column(own)).map(|(_, not)| not);
        let is_one = |all: &[&str]| names.iter().any(|name| all.contains(&name.as_str()));
        let has_alarms = state.is_none()
            && is_one(&["severity", "class", "sev"])
            && is_one(&["description", "message", "summary", "event"]);
        let has_wish = names.iter().any(|name| name.starts_with("admin"));
        let decides = || {
            apart
                && (words(line).any(|name| may_decide(name) || is_counted(name))
                    || trimmed.split("  ").any(may_decide))
        };
        (names.len() > 2 && (has_alarms || has_wish || state.is_some() || wanted.is_some() || decides()))
            .then(|| Self {
                first: words(line).next().unwrap_or("").to_owned(),
                name: names.iter().position(|name| name == "name"),
                has_state: state.is_some(),
                state: state
                    .or_else(|| words(line).find(|name| reduce(name).starts_with("admin")))
                    .unwrap_or_default()
                    .to_owned(),
                has_alarms,
                before: words(line).position(|name| Some(name) == state).unwrap_or(0),
                behind: words(line)
                    .collect::<Vec<_>>()
                    .iter()
                    .rev()
                    .position(|name| Some(*name) == state)
                    .unwrap_or(0),
                has_wish,
                // A host's port stands behind its name.
                is_of_ports: names.iter().enumerate().any(|(at, name)| {
                    OF_PORTS.iter().any(|what| at < 2 && name.contains(what) || name == what)
                }),
                columns: names.len(),
                places: page::words(line).map(|(_, at)| at).collect(),
                deciding: (0..)
                    .zip(page::words(line))
                    .filter(|(_, (name, _))| decides_state(name))
                    .map(|(place, _)| place)
                    .collect(),
                is_placed: trimmed.contains("  ") || line.contains(['|', '\t', ',']),
                wanted,
                is_of_names: ["source", "name", "path", "volume", "vserver"]
                    .iter()
                    .any(|name| names[0].ends_with(name)),
            })
    }

    /// What stands in the columns that decide, where it is known what does: names in other cells may be any word.
    pub(super) fn own_cells(&self, fields: &[Field], line: &str) -> Option<String> {
        // A page that joins blanks leaves nothing below its name.
        if !self.is_placed && words(line).count() != self.columns {
            return None;
        }
        let cells = fields.iter().filter(|field| field.name().split(' ').any(decides_state));
        let own: Vec<&str> = if fields.is_empty() {
            self.words_below(line)
        } else {
            cells.map(|field| field.value.as_str()).collect()
        };
        (!own.is_empty()).then(|| plain(&own.join(" ")))
    }

    /// The words below the names that decide. Those that one blank parts are of one cell, unless it stands below several names.
    fn words_below<'a>(&self, line: &'a str) -> Vec<&'a str> {
        let all: Vec<(&str, Run)> = page::words(line).collect();
        let cells = all.chunk_by(|(_, one), (_, next)| next.start == one.end + 1).flat_map(|cell| {
            let run = Run { start: cell[0].1.start, end: cell[cell.len() - 1].1.end };
            let is_one = self.places.iter().filter(|place| place.overlap(run) > 0).count() <= 1;
            cell.iter().map(move |(word, at)| (*word, if is_one { run } else { *at }))
        });
        let decides =
            |at| page::nearest(at, &self.places).is_some_and(|place| self.deciding.contains(&place));
        cells.filter(|(_, at)| decides(*at)).map(|(word, _)| word).collect()
    }

    /// What is bad in a row of it, and how it is told. Without cells of its own (`own`) a name, with which it begins
    /// (`is_named`), may be any word.
    pub(super) fn bad(
        &self,
        place: &Place,
        row: &str,
        own: Option<&str>,
        fields: &[Field],
        is_named: bool,
    ) -> Option<String> {
        let thing = &place.thing;
        let begins =
            |bad: &str| row.strip_prefix(bad).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
        // What is wanted so stands before it.
        let is_free = |bad: &str| match own {
            Some(_) => !format!(" {row} ").contains(&format!(" {bad} {bad} ")),
            None => !is_named || !begins(bad),
        };
        let only = |all| only(own.unwrap_or(row), all).filter(|bad| is_free(bad));
        if words(row).any(|word| OVER.contains(&word) || WISHED.contains(&word)) {
            return None;
        }
        if self.has_alarms {
            // The first is its class; what follows may speak of another.
            let is = words(row).find(|word| each(ALARMS).chain(MILDER).any(|level| level == *word))?;
            if MILDER.contains(&is) {
                return None;
            }
            let (_, what) = row.split_once(&format!("{is} "))?;
            return Some(format!("alarm: is={is}; what={}", clean(what)));
        }
        let is_made = place.is_member || words(row).take(2).any(is_aggregate);
        let bad = if self.is_of_ports && !is_made { BAD_AT_PORT } else { BAD };
        let of_state = || self.has_state.then(|| only(bad)).flatten();
        let of_wish = || unwished(fields, row).filter(|_| self.has_wish && (is_made || has_address(row)));
        let unwanted = || self.wanted.filter(|_| only(NOT).is_some());
        // Cells that are empty or of two words stand before it.
        let of_place = || {
            let words: Vec<&str> = words(row).collect();
            let of_end = words.iter().rev().nth(self.behind);
            let by_order = words.get(self.before).into_iter().chain(of_end).copied();
            let is_own = |cell: &&str| own.is_none_or(|own| own.split(' ').any(|word| word == *cell));
            let mut cells = own.into_iter().chain(by_order.filter(is_own));
            let judges = self.has_state && !self.is_of_ports;
            cells.find_map(|cell| each(BAD_OF_FIELD).find(|bad| judges && *bad == cell))
        };
        let is = of_state().or_else(of_wish).or_else(unwanted).or_else(of_place)?;
        Some(format!("state: thing={thing}; is={is}"))
    }

    /// What a row is about: its first cell, and of a number the name beside it, or what the column is called.
    fn name_of(&self, line: &str) -> String {
        let mut all = words(line);
        let first = all.next().unwrap_or("");
        // `B  oracle_sg`: a letter says of what kind the row is.
        let is_kind = first.len() == 1 && first.starts_with(|c: char| c.is_ascii_uppercase());
        let cell = all.next().filter(|_| is_kind).unwrap_or(first);
        let is_named = |word: &&str| {
            word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.contains(|c: char| c.is_ascii_digit())
        };
        let is_whole = words(line).count() == self.columns;
        let beside = || self.name.filter(|_| is_whole).and_then(|place| words(line).nth(place));
        let other = || {
            beside().or_else(|| {
                words(line).skip(1).find(is_named).filter(|_| line.contains('|') || self.name.is_some())
            })
        };
        // `Brick n7:/data`
        let path = || words(line).nth(1).filter(|path| path.contains(":/"));
        let is_number = cell.parse::<u64>().is_ok();
        if cell.contains(char::is_alphabetic) {
            path().map_or_else(|| clean(cell), |path| clean(&format!("{cell} {path}")))
        } else {
            other().filter(|_| is_number).map_or_else(|| clean(&format!("{} {cell}", self.first)), clean)
        }
    }
}

/// Up by the wish of whoever set it, and down: `up/down`, or `up` and `down` beside it. A description may have any words: of a row whose
/// cells are known only these two count.
fn unwished(fields: &[Field], row: &str) -> Option<&'static str> {
    const WISH: [&str; 3] = ["up", "enabled", "online"];
    const IS: [&str; 5] = ["down", "offline", "not-present", "lowerlayerdown", "inactive"];
    let wish = fields.iter().position(|field| reduce(field.name()).starts_with("admin"));
    let cells = wish.map(|at| fields[at..].iter().take(2).map(|field| plain(&field.value)));
    let own = cells.map_or_else(|| row.to_owned(), |cells| cells.collect::<Vec<_>>().join(" "));
    let words: Vec<&str> = own.split([' ', '/']).filter(|word| !word.is_empty()).collect();
    let is = |pair: &[&str]| IS.into_iter().find(|is| WISH.contains(&pair[0]) && *is == pair[1]);
    let most = if wish.is_some() { 2 } else { words.len() };
    words[..most.min(words.len())].windows(2).find_map(is)
}

/// Somebody uses it: it has an address.
fn has_address(row: &str) -> bool {
    let is_own = |word: &str| {
        let bare = word.split('/').next().unwrap_or("");
        let parts: Vec<&str> = bare.split('.').collect();
        parts.len() == 4
            && parts.iter().all(|part| part.parse::<u8>().is_ok())
            && !["0.0.0.0", "127.0.0.1"].contains(&bare)
    };
    words(row).any(is_own)
}

/// A cell below the name of a state that holds a word which is bad there alone.
pub(super) fn of_cells(thing: &str, fields: &[Field]) -> Option<String> {
    let mut states = fields.iter().filter(|field| field.is_called(&NAMES));
    let bad = |field: &Field| {
        let value = plain(&field.value);
        each(BAD_OF_FIELD).find(|bad| *bad == value)
    };
    states.find_map(bad).map(|is| format!("state: thing={thing}; is={is}"))
}

/// The state of which it is not known whether it is bad: `State XYZ`; `None`: of each cell below a name of states it is known, or
/// without such cells a word of the row is well.
pub(super) fn unknown(heading: &Heading, fields: &[Field], row: &str) -> Option<String> {
    // A port that nobody uses is down.
    let is_known = |word: &str| is_well(word) || heading.is_of_ports && ["down", "offline"].contains(&word);
    let mut states = fields.iter().filter(|field| field.is_called(&NAMES)).peekable();
    if states.peek().is_none() {
        return (!words(row).any(is_known)).then(|| heading.state.clone());
    }
    let open = states.find(|field| !words(&plain(&field.value)).any(is_known));
    open.map(|field| format!("{} {}", field.name(), field.value))
}

/// `No alarms currently active`
pub(super) fn says_none(line: &str) -> bool {
    let lower = line.to_lowercase();
    let of = ["alarm", "fault", "problem", "error", "issue", "alert"];
    lower.starts_with("no ") && lower.split(' ').count() <= 8 && of.iter().any(|what| lower.contains(what))
}

/// The last words of a field that names what the fields below it are of.
const NAMING: [&str; 12] = [
    "name", "id", "hostname", "host", "device", "drive", "disk", "controller", "node", "port", "volume",
    "interface",
];

/// The field names what the fields beside it are of.
pub(super) fn is_name(field: &Field) -> bool {
    field.is_called(&NAMING) && field.value.contains(char::is_alphabetic)
}

/// What a row is called by its own column, where its first cell is a number or a letter.
pub(super) fn name_beside(fields: &[Field]) -> Option<String> {
    let mut named = fields.iter().filter(|field| is_name(field));
    let is_short = fields.first().is_some_and(|first| {
        first.value.len() == 1 || first.value.parse::<f64>().is_ok() || first.is_called(&NAMES)
    });
    named.next().filter(|_| is_short).map(|field| clean(&field.value))
}

/// What a field says of a state.
pub(super) struct FieldState {
    pub(super) bad: Option<&'static str>,
    /// It is known whether it is bad.
    pub(super) is_known: bool,
}

impl FieldState {
    /// `None`: the field is of something else.
    pub(super) fn of(field: &Field) -> Option<Self> {
        let (name, value) = (field.name(), &*field.value);
        // `State of health` is one; `Health details` are words about it.
        let first = name.split_once(' ').filter(|(_, rest)| rest.starts_with("of "));
        let own = first.map_or_else(|| field.last().to_owned(), |(first, _)| first.to_lowercase());
        if !NAMES.contains(&own.as_str()) {
            return None;
        }
        let whole = value.to_lowercase();
        let value = plain(value);
        let few: Vec<&str> = value.split(' ').take(WORDS_OF_STATE + 1).collect();
        // `Peer in Cluster (Disconnected)`, `peer link is down`; and no `no failed disks`.
        let is_bad = |bad: &&str| {
            let begins = value.strip_prefix(bad).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
            let ends = || {
                value
                    .strip_suffix(bad)
                    .is_some_and(|before| before.ends_with(" is ") || before.ends_with(" are "))
            };
            begins || few.len() <= WORDS_OF_STATE && ends() || whole.ends_with(&format!("({bad})"))
        };
        let of_port = ["port", "link", "physical"].iter().any(|what| name.to_lowercase().starts_with(what));
        let words_of_bad = each(BAD).chain(each(BAD_OF_FIELD)).filter(|_| !of_port);
        let bad = words_of_bad.filter(is_bad).max_by_key(|bad| bad.len());
        let is_known = bad.is_some() || few.len() <= WORDS_OF_STATE && few.iter().any(|word| is_well(word));
        Some(Self { bad, is_known })
    }
}

/// `Health state        = Critical (25)`: a name of a few words, and its value.
pub(super) fn field(line: &str) -> Option<(&str, &str)> {
    const WORDS: usize = 7;
    let (name, value) = line.split_once([':', '=']).map(|(name, value)| (name.trim(), value.trim()))?;
    // `1:    ID = spa`
    let (name, value) = match name.parse::<u32>() {
        Ok(_) => value.split_once([':', '=']).map(|(name, value)| (name.trim(), value.trim()))?,
        Err(_) => (name, value),
    };
    let is_name = name.split(' ').count() <= WORDS && name.starts_with(|c: char| c.is_ascii_alphabetic());
    (is_name && !value.is_empty()).then_some((name, value))
}

/// `Failed disks: 2`: how many things are in a bad state.
pub(super) fn number_of(field: &str) -> Option<String> {
    let (name, count) = field.split_once(':')?;
    let (state, things) = name.trim().split_once(' ')?;
    let state = state.to_lowercase();
    let thing = things.to_lowercase();
    let is_bad = each(BAD).chain(["stale", "lost"]).any(|bad| bad == state);
    let is_thing = each(THINGS).any(|own| thing == own || thing.strip_suffix('s') == Some(own));
    let count: u64 = count.trim().parse().ok()?;
    (is_bad && is_thing && count > 0).then(|| format!("state: thing={count} {}; is={state}", clean(things)))
}

/// A word of the name or the row is of a host, a database or what they stand on.
pub(super) fn is_of_system(text: &str) -> bool {
    static ALL: LazyLock<BTreeSet<&str>> = LazyLock::new(|| each(THINGS).chain(each(OF_SYSTEMS)).collect());
    words_of(text).iter().any(|word| ALL.contains(word.trim_end_matches('s')) || ALL.contains(&**word))
}

/// The words of a line, whatever parts its columns.
pub(super) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_whitespace() || matches!(c, '|' | ',')).filter(|word| !word.is_empty())
}

pub(super) fn some(found: Vec<String>) -> Option<Vec<String>> {
    (!found.is_empty()).then_some(found)
}

/// Lower case, and one blank between words; NX-OS says why before a port is `...ErrDisabled`.
pub(super) fn plain(line: &str) -> String {
    let lower = line.to_lowercase().replace("errdisabled", " errdisabled");
    let words = lower.split(|c: char| c.is_whitespace() || matches!(c, '|' | ',' | '(' | ')' | '*' | '"'));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

pub(super) fn is_well(word: &str) -> bool {
    static ALL: LazyLock<BTreeSet<&str>> = LazyLock::new(|| each(WELL).collect());
    ALL.contains(word)
}

/// The one of these words that the row holds, once: where it is wanted (`OFFLINE OFFLINE`) it stands there twice.
fn only(row: &str, bad: &'static [&'static str]) -> Option<&'static str> {
    static ANY: LazyLock<Words> =
        LazyLock::new(|| Words::new(each(BAD).chain(each(BAD_AT_PORT)).chain(each(NOT))));
    if !ANY.is_any_in(row) {
        return None;
    }
    let apart = |words: &str| format!(" {} ", words.replace(' ', "  "));
    let row = apart(row);
    let times = |bad: &str| row.matches(&apart(bad)).count();
    each(bad).filter(|bad| times(bad) > 0).max_by_key(|bad| bad.len()).filter(|bad| times(bad) == 1)
}
