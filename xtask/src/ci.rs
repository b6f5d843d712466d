//! Every check, cheapest first.

use crate::{cargo, generate, succeed, target_dir, tidy, tracked_files};
use anyhow::Result;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

pub(crate) fn run() -> Result<()> {
    formatted()?;
    tidy::run()?;
    succeed(cargo().args([
        "clippy",
        "--locked",
        "--workspace",
        "--all-targets",
        "--quiet",
        "--",
        "--deny",
        "warnings",
    ]))?;
    succeed(cargo().args(CLIPPY_ESTATE))?;
    typos()?;
    deny()?;
    generate::check()?;
    tests(&["--workspace"])?;
    estate()
}

/// What the estate's feature adds; the rest has been seen without it.
const CLIPPY_ESTATE: [&str; 12] = [
    "clippy",
    "--locked",
    "--package",
    "fullwire",
    "--package",
    "fullwire-store",
    "--features",
    "estate,postgres",
    "--all-targets",
    "--quiet",
    "--",
    "--deny=warnings",
];

fn estate() -> Result<()> {
    let test = |package: &str, feature: &str, filter: &str| {
        succeed(cargo().args(["test", "--locked", "--package", package, "--features", feature, filter]))
    };
    test("fullwire-store", "postgres", "shared")?;
    test("fullwire", "estate", "estate")
}

/// Runs tests, then says which of them looked at nothing because their samples are absent.
fn tests(what: &[&str]) -> Result<()> {
    let log = target_dir().join("samples-absent.txt");
    let _ = std::fs::remove_file(&log);
    succeed(cargo().args(["test", "--locked"]).args(what).env("FULLWIRE_SAMPLES_LOG", &log))?;
    let text = std::fs::read_to_string(&log).unwrap_or_default();
    let names: BTreeSet<&str> = text.lines().collect();
    if !names.is_empty() {
        eprintln!("xtask: samples absent: {} tests not run", names.len());
        for name in &names {
            eprintln!("  {name}");
        }
    }
    Ok(())
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

/// The user's typos of this version, or one that is installed below the target folder: `PyPI` has it built, which takes
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

/// cargo-deny of the user, or one that is installed below the target folder.
fn deny_tool() -> Result<PathBuf> {
    if Command::new("cargo-deny").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return Ok(PathBuf::from("cargo-deny"));
    }
    let home = target_dir().join("tools");
    let tool = home.join("bin/cargo-deny");
    if !tool.exists() {
        succeed(cargo().args(["install", "--quiet", "--locked", "cargo-deny", "--root"]).arg(&home))?;
    }
    Ok(tool)
}

/// The database is a git repository on a public host.
fn advisories_reachable() -> bool {
    let url = "https://github.com/rustsec/advisory-db";
    let probe = Command::new("timeout").args(["10", "git", "ls-remote", "--exit-code", url, "HEAD"]).output();
    probe.is_ok_and(|output| output.status.success())
}
