//! What the kernel, a driver or a service says by itself: which line means what, why, and what to do. One table, in the
//! files of this folder; this file has no line of it. Every entry has its source.
//!
//! A line is judged by its own words and by the lines beside it; the first entry that fits counts. The rules on the kernel's
//! log ask for the entry of its line (`of`), the rule on what is handed over for that of any line (`of_any`); both take its
//! words and its remedy in place of general ones.

/// An [`Entry`]: whose floor it is and how bad (`Storage Critical`, `Warning` where a device's name goes before what it says,
/// nothing where it is no trouble), then its fields, and what it has in common with others (`..HUNG`). One that has no name
/// is called by what it says.
macro_rules! entry {
    ($layer:ident $severity:ident, $($fields:tt)+) => {
        entry! { layer: Some(fullwire_model::assessment::Layer::$layer), $severity, $($fields)+ }
    };
    (layer: $layer:expr, $severity:ident, $($fields:tt)+) => {
        entry! { layer: $layer, severity: Some(fullwire_model::assessment::Severity::$severity), $($fields)+ }
    };
    ($severity:ident, $($fields:tt)+) => {
        entry! { severity: Some(fullwire_model::assessment::Severity::$severity), $($fields)+ }
    };
    ($($field:ident: $value:expr),+, ..$base:expr) => {
        $crate::said::Entry { $($field: $value,)+ ..$base }.whole()
    };
    ($($field:ident: $value:expr),+) => { entry! { $($field: $value),+, ..$crate::said::EMPTY } };
}

mod adapters;
mod databases;
mod disks;
mod host;
mod kinds;
mod networks;
mod outputs;
mod sense;

pub(crate) use databases::database_kinds;
pub(crate) use outputs::{STAGES, STANDBY_LAG, STOPPED_ARRAY};

use crate::advice::{AdviceExt, because, keep_boot_parameter};
use fullwire_model::LoggedLine;
use fullwire_model::assessment::{Advice, Layer, OfDrive, Severity};
use fullwire_model::host::database_log;
use fullwire_model::host::kernels_own::{SERVICES, is_numbered, kernels_own, program_of};
use fullwire_model::host::stack::hung_task;
use fullwire_model::host::trouble::{Known, Meaning};
use fullwire_model::host::words::{self, Words};
use fullwire_model::host::{Host, LogLine};
use fullwire_model::subject::{Kind, Subject};
use kinds::general;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Which lines of a log tell of trouble that is known here, for whoever reads logs.
pub const KNOWN_LINES: Known = Known(meaning);

/// What a line means.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    /// Of all lines with one name a finding is made.
    pub(crate) name: &'static str,
    /// Who writes the line: one of these drivers, programs or parts; empty: anyone.
    whose: &'static [&'static str],
    /// What the line holds, all of it, in any case of letters, between the borders of words (`words::is_word_at`).
    all: &'static [&'static str],
    /// What it holds one of; empty: nothing more.
    any: &'static [&'static str],
    /// What another line of the same log holds one of; empty: nothing is asked.
    beside: &'static [&'static str],
    /// A number behind these words, `*` standing for anything, that must be at least so large; of an entry without other words,
    /// the line holds these.
    pub(crate) least: Option<(&'static str, f64)>,
    /// Whose floor it is; `None`: that of the rule which shows it.
    pub(crate) layer: Option<Layer>,
    /// How bad it is on the day; `None`: it is no trouble, or part of what another line reports.
    pub(crate) severity: Option<Severity>,
    /// What happened: a clause after the device's name, or with a subject of its own. `{n}` is the number of `least`, `{s}` the
    /// longest time that a line names, `{task}` the task that hangs, `{by}` the name of who wrote it.
    pub(crate) says: &'static str,
    /// What happened is said with a subject of its own: where the floor is known, always.
    has_subject: bool,
    /// Why, and what it does to the database; empty: what happened tells it.
    pub(crate) why: &'static str,
    /// What to do now, a step in each line.
    now: &'static str,
    /// The first step asks the drive itself (SMART).
    asks_drive: bool,
    /// The last step has the drive replaced.
    replaces_drive: bool,
    /// What ends it, likewise.
    lasting: &'static str,
    /// Parameters of the kernel's command line that end it.
    boot: &'static [(&'static str, &'static str)],
    /// It says how things are from then on, until a later line holds one of these words; empty: it says what happened once.
    until: &'static [&'static str],
    /// What stands before the number of seconds in the line; empty: it has none.
    figure: &'static str,
    /// Where it is from.
    pub(crate) source: &'static str,
}

