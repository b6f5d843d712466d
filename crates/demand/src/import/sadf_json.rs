//! `sadf -j` and `iostat -o JSON`: `sysstat.hosts[].statistics[]`. The file is cut into the elements of `statistics` as it
//! streams by, so that memory does not grow with it, and each is walked without building a tree.

use super::Options;
use super::builder::Builder;
use crate::ReadError;
use crate::clock::Calendar;
use fullwire_model::GapReason;
use fullwire_model::demand::ImportedSeries;
use jiff::civil::DateTime;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::io::BufRead;

/// What is before the first element names the host; more is not a report.
const LARGEST_HEADER_BYTES: usize = 1 << 20;
/// One element: all devices and CPUs of one interval.
const LARGEST_ELEMENT_BYTES: usize = 64 << 20;
/// Maps within maps within lists: sysstat has four.
const DEEPEST: u8 = 16;

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

/// Where a file ended.
struct End {
    line: usize,
    complete: bool,
}

struct State {
    builder: Builder,
    origin: ImportedSeries,
    calendar: Calendar,
    options: Options,
    error: Option<String>,
    /// iostat's own JSON, whose first report is to come.
    iostat: bool,
    /// Hosts that came to their end.
    done: Vec<ImportedSeries>,
}

impl State {
    fn new(name: &str, options: Options) -> Self {
        let origin = ImportedSeries {
            source: name.to_owned(),
            tool: "sysstat".into(),
            clock: "local".into(),
            ..ImportedSeries::default()
        };
        Self {
            builder: Builder::new(),
            origin,
            calendar: Calendar::default(),
            options,
            error: None,
            iostat: false,
            done: Vec::new(),
        }
    }

    /// Puts the host that was read aside.
    fn end_host(&mut self) {
        let fresh = Self::new(&self.origin.source, self.options);
        let (builder, origin) = (
            std::mem::replace(&mut self.builder, fresh.builder),
            std::mem::replace(&mut self.origin, fresh.origin),
        );
        if !builder.is_empty() && self.done.len() < MOST_HOSTS {
            self.done.push(builder.finish(origin));
        }
    }

    /// What is before `"statistics": [`: made whole, it is JSON.
    fn header(&mut self, bytes: &[u8]) {
        self.end_host();
        let text = String::from_utf8_lossy(bytes);
        // The second host is behind the tail of the first.
        let own = text.find('{').map_or("", |start| &text[start..]);
        let whole: serde_json::Value = serde_json::from_str(&format!("{own}]}}]}}}}")).unwrap_or_default();
        let bare: serde_json::Value = serde_json::from_str(&format!("{own}]}}")).unwrap_or_default();
        let host = if bare.is_object() { &bare } else { &whole["sysstat"]["hosts"][0] };
        let string = |key: &str| host[key].as_str().map(str::to_owned);
        self.origin.host = string("nodename");
        self.origin.kernel = string("release");
        self.origin.cpus = host["number-of-cpus"].as_u64();
        // sadf says "file-date"; iostat "date", in the locale's order.
        if let Some(date) = string("date").filter(|_| string("file-date").is_none()) {
            self.origin.tool = "iostat".into();
            self.iostat = true;
            match Calendar::learn(self.options.date_order, std::iter::once(date.as_str())) {
                Ok(calendar) => self.calendar = calendar,
                // Only stamps that are dates of numbers need the order; without any there is nothing to ask.
                Err(_) => self.calendar = Calendar::default(),
            }
        }
    }

    fn element(&mut self, bytes: &[u8], line: usize) {
        if self.error.is_some() {
            return;
        }
        // The first report of iostat covers the time since boot.
        if std::mem::take(&mut self.iostat) {
            self.builder.begin_since_boot(None);
        } else {
            self.builder.begin(None);
        }
        let mut clock = None;
        let walk =
            Element { builder: &mut self.builder, calendar: self.calendar, clock: &mut clock, unread: None };
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
        if let Some(clock) = clock {
            self.origin.clock = clock;
        }
    }
}

/// Cuts the elements of each `statistics` out of the stream.
fn cut(mut reader: impl BufRead, state: &mut State) -> std::io::Result<End> {
    let mut cutter = Cutter { line: 1, ..Cutter::default() };
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        let length = chunk.len();
        cutter.feed(chunk, state);
        reader.consume(length);
    }
    Ok(End { line: cutter.line, complete: cutter.closed && !cutter.inside })
}

/// Follows strings and brackets; nothing else of JSON matters for cutting.
#[derive(Default)]
struct Cutter {
    /// Header or element so far, where it reaches beyond one chunk.
    kept: Vec<u8>,
    /// Within the list of a `statistics`.
    inside: bool,
    depth: u32,
    string: bool,
    escaped: bool,
    line: usize,
    start_line: usize,
    /// A list has come to its end.
    closed: bool,
    /// The host is done: what follows is its tail until the next header.
    tail: bool,
}

impl Cutter {
    fn feed(&mut self, mut bytes: &[u8], state: &mut State) {
        while !bytes.is_empty() {
            let used = if self.inside { self.in_list(bytes, state) } else { self.in_header(bytes, state) };
            bytes = &bytes[used..];
        }
    }

