//! Packages of a small program that stands for ours: what they hold, whether two builds are the same, what the checkers of
//! the distributions say, and what installing and removing leave. The distributions' own tools look at them.

use super::{Release, arch, audit, sbom, sums};
use crate::skips::{installed, is_root};
use nix::fcntl::{Flock, FlockArg};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use tempfile::TempDir;

/// Static like ours, and there wherever the tests run: the compiler makes it.
fn program(folder: &Path) -> PathBuf {
    let (source, program) = (folder.join("program.c"), folder.join("program"));
    std::fs::write(&source, "int main(void) { return 0; }\n").unwrap();
    done(Command::new("cc").args(["-static", "-s", "-o"]).args([&program, &source]));
    program
}

fn done(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}{}", said(&output), text(&output));
    text(&output)
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Everything, of the small program, below a folder.
fn packaged(folder: &Path, version: &str) -> Vec<PathBuf> {
    // Tests run in the crate's folder; the files are in the repository's.
    std::env::set_current_dir(crate::root()).unwrap();
    let program = program(folder);
    let release = Release { version: version.into(), epoch: 1_795_000_000, out: folder.join("out") };
    release.package(&[(arch::named("x86_64").unwrap(), program)]).unwrap()
}

/// The same for all tests that only look at it.
fn made() -> &'static [PathBuf] {
    static MADE: OnceLock<Vec<PathBuf>> = OnceLock::new();
    MADE.get_or_init(|| once_a_run("packages-of-tests", "0.9.1"))
}

/// The same of an older version.
fn older() -> &'static [PathBuf] {
    static MADE: OnceLock<Vec<PathBuf>> = OnceLock::new();
    MADE.get_or_init(|| once_a_run("older-packages-of-tests", "0.9.0"))
}

/// The packages that another process of this run has made, or makes them: each test may be a process of its own.
fn once_a_run(name: &str, version: &str) -> Vec<PathBuf> {
    let folder = crate::target_dir().join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let lock = std::fs::File::create(folder.join("lock")).unwrap();
    let _lock = Flock::lock(lock, FlockArg::LockExclusive).map_err(|(_, error)| error).unwrap();
    let run = std::env::var("NEXTEST_RUN_ID").unwrap_or_else(|_| std::process::id().to_string());
    let note = folder.join("made");
    let noted = std::fs::read_to_string(&note).unwrap_or_default();
    if let Some(("", paths)) = noted.split_once(&run) {
        std::env::set_current_dir(crate::root()).unwrap();
        return paths.lines().filter(|path| !path.is_empty()).map(PathBuf::from).collect();
    }
    let made = packaged(&folder, version);
    let paths: Vec<String> = made.iter().map(|path| path.display().to_string()).collect();
    std::fs::write(note, format!("{run}\n{}\n", paths.join("\n"))).unwrap();
    made
}

/// Runs a script of ours in mounts of its own; what it says.
fn isolated(script: &str, words: &[&Path]) -> String {
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private", "sh", "-eu"]);
    done(command.arg(format!("xtask/src/dist/{script}")).args(words))
}

fn ending<'a>(made: &'a [PathBuf], ending: &str) -> &'a Path {
    made.iter()
        .find(|path| path.to_string_lossy().ends_with(ending))
        .unwrap_or_else(|| panic!("no {ending}: {made:?}"))
}

fn packagers() -> bool {
    installed("dpkg-deb") && installed("rpmbuild")
}

const DEB: &str = "/fullwire_0.9.1-1_amd64.deb";
const RPM: &str = "/fullwire-0.9.1-1.x86_64.rpm";

#[test]
fn two_builds_in_two_folders_are_the_same_bytes() {
    if !packagers() {
        return;
    }
    let other = TempDir::new().unwrap();
    let (first, second) = (made(), packaged(other.path(), "0.9.1"));
    assert!(first.len() >= 10, "{first:?}");
    for (one, other) in first.iter().zip(&second) {
        assert_eq!(one.file_name(), other.file_name());
        assert!(std::fs::read(one).unwrap() == std::fs::read(other).unwrap(), "{} differs", one.display());
    }
    let sums = done(
        Command::new("sha256sum")
            .args(["--check", "--strict", "SHA256SUMS"])
            .current_dir(other.path().join("out")),
    );
    assert_eq!(sums.lines().count(), first.len() - 1, "every file but the list itself");
}

