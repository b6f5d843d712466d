//! What one scenario left in the bench's output folder, and its score.

use super::judge;
use super::scenario::{self, Scenario};
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the bench and the lab write to the console.
const NOT_IN_EFFECT: &str = "fault not in effect";
const ASKED: &str = "fullwire ";
const LAB_FAILED: [&str; 2] = ["lab: time limit", "lab: the guest died"];

#[derive(Debug)]
pub(super) struct ScenarioOutcome {
    pub(super) scenario: Scenario,
    pub(super) answers: Vec<Value>,
    /// Why it did not pass; empty if it did.
    pub(super) wrong: Vec<String>,
}

impl ScenarioOutcome {
    pub(super) fn passed(&self) -> bool {
        self.wrong.is_empty()
    }
}

/// Every scenario below these folders in which fullwire was asked. Of one that was run twice the later folder counts.
pub(super) fn all(folders: &[PathBuf], scenarios: &[PathBuf]) -> Result<Vec<ScenarioOutcome>> {
    let mut outcomes = BTreeMap::new();
    for folder in folders {
        for kind in children(folder)? {
            for results in children(&kind)?.into_iter().filter(|results| scenario::has_console(results)) {
                let name = format!("{}/{}", file_name(&kind), file_name(&results));
                if let Some(outcome) = one(&name, &results, scenarios)? {
                    outcomes.insert(name, outcome);
                }
            }
        }
    }
    Ok(outcomes.into_values().collect())
}

/// `None`: the fault alone was proven, or it was not in effect.
fn one(name: &str, results: &Path, scenarios: &[PathBuf]) -> Result<Option<ScenarioOutcome>> {
    let console = super::read(&results.join("console.txt"))?;
    let asked =
        console.lines().filter(|line| line.starts_with(ASKED) && line.contains(": exit status ")).count();
    if console.contains(NOT_IN_EFFECT) {
        eprintln!("{name}: the fault was not in effect; left out");
        return Ok(None);
    }
    if asked == 0 {
        return Ok(None);
    }
    let scenario = Scenario::find(name, scenarios)?;
    let files = answer_files(results)?;
    let texts = files.iter().map(|path| super::read(path)).collect::<Result<Vec<String>>>()?;
    let answers: Result<Vec<Value>, _> = texts.iter().map(|text| serde_json::from_str(text)).collect();
    let failure = LAB_FAILED.iter().find(|failure| console.contains(*failure));
    let (answers, wrong) = match (answers, failure) {
        (answers, Some(failure)) => (answers.unwrap_or_default(), vec![(*failure).to_owned()]),
        (Err(_), None) => (Vec::new(), vec!["an answer is not JSON".to_owned()]),
        (Ok(answers), None) => {
            let wrong = judge::wrong(&scenario, &answers).with_context(|| format!("judge {name}"))?;
            (answers, wrong)
        }
    };
    Ok(Some(ScenarioOutcome { scenario, answers, wrong }))
}

/// `answer-1.json` and so on, in the order of their names, as the bench reads them.
fn answer_files(results: &Path) -> Result<Vec<PathBuf>> {
    let is_answer = |path: &PathBuf| {
        let name = file_name(path);
        name.strip_prefix("answer-").is_some_and(|rest| rest.strip_suffix(".json").is_some())
    };
    Ok(entries(results)?.into_iter().filter(is_answer).collect())
}

fn children(folder: &Path) -> Result<Vec<PathBuf>> {
    Ok(entries(folder)?.into_iter().filter(|path| path.is_dir()).collect())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = || {
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>()
    };
    let mut paths = read().with_context(|| format!("list {}", folder.display()))?;
    paths.sort();
    Ok(paths)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
