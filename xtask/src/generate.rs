//! Files made from the program: man pages, completions, schemas, the pages of rules and commands, what monitoring imports.

use crate::{cargo, succeed, target_dir};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// All that is generated: path to content.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Folders that hold generated files only.
const FOLDERS: [&str; 3] = ["packaging/man", "packaging/completions", "docs/schema"];

pub(crate) fn write() -> Result<()> {
    let files = generate()?;
    for folder in FOLDERS {
        if Path::new(folder).exists() {
            std::fs::remove_dir_all(folder).with_context(|| format!("empty {folder}"))?;
        }
    }
    for (path, content) in files {
        std::fs::create_dir_all(path.parent().expect("a file has a folder"))?;
        std::fs::write(&path, content).with_context(|| format!("write {}", path.display()))?;
    }
    Ok(())
}

/// Fails when a generated file in the tree differs from what the program makes now.
pub(crate) fn check() -> Result<()> {
    let stale: Vec<String> = generate()?
        .into_iter()
        .filter(|(path, content)| std::fs::read(path).ok().as_ref() != Some(content))
        .map(|(path, _)| path.display().to_string())
        .collect();
    if stale.is_empty() {
        return Ok(());
    }
    bail!("out of date: {}; run `cargo xtask gen` and commit", stale.join(", "))
}

fn generate() -> Result<Files> {
    succeed(cargo().args(["build", "--locked", "--quiet", "--package", "fullwire"]))?;
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
    let names = String::from_utf8(answer(&program, &["schema"])?)?;
    for name in names.lines() {
        let file = format!("docs/schema/{}.json", name.replace('/', "-"));
        files.insert(file.into(), answer(&program, &["schema", name])?);
    }
    files.insert("docs/rules.md".into(), answer(&program, &["rules", "--markdown"])?);
    let commands = commands(&program, &files)?;
    files.insert("docs/commands.md".into(), commands.into_bytes());
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
        bail!("fullwire {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr));
    }
    Ok(output.stdout)
}
