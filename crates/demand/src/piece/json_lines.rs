//! Logs of which each line is an object of JSON, or fields (`time="..." level=error msg="..."`), as lines of text: `STAMP - LEVEL
//! MESSAGE`.

use crate::joined::SLOW_S;
use fullwire_model::json;
use serde_json::Value;

/// Names under which programs keep the time, the level and the words of a line (`MongoDB` manual, Log Messages; zap, zerolog,
/// PostgreSQL's jsonlog, `CloudNativePG`).
const STAMPS: [&str; 6] = ["t", "ts", "log_time", "time", "timestamp", "@timestamp"];
const LEVELS: [&str; 5] = ["error_severity", "s", "level", "severity", "lvl"];
const WORDS: [&str; 6] = ["msg", "message", "error", "err", "detail", "planSummary"];

/// Deeper than any log nests what it says.
const DEEPEST: usize = 4;

/// The text of a log of objects; `None`: it is none.
pub(super) fn as_text(text: &str) -> Option<String> {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let objects = lines().filter(|line| line.starts_with("{\"") || is_fields(line)).count();
    if objects == 0 || objects * 2 < lines().count() {
        return None;
    }
    Some(lines().map(|line| as_line(line).unwrap_or_else(|| line.to_owned()) + "\n").collect())
}

/// logfmt, as programs in Go write it.
fn is_fields(line: &str) -> bool {
    ["time=", "ts=", "level="].iter().any(|start| line.starts_with(start)) && line.contains(" msg=")
}

/// The same as an object.
fn of_fields(line: &str) -> Value {
    let value = |name: &str| {
        let mark = format!(" {name}=");
        let rest = line.strip_prefix(&mark[1..]).or_else(|| Some(line.split_once(&mark)?.1))?;
        let end = |rest: &str| rest.find("\" ").or_else(|| rest.rfind('"')).unwrap_or(rest.len());
        Some(match rest.strip_prefix('"') {
            Some(rest) => rest[..end(rest)].to_owned(),
            None => rest.split(' ').next().unwrap_or("").to_owned(),
        })
    };
    let names = STAMPS.iter().chain(&LEVELS).chain(&WORDS);
    Value::Object(names.filter_map(|name| Some(((*name).to_owned(), Value::String(value(name)?)))).collect())
}

fn as_line(line: &str) -> Option<String> {
    let object = if is_fields(line) { of_fields(line) } else { json::read(line.as_bytes()).ok()? };
    let mut said: Vec<&str> = Vec::new();
    words(&object, 0, &mut said);
    // Inside stands what a server wrote, around it what passed it on.
    let level = field(&object, &LEVELS, 0)?;
    let level = match level.chars().next()?.to_ascii_uppercase() {
        'I' | 'D' | 'L' | 'N' => "INFO",
        'W' => "WARNING:",
        _ => "ERROR:",
    };
    let stamp = field(&object, &STAMPS, 0).unwrap_or("").replacen(' ', "T", 1);
    let stamp = stamp.split(' ').next().unwrap_or("");
    if let Some(slow) = slow_query(&object) {
        return Some(format!("{stamp} - {slow}"));
    }
    (!said.is_empty()).then(|| format!("{stamp} - {level} {}", said.join(": ").replace('\n', " ")))
}

/// An operation of `MongoDB` that took long, and what it waited for meanwhile (manual, Log Messages: `durationMillis`, `storage`,
/// `locks`).
fn slow_query(object: &Value) -> Option<String> {
    let of = object.get("attr").filter(|_| object["msg"] == "Slow query")?;
    let seconds = of["durationMillis"].as_f64().map(|ms| ms / 1e3).filter(|seconds| *seconds >= SLOW_S)?;
    let micros = |value: &Value| value.as_f64().unwrap_or(0.0) / 1e6;
    let each = |value: &Value| value.as_object().map_or(0.0, |all| all.values().map(micros).sum());
    let (storage, locks) = (&of["storage"], of["locks"].as_object());
    let locked: f64 =
        locks.into_iter().flat_map(|all| all.values()).map(|one| each(&one["timeAcquiringMicros"])).sum();
    let parts = [
        (
            "io_s",
            micros(&storage["data"]["timeReadingMicros"]) + micros(&storage["data"]["timeWritingMicros"]),
        ),
        ("cache_s", micros(&storage["timeWaitingMicros"]["cache"])),
        ("lock_s", locked),
        ("acknowledged_s", of["waitForWriteConcernDurationMillis"].as_f64().unwrap_or(0.0) / 1e3),
        // Of a command that reads no documents the line has no count, and nothing is known of them.
        ("examined", of["docsExamined"].as_f64().map_or(0.0, |count| count.max(1.0))),
    ];
    let statement =
        of["command"].as_object().and_then(|command| command.keys().next()).map_or("command", String::as_str);
    let parts =
        parts.iter().filter(|(_, value)| *value > 0.0).map(|(name, value)| format!("{name}={value}; "));
    let uncounted = if of["docsExamined"].is_number() { "" } else { "uncounted; " };
    Some(format!(
        "slow query: seconds={seconds}; {}{uncounted}statement={statement}",
        parts.collect::<String>()
    ))
}

/// The innermost text of one of these names.
fn field<'a>(value: &'a Value, names: &[&str], depth: usize) -> Option<&'a str> {
    let fields = value.as_object().filter(|_| depth < DEEPEST)?;
    let inner = fields.values().find_map(|value| field(value, names, depth + 1));
    let own = || {
        let value = names.iter().find_map(|name| fields.get(*name))?;
        value.as_str().or_else(|| value.get("$date")?.as_str())
    };
    inner.or_else(own)
}

fn words<'a>(value: &'a Value, depth: usize, said: &mut Vec<&'a str>) {
    let Some(fields) = value.as_object().filter(|_| depth < DEEPEST) else { return };
    said.extend(WORDS.iter().filter_map(|name| fields.get(*name)?.as_str()));
    fields.values().for_each(|value| words(value, depth + 1, said));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_a_line_with_its_stamp_level_and_words() {
        let mongod = r#"{"t":{"$date":"2026-11-27T04:05:06.7+00:00"},"s":"E","c":"STORAGE","id":7,"msg":"WiredTiger error","attr":{"error":28,"message":"write: No space left on device"}}"#;
        let passed = r#"{"level":"info","ts":"2026-11-27T04:05:06Z","msg":"record","record":{"log_time":"2026-11-27 04:05:05.1 UTC","error_severity":"PANIC","message":"could not write"}}"#;
        assert_eq!(
            as_text(&format!("{mongod}\n{passed}\n")).as_deref(),
            Some(
                "2026-11-27T04:05:06.7+00:00 - ERROR: WiredTiger error: write: No space left on device\n\
                 2026-11-27T04:05:05.1 - ERROR: record: could not write\n"
            )
        );
        let fields = "time=\"2026-11-27T04:05:06Z\" level=error msg=\"no answer of 192.0.2.7\" error=timeout";
        assert_eq!(
            as_text(fields).as_deref(),
            Some("2026-11-27T04:05:06Z - ERROR: no answer of 192.0.2.7: timeout\n")
        );
        assert_eq!(as_text("a line\n{\"level\":\"info\"}\nanother\n"), None);
        assert_eq!(as_text("{\"level\":\n"), Some("{\"level\":\n".to_owned()));
    }
}
