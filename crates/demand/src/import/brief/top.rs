//! The first lines of `uptime`, `w` and `top`, and `free`: load, CPU time and memory at one moment.

use crate::ReadError;
use crate::import::builder::Builder;
use crate::import::{clean, human, number};
use fullwire_model::GapReason;
use fullwire_model::demand::ImportedSeries;

/// True for a line with the three load averages, or for the columns of `free`.
pub(in crate::import) fn is_top(text: &str) -> bool {
    text.lines().take(200).any(|line| loads(line).is_some() || is_free(line))
}

/// `       total        used        free      shared  buff/cache   available`; before procps 3.3.10 `buffers` and `cached`.
fn is_free(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.starts_with(&["total", "used", "free", "shared"])
}

/// `load average: 182.53, 92.02, 37.95`; a locale may print `0,50, 0,40, 0,30`.
fn loads(line: &str) -> Option<[f64; 3]> {
    let (_, rest) = line.split_once("load average:")?;
    let words: Vec<f64> =
        rest.split_whitespace().filter_map(|word| number(word.trim_end_matches(','))).collect();
    words.get(..3)?.try_into().ok()
}

/// Reads each moment that is printed.
pub(in crate::import) fn read(text: &str, name: &str) -> Result<ImportedSeries, ReadError> {
    let mut builder = Builder::new();
    let (mut cpus, mut columns) = (0_u64, Vec::new());
    let mut free: Option<f64> = None;
    for line in text.lines().map(clean) {
        if let Some(loads) = loads(&line) {
            builder.begin(None);
            cpus = 0;
            for (column, value) in ["ldavg-1", "ldavg-5", "ldavg-15"].into_iter().zip(loads) {
                builder.push("system", "", column, value);
            }
        } else if is_free(&line) {
            builder.begin(None);
            columns = line.split_whitespace().map(str::to_owned).collect();
            free = None;
        } else if let Some((area, cells)) = line.split_once(':').filter(|_| !columns.is_empty()) {
            let cells: Vec<&str> = cells.split_whitespace().collect();
            let unit = *free.get_or_insert_with(|| unit_of_free(&cells));
            for (column, kib) in row_of_free(area.trim(), &columns, &cells, unit) {
                builder.push("memory", "", column, kib);
            }
        } else if let Some((of, shares)) = cpu(&line) {
            cpus += u64::from(of != "all");
            for (column, value) in shares {
                builder.push("cpu", &of, column, value);
            }
        } else {
            for (column, kib) in memory(&line) {
                builder.push("memory", "", column, kib);
            }
        }
    }
    builder.gap(
        "moment",
        GapReason::Absent,
        "these lines show one moment: record sar -q -u -d, or vmstat -t 10, to see how long it lasted",
    );
    let origin = ImportedSeries {
        source: name.to_owned(),
        tool: if text.contains("top - ") { "top" } else { "uptime" }.into(),
        cpus: (cpus > 1).then_some(cpus),
        clock: "local".into(),
        ..ImportedSeries::default()
    };
    builder.done(origin)
}

/// In what `free` printed, in KiB: it does not say so. No host has less than 600 MB in KiB, or more than as many in MiB and GiB.
fn unit_of_free(memory: &[&str]) -> f64 {
    match memory.first().and_then(|total| number(total)) {
        Some(total) if total < 600.0 => 1_048_576.0,
        Some(total) if total < 600_000.0 => 1024.0,
        _ => 1.0,
    }
}

/// A row of `free` by sar's names, KiB; `-h` prints `62Gi`.
fn row_of_free(area: &str, columns: &[String], cells: &[&str], unit: f64) -> Vec<(&'static str, f64)> {
    const NAMES: [(&str, &str, &str); 6] = [
        ("Mem", "free", "kbmemfree"),
        ("Mem", "used", "kbmemused"),
        ("Mem", "buff/cache", "kbcached"),
        ("Mem", "available", "kbavail"),
        ("Swap", "free", "kbswpfree"),
        ("Swap", "used", "kbswpused"),
    ];
    let kib = |cell: &str| match number(cell) {
        Some(value) => Some(value * unit),
        None => human(cell.trim_end_matches(['i', 'B'])).map(|bytes| bytes / 1024.0),
    };
    let of = |(_, name, known): &(&str, &str, &'static str)| {
        let place = columns.iter().position(|column| column == name)?;
        Some((*known, kib(cells.get(place)?)?))
    };
    // Before procps 3.3.10: used and free without what the page cache would give back.
    if area == "-/+ buffers/cache" {
        return cells.get(1).and_then(|cell| kib(cell)).map(|kib| ("kbavail", kib)).into_iter().collect();
    }
    NAMES.iter().filter(|(row, ..)| *row == area).filter_map(of).collect()
}

