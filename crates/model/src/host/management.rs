//! What manages a host's settings: it decides which command makes a change last, and which would be undone or do harm.

use fullwire_record::record;
use std::collections::BTreeMap;

/// What manages the host's settings.
#[record]
pub struct Management {
    /// What configures each interface at boot, by the interface's name; one that is not listed is not known.
    pub interfaces: BTreeMap<String, InterfaceKeeper>,
    /// The tool that changes the kernel's command line: `grubby`, `update-grub`, `grub2-mkconfig`,
    /// `rpm-ostree`; `None`: not known.
    pub boot_loader: Option<String>,
    /// The tool that makes the initramfs: `dracut`, `update-initramfs`; `None`: not known.
    pub initramfs: Option<String>,
    /// What decides which instance serves or keeps its settings, with what shows it: `patroni`, `repmgr`,
    /// `pg_auto_failover`, `cloudnative-pg`, `galera`, `group-replication`, `pacemaker`, `clusterware`,
    /// `dataguard-broker`.
    pub availability: BTreeMap<String, String>,
    /// What writes settings files of the host anew, or keeps their history, with what shows it: `puppet`, `salt`, `chef`,
    /// `cfengine`, `machine-config`, `nixos`, `saptune`, `git`.
    pub settings: BTreeMap<String, String>,
    /// The node agent of Kubernetes, with what shows it.
    pub kubelet: Option<String>,
}

/// What configures an interface at boot.
#[record(Eq)]
pub struct InterfaceKeeper {
    /// `networkmanager`, `networkd`, `netplan`, `wicked`, `ifupdown`, `network-scripts`.
    pub by: String,
    /// Under which name: of netplan the key of the interface, of `NetworkManager` the connection's UUID.
    pub id: String,
    /// What shows it: a file.
    pub source: String,
}
