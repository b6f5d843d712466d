//! `dist --check`: what was made, tried for real. It needs root, Debian's packages and a lot of time: no part of `ci`.
//!
//! Each userland is a root file system below `target/userlands`, made by mmdebstrap where it is not there yet.

use super::arch::Arch;
use super::{Release, quietly, sums};
use crate::{cargo, root, succeed, target_dir};
use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a small machine asks of each command: it starts, reads, judges and writes.
const WORDS: [&str; 4] = [
    "--version",
    "check --window 0s --fail-on never --tag here",
    "export --openmetrics",
    "explain receive-window",
];

/// Debian's releases that its registry still has, what each needs besides the smallest set, and whether its systemd is
/// booted: from 256 on systemd asks for control groups of version 2, which a build machine may not have.
const USERLANDS: [(&str, &str, bool); 5] = [
    ("bullseye", "systemd-sysv,dbus", true),
    ("bookworm", "systemd-sysv,dbus,ansible-core,python3-apt", true),
    ("trixie", "", false),
    ("sid", "", false),
    // No C library but musl's, no name services: what busybox and a static executable see.
    ("busybox", "", false),
];

/// Name services whose modules no static executable can load, and tools that an audit may ask.
const IN_EACH: &str = "iproute2,procps,util-linux,ethtool,libnss-myhostname,libnss-resolve,libnss-mdns";

/// Unit tests that ask for what qemu's user mode (7.2) does not pass on to the kernel, as `QEMU_LOG=unimp` and its error
/// codes say, and one of shells of the build machine. `./test` runs all of them natively.
const NOT_UNDER_QEMU: [(&str, &str); 9] = [
    ("ioctl::tests::loopback_has_features_and_an_unknown_interface_is_refused", "SIOCETHTOOL"),
    ("network::ethtool::tests::loopback_offloads_segmentation", "SIOCETHTOOL"),
    ("network::netlink::qdisc::tests::disciplines_are_read_without_rights", "RTM_GETQDISC"),
    ("network::netlink::route::tests::the_kernels_own_rules_are_none_for_a_source", "RTM_GETRULE"),
    (
        "network::netlink::socket::tests::a_connection_of_our_own_is_listed_with_what_it_moved",
        "NETLINK_SOCK_DIAG",
    ),
    ("root::open::tests::no_link_leads_out_of_a_tree", "openat2"),
    ("mtu::service::tests::a_listener_tells_and_a_closed_port_does_not", "TCP_INFO"),
    ("net::socket::tcp_info::tests::a_live_connection_counts_what_was_sent", "TCP_INFO"),
    ("net::ssh::tests::every_login_shell_starts_the_far_end_and_cleans_up", "shells of this machine"),
];

