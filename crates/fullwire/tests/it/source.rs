//! What the source itself must not hold.

use std::path::{Path, PathBuf};

/// The crates' own source, without tests and examples.
fn sources() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(crates).unwrap() {
        walk(&entry.unwrap().path().join("src"), &mut found);
    }
    assert!(found.len() > 300, "{}", found.len());
    found
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// A picture of a value as Rust sees it (`Some(1400)`, `CharacterDevice`) is for nobody but us.
#[test]
fn nothing_on_screen_is_a_debug_form() {
    let mut found = Vec::new();
    for path in sources() {
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        // What panics says so to the developer.
        let for_us = ["assert", "panic!", "unreachable!", "expect(", "//"];
        let shows = |line: &&str| {
            (line.contains(":?}") || line.contains(":#?}")) && !for_us.iter().any(|word| line.contains(word))
        };
        found.extend(code.lines().filter(shows).map(|line| format!("{}: {}", path.display(), line.trim())));
    }
    assert!(found.is_empty(), "{found:#?}");
}
