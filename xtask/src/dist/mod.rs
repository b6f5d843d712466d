//! What is shipped: the static executable of each architecture, packages, an image, their lists and sums.
//!
//! Everything is made from one list of files ([`tree`]) and carries one time ([`epoch`]), so that the same commit gives
//! the same bytes in any folder of any machine with the same tools.

mod arch;
mod archive;
mod audit;
mod build;
mod check;
mod deb;
mod image;
mod rpm;
mod sbom;
mod scripts;
mod sums;
#[cfg(test)]
mod tests;
mod tree;

use crate::target_dir;
use anyhow::{Context, Result, bail};
use arch::Arch;
use flate2::{Compression, GzBuilder};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is packaged, and where to.
struct Release {
    version: String,
    epoch: u64,
    out: PathBuf,
}

/// `dist [--check] [--arch NAME]... [--binary FILE] [--out DIR]`; `dist --all-features [--arch NAME]...` only builds.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let options = options(arguments)?;
    if options.all_features {
        return options.arches.into_iter().try_for_each(build::build_all);
    }
    let release = Release { version: version()?, epoch: epoch()?, out: options.out };
    let built = options.arches.into_iter().map(|arch| {
        let program = options.binary.clone().map_or_else(|| build::build(arch), Ok)?;
        Ok((arch, program))
    });
    let built = built.collect::<Result<Vec<_>>>()?;
    for path in release.package(&built)? {
        println!("{}", path.display());
    }
    if options.check { check::run(&release, &built, options.binary.is_none()) } else { Ok(()) }
}

struct Options {
    arches: Vec<&'static Arch>,
    binary: Option<PathBuf>,
    out: PathBuf,
    check: bool,
    all_features: bool,
}

fn options(arguments: &[&str]) -> Result<Options> {
    let out = target_dir().join("packages");
    let mut options = Options { arches: Vec::new(), binary: None, out, check: false, all_features: false };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let flag = match *word {
            "--check" => Some(&mut options.check),
            "--all-features" => Some(&mut options.all_features),
            _ => None,
        };
        if let Some(flag) = flag {
            *flag = true;
            continue;
        }
        let value = words.next().with_context(|| format!("{word} needs a value"))?;
        match *word {
            "--arch" => options.arches.push(arch::named(value)?),
            "--binary" => options.binary = Some(PathBuf::from(value)),
            // rpmbuild changes its directory.
            "--out" => options.out = std::path::absolute(value)?,
            other => bail!("dist has no option {other}"),
        }
    }
    if options.binary.is_some() && options.arches.len() != 1 {
        bail!("--binary is of one architecture: say which with --arch");
    }
    if options.arches.is_empty() {
        options.arches = arch::ALL.to_vec();
    }
    Ok(options)
}

impl Release {
    /// Packages the executables; the paths of what was made, the sums last.
    fn package(&self, built: &[(&'static Arch, PathBuf)]) -> Result<Vec<PathBuf>> {
        if self.out.exists() {
            std::fs::remove_dir_all(&self.out).with_context(|| format!("empty {}", self.out.display()))?;
        }
        std::fs::create_dir_all(&self.out).with_context(|| format!("make {}", self.out.display()))?;
        let mut made = Vec::new();
        for (arch, program) in built {
            let listed = sbom::packages(arch)?;
            made.push(self.write(
                &format!("fullwire-{}-{}.cdx.json", self.version, arch.name),
                &sbom::cyclonedx(self, &listed)?,
            )?);
            let audited = self.out.join(format!("fullwire-{}-linux-{}", self.version, arch.name));
            audit::with_list(program, arch, &listed, &audited)?;
            made.push(audited.clone());
            made.push(archive::make(self, arch, &audited)?);
            made.extend(deb::make(self, arch, &audited)?);
            made.extend(rpm::make(self, arch, &audited)?);
        }
        let programs: Vec<(&Arch, PathBuf)> = built
            .iter()
            .map(|(arch, _)| (*arch, self.out.join(format!("fullwire-{}-linux-{}", self.version, arch.name))))
            .collect();
        made.push(image::make(self, &programs)?);
        made.push(self.write(
            "release-notes.md",
            sums::notes(&std::fs::read_to_string("CHANGELOG.md")?, &self.version).as_bytes(),
        )?);
        made.push(sums::write(self, &made)?);
        Ok(made)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.out.join(name);
        std::fs::write(&path, bytes).with_context(|| format!("write {}", path.display()))?;
        Ok(path)
    }
}

fn version() -> Result<String> {
    let text = std::fs::read_to_string("Cargo.toml").context("read Cargo.toml")?;
    let line = text.lines().find_map(|line| line.strip_prefix("version = \""));
    Ok(line.context("Cargo.toml has no version")?.trim_end_matches('"').to_owned())
}

/// The time that everything carries: `SOURCE_DATE_EPOCH`, or that of the last commit.
fn epoch() -> Result<u64> {
    if let Ok(given) = std::env::var("SOURCE_DATE_EPOCH") {
        return given.parse().context("SOURCE_DATE_EPOCH is no number");
    }
    let output = Command::new("git").args(["log", "-1", "--format=%ct"]).output().context("run git log")?;
    String::from_utf8_lossy(&output.stdout).trim().parse().context("git log tells no time of a commit")
}

/// Without a name and a time in it.
fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut writer = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    writer.write_all(bytes)?;
    Ok(writer.finish()?)
}

/// Lays the entries out below a folder, with the release's time.
fn lay_out(entries: &[tree::Entry], below: &Path) -> Result<()> {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    for entry in entries {
        let path = below.join(&entry.path);
        std::fs::create_dir_all(path.parent().context("an entry has a folder")?)?;
        match &entry.content {
            tree::Content::File(bytes) => std::fs::write(&path, bytes)?,
            tree::Content::Link(to) => {
                symlink(to, &path)?;
                continue;
            }
            tree::Content::Directory => std::fs::create_dir_all(&path)?,
        }
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(entry.mode))?;
    }
    Ok(())
}

/// Runs a packager; its failure is ours, with all that it said.
fn quietly(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("start {program}"))?;
    if !output.status.success() {
        let said = [output.stdout, output.stderr].concat();
        bail!("{program}: {}: {}", output.status, String::from_utf8_lossy(&said).trim());
    }
    Ok(())
}