/// Whose time it is, and its shares by column.
type Shares = (String, Vec<(&'static str, f64)>);

/// `%Cpu(s):  1.7 us,  1.6 sy, ...`, `Cpu0  :  0.1%us,  0.6%sy`, `%Cpu2 : 44.1 us`.
fn cpu(line: &str) -> Option<Shares> {
    let (name, rest) = line.trim().trim_start_matches('%').split_once(':')?;
    let own = name.trim().strip_prefix("Cpu")?;
    let of = if own == "(s)" { "all".to_owned() } else { own.parse::<u32>().ok()?.to_string() };
    let share = |part: &str| {
        let words: Vec<&str> = part.split(['%', ' ']).filter(|word| !word.is_empty()).collect();
        let [value, column] = words.as_slice() else { return None };
        let known = ["us", "sy", "ni", "id", "wa", "st"];
        Some((*known.iter().find(|known| *known == column)?, number(value)?))
    };
    let shares: Vec<(&'static str, f64)> = parts(rest).filter_map(share).collect();
    (!shares.is_empty()).then_some((of, shares))
}

/// The parts of a list: a comma behind a figure is the locale's decimal sign, `0,3 wa,100,0 id`.
fn parts(list: &str) -> impl Iterator<Item = &str> {
    let mut last = ' ';
    list.split(move |c: char| {
        c == ',' && last.is_alphabetic() || {
            last = c;
            false
        }
    })
}

/// `MiB Mem : 128655.1 total, 812.4 free, 101992.3 used, 25850.4 buff/cache`, `Swap: 1049568k total, 0k used, ...`: sar's names of
/// the columns, in KiB.
fn memory(line: &str) -> Vec<(&'static str, f64)> {
    const MEMORY: [(&str, &str); 4] =
        [("free", "kbmemfree"), ("used", "kbmemused"), ("avail Mem", "kbavail"), ("buff/cache", "kbcached")];
    const SWAP: [(&str, &str); 3] = [("free", "kbswpfree"), ("used", "kbswpused"), ("avail Mem", "kbavail")];
    let Some((name, rest)) = line.split_once(':') else { return Vec::new() };
    let words: Vec<&str> = name.split_whitespace().collect();
    let names: &[(&str, &'static str)] = match words.last() {
        Some(&"Mem") => &MEMORY,
        Some(&"Swap") => &SWAP,
        _ => return Vec::new(),
    };
    let unit = match words.first() {
        Some(&"MiB") => 1024.0,
        Some(&"GiB") => 1_048_576.0,
        _ => 1.0,
    };
    let figure = |part: &str| {
        let (value, what) = part.trim().split_once(char::is_whitespace)?;
        let known = names.iter().find(|(printed, _)| what.trim().trim_end_matches('.') == *printed)?;
        Some((known.1, number(value.trim_end_matches('k'))? * unit))
    };
    parts(rest).flat_map(|part| part.split(". ")).filter_map(figure).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(file: &ImportedSeries, subject: &str, metric: &str) -> Option<f64> {
        let one = file.series.iter().find(|one| one.subject == subject && one.metric == metric)?;
        one.samples.first().map(|sample| sample.value)
    }

    #[test]
    fn uptime_and_the_head_of_top_are_read() {
        let uptime =
            read(" 18:03:16 up 1 day, 2:46, 6 users, load average: 182.53, 92.02, 37.95\n", "x").unwrap();
        assert_eq!(value(&uptime, "", "ldavg_1"), Some(182.53));
        assert_eq!(value(&uptime, "", "ldavg_15"), Some(37.95));
        let top = "top - 20:27:15 up 36 min, 3 users, load average: 1.24, 1.22, 1.14\n Cpu0 :  0.1% us, 0.6% sy,  0.0% ni, 99.1% id, 0.2% wa\n\
                   Cpu1 : 44.1% us, 19.0% sy,  0.0% ni, 36.9% id,  0.0% wa\n";
        let top = read(top, "x").unwrap();
        assert_eq!((value(&top, "1", "user_ratio"), top.cpus), (Some(0.441), Some(2)));
        let new = "top - 1:0:0 up 1 min, load average: 0.1, 0.2, 0.3\n%Cpu(s):  3.1 us,  1.2 sy,  0.0 ni, 20.5 id, 75.0 wa,  0.0 hi\n";
        assert_eq!(value(&read(new, "x").unwrap(), "all", "iowait_ratio"), Some(0.75));
        let full = "top - 1:0:0 up 1 min, load average: 0.1, 0.2, 0.3\nMiB Mem : 128655.1 total,    812.5 free, 101992.3 used,  25850.4 buff/cache\n\
                    MiB Swap:  16384.0 total,      0.3 free,  16383.7 used.   1422.0 avail Mem\n";
        let free = "              total        used        free      shared  buff/cache   available\nMem:          64231       63012         312          12         907         301\n\
                    Swap:         16383       16100         283\n";
        let free = read(free, "x").unwrap();
        assert_eq!(value(&free, "", "available_bytes"), Some(301.0 * 1_048_576.0));
        let old = "             total       used       free     shared    buffers     cached\nMem:        128812     128121        690          1         10       1022\n\
                   -/+ buffers/cache:     127088       1723\n";
        assert_eq!(value(&read(old, "x").unwrap(), "", "available_bytes"), Some(1723.0 * 1_048_576.0));
        let human = "   total   used   free   shared  buff/cache   available\nMem:   62Gi   61Gi   305Mi   12Mi   907Mi   301Mi\n";
        assert_eq!(value(&read(human, "x").unwrap(), "", "available_bytes"), Some(301.0 * 1_048_576.0));
        // A locale with a decimal comma prints the same figures.
        let comma = read(&full.replace('.', ",").replace("used,", "used."), "x").unwrap();
        let full = read(full, "x").unwrap();
        for metric in ["free_bytes", "available_bytes", "used_bytes"] {
            assert_eq!(value(&comma, "", metric), value(&full, "", metric), "{metric}");
        }
        let comma = "top - 1:0:0 up 1 min, load average: 38,12, 35,90, 29,44\n%Cpu(s):  2,1 us,100,0 sy, 11,2 id, 85,1 wa,  0,0 hi\n";
        let comma = read(comma, "x").unwrap();
        assert_eq!(
            ["iowait_ratio", "idle_ratio", "system_ratio"].map(|metric| value(&comma, "all", metric)),
            [Some(0.851), Some(0.112), Some(1.0)]
        );
        assert_eq!(value(&full, "", "free_bytes"), Some(812.5 * 1_048_576.0));
        assert_eq!(value(&full, "", "available_bytes"), Some(1422.0 * 1_048_576.0));
    }
}
