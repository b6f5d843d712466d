//! Sums of what was made, and what is said of the release.

use super::Release;
use anyhow::{Context, Result};
use sha2::{Digest as _, Sha256};
use std::path::PathBuf;

/// `SHA256SUMS`, as `sha256sum --check` reads it: what the releaser signs.
pub(super) fn write(release: &Release, made: &[PathBuf]) -> Result<PathBuf> {
    let mut lines = Vec::new();
    for path in made {
        let bytes = std::fs::read(path).with_context(|| format!("read {}", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        lines.push(format!("{}  {name}\n", sha256(&bytes)));
    }
    lines.sort_by(|one, other| one[66..].cmp(&other[66..]));
    release.write("SHA256SUMS", lines.concat().as_bytes())
}

/// In hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The changelog's section of this version, or what is not released yet.
pub(super) fn notes(changelog: &str, version: &str) -> String {
    let section = |title: &str| {
        let (_, after) = changelog.split_once(&format!("\n## {title}"))?;
        let (_, body) = after.split_once('\n')?;
        Some(body.split("\n## ").next().unwrap_or(body).trim().to_owned())
    };
    let body = section(version).or_else(|| section("Unreleased")).unwrap_or_default();
    format!("# fullwire {version}\n\n{body}\n")
}
