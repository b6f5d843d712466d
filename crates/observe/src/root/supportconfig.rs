//! A supportconfig of SUSE as a tree: of its text files each section that is a copy of a file, or the output of a
//! command that readers know from a sosreport, at the place where they look for it.
//!
//! Source: supportutils, `bin/supportconfig` (which file holds what) and `bin/supportconfig.rc` (`conf_files`,
//! `_log_cmd`: how a section begins).

use super::memory::MemoryTree;
use super::open_regular;
use rustix::fs::OFlags;
use std::io::{self, Read};
use std::path::Path;

/// It is always written.
const FIRST_FILE: &str = "basic-environment.txt";

/// How each section begins.
const SECTION: &str = "#==[ ";

/// Text files of one report.
const FILES_LIMIT: usize = 1024;

/// Commands without the path of their program, and what a sosreport calls their output. A blank at the end: whatever
/// follows. The first output of a command is taken.
const COMMANDS: &[(&str, &str)] = &[
    ("uname -a", "kernel/uname_-a"),
    ("date", "date/date"),
    ("uptime", "host/uptime"),
    ("hostname", "host/hostname"),
    ("hostnamectl status", "host/hostnamectl_status"),
    ("free -k", "memory/free"),
    ("vmstat 1 4", "memory/vmstat_1_4"),
    ("ps axwwo ", "process/ps_axo"),
    ("sysctl -a", "kernel/sysctl_-a"),
    ("dmesg -T", "kernel/dmesg_-T"),
    ("dmesg", "kernel/dmesg"),
    ("mount", "filesys/mount_-l"),
    ("df -Th", "filesys/df_-Th"),
    ("df -hT", "filesys/df_-Th"),
    ("df -i", "filesys/df_-i"),
    ("iscsiadm -m session -P 1", "iscsi/iscsiadm_-m_session_-P_1"),
    ("iscsiadm -m session -P 3", "iscsi/iscsiadm_-m_session_-P_3"),
    ("timedatectl", "systemd/timedatectl"),
    ("timedatectl status", "systemd/timedatectl"),
    ("multipath -ll", "multipath/multipath_-ll"),
    ("multipath -t", "multipath/multipath_-t"),
    ("powermt display dev=all", "powerpath/powermt_display_dev_all"),
    ("systool -vc fc_host", "fibrechannel/systool_-v_-c_fc_host"),
    ("systool -vc fc_remote_ports", "fibrechannel/systool_-v_-c_fc_remote_ports"),
    ("dmsetup table", "devicemapper/dmsetup_table"),
    ("dmsetup status", "devicemapper/dmsetup_status"),
    ("dmsetup info -c", "devicemapper/dmsetup_info_-c"),
    ("lsblk", "block/lsblk"),
    ("lsblk -i -o ", "block/lsblk_-i_-o"),
    ("grep '' /sys/block/*/queue/scheduler", "block/schedulers"),
    ("lsscsi", "scsi/lsscsi"),
    ("lsscsi -g", "scsi/lsscsi"),
    ("ipcs -a", "sysvipc/ipcs"),
    ("ipcs -m", "sysvipc/ipcs"),
    ("ip addr", "networking/ip_-d_address"),
    ("ip -stats link", "networking/ip_-s_-d_link"),
    ("ip -s link", "networking/ip_-s_-d_link"),
    ("ip route", "networking/ip_route"),
    ("ip rule show", "networking/ip_rule"),
    ("ss -nap", "networking/ss_-nap"),
    ("nstat -az", "networking/nstat_-zas"),
    ("chronyc -n tracking", "chrony/chronyc_-n_tracking"),
];

/// The tree of an unpacked report, when the directory is one.
pub(super) fn directory(path: &Path) -> io::Result<Option<MemoryTree>> {
    // A link would lead out of the tree.
    let file = |path: &Path| open_regular(path, OFlags::NOFOLLOW).ok();
    if file(&path.join(FIRST_FILE)).is_none() {
        return Ok(None);
    }
    let mut tree = MemoryTree::default();
    for entry in std::fs::read_dir(path)?.flatten().take(FILES_LIMIT) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(file) = is_text(&name).then(|| file(&entry.path())).flatten() else { continue };
        let mut bytes = Vec::new();
        file.take(super::MAX_READ_BYTES as u64).read_to_end(&mut bytes)?;
        tree.insert_file(&name, bytes, false);
    }
    Ok(Some(translate(tree)))
}

fn is_text(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "txt")
}

/// Puts the sections where readers look for them. Any other tree stays as it is.
pub(super) fn translate(mut tree: MemoryTree) -> MemoryTree {
    if !tree.exists(&format!("/{FIRST_FILE}")) {
        return tree;
    }
    let names = tree.top().into_iter().filter(|name| is_text(name)).take(FILES_LIMIT);
    for name in names.map(str::to_owned).collect::<Vec<_>>() {
        let Ok((bytes, _)) = tree.read(&format!("/{name}"), super::MAX_READ_BYTES) else { continue };
        for (path, body) in sections(&String::from_utf8_lossy(&bytes)) {
            if !tree.exists(&format!("/{path}")) {
                tree.insert_file(&path, body.into_bytes(), false);
            }
        }
    }
    tree
}

