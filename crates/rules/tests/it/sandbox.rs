//! Every command of every step, run by the real shell and the real tools in a sandbox: its own namespaces for mounts,
//! network and processes' sockets, and empty stand-ins for /sys, /dev, /etc, /run, /root and /proc/sys, so that nothing of
//! this machine changes. A tool must take its arguments; that a device or a daemon is not there is the only excuse.
//!
//! What a namespace can really do (routes, disciplines, settings of TCP) is done and undone in `tools.rs`.

use crate::advice::{findings, findings_of_each_keeper};
use crate::skips::skipped;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Parts of a command that would reach beyond the sandbox or take long, and what replaces them here.
const INSTEAD: [(&str, &str); 13] = [
    // Debian has SUSE's tool by the name that its authors gave it.
    ("grub2-mkconfig ", "grub-mkconfig "),
    // Swap and modules belong to the one kernel: the tools check their arguments without them.
    ("swapon /swapfile", "swapon --help > /dev/null"),
    ("swapoff /swapfile", "swapoff --help > /dev/null"),
    ("/swapfile", "/root/swapfile"),
    ("count=4096 oflag=direct", "count=8"),
    ("modprobe ", "modprobe -n "),
    // One look is enough.
    (" 1 10", " 1 1"),
    (" 1 5", " 1 1"),
    ("--report-cycles 100", "--report-cycles 1"),
    ("-c 30", "-c 1"),
    ("timeout 65 ", "timeout 1 "),
    ("cryptsetup benchmark", "cryptsetup benchmark --help > /dev/null"),
    ("ping -c 3", "ping -W 1 -c 1"),
];

/// Why a tool that took its arguments may still fail here.
const EXCUSES: [&str; 44] = [
    "failed to get canonical path",
    "failed to find specified qdisc",
    "no such process",
    "no active sessions",
    "cannot initialize device-mapper",
    "could not change any device features",
    "exceeds maximum",
    "file exists",
    "no matching sessions",
    "iscsi error",
    "libkmod",
    "100% packet loss",
    "handle of zero",
    "qdisc kind is unknown",
    "no such file or directory",
    "no such device",
    "does not exist",
    "doesn't exist",
    "not found",
    "cannot open",
    "can't open",
    "couldn't open",
    "could not stat device",
    "failed to open",
    "failed to connect",
    "connection refused",
    "cannot talk to daemon",
    "not been booted with systemd",
    "not mounted",
    "mount point not mounted or bad option",
    "can't find in",
    "can't find in /etc/fstab",
    "no mount point specified",
    "no records found",
    "networkmanager is not running",
    "network is unreachable",
    "network unreachable",
    "temporary failure",
    "operation not supported",
    "operation not permitted",
    "permission denied",
    "cannot find device",
    "dbus",
    "no medium found",
];

/// Tools that say nothing and end with their own status when there is nothing to show.
const SILENT: [&str; 2] = ["findmnt", "getent"];

/// A tool that does not know what it was told.
const REFUSALS: [&str; 12] = [
    "usage:", "unrecognized", "unrecognised", "invalid option", "unknown option", "illegal option",
    "unknown argument", "unknown command", "is unknown, try", "syntax error", "unexpected argument",
    "command not found",
];

/// Tools that no package of the test machine has, their makers' own and Red Hat's; and `vmware-toolbox-cmd`, which outside a guest ends
/// before it looks at what it was told.
const OF_OTHERS: [&str; 5] = ["grubby", "powermt", "vmware-toolbox-cmd", "zfs", "zpool"];

#[test]
fn every_command_is_taken_by_its_tool() {
    let commands: BTreeSet<String> = findings()
        .into_iter()
        .flat_map(|(_, finding)| finding.advice.steps)
        .filter_map(|step| Some(step.run?.to_string()))
        .collect();
    let installed: BTreeMap<String, bool> = commands
        .iter()
        .flat_map(|run| crate::advice::programs(run))
        .filter(|program| !OF_OTHERS.contains(&program.as_str()))
        .map(|program| (program.clone(), is_installed(&program)))
        .collect();
    let missing: Vec<&str> =
        installed.iter().filter(|(_, is)| !**is).map(|(program, _)| program.as_str()).collect();
    for program in missing {
        skipped(&format!("needs {program}"));
    }
    let able = |run: &&String| {
        crate::advice::programs(run).iter().all(|program| installed.get(program).copied().unwrap_or(false))
    };
    let able: Vec<&String> = commands.iter().filter(able).collect();
    assert!(able.len() > 300, "only {} commands can be run", able.len());
    let wrong = run_all(&able);
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), able.len(), wrong.join("\n"));
}

