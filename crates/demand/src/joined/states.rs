//! What is bad by the form of an output alone, of whatever tool: tables and records of things that have a state, things that are
//! full, and counts of what should not be.

use crate::page::{self, each};
use crate::sheet::{is_rule, reduce};

/// What the column or field is called, behind other words too (`Drive Status`).
const NAMES: [&str; 6] = ["state", "status", "health", "sts", "condition", "reason"];
/// States that are bad whatever the thing is.
const BAD: &[&str] = &[
    "failed¦failing¦degraded¦faulted¦faulty¦fault¦not ready¦notready¦not connected¦offline¦missing¦dead",
    "broken¦broken-off¦open/stale¦closed/stale¦unhealthy¦unreachable¦not responding¦rebuilding¦critical¦crashed¦suspect¦unrecoverable",
    "partially degraded¦no_hw¦down",
];
/// Those of a port: what is off there may be unused.
const BAD_AT_PORT: &[&str] =
    &["faulty¦mod_inv¦laser_flt¦port_flt¦errdisabled¦err-disabled¦error-disabled¦diag_flt"];
/// Those of a field alone: a table has such words for other things.
const BAD_OF_FIELD: &[&str] = &["error¦bad¦disconnected¦major¦major failure¦non recoverable¦impaired"];
/// What a column of shares is called where it says how full a thing is.
const FULLNESS: &[&str] = &["used%¦use%¦%used¦%use¦%full¦full%¦usage%¦u(%)¦used(%)¦use(%)¦usage(%)"];
/// What a column is called whose cell says yes or no, and what is bad there.
const WANTED: [(&str, &str); 6] = [
    ("online", "not online"),
    ("connected", "not connected"),
    ("health", "not healthy"),
    ("healthy", "not healthy"),
    ("ready", "not ready"),
    ("alive", "not alive"),
];
const NOT: &[&str] = &["n¦no¦false¦offline¦disconnected"];
/// So full that it is told, %: what a vendor fills on purpose is less (own choice).
const FULL: f64 = 97.0;
/// States that are well, or that somebody chose: of others nobody here knows whether they are bad.
const WELL: &[&str] = &[
    "ok¦okay¦normal¦online¦healthy¦good¦optimal¦up¦active¦available¦ready¦enabled¦connected¦present",
    "open/syncd¦closed/syncd¦running¦started¦true¦y¦yes¦spare¦standby¦passed¦stable¦open",
];
/// How bad an alarm is that is told, and what says that it is over.
const ALARMS: &[&str] = &["critical¦major¦fatal¦emergency"];
const OVER: [&str; 3] = ["cleared", "resolved", "closed"];
/// What is counted and should not happen, in lower case.
const COUNTED: &[&str] = &[
    "drop¦discard¦crc¦error¦credit loss¦blocked with no¦overrun¦symbol¦sync loss¦link fail¦retrans¦reject¦loss of¦invalid word",
];
/// Fewer are usual; as a share of the frames or packets beside them too (own choice).
const FEWEST: u64 = 1000;
const SMALLEST_SHARE: f64 = 1e-6;
/// Things that are counted by their state, of one.
const THINGS: &[&str] =
    &["pv¦pp¦disk¦drive¦device¦path¦member¦node¦brick¦osd¦extent¦partition¦controller¦pg¦battery¦fan"];
/// Rows of one text.
const MOST: usize = 20;
/// A text of more bytes is a log.
const LARGEST_BYTES: usize = 1 << 20;
/// So many blanks deeper than the row a line goes on with it.
const DEEPER: usize = 8;
/// A longer line is no heading.
const LONGEST_HEADING: usize = 240;

/// `state: thing=Id 41; is=failed`, `filled: thing=aggr1; is=98%`, `counted: is=811; what=discards` for each that is bad.
pub(crate) fn states(text: &str) -> Vec<String> {
    let mut found = read(text).0;
    if found.is_empty() && text.len() <= LARGEST_BYTES {
        found = counts(text);
    }
    found.truncate(MOST);
    found
}

