//! How the judge does on the public `DBSherlock` set of slow MySQL periods (Yoon et al., SIGMOD 2016), read from a folder that
//! the user downloaded; nothing of it is kept. Its figures of the system are written as sar reports and imported.

mod mat;
mod page;

use crate::bench::json_of;
use crate::target_dir;
use anyhow::{Context, Result, bail};
use jiff::civil::DateTime;
use mat::Array;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const USAGE: &str = "usage: cargo xtask accuracy dbsherlock FOLDER [--fullwire FILE]
  FOLDER: a copy of github.com/dongyoungy/dbsherlock-reproducibility, or its dataset alone (*.mat)";

/// The first second of every run; the set has no dates.
const BEGIN: &str = "2015-07-10T12:00:00";

/// One run of the workload with what is known of it.
struct Case {
    cause: String,
    number: usize,
    seconds: usize,
    /// Seconds that the set calls abnormal, from 1.
    abnormal: BTreeSet<usize>,
    /// The figures of each second by their names.
    columns: Vec<(String, Vec<f64>)>,
}

/// A line of a table, made from the figures of a second.
type Row<'a> = &'a dyn Fn(&dyn Fn(&str) -> f64) -> String;

/// A span of trouble, its seconds counted as the set counts them.
struct Said {
    code: String,
    from: usize,
    to: usize,
}

/// A case with what the judge says of it.
struct JudgedCase {
    case: Case,
    said: Vec<Said>,
}

pub(super) fn run(words: &[&str]) -> Result<()> {
    let (folder, fullwire) = match words {
        [folder] => (Path::new(folder), None),
        [folder, "--fullwire", file] => (Path::new(folder), Some(PathBuf::from(file))),
        _ => bail!("{USAGE}"),
    };
    let fullwire = fullwire.map_or_else(crate::bench::built, Ok)?;
    let mut judged = Vec::new();
    for file in files(folder)? {
        let bytes = std::fs::read(&file).with_context(|| format!("read {}", file.display()))?;
        let variables = mat::read(&bytes).with_context(|| format!("read {}", file.display()))?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let cases = cases(&variables);
        eprintln!("{name}: {} runs", cases.len());
        for case in cases {
            let said = judge(&fullwire, &case)?;
            judged.push(JudgedCase { case, said });
        }
    }
    if judged.is_empty() {
        bail!("no run of the set is below {}", folder.display());
    }
    let section = page::section(&judged);
    page::put(&section)?;
    println!("{section}");
    Ok(())
}

/// The set's files below the folder, each one once: a copy may hold a file twice.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| format!("read {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "mat") {
                found.push(path);
            }
        }
    }
    found.sort();
    found.dedup_by(|one, other| std::fs::read(one).ok() == std::fs::read(other).ok());
    Ok(found)
}

/// Every run of a file: those with one cause, then those with two.
fn cases(variables: &std::collections::BTreeMap<String, Array>) -> Vec<Case> {
    let kinds = [
        ("test_datasets", "abnormal_regions", "causes"),
        ("compound_datasets", "abnormal_regions_compound", "compound_causes"),
    ];
    let mut all = Vec::new();
    for (sets, regions, causes) in kinds {
        let (Some(sets), Some(regions), Some(causes)) =
            (variables.get(sets), variables.get(regions), variables.get(causes))
        else {
            continue;
        };
        let (rows, sets) = sets.cells();
        let (regions, causes) = (regions.cells().1, causes.cells().1);
        // Column by column: the rows are the causes.
        for cause in 0..rows {
            for (number, index) in (cause..sets.len()).step_by(rows.max(1)).enumerate() {
                let region = regions.get(index).map_or(&[][..], Array::numbers);
                let name = causes.get(cause).map_or("", Array::text);
                all.extend(case(&sets[index], region, name, number));
            }
        }
    }
    all
}

fn case(set: &Array, region: &[f64], cause: &str, number: usize) -> Option<Case> {
    let Array::Numbers { rows, values } = set.member("data")? else { return None };
    let names = set.member("field_names")?.cells().1;
    let columns = names.iter().map(|name| name.text().to_owned()).zip(values.chunks((*rows).max(1)));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "numbers of seconds")]
    let abnormal = region.iter().map(|second| *second as usize).collect();
    Some(Case {
        cause: cause.to_owned(),
        number,
        seconds: *rows,
        abnormal,
        columns: columns.map(|(name, values)| (name, values.to_vec())).collect(),
    })
}

