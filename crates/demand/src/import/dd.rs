//! `dd` with its command: how long it took, and whether the page cache could have taken it.

use super::fio::page_cache;
use super::{number, whole};
use crate::ReadError;
use fullwire_model::disk::{DiskResult, DiskStepResult, Operation, Sync};
use fullwire_model::latency::Latency;
use fullwire_model::quantity::parse_size_bytes;

/// True for dd's own last lines, in any language: two counts of records, and what was copied, or what `time` printed.
pub(super) fn is_dd(text: &str) -> bool {
    let counts = text.lines().filter(|line| records(line).is_some()).count();
    let timed = |line: &str| copied(line).or_else(|| real_s(line).map(|s| (0.0, s))).is_some();
    // Its last line alone, or what status=progress prints.
    let alone = |line: &str| line.contains(" copied, ") && copied(line).is_some();
    text.lines().any(|line| alone(line) || counts >= 2 && timed(line))
}

/// Reads every run of dd in the text; the command above a run says how it wrote.
pub(super) fn read(text: &str, name: &str) -> Result<DiskResult, ReadError> {
    let mut result = DiskResult { target: name.into(), target_kind: "file".into(), ..DiskResult::default() };
    let (mut command, mut count, mut running) = ("", None, false);
    for (number, line) in text.lines().enumerate() {
        if let Some(operands) = operands(line) {
            (command, running) = (operands, false);
        } else if let Some(records) = records(line) {
            count = Some(records);
        } else if let Some((bytes, seconds)) = copied(line) {
            let counted = count.take();
            // What was there until then of the same run (status=progress).
            let is_progress = |last: &mut DiskStepResult| running && last.bytes as f64 <= bytes;
            if result.steps.last_mut().is_some_and(is_progress) {
                result.steps.pop();
            }
            running = counted.is_none();
            result.steps.push(step(command, counted.unwrap_or(0.0), bytes, seconds));
        } else if let (Some(records), Some(seconds)) = (count, real_s(line)) {
            // A dd that prints no time, below `time`.
            let Some(block) = block_bytes(command) else {
                let why = if command.is_empty() {
                    "dd prints records here, and no bytes: how large they are is in its command (bs=), which is not in the file"
                } else {
                    "dd's command has no bs=, and an option that is not known here holds a size: how much was moved is not known"
                };
                return Err(ReadError::new(name, number + 1, why));
            };
            result.steps.push(step(command, records, records * block, seconds));
            count = None;
        }
    }
    if result.steps.is_empty() {
        return Err(ReadError::at_end(name, text, "dd's output without a time"));
    }
    if let Some(target) = text.split_once(" of=").and_then(|(_, rest)| rest.split_whitespace().next())
        && target != "/dev/null"
    {
        result.target = target.into();
    }
    if result.steps.iter().any(|step| step.profile == "dd") {
        result.caveats.push(page_cache("dd's command is not in the file, nor whether it read or wrote"));
    } else if let Some(step) = result.steps.iter().find(|step| !step.direct && step.sync == Sync::None) {
        result.caveats.push(page_cache(match step.operation {
            Operation::Read => "dd ran without iflag=direct",
            _ => "dd ran without oflag=direct and oflag=dsync",
        }));
    }
    Ok(result)
}

/// What follows the command's name, whatever it is called (`dd_direct`, `/bin/dd`): the operands are dd's own.
fn operands(line: &str) -> Option<&str> {
    const OF_DD: [&str; 7] = ["if=", "of=", "bs=", "ibs=", "obs=", "count=", "--o_direct="];
    let is_of_dd = |word: &str| OF_DD.iter().any(|operand| word.starts_with(operand));
    let words: Vec<&str> = line.split_whitespace().collect();
    let named = words.iter().any(|word| word.starts_with("if=") || word.starts_with("of="));
    let first = words.iter().position(|word| is_of_dd(word)).filter(|_| named)?;
    // Options stand before the operands.
    let options = words[..first].iter().rev().take_while(|word| word.starts_with('-')).count();
    let begin = words[first - options];
    line.find(begin).map(|at| &line[at..])
}

/// `10000+0 records in`, `记录了10000+0 的读入`: whole ones, and cut ones.
fn records(line: &str) -> Option<f64> {
    let (whole, rest) = line.split_once('+')?;
    let (cut, words) = rest.split_once(' ')?;
    let whole = whole.trim_start_matches(|c: char| c.is_whitespace() || !c.is_ascii());
    let count = |text: &str| number(text).filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
    words.starts_with(char::is_alphabetic).then_some(count(whole)? + count(cut)?)
}