/// A table or a record of states is in the text, and of each it is known whether it is bad.
pub(crate) fn has_states(text: &str) -> bool {
    read(text).1
}

/// The heading of a table of states or of shares.
struct Heading {
    first: String,
    /// Which column has the names.
    name: Option<usize>,
    has_state: bool,
    /// Its rows are alarms: how bad, and what.
    has_alarms: bool,
    is_of_ports: bool,
    /// Of so many columns, which says how full the thing is.
    fullness: Option<usize>,
    columns: usize,
    wanted: Option<&'static str>,
    /// The first column has no numbers, which stand at its right.
    is_of_names: bool,
}

impl Heading {
    fn of(line: &str) -> Option<Self> {
        let parted = ["  ", "--"].iter().any(|sign| line.trim().contains(sign))
            || line.matches('_').count() > 2
            || line.contains(['|', '\t', ','])
            || line == line.to_uppercase();
        if line.len() > LONGEST_HEADING
            || !parted
            || line.contains(|c: char| c.is_ascii_digit() || matches!(c, ':' | '[' | '='))
        {
            return None;
        }
        let names: Vec<String> =
            words(line).map(|word| reduce(word.trim_matches('-'))).filter(|name| !name.is_empty()).collect();
        let has_state = names.iter().skip(1).any(|name| NAMES.iter().any(|own| name.ends_with(own)));
        let fullness = names.iter().position(|name| each(FULLNESS).any(|own| own == name));
        let is_column = |own: &str| names.iter().skip(1).any(|name| name == own);
        let wanted = WANTED.into_iter().find(|(own, _)| is_column(own)).map(|(_, not)| not);
        let is_one = |all: &[&str]| names.iter().any(|name| all.contains(&name.as_str()));
        let has_alarms = !has_state
            && is_one(&["severity", "class", "sev"])
            && is_one(&["description", "message", "summary", "event"]);
        (names.len() > 2 && (has_alarms || has_state || fullness.is_some() || wanted.is_some())).then(|| {
            Self {
                first: words(line).next().unwrap_or("").to_owned(),
                name: names.iter().position(|name| name == "name"),
                has_state,
                has_alarms,
                is_of_ports: ["port", "link", "interface"]
                    .iter()
                    .any(|what| line.to_lowercase().contains(what)),
                fullness,
                columns: names.len(),
                wanted,
                is_of_names: ["source", "name", "path", "volume", "vserver"]
                    .iter()
                    .any(|name| names[0].ends_with(name)),
            }
        })
    }

    /// What is bad in a row of it, and how it is told. A name, with which it begins, may be any word.
    fn bad(&self, thing: &str, row: &str, is_named: bool) -> Option<String> {
        let begins =
            |bad: &str| row.strip_prefix(bad).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
        let only = |all| only(row, all).filter(|bad| !is_named || !begins(bad));
        if words(row).any(|word| OVER.contains(&word)) {
            return None;
        }
        if self.has_alarms {
            let is = self::only(row, ALARMS)?;
            let (_, what) = row.split_once(&format!(" {is} "))?;
            return Some(format!("alarm: is={is}; what={}", clean(what)));
        }
        let bad = if self.is_of_ports { BAD_AT_PORT } else { BAD };
        let of_state = || Some(format!("state: thing={thing}; is={}", only(bad)?));
        let is_whole = words(row).count() == self.columns;
        let placed = || words(row).nth(self.fullness?)?.trim_end_matches('%').parse::<f64>().ok();
        let mut shares = words(row).filter_map(|word| word.strip_suffix('%')?.parse::<f64>().ok());
        let share = match (self.fullness, is_whole) {
            (Some(_), true) => placed(),
            (Some(_), false) => shares.next().filter(|_| shares.next().is_none()),
            (None, _) => None,
        };
        let filled =
            || Some(format!("filled: thing={thing}; is={:.0}%", share.filter(|share| *share >= FULL)?));
        let unwanted = || Some(format!("state: thing={thing}; is={}", only(NOT).and(self.wanted)?));
        self.has_state.then(of_state).flatten().or_else(filled).or_else(unwanted)
    }