const EMPTY: Entry = Entry {
    name: "",
    whose: &[],
    all: &[],
    any: &[],
    beside: &[],
    least: None,
    layer: None,
    severity: None,
    says: "",
    has_subject: false,
    why: "",
    now: "",
    asks_drive: false,
    replaces_drive: false,
    lasting: "",
    boot: &[],
    until: &[],
    figure: "",
    source: "",
};

/// What the kernel and its drivers log, the more special before the more general.
fn of_kernel() -> impl Iterator<Item = &'static Entry> {
    [sense::ENTRIES, disks::ENTRIES, adapters::ENTRIES, networks::ENTRIES, host::TASKS].into_iter().flatten()
}

/// What any line of a kind means, and what is no trouble.
fn in_general() -> impl Iterator<Item = &'static Entry> {
    kinds::entries().chain(host::AT_BOOT)
}

/// All that is known by its own words: lines of databases' logs are known by their kind as well.
fn entries() -> impl Iterator<Item = &'static Entry> {
    of_kernel().chain(host::OTHERS).chain(outputs::entries()).chain(in_general())
}

impl Entry {
    const fn whole(self) -> Self {
        let name = if self.name.is_empty() { self.says } else { self.name };
        Self { name, has_subject: self.has_subject || self.layer.is_some(), ..self }
    }

