//! bonnie++: the table of 1.03 and 1.97, and the CSV line of 1.96 and later (format 1.96, 1.97, 1.98).

use super::fio::page_cache;
use super::{number, words};
use crate::{ReadError, page};
use fullwire_model::disk::{DiskResult, DiskStepResult, Operation, Pattern};
use fullwire_model::latency::Latency;
use fullwire_model::quantity::parse_size_bytes;
use fullwire_model::{Gap, GapReason};

const KIB: f64 = 1024.0;

/// True for the table or a CSV line.
pub(super) fn is_bonnie(text: &str) -> bool {
    text.contains("------Sequential Output------") || text.lines().any(|line| csv_fields(line).is_some())
}

/// `1.96,1.96,HOST,CONCURRENCY,TIME,SIZE,...`: format and program version in front.
fn csv_fields(line: &str) -> Option<Vec<String>> {
    let version = |text: &str| text.len() <= 6 && (text.starts_with("1.9") || text.starts_with("2."));
    let fields = page::fields(line, ',');
    (fields.len() >= 27 && version(&fields[0]) && version(&fields[1])).then_some(fields)
}

/// Reads the first result of a file.
pub(super) fn read(text: &str, name: &str) -> Result<DiskResult, ReadError> {
    let mut result = DiskResult {
        target: name.to_owned(),
        target_kind: "directory".into(),
        // A size of twice the memory is what keeps it honest.
        caveats: vec![page_cache("bonnie++ goes through the page cache")],
        ..DiskResult::default()
    };
    let figures = match text.lines().find_map(csv_fields) {
        Some(fields) => csv(&fields),
        None => table(text).map_err(|(line, what)| ReadError::new(name, line, what))?,
    };
    if !figures.host.is_empty() {
        result.target.clone_from(&figures.host);
    }
    result.working_set_bytes = figures.size_bytes;
    for (index, test) in TESTS.iter().enumerate() {
        if let Some(value) = figures.values.get(index).copied().flatten() {
            let max_ns = figures.latencies_ns.get(index).copied().flatten();
            result.steps.push(test.step(value, max_ns));
        } else {
            let detail = "not measured, or too fast to time (+++++)";
            result.gaps.push(Gap::new(format!("bonnie++ {}", test.name), GapReason::Absent, detail));
        }
    }
    if result.steps.is_empty() {
        return Err(ReadError::new(name, 1, "bonnie++'s heading without figures"));
    }
    Ok(result)
}

/// One of bonnie++'s six I/O tests, in the order in which it prints them.
struct Test {
    name: &'static str,
    operation: Operation,
    pattern: Pattern,
    /// Bytes of one I/O: 1 through the C library, else the chunk of 8 KiB (bonnie++(8), -s).
    block_bytes: u64,
    /// Seeks are counted, not bytes.
    seeks: bool,
}

const fn test(name: &'static str, operation: Operation, block_bytes: u64) -> Test {
    Test { name, operation, pattern: Pattern::Sequential, block_bytes, seeks: false }
}

const TESTS: [Test; 6] = [
    test("put_chr", Operation::Write, 1),
    test("put_block", Operation::Write, 8192),
    test("rewrite", Operation::Mixed, 8192),
    test("get_chr", Operation::Read, 1),
    test("get_block", Operation::Read, 8192),
    Test {
        name: "seeks",
        operation: Operation::Read,
        pattern: Pattern::Random,
        block_bytes: 8192,
        seeks: true,
    },
];

impl Test {
    fn step(&self, value: f64, max_ns: Option<u64>) -> DiskStepResult {
        let bytes_per_s = if self.seeks { value * self.block_bytes as f64 } else { value * KIB };
        DiskStepResult {
            profile: format!("bonnie++ {}", self.name),
            operation: self.operation,
            read_share: (self.operation == Operation::Mixed).then_some(0.5),
            pattern: self.pattern,
            block_bytes: self.block_bytes,
            // Three processes seek at the same time.
            queue_depth: 1,
            threads: if self.seeks { 3 } else { 1 },
            iops: if self.seeks { value } else { bytes_per_s / self.block_bytes as f64 },
            throughput_bytes_per_s: bytes_per_s,
            // Only the largest is printed.
            latency_ns: Latency { max: max_ns.unwrap_or(0), ..Latency::default() },
            ..DiskStepResult::default()
        }
    }
}

#[derive(Default)]
struct Figures {
    host: String,
    size_bytes: u64,
    /// KiB per second, and seeks a second.
    values: Vec<Option<f64>>,
    latencies_ns: Vec<Option<u64>>,
}

/// Positions of the format, as `bon_csv2txt` documents them: size, chunk, then pairs of rate and CPU share.
fn csv(fields: &[String]) -> Figures {
    let at = |index: usize| fields.get(index).map_or("", String::as_str);
    // A second name of the data set may be before the sizes.
    let shift = usize::from(
        number(at(5)).is_none() && parse_size_bytes(at(5)).is_err() && parse_size_bytes(at(6)).is_ok(),
    );
    // Format 1.98 (bonnie++ 2.00) tells the size of a seek and how many processes seek before the rates.
    let seeks = if number(at(0)).is_some_and(|format| format >= 1.98) { 2 } else { 0 };
    let values = (0..6).map(|test| number(at(7 + shift + seeks + test * 2))).collect::<Vec<_>>();
    let latencies_from = fields.len().checked_sub(12);
    let latencies = latencies_from.filter(|&from| fields[from..].iter().any(|field| field.ends_with('s')));
    Figures {
        host: at(2).to_owned(),
        size_bytes: parse_size_bytes(at(5 + shift)).unwrap_or(0),
        values,
        latencies_ns: latencies
            .map(|from| fields[from..from + 6].iter().map(|field| time_ns(field)).collect())
            .unwrap_or_default(),
    }
}

fn table(text: &str) -> Result<Figures, (usize, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let heading = lines
        .iter()
        .position(|line| line.starts_with("Machine") || line.starts_with("Name:Size"))
        .ok_or((1, "bonnie++'s table without \"Machine\" or \"Name:Size\"".to_owned()))?;
    let row = lines.get(heading + 1).map(|line| words(line)).filter(|row| row.len() >= 3);
    let row = row.ok_or((heading + 1, "bonnie++'s heading without figures below it".to_owned()))?;
    // A long name is alone, and the size is then the second word as well.
    let values = row[2..].chunks(2).map(|pair| rate_kib(pair[0])).collect();
    let latency = lines[heading + 1..]
        .iter()
        .find_map(|line| line.strip_prefix("Latency"))
        .map(words)
        .unwrap_or_default();
    Ok(Figures {
        host: row[0].to_owned(),
        size_bytes: parse_size_bytes(row[1].split(':').next().unwrap_or("")).unwrap_or(0),
        values,
        latencies_ns: latency.iter().map(|word| time_ns(word)).collect(),
    })
}

/// `158741` as 1.97 prints KiB per second, `201k`, `1.2g` as 2.00 does; seeks are plain.
fn rate_kib(word: &str) -> Option<f64> {
    let factor = match word.chars().next_back()? {
        'k' => return number(word.trim_end_matches('k')),
        'm' => 1024.0,
        'g' => 1_048_576.0,
        _ => return number(word),
    };
    number(&word[..word.len() - 1]).map(|value| value * factor)
}

/// `512ms`, `44660us`, `1s`.
fn time_ns(text: &str) -> Option<u64> {
    fullwire_model::quantity::parse_duration_ns(text).ok().filter(|_| text.ends_with('s'))
}
