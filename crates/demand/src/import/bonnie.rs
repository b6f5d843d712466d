//! bonnie++: the table of 1.03 and 1.97, and the CSV line of 1.96 and later (format 1.96, 1.97, 1.98).

use super::fio::page_cache;
use super::{number, words};
use crate::{ReadError, page};
use fullwire_model::disk::{Bonnie, DiskResult, Pattern, SmallFilesPlan, SmallFilesResult, Timed};
use fullwire_model::quantity::parse_size_bytes;
use fullwire_model::{Gap, GapReason};

const KIB: f64 = 1024.0;

/// True for the table or a CSV line.
pub(super) fn is_bonnie(text: &str) -> bool {
    text.contains("------Sequential Output------")
        || text.contains("------Sequential Create------")
        || text.lines().any(|line| csv_fields(line).is_some())
}

/// `1.96,1.96,HOST,CONCURRENCY,TIME,SIZE,...`: format and program version in front.
fn csv_fields(line: &str) -> Option<Vec<String>> {
    let version = |text: &str| text.len() <= 6 && (text.starts_with("1.9") || text.starts_with("2."));
    let fields = page::fields(line, ',');
    (fields.len() >= 27 && version(&fields[0]) && version(&fields[1])).then_some(fields)
}

/// Reads the first result of a file.
pub(super) fn read(text: &str, name: &str) -> Result<DiskResult, ReadError> {
    let bonnie = match text.lines().find_map(csv_fields) {
        Some(fields) => csv(&fields),
        None => table(text).map_err(|(line, what)| ReadError::new(name, line, what))?,
    };
    let mut result = DiskResult {
        target: if bonnie.machine.is_empty() { name } else { &bonnie.machine }.into(),
        target_kind: "directory".into(),
        working_set_bytes: bonnie.size_bytes,
        // A size of twice the memory is what keeps it honest.
        caveats: vec![page_cache("bonnie++ goes through the page cache")],
        ..DiskResult::default()
    };
    let untimed: Vec<&str> =
        rows(&bonnie).iter().filter(|(_, timed)| timed.per_s.is_none()).map(|(name, _)| *name).collect();
    if untimed.len() == rows(&bonnie).len() {
        return Err(ReadError::new(name, 1, "bonnie++'s heading without figures"));
    }
    if !untimed.is_empty() {
        let detail = format!("not measured, or too fast to time (+++++): {}", untimed.join(", "));
        result.gaps.push(Gap::new("bonnie++", GapReason::Absent, detail));
    }
    result.bonnie = Some(bonnie);
    Ok(result)
}

/// All rows with bonnie++'s own names, in its order.
fn rows(bonnie: &Bonnie) -> [(&'static str, &Timed); 12] {
    let (sequential, random) = (&bonnie.sequential, &bonnie.random);
    [
        ("put_chr", &bonnie.output_char),
        ("put_block", &bonnie.output_block),
        ("rewrite", &bonnie.rewrite),
        ("get_chr", &bonnie.input_char),
        ("get_block", &bonnie.input_block),
        ("seeks", &bonnie.seeks),
        ("seq_create", &sequential.create),
        ("seq_stat", &sequential.read),
        ("seq_del", &sequential.delete),
        ("ran_create", &random.create),
        ("ran_stat", &random.read),
        ("ran_del", &random.delete),
    ]
}

/// Cells of a table in bonnie++'s order: rates and CPU shares in pairs, and the longest calls.
#[derive(Default)]
struct Cells<'a> {
    /// The six tests of the large file.
    io: Vec<&'a str>,
    /// The six tests of small files.
    files: Vec<&'a str>,
    /// Of all twelve.
    latencies: [Vec<&'a str>; 2],
}

impl Cells<'_> {
    fn bonnie(&self, machine: &str, size: &str, plan: &SmallFilesPlan) -> Bonnie {
        let io = |index: usize| self.timed(0, index, if index == 5 { 1.0 } else { KIB });
        let files = |index: usize| self.timed(1, index, 1.0);
        let small = |pattern: Pattern, from: usize| SmallFilesResult {
            plan: SmallFilesPlan { pattern, ..plan.clone() },
            create: files(from),
            read: files(from + 1),
            delete: files(from + 2),
        };
        Bonnie {
            machine: machine.to_owned(),
            size_bytes: parse_size_bytes(size.split(':').next().unwrap_or("")).unwrap_or(0),
            memory_bytes: 0,
            output_char: io(0),
            output_block: io(1),
            rewrite: io(2),
            input_char: io(3),
            input_block: io(4),
            seeks: io(5),
            sequential: small(Pattern::Sequential, 0),
            random: small(Pattern::Random, 3),
        }
    }

    fn timed(&self, part: usize, index: usize, unit: f64) -> Timed {
        let pairs = if part == 0 { &self.io } else { &self.files };
        let at = |place: usize| pairs.get(place).copied().unwrap_or("");
        let latency = self.latencies[part].get(index).and_then(|word| time_ns(word));
        Timed {
            per_s: rate_kib(at(index * 2)).map(|rate| rate * unit),
            cpu_share: number(at(index * 2 + 1)).map(|percent| percent / 100.0),
            latency_max_ns: latency.unwrap_or(0),
            ..Timed::default()
        }
    }
}

