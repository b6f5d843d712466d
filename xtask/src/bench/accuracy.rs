//! First answers to fresh draws: faults of random kind and strength whose truth is measured by removing each. A seed is
//! counted once, with the version that first saw it: what was mended afterwards does not change what was said first.

use super::process::shown;
use crate::{head, target_dir};
use anyhow::{Context, Result, bail};
use jiff::Zoned;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What came out, round by round.
pub(crate) const RESULTS: &str = "docs/draws.json";
const USAGE: &str = "usage: cargo xtask bench accuracy --seeds A-B --kind disk|net --bench FOLDER [--binary FILE]
       cargo xtask bench accuracy --seeds A-B --kind disk|net --drawn FILE --commit HASH
  FOLDER has the program `draw` of the fault bench; --binary: judge this executable, not the release profile's;
  --drawn: what `draw --json` left of these seeds, drawn with the program of that commit";

struct Arguments {
    seeds: [u64; 2],
    kind: String,
    source: Source,
}

/// Where the draws come from.
enum Source {
    /// The bench draws them now, for this executable.
    Bench { bench: PathBuf, binary: PathBuf },
    /// They were drawn with the program of this commit.
    Drawn { file: PathBuf, commit: String },
}

impl Arguments {
    fn parse(words: &[&str]) -> Result<Self> {
        let (mut seeds, mut kind, mut bench, mut binary) = (None, None, None, None);
        let (mut drawn, mut commit) = (None, None);
        for option in words.chunks(2) {
            let [name, value] = option else { bail!(USAGE) };
            match *name {
                "--seeds" => seeds = Some(range(value)?),
                "--kind" if ["disk", "net"].contains(value) => kind = Some((*value).to_owned()),
                "--bench" => bench = Some(PathBuf::from(value)),
                "--binary" => binary = Some(PathBuf::from(value)),
                "--drawn" => drawn = Some(PathBuf::from(value)),
                "--commit" => commit = Some((*value).to_owned()),
                _ => bail!(USAGE),
            }
        }
        let source = match drawn {
            Some(file) => Source::Drawn { file, commit: commit.context(USAGE)? },
            None => Source::Bench {
                bench: bench.context(USAGE)?,
                binary: binary.unwrap_or_else(|| target_dir().join("release/fullwire")),
            },
        };
        Ok(Self { seeds: seeds.context(USAGE)?, kind: kind.context(USAGE)?, source })
    }
}

/// `7001-7020`, or one seed.
fn range(text: &str) -> Result<[u64; 2]> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let [first, last] = [first, last].map(str::parse::<u64>);
    match (first, last) {
        (Ok(first), Ok(last)) if first <= last && last - first < 1000 => Ok([first, last]),
        _ => bail!("--seeds {text}: expected A-B, at most 1,000 seeds"),
    }
}

pub(super) fn run(words: &[&str]) -> Result<()> {
    let arguments = Arguments::parse(words)?;
    let mut kept = kept(Path::new(RESULTS))?;
    let rounds = kept["first_answers"].as_array().cloned().unwrap_or_default();
    if let Some(seen) = overlap(&rounds, &arguments.kind, arguments.seeds) {
        bail!("seeds {seen} of {} were drawn before: only a first answer counts", arguments.kind);
    }
    let (file, commit) = match &arguments.source {
        Source::Bench { bench, binary } => (draw(&arguments, bench, binary)?, head()?),
        Source::Drawn { file, commit } => (file.clone(), commit.clone()),
    };
    let text = std::fs::read_to_string(&file).with_context(|| format!("read {}", file.display()))?;
    let draws: Value = serde_json::from_str(&text).with_context(|| format!("read {}", file.display()))?;
    let round = summary(&draws, &arguments.kind, arguments.seeds, &commit, &Zoned::now().date().to_string())?;
    println!("{}", serde_json::to_string_pretty(&round)?);
    kept["first_answers"] = rounds.into_iter().chain([round]).collect();
    std::fs::write(RESULTS, serde_json::to_string_pretty(&kept)? + "\n")
        .with_context(|| format!("write {RESULTS}"))
}

