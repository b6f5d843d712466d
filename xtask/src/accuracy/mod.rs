//! How often fullwire was right: what a run of the fault bench left, as a page.

mod answer;
mod dbsherlock;
mod first;
mod judge;
mod outcome;
mod page;
mod scenario;

use crate::bench::{DRAWS, RESULTS};
use crate::head;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};

const PAGE: &str = "docs/accuracy.md";
const USAGE: &str = "usage: cargo xtask accuracy [--scenarios DIR]... [--commit COMMIT] BENCH_OUT...";

/// `accuracy` of the command line: judges each outcome below the folders and writes the page.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    if let Some((&"dbsherlock", rest)) = words.split_first() {
        return dbsherlock::run(rest);
    }
    let arguments = Arguments::parse(words)?;
    let outcomes = outcome::all(&arguments.outputs, &arguments.scenarios)?;
    if outcomes.is_empty() {
        bail!("no scenario was run below {}", shown(&arguments.outputs));
    }
    let commit = arguments.commit.map_or_else(head, Ok)?;
    let known = page::write(&outcomes, &commit, experiments()?.as_ref());
    let page = format!("{known}\n{}{}", first_answers()?, by_hand());
    std::fs::write(PAGE, page).with_context(|| format!("write {PAGE}"))?;
    let passed = outcomes.iter().filter(|outcome| outcome.passed()).count();
    println!("{PAGE}: {passed} of {} scenarios passed", outcomes.len());
    Ok(())
}

/// The section of first answers, of what was kept.
fn first_answers() -> Result<String> {
    let kept: Value = if Path::new(DRAWS).exists() {
        serde_json::from_str(&read(Path::new(DRAWS))?).with_context(|| format!("read {DRAWS}"))?
    } else {
        Value::Null
    };
    Ok(first::section(&kept["first_answers"], &kept["incidents"]))
}

/// Writes the section of first answers again; the rest of the page stays.
pub(crate) fn renew_draws() -> Result<()> {
    let page = first::renewed(&read(Path::new(PAGE))?, &first_answers()?);
    std::fs::write(PAGE, page).with_context(|| format!("write {PAGE}"))
}

/// What the experiments left, if they were run.
fn experiments() -> Result<Option<Value>> {
    if !Path::new(RESULTS).exists() {
        return Ok(None);
    }
    serde_json::from_str(&read(Path::new(RESULTS))?).map(Some).with_context(|| format!("read {RESULTS}"))
}

struct Arguments {
    /// Folders of scenarios; the repository's own comes last.
    scenarios: Vec<PathBuf>,
    commit: Option<String>,
    outputs: Vec<PathBuf>,
}

impl Arguments {
    fn parse(words: &[&str]) -> Result<Self> {
        let mut parsed = Self { scenarios: Vec::new(), commit: None, outputs: Vec::new() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--scenarios" => parsed.scenarios.push(words.next().context(USAGE)?.into()),
                "--commit" => parsed.commit = Some((*words.next().context(USAGE)?).to_owned()),
                option if option.starts_with('-') => bail!("{USAGE}"),
                folder => parsed.outputs.push(folder.into()),
            }
        }
        if parsed.outputs.is_empty() {
            bail!("{USAGE}");
        }
        parsed.scenarios.push("lab".into());
        Ok(parsed)
    }
}

/// What was measured in other ways stands below the generated part, and stays.
fn by_hand() -> String {
    const BEGIN: &str = "\n## Recordings\n";
    let old = std::fs::read_to_string(PAGE).unwrap_or_default();
    old.find(BEGIN).map_or(String::new(), |begin| old[begin..].to_owned())
}

fn shown(folders: &[PathBuf]) -> String {
    folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// The file's text; the error names it.
fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("read {}", path.display()))
}

#[cfg(test)]
mod tests;
