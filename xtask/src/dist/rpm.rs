//! Packages for EL, SUSE and similar ones, by rpmbuild. The payload is gzip: rpm of EL 7 and SLES 12 takes no zstd.

use super::arch::Arch;
use super::tree::{Content, Entry, Flavour, oratcptest, tree};
use super::{Release, lay_out, quietly, scripts};
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const DESCRIPTION: &str = "Audits the host, measures network and storage, reads what the database needs,
compares each figure with its ceiling, and names the bottleneck with evidence
and one fix. One static executable. Nothing is enabled or started.";

/// What keeps rpmbuild from looking into the files, and machine and time out of the package.
const MACROS: [(&str, &str); 11] = [
    ("_binary_payload", "w9.gzdio"),
    ("_binary_filedigest_algorithm", "8"),
    ("__os_install_post", "%{nil}"),
    ("debug_package", "%{nil}"),
    ("_build_id_links", "none"),
    ("_buildhost", "localhost"),
    ("use_source_date_epoch_as_buildtime", "1"),
    ("clamp_mtime_to_source_date_epoch", "1"),
    ("source_date_epoch_from_changelog", "0"),
    ("_rpmformat", "4"),
    ("_docdir", "/usr/share/doc"),
];

/// The package, and the one of the link.
pub(super) fn make(release: &Release, arch: &Arch, program: &Path) -> Result<Vec<PathBuf>> {
    let top = release.out.join(".stage-rpm");
    let _ = std::fs::remove_dir_all(&top);
    let entries = tree(program, Flavour::Rpm)?;
    let link = oratcptest();
    lay_out(&entries, &top.join("files"))?;
    lay_out(&link, &top.join("files"))?;
    let spec = top.join("fullwire.spec");
    std::fs::write(&spec, spec_text(release, &entries, &link)).context("write the spec")?;
    let mut command = Command::new("rpmbuild");
    command.args(["-bb", "--quiet", "--target", &format!("{}-linux", arch.name)]);
    let define = |command: &mut Command, name: &str, value: &str| {
        command.args(["--define", &format!("{name} {value}")]);
    };
    for (name, value) in MACROS {
        define(&mut command, name, value);
    }
    let folder = |name: &str| top.join(name).to_string_lossy().into_owned();
    define(&mut command, "_topdir", &folder("top"));
    define(&mut command, "_tmppath", &folder("tmp"));
    define(&mut command, "_rpmdir", &folder("rpms"));
    define(&mut command, "_dbpath", &folder("db"));
    define(&mut command, "fullwire_files", &folder("files"));
    quietly(command.arg(&spec).env("SOURCE_DATE_EPOCH", release.epoch.to_string()))?;
    let mut made = Vec::new();
    for name in ["fullwire", "fullwire-oratcptest"] {
        let file = format!("{name}-{}-1.{}.rpm", release.version, arch.name);
        let path = release.out.join(&file);
        std::fs::rename(top.join("rpms").join(arch.name).join(&file), &path)
            .with_context(|| format!("rpmbuild made no {file}"))?;
        made.push(path);
    }
    std::fs::remove_dir_all(&top)?;
    Ok(made)
}

fn spec_text(release: &Release, entries: &[Entry], link: &[Entry]) -> String {
    let version = &release.version;
    let mut text = format!(
        "Name: fullwire\nVersion: {version}\nRelease: 1\nSummary: Checks whether the I/O path of a database server runs at full wire\n\
         License: MIT OR Apache-2.0\nGroup: System Environment/Base\nAutoReqProv: no\n\n%description\n{DESCRIPTION}\n\n\
         %package oratcptest\nSummary: fullwire under the name of Oracle's oratcptest\nGroup: System Environment/Base\n\
         AutoReqProv: no\nRequires: fullwire = {version}-1\n\n%description oratcptest\nThe link oratcptest, with the options and the output of oratcptest.jar.\n\n\
         %install\nmkdir -p %{{buildroot}}\ncp -a %{{fullwire_files}}/. %{{buildroot}}/\n\n"
    );
    for (name, script) in scripts::RPM {
        let _ = writeln!(text, "%{name}\n{script}");
    }
    let _ = writeln!(text, "%files\n{}\n%files oratcptest\n{}", files(entries), files(link));
    text
}

fn files(entries: &[Entry]) -> String {
    let line = |entry: &Entry| {
        let kind = match (&entry.content, entry.config) {
            (Content::Directory, _) => "%dir ",
            (_, true) => "%config(noreplace) ",
            (Content::File(_), false) if entry.path.starts_with("usr/share/licenses") => "%license ",
            (Content::File(_), false) if entry.path.starts_with("usr/share/doc") => "%doc ",
            _ => "",
        };
        let mode = match entry.content {
            Content::Link(_) => String::new(),
            _ => format!("%attr({:04o},root,root) ", entry.mode),
        };
        format!("{mode}{kind}/{}\n", entry.path)
    };
    let mut text: String = entries.iter().map(line).collect();
    for folder in [
        "/usr/share/doc/fullwire",
        "/usr/share/fullwire",
        "/usr/share/fullwire/monitoring",
        "/usr/share/licenses/fullwire",
    ] {
        if entries.iter().any(|entry| format!("/{}", entry.path).starts_with(folder)) {
            let _ = writeln!(text, "%dir {folder}");
        }
    }
    text
}