/// Where each section of a file that is known belongs, and what it holds.
fn sections(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for section in text.split(&format!("\n{SECTION}")).skip(1) {
        let Some((head, rest)) = section.split_once('\n') else { continue };
        let (title, body) = rest.split_once('\n').unwrap_or((rest, ""));
        let Some(title) = title.strip_prefix('#').map(str::trim) else { continue };
        let place = match head.split(']').next().map(str::trim) {
            Some("Command") => of_command(title),
            Some("Configuration File") => of_file(title),
            Some("Log File") => of_log(title),
            _ => None,
        };
        if let Some(path) = place.filter(|_| !body.trim().is_empty()) {
            found.push((path, format!("{}\n", body.trim_end())));
        }
    }
    found
}

/// `/etc/fstab`; not `/etc/mtab - File not found`.
fn of_file(title: &str) -> Option<String> {
    let path = title.strip_prefix('/').filter(|path| !path.contains(' '))?;
    ["proc/", "sys/", "etc/"].iter().any(|top| path.starts_with(top)).then(|| path.to_owned())
}

/// `/var/log/messages`, also the end of it: `/var/log/messages - Last 500 Lines`.
fn of_log(title: &str) -> Option<String> {
    let path = title.split(" - Last ").next()?.strip_prefix('/')?;
    (path == "var/log/messages").then(|| path.to_owned())
}

/// `/usr/sbin/ip addr`.
fn of_command(title: &str) -> Option<String> {
    let (program, arguments) = title.split_once(' ').unwrap_or((title, ""));
    let program = program.rsplit('/').next()?;
    let command = format!("{program} {arguments}").trim_end().to_owned();
    if program == "ethtool" {
        // `ethtool -k eth0`, as a sosreport names it; no device is called `..` or has a slash.
        let name = command.replace(' ', "_");
        return (!name.contains('/')).then(|| format!("sos_commands/networking/{name}"));
    }
    let known = COMMANDS.iter().find(|(known, _)| {
        command == *known || (known.ends_with(' ') && command.starts_with(known) && !command.contains('|'))
    });
    known.map(|(_, path)| format!("sos_commands/{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENVIRONMENT: &str = "=====\n  Support Utilities - Supportconfig\n=====\n\n\
        #==[ Command ]======================================#\n# /usr/bin/uname -a\n\
        Linux hana1 5.14.21-150500.55.7-default #1 SMP x86_64 GNU/Linux\n\n\
        #==[ Configuration File ]===========================#\n# /etc/os-release\nNAME=\"SLES\"\nVERSION_ID=\"15.5\"\n\n\
        #==[ Configuration File ]===========================#\n# /etc/SuSE-release - File not found\n\n\
        #==[ Command ]======================================#\n# /bin/ps aux | grep automount\nroot 1\n";
    const NETWORK: &str = "#==[ Note ]===#\n# x\n\n#==[ Command ]===#\n# /sbin/ethtool -S eth0\nNIC statistics:\n     rx: 1\n\n\
        #==[ Command ]===#\n# /sbin/ip addr\n1: lo: <UP> mtu 65536\n\n#==[ Command ]===#\n# /sbin/ethtool ../../x\nno\n\n\
        #==[ Command ]===#\n# /sbin/ip -s link\n1: lo: <UP> mtu 9\n\n#==[ Command ]===#\n# /usr/bin/vmstat 1 4\n r  b\n";

    #[test]
    fn sections_are_where_readers_look() {
        let mut tree = MemoryTree::default();
        tree.insert_file(FIRST_FILE, ENVIRONMENT.as_bytes().to_vec(), false);
        tree.insert_file("network.txt", NETWORK.as_bytes().to_vec(), false);
        let tree = translate(tree);
        let text = |path: &str| String::from_utf8(tree.read(path, 999).expect(path).0).expect("UTF-8");
        assert!(text("/sos_commands/kernel/uname_-a").starts_with("Linux hana1 5.14.21"));
        assert_eq!(text("/etc/os-release"), "NAME=\"SLES\"\nVERSION_ID=\"15.5\"\n");
        assert_eq!(text("/sos_commands/networking/ethtool_-S_eth0"), "NIC statistics:\n     rx: 1\n");
        assert_eq!(text("/sos_commands/networking/ip_-d_address"), "1: lo: <UP> mtu 65536\n");
        assert_eq!(text("/sos_commands/networking/ip_-s_-d_link"), "1: lo: <UP> mtu 9\n");
        assert_eq!(text("/sos_commands/memory/vmstat_1_4"), " r  b\n");
        assert!(!tree.exists("/etc/SuSE-release") && !tree.exists("/sos_commands/process/ps_axo"));
    }

    #[test]
    fn another_tree_stays_as_it_is() {
        let mut tree = MemoryTree::default();
        tree.insert_file("network.txt", NETWORK.as_bytes().to_vec(), false);
        assert_eq!(translate(tree).top(), ["network.txt"]);
    }
}
