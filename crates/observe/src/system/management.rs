//! What manages the host beside its network: the boot loader's tool, the initramfs, what decides which database serves.

use super::process_stat::ProcessStat;
use crate::Root;
use fullwire_model::host::{Host, Management};
use std::collections::BTreeMap;

/// By the first 15 bytes of a process's name.
const BY_PROCESS: [(&str, &str); 9] = [
    ("patroni", "patroni"),
    ("repmgrd", "repmgr"),
    ("pg_autoctl", "pg_auto_failover"),
    ("pacemakerd", "pacemaker"),
    ("pacemaker-contr", "pacemaker"),
    ("ocssd.bin", "clusterware"),
    ("ohasd.bin", "clusterware"),
    ("mysqlrouter", "group-replication"),
    ("garbd", "galera"),
];

/// By files that nothing else leaves.
const BY_FILE: [(&str, &str); 2] =
    [("/controller/manager", "cloudnative-pg"), ("/etc/corosync/corosync.conf", "pacemaker")];

/// What writes settings files anew, by its process.
const SETTINGS_BY_PROCESS: [(&str, &str); 4] =
    [("puppet", "puppet"), ("salt-minion", "salt"), ("chef-client", "chef"), ("cf-execd", "cfengine")];

/// And by its own files; `git` keeps the history of `/etc` (etckeeper(8)).
const SETTINGS_BY_FILE: [(&str, &str); 8] = [
    ("/etc/puppetlabs/puppet/puppet.conf", "puppet"),
    ("/etc/puppet/puppet.conf", "puppet"),
    ("/etc/salt/minion", "salt"),
    ("/etc/chef/client.rb", "chef"),
    ("/etc/machine-config-daemon/currentconfig", "machine-config"),
    ("/etc/nixos/configuration.nix", "nixos"),
    ("/var/lib/saptune/config/saptune-status", "saptune"),
    ("/etc/.git/HEAD", "git"),
];

/// Reads what manages the host; its databases and distribution are known by now.
pub(super) fn read(root: &Root, processes: &[ProcessStat], host: &mut Host) {
    let by_name = |name: &str| processes.iter().find(|process| process.name == name);
    let kubelet = by_name("kubelet").map(|process| format!("process {} kubelet", process.pid));
    let files =
        || root.exists("/var/lib/kubelet/config.yaml").then(|| "/var/lib/kubelet/config.yaml".to_owned());
    host.management = Management {
        boot_loader: boot_loader(root, host).map(str::to_owned),
        initramfs: initramfs(root, host).map(str::to_owned),
        availability: availability(root, processes, host),
        settings: settings(root, processes),
        kubelet: kubelet.or_else(files),
        ..Management::default()
    };
}

fn settings(root: &Root, processes: &[ProcessStat]) -> BTreeMap<String, String> {
    let files = SETTINGS_BY_FILE.into_iter().filter(|(file, _)| root.exists(file));
    let mut found: BTreeMap<String, String> =
        files.map(|(file, name)| (name.to_owned(), file.to_owned())).collect();
    for process in processes {
        let known = SETTINGS_BY_PROCESS.iter().find(|(own, _)| *own == process.name);
        found.extend(
            known.map(|(_, name)| ((*name).to_owned(), format!("process {} {}", process.pid, process.name))),
        );
    }
    found
}

