//! The invariants of ARCHITECTURE.md, read from the tree itself.

mod fixtures;
mod identity;
mod modules;
mod outputs;
mod pages;
mod purity;
mod steps;

use crate::{cargo, tracked_files};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Files that may hold `unsafe`, each with its reason in its head.
const UNSAFE_FILES: [&str; 8] = [
    "crates/fullwire/tests/it/network/tun.rs",
    "crates/observe/src/ioctl.rs",
    "crates/probe/src/disk/engine/buffer.rs",
    "crates/probe/src/disk/engine/io_uring.rs",
    "crates/probe/src/disk/target/safety/reservation.rs",
    "crates/probe/src/net/socket/getaddrinfo.rs",
    "crates/probe/src/net/socket/sockopt.rs",
    "crates/probe/src/net/socket/tcp_info.rs",
];
/// The one file that may ask the C library for the address of a name: in the static executable that can crash.
const LOOKS_NAMES_UP: &str = "crates/probe/src/net/socket/names.rs";
/// The one file that looks for samples outside the repository, asks whether this is a build machine, and lists what tests skip.
const SKIPS: &str = "tests/skips.rs";
const LONGEST_FILE_LINES: usize = 600;
/// Source files directly in one folder: what fits on a screen.
const LARGEST_FOLDER: usize = 25;
/// The same of tests, which no one reads in order.
const LARGEST_TESTS_FOLDER: usize = 30;
const LONGEST_ARCHITECTURE_LINES: usize = 200;

pub(crate) fn run() -> Result<()> {
    let files = tracked_files()?;
    let mut wrong = star()?;
    wrong.extend(files.iter().flat_map(|path| file(path)));
    wrong.extend(folders(&files));
    wrong.extend(rules(&files));
    wrong.extend(steps::check(&files)?);
    wrong.extend(modules::circles(&files));
    wrong.extend(pages::wrong(&files));
    wrong.extend(purity::wrong(&files));
    wrong.extend(outputs::wrong(&files));
    wrong.extend(identity::wrong(&files)?);
    if wrong.is_empty() {
        return Ok(());
    }
    bail!("not tidy:\n  {}", wrong.join("\n  "))
}

