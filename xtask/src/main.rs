//! The project's own automation: `cargo xtask ci|tidy|gen|book|bench|accuracy|dist`. Not shipped.
#![forbid(unsafe_code)]

mod accuracy;
mod bench;
mod book;
mod ci;
mod dist;
mod documents;
mod generate;
#[cfg(test)]
#[path = "../../tests/skips.rs"]
mod skips;
mod tidy;

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

const USAGE: &str = "usage: cargo xtask COMMAND
  ci [quick]    every check: format, clippy, tidy, typos, deny, generated files, tests; quick: format, tidy,
                typos, and the tests that need no server and no load
  tidy          the invariants of ARCHITECTURE.md
  gen [--check] man pages, completions, schemas and the rules page; --check: are they up to date
  book [--out DIR]
                the guide as a book (mdBook, built on the first call); default: target/book
  bench NAME    net, disk, parse or record: interleaved with the peers where there are any
  accuracy [--scenarios DIR]... [--commit COMMIT] BENCH_OUT...
                docs/accuracy.md from what the fault bench left
  accuracy dbsherlock FOLDER [--fullwire FILE]
                its section about the public set of slow MySQL periods, which you downloaded to FOLDER
  dist [--check] [--all-features] [--arch x86_64|aarch64]... [--binary FILE] [--out DIR]
                the static executables, packages, image, list of parts and sums; --binary: of an executable that is there;
                --all-features: only builds it with everything optional, and weighs it;
                --check (as root, up to hours): builds again elsewhere and compares, runs each architecture, installs and
                removes every package, enters old and new userlands, boots one with its systemd";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    std::env::set_current_dir(root()).context("enter the repository")?;
    match words.as_slice() {
        ["ci"] => ci::run(),
        ["ci", "quick"] => ci::quick(),
        ["tidy"] => tidy::run(),
        ["gen"] => generate::write(),
        ["gen", "--check"] => generate::check(&mut generate::program()),
        ["book"] => book::build(None),
        ["book", "--out", out] => book::build(Some(*out)),
        ["bench", rest @ ..] => {
            bench::run(rest)?;
            // The page shows what a round of draws left.
            if rest.first() == Some(&"accuracy") { accuracy::renew_draws() } else { Ok(()) }
        }
        ["accuracy", rest @ ..] => accuracy::run(rest),
        ["dist", rest @ ..] => dist::run(rest),
        _ => bail!("{USAGE}"),
    }
}

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository").to_owned()
}

/// Cargo, as it called us.
fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a command to its end; its failure is ours.
fn succeed(command: &mut Command) -> Result<()> {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let shown = format!("{} {}", program.to_string_lossy(), words(command));
    eprintln!("$ {shown}");
    let status = command.status().with_context(|| format!("start {shown}"))?;
    if !status.success() {
        bail!("{shown}: {status}");
    }
    Ok(())
}

fn words(command: &Command) -> String {
    command.get_args().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Where cargo puts what it builds.
fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The commit of this tree.
fn head() -> Result<String> {
    let output =
        Command::new("git").args(["describe", "--always", "--dirty"]).output().context("run git describe")?;
    if !output.status.success() {
        bail!("git describe: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The files that git knows, relative to the repository.
fn tracked_files() -> Result<Vec<PathBuf>> {
    let output = Command::new("git").args(["ls-files", "-z"]).output().context("run git ls-files")?;
    if !output.status.success() {
        bail!("git ls-files: {}", String::from_utf8_lossy(&output.stderr));
    }
    let names = String::from_utf8(output.stdout).context("file names are not UTF-8")?;
    Ok(names.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect())
}