fn availability(root: &Root, processes: &[ProcessStat], host: &Host) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (file, name) in BY_FILE.into_iter().filter(|(file, _)| root.exists(file)) {
        found.insert(name.to_owned(), file.to_owned());
    }
    // Named by the packager or after the cluster.
    let of_patroni = root.list("/etc/patroni").into_iter().find(|name| name.strip_suffix(".yml").is_some());
    found.extend(of_patroni.map(|name| ("patroni".to_owned(), format!("/etc/patroni/{name}"))));
    for process in processes {
        let known = BY_PROCESS.iter().find(|(own, _)| *own == process.name).map(|(_, name)| *name);
        // Data Guard's broker: ora_dmon_SID.
        let broker = process.name.starts_with("ora_dmon_").then_some("dataguard-broker");
        if let Some(name) = known.or(broker) {
            found.insert(name.to_owned(), format!("process {} {}", process.pid, process.name));
        }
    }
    for database in &host.databases {
        // Patroni writes there what its store holds (Patroni documentation, "Patroni configuration"), whatever interpreter
        // runs it and wherever its own file is.
        let dynamic = format!("{}/patroni.dynamic.json", database.name);
        if database.kind == "postgresql" && root.exists(&dynamic) {
            found.entry("patroni".to_owned()).or_insert(dynamic);
        }
        let setting = |name: &str| {
            let value = database.settings.get(name).filter(|value| !value.is_empty())?;
            let source = database.setting_sources.get(name).map_or("", String::as_str);
            Some((value.to_ascii_lowercase(), format!("{name} in {source}")))
        };
        let on = setting("wsrep_on").filter(|(value, _)| ["on", "1", "true"].contains(&value.as_str()));
        if let Some((_, source)) = on.or_else(|| setting("wsrep_cluster_name")) {
            found.insert("galera".to_owned(), source);
        }
        if let Some((_, source)) = setting("group_replication_group_name") {
            found.insert("group-replication".to_owned(), source);
        }
    }
    found
}

/// The distribution or one that it is like.
fn is_like(host: &Host, wanted: &[&str]) -> bool {
    let mut names = std::iter::once(&host.os.distribution).chain(&host.os.like);
    names.any(|name| wanted.contains(&name.as_str()))
}

/// grubby comes with every kernel of Red Hat's family, update-grub with Debian's GRUB; SUSE has GRUB's own alone. A host
/// without `/etc/default/grub` (a container, systemd-boot, U-Boot) is asked for grubby itself.
fn boot_loader(root: &Root, host: &Host) -> Option<&'static str> {
    let has = |name: &str| {
        ["/usr/sbin", "/sbin", "/usr/bin"].iter().any(|place| root.exists(&format!("{place}/{name}")))
    };
    let grub = root.exists("/etc/default/grub");
    match () {
        // A support bundle has none of its programs; what is like Fedora and boots by OSTree has it, bootc's images too.
        () if is_image_based(root) => {
            let is_captured = host.captured && is_like(host, &["rhel", "fedora", "centos"]);
            (has("rpm-ostree") || is_captured).then_some("rpm-ostree")
        }
        () if root.exists(PROXMOX) => None,
        () if has("grubby") => Some("grubby"),
        () if grub && has("update-grub") => Some("update-grub"),
        () if grub && host.captured && is_like(host, &["debian", "ubuntu"]) => Some("update-grub"),
        () if grub && host.captured && is_like(host, &["rhel", "fedora", "ol", "centos"]) => Some("grubby"),
        () if grub && is_like(host, &["sles", "suse", "opensuse"]) => Some("grub2-mkconfig"),
        () => None,
    }
}

/// There where `proxmox-boot-tool` copies kernels to its own partitions: what GRUB's own tool writes need not be what boots
/// (Proxmox VE Administration Guide, "Host Bootloader").
const PROXMOX: &str = "/etc/kernel/proxmox-boot-uuids";

/// Its system is replaced as a whole (`OSTree`, openSUSE's transactional updates): tools that write into it do not last, or
/// fail.
fn is_image_based(root: &Root) -> bool {
    const SIGNS: [&str; 4] =
        ["/run/ostree-booted", "/ostree/repo", "/sysroot/ostree", "/usr/sbin/transactional-update"];
    // A support bundle has the command line, and none of these files.
    let booted = root.attribute("/proc/cmdline").is_some_and(|line| line.contains("ostree="));
    booted || SIGNS.iter().any(|path| root.exists(path))
}

