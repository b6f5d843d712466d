//! What a test cannot look at on this machine: no root, no tool, no sample, CPUs that went to others.
//!
//! Rust's tests pass or fail; one that returns early has passed. So whatever is not looked at is said here, and `cargo xtask
//! ci` lists it at its end from the log that `FULLWIRE_SKIPS_LOG` names. Where `CI` is `true` only samples may be absent:
//! anything else fails.
#![allow(dead_code, unused_imports, unused_macros, reason = "each crate's tests use a part of it")]

use std::io::Write as _;
use std::path::{Path, PathBuf};

/// What is there, or the end of the test: who could not find it has told [`skipped`].
macro_rules! given {
    ($found:expr) => {
        match $found {
            Some(found) => found,
            None => return,
        }
    };
}
pub(crate) use given;

/// Says that this test does not run here, or only in part, and why.
pub(crate) fn skipped(reason: &str) {
    let is_build_machine = std::env::var_os("CI").is_some_and(|value| value == "true");
    assert!(
        !is_build_machine,
        "{reason}; where CI is true every test runs, and ./test installs what it needs"
    );
    note(reason);
}

/// Whether the test may do what only root may.
pub(crate) fn is_root() -> bool {
    // The effective user, of which the process's own folder is.
    let root =
        std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    if !root {
        skipped("needs root");
    }
    root
}

/// Whether a program is there, in `PATH` or where root's programs are.
pub(crate) fn installed(program: &str) -> bool {
    let found = find(program).is_some();
    if !found {
        skipped(&format!("needs {program}"));
    }
    found
}

/// Where a program is, without a word where it is not.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin", "/sbin"].map(PathBuf::from));
    folders.map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// A sample of `../shared`, which a clone without it lacks everywhere.
pub(crate) fn absent(sample: &str) {
    note(&format!("no sample ../shared/{sample}"));
}

/// A hypervisor that takes more of the CPUs leaves no rate, no clock and no shaper what it was set to.
const STOLEN: f64 = 0.02;
const TRIES: u32 = 3;

/// A test of what takes its time. Where it fails while a hypervisor gives our CPUs to others it is made again; failed so each
/// time, it is listed as not made, in CI too: no program that we could install gives the CPUs back.
pub(crate) fn with_own_cpus(mut test: impl FnMut()) {
    let made = || std::panic::catch_unwind(std::panic::AssertUnwindSafe(&mut test));
    if let Err(mut failed) = in_tries(1, TRIES, made) {
        std::panic::resume_unwind(failed.remove(0));
    }
}

/// The first try that is as it should be; what was wrong, where as many as `failures` had the CPUs for themselves. `None`, and
/// said: of so many tries there were too few such.
pub(crate) fn in_tries<T, E>(
    failures: usize,
    most: u32,
    mut attempt: impl FnMut() -> Result<T, E>,
) -> Result<Option<T>, Vec<E>> {
    let mut seen = Vec::new();
    for _ in 0..most {
        let before = cpu_ticks();
        match attempt() {
            Ok(right) => return Ok(Some(right)),
            Err(wrong) if !stolen_since(&before) => seen.push(wrong),
            Err(_) => {}
        }
        if seen.len() == failures {
            return Err(seen);
        }
    }
    note("more than 2 % of this machine's CPUs went to other machines in each try");
    Ok(None)
}

/// The first line of `/proc/stat` (proc(5)).
fn cpu_ticks() -> Vec<u64> {
    let stat = std::fs::read_to_string("/proc/stat").unwrap();
    let line = stat.lines().next().unwrap();
    line.split_whitespace().skip(1).map(|ticks| ticks.parse().unwrap()).collect()
}

/// Of all CPU time since a reading; `steal` is the eighth number, and what follows is part of others. Waiting for I/O may count down.
fn stolen_since(from: &[u64]) -> bool {
    let spent: Vec<u64> = cpu_ticks().iter().zip(from).map(|(to, from)| to.saturating_sub(*from)).collect();
    spent[7] as f64 / spent[..8].iter().sum::<u64>().max(1) as f64 > STOLEN
}

fn note(reason: &str) {
    let thread = std::thread::current();
    let name = std::env::var("NEXTEST_TEST_NAME").ok();
    let name = name.as_deref().or_else(|| thread.name()).unwrap_or("a test");
    let test = format!("{} {name}", env!("CARGO_PKG_NAME"));
    eprintln!("{test}: skipped: {reason}");
    if let Some(log) = std::env::var_os("FULLWIRE_SKIPS_LOG") {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(log);
        log.and_then(|mut log| log.write_all(format!("{test}\t{reason}\n").as_bytes()))
            .expect("the log can be written");
    }
}

/// A file or folder below `../shared`; `None` where it is absent, which is listed. Captures of the lab are our own: they are
/// below the crate's `tests/lab`.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    if path.starts_with("lab/") {
        return Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(path));
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(path);
    if !file.exists() {
        absent(path);
        return None;
    }
    Some(file)
}