/// `81920000 bytes (82 MB, 78 MiB) copied, 0.0741 s, 1.1 GB/s`, whatever the words are: bytes first, then seconds and a rate
/// last. `81920000 bytes transferred in 0.0741 secs (1105533063 bytes/sec)` of BSD.
fn copied(line: &str) -> Option<(f64, f64)> {
    let line = line.trim().trim_end_matches("^C").replace(['，', '、'], ", ");
    let bytes = line.split(|c: char| !c.is_ascii_digit()).next()?;
    let words: Vec<&str> = line[bytes.len()..].split_whitespace().rev().collect();
    // `48.12 seconds, 21.3MB/s` of busybox.
    let (unit, seconds) = match words.as_slice() {
        [rate, unit, seconds, ..] if unit.starts_with("seconds") && rate.ends_with("B/s") => (rate, seconds),
        [unit, _, _, seconds, ..] => (unit, seconds),
        _ => return None,
    };
    let is_rate = unit.contains("B/") || unit.ends_with("bytes/sec)");
    let seconds = number(seconds).filter(|seconds| *seconds > 0.0 && is_rate)?;
    Some((bytes.parse().ok()?, seconds))
}

/// `real 6.77`, `real    1m32.274s` of `time`, s.
fn real_s(line: &str) -> Option<f64> {
    let time = line.strip_prefix("real")?.trim().trim_end_matches('s');
    let (minutes, seconds) = time.split_once('m').unwrap_or(("0", time));
    Some(number(minutes)? * 60.0 + number(seconds)?).filter(|seconds| *seconds > 0.0)
}

/// What `bs=`, `ibs=` or `--o_direct=IN,OUT` (a patch of dd) says; 512 bytes without them (dd(1)). `None`: an option that is
/// not known may say it.
fn block_bytes(command: &str) -> Option<f64> {
    let of = |name: &str| command.split_whitespace().find_map(|word| word.strip_prefix(name));
    let other = |word: &str| word.starts_with('-') && word.contains(|c: char| c.is_ascii_digit());
    let size = match of("bs=").or_else(|| of("ibs=")).or_else(|| of("--o_direct=")) {
        Some(size) => size.split(',').next().unwrap_or(size),
        None if command.is_empty() || command.split_whitespace().any(other) => return None,
        None => "512",
    };
    Some(parse_size_bytes(size).map_or(512.0, |bytes| bytes as f64))
}

/// What dd reads from or writes to without any storage.
const NO_STORAGE: [&str; 4] = ["/dev/zero", "/dev/null", "/dev/random", "/dev/urandom"];

fn step(command: &str, records: f64, bytes: f64, seconds: f64) -> DiskStepResult {
    let has = |flag: &str| {
        command.split(|c: char| c.is_whitespace() || c == '=' || c == ',').any(|word| word == flag)
    };
    let of = |name: &str| command.split_whitespace().find_map(|word| word.strip_prefix(name));
    let is_real = |side: Option<&str>| side.is_some_and(|path| !NO_STORAGE.contains(&path));
    let operation = match command {
        // Nothing tells what it did but that it copied.
        "" => Operation::Copy,
        _ if of("of=") == Some("/dev/null") => Operation::Read,
        _ if is_real(of("if=")) && is_real(of("of=")) => Operation::Copy,
        _ => Operation::Write,
    };
    let sync = match () {
        () if has("dsync") => Sync::Dsync,
        () if has("sync") && command.contains("oflag=") => Sync::Osync,
        () => Sync::None,
    };
    let count = if records > 0.0 { records } else { 1.0 };
    // The last line alone does not say in how many parts: how long one took is not known.
    let counted = Latency { count: whole(count), mean: seconds / count * 1e9, ..Latency::default() };
    let latency_ns = if records > 0.0 { counted } else { Latency::default() };
    DiskStepResult {
        profile: format!("dd {command}").trim().to_owned(),
        operation,
        block_bytes: whole(bytes / count),
        queue_depth: 1,
        threads: 1,
        direct: has("direct") || has("--o_direct") || command.contains("/dev/raw/"),
        sync,
        ios: whole(count),
        bytes: whole(bytes),
        duration_s: seconds,
        iops: count / seconds,
        throughput_bytes_per_s: bytes / seconds,
        latency_ns,
        ..DiskStepResult::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One part or a million: the last line alone does not say.
    #[test]
    fn how_long_a_part_took_is_known_only_with_their_number() {
        let last = "524288000 bytes (524 MB, 500 MiB) copied, 48.1 s, 10.9 MB/s\n";
        let alone = read(last, "x").unwrap().steps.remove(0);
        assert_eq!((alone.latency_ns.count, alone.bytes), (0, 524_288_000));
        let counted =
            read(&format!("500+0 records in\n500+0 records out\n{last}"), "x").unwrap().steps.remove(0);
        assert_eq!((counted.latency_ns.count, whole(counted.latency_ns.mean)), (500, 96_200_000));
    }
}