impl Case {
    /// A figure of a second, counted from 0.
    fn figure(&self, name: &str, second: usize) -> f64 {
        let column = self.columns.iter().find(|(known, _)| known == name);
        column.and_then(|(_, values)| values.get(second)).copied().unwrap_or(0.0)
    }

    /// The figures of the system as sar prints them. The set divided counts of requests by 2^20 and sectors by 2,048, as if
    /// they were bytes.
    fn sar(&self) -> String {
        const REQUESTS: f64 = 1_048_576.0;
        const SECTORS: f64 = 2_048.0;
        let begin: DateTime = BEGIN.parse().unwrap_or_default();
        let time = |second: usize| {
            let at = begin + jiff::Span::new().seconds(i64::try_from(second).unwrap_or(0));
            at.strftime("%H:%M:%S").to_string()
        };
        let mut text = "Linux 3.13.0 (mysql) \t2015-07-10 \t_x86_64_\t(4 CPU)\n\n".to_owned();
        let mut table = |heading: &str, row: Row| {
            let _ = writeln!(text, "{}  {heading}", time(0));
            for second in 1..self.seconds {
                let figure = |name: &str| self.figure(name, second);
                let _ = writeln!(text, "{}  {}", time(second), row(&figure));
            }
            text.push('\n');
        };
        table("CPU     %user     %nice   %system   %iowait    %steal     %idle", &|of| {
            let system = of("AvgCpuSys") + of("AvgCpuHiq") + of("AvgCpuSiq");
            let (user, waits, idle) = (of("AvgCpuUser"), of("AvgCpuWai"), of("AvgCpuIdle"));
            format!("all {user:.2} 0.00 {system:.2} {waits:.2} 0.00 {idle:.2}")
        });
        table("pswpin/s pswpout/s", &|of| {
            let (read, written) = (of("osNumberOfSwapInSinceLastBoot"), of("osNumberOfSwapOutSinceLastBoot"));
            format!("{read:.2} {written:.2}")
        });
        table("DEV       tps  rd_sec/s  wr_sec/s     %util", &|of| {
            let requests = (of("osNumberOfReadsIssued") + of("osNumberOfWritesCompleted")) * REQUESTS;
            let (read, written) =
                (of("osNumberOfSectorReads") * SECTORS, of("osNumberOfSectorWrites") * SECTORS);
            format!("sda {requests:.2} {read:.2} {written:.2} {:.2}", of("osDiskUtilization"))
        });
        table("IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s", &|of| {
            format!("eth0 0.00 0.00 {:.2} {:.2}", of("osNetworkRecvKB"), of("osNetworkSendKB"))
        });
        table("runq-sz  plist-sz   ldavg-1   ldavg-5  ldavg-15", &|of| {
            format!("{:.0} 200 1.0 1.0 1.0", of("osNumberOfProcessesCurrentlyRunning"))
        });
        text
    }
}

/// What an import says of a case, at least a warning.
fn judge(fullwire: &Path, case: &Case) -> Result<Vec<Said>> {
    let file = target_dir().join(format!("dbsherlock-{}.txt", std::process::id()));
    std::fs::write(&file, case.sar()).with_context(|| format!("write {}", file.display()))?;
    let document = json_of(
        Command::new(fullwire)
            .args(["import", "--no-store", "--spans", "--json", "--fail-on", "never"])
            .arg(&file),
    );
    let _ = std::fs::remove_file(&file);
    let document = document.with_context(|| format!("{} {}", case.cause, case.number))?;
    let spans = document["spans"].as_array().into_iter().flatten();
    Ok(spans.filter(|span| span["severity"] != "info").filter_map(said).collect())
}

fn said(span: &Value) -> Option<Said> {
    let begin: DateTime = BEGIN.parse().ok()?;
    let second = |key: &str| {
        let at: DateTime = span[key].as_str()?.parse().ok()?;
        usize::try_from(at.duration_since(begin).as_secs()).ok()
    };
    Some(Said {
        code: span["code"].as_str()?.to_owned(),
        // The set counts from 1: what ends with the second 1 is its second line.
        from: second("from")? + 2,
        to: second("to")? + 1,
    })
}

impl JudgedCase {
    fn touches_abnormal(&self, said: &Said) -> bool {
        (said.from..=said.to).any(|second| self.case.abnormal.contains(&second))
    }

    /// Spans that lie wholly in time that the set calls normal.
    fn in_normal_time(&self) -> impl Iterator<Item = &Said> {
        self.said.iter().filter(|said| !self.touches_abnormal(said))
    }
}