#[test]
fn the_packages_hold_the_same_files_and_enable_nothing() {
    if !packagers() {
        return;
    }
    let made = made();
    let listed = done(Command::new("dpkg-deb").arg("--contents").arg(ending(made, DEB)));
    let of_rpm = done(Command::new("rpm").args(["-qplv", "--nodigest"]).arg(ending(made, RPM)));
    for file in [
        "/usr/bin/fullwire",
        "/usr/lib/systemd/system/fullwire-serve.service",
        "/usr/lib/sysusers.d/fullwire.conf",
        "/usr/lib/tmpfiles.d/fullwire.conf",
        "/usr/lib/firewalld/services/fullwire.xml",
        "/usr/share/bash-completion/completions/fullwire",
        "/usr/share/man/man1/fullwire.1.gz",
        "/usr/share/man/man1/fullwire-export.1.gz",
        "/usr/share/fullwire/monitoring/prometheus-alerts.yml",
        "/etc/fullwire",
    ] {
        assert!(listed.contains(&format!(".{file}")), "deb without {file}: {listed}");
        assert!(of_rpm.contains(file), "rpm without {file}: {of_rpm}");
    }
    assert!(
        !listed.contains("/bin/oratcptest") && !of_rpm.contains("/bin/oratcptest"),
        "the name is another package's"
    );
    assert!(!(listed.clone() + &of_rpm).contains(".wants/"), "nothing is enabled");
    assert!(listed.lines().all(|line| line.contains(" root/root ")), "{listed}");
    let link = ending(made, "/fullwire-oratcptest_0.9.1-1_amd64.deb");
    assert!(
        done(Command::new("dpkg-deb").arg("--contents").arg(link)).contains("usr/bin/oratcptest -> fullwire")
    );
    let folder = TempDir::new().unwrap();
    for (_, script) in super::scripts::DEB.iter().chain(&super::scripts::RPM) {
        for word in [" enable", "--now enable", "systemctl start", "firewall-cmd"] {
            assert!(!script.contains(word), "{word}: {script}");
        }
        let file = folder.path().join("script.sh");
        std::fs::write(&file, format!("#!/bin/sh\n{}", script.trim_start_matches("#!/bin/sh\n"))).unwrap();
        done(Command::new("sh").arg("-n").arg(&file));
        if installed("shellcheck") {
            done(Command::new("shellcheck").arg(&file));
        }
    }
}

/// rpm of EL 7 (4.11) and SLES 12 reads gzip; what a package demands of rpm itself must be known to it.
#[test]
fn the_rpm_asks_for_nothing_that_el_7_lacks() {
    if !packagers() {
        return;
    }
    let made = made();
    let ask = |format: &str| {
        done(Command::new("rpm").args(["-qp", "--nodigest", "--qf", format]).arg(ending(made, RPM)))
    };
    assert_eq!(
        ask("%{PAYLOADCOMPRESSOR} %{ARCH} %{BUILDHOST} %{BUILDTIME}"),
        "gzip x86_64 localhost 1795000000"
    );
    let asked = done(Command::new("rpm").args(["-qpR", "--nodigest"]).arg(ending(made, RPM)));
    let known =
        ["rpmlib(CompressedFileNames)", "rpmlib(PayloadFilesHavePrefix)", "rpmlib(FileDigests)", "/bin/sh"];
    for line in asked.lines() {
        assert!(known.iter().any(|known| line.starts_with(known)), "{line}");
    }
}

#[test]
fn lintian_and_rpmlint_find_nothing_beyond_the_listed_exceptions() {
    if !packagers() {
        return;
    }
    let made = made();
    if installed("lintian") {
        let mut lintian = Command::new("lintian");
        lintian.args(["--allow-root", "--fail-on", "error,warning", "--tag-display-limit", "0"]);
        done(lintian.arg(ending(made, DEB)));
    }
    if installed("rpmlint") {
        let mut rpmlint = Command::new("rpmlint");
        rpmlint.args(["--config", "packaging/rpmlint.toml"]);
        let found = done(rpmlint.arg(ending(made, RPM)));
        assert!(found.contains("0 errors, 0 warnings"), "{found}");
    }
}