/// Without its daemon nmcli does not look at what it is to change; offline it does.
#[test]
fn network_manager_knows_every_property() {
    let commands: BTreeSet<String> = findings_of_each_keeper()
        .into_iter()
        .flat_map(|finding| finding.advice.steps)
        .filter_map(|step| Some(step.run?.to_string()))
        .collect();
    let changes: Vec<&str> = commands
        .iter()
        .filter_map(|run| run.split("device show ").nth(1)?.split_once(")\" "))
        .map(|(_, change)| change)
        .collect();
    assert!(changes.len() > 3, "{changes:?}");
    if !is_installed("nmcli") {
        return skipped("needs nmcli");
    }
    for change in changes {
        // Some options only go with the mode that a rule found.
        let kind = match change {
            _ if !change.contains("bond") => "ethernet con-name e ifname eth1",
            _ if change.contains("primary") => "bond con-name b ifname bond0 bond.options mode=active-backup",
            _ => "bond con-name b ifname bond0 bond.options mode=802.3ad",
        };
        let script = format!(
            "nmcli --offline connection add type {kind} | nmcli --offline connection modify {change}"
        );
        let output = Command::new("bash").args(["-o", "pipefail", "-c", &script]).output().expect("bash");
        assert!(output.status.success(), "{script}\n{}", String::from_utf8_lossy(&output.stderr));
    }
}

fn is_installed(program: &str) -> bool {
    let shells_own = ["[", "{", "test", "echo", "printf", "true", "cd"].contains(&program);
    let folders = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"];
    let program = stood_in(&format!("{program} "));
    let program = program.split(' ').next().unwrap_or_default();
    shells_own || folders.iter().any(|folder| Path::new(folder).join(program).exists())
}

fn stood_in(run: &str) -> String {
    INSTEAD.iter().fold(run.to_owned(), |run, (from, to)| run.replace(from, to))
}

/// What is wrong with each command that is not as it should be.
fn run_all(commands: &[&String]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path().display();
    let mut script = format!("export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C\ncd {at}\n{SANDBOX}");
    let mut files: BTreeSet<String> = commands.iter().flat_map(|run| files_of(run)).collect();
    files.retain(|file| !DIRECTORIES.contains(&file.as_str()));
    for file in files {
        let _ = writeln!(script, "mkdir -p \"$(dirname {file})\" && {{ [ -e {file} ] || echo 0 > {file}; }}");
    }
    for (index, run) in commands.iter().enumerate() {
        std::fs::write(folder.path().join(format!("{index}.sh")), stood_in(run)).expect("a file");
        let _ = writeln!(
            script,
            "timeout -k 1 10 sh ./{index}.sh > {index}.out 2>&1 < /dev/null; echo $? > {index}.rc"
        );
        if let Some((_, file)) = written(run) {
            let _ = writeln!(script, "cat {file} > {index}.file");
        }
    }
    let root = rustix_is_root();
    let namespaces = if root { "-mnu" } else { "-rmnu" };
    let output = Command::new("unshare").args([namespaces, "sh", "-c", &script]).output().expect("unshare");
    let read = |name: String| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    assert!(
        !read(format!("{}.rc", commands.len() - 1)).is_empty(),
        "the sandbox broke off: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut wrong = Vec::new();
    for (index, run) in commands.iter().enumerate() {
        let said = read(format!("{index}.out"));
        let status = read(format!("{index}.rc")).trim().to_owned();
        let lower = said.to_lowercase();
        let excuse = |text: &str| EXCUSES.iter().any(|excuse| text.contains(excuse));
        // nvme explains itself at length when a device is missing.
        let first = lower.lines().next().unwrap_or_default();
        let refused = !excuse(first) && REFUSALS.iter().any(|text| lower.contains(text));
        let nothing = said.trim().is_empty() && SILENT.iter().any(|program| run.starts_with(program));
        let excused = nothing || excuse(&lower);
        if refused || !(status == "0" || excused) {
            wrong.push(format!("{run}\n    ended with {status}: {}", said.trim()));
        }
        if let Some((value, file)) = written(run).filter(|_| status == "0") {
            let kept = read(format!("{index}.file"));
            if kept.trim() != value {
                wrong.push(format!("{run}\n    left {:?} in {file}", kept.trim()));
            }
        }
    }
    wrong
}

fn rustix_is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n")
}

