//! Packages for Debian, Ubuntu and similar ones, by dpkg-deb.

use super::arch::Arch;
use super::tree::{Entry, Flavour, oratcptest, tree};
use super::{Release, gzip, lay_out, quietly, scripts};
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const MAINTAINER: &str = "the fullwire authors <fullwire@localhost>";
const SUMMARY: &str = "checks whether a database server's I/O path runs at full wire";
const DESCRIPTION: &str = " Audits the host, measures network and storage, reads what the database needs,
 compares each figure with its ceiling, and names the bottleneck with evidence
 and one fix. One static executable. Nothing is enabled or started.
";

/// The package, and the one of the link.
pub(super) fn make(release: &Release, arch: &Arch, program: &Path) -> Result<Vec<PathBuf>> {
    let mut entries = tree(program, Flavour::Deb)?;
    let log = format!(
        "fullwire ({}-1) unstable; urgency=medium\n\n  * Of the same version; see changelog.gz.\n\n -- {MAINTAINER}  {}\n",
        release.version,
        jiff::Timestamp::from_second(i64::try_from(release.epoch)?)?.strftime("%a, %d %b %Y %H:%M:%S +0000")
    );
    entries.push(Entry::file("usr/share/doc/fullwire/changelog.Debian.gz", 0o644, gzip(log.as_bytes())?));
    let overrides =
        std::fs::read("packaging/lintian-overrides").context("read packaging/lintian-overrides")?;
    entries.push(Entry::file("usr/share/lintian/overrides/fullwire", 0o644, overrides));
    let main = Package {
        name: "fullwire",
        fields: format!("Section: admin\nPriority: optional\nDescription: {SUMMARY}\n{DESCRIPTION}"),
        scripts: &scripts::DEB,
        entries,
    };
    let version = &release.version;
    let doc = "usr/share/doc/fullwire-oratcptest";
    let mut entries = oratcptest();
    entries.push(Entry::link(doc, "fullwire"));
    let link = Package {
        name: "fullwire-oratcptest",
        fields: format!(
            "Section: admin\nPriority: optional\nDepends: fullwire (= {version}-1)\nDescription: fullwire under the name \
             of Oracle's oratcptest\n The link oratcptest, with the options and the output of oratcptest.jar.\n"
        ),
        scripts: &[],
        entries,
    };
    [main, link].iter().map(|package| package.build(release, arch)).collect()
}

struct Package<'a> {
    name: &'static str,
    fields: String,
    scripts: &'a [(&'static str, &'static str)],
    entries: Vec<Entry>,
}

impl Package<'_> {
    fn build(&self, release: &Release, arch: &Arch) -> Result<PathBuf> {
        let stage = release.out.join(".stage-deb");
        let _ = std::fs::remove_dir_all(&stage);
        lay_out(&self.entries, &stage)?;
        let control = stage.join("DEBIAN");
        std::fs::create_dir_all(&control)?;
        std::fs::write(control.join("control"), self.control(release, arch))?;
        std::fs::write(control.join("md5sums"), self.sums(&stage)?)?;
        for (name, text) in self.scripts {
            std::fs::write(control.join(name), text)?;
            std::fs::set_permissions(control.join(name), std::fs::Permissions::from_mode(0o755))?;
        }
        normalise(&stage)?;
        let path = release.out.join(format!("{}_{}-1_{}.deb", self.name, release.version, arch.debian));
        let mut command = Command::new("dpkg-deb");
        command.args(["--root-owner-group", "-Zxz", "--build"]).arg(&stage).arg(&path);
        quietly(command.env("SOURCE_DATE_EPOCH", release.epoch.to_string()))?;
        std::fs::remove_dir_all(&stage)?;
        Ok(path)
    }

    fn control(&self, release: &Release, arch: &Arch) -> String {
        let bytes: usize = self.entries.iter().map(size).sum();
        format!(
            "Package: {}\nVersion: {}-1\nArchitecture: {}\nMaintainer: {MAINTAINER}\nInstalled-Size: {}\n{}",
            self.name,
            release.version,
            arch.debian,
            bytes.div_ceil(1024),
            self.fields
        )
    }

    fn sums(&self, stage: &Path) -> Result<String> {
        let mut text = String::new();
        let mut paths: Vec<&str> =
            self.entries.iter().filter(|entry| size(entry) > 0).map(|entry| &*entry.path).collect();
        paths.sort_unstable();
        for path in paths {
            let output = Command::new("md5sum").arg(stage.join(path)).output().context("run md5sum")?;
            let sum = String::from_utf8_lossy(&output.stdout);
            let _ = writeln!(text, "{}  {path}", sum.split(' ').next().unwrap_or_default());
        }
        Ok(text)
    }
}

fn size(entry: &Entry) -> usize {
    match &entry.content {
        super::tree::Content::File(bytes) => bytes.len(),
        _ => 0,
    }
}

/// Directories that were made on the way have the mode of a package, whatever the umask is.
fn normalise(stage: &Path) -> Result<()> {
    let mut command = Command::new("find");
    command
        .arg(stage)
        .args(["-type", "d", "!", "-path", "*/etc/fullwire", "-exec", "chmod", "0755", "{}", "+"]);
    quietly(&mut command)
}