#[test]
fn the_tar_installs_below_a_directory_and_takes_everything_back() {
    if !packagers() {
        return;
    }
    let (folder, made) = (TempDir::new().unwrap(), made());
    let host = folder.path().join("host");
    std::fs::create_dir(&host).unwrap();
    done(Command::new("tar").args(["-xzf"]).arg(ending(made, ".tar.gz")).current_dir(folder.path()));
    let script = folder.path().join("fullwire-0.9.1-linux-x86_64/install.sh");
    let files = || {
        let listed = done(Command::new("find").arg(&host).args(["-mindepth", "1", "-printf", "%P\n"]));
        listed.lines().map(str::to_owned).collect::<BTreeSet<_>>()
    };
    for _ in 0..2 {
        done(Command::new("sh").arg(&script).env("DESTDIR", &host));
        assert!(files().contains("usr/bin/fullwire") && files().contains("etc/fullwire"), "{:?}", files());
    }
    std::fs::write(host.join("etc/fullwire/key"), "the user's\n").unwrap();
    done(Command::new("sh").arg(&script).arg("--remove").env("DESTDIR", &host));
    let left: Vec<String> = files().into_iter().filter(|path| host.join(path).is_file()).collect();
    assert_eq!(left, ["etc/fullwire/key"]);
    if installed("shellcheck") {
        done(Command::new("shellcheck").arg(&script));
    }
}

#[test]
fn the_image_is_an_oci_layout_with_one_layer() {
    if !packagers() || !installed("skopeo") {
        return;
    }
    let (folder, made) = (TempDir::new().unwrap(), made());
    let image = format!("oci-archive:{}", ending(made, "-oci.tar").display());
    let shown = done(Command::new("skopeo").args(["inspect", "--override-arch", "amd64", &image]));
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(
        (shown["Architecture"].as_str(), shown["Layers"].as_array().unwrap().len()),
        (Some("amd64"), 1)
    );
    assert_eq!(shown["Labels"]["org.opencontainers.image.version"], "0.9.1");
    // Copying reads every blob and checks its sum.
    let copy = format!("dir:{}", folder.path().join("copy").display());
    done(
        Command::new("skopeo").args(["--insecure-policy", "copy", "--override-arch", "amd64", &image, &copy]),
    );
}

#[test]
fn the_list_of_parts_is_what_cargo_links() {
    std::env::set_current_dir(crate::root()).unwrap();
    let arch = arch::named("x86_64").unwrap();
    let listed = sbom::packages(arch).unwrap();
    let names: BTreeSet<&str> = listed.iter().map(|one| one.name.as_str()).collect();
    for linked in ["libsqlite3-sys", "zstd-sys", "snow", "serde_json", "fullwire-rules"] {
        assert!(names.contains(linked), "{linked} is linked");
    }
    for absent in ["insta", "tempfile", "xtask", "clap_derive", "cc", "proptest"] {
        assert!(!names.contains(absent), "{absent} is not linked");
    }
    // What is in the list is there because something in it needs it.
    let (mut reached, mut open) = (BTreeSet::new(), vec![listed.len() - 1]);
    while let Some(place) = open.pop() {
        if reached.insert(place) {
            open.extend(&listed[place].needs);
        }
    }
    assert_eq!(reached.len(), listed.len());
    assert_eq!(listed.last().unwrap().name, "fullwire");
    let release = Release { version: "0.9.1".into(), epoch: 0, out: PathBuf::new() };
    let document: serde_json::Value =
        serde_json::from_slice(&sbom::cyclonedx(&release, &listed).unwrap()).unwrap();
    assert_eq!(document["components"].as_array().unwrap().len() + 1, listed.len());
    assert!(document["components"].as_array().unwrap().iter().all(|one| one["purl"].is_string()));
}

#[test]
fn the_executable_carries_the_list_and_still_runs() {
    std::env::set_current_dir(crate::root()).unwrap();
    let folder = TempDir::new().unwrap();
    let (program, audited) = (program(folder.path()), folder.path().join("audited"));
    let arch = arch::named("x86_64").unwrap();
    audit::with_list(&program, arch, &sbom::packages(arch).unwrap(), &audited).unwrap();
    done(&mut Command::new(&audited));
    let section = folder.path().join("section");
    let mut objcopy = Command::new("objcopy");
    done(
        objcopy
            .args(["--dump-section", &format!(".dep-v0={}", section.display())])
            .arg(&audited)
            .arg("/dev/null"),
    );
    let bytes = std::fs::read(&section).unwrap();
    let list: serde_json::Value =
        serde_json::from_reader(flate2::read::ZlibDecoder::new(bytes.as_slice())).unwrap();
    let packages = list["packages"].as_array().unwrap();
    assert!(packages.iter().any(|one| one["name"] == "serde_json" && one["source"] == "crates.io"));
    assert_eq!(packages.iter().filter(|one| one["root"] == true).count(), 1);
}

