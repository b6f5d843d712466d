//! Settings under `/proc/sys`.

use crate::Root;
use crate::root::malformed;
use fullwire_model::Gap;
use fullwire_model::host::Host;
use std::collections::BTreeMap;

/// Where a sosreport keeps them, and nearly nothing of `/proc/sys` itself.
const CAPTURED: &str = "/sos_commands/kernel/sysctl_-a";

/// Directories that are read whole, as far as [`wanted`] lets them.
const DIRECTORIES: [&str; 9] = [
    "net/core", "net/ipv4", "net/ipv4/neigh/default", "net/netfilter", "net/ipv6/conf/all", "vm", "kernel",
    "fs", "sunrpc",
];

/// Those that every kernel has, in every name space.
const EVERYWHERE: [&str; 5] = ["net/core", "net/ipv4", "vm", "kernel", "fs"];

/// Settings of each interface.
const PER_INTERFACE: [&str; 5] = ["rp_filter", "forwarding", "arp_filter", "arp_ignore", "arp_announce"];

/// Kernel settings that affect databases and I/O; the rest of `kernel` is other people's business.
const KERNEL: [&str; 23] = [
    "shmmax", "shmall", "shmmni", "shm_rmid_forced", "sem", "msgmax", "msgmnb", "msgmni", "numa_balancing",
    "panic", "panic_on_oops", "panic_on_io_nmi", "hung_task_timeout_secs", "hung_task_panic", "pid_max",
    "threads-max", "nmi_watchdog", "softlockup_panic", "io_uring_disabled", "perf_event_paranoid",
    "sched_autogroup_enabled", "sched_rt_runtime_us", "randomize_va_space",
];

/// Limits of open files and asynchronous I/O.
const FS: [&str; 6] = ["file-max", "file-nr", "aio-max-nr", "aio-nr", "nr_open", "pipe-max-size"];

/// A setting that is kept, by its dotted name. Keys and what acts when it is read stay out.
pub(super) fn wanted(name: &str) -> bool {
    if name.contains("secret") || name.ends_with("_key") {
        return false;
    }
    let Some((area, rest)) = name.split_once('.') else { return false };
    match area {
        "vm" => !matches!(rest, "compact_memory" | "drop_caches" | "stat_refresh"),
        "kernel" => KERNEL.contains(&rest),
        "fs" => FS.contains(&rest),
        "sunrpc" => !rest.contains("debug"),
        "net" => wanted_net(rest),
        _ => false,
    }
}

fn wanted_net(name: &str) -> bool {
    let Some((area, rest)) = name.split_once('.') else { return false };
    let last = rest.rsplit('.').next().unwrap_or(rest);
    match area {
        "core" => true,
        "netfilter" => matches!(rest, "nf_conntrack_max" | "nf_conntrack_count" | "nf_conntrack_buckets"),
        "ipv4" if rest.starts_with("conf.") => PER_INTERFACE.contains(&last),
        "ipv4" if rest.starts_with("neigh.default.") => last.starts_with("gc_thresh"),
        "ipv4" => {
            ["tcp_", "udp_", "ip_", "ipfrag_", "icmp_ratelimit"].iter().any(|prefix| rest.starts_with(prefix))
                && !rest.contains('.')
        }
        "ipv6" => {
            matches!(rest, "conf.all.disable_ipv6" | "conf.all.forwarding" | "conf.default.disable_ipv6")
        }
        _ => false,
    }
}

pub(super) fn read(root: &Root, host: &mut Host) {
    for directory in DIRECTORIES {
        let path = format!("/proc/sys/{directory}");
        let optional = !EVERYWHERE.contains(&directory) || !root.is_live();
        let names = if optional { root.list(&path) } else { root.list_expected(&path, &mut host.gaps) };
        for name in names {
            keep(root, &format!("{directory}/{name}"), &mut host.sysctls);
        }
    }
    for interface in root.list("/proc/sys/net/ipv4/conf") {
        for name in PER_INTERFACE {
            keep(root, &format!("net/ipv4/conf/{interface}/{name}"), &mut host.sysctls);
        }
    }
    if !root.is_live()
        && let Some(text) = root.read_optional(CAPTURED, &mut host.gaps)
    {
        for (name, value) in parse(&text, &mut host.gaps) {
            host.sysctls.entry(name).or_insert(value);
        }
    }
    if host.sysctls.is_empty() {
        host.gaps.push(Gap::new("/proc/sys", fullwire_model::GapReason::Absent, "no kernel settings found"));
    }
}