    /// A line that it fits holds one of these words.
    fn handles(&'static self) -> &'static [&'static str] {
        let longest = (0..self.all.len()).max_by_key(|index| self.all[*index].len());
        match (&self.least, longest) {
            (_, Some(index)) => &self.all[index..=index],
            (Some((behind, _)), None) if self.any.is_empty() => std::slice::from_ref(behind),
            _ => self.any,
        }
    }

    fn fits(&self, line: &str, beside: &dyn Fn(&str) -> bool) -> bool {
        let holds = |word: &&str| words::holds(line, &word.to_lowercase());
        let is_number = self.all.is_empty() && self.any.is_empty();
        (!is_number || self.least.is_none_or(|(behind, _)| holds(&behind)))
            && (self.whose.is_empty()
                || self.whose.iter().any(|name| general::stands_at(line, name).is_some()))
            && self.all.iter().all(holds)
            && (self.any.is_empty() || self.any.iter().any(holds))
            && (self.beside.is_empty() || self.beside.iter().any(|word| beside(&word.to_lowercase())))
    }

    /// The number of the line, in lower case, is large enough, or cannot be read.
    fn is_reached(&self, lower: &str) -> bool {
        self.least.is_none_or(|(behind, least)| number(lower, behind).is_none_or(|number| number >= least))
    }

    /// The kernel says it: its source is a file of Linux.
    fn is_kernels(&self) -> bool {
        const FOLDERS: [&str; 8] =
            ["drivers/", "fs/", "kernel/", "mm/", "net/", "block/", "arch/", "include/"];
        let mut named = self.source.match_indices("Linux ").map(|(at, word)| &self.source[at + word.len()..]);
        named.any(|rest| FOLDERS.iter().any(|folder| rest.starts_with(folder)))
    }

    /// The longest wait that these lines tell of, s.
    pub(crate) fn longest_s(&self, lines: &[&LogLine]) -> Option<f64> {
        let seconds = lines.iter().filter_map(|line| number_after(&line.text, self.figure));
        seconds.reduce(f64::max).filter(|_| !self.figure.is_empty())
    }

    /// What happened to this device, by the line, and its number and longest time.
    pub(crate) fn message(&self, device: &str, text: &str, number: &str, longest: &str) -> String {
        let task =
            hung_task(text).map_or("a task", |task| task.rsplit_once(':').map_or(task, |(name, _)| name));
        let says = self.says.replace("{n}", number).replace("{s}", longest).replace("{task}", task);
        let by = || general::name_of(&text.to_lowercase()).unwrap_or("").to_owned();
        let says = if says.contains("{by}") { says.replace("{by}", &by()) } else { says };
        let says = filled(&says, text);
        if self.has_subject { says } else { format!("{device} {says}") }
    }

    /// How bad so many lines of it are: a link that is lost again and again is no single event.
    pub(crate) fn severity_of(&self, times: impl Fn() -> u64) -> Option<Severity> {
        const FLAPS: u64 = 3;
        let flaps = self.name == adapters::FC_LINK && times() >= FLAPS;
        if flaps { self.severity.max(Some(Severity::Warning)) } else { self.severity }
    }

    /// What this line of it says is still so by the log: it lasts, and no later line ends it.
    pub(crate) fn lasts(&self, line: &LogLine, log: &[LogLine]) -> bool {
        let ends = |other: &LogLine| {
            let text = other.text.to_lowercase();
            other.seconds > line.seconds
                && self.until.iter().any(|word| words::holds(&text, &word.to_lowercase()))
        };
        !self.until.is_empty() && !log.iter().any(ends)
    }

    /// It is no trouble.
    pub(crate) fn is_harmless(&self) -> bool {
        self.severity.is_none()
    }

    /// What it says has a subject of its own, and is no clause after the name of a device.
    pub(crate) fn has_subject(&self) -> bool {
        self.has_subject
    }

    /// What to do about it on this host.
    pub(crate) fn advice(&self, host: &Host) -> Advice {
        let why = if self.why.is_empty() {
            format!("It is documented in {}.", self.source)
        } else {
            self.why.to_owned()
        };
        let mut advice = self.now.lines().fold(because(why), AdviceExt::now);
        if let Some(first) = advice.steps.first_mut().filter(|_| self.asks_drive) {
            first.drive = Some(OfDrive::Asked);
        }
        for (name, value) in self.boot {
            advice = advice.and(keep_boot_parameter(host, name, value));
        }
        if !self.boot.is_empty() {
            advice = advice.persist("Restart the host: the kernel reads them at boot alone").reboots();
        }
        let mut advice = self.lasting.lines().fold(advice, AdviceExt::persist);
        if let Some(last) = advice.steps.last_mut().filter(|_| self.replaces_drive) {
            last.drive = Some(OfDrive::Replaced);
        }
        advice.expecting("the line does not appear again")
    }
}

/// The entry of a line of the kernel's log among the others of it.
pub(crate) fn of(line: &LogLine, log: &[LogLine]) -> Option<&'static Entry> {
    let beside = |word: &str| log.iter().any(|other| words::holds(&other.text.to_lowercase(), word));
    // What a pattern is for has its own rule; other lines mean in a host's log what they mean in a piece of it.
    let outputs = outputs::entries().filter(|entry| line.pattern == "trouble" && entry.least.is_none());
    find(of_kernel().chain(outputs).chain(in_general()), &kernels_own(&line.text), &beside)
}

/// What a line that no entry is for means by its writer and its verb.
pub(crate) fn by_words(text: &str) -> Option<&'static Entry> {
    let own = database_log::servers_own(text).map_or(text, |[_, last]| last);
    general::of(&own.to_lowercase()).filter(|_| cells_of(text).is_none() && field_of(text).is_none())
}

/// What the kernel says behind the name of a task that hangs (`kernel/hung_task.c`).
const HANGS: &str = " blocked for more than ";