    /// What a row is about: its first cell, and of a number the name beside it, or what the column is called.
    fn name_of(&self, line: &str) -> String {
        let cell = words(line).next().unwrap_or("");
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

/// What is bad, and whether the text has states at all.
fn read(text: &str) -> (Vec<String>, bool) {
    let mut found = Vec::new();
    // How many there are, and of how many it is known whether they are bad.
    let (mut all, mut judged) = (0, 0);
    if text.len() > LARGEST_BYTES {
        return (found, false);
    }
    let mut heading: Option<Heading> = None;
    let (mut thing, mut at, mut named) = (String::new(), 0, String::new());
    for line in text.lines().map(page::plain) {
        if line.trim().is_empty() {
            heading = None;
        } else if let Some(new) = Heading::of(&line) {
            heading = Some(new);
        } else if let Some(of) = heading.as_ref().filter(|_| !is_rule(&line)) {
            // What did not fit in stands below, without a name of its own.
            let depth = line.len() - line.trim_start().len();
            let is_short = depth >= 3 && words(&line).count() <= 2;
            let goes_on = !thing.is_empty() && (is_short || of.is_of_names && depth >= at + DEEPER);
            if !goes_on {
                (thing, at) = (of.name_of(&line), depth);
            }
            let row = plain(&line);
            let is_whole = goes_on || words(&row).count() > 2;
            let bad = of.bad(&thing, &row, !goes_on).filter(|_| is_whole);
            let is_row = of.has_state && words(&line).count() > 2;
            all += usize::from(is_row);
            judged += usize::from(is_row && (bad.is_some() || words(&row).any(is_well)));
            found.extend(bad);
        } else if let Some(all) = some(pairs(&line).iter().filter_map(|field| number_of(field)).collect()) {
            found.extend(all);
        } else if let Some((name, value)) = field(&line) {
            if let Some(state) = FieldState::of(name, value) {
                all += 1;
                judged += usize::from(state.is_known);
                let whose = if named.is_empty() { name } else { &named };
                found.extend(state.bad.map(|is| format!("state: thing={}; is={is}", clean(whose))));
            } else if NAMING.contains(&last_word(name).as_str()) {
                value.clone_into(&mut named);
            }
        }
    }
    found.dedup();
    (found, all > 0 && judged == all)
}

/// The last words of a field that names what the fields below it are of.
const NAMING: [&str; 8] = ["id", "name", "hostname", "device", "drive", "disk", "controller", "node"];

fn last_word(name: &str) -> String {
    name.split(' ').next_back().unwrap_or("").to_lowercase()
}

/// What a field says of a state.
struct FieldState {
    bad: Option<&'static str>,
    /// It is known whether it is bad.
    is_known: bool,
}

impl FieldState {
    /// `None`: the field is of something else.
    fn of(name: &str, value: &str) -> Option<Self> {
        // `State of health` is one; `Health details` are words about it.
        let first = name.split_once(' ').filter(|(_, rest)| rest.starts_with("of "));
        let own = first.map_or_else(|| last_word(name), |(first, _)| first.to_lowercase());
        if !NAMES.contains(&own.as_str()) {
            return None;
        }
        let whole = value.to_lowercase();
        let value = plain(value);
        // `Peer in Cluster (Disconnected)`
        let is_bad = |bad: &&str| {
            value.strip_prefix(bad).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
                || whole.ends_with(&format!("({bad})"))
        };
        let of_port = ["port", "link"].iter().any(|what| name.to_lowercase().contains(what));
        let words_of_bad = each(BAD).chain(each(BAD_OF_FIELD)).filter(|_| !of_port);
        let bad = words_of_bad.filter(is_bad).max_by_key(|bad| bad.len());
        Some(Self { bad, is_known: bad.is_some() || words(&value).next().is_some_and(is_well) })
    }
}

/// `Health state        = Critical (25)`: a name of a few words, and its value.
fn field(line: &str) -> Option<(&str, &str)> {
    const WORDS: usize = 5;
    let (name, value) = line.split_once([':', '=']).map(|(name, value)| (name.trim(), value.trim()))?;
    // `1:    ID = spa`
    let (name, value) = match name.parse::<u32>() {
        Ok(_) => value.split_once([':', '=']).map(|(name, value)| (name.trim(), value.trim()))?,
        Err(_) => (name, value),
    };
    let is_name = name.split(' ').count() <= WORDS && name.starts_with(|c: char| c.is_ascii_alphabetic());
    (is_name && !value.is_empty()).then_some((name, value))
}

/// The fields of a line that has several, `STALE PVs: 1   STALE PPs: 7`: two blanks part them, behind a value.
fn pairs(line: &str) -> Vec<String> {
    let (mut fields, mut is_over) = (vec![String::new()], false);
    for part in line.split("  ").map(str::trim).filter(|part| !part.is_empty()) {
        if is_over {
            fields.push(String::new());
        }
        let field = fields.last_mut().expect("one");
        is_over = part.contains(": ") || field.ends_with(':');
        if !field.is_empty() {
            field.push(' ');
        }
        field.push_str(part);
    }
    fields
}

/// `Failed disks: 2`: how many things are in a bad state.
fn number_of(field: &str) -> Option<String> {
    let (name, count) = field.split_once(':')?;
    let (state, things) = name.trim().split_once(' ')?;
    let state = state.to_lowercase();
    let thing = things.to_lowercase();
    let is_bad = each(BAD).chain(["stale", "lost"]).any(|bad| bad == state);
    let is_thing = each(THINGS).any(|own| thing == own || thing.strip_suffix('s') == Some(own));
    let count: u64 = count.trim().parse().ok()?;
    (is_bad && is_thing && count > 0).then(|| format!("state: thing={count} {}; is={state}", clean(things)))
}

fn clean(name: &str) -> String {
    name.trim().replace(';', ",")
}

/// The words of a line, whatever parts its columns.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_whitespace() || matches!(c, '|' | ',')).filter(|word| !word.is_empty())
}

fn some(found: Vec<String>) -> Option<Vec<String>> {
    (!found.is_empty()).then_some(found)
}

/// Lower case, and one blank between words; NX-OS says why before a port is `...ErrDisabled`.
fn plain(line: &str) -> String {
    let lower = line.to_lowercase().replace("errdisabled", " errdisabled");
    let words = lower.split(|c: char| c.is_whitespace() || matches!(c, '|' | ',' | '(' | ')' | '*' | '"'));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn is_well(word: &str) -> bool {
    each(WELL).any(|well| well == word)
}

/// The one of these words that the row holds, once: where it is wanted (`OFFLINE OFFLINE`) it stands there twice.
fn only(row: &str, bad: &'static [&'static str]) -> Option<&'static str> {
    let apart = |words: &str| format!(" {} ", words.replace(' ', "  "));
    let row = apart(row);
    let times = |bad: &str| row.matches(&apart(bad)).count();
    each(bad).filter(|bad| times(bad) > 0).max_by_key(|bad| bad.len()).filter(|bad| times(bad) == 1)
}

