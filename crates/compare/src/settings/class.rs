//! What kind of thing a field is: a setting that affects the I/O path, another one, the name of something, the state of
//! the host, or something that changes all the time and says nothing.

/// What a field is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A setting or a part of the topology that a rule or a ceiling of the I/O path reads.
    Path,
    /// Another setting.
    Other,
    /// Names the host or a part of it.
    Identity,
    /// A state that a measurement may depend on, and that no one set.
    Condition,
}

/// Never shown: they differ between two looks at an idle host.
const VOLATILE: &[&str] = &[
    "gaps",
    "processes",
    "kernel_log",
    "captured",
    "ipc segments",
    "ipc semaphores",
    "ipc semaphore_sets",
    "clock max_error_us",
    "clock offset_ns",
    "fs.file-nr",
    "fs.aio-nr",
    "fs.inode-nr",
    "fs.dentry-state",
    "mounts /run/netns",
    "mounts /run/user",
    "kernel.random.",
    "kernel.pty.nr",
    "kernel.ns_last_pid",
    "net.netfilter.nf_conntrack_count",
    "memory edac_errors",
    "memory committed_bytes",
    "memory page_tables_bytes",
    "memory huge_pages_free",
    "memory huge_pages_reserved",
    "memory numa_nodes",
    "cpu flags",
    "tcp_fastopen_key",
];

/// Last words of fields that change all the time, wherever they stand.
const VOLATILE_LAST: &[&str] = &[
    "shared_memory_bytes", "pid", "creator_pid", "parent_pid", "index", "link_failures", "failures",
    "sync_done", "status", "looked_up",
];

/// State that no one set.
const CONDITIONS: &[&str] = &[
    "os uptime_s", "memory available_bytes", "memory free_bytes", "memory cached_bytes",
    "memory dirty_bytes", "clock synchronised", "logical_volumes",
];

/// Last words of such state.
const CONDITIONS_LAST: &[&str] = &[
    "used_bytes", "free_bytes", "available_bytes", "inodes_free", "free_inodes", "used_inodes", "data_used",
    "metadata_used", "actor_churn", "partner_churn",
];

const IDENTITIES: &[&str] = &["hostname", "databases", "os machine"];

const IDENTITIES_LAST: &[&str] = &[
    "mac", "permanent_mac", "partner_mac", "addresses", "serial", "wwid", "uuid", "links", "number", "local",
    "source", "port_name", "node_name", "device_number",
];

/// Beginnings of what a rule or a ceiling of the I/O path reads.
const PATH: &[&str] = &[
    "net.core.",
    "net.ipv4.tcp_",
    "net.ipv4.udp_",
    "net.ipv4.ip_no_pmtu_disc",
    "net.ipv4.ipfrag_",
    "net.netfilter.",
    "vm.dirty_",
    "vm.swappiness",
    "vm.nr_hugepages",
    "vm.zone_reclaim_mode",
    "kernel.numa_balancing",
    "kernel.io_uring_disabled",
    "fs.aio-max-nr",
    "sunrpc.",
    "os kernel_release",
    "os command_line",
    "cpu online",
    "cpu governors",
    "cpu idle_states",
    "cpu model",
    "cpu vulnerabilities",
    "memory total_bytes",
    "memory transparent_huge_pages",
    "clock source",
    "nics",
    "bonds",
    "routes",
    "source_rules",
    "disks",
    "multipath",
    "fc_hosts",
    "sas_phys",
    "iscsi_sessions",
    "mounts",
    "cgroups",
    "tuned_profile",
];

/// Last words below those that say little of the path.
const ASIDE: &[&str] = &["supported_modes", "partner_modes", "schedulers", "tx_queue_packets", "holders"];

/// What kind of thing a field is; `None`: it changes all the time.
pub(super) fn of(name: &str) -> Option<Class> {
    let last = name.rsplit(' ').next().unwrap_or(name);
    let starts = |list: &[&str]| list.iter().any(|begin| name.starts_with(begin));
    if starts(VOLATILE) || VOLATILE_LAST.contains(&last) {
        return None;
    }
    if starts(IDENTITIES) || IDENTITIES_LAST.contains(&last) {
        return Some(Class::Identity);
    }
    if starts(CONDITIONS) || CONDITIONS_LAST.contains(&last) {
        return Some(Class::Condition);
    }
    // Loop devices and images come and go.
    let passing = ["disks loop", "mounts /snap/"].iter().any(|begin| name.starts_with(begin));
    let aside = passing || ASIDE.contains(&last);
    Some(if starts(PATH) && !aside { Class::Path } else { Class::Other })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_what_they_are() {
        assert_eq!(of("net.ipv4.tcp_rmem"), Some(Class::Path));
        assert_eq!(of("nics eth0 mtu_bytes"), Some(Class::Path));
        assert_eq!(of("nics eth0 mac"), Some(Class::Identity));
        assert_eq!(of("memory free_bytes"), Some(Class::Condition));
        assert_eq!(of("kernel.panic"), Some(Class::Other));
        assert_eq!(of("processes fullwire 12 cpu_ns"), None);
        assert_eq!(of("fs.file-nr"), None);
        assert_eq!(of("mounts /run/netns/db2 nsfs present"), None);
    }
}
