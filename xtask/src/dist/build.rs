//! The static executables.

use super::arch::Arch;
use super::epoch;
use crate::{cargo, root, succeed, target_dir};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the project promises.
pub(super) const LARGEST_BYTES: u64 = 15_000_000;

/// Builds it, proves that it is static and small enough, and says where it lies.
pub(super) fn build(arch: &Arch) -> Result<PathBuf> {
    require_target(arch)?;
    let mut command = cargo();
    command.args([
        "build",
        "--locked",
        "--profile",
        "dist",
        "--package",
        "fullwire",
        "--target",
        arch.target,
    ]);
    command.env("RUSTFLAGS", flags(arch)?).env("SOURCE_DATE_EPOCH", epoch()?.to_string());
    let c_flags =
        remapped()?.iter().map(|(from, to)| format!("-ffile-prefix-map={from}={to}")).collect::<Vec<_>>();
    let target = arch.target.replace('-', "_");
    command.env(format!("CFLAGS_{target}"), c_flags.join(" "));
    if let Some(compiler) = arch.cross_compiler() {
        command.env(format!("CC_{target}"), compiler);
        command.env(format!("CARGO_TARGET_{}_LINKER", target.to_uppercase()), compiler);
    }
    succeed(&mut command)?;
    let path = target_dir().join(arch.target).join("dist/fullwire");
    check(&path)?;
    Ok(path)
}

/// It is static, and not larger than promised.
pub(super) fn check(path: &Path) -> Result<()> {
    let size = std::fs::metadata(path).with_context(|| format!("stat {}", path.display()))?.len();
    if size > LARGEST_BYTES {
        bail!("{} has {size} bytes, more than {LARGEST_BYTES}", path.display());
    }
    require_static(path)?;
    eprintln!("xtask: {}: {size} bytes, static", path.display());
    Ok(())
}

/// No path of this machine gets into the file: the same source makes the same file anywhere.
fn flags(arch: &Arch) -> Result<String> {
    let remap =
        remapped()?.iter().map(|(from, to)| format!("--remap-path-prefix={from}={to}")).collect::<Vec<_>>();
    Ok(format!("{} {}", arch.flags, remap.join(" ")))
}

/// Folders of this machine, and what stands for them; the inner ones last, for the last match counts.
fn remapped() -> Result<Vec<(String, &'static str)>> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")));
    let home = home.context("neither CARGO_HOME nor HOME is set")?;
    let folders = [(home, "/cargo"), (root(), "/fullwire"), (target_dir(), "/target")];
    let text = |path: &Path| path.to_str().map(str::to_owned).context("a path is not UTF-8");
    folders.iter().map(|(path, instead)| Ok((text(path)?, *instead))).collect()
}

fn require_target(arch: &Arch) -> Result<()> {
    let listed = Command::new("rustc").args(["--print", "sysroot"]).output().context("run rustc")?;
    let sysroot = String::from_utf8_lossy(&listed.stdout).trim().to_owned();
    let library = Path::new(&sysroot).join("lib/rustlib").join(arch.target).join("lib");
    if !library.exists() {
        bail!("no standard library for {}: rustup target add {0}", arch.target);
    }
    if let Some(compiler) = arch.cross_compiler()
        && Command::new(compiler).arg("--version").output().is_err()
    {
        bail!("no {compiler}: apt install gcc-aarch64-linux-gnu libc6-dev-arm64-cross");
    }
    Ok(())
}

/// A static executable asks for no interpreter.
fn require_static(path: &Path) -> Result<()> {
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
