//! The files that every package holds, made once.

use super::gzip;
use anyhow::{Context, Result};
use std::path::Path;

/// One file, link or directory of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Absolute, without the slash in front.
    pub(super) path: String,
    pub(super) mode: u32,
    pub(super) content: Content,
    /// The administrator's: an upgrade does not overwrite it.
    pub(super) config: bool,
}

/// What an entry is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    File(Vec<u8>),
    Link(String),
    Directory,
}

/// Whose habits a tree follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flavour {
    /// Debian and similar ones.
    Deb,
    /// EL, SUSE and similar ones.
    Rpm,
    /// Neither: for `install.sh`.
    Plain,
}

impl Entry {
    pub(super) fn file(path: impl Into<String>, mode: u32, bytes: Vec<u8>) -> Self {
        Self { path: path.into(), mode, content: Content::File(bytes), config: false }
    }

    pub(super) fn directory(path: impl Into<String>, mode: u32) -> Self {
        Self { path: path.into(), mode, content: Content::Directory, config: false }
    }

    pub(super) fn link(path: impl Into<String>, to: &str) -> Self {
        Self { path: path.into(), mode: 0o777, content: Content::Link(to.to_owned()), config: false }
    }
}

/// Units and what they need; a unit that is not in the tree yet is left out.
const UNITS: [&str; 2] = ["fullwire-serve.service", "fullwire-record.service"];

/// The files of the main package, sorted by path.
pub(super) fn tree(program: &Path, flavour: Flavour) -> Result<Vec<Entry>> {
    let mut all = vec![Entry::file("usr/bin/fullwire", 0o755, read(program)?)];
    all.push(Entry::directory("etc/fullwire", 0o750));
    for unit in UNITS.iter().filter(|unit| packaging(unit).exists()) {
        all.push(Entry::file(format!("usr/lib/systemd/system/{unit}"), 0o644, read(&packaging(unit))?));
    }
    for (from, to) in [("fullwire.sysusers", "sysusers.d"), ("fullwire.tmpfiles", "tmpfiles.d")] {
        all.push(Entry::file(format!("usr/lib/{to}/fullwire.conf"), 0o644, read(&packaging(from))?));
    }
    all.push(Entry::file(
        "usr/lib/firewalld/services/fullwire.xml",
        0o644,
        read(&packaging("fullwire-firewalld.xml"))?,
    ));
    let zsh = if flavour == Flavour::Deb { "vendor-completions" } else { "site-functions" };
    for (from, to) in [
        ("fullwire.bash", "usr/share/bash-completion/completions/fullwire".to_owned()),
        ("fullwire.fish", "usr/share/fish/vendor_completions.d/fullwire.fish".to_owned()),
        ("fullwire.zsh", format!("usr/share/zsh/{zsh}/_fullwire")),
    ] {
        all.push(Entry::file(to, 0o644, read(&packaging("completions").join(from))?));
    }
    all.extend(manual()?);
    all.extend(monitoring()?);
    all.extend(documents(flavour)?);
    all.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(all)
}

/// The link under the name of Oracle's tool, in its own package: the name belongs to others.
pub(super) fn oratcptest() -> Vec<Entry> {
    vec![Entry::link("usr/bin/oratcptest", "fullwire")]
}

fn manual() -> Result<Vec<Entry>> {
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(packaging("man")).context("list packaging/man")? {
        let path = entry?.path();
        let name =
            path.file_name().and_then(|name| name.to_str()).context("a man page's name is not UTF-8")?;
        pages.push(Entry::file(format!("usr/share/man/man1/{name}.gz"), 0o644, gzip(&read(&path)?)?));
    }
    Ok(pages)
}

fn monitoring() -> Result<Vec<Entry>> {
    let files = ["grafana-dashboard.json", "prometheus-alerts.yml"];
    let entry = |name: &str| {
        let bytes = read(&packaging("monitoring").join(name))?;
        Ok(Entry::file(format!("usr/share/fullwire/monitoring/{name}"), 0o644, bytes))
    };
    files.into_iter().map(entry).collect()
}

fn documents(flavour: Flavour) -> Result<Vec<Entry>> {
    let doc = "usr/share/doc/fullwire";
    let text = |name: &str| read(Path::new(name));
    let mut all = Vec::new();
    match flavour {
        Flavour::Deb => {
            all.push(Entry::file(format!("{doc}/copyright"), 0o644, read(&packaging("debian-copyright"))?));
            all.push(Entry::file(format!("{doc}/changelog.gz"), 0o644, gzip(&text("CHANGELOG.md")?)?));
        }
        Flavour::Rpm | Flavour::Plain => {
            all.push(Entry::file(format!("{doc}/CHANGELOG.md"), 0o644, text("CHANGELOG.md")?));
            for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
                all.push(Entry::file(
                    format!("usr/share/licenses/fullwire/{licence}"),
                    0o644,
                    text(licence)?,
                ));
            }
        }
    }
    all.push(Entry::file(format!("{doc}/rules.md"), 0o644, text("docs/rules.md")?));
    Ok(all)
}

fn packaging(name: &str) -> std::path::PathBuf {
    Path::new("packaging").join(name)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("read {}", path.display()))
}
