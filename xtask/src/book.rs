//! The guide as a book, by mdBook of a pinned version.

use crate::{cargo, succeed, target_dir};
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

const MDBOOK: &str = "0.5.4";

/// Builds `docs/` into a folder of pages. `cargo xtask tidy` checks links and contents without it: building mdBook itself
/// takes minutes, which is too slow for every run of CI.
pub(crate) fn build(out: Option<&str>) -> Result<()> {
    let out = out.map_or_else(|| target_dir().join("book"), PathBuf::from);
    // Relative to the book otherwise.
    let out = std::path::absolute(out)?;
    succeed(Command::new(tool()?).arg("build").arg("docs").arg("--dest-dir").arg(&out))?;
    eprintln!("xtask: {}", out.join("index.html").display());
    Ok(())
}

/// The user's mdBook of this version, or one that is built below the target folder.
fn tool() -> Result<PathBuf> {
    let named = format!("mdbook v{MDBOOK}");
    let is_named = |tool: &Path| {
        let output = Command::new(tool).arg("--version").output();
        output.is_ok_and(|output| output.stdout.trim_ascii() == named.as_bytes())
    };
    if is_named(Path::new("mdbook")) {
        return Ok(PathBuf::from("mdbook"));
    }
    let home = target_dir().join(format!("tools/mdbook-{MDBOOK}"));
    let tool = home.join("bin/mdbook");
    if !is_named(&tool) {
        succeed(
            cargo()
                .args(["install", "--quiet", "--locked", "--no-default-features", "--features", "search"])
                .args(["--version", MDBOOK, "mdbook", "--root"])
                .arg(&home),
        )?;
    }
    Ok(tool)
}