/// Each crate depends on the model alone, and on the walk along a path where it opens files; the model on what says what a record
/// is; the binary on all, and nothing on the binary.
fn star() -> Result<Vec<String>> {
    let output = cargo()
        .args(["metadata", "--format-version=1", "--no-deps", "--locked"])
        .output()
        .context("run cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().context("cargo metadata has no packages")?;
    Ok(packages
        .iter()
        .flat_map(edges)
        .filter(|(from, to)| !allowed(from, to))
        .map(|(from, to)| format!("{from} depends on {to}: the star has no such edge"))
        .collect())
}

/// Dependencies of a package on packages of this workspace.
fn edges(package: &Value) -> Vec<(String, String)> {
    let from = package["name"].as_str().unwrap_or_default();
    let dependencies = package["dependencies"].as_array().map_or(&[] as &[Value], Vec::as_slice);
    let names = dependencies.iter().filter_map(|dependency| dependency["name"].as_str());
    names.filter(|to| to.starts_with("fullwire")).map(|to| (from.to_owned(), to.to_owned())).collect()
}

fn allowed(from: &str, to: &str) -> bool {
    match from {
        "fullwire" => true,
        "fullwire-model" => to == "fullwire-record",
        "fullwire-record" | "fullwire-way" | "xtask" => false,
        _ => ["fullwire-model", "fullwire-way"].contains(&to),
    }
}

/// What is wrong with one file.
fn file(path: &Path) -> Vec<String> {
    let shown = path.display();
    let Ok(text) = std::fs::read_to_string(path) else { return Vec::new() };
    let mut wrong = Vec::new();
    let lines = text.lines().count();
    let is_rust = path.extension().is_some_and(|extension| extension == "rs");
    if is_rust && lines > LONGEST_FILE_LINES {
        wrong.push(format!(
            "{shown}: {lines} lines, more than {LONGEST_FILE_LINES}: give its second idea a file"
        ));
    }
    if path == Path::new("ARCHITECTURE.md") && lines >= LONGEST_ARCHITECTURE_LINES {
        wrong.push(format!("{shown}: {lines} lines, not under {LONGEST_ARCHITECTURE_LINES}"));
    }
    if is_rust && uses_unsafe(&text) && !UNSAFE_FILES.iter().any(|file| path == Path::new(file)) {
        wrong.push(format!("{shown}: unsafe outside the named files"));
    }
    if is_rust && looks_names_up(&text) && path != Path::new(LOOKS_NAMES_UP) {
        wrong.push(format!("{shown}: looks a name up by the C library: fullwire_probe::net::lookup does it"));
    }
    if is_rust && passes_over(&text) && path != Path::new(SKIPS) {
        wrong.push(format!(
            "{shown}: skips a test by itself: {SKIPS} lists what is absent (`given!`, `skipped`)"
        ));
    }
    if is_rust
        && path.iter().any(|part| part == "src")
        && takes_test_data(&text)
        && !path.ends_with("tests.rs")
    {
        wrong.push(format!(
            "{shown}: takes test data, which `./fullwire` is built without, outside of its tests"
        ));
    }
    wrong.extend(machine_paths(&text).map(|line| format!("{shown}:{line}: an absolute path of one machine")));
    wrong
}

/// Folders in which no one finds anything any more.
fn folders(files: &[PathBuf]) -> Vec<String> {
    let mut sizes: BTreeMap<&Path, usize> = BTreeMap::new();
    let sources = files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
    for folder in sources.filter_map(|path| path.parent()) {
        *sizes.entry(folder).or_default() += 1;
    }
    let most = |folder: &Path| {
        if folder.iter().any(|part| part == "tests") { LARGEST_TESTS_FOLDER } else { LARGEST_FOLDER }
    };
    let large = sizes.into_iter().filter(|(folder, size)| *size > most(folder));
    large
        .map(|(folder, size)| {
            format!("{}: {size} source files, more than {}: group them", folder.display(), most(folder))
        })
        .collect()
}

/// `specimen` and `fixture` of the model are behind a feature.
fn takes_test_data(text: &str) -> bool {
    let is_it = |line: &str| ["fixture", "specimen"].iter().any(|name| line.contains(name));
    code_lines(text).any(|(_, line)| line.contains(concat!("fullwire_", "model::")) && is_it(line))
}

/// The words are put together here, so that this file does not find itself.
fn uses_unsafe(text: &str) -> bool {
    let block = ["un", "safe {"].concat();
    let function = ["un", "safe fn"].concat();
    text.lines()
        .map(str::trim_start)
        .filter(|line| !line.starts_with("//"))
        .any(|line| line.contains(&block) || line.contains(&function))
}

/// The word is put together here as well.
fn looks_names_up(text: &str) -> bool {
    text.contains(&["to_socket", "_addrs()"].concat())
}

/// And here: a test that does not run must be listed.
fn passes_over(text: &str) -> bool {
    let samples = ["../../../", "shared"].concat();
    let build_machine = [["var_os(\"C", "I\")"].concat(), ["var(\"C", "I\")"].concat()];
    let silent = ["Wire::cable(", "Wire::relay(", "Postgres::start(", "Place::new(", "skips::shared("];
    let leaves =
        |line: &str| line.contains("else { return }") && silent.iter().any(|call| line.contains(call));
    text.contains(&samples)
        || build_machine.iter().any(|asks| text.contains(asks))
        || text.lines().any(leaves)
}

/// Lines that name a home or work folder of the machine that they were written on.
fn machine_paths(text: &str) -> impl Iterator<Item = usize> {
    let marks = ["work", "farm", "root/.cargo", "home/user"].map(|folder| format!("/{folder}/"));
    text.lines()
        .enumerate()
        .filter(move |(_, line)| marks.iter().any(|mark| starts_path(line, mark)))
        .map(|(index, _)| index + 1)
}

/// `mark` begins a path in the line: what is before it is not part of a longer path.
fn starts_path(line: &str, mark: &str) -> bool {
    line.match_indices(mark).any(|(at, _)| {
        line[..at]
            .chars()
            .next_back()
            .is_none_or(|before| !before.is_alphanumeric() && !"._-/}".contains(before))
    })
}

/// Every rule has its fixtures, every fixture its rule; a number that decides stands in the declaration, which lists it.
fn rules(files: &[PathBuf]) -> Vec<String> {
    let rooms = Path::new("crates/rules/src");
    let mut wrong = Vec::new();
    let mut codes = BTreeSet::new();
    for path in files.iter().filter(|path| path.starts_with(rooms)) {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        if !text.lines().any(|line| ["rule! {", "thresholds! {"].contains(&line)) {
            continue;
        }
        codes.extend(
            text.lines()
                .filter_map(|line| Some(line.strip_prefix("    code: \"")?.strip_suffix("\",")?.to_owned())),
        );
        let unlisted = text.lines().filter(|line| is_number(line));
        wrong.extend(
            unlisted.map(|line| format!("{}: {line}: belongs into `rule!` or `thresholds!`", path.display())),
        );
    }
    codes.remove("unexplained");
    wrong.extend(fixtures::wrong(files, &codes));
    wrong
}

/// A constant at the top level that is a number or a range of numbers.
fn is_number(line: &str) -> bool {
    let bare = line.strip_prefix("pub(crate) ").or_else(|| line.strip_prefix("pub(super) ")).unwrap_or(line);
    let kind = bare.strip_prefix("const ").and_then(|rest| rest.split_once(": ")?.1.split_once(" = "));
    kind.is_some_and(|(kind, _)| {
        ["f64", "u64", "u32", "usize", "i64"].contains(&kind) || kind.contains("Range")
    })
}

/// The lines of a source before its tests, without comments, each with its number.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let code = text.lines().zip(1..).take_while(|(line, _)| !line.contains("#[cfg(test)]"));
    code.filter(|(line, _)| !line.trim_start().starts_with("//")).map(|(line, number)| (number, line))
}
