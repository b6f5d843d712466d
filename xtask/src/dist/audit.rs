//! The list of crates inside the executable itself, where scanners of images look for it: the ELF section `.dep-v0`
//! with zlib-compressed JSON (rust-secure-code/cargo-auditable, PARSING.md).

use super::arch::Arch;
use super::quietly;
use super::sbom::Package;
use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

const SECTION: &str = ".dep-v0";

/// Copies the program with the list in it. It is in no segment, and is not loaded.
pub(super) fn with_list(program: &Path, arch: &Arch, packages: &[Package], to: &Path) -> Result<()> {
    let list = to.with_extension("dep-v0");
    std::fs::write(&list, compressed(packages)?).with_context(|| format!("write {}", list.display()))?;
    let tool = if arch.cross_compiler().is_some() { "aarch64-linux-gnu-objcopy" } else { "objcopy" };
    let section = format!("{SECTION}={}", list.display());
    let mut command = Command::new(tool);
    command
        .args(["--preserve-dates", "--remove-section", SECTION, "--add-section", &section])
        .arg(program)
        .arg(to);
    quietly(&mut command)?;
    std::fs::remove_file(&list).with_context(|| format!("remove {}", list.display()))
}

fn compressed(packages: &[Package]) -> Result<Vec<u8>> {
    let last = packages.len().saturating_sub(1);
    let listed: Vec<Value> = packages
        .iter()
        .enumerate()
        .map(|(place, package)| {
            let mut one = json!({
                "name": package.name,
                "version": package.version,
                "source": if package.registry { "crates.io" } else { "local" },
            });
            if !package.needs.is_empty() {
                one["dependencies"] = json!(package.needs);
            }
            if place == last {
                one["root"] = json!(true);
            }
            one
        })
        .collect();
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(json!({ "packages": listed }).to_string().as_bytes())?;
    Ok(encoder.finish()?)
}
