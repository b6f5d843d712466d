//! The one static executable.

use crate::{cargo, succeed, target_dir};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::Command;

const TARGET: &str = "x86_64-unknown-linux-gnu";
/// A start-up that relocates itself needs 0.6 MB of relocations unless they are packed; glibc 2.36 and later unpacks.
const FLAGS: &str =
    "-C target-feature=+crt-static -C relocation-model=pie -C link-arg=-Wl,-z,pack-relative-relocs";
/// What the project promises.
const LARGEST_BYTES: u64 = 15_000_000;

/// Builds it, proves that it is static and small enough, and says where it lies.
pub(crate) fn run() -> Result<PathBuf> {
    succeed(
        cargo()
            .args(["build", "--locked", "--profile", "dist", "--package", "fullwire", "--target", TARGET])
            .env("RUSTFLAGS", FLAGS),
    )?;
    let path = target_dir().join(TARGET).join("dist/fullwire");
    let size = std::fs::metadata(&path).with_context(|| format!("stat {}", path.display()))?.len();
    if size > LARGEST_BYTES {
        bail!("{} has {size} bytes, more than {LARGEST_BYTES}", path.display());
    }
    require_static(&path)?;
    succeed(Command::new(&path).arg("--version"))?;
    eprintln!("xtask: {size} bytes, static");
    Ok(path)
}

/// A static-pie executable asks for no interpreter.
fn require_static(path: &PathBuf) -> Result<()> {
    let output = Command::new("readelf")
        .args(["--program-headers", "--wide"])
        .arg(path)
        .output()
        .context("run readelf")?;
    let headers = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() || headers.contains("INTERP") {
        bail!("{} is not static: {}", path.display(), headers.trim());
    }
    Ok(())
}