/// Draws the seeds: the file with what came out.
fn draw(arguments: &Arguments, bench: &Path, binary: &Path) -> Result<PathBuf> {
    let out = target_dir().join(format!("draws-{}-{}.json", arguments.kind, arguments.seeds[0]));
    let [first, last] = arguments.seeds;
    let mut draw = Command::new(bench.join("draw"));
    draw.arg(binary).args(["--kind", &arguments.kind, "--seeds", &format!("{first}-{last}")]);
    draw.arg("--json").arg(&out);
    eprintln!("$ {}", shown(&draw));
    // Its status says whether all passed; what came out is in the file.
    draw.status().with_context(|| format!("start {}", shown(&draw)))?;
    Ok(out)
}

/// What is kept so far.
fn kept(path: &Path) -> Result<Value> {
    if !path.exists() {
        return Ok(json!({}));
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("read {}", path.display()))
}

/// Seeds of an earlier round that are among these.
fn overlap(rounds: &[Value], kind: &str, [first, last]: [u64; 2]) -> Option<String> {
    let mut same = rounds.iter().filter(|round| round["kind"] == kind);
    same.find_map(|round| {
        let [from, to] = ["first_seed", "last_seed"].map(|key| round[key].as_u64().unwrap_or(0));
        (from <= last && first <= to).then(|| format!("{from} to {to}"))
    })
}

/// One round in numbers. What the guest did not decide is counted apart and is no pass.
fn summary(draws: &Value, kind: &str, [first, last]: [u64; 2], commit: &str, date: &str) -> Result<Value> {
    let all = draws.as_array().context("draw left no list")?;
    let named = |seed: u64| all.iter().any(|one| one["name"] == format!("{kind}-{seed}"));
    if let Some(missing) = (first..=last).find(|seed| !named(*seed)) {
        bail!("seed {missing} of {kind} was not drawn: a round is what came, whole");
    }
    let count = |outcome: &str| all.iter().filter(|one| one["outcome"] == outcome).count();
    let mut reasons = serde_json::Map::new();
    for reason in all.iter().flat_map(|one| one["reasons"].as_array().into_iter().flatten()) {
        let name = reason.as_str().unwrap_or("?");
        let before = reasons.get(name).and_then(Value::as_u64).unwrap_or(0);
        reasons.insert(name.to_owned(), json!(before + 1));
    }
    let (passed, failed) = (count("PASS"), count("FAIL"));
    let promises: Vec<f64> = all.iter().filter_map(|one| one["promise_error"].as_f64()).collect();
    Ok(json!({
        "date": date, "commit": commit, "kind": kind, "first_seed": first, "last_seed": last,
        "draws": all.len(), "passed": passed, "failed": failed, "undecided": all.len() - passed - failed,
        "reasons": reasons,
        "promises": promises.len(), "promises_kept": promises.iter().filter(|error| error.abs() <= 0.25).count(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_counts_once() {
        let rounds = [json!({ "kind": "disk", "first_seed": 7001, "last_seed": 7010 })];
        assert_eq!(overlap(&rounds, "disk", [7010, 7020]).as_deref(), Some("7001 to 7010"));
        assert_eq!(overlap(&rounds, "disk", [7011, 7020]), None);
        assert_eq!(overlap(&rounds, "net", [7001, 7020]), None);
        assert!(range("20-10").is_err() && range("a").is_err());
        assert_eq!(range("7").unwrap(), [7, 7]);
    }

    #[test]
    fn what_the_guest_did_not_decide_is_no_pass() {
        let draws = json!([
            { "name": "disk-1", "outcome": "PASS", "reasons": [], "promise_error": 0.1 },
            { "name": "disk-2", "outcome": "FAIL", "reasons": ["missed", "accused"], "promise_error": null },
            { "name": "disk-3", "outcome": "undetermined", "reasons": [] },
        ]);
        assert!(summary(&draws, "disk", [1, 4], "abc", "2026-11-26").is_err());
        let round = summary(&draws, "disk", [1, 3], "abc", "2026-11-26").unwrap();
        assert_eq!(
            (&round["draws"], &round["passed"], &round["undecided"]),
            (&json!(3), &json!(1), &json!(1))
        );
        assert_eq!(round["reasons"], json!({ "missed": 1, "accused": 1 }));
        assert_eq!((&round["promises"], &round["promises_kept"]), (&json!(1), &json!(1)));
    }
}