/// `16`, `16:262144:8/128`: files in units of 1024, the largest and the smallest in bytes, directories.
fn files_plan(word: &str) -> SmallFilesPlan {
    let mut parts = word.split([':', '/']).map(|part| part.parse().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0_u64);
    SmallFilesPlan {
        files: next().saturating_mul(1024),
        max_bytes: next(),
        min_bytes: next(),
        threads: 1,
        ..SmallFilesPlan::default()
    }
}

/// Positions of the format, as `bon_csv2txt` documents them: size, chunk, then pairs of rate and CPU share.
fn csv(fields: &[String]) -> Bonnie {
    let at = |index: usize| fields.get(index).map_or("", String::as_str);
    // A second name of the data set may be before the sizes.
    let shift = usize::from(
        number(at(5)).is_none() && parse_size_bytes(at(5)).is_err() && parse_size_bytes(at(6)).is_ok(),
    );
    // Format 1.98 (bonnie++ 2.00) tells the size of a seek and how many processes seek before the rates.
    let seeks = if number(at(0)).is_some_and(|format| format >= 1.98) { 2 } else { 0 };
    let first = 7 + shift + seeks;
    let range = |from: usize, count: usize| (from..from + count).map(at).collect::<Vec<&str>>();
    let latencies =
        fields.len().checked_sub(12).filter(|&from| fields[from..].iter().any(|one| one.ends_with('s')));
    let cells = Cells {
        io: range(first, 12),
        // The number of files, their sizes, directories and chunk come between.
        files: range(first + 17, 12),
        latencies: latencies.map(|from| [range(from, 6), range(from + 6, 6)]).unwrap_or_default(),
    };
    let plan = [at(first + 12), at(first + 13), at(first + 14)].join(":");
    cells.bonnie(at(2), at(5 + shift), &files_plan(&plan))
}

fn table(text: &str) -> Result<Bonnie, (usize, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let starts = |names: [&'static str; 2]| {
        move |line: &&str| names.iter().any(|name| line.trim_start().starts_with(name) && line.contains("/s"))
    };
    let heading = lines.iter().position(|line| starts(["Machine", "Name:Size"])(line));
    let files = lines.iter().position(|line| starts(["files", "files:max"])(line));
    if heading.or(files).is_none() {
        return Err((1, "bonnie++'s table without \"Machine\" or \"Name:Size\"".to_owned()));
    }
    // The first line below with figures: pasted tables have empty lines between.
    let below = |heading: Option<usize>| {
        let rest = heading.map(|at| &lines[at + 1..]).unwrap_or_default();
        let row = rest.iter().map(|line| words(line)).find(|row| !row.is_empty()).unwrap_or_default();
        let latency = rest.iter().take(4).find_map(|line| line.strip_prefix("Latency")).map(words);
        (row, latency.unwrap_or_default())
    };
    let (row, of_io) = below(heading);
    let (small, of_files) = below(files);
    if row.len() < 3 && small.len() < 3 {
        return Err((
            heading.or(files).unwrap_or(0) + 1,
            "bonnie++'s heading without figures below it".to_owned(),
        ));
    }
    let cells = Cells {
        io: row.iter().skip(2).copied().collect(),
        files: small.iter().skip(1).copied().collect(),
        latencies: [of_io, of_files],
    };
    let word = |index: usize| row.get(index).copied().unwrap_or("");
    Ok(cells.bonnie(word(0), word(1), &files_plan(small.first().unwrap_or(&""))))
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
