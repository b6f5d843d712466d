//! What a day's recording of a large host costs its reader: one moment shown, the whole day judged.

use super::BenchPlan;
use super::process::{Spent, output, spent};
use super::table::Table;
use crate::{cargo, succeed, target_dir};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

const DISKS: u64 = 1000;
const SECONDS: u64 = 86_400;

/// In the middle of the day, between two key frames.
const MOMENT: &str = "2026-11-21T12:34:56Z";

pub(super) fn run(fullwire: &Path, plan: &BenchPlan, table: &mut Table) -> Result<()> {
    let (day, made) = match &plan.day {
        Some(day) => (day.clone(), false),
        None => (make()?, true),
    };
    let outcome = measure(fullwire, &day, plan.pairs, table);
    if made {
        let _ = std::fs::remove_file(&day);
    }
    outcome
}

/// Some minutes of work, most of it packing 86,400 samples.
fn make() -> Result<PathBuf> {
    succeed(
        cargo().args(["build", "--locked", "--release", "--package", "fullwire-store", "--example", "day"]),
    )?;
    let day = target_dir().join(format!("bench-day-{}.fwr", std::process::id()));
    let maker = target_dir().join("release/examples/day");
    output(Command::new(maker).arg(&day).arg(DISKS.to_string()).arg(SECONDS.to_string()))?;
    Ok(day)
}

fn measure(fullwire: &Path, day: &Path, pairs: usize, table: &mut Table) -> Result<()> {
    let replay = |words: &[&str]| -> Result<(Spent, Value)> {
        let (spent, text) =
            spent(Command::new(fullwire).arg("replay").arg(day).args(words).args(["--json", "--quiet"]))?;
        Ok((spent, serde_json::from_str(&text).context("read what replay printed")?))
    };
    let (mut opened, mut judged) = (Vec::new(), Vec::new());
    for turn in 0..pairs {
        eprintln!("a day of {DISKS} disks: {} of {pairs}", turn + 1);
        let (spent, look) = replay(&["--at", MOMENT])?;
        ensure!(look["storage"].as_array().is_some_and(|rows| !rows.is_empty()), "the moment shows no disk");
        opened.push(spent);
        let (spent, document) = replay(&["--judge"])?;
        ensure!(is_right(&document), "the spans are not the slow disk alone: {}", document["spans"]);
        judged.push(spent);
    }
    let bytes = std::fs::metadata(day).with_context(|| format!("look at {}", day.display()))?.len();
    table.note(format!("a day of {DISKS} disks: {:.0} MB", bytes as f64 / 1e6));
    let of = |all: &[Spent], figure: fn(&Spent) -> f64| all.iter().map(figure).collect::<Vec<_>>();
    table.alone("a day: a moment shown, elapsed", "s", &of(&opened, |spent| spent.elapsed_s), "< 0.1");
    table.alone("a day: a moment shown, CPU", "s", &of(&opened, |spent| spent.cpu_s), "");
    table.alone("a day: judged whole, elapsed", "s", &of(&judged, |spent| spent.elapsed_s), "< 10");
    table.alone("a day: judged whole, CPU", "s", &of(&judged, |spent| spent.cpu_s), "");
    Ok(())
}

/// One disk was slow for half a minute, and nothing else was wrong.
fn is_right(document: &Value) -> bool {
    let spans = document["spans"].as_array().map_or(&[][..], Vec::as_slice);
    !spans.is_empty() && spans.iter().all(|span| span["code"] == "device-wait-long") && spans.len() == 1
}
