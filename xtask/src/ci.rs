//! Every check, cheapest first.

use crate::{cargo, generate, succeed, target_dir, tidy, tracked_files};
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
#[cfg(test)]
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;

pub(crate) fn run() -> Result<()> {
    formatted()?;
    tidy::run()?;
    clippy(&["--workspace"])?;
    clippy(&FEATURES)?;
    typos()?;
    deny()?;
    generate::check(TESTS)?;
    tests(&["--workspace"])?;
    // These wait on servers more than they compute: more at a time than CPUs.
    let filter = ["--", "--test-threads=4", "estate", "shared"];
    succeed(cargo().args(["test", "--locked", "--no-fail-fast"]).args(ESTATE).args(filter))
}

/// What the features add; the rest has been seen without them. No other build contains what makes the schemas.
const FEATURES: [&str; 8] = [
    "--package",
    "fullwire",
    "--package",
    "fullwire-store",
    "--package",
    "fullwire-present",
    "--features",
    "fullwire/estate,fullwire-store/postgres,fullwire-present/schema",
];

const ESTATE: [&str; 6] =
    ["--package", "fullwire", "--package", "fullwire-store", "--features", "estate,postgres"];

/// Builds the program as the tests of the workspace use it: it is built once for both.
const TESTS: &[&str] = &["test", "--locked", "--quiet", "--workspace", "--no-run"];

fn clippy(what: &[&str]) -> Result<()> {
    let strict = ["--all-targets", "--quiet", "--", "--deny=warnings"];
    succeed(cargo().args(["clippy", "--locked"]).args(what).args(strict))
}

/// Runs tests, then says which of them looked at nothing because their samples are absent.
fn tests(what: &[&str]) -> Result<()> {
    let log = target_dir().join("samples-absent.txt");
    let _ = std::fs::remove_file(&log);
    // All that fails is shown: a run takes too long to tell one failure at a time.
    let command = ["test", "--locked", "--no-fail-fast"];
    succeed(cargo().args(command).args(what).env("FULLWIRE_SAMPLES_LOG", &log))?;
    let text = std::fs::read_to_string(&log).unwrap_or_default();
    if let Some(told) = absent(&text) {
        eprintln!("{told}");
    }
    Ok(())
}

/// Which tests did not run, or only in part, and which samples they lack; `None`: all ran. A line of the log is a test and
/// a sample, parted by a tab.
fn absent(log: &str) -> Option<String> {
    let mut tests: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (test, sample) in log.lines().filter_map(|line| line.split_once('\t')) {
        tests.entry(test).or_default().insert(sample);
    }
    let mut text = match tests.len() {
        0 => return None,
        1 => "xtask: samples absent: 1 test not run or run in part".to_owned(),
        many => format!("xtask: samples absent: {many} tests not run or run in part"),
    };
    for (test, samples) in tests {
        text.extend(["\n  ", test]);
        text.extend(samples.into_iter().flat_map(|sample| ["\n    ../shared/", sample]));
    }
    Some(text)
}

/// What shows most mistakes in little time: no clippy, no servers, no load.
pub(crate) fn quick() -> Result<()> {
    formatted()?;
    tidy::run()?;
    typos()?;
    tests(&["--workspace", "--lib", "--exclude", "fullwire-probe"])?;
    tests(&[
        "--package",
        "fullwire-rules",
        "--package",
        "fullwire-present",
        "--package",
        "fullwire-store",
        "--tests",
    ])
}

/// Every source file by name: `cargo fmt` does not follow the modules that a macro declares.
fn formatted() -> Result<()> {
    let files = tracked_files()?;
    let sources = files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
    succeed(Command::new("rustfmt").args(["--edition", "2024", "--check"]).args(sources))
}

/// Misspelt words; `typos.toml` has the field's words.
fn typos() -> Result<()> {
    succeed(Command::new(typos_tool()?).args(["--format", "brief"]))
}

const TYPOS: &str = "1.52.0";

/// The user's typos of this version, or one that is installed below the target folder: PyPI has it built, which takes
/// seconds where `cargo install typos-cli` takes minutes.
fn typos_tool() -> Result<PathBuf> {
    let named = format!("typos-cli {TYPOS}");
    if Command::new("typos")
        .arg("--version")
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == named.as_bytes())
    {
        return Ok(PathBuf::from("typos"));
    }
    let home = target_dir().join(format!("tools/typos-{TYPOS}"));
    let tool = home.join("bin/typos");
    if !tool.exists() {
        let package = format!("typos=={TYPOS}");
        succeed(
            Command::new("python3")
                .args([
                    "-m",
                    "pip",
                    "install",
                    "--quiet",
                    "--no-deps",
                    "--root-user-action=ignore",
                    "--target",
                ])
                .arg(&home)
                .arg(package),
        )?;
    }
    Ok(tool)
}

/// Licences, bans and sources always; advisories where their database can be had.
fn deny() -> Result<()> {
    let tool = deny_tool()?;
    let check = |what: &[&str]| {
        succeed(Command::new(&tool).args(["--all-features", "check", "--hide-inclusion-graph"]).args(what))
    };
    check(&["bans", "licenses", "sources"])?;
    if advisories_reachable() {
        check(&["advisories"])?;
    } else {
        eprintln!("xtask: the advisory database cannot be reached from here: advisories NOT checked");
    }
    Ok(())
}

/// cargo-deny of the user, or one that is installed below the target folder: not optimised, which takes a second more here and
/// two minutes less to build.
fn deny_tool() -> Result<PathBuf> {
    if Command::new("cargo-deny").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return Ok(PathBuf::from("cargo-deny"));
    }
    let home = target_dir().join("tools");
    let tool = home.join("bin/cargo-deny");
    if !tool.exists() {
        let mut install = cargo();
        install.args(["install", "--quiet", "--locked", "--debug", "cargo-deny", "--root"]).arg(&home);
        succeed(install.env("CARGO_PROFILE_DEV_DEBUG", "none"))?;
    }
    Ok(tool)
}

/// The database is a git repository on a public host.
fn advisories_reachable() -> bool {
    let url = "https://github.com/rustsec/advisory-db";
    let probe = Command::new("timeout").args(["10", "git", "ls-remote", "--exit-code", url, "HEAD"]).output();
    probe.is_ok_and(|output| output.status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_did_not_run_is_counted_and_named_with_what_it_lacks() {
        assert_eq!(absent(""), None);
        let log = "demand a::b\tsamples/awr/x.html\ndemand a::b\tsamples/awr/y.html\nobserve c\tsamples/z\n\
                   demand a::b\tsamples/awr/x.html\n";
        let told = "xtask: samples absent: 2 tests not run or run in part\n  demand a::b\n    \
                    ../shared/samples/awr/x.html\n    ../shared/samples/awr/y.html\n  observe c\n    ../shared/samples/z";
        assert_eq!(absent(log).as_deref(), Some(told));
    }

    /// The steps that a function of this file takes.
    fn body(of: &str) -> &'static str {
        let source = include_str!("ci.rs");
        let (_, rest) =
            source.split_once(&format!("fn {of}() -> Result<()> {{")).expect("a function of this file");
        rest.split_once("\n}").expect("its end").0
    }

    #[test]
    fn both_ways_check_format_invariants_and_spelling() {
        for of in ["run", "quick"] {
            for step in ["formatted()?", "tidy::run()?", "typos()?"] {
                assert!(body(of).contains(step), "{of} leaves out {step}");
            }
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        assert!(root.join("typos.toml").is_file(), "typos has the field's words");
    }
}
