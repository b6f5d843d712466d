//! `sadf -j`, `iostat -o JSON` and `mpstat -o JSON`: `sysstat.hosts[].statistics[]`. Each element of
//! `statistics` is walked as it streams by, without building a tree.

use super::builder::{Builder, recorded};
use super::json_cut::{Pieces, cut};
use super::sar::restarted;
use super::{Options, is_figure, is_json};
use crate::ReadError;
use crate::clock::{Calendar, time_of_day};
use fullwire_model::GapReason;
use fullwire_model::demand::ImportedSeries;
use fullwire_model::json;
use jiff::civil::DateTime;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::io::BufRead;

/// Maps within maps within lists: sysstat has four.
const DEEPEST: u8 = 16;

/// True for the JSON of `sadf -j`, `iostat` and `mpstat`.
pub(super) fn is_sysstat(text: &str) -> bool {
    is_json(text) && text.contains("\"sysstat\"")
}

/// Reads the stream to its end, or to where it breaks off.
pub(super) fn read(
    reader: impl BufRead,
    name: &str,
    options: Options,
) -> Result<Vec<ImportedSeries>, ReadError> {
    let mut state = State::new(name, options);
    let end =
        cut(reader, &mut state).map_err(|error| ReadError::new(name, 1, format!("cannot read: {error}")))?;
    if let Some(error) = state.error {
        return Err(ReadError::new(name, 1, error));
    }
    if !end.complete {
        let detail = format!("line {}: the file is cut off; everything before this line was read", end.line);
        state.builder.gap("end of file", GapReason::Malformed, detail);
    }
    state.end_host();
    if state.done.is_empty() {
        return Err(ReadError::new(
            name,
            end.line,
            "no supported statistics: expected the output of sadf -j FILE -- -A, or of iostat -o JSON",
        ));
    }
    Ok(state.done)
}

/// More hosts than anyone puts into one file.
const MOST_HOSTS: usize = 256;

struct State {
    builder: Builder,
    origin: ImportedSeries,
    clock: Clock,
    options: Options,
    error: Option<String>,
    /// What wrote the file.
    writer: Writer,
    /// Elements of this host so far.
    elements: u64,
    restarts: usize,
    /// Hosts that came to their end.
    done: Vec<ImportedSeries>,
}

/// The tools of sysstat that write JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writer {
    Sadf,
    Iostat,
    Mpstat,
}

/// Reads the stamps of one host.
#[derive(Default)]
struct Clock {
    calendar: Calendar,
    /// The date in front of the list, as printed: mpstat's stamps have a time alone.
    date: Option<String>,
    last: Option<DateTime>,
    /// What is to be said of the order of its dates, where stamps needed it.
    assumed: Option<String>,
    used: bool,
}

impl Clock {
    /// The date and the time of a stamp, or what of it could not be read.
    fn read(&mut self, stamp: &str) -> Result<Option<DateTime>, String> {
        let whole = self.calendar.date_time(stamp);
        self.used |= stamp.contains('/') || !stamp.contains('-');
        let bare = time_of_day(stamp).filter(|_| whole.is_none() && !stamp.contains(['-', '/', 'T']));
        let Some(time) = bare else {
            let unread = whole.is_none() && stamp.trim().len() > 8;
            return if unread { Err(stamp.to_owned()) } else { Ok(whole) };
        };
        let Some(printed) = &self.date else { return Ok(None) };
        let begun = self.last.map(DateTime::date).or_else(|| self.calendar.date(printed));
        let Some(date) = begun else { return Err(printed.clone()) };
        let at = date.to_datetime(time);
        let runs_back = self.last.is_some_and(|last| last.duration_until(at).as_secs() < -HALF_DAY_S);
        let at = if runs_back { at.checked_add(jiff::Span::new().days(1)).unwrap_or(at) } else { at };
        self.last = Some(at);
        Ok(Some(at))
    }
}

/// A time that runs back by more is the next day's.
const HALF_DAY_S: i64 = 43_200;

impl State {
    fn new(name: &str, options: Options) -> Self {
        let origin = recorded(name, "sysstat", "local");
        Self {
            builder: Builder::new(),
            origin,
            clock: Clock::default(),
            options,
            error: None,
            writer: Writer::Sadf,
            elements: 0,
            restarts: 0,
            done: Vec::new(),
        }
    }

    /// Puts the host that was read aside.
    fn end_host(&mut self) {
        let fresh = Self::new(&self.origin.source, self.options);
        let (mut builder, origin) = (
            std::mem::replace(&mut self.builder, fresh.builder),
            std::mem::replace(&mut self.origin, fresh.origin),
        );
        let clock = std::mem::take(&mut self.clock);
        if let Some(assumed) = clock.assumed.filter(|_| clock.used) {
            builder.gap("date", GapReason::Absent, assumed);
        }
        let restarts = std::mem::take(&mut self.restarts);
        if restarts > 0 {
            builder.gap("uptime", GapReason::Skipped, restarted(restarts, "file"));
        }
        // Without an interval mpstat prints one report: of the time since boot.
        if self.writer == Writer::Mpstat && self.elements == 1 {
            builder.all_since_boot();
        }
        if !builder.is_empty() && self.done.len() < MOST_HOSTS {
            self.done.push(builder.finish(origin));
        }
    }
}