/// `echo VALUE > FILE`, whole.
fn written(run: &str) -> Option<(String, &str)> {
    let (value, file) = run.strip_prefix("echo ")?.split_once(" > ")?;
    let plain = !file.contains([' ', ';', '&', '|', '$', '*']) && file.starts_with('/');
    // What another command works out is not known here.
    let literal = !value.contains('$');
    (plain && literal).then(|| (value.trim_matches('\'').to_owned(), file))
}

/// Files below /sys and /proc/sys that a command names, made so that it finds them. A star stands for one entry.
fn files_of(run: &str) -> Vec<String> {
    let words = run.split([' ', ';', '\'', '"', '(', ')', '>']).map(str::trim);
    let mut files: Vec<String> = words
        .filter(|word| word.starts_with("/sys/") && !word.contains('$') && word.len() > 6)
        .map(|word| word.replace('*', "x0"))
        .collect();
    if let Some(rest) = run.strip_prefix("sysctl -w ") {
        let name = rest.trim_matches('\'').split('=').next().unwrap_or_default();
        // A slash within the name stands for a dot of an interface's.
        let path: String = name
            .chars()
            .map(|c| {
                if c == '.' {
                    '/'
                } else if c == '/' {
                    '.'
                } else {
                    c
                }
            })
            .collect();
        files.push(format!("/proc/sys/{path}"));
    }
    files
}

/// What commands list.
const DIRECTORIES: [&str; 4] = [
    "/sys/fs/cgroup",
    "/sys/class/fc_host",
    "/sys/class/iscsi_session",
    "/sys/class/net/eth0/device/msi_irqs",
];

/// Empty stand-ins for what must not be touched, two interfaces, and the few files that tools cannot do without.
const SANDBOX: &str = r"
mount --make-rprivate / || exit 9
mkdir keep && cp -a /etc/ld.so.cache /etc/passwd /etc/group /etc/nsswitch.conf /etc/mke2fs.conf /etc/lvm keep/ 2>/dev/null
for dir in /sys /etc /run /root /boot /proc/sys /proc/irq /mnt; do mount -t tmpfs none $dir || exit 9; done
mount -t tmpfs none /dev || exit 9
mkdir -p /dev/shm /etc/sysctl.d /etc/udev/rules.d /etc/security/limits.d /etc/modprobe.d /etc/modules-load.d /etc/systemd /etc/netplan /proc/irq/40
mount -t tmpfs none /dev/shm
for node in null zero full random urandom; do touch /dev/$node; done
mknod -m 666 /dev/null.real c 1 3 2>/dev/null && mv /dev/null.real /dev/null
mknod -m 666 /dev/zero.real c 1 5 2>/dev/null && mv /dev/zero.real /dev/zero
cp -a keep/. /etc/ 2>/dev/null
touch /etc/fstab /proc/irq/40/smp_affinity_list
mkdir -p /sys/fs/cgroup /sys/class/fc_host /sys/class/iscsi_session /sys/class/net/eth0/device/msi_irqs && touch /sys/class/net/eth0/device/msi_irqs/40
ip link set lo up
for nic in eth0 eth1 eth2 ens5 ens1f0; do ip link add $nic numtxqueues 4 type veth peer name far$nic; ip link set far$nic up; ip link set $nic up; done
ip addr add 10.0.1.1/24 dev eth0; ip addr add 10.0.0.1/24 dev eth0; ip addr add 10.0.2.1/24 dev eth1
ip route add default via 10.0.1.2
ip route change 10.0.0.0/24 dev eth0 scope link src 10.0.0.1 window 65535 cwnd lock 8 advmss 536 initcwnd 2
";
