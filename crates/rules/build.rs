//! Takes each rule's doc comment out of its source: `fullwire explain` prints it, and the source itself stays out
//! of the binary.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=src");
    let mut files = Vec::new();
    sources(Path::new("src"), &mut files)?;
    let mut explanations: Vec<(String, String)> = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file)?;
        if text.contains("const RULE: Rule = Rule {") {
            explanations.push((code_in(&text, &file)?, doc_comment(&text)));
        }
    }
    explanations.sort();
    let mut table = String::from("/// Code and explanation of every rule, by code.\n");
    writeln!(table, "const EXPLANATIONS: [(&str, &str); {}] = {explanations:?};", explanations.len())?;
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("explanations.rs"), table)?;
    Ok(())
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
