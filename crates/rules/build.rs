//! Takes each rule's doc comment out of its source: `fullwire explain` prints it, and the source itself stays out
//! of the binary.

use liblzma::write::XzEncoder;
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Rooms whose numbers belong to no rule of their own.
const SHARED: [&str; 7] = [
    "src/attribution",
    "src/ceiling",
    "src/facts",
    "src/judged.rs",
    "src/measurement",
    "src/spans",
    "src/verdict.rs",
];

/// Of xz's levels.
const BEST: u32 = 9;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=src");
    let mut files = Vec::new();
    sources(Path::new("src"), &mut files)?;
    let mut explanations: Vec<(String, String)> = Vec::new();
    let mut limiting: Vec<String> = Vec::new();
    let mut shared: Vec<(String, String)> = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file)?;
        if text.contains("const RULE: Rule = Rule {") {
            let section = thresholds(&text, &file)?;
            let section = if section.is_empty() {
                section
            } else {
                format!("\n\n# Thresholds\n{}", section.trim_end())
            };
            let code = code_in(&text, &file)?;
            if text.contains(".explains(") || text.contains("explain::") {
                limiting.push(code.clone());
            }
            explanations.push((code, doc_comment(&text) + &section));
        } else if SHARED.iter().any(|room| file.starts_with(room)) {
            shared.push((file.display().to_string(), thresholds(&text, &file)?));
        }
    }
    explanations.sort();
    limiting.sort();
    shared.sort();
    let shared: String = shared.into_iter().map(|(_, section)| section).collect();
    let (mut text, mut places) = (String::new(), Vec::new());
    for (code, explanation) in explanations {
        let from = text.len();
        text.push_str(&explanation);
        places.push((code, from, text.len()));
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut encoder = XzEncoder::new(Vec::new(), BEST);
    encoder.write_all(text.as_bytes())?;
    fs::write(out.join("explanations.xz"), encoder.finish()?)?;
    let mut table =
        String::from("/// Code of every rule, by code, and where its explanation begins and ends.\n");
    // Offsets that no person reads.
    table.push_str("#[allow(clippy::unreadable_literal)]\n");
    writeln!(table, "const EXPLANATIONS: [(&str, usize, usize); {}] = {places:?};", places.len())?;
    writeln!(
        table,
        "/// Codes of the rules whose findings can explain a figure, by code.\nconst LIMITING: [&str; {}] = {limiting:?};",
        limiting.len()
    )?;
    writeln!(
        table,
        "/// The numbers that several rules and the choice of the cause share, as a list.\npub const SHARED_THRESHOLDS: &str = {shared:?};"
    )?;
    fs::write(out.join("explanations.rs"), table)?;
    Ok(())
}

/// The numbers that a file compares with, as a list. Each has a doc comment that says what
/// it is and where it comes from.
fn thresholds(text: &str, file: &Path) -> Result<String, Box<dyn Error>> {
    let mut section = String::new();
    let mut note = Vec::new();
    for line in text.lines() {
        if let Some(comment) = line.strip_prefix("///") {
            note.push(comment.trim());
            continue;
        }
        if let Some((name, value)) = number(line) {
            if note.is_empty() {
                return Err(format!(
                    "{}: {name} has no doc comment: what is it, and where from?",
                    file.display()
                )
                .into());
            }
            writeln!(section, "- {}: {}", shown(name, value), note.join(" "))?;
        }
        note.clear();
    }
    Ok(section)
}

/// Name and value of a constant at the top level that is a number or a range of numbers.
fn number(line: &str) -> Option<(&str, &str)> {
    let bare = line.strip_prefix("pub(crate) ").or_else(|| line.strip_prefix("pub(super) ")).unwrap_or(line);
    let (name, rest) = bare.strip_prefix("const ")?.split_once(": ")?;
    let (kind, value) = rest.strip_suffix(';')?.split_once(" = ")?;
    let numeric = ["f64", "u64", "u32", "usize", "i64"].contains(&kind) || kind.contains("Range");
    numeric.then_some((name, value))
}

/// `SLOW_MS`, `10.0` as `slow, 10 ms`: the unit ends the name.
fn shown(name: &str, value: &str) -> String {
    const UNITS: [(&str, &str); 13] = [
        ("_MBIT_PER_S", " Mbit/s"),
        ("_BYTES_PER_S", " bytes/s"),
        ("_IO_PER_S", " I/O a second"),
        ("_PER_S", " a second"),
        ("_PER_HOUR", " an hour"),
        ("_PERCENT", " %"),
        ("_PCT", " %"),
        ("_BYTES", " bytes"),
        ("_NS", " ns"),
        ("_US", " µs"),
        ("_MS", " ms"),
        ("_DS", " tenths of a second"),
        ("_S", " s"),
    ];
    let found = UNITS.iter().find_map(|(ending, unit)| Some((name.strip_suffix(ending)?, *unit)));
    let (bare, unit) = found.unwrap_or((name, ""));
    let value = readable(value);
    let of_two = value.ends_with('i');
    let unit = if of_two && unit == " bytes" { "B" } else { unit };
    format!("{}, {value}{unit}", bare.to_lowercase().replace('_', " "))
}

/// `64 << 20` as `64 Mi`, `10_000.0` as `10,000`, a range with `to`.
fn readable(value: &str) -> String {
    let plain =
        value.replace("std::ops::", "").replace("..=", " to ").replace("..", " to ").replace('_', ",");
    let shifted = ["10", "20", "30", "40"].iter().zip(["Ki", "Mi", "Gi", "Ti"]).find_map(|(bits, unit)| {
        plain.strip_suffix(&format!(" << {bits}")).map(|number| format!("{number} {unit}"))
    });
    shifted.unwrap_or_else(|| plain.strip_suffix(".0").map_or(plain.clone(), str::to_owned))
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            sources(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// The code that the `RULE` of a file declares.
fn code_in(text: &str, file: &Path) -> Result<String, Box<dyn Error>> {
    let declared =
        text.split_once("const RULE: Rule = Rule {").and_then(|(_, rest)| rest.split_once("code: \""));
    let code = declared.and_then(|(_, rest)| rest.split_once('"'));
    let (code, _) = code.ok_or_else(|| format!("{}: RULE declares no code", file.display()))?;
    Ok(code.to_owned())
}

fn doc_comment(text: &str) -> String {
    let lines = text.lines().take_while(|line| line.starts_with("//!"));
    lines.map(|line| line.trim_start_matches("//!").trim_start_matches(' ')).collect::<Vec<_>>().join("\n")
}
