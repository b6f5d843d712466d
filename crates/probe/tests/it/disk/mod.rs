//! The storage probe.

mod danger;
mod figures;
mod fio;
mod interrupted;
mod layers;
mod leftover;
mod live;
pub(crate) mod space;
mod stale;
mod system_calls;

use fullwire_model::disk::{DiskPlan, DiskStep, Engine};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const MS: u64 = 1_000_000;

/// A short step, to be varied.
fn step() -> DiskStep {
    DiskStep {
        profile: "test".into(),
        block_bytes: 8 * KIB,
        queue_depth: 1,
        threads: 1,
        engine: Engine::Auto,
        direct: true,
        duration_ns: 100 * MS,
        interval_ns: 20 * MS,
        repeats: 1,
        ..DiskStep::default()
    }
}

/// A plan with a small private file.
fn plan(target: &Path, steps: Vec<DiskStep>) -> DiskPlan {
    DiskPlan {
        target: target.display().to_string().into(),
        steps,
        size_bytes: 16 * MIB,
        ..DiskPlan::default()
    }
}

/// A caller that keeps its notes in a directory of the test.
struct State(PathBuf);

impl fullwire_probe::disk::DiskHooks for State {
    fn state_dir(&self) -> PathBuf {
        self.0.clone()
    }
}

/// Runs a command that must succeed; its output, trimmed.
fn run(program: &str, arguments: &[&str]) -> String {
    let output = output(program, arguments);
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn output(program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).output().unwrap_or_else(|error| panic!("{program}: {error}"))
}

/// The example program that drives one load; cargo builds it next to the tests.
fn example() -> PathBuf {
    let test = std::env::current_exe().expect("own path");
    let directory = test.parent().and_then(Path::parent).expect("target directory");
    let example = directory.join("examples/disk");
    assert!(example.exists(), "{} is not built: cargo build --examples", example.display());
    example
}

/// Files and directories in a directory.
fn entries(directory: &Path) -> Vec<PathBuf> {
    match std::fs::read_dir(directory) {
        Ok(entries) => entries.map(|entry| entry.expect("entry").path()).collect(),
        Err(_) => Vec::new(),
    }
}