/// A line in lower case, and what of it the kernel may have said: programs, statements, and cells of a listing that are sentences,
/// repeat whatever somebody chose.
struct Said {
    all: String,
    kernels: Option<String>,
    program: Option<String>,
}

impl Said {
    fn new(text: &str) -> Self {
        let program = program_of(text).map(str::to_owned);
        let servers = database_log::servers_own(text);
        let kernels = match cells_of(text) {
            _ if is_numbered(text) || servers.is_some() => Some(String::new()),
            Some((name, cells)) => {
                let own: Vec<&str> = cells.filter(|cell| !cell.contains(' ')).collect();
                Some(format!("{name}: {}", own.join("; ")))
            }
            None => field_of(text).map(str::to_owned),
        };
        let all = servers.map_or(text, |[_, last]| last);
        // What a task that hangs is called tells nothing of what it waits for.
        let all = all.rfind(HANGS).map_or(all, |at| &all[at..]).to_lowercase();
        Self { all, kernels: kernels.map(|text| text.to_lowercase()), program }
    }

    fn fits(&self, entry: &Entry, beside: &dyn Fn(&str) -> bool) -> bool {
        // Few programs tell of what the kernel does.
        let tells = |program: &str| {
            let is = |name: &&str| program.starts_with(*name);
            program == "multipathd" || SERVICES.iter().any(is) || entry.whose.iter().any(is)
        };
        let is_kernels = || entry.is_kernels() && !self.program.as_deref().is_some_and(tells);
        let own = self.kernels.as_ref().filter(|_| is_kernels());
        entry.fits(own.unwrap_or(&self.all), beside)
    }
}

/// The name of a record's field, `SysName: x`: the kernel's parts, drivers and devices are lower-case words, capitals, or several
/// words. Not a field in which a collector of logs keeps the line.
fn field_of(text: &str) -> Option<&str> {
    let (name, _) = text.trim_start().split_once(':')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().any(|byte| byte.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_name && !["Message", "Msg"].contains(&name)).then_some(name)
}

/// Name and cells of a listing's row, `ps: user=ada; command=x`: the kernel has no line of several fields that are parted so.
fn cells_of(text: &str) -> Option<(&str, std::str::Split<'_, &'static str>)> {
    const WORDS: usize = 3;
    let is_name = |name: &str| {
        name.split_whitespace().count() <= WORDS
            && name.chars().all(|c| c.is_alphanumeric() || " _%#$()/.-".contains(c))
    };
    let is_cell = |cell: &str| cell.split_once('=').is_some_and(|(name, _)| is_name(name));
    let (name, cells) = text.split_once(": ").filter(|(_, cells)| cells.contains("; "))?;
    cells.split("; ").all(is_cell).then(|| (name, cells.split("; ")))
}

/// What was judged in an output that has nothing bad: `judged: things=8; by=PCT_USED; highest=81% (USERS)`.
pub(crate) fn is_judged(line: &LoggedLine) -> bool {
    line.text.starts_with("judged: ")
}

/// The same for a reader.
pub(crate) fn judged(line: &LoggedLine) -> Option<String> {
    let of = |name: &str| cell(&line.text, name).filter(|_| is_judged(line));
    let highest = of("highest").map(|highest| format!(", at most {highest}")).unwrap_or_default();
    let by = of("by")?;
    let told = match of("things")? {
        "0" => "No state was judged.".to_owned(),
        "1" => format!("One thing was judged, by {by}{highest}: it is not bad."),
        things => format!("{things} things were judged, by {by}{highest}: none is bad."),
    };
    let cut = of("first").map(|size| format!(" Only the first {size} were judged.")).unwrap_or_default();
    let open =
        of("open").map(|open| format!(" The meaning of {open} is not known here.")).unwrap_or_default();
    Some(format!("{told}{open}{cut}"))
}