impl Pieces for State {
    /// What is before `"statistics": [`: made whole, it is JSON.
    fn header(&mut self, bytes: &[u8]) {
        self.end_host();
        let text = String::from_utf8_lossy(bytes);
        // The second host is behind the tail of the first.
        let own = text.find('{').map_or("", |start| &text[start..]);
        let whole: Value = json::read(format!("{own}]}}]}}}}").as_bytes()).unwrap_or_default();
        let bare: Value = json::read(format!("{own}]}}").as_bytes()).unwrap_or_default();
        let host = if bare.is_object() { &bare } else { &whole["sysstat"]["hosts"][0] };
        let string = |key: &str| host[key].as_str().map(str::to_owned);
        self.origin.host = string("nodename");
        self.origin.kernel = string("release");
        self.origin.cpus = host["number-of-cpus"].as_u64();
        // sadf says "file-date"; iostat and mpstat "date", in the locale's order.
        let date = string("date").filter(|_| string("file-date").is_none());
        self.writer = if date.is_some() { Writer::Iostat } else { Writer::Sadf };
        if date.is_some() {
            self.origin.tool = "iostat".into();
        }
        // Only stamps that are dates of numbers need the order; without any there is nothing to ask.
        let (calendar, assumed) =
            self.options.calendar(date.as_deref().into_iter(), ("", &self.origin.source));
        self.clock = Clock { calendar, date, last: None, assumed, used: false };
        self.elements = 0;
    }

    /// What is behind the list of a host: its restarts.
    fn tail(&mut self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let own = text.trim_start().trim_start_matches(',');
        let tail: Value = json::read(format!("{{{own}").as_bytes()).unwrap_or_default();
        self.restarts = tail["restarts"].as_array().map_or(0, Vec::len);
    }

    fn element(&mut self, bytes: &[u8], line: usize) {
        if self.error.is_some() {
            return;
        }
        self.elements += 1;
        if self.elements == 1 && self.writer == Writer::Iostat && is_of_mpstat(bytes) {
            self.writer = Writer::Mpstat;
            self.origin.tool = "mpstat".into();
        }
        // The first report of iostat covers the time since boot; mpstat with an interval has none such.
        if self.elements == 1 && self.writer == Writer::Iostat {
            self.builder.begin_since_boot(None);
        } else {
            self.builder.begin(None);
        }
        let mut zone = None;
        let walk =
            Element { builder: &mut self.builder, clock: &mut self.clock, zone: &mut zone, unread: None };
        let mut deserializer = serde_json::Deserializer::from_slice(bytes);
        match walk.deserialize(&mut deserializer) {
            Ok(None) => {}
            Ok(Some(stamp)) => {
                self.error = Some(format!(
                    "line {line}: \"{stamp}\" is ambiguous: give its order with --date-order dmy, mdy or ymd"
                ));
            }
            Err(error) => self.builder.malformed("statistics", line, &error.to_string()),
        }
        if let Some(zone) = zone {
            self.origin.clock = zone;
        }
    }
}

/// True for an element of mpstat (`json_mpstat.c`); iostat's have `avg-cpu` and `disk`.
fn is_of_mpstat(bytes: &[u8]) -> bool {
    let has = |key: &[u8]| bytes.windows(key.len()).any(|part| part == key);
    let own: [&[u8]; 5] = [
        b"\"cpu-load\"", b"\"node-load\"", b"\"sum-interrupts\"", b"\"individual-interrupts\"",
        b"\"soft-interrupts\"",
    ];
    own.into_iter().any(has)
}

/// A string that is borrowed where it has no escapes (serde's own `Cow` is always a copy).
#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// One element of `statistics`. Yields a time stamp that could not be read, if it was ambiguous.
struct Element<'a> {
    builder: &'a mut Builder,
    clock: &'a mut Clock,
    zone: &'a mut Option<String>,
    unread: Option<String>,
}