    /// Looks for the beginning of a list; returns how many bytes it has taken.
    fn in_header(&mut self, bytes: &[u8], state: &mut State) -> usize {
        for (index, &byte) in bytes.iter().enumerate() {
            self.line += usize::from(byte == b'\n');
            if self.tail && byte == b'{' {
                self.tail = false;
            }
            if self.tail || self.kept.len() >= LARGEST_HEADER_BYTES {
                continue;
            }
            self.kept.push(byte);
            if byte == b'[' && ends_with_statistics(&self.kept[..self.kept.len() - 1]) {
                state.header(&self.kept);
                self.kept.clear();
                (self.inside, self.depth, self.string) = (true, 0, false);
                return index + 1;
            }
        }
        bytes.len()
    }

    /// Hands on each element; returns how many bytes it has taken. An element within one chunk is not copied.
    fn in_list(&mut self, bytes: &[u8], state: &mut State) -> usize {
        let (mut at, mut from, mut counted) = (0, 0, 0);
        while let Some(next) = self.next_sign(bytes, at) {
            let byte = bytes[next];
            at = next + 1;
            match byte {
                b'"' => self.string = true,
                b'{' | b'[' => {
                    if self.depth == 0 {
                        from = next;
                        self.line += newlines(&bytes[counted..next]);
                        (counted, self.start_line) = (next, self.line);
                    }
                    self.depth += 1;
                }
                b'}' | b']' if self.depth > 0 => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        self.element(&bytes[from..at], state);
                    }
                }
                b']' => {
                    (self.inside, self.tail, self.closed) = (false, true, true);
                    self.line += newlines(&bytes[counted..at]);
                    return at;
                }
                _ => {}
            }
        }
        if self.depth > 0 {
            self.keep(&bytes[from..]);
        }
        self.line += newlines(&bytes[counted..]);
        bytes.len()
    }

    /// The next quote or bracket that is outside of strings.
    fn next_sign(&mut self, bytes: &[u8], mut at: usize) -> Option<usize> {
        loop {
            if self.escaped {
                if at >= bytes.len() {
                    return None;
                }
                (self.escaped, at) = (false, at + 1);
            }
            let rest = bytes.get(at..)?;
            if !self.string {
                return rest.iter().position(|&byte| SIGNS[usize::from(byte)]).map(|offset| at + offset);
            }
            at += rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))? + 1;
            match bytes[at - 1] {
                b'"' => self.string = false,
                _ => self.escaped = true,
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = LARGEST_ELEMENT_BYTES.saturating_sub(self.kept.len());
        self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn element(&mut self, last: &[u8], state: &mut State) {
        if self.kept.is_empty() {
            state.element(last, self.start_line);
        } else {
            self.keep(last);
            state.element(&self.kept, self.start_line);
            self.kept.clear();
        }
    }
}

/// What ends a stretch of figures.
const SIGNS: [bool; 256] = {
    let mut signs = [false; 256];
    signs[b'"' as usize] = true;
    signs[b'{' as usize] = true;
    signs[b'}' as usize] = true;
    signs[b'[' as usize] = true;
    signs[b']' as usize] = true;
    signs
};

fn newlines(bytes: &[u8]) -> usize {
    bytes.iter().map(|&byte| usize::from(byte == b'\n')).sum()
}

fn ends_with_statistics(header: &[u8]) -> bool {
    let trimmed = header.trim_ascii_end();
    trimmed.strip_suffix(b":").is_some_and(|rest| rest.trim_ascii_end().ends_with(b"\"statistics\""))
}

/// A string that is borrowed where it has no escapes (serde's own `Cow` is always a copy).
#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// One element of `statistics`. Yields a time stamp that could not be read, if it was ambiguous.
struct Element<'a> {
    builder: &'a mut Builder,
    calendar: Calendar,
    clock: &'a mut Option<String>,
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
                    let stamp: serde_json::Value = map.next_value()?;
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
    fn stamp(&mut self, stamp: &serde_json::Value) {
        let text = match stamp {
            serde_json::Value::String(text) => text.clone(),
            other => {
                let part = |key: &str| other[key].as_str().unwrap_or("").to_owned();
                let zone = other["tz"].as_str().map(str::to_owned);
                let utc = other["utc"].as_u64() == Some(1);
                *self.clock = zone.or_else(|| utc.then(|| "UTC".to_owned()));
                format!("{} {}", part("date"), part("time"))
            }
        };
        let at: Option<DateTime> = self.calendar.date_time(&text);
        if at.is_none() && text.trim().len() > 8 {
            self.unread = Some(text);
        }
        self.builder.set_time(at);
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
                "net-tcp" | "net-etcp" | "softnet" => {
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
        if !self.key.is_empty() {
            self.builder.push(self.area, &self.subject, &self.key, value);
        }
        Ok(())
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        self.visit_f64(value as f64)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.visit_f64(value as f64)
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
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
                subject = Cow::Owned(name.into_owned());
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
