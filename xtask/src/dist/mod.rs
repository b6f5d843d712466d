//! What is shipped: the static executable of each architecture, packages, an image, their lists and sums.

mod arch;
mod build;

use anyhow::{Context, Result};
use std::process::Command;

/// `dist`.
pub(crate) fn run() -> Result<std::path::PathBuf> {
    build::build(arch::named(&std::env::var("ARCH").unwrap_or("x86_64".into()))?)
}

/// The time that everything carries: `SOURCE_DATE_EPOCH`, or that of the last commit.
fn epoch() -> Result<u64> {
    if let Ok(given) = std::env::var("SOURCE_DATE_EPOCH") {
        return given.parse().context("SOURCE_DATE_EPOCH is no number");
    }
    let output = Command::new("git").args(["log", "-1", "--format=%ct"]).output().context("run git log")?;
    String::from_utf8_lossy(&output.stdout).trim().parse().context("git log tells no time of a commit")
}