/// The tool whose configuration is there.
fn initramfs(root: &Root, host: &Host) -> Option<&'static str> {
    match () {
        () if is_image_based(root) => None,
        () if root.exists("/etc/initramfs-tools") => Some("update-initramfs"),
        () if root.exists("/etc/dracut.conf") || root.exists("/etc/dracut.conf.d") => Some("dracut"),
        () if host.captured && is_like(host, &["rhel", "fedora", "ol", "centos", "suse", "sles"]) => {
            Some("dracut")
        }
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rooted;
    use fullwire_model::host::Database;

    fn managed(distribution: &str, files: &[&str], names: &[&str]) -> Management {
        let files: Vec<_> =
            files.iter().map(|path| (*path, "root=/dev/sda2 ostree=/ostree/boot.1/0")).collect();
        let (_tree, root) = rooted(&files);
        let server = Database { kind: "postgresql".into(), name: "/pg/16".into(), ..Database::default() };
        let mut host = Host { captured: true, databases: vec![server], ..Host::default() };
        host.os.distribution = distribution.into();
        let process = |name: &&str| ProcessStat { name: (*name).into(), pid: 7, ..ProcessStat::default() };
        let processes: Vec<ProcessStat> = names.iter().map(process).collect();
        read(&root, &processes, &mut host);
        host.management
    }

    #[test]
    fn the_tool_of_the_boot_loader_is_the_one_that_is_there() {
        let tool = |distribution: &str, files: &[&str]| managed(distribution, files, &[]).boot_loader;
        assert_eq!(tool("ol", &["etc/default/grub"]).as_deref(), Some("grubby"));
        assert_eq!(tool("debian", &["etc/default/grub"]).as_deref(), Some("update-grub"));
        assert_eq!(tool("sles", &["etc/default/grub"]).as_deref(), Some("grub2-mkconfig"));
        assert_eq!(tool("amzn", &["usr/sbin/grubby"]).as_deref(), Some("grubby"));
        assert_eq!(tool("debian", &[]), None, "a container has none");
        assert_eq!(tool("debian", &["etc/default/grub", &PROXMOX[1..]]), None);
        let with_grubby = ["usr/sbin/grubby", "etc/default/grub"];
        assert_eq!(tool("fedora", &with_grubby).as_deref(), Some("grubby"));
        for sign in
            ["run/ostree-booted", "ostree/repo/config", "usr/sbin/transactional-update", "proc/cmdline"]
        {
            let of = |distribution: &str| tool(distribution, &[&with_grubby[..], &[sign]].concat());
            assert_eq!(
                (of("fedora").as_deref(), of("opensuse-microos")),
                (Some("rpm-ostree"), None),
                "{sign}"
            );
        }
    }

    #[test]
    fn what_writes_settings_anew() {
        let found = managed("debian", &["etc/.git/HEAD", "etc/puppet/puppet.conf"], &["cf-execd", "puppet"]);
        let all: Vec<(&str, &str)> = found.settings.iter().map(|(name, by)| (&**name, &**by)).collect();
        let process = |name| (name, if name == "puppet" { "process 7 puppet" } else { "process 7 cf-execd" });
        assert_eq!(all, [process("cfengine"), ("git", "/etc/.git/HEAD"), process("puppet")]);
        assert!(found.availability.is_empty(), "none of them decides which database serves");
    }

    #[test]
    fn what_decides_which_database_serves() {
        let found = managed("debian", &[], &["patroni", "kubelet", "ora_dmon_ERP"]);
        let names: Vec<&str> = found.availability.keys().map(String::as_str).collect();
        assert_eq!(names, ["dataguard-broker", "patroni"]);
        assert_eq!(found.kubelet.as_deref(), Some("process 7 kubelet"));
        assert!(managed("debian", &[], &["postgres"]).availability.is_empty());
        let dynamic = managed("debian", &["pg/16/patroni.dynamic.json"], &["python3"]);
        assert_eq!(dynamic.availability["patroni"], "/pg/16/patroni.dynamic.json");
    }
}