impl<'de> DeserializeSeed<'de> for Element<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Element<'_> {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the statistics of one interval")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self::Value, A::Error> {
        while let Some(Text(key)) = map.next_key()? {
            match key.as_ref() {
                "timestamp" => {
                    let stamp: Value = map.next_value()?;
                    self.stamp(&stamp);
                }
                "avg-cpu" => map.next_value_seed(Values::new(self.builder, "cpu", "all"))?,
                "cpu-load" | "cpu-load-all" => map.next_value_seed(Values::new(self.builder, "cpu", ""))?,
                "disk" => map.next_value_seed(Values::new(self.builder, "disk", ""))?,
                "memory" | "swap-pages" | "paging" => {
                    map.next_value_seed(Values::new(self.builder, "memory", ""))?;
                }
                "network" => map.next_value_seed(Network { builder: self.builder })?,
                "io" | "queue" | "process-and-context-switch" => {
                    map.next_value_seed(Values::new(self.builder, "system", ""))?;
                }
                "psi" => {
                    map.next_value_seed(Values {
                        prefixed: true,
                        ..Values::new(self.builder, "system", "")
                    })?;
                }
                // Interrupts, sensors, terminals, file systems: nothing that affects the I/O path.
                other => {
                    self.builder.leave_out(other);
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(self.unread)
    }
}

impl Element<'_> {
    /// sadf: `{"date", "time", "tz" | "utc"}`; iostat: one string.
    fn stamp(&mut self, stamp: &Value) {
        let text = match stamp {
            Value::String(text) => text.clone(),
            other => {
                let part = |key: &str| other[key].as_str().unwrap_or("").to_owned();
                let zone = other["tz"].as_str().map(str::to_owned);
                let utc = other["utc"].as_u64() == Some(1);
                *self.zone = zone.or_else(|| utc.then(|| "UTC".to_owned()));
                format!("{} {}", part("date"), part("time"))
            }
        };
        match self.clock.read(&text) {
            Ok(at) => self.builder.set_time(at),
            Err(unread) => self.unread = Some(unread),
        }
    }
}

/// `network`: a list or map for each protocol, named by its key.
struct Network<'a> {
    builder: &'a mut Builder,
}

impl<'de> DeserializeSeed<'de> for Network<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Network<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("network statistics")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Text(key)) = map.next_key()? {
            match key.as_ref() {
                "net-dev" | "net-edev" => map.next_value_seed(Values::new(self.builder, "nic", ""))?,
                "net-nfs" => map.next_value_seed(Values::new(self.builder, "nfs", ""))?,
                "softnet" => map.next_value_seed(Values::new(self.builder, "softnet", ""))?,
                "net-tcp" | "net-etcp" => {
                    map.next_value_seed(Values::new(self.builder, "system", ""))?;
                }
                other => {
                    self.builder.leave_out(other);
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// Figures in a map, in a list of maps (the first text of each names its subject), or in maps within.
struct Values<'a> {
    builder: &'a mut Builder,
    area: &'static str,
    subject: Cow<'a, str>,
    /// The key that leads here.
    key: Cow<'a, str>,
    /// Keys of inner maps are in front of the names: `psi-io some_avg`.
    prefixed: bool,
    /// Members of a list without their own name would be distinguished by nothing.
    depth: u8,
}

impl<'a> Values<'a> {
    fn new(builder: &'a mut Builder, area: &'static str, subject: &'a str) -> Self {
        Self { builder, area, subject: subject.into(), key: "".into(), prefixed: false, depth: 0 }
    }
}

impl<'de> DeserializeSeed<'de> for Values<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.depth > DEEPEST {
            return deserializer.deserialize_ignored_any(IgnoredAny).map(|_| ());
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Values<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("figures")
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        match self.area {
            _ if self.key.is_empty() => {}
            // As sar prints them: nfsiostat has counts of the same names.
            "nfs" => self.builder.push(self.area, &self.subject, &format!("{}/s", self.key), value),
            _ => self.builder.push(self.area, &self.subject, &self.key, value),
        }
        Ok(())
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        self.visit_f64(value as f64)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.visit_f64(value as f64)
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        if is_figure(text) && !self.key.is_empty() {
            self.builder.cell(self.area, &self.subject, &self.key, text);
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        loop {
            let member = Values {
                builder: &mut *self.builder,
                area: self.area,
                subject: Cow::Borrowed(&self.subject),
                key: Cow::Borrowed(""),
                prefixed: self.prefixed,
                depth: self.depth + 1,
            };
            if list.next_element_seed(member)?.is_none() {
                return Ok(());
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut subject = self.subject;
        while let Some(Text(key)) = map.next_key()? {
            if matches!(key.as_ref(), "cpu" | "disk-device" | "disk_device" | "iface" | "fchost") {
                let Text(name) = map.next_value()?;
                // sysstat before 12.1 calls all CPUs together -1.
                subject = Cow::Owned(if name == "-1" { "all".to_owned() } else { name.into_owned() });
                continue;
            }
            let key = if self.prefixed && !self.key.is_empty() {
                Cow::Owned(format!("{}_{key}", self.key))
            } else {
                key
            };
            map.next_value_seed(Values {
                builder: &mut *self.builder,
                area: self.area,
                subject: Cow::Borrowed(&subject),
                key,
                prefixed: self.prefixed,
                depth: self.depth + 1,
            })?;
        }
        Ok(())
    }
}