/// One value by its path below `/proc/sys`; of a captured tree without it as `sysctl -a` printed it.
pub(super) fn value(root: &Root, path: &str) -> Option<String> {
    root.attribute(&format!("/proc/sys/{path}")).or_else(|| {
        let (text, _) = (!root.is_live()).then(|| root.try_read(CAPTURED, crate::MAX_READ_BYTES).ok())??;
        parse(&text, &mut Vec::new())
            .into_iter()
            .find_map(|(name, value)| (name == dotted(path)).then_some(value))
    })
}

fn keep(root: &Root, path: &str, sysctls: &mut BTreeMap<String, String>) {
    let name = dotted(path);
    if wanted(&name)
        && let Some(value) = root.attribute(&format!("/proc/sys/{path}"))
    {
        sysctls.insert(name, value);
    }
}

/// `net/ipv4/conf/eth0.100/rp_filter` as sysctl writes it: dots and slashes change places.
pub(super) fn dotted(path: &str) -> String {
    path.chars()
        .map(|c| {
            if c == '/' {
                '.'
            } else if c == '.' {
                '/'
            } else {
                c
            }
        })
        .collect()
}

/// Lines of `sysctl -a`: `name = value`, errors about unreadable keys between them.
fn parse(text: &str, gaps: &mut Vec<Gap>) -> Vec<(String, String)> {
    let mut settings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with("sysctl:") || line.starts_with("error:") {
            continue;
        }
        match line.split_once('=') {
            Some((name, value)) if wanted(name.trim()) => {
                settings.push((name.trim().to_owned(), value.trim().to_owned()));
            }
            Some(_) => {}
            None => gaps.push(malformed(CAPTURED, index + 1, "no `name = value`")),
        }
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skips::given;
    use crate::tests::rooted;
    use proptest::prelude::*;

    #[test]
    fn a_captured_tree_has_counters_in_the_listing_alone() {
        let text = "fs.aio-nr = 65408\nfs.file-nr = 6814911\t0\t6815744\n";
        let (_folder, root) = rooted(&[("sos_commands/kernel/sysctl_-a", text)]);
        let mut counters = fullwire_model::counters::Counters::default();
        super::super::stat::read(&root, &mut counters);
        assert_eq!((counters.aio_nr, counters.files_open), (Some(65_408), Some(6_814_911)));
    }

    #[test]
    fn keeps_what_rules_read_and_no_secret() {
        for name in [
            "net.core.rmem_max",
            "net.ipv4.tcp_rmem",
            "net.ipv4.ip_local_port_range",
            "net.ipv4.ipfrag_high_thresh",
            "net.ipv4.conf.eth0/100.rp_filter",
            "net.netfilter.nf_conntrack_max",
            "vm.swappiness",
            "kernel.sem",
            "kernel.numa_balancing",
            "fs.aio-max-nr",
            "sunrpc.tcp_slot_table_entries",
        ] {
            assert!(wanted(name), "{name}");
        }
        for name in [
            "net.ipv4.tcp_fastopen_key",
            "net.ipv6.conf.all.stable_secret",
            "vm.drop_caches",
            "kernel.random.boot_id",
            "sunrpc.nfs_debug",
            "nonsense",
        ] {
            assert!(!wanted(name), "{name}");
        }
    }

    #[test]
    fn dots_of_an_interface_become_slashes() {
        assert_eq!(dotted("net/ipv4/conf/eth0.100/rp_filter"), "net.ipv4.conf.eth0/100.rp_filter");
    }

    #[test]
    fn reads_a_real_listing() {
        let path = given!(crate::skips::shared("samples/sysctl/sysctl-a-centos7.txt"));
        let text = std::fs::read_to_string(path).expect("a readable sample");
        let mut gaps = Vec::new();
        let settings: BTreeMap<String, String> = parse(&text, &mut gaps).into_iter().collect();
        assert_eq!(gaps, []);
        assert_eq!(settings["kernel.sem"], "250\t32000\t32\t128");
        assert_eq!(settings["kernel.shmall"], "18446744073692774399");
        assert_eq!(settings["vm.swappiness"], "30");
    }

    proptest! {
        #[test]
        fn a_mangled_listing_yields_gaps_and_no_panic(text in "([a-z.=\\s\u{0}é]{0,40}\n){0,20}") {
            let mut gaps = Vec::new();
            parse(&text, &mut gaps);
            for gap in gaps {
                prop_assert!(gap.detail.starts_with("/sos_commands/kernel/sysctl_-a:"));
            }
        }
    }
}