/// Tries everything; the first failure ends it.
pub(super) fn run(release: &Release, built: &[(&'static Arch, PathBuf)], again: bool) -> Result<()> {
    for (arch, _) in built {
        starts(release, arch)?;
        if arch.name != std::env::consts::ARCH {
            unit_tests(arch)?;
        }
    }
    let native = built.iter().find(|(arch, _)| arch.name == std::env::consts::ARCH);
    if let Some((arch, program)) = native {
        installs(release, arch, program)?;
        for (name, packages, boots) in USERLANDS {
            let userland = userland(name, packages)?;
            let program = release.out.join(format!("fullwire-{}-linux-{}", release.version, arch.name));
            isolated("userland.sh", &["--net"], &[&userland, &program])?;
            if boots {
                boot(release, arch, &userland)?;
            }
        }
    }
    if again { same_elsewhere(release, built) } else { Ok(()) }
}

/// Its executable and its image run: natively, or under qemu's user mode with pages of each size that the kernel has.
fn starts(release: &Release, arch: &Arch) -> Result<()> {
    let program = release.out.join(format!("fullwire-{}-linux-{}", release.version, arch.name));
    let native = arch.name == std::env::consts::ARCH;
    let sizes: &[&str] = if native { &[""] } else { &["4096", "16384", "65536"] };
    let store = tempdir()?;
    for size in sizes {
        for words in WORDS {
            let mut command = if native {
                Command::new(&program)
            } else {
                let mut qemu = Command::new(format!("qemu-{}-static", arch.name));
                qemu.args(["-p", size]).arg(&program);
                qemu
            };
            command.args(words.split(' ')).env("FULLWIRE_STORE", store.join("runs"));
            quietly(&mut command).with_context(|| format!("{} {words}, pages of {size}", arch.name))?;
        }
        if !native {
            let qemu = format!("qemu-{}-static", arch.name);
            let words: [&OsStr; 3] = [qemu.as_ref(), size.as_ref(), program.as_os_str()];
            isolated("foreign.sh", &["--net"], &words)?;
        }
        eprintln!("xtask: {} runs{}{size}", arch.name, if native { "" } else { " under qemu, pages of " });
    }
    std::fs::remove_dir_all(&store)?;
    if native {
        schemas(&program)?;
        let image = release.out.join(format!("fullwire-{}-oci.tar", release.version));
        let mut words = vec![image.as_os_str(), arch.debian.as_ref()];
        words.extend(WORDS.iter().map(|words| OsStr::new(*words)));
        isolated("image.sh", &[], &words)?;
    }
    Ok(())
}

/// The schemas that it has packed are those of this commit.
fn schemas(program: &Path) -> Result<()> {
    let answer = |words: &[&str]| -> Result<String> {
        let output = Command::new(program).args(words).output().context("run the executable")?;
        Ok(String::from_utf8(output.stdout)?)
    };
    let names = answer(&["schema"])?;
    for name in names.lines() {
        let file = root().join("docs/schema").join(format!("{}.json", name.replace('/', "-")));
        if answer(&["schema", name])? != std::fs::read_to_string(&file)? {
            bail!("the executable's schema of {name} is not {}", file.display());
        }
    }
    eprintln!("xtask: {} schemas are as generated", names.lines().count());
    Ok(())
}

/// Unit tests of everything, under qemu's user mode. What makes load is in the integration tests, and stays here.
fn unit_tests(arch: &Arch) -> Result<()> {
    let target = arch.target.replace('-', "_").to_uppercase();
    let mut command = cargo();
    command
        .args(["test", "--locked", "--no-fail-fast", "--workspace", "--lib", "--bins", "--exclude", "xtask"]);
    command.args(["--target", arch.target]).env("RUSTFLAGS", arch.flags);
    command.args(["--", "--exact"]);
    for (test, needs) in NOT_UNDER_QEMU {
        eprintln!("xtask: {test} does not run under qemu: {needs}");
        command.args(["--skip", test]);
    }
    command.env(format!("CARGO_TARGET_{target}_RUNNER"), format!("qemu-{}-static", arch.name));
    if let Some(compiler) = arch.cross_compiler() {
        command.env(format!("CC_{}", arch.target.replace('-', "_")), compiler);
        command.env(format!("CARGO_TARGET_{target}_LINKER"), compiler);
    }
    succeed(&mut command)
}

/// The deb and the rpm of this release take the place of an older one's.
fn installs(release: &Release, arch: &'static Arch, program: &Path) -> Result<()> {
    let out = tempdir()?;
    let older = Release { version: "0.0.1".into(), epoch: release.epoch, out: out.clone() };
    older.package(&[(arch, program.to_owned())])?;
    let deb = |of: &Release| of.out.join(format!("fullwire_{}-1_{}.deb", of.version, arch.debian));
    let rpm = |of: &Release| of.out.join(format!("fullwire-{}-1.{}.rpm", of.version, arch.name));
    isolated("overlay.sh", &[], &[deb(&older), deb(release)])?;
    isolated("rpm.sh", &[], &[rpm(&older), rpm(release)])?;
    std::fs::remove_dir_all(&out)?;
    Ok(())
}

/// Boots the userland; the responder, the recorder, an upgrade and the Ansible role under its systemd.
fn boot(release: &Release, arch: &'static Arch, userland: &Path) -> Result<()> {
    let out = tempdir()?;
    let older = Release { version: "0.0.1".into(), epoch: release.epoch, out: out.clone() };
    let program = release.out.join(format!("fullwire-{}-linux-{}", release.version, arch.name));
    older.package(&[(arch, program)])?;
    let old = out.join(format!("fullwire_0.0.1-1_{}.deb", arch.debian));
    let new = release.out.join(format!("fullwire_{}-1_{}.deb", release.version, arch.debian));
    let sum = sums::sha256(&std::fs::read(&new)?);
    let roles = root().join("packaging/ansible/roles");
    isolated("systemd.sh", &[], &[userland, &old, &new, Path::new(&sum), &roles])?;
    std::fs::remove_dir_all(&out)?;
    Ok(())
}

/// The same commit, built in another folder into another target folder, is the same byte for byte: executables, packages,
/// image, lists.
fn same_elsewhere(release: &Release, built: &[(&Arch, PathBuf)]) -> Result<()> {
    let state = Command::new("git").args(["status", "--porcelain"]).output().context("run git status")?;
    if !state.stdout.is_empty() {
        bail!("files are changed: commit first, what is built again is the last commit");
    }
    let place = tempdir()?;
    let (source, target, out) = (place.join("source"), place.join("target"), place.join("out"));
    succeed(Command::new("git").args(["worktree", "add", "--detach"]).arg(&source))?;
    let mut command = cargo();
    command.args(["run", "--quiet", "--package", "xtask", "--", "dist"]);
    for (arch, _) in built {
        command.args(["--arch", arch.name]);
    }
    command.arg("--out").arg(&out).current_dir(&source);
    command.env("CARGO_TARGET_DIR", &target).env("SOURCE_DATE_EPOCH", release.epoch.to_string());
    let done = succeed(&mut command);
    succeed(Command::new("git").args(["worktree", "remove", "--force"]).arg(&source))?;
    done?;
    quietly(Command::new("diff").arg("--recursive").args([&release.out, &out]))
        .context("built elsewhere it differs")?;
    eprintln!("xtask: built in {} it is the same, byte for byte", source.display());
    std::fs::remove_dir_all(&place)?;
    Ok(())
}

/// The root file system of a userland.
fn userland(name: &str, packages: &str) -> Result<PathBuf> {
    let path = target_dir().join("userlands").join(name);
    if path.exists() {
        return Ok(path);
    }
    let beside = path.with_extension("new");
    let _ = std::fs::remove_dir_all(&beside);
    if name == "busybox" {
        busybox(&beside)?;
    } else {
        std::fs::create_dir_all(target_dir().join("userlands"))?;
        let mut command = Command::new("mmdebstrap");
        // A snapshot of the unstable suite may be older than it says that it may get.
        command.args(["--quiet", "--aptopt=Acquire::Check-Valid-Until \"false\"", "--variant=minbase"]);
        // What security updates replaced is gone from some registries; nobody uses this system.
        command.arg(r#"--setup-hook=sed -i /-security/d "$1/etc/apt/sources.list""#);
        command.arg(format!("--include={IN_EACH},{packages}").trim_end_matches(','));
        succeed(command.arg(name).arg(&beside))?;
    }
    std::fs::rename(&beside, &path)?;
    Ok(path)
}

fn busybox(at: &Path) -> Result<()> {
    for folder in ["bin", "etc", "tmp", "proc", "sys", "dev"] {
        std::fs::create_dir_all(at.join(folder))?;
    }
    std::fs::copy("/bin/busybox", at.join("bin/busybox"))
        .context("copy /bin/busybox: apt install busybox-static")?;
    for applet in ["sh", "ip", "ps", "uname"] {
        std::os::unix::fs::symlink("busybox", at.join("bin").join(applet))?;
    }
    Ok(())
}

/// Runs a script of ours in namespaces of its own, and prints what it says.
fn isolated(script: &str, namespaces: &[&str], words: &[impl AsRef<OsStr>]) -> Result<()> {
    let mut command = Command::new("unshare");
    command.args(["--mount", "--pid", "--fork", "--propagation", "private"]).args(namespaces);
    command.args(["sh", "-eu"]).arg(root().join("xtask/src/dist").join(script)).args(words);
    succeed(&mut command)
}

fn tempdir() -> Result<PathBuf> {
    let output = Command::new("mktemp").args(["-d"]).output().context("run mktemp")?;
    Ok(PathBuf::from(String::from_utf8(output.stdout)?.trim()))
}