/// The lines of `docs/install.md`, as they stand there, on a release that is signed with a key that is thrown away.
#[test]
fn a_release_is_checked_by_the_lines_of_the_document_and_a_changed_one_is_refused() {
    if !packagers() || !installed("minisign") || !installed("python3") {
        return;
    }
    let folder = TempDir::new().unwrap();
    let release = ending(made(), "/SHA256SUMS").parent().unwrap();
    done(Command::new("cp").arg("-r").arg(release).arg(folder.path().join("release")));
    let release = folder.path().join("release");
    let minisign = |words: &[&str]| done(Command::new("minisign").args(words).current_dir(&release));
    minisign(&["-G", "-W", "-p", "fullwire.pub", "-s", "../key"]);
    minisign(&["-S", "-s", "../key", "-m", "SHA256SUMS"]);
    let document = std::fs::read_to_string(crate::root().join("docs/install.md")).unwrap();
    let lines = document.split_once("```sh\n").unwrap().1.split_once("```").unwrap().0;
    let lines = lines.replace("VERSION", "0.9.1");
    let check = || Command::new("sh").args(["-euc", &lines]).current_dir(&release).output().unwrap();
    let checked = check();
    assert!(checked.status.success(), "{}{}", text(&checked), said(&checked));
    assert!(text(&checked).contains("parts, the same in both lists"), "{}", text(&checked));
    // Another program, another list of parts, another list of sums: each is noticed.
    for (file, why) in [
        ("fullwire-0.9.1-linux-x86_64", "FAILED"),
        ("fullwire-0.9.1-x86_64.cdx.json", "FAILED"),
        ("SHA256SUMS", "Signature verification failed"),
    ] {
        let whole = std::fs::read(release.join(file)).unwrap();
        let mut changed = whole.clone();
        let place = changed.len() / 2;
        changed[place] ^= 1;
        std::fs::write(release.join(file), changed).unwrap();
        let refused = check();
        assert!(!refused.status.success(), "{file}");
        let told = text(&refused) + &said(&refused);
        assert!(told.contains(why), "{file}: {told}");
        std::fs::write(release.join(file), whole).unwrap();
    }
}

/// For real, as root, on this machine's own file system seen through an overlay: nothing of it stays.
#[test]
fn the_deb_is_installed_upgraded_and_removed_without_leaving_anything() {
    if !packagers() || !is_root() {
        return;
    }
    let old = ending(older(), "/fullwire_0.9.0-1_amd64.deb");
    let told = isolated("overlay.sh", &[old, ending(made(), DEB)]);
    assert!(told.ends_with("nothing is left but what the user made\n"), "{told}");
}

/// The same for the rpm, below a root whose database of packages has nothing but a shell.
#[test]
fn the_rpm_is_installed_verified_upgraded_and_removed_without_leaving_anything() {
    if !packagers() || !is_root() {
        return;
    }
    let old = ending(older(), "/fullwire-0.9.0-1.x86_64.rpm");
    let told = isolated("rpm.sh", &[old, ending(made(), RPM)]);
    assert!(told.ends_with("nothing is left but what the user made\n"), "{told}");
}

/// Alone in the image's files, as its user.
#[test]
fn what_the_image_starts_runs_in_it() {
    if !packagers() || !is_root() || !installed("skopeo") {
        return;
    }
    let words = [ending(made(), "-oci.tar"), Path::new("amd64"), Path::new("--version")];
    assert!(isolated("image.sh", &words).starts_with("image amd64: /usr/bin/fullwire --version"));
}

#[test]
fn the_notes_are_the_section_of_the_version_or_what_is_not_released() {
    let changelog = "# Changelog\n\n## Unreleased\n\n- new\n\n## 0.2.0\n\n- two\n\n## 0.1.0\n\n- one\n";
    assert_eq!(sums::notes(changelog, "0.2.0"), "# fullwire 0.2.0\n\n- two\n");
    assert_eq!(sums::notes(changelog, "0.3.0"), "# fullwire 0.3.0\n\n- new\n");
}

/// For real, as root, in an overlay: the first run changes the host, the second and check mode nothing.
#[test]
fn the_role_installs_and_removes_a_package_and_an_archive_and_changes_nothing_twice() {
    if !packagers() || !is_root() || !installed("ansible-playbook") {
        return;
    }
    let roles = Path::new("packaging/ansible/roles");
    let told = isolated("role.sh", &[ending(made(), DEB), ending(made(), ".tar.gz"), roles]);
    let numbers: Vec<u32> = told.split([' ', ';', '\n']).filter_map(|word| word.parse().ok()).collect();
    let [would, deb, removed, archive, taken_back, unchanged @ ..] = &numbers[..] else { panic!("{told}") };
    // The archive is removed by one script of its own, the package and the key one by one.
    assert!(*would > 0 && deb.min(archive) > &3 && removed.min(taken_back) > &0, "{told}");
    assert_eq!(unchanged, [0, 0, 0], "{told}");
}
