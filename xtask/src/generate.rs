//! Files made from the program: man pages, completions, schemas, the pages of rules and commands, what monitoring imports.

use crate::{cargo, documents, succeed, target_dir};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// All that is generated: path to content.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Builds the program, and what makes schemas of the types, with the features that tests have: nothing is built twice.
pub(crate) fn program() -> Command {
    let mut build = cargo();
    build.args([
        "build", "--locked", "--quiet", "--workspace", "--all-features", "--bin", "fullwire", "--example",
        "schemas",
    ]);
    build
}

pub(crate) fn write() -> Result<()> {
    // First: the program carries the schemas, and makes its list of metrics of them.
    keep(&schemas()?, &["docs/schema"])?;
    keep(&of_program(&mut program())?, &["packaging/man", "packaging/completions"])
}

/// Writes files, and removes what else is in folders that hold generated files only.
fn keep(files: &Files, folders: &[&str]) -> Result<()> {
    for (path, content) in files {
        write_changed(path, content)?;
    }
    for folder in folders {
        for entry in std::fs::read_dir(folder).with_context(|| format!("read {folder}"))? {
            let path = entry?.path();
            if !files.contains_key(&path) {
                std::fs::remove_file(&path).with_context(|| format!("remove {}", path.display()))?;
            }
        }
    }
    Ok(())
}

/// A file that is as it should be keeps its time: what is built of it is not built again.
fn write_changed(path: &Path, content: &[u8]) -> Result<()> {
    if std::fs::read(path).is_ok_and(|kept| kept == content) {
        return Ok(());
    }
    std::fs::create_dir_all(path.parent().expect("a file has a folder"))?;
    std::fs::write(path, content).with_context(|| format!("write {}", path.display()))
}

/// Fails when a generated file in the tree differs from what is made now; the schemas have a test of their own. `build` builds
/// the program.
pub(crate) fn check(build: &mut Command) -> Result<()> {
    let stale: Vec<String> = of_program(build)?
        .into_iter()
        .filter(|(path, content)| std::fs::read(path).ok().as_ref() != Some(content))
        .map(|(path, _)| path.display().to_string())
        .collect();
    if stale.is_empty() {
        return Ok(());
    }
    bail!("out of date: {}; run `cargo xtask gen` and commit", stale.join(", "))
}

/// The documents as they describe themselves.
fn schemas() -> Result<Files> {
    succeed(&mut program())?;
    let made = answer(&target_dir().join("debug/examples/schemas"), &[])?;
    let made: BTreeMap<String, String> = serde_json::from_slice(&made).context("read the schemas")?;
    let file = |name: String| PathBuf::from(format!("docs/schema/fullwire.{name}-1.json"));
    Ok(made.into_iter().map(|(name, text)| (file(name), text.into_bytes())).collect())
}

/// All that the program makes.
fn of_program(build: &mut Command) -> Result<Files> {
    succeed(build)?;
    let program = target_dir().join("debug/fullwire");
    let mut files = Files::new();
    for shell in ["bash", "zsh", "fish"] {
        files.insert(
            format!("packaging/completions/fullwire.{shell}").into(),
            answer(&program, &["completions", shell])?,
        );
    }
    for command in ["man", "monitoring"] {
        files.extend(folder_of(&program, command)?);
    }
    files.insert("docs/rules.md".into(), answer(&program, &["rules", "--markdown"])?);
    let commands = commands(&program, &files)?;
    files.insert("docs/commands.md".into(), commands.into_bytes());
    files.insert(documents::PAGE.into(), documents::page()?.into_bytes());
    Ok(files)
}

/// What a command writes into a folder, as files of `packaging/COMMAND/`.
fn folder_of(program: &Path, command: &str) -> Result<Files> {
    let folder = target_dir().join(command);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    answer(program, &[command, "--output", folder.to_str().context("path is not UTF-8")?])?;
    let mut files = Files::new();
    for entry in std::fs::read_dir(&folder)? {
        let path = entry?.path();
        let name = path.file_name().expect("a file");
        files.insert(Path::new("packaging").join(command).join(name), std::fs::read(&path)?);
    }
    Ok(files)
}

/// The help of every command, in the order of the man pages.
fn commands(program: &Path, files: &Files) -> Result<String> {
    let mut page = String::from("# Every command\n\nThe output of `fullwire COMMAND --help`.\n");
    let names = files.keys().filter_map(|path| {
        let name = path.strip_prefix("packaging/man").ok()?.to_str()?;
        name.strip_prefix("fullwire-")?.strip_suffix(".1").map(str::to_owned)
    });
    for name in names.filter(|name| !name.starts_with("help")) {
        let name = name.replace('-', " ");
        let words: Vec<&str> = name.split(' ').chain(["--help"]).collect();
        let help = String::from_utf8(answer(program, &words)?)?;
        let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
        let _ = write!(page, "\n## fullwire {name}\n\n```text\n{}\n```\n", lines.join("\n").trim_end());
    }
    Ok(page)
}

fn answer(program: &Path, arguments: &[&str]) -> Result<Vec<u8>> {
    let output = Command::new(program)
        .args(arguments)
        .env("COLUMNS", "100")
        .output()
        .with_context(|| format!("run {}", program.display()))?;
    if !output.status.success() {
        bail!("{} {}: {}", program.display(), arguments.join(" "), String::from_utf8_lossy(&output.stderr));
    }
    Ok(output.stdout)
}