/// Counts of what should not be: `811233 discards`, `Tail Drop Pkts | 4412313`.
fn counts(text: &str) -> Vec<String> {
    const WORDS: usize = 8;
    let clause = |clause: &str| -> Option<(u64, String)> {
        let words: Vec<&str> = clause.split_whitespace().collect();
        let named = |words: &[&str]| {
            let is_name = !words.is_empty() && words.len() <= WORDS;
            is_name.then(|| words.join(" ").trim_end_matches([':', '=', ' ']).to_lowercase())
        };
        let (first, last) = (words.first()?.parse(), words.last()?.parse());
        let (count, name) = match (first, last) {
            (Ok(count), _) => (count, named(&words[1..])?),
            (_, Ok(count)) => (count, named(&words[..words.len() - 1])?),
            _ => return None,
        };
        (!name.contains(|c: char| c.is_ascii_digit())).then_some((count, name))
    };
    let lines = text.lines().flat_map(|line| {
        // Behind a name in a table of several columns its first figure.
        let cells: Vec<&str> = line.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect();
        let of_table = (cells.len() > 1).then(|| format!("{} {}", cells[0], cells[1]));
        let whole = of_table.unwrap_or_else(|| line.replace('_', " "));
        pairs(&whole).iter().flat_map(|pair| pair.split(',')).filter_map(clause).collect::<Vec<_>>()
    });
    let all: Vec<(u64, String)> = lines.collect();
    let carried =
        all.iter().filter(|(_, name)| ["frame", "packet", "pkts"].iter().any(|what| name.contains(what)));
    let carried = carried.map(|(count, _)| *count).max().unwrap_or(0);
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let is_many =
        |count: u64| count >= FEWEST && (carried == 0 || count as f64 / carried as f64 >= SMALLEST_SHARE);
    let mut bad: Vec<&(u64, String)> = all
        .iter()
        .filter(|(count, name)| is_many(*count) && each(COUNTED).any(|what| name.contains(what)))
        .collect();
    bad.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    bad.into_iter().map(|(count, name)| format!("counted: is={count}; what={}", clean(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::{has_states, pairs, states};

    #[test]
    fn what_is_bad_in_a_table_of_states_is_told() {
        let drives = "Id CagePos Type RPM State     Total  Free\n41 1:9:0   FC    15 failed   278528     0\n\
                      44 1:9:1   FC    15 normal   278528     0\n";
        assert_eq!(states(drives), ["state: thing=Id 41; is=failed"]);
        let controllers = "Name  Mode       Model   Version  Status\nCT0   primary    FA-420  6.1.10   ready\n\
                           CT1   secondary  FA-420  6.1.10   not ready\n";
        assert_eq!(states(controllers), ["state: thing=CT1; is=not ready"]);
        let named = "Enclosure Name  Slot Number  Drive Status  Size\nshelf1          7            Degraded (x)  1.2T\n";
        assert_eq!(states(named), ["state: thing=shelf1; is=degraded"]);
        assert!(has_states(&drives.replace("failed", "normal")));
        assert!(!has_states("the last state of it\n"));
        assert!(!has_states(&drives.replace("normal", "BLK")), "what is not known is not well");
        let ports = "Index Port Speed  State    Proto\n1 1 N16  Mod_Inv  FC\n2 2 N16  Offline  FC\n";
        assert_eq!(states(ports), ["state: thing=Index 1; is=mod_inv"]);
        let pools = "id name  status   count\n1  pool7 degraded 6\n";
        assert_eq!(states(pools), ["state: thing=pool7; is=degraded"]);
        let bricks = "Process  TCP Port  Online  Pid\nBrick x7:/b  N/A  N  N/A\nBrick x8:/b  49152  Y  77\n";
        assert_eq!(states(bricks), ["state: thing=Brick x7:/b; is=not online"]);
        let shares = "PID  POLS  U(%) CAP\n007  POLN  41  7\n008  POLF  99  7\n";
        assert_eq!(states(shares), ["filled: thing=PID 008; is=99%"]);
        for other in [
            "Port  Name  State\n1  a  offline\n",
            "the last state of it\nwas failed indeed\n",
            "NAME READY STATUS\npg-0 1/1 Running\n",
            "Name  Target  State\nora.x.y\n    OFFLINE OFFLINE n7\n",
        ] {
            assert_eq!(states(other), Vec::<String>::new(), "{other}");
        }
    }

    #[test]
    fn a_name_is_no_state() {
        let text =
            "NAME      STATE    OWNER\nfailed    running  x\ncritical  running  y\nz         failed   y\n";
        assert_eq!(states(text), ["state: thing=z; is=failed"]);
    }

    /// Each part of a line is looked at once.
    #[test]
    fn a_line_of_very_many_parts_is_read_in_time_by_its_length() {
        let fields = pairs(&"a  ".repeat(300_000));
        assert_eq!((fields.len(), fields[0].len()), (1, 599_999));
        assert_eq!(pairs("a:  b  c  d: e  f"), ["a: b", "c d: e", "f"]);
    }

    #[test]
    fn a_row_that_goes_on_and_a_thing_that_is_full_are_told() {
        let text = "Pool   Size  Used%  State  Parity Status\n------ ----- ------ ------ ------\np7     9TB   97%    online raid6,\n\
                    \u{20}                          degraded\np8     9TB   96%    online raid6\n";
        assert_eq!(states(text), ["filled: thing=p7; is=97%", "state: thing=p7; is=degraded"]);
    }

    #[test]
    fn a_field_of_a_state_is_told_with_the_name_before_it() {
        let text = "1:    ID                  = spx\n      Health state        = Critical (25)\n";
        assert_eq!(states(text), ["state: thing=spx; is=critical"]);
        let well = text.replace("Critical (25)", "OK (5)");
        assert_eq!((states(&well).len(), has_states(&well)), (0, true));
        let peers = "Hostname: x7\nState: Peer in Cluster (Disconnected)\n\nHostname: x8\nState: Peer in Cluster (Connected)\n";
        assert_eq!(states(peers), ["state: thing=x7; is=disconnected"]);
        assert_eq!(states("Port state : failed\nExit code : 7\n"), Vec::<String>::new());
    }

    #[test]
    fn a_row_that_goes_on_deeper_is_of_the_same_thing() {
        let text = "Source  Type  Health  Healthy\nx7:/a   DP    Mirrored\n                      true\n\
                    x8:/a   DP    Broken-off\n                      Idle  -  false  -\n";
        assert_eq!(states(text), ["state: thing=x8:/a; is=broken-off", "state: thing=x8:/a; is=not healthy"]);
    }

    #[test]
    fn an_alarm_is_told_until_it_is_over() {
        let text = "Alarm time               Class  Description\n2026-11-07 07:07:07 UTC  Major  Feed 7 Not OK\n\
                    2026-11-07 07:07:08 UTC  Major  Feed 8 Not OK (cleared)\n2026-11-07 07:07:08 UTC  Minor  Lamp\n";
        assert_eq!(states(text), ["alarm: is=major; what=feed 7 not ok"]);
    }

    #[test]
    fn how_many_are_in_a_bad_state_is_told() {
        let text = "ACTIVE PVs:  7      STALE PVs:   2\nFAILED DISKS: 0\nOffline files: 77\n";
        assert_eq!(states(text), ["state: thing=2 PVs; is=stale"]);
    }

    #[test]
    fn counts_of_what_should_not_be_are_told() {
        let pairs = "Ints:    88123    Loss_of_sync: 8812\nSuspended:  0     Frjt: 9\n";
        assert_eq!(states(pairs), ["counted: is=8812; what=loss of sync"]);
        let why = "Port  Name  Status  Vlan\nE7  a  linkFlapErrDisabled  7\n";
        assert_eq!(states(why), ["state: thing=E7; is=errdisabled"]);
        let port = "fc7 is up\n  98172311 frames input, 881231112 bytes\n   811233 discards, 12 errors\n";
        assert_eq!(states(port), ["counted: is=811233; what=discards"]);
        assert_eq!(states("| Tail Drop Pkts |  4412 |   0 |\n"), ["counted: is=4412; what=tail drop pkts"]);
        for few in ["  99817231123 frames input\n  8112 discards\n", "  812 discards\n", "  0 errors\n"] {
            assert_eq!(states(few), Vec::<String>::new(), "{few}");
        }
    }
}
