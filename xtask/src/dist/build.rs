//! The static executables.

use super::arch::Arch;
use super::epoch;
use crate::{cargo, root, succeed, target_dir};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the project promises, with every optional feature too.
const LARGEST_BYTES: u64 = 20_000_000;

/// C that is small: nothing unwinds through it; zstd decodes by one way for all CPUs (its own `thin` without the part that
/// takes the words out of errors), and has no strategies for levels above the 3 that is used.
const C_FLAGS: &str = "-fno-asynchronous-unwind-tables -fno-unwind-tables -DDYNAMIC_BMI2=0 -DHUF_FORCE_DECOMPRESS_X1=1 \
    -DZSTD_FORCE_DECOMPRESS_SEQUENCES_SHORT=1 -DZSTD_EXCLUDE_GREEDY_BLOCK_COMPRESSOR -DZSTD_EXCLUDE_LAZY_BLOCK_COMPRESSOR \
    -DZSTD_EXCLUDE_LAZY2_BLOCK_COMPRESSOR -DZSTD_EXCLUDE_BTLAZY2_BLOCK_COMPRESSOR -DZSTD_EXCLUDE_BTOPT_BLOCK_COMPRESSOR \
    -DZSTD_EXCLUDE_BTULTRA_BLOCK_COMPRESSOR";

/// The standard library is compiled with the program, for size, and without the reader of debug information, of which the
/// file has none: 0.9 MB less. Cargo has this for nightly compilers and for those that `RUSTC_BOOTSTRAP` takes for one
/// (<https://doc.rust-lang.org/cargo/reference/unstable.html#build-std>).
const SMALL_STD: [&str; 2] =
    ["-Zbuild-std=std,panic_unwind", "-Zbuild-std-features=panic-unwind,optimize_for_size"];

/// Builds it, proves that it is static and small enough, and says where it lies.
pub(super) fn build(arch: &Arch) -> Result<PathBuf> {
    let path = compile(arch, &[])?;
    check(&path, LARGEST_BYTES)?;
    Ok(path)
}

/// The same with every optional feature: what somebody can make of the source, and is not packaged.
pub(super) fn build_all(arch: &Arch) -> Result<()> {
    check(&compile(arch, &["--all-features"])?, LARGEST_BYTES)
}

fn compile(arch: &Arch, features: &[&str]) -> Result<PathBuf> {
    require_target(arch)?;
    let mut command = cargo();
    command
        .args(["build", "--locked", "--profile", "dist", "--package", "fullwire", "--target", arch.target]);
    command.args(features).args(SMALL_STD).env("RUSTC_BOOTSTRAP", "1");
    // Where gcc looks for the linker that Rust brings: it alone folds equal functions into one.
    command.env("COMPILER_PATH", sysroot()?.join(linker()));
    command.env("RUSTFLAGS", flags(arch)?).env("SOURCE_DATE_EPOCH", epoch()?.to_string());
    let mut c_flags =
        remapped()?.iter().map(|(from, to)| format!("-ffile-prefix-map={from}={to}")).collect::<Vec<_>>();
    c_flags.push(C_FLAGS.to_owned());
    let target = arch.target.replace('-', "_");
    command.env(format!("CFLAGS_{target}"), c_flags.join(" "));
    if let Some(compiler) = arch.cross_compiler() {
        command.env(format!("CC_{target}"), compiler);
        command.env(format!("CARGO_TARGET_{}_LINKER", target.to_uppercase()), compiler);
    }
    succeed(&mut command)?;
    Ok(target_dir().join(arch.target).join("dist/fullwire"))
}

/// It is static, and not larger than promised.
fn check(path: &Path, largest_bytes: u64) -> Result<()> {
    let size = std::fs::metadata(path).with_context(|| format!("stat {}", path.display()))?.len();
    if size > largest_bytes {
        bail!("{} has {size} bytes, more than {largest_bytes}", path.display());
    }
    require_static(path)?;
    eprintln!("xtask: {}: {size} bytes, static", path.display());
    Ok(())
}

/// No path of this machine gets into the file: the same source makes the same file anywhere.
fn flags(arch: &Arch) -> Result<String> {
    let remap =
        remapped()?.iter().map(|(from, to)| format!("--remap-path-prefix={from}={to}")).collect::<Vec<_>>();
    Ok(format!("{} {LINK_FLAGS} {}", arch.flags, remap.join(" ")))
}

/// By Rust's own linker, on every machine and for every architecture. Names are looked up without loading a module of the
/// host's: `crates/probe/src/net/socket/getaddrinfo.rs`.
const LINK_FLAGS: &str = "-C link-arg=-fuse-ld=lld -C link-arg=-Wl,--icf=all \
                          -C link-arg=-Wl,--wrap=getaddrinfo --cfg=wraps_getaddrinfo";

fn sysroot() -> Result<PathBuf> {
    let listed = Command::new("rustc").args(["--print", "sysroot"]).output().context("run rustc")?;
    Ok(PathBuf::from(String::from_utf8_lossy(&listed.stdout).trim()))
}

/// Below the toolchain's folder.
const STD_SOURCE: &str = "lib/rustlib/src/rust";

/// The folder of Rust's linker, under the name that gcc looks for.
fn linker() -> PathBuf {
    format!("lib/rustlib/{}-unknown-linux-gnu/bin/gcc-ld", std::env::consts::ARCH).into()
}

/// Folders of this machine, and what stands for them; the inner ones last, for the last match counts.
fn remapped() -> Result<Vec<(String, &'static str)>> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")));
    let home = home.context("neither CARGO_HOME nor HOME is set")?;
    let std = sysroot()?.join(STD_SOURCE);
    let folders = [(home, "/cargo"), (std, "/rustc"), (root(), "/fullwire"), (target_dir(), "/target")];
    let text = |path: &Path| path.to_str().map(str::to_owned).context("a path is not UTF-8");
    folders.iter().map(|(path, instead)| Ok((text(path)?, *instead))).collect()
}

/// What rustup can bring is brought; all else is asked for.
fn require_target(arch: &Arch) -> Result<()> {
    let sysroot = sysroot()?;
    if !sysroot.join("lib/rustlib").join(arch.target).join("lib").exists() {
        rustup(&["target", "add", arch.target])?;
    }
    if !sysroot.join(STD_SOURCE).join("library/Cargo.lock").exists() {
        rustup(&["component", "add", "rust-src"])?;
    }
    if !sysroot.join(linker()).join("ld.lld").exists() {
        bail!("no {} below {}: the toolchain of rustup has it", linker().display(), sysroot.display());
    }
    if let Some(compiler) = arch.cross_compiler()
        && Command::new(compiler).arg("--version").output().is_err()
    {
        bail!("no {compiler}: apt install gcc-aarch64-linux-gnu libc6-dev-arm64-cross");
    }
    Ok(())
}

fn rustup(words: &[&str]) -> Result<()> {
    succeed(Command::new("rustup").args(words))
        .with_context(|| format!("the toolchain lacks a part of it, and rustup {} failed", words.join(" ")))
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