/// An entry of trouble has the words of this line, or it ends what one says. Only those are asked of which the line holds one word,
/// and each once: a line may hold the word as often as its writer likes. Where no figure of the line is large enough for any of
/// them, it is well.
fn meaning(line: &str) -> Meaning {
    static ASKED: LazyLock<(Words, Vec<&'static Entry>)> = LazyLock::new(|| {
        let trouble = entries().filter(|entry| !entry.is_harmless());
        let (words, entries): (Vec<_>, Vec<_>) = trouble
            .flat_map(|entry| {
                let words = entry.handles().iter().chain(entry.until);
                words.map(move |word| (word.to_lowercase(), entry))
            })
            .unzip();
        (Words::new(words), entries)
    });
    let (words, entries) = &*ASKED;
    let mut asked = BTreeSet::new();
    let said = Said::new(line);
    let lower = line.to_lowercase();
    let mut is_well = false;
    for (which, _) in words.found_in(&said.all).filter(|(which, _)| asked.insert(*which)) {
        let entry = entries[which];
        let ends = || entry.until.iter().any(|end| words::holds(&said.all, &end.to_lowercase()));
        let fits = said.fits(entry, &|_| true);
        if fits && entry.is_reached(&lower) || ends() {
            return Meaning::Trouble;
        }
        is_well |= fits;
    }
    if is_well { Meaning::Well } else { Meaning::Unknown }
}

/// The entry of a line of any log or output among the others.
pub(crate) fn of_any(line: &LoggedLine, log: &[LoggedLine]) -> Option<&'static Entry> {
    let beside = |word: &str| log.iter().any(|other| words::holds(&other.text.to_lowercase(), word));
    // What is harmless in the kernel's log comes last, for its words are few.
    let (trouble, harmless): (Vec<_>, Vec<_>) = entries().partition(|one| !one.is_harmless());
    let of_database = || {
        let text = Some(&line.text).filter(|text| cells_of(text).is_none())?;
        let kind = database_log::kind_of(text).filter(|kind| *kind != database_log::UNKNOWN)?;
        database_kinds().find(|entry| entry.name == kind)
    };
    let lower = line.text.to_lowercase();
    // A number that is too small for one entry may be enough for another; else it is no trouble.
    find(
        trouble.iter().copied().filter(|entry: &&'static Entry| entry.is_reached(&lower)),
        &line.text,
        &beside,
    )
    .or_else(|| find(trouble.into_iter(), &line.text, &beside))
    .or_else(of_database)
    .or_else(|| find(harmless.into_iter(), &line.text, &beside))
}

/// What stands in braces is the value of that column of a listing's row, or a quotient of them.
fn filled(says: &str, row: &str) -> String {
    let mut text = String::new();
    let mut rest = says;
    while let Some((before, (name, after))) =
        rest.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    {
        let value = if name.contains('÷') {
            quotient(&row.to_lowercase(), name).map(|number| format!("{number:.0}"))
        } else {
            cell(row, name).map(str::to_owned)
        };
        text.push_str(before);
        text.push_str(value.as_deref().unwrap_or("?"));
        rest = after;
    }
    text + rest
}

/// The value of a column in a row `listing: column=value; column=value`.
fn cell<'a>(row: &'a str, name: &str) -> Option<&'a str> {
    let cells = row.split_once(": ").map_or(row, |(_, cells)| cells).split("; ");
    let mut pairs = cells.filter_map(|cell| cell.split_once('='));
    pairs.find(|(column, _)| column.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// `readtim×10÷phyrds` of a row: columns and numbers.
fn quotient(row: &str, of: &str) -> Option<f64> {
    let figure =
        |text: &str| if text == "unlimited" { Some(f64::INFINITY) } else { text.parse::<f64>().ok() };
    let value = |name: &str| name.parse().ok().or_else(|| figure(cell(row, name)?));
    let product = |names: &str| names.split('×').map(value).try_fold(1.0, |all, one| Some(all * one?));
    let (above, below) = of.split_once('÷')?;
    product(below).filter(|below| *below > 0.0).and_then(|below| Some(product(above)? / below))
}

/// The number behind these words, whatever stands between: `*` for anything, blanks, or the edges of a table's cells; of a
/// listing's row also a quotient of its columns.
pub(crate) fn number(text: &str, behind: &str) -> Option<f64> {
    if behind.contains('÷') {
        return quotient(text, behind);
    }
    let mut rest = text;
    for part in behind.split('*') {
        rest = rest.split_once(part)?.1;
    }
    let rest = rest.trim_start_matches([' ', '\t', '|', ':', '=', '"', '+', '-']);
    let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    digits.trim_end_matches('.').parse().ok()
}

fn find(
    mut among: impl Iterator<Item = &'static Entry>,
    text: &str,
    beside: &dyn Fn(&str) -> bool,
) -> Option<&'static Entry> {
    let said = Said::new(text);
    among.find(|entry| said.fits(entry, beside))
}

/// The number that follows a mark in a line: 7.645 of `wal: sync duration of 7.645129468s`.
pub(crate) fn number_after(text: &str, mark: &str) -> Option<f64> {
    let (_, rest) = text.split_once(mark)?;
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    rest[..end].parse().ok().filter(|number: &f64| number.is_finite())
}

/// The device that a line is about, as it calls it: `nvme0`, `sdl`, `ata4.00`, `mpt2sas0`, `connection1:0`.
pub(crate) fn device_of(text: &str) -> Option<&str> {
    let bare = |word: &'_ str| -> Option<(usize, usize)> {
        let start = word.len() - word.trim_start_matches(['[', '(', '"']).len();
        let end = word.trim_end_matches([':', ',', '.', ')', ']', '"', '!']).len();
        (start < end).then_some((start, end))
    };
    let words = text.split_whitespace().filter_map(|word| bare(word).map(|(start, end)| &word[start..end]));
    words.filter(|word| !word.contains('=')).find(|word| is_device(word))
}

/// How the names of kinds of devices begin; one that begins with none of these is a block device.
const BEGINNINGS: [(Kind, &[&str]); 6] = [
    (Kind::MultipathMap, &["mpath", "emcpower"]),
    (Kind::Nic, &["eth", "en", "em", "ib", "team"]),
    (Kind::Bond, &["bond"]),
    (Kind::Adapter, &["ata", "mpt", "host", "0000:"]),
    (Kind::IscsiSession, &["connection", "session"]),
    (Kind::RemotePort, &["rport-"]),
];

/// The device that has this name in the kernel's log.
pub(crate) fn thing(name: &str) -> Subject {
    // `nvme0` is a controller, `nvme0n1` a disk behind it.
    let controller = name.strip_prefix("nvme").is_some_and(|rest| !rest.contains('n'));
    let known = BEGINNINGS.iter().find(|(_, all)| all.iter().any(|start| name.starts_with(start)));
    let named = known.map_or(Kind::Disk, |(kind, _)| *kind);
    if controller { Kind::NvmeController } else { named }.named(name)
}

/// The layer that a thing of this kind belongs to; `None`: a file tells nothing of it.
pub(crate) fn layer_of(kind: Kind) -> Option<Layer> {
    match kind {
        Kind::Nic | Kind::Bond => Some(Layer::Network),
        Kind::Adapter
        | Kind::Disk
        | Kind::IscsiSession
        | Kind::MultipathMap
        | Kind::NvmeController
        | Kind::RemotePort => Some(Layer::Storage),
        _ => None,
    }
}

fn is_device(word: &str) -> bool {
    let numbered = |prefix: &str| {
        word.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let letters = |prefix: &str| {
        word.strip_prefix(prefix).is_some_and(|rest| {
            (1..=3).contains(&rest.len()) && rest.bytes().all(|byte| byte.is_ascii_lowercase())
        })
    };
    letters("sd")
        || letters("vd")
        || [
            "nvme", "dm-", "md", "ata", "mpt2sas", "mpt3sas", "mpt2sas_cm", "mpt3sas_cm", "connection",
            "session",
        ]
        .iter()
        .any(|prefix| numbered(prefix))
}

#[cfg(test)]
mod tests;
