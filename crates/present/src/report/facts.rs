//! What the host is, in a few groups of lines.

use super::told;
use crate::format;
use fullwire_model::assessment::Layer;
use fullwire_model::host::{Database, Disk, Host, Mount, MultipathMap, Nic};
use std::collections::BTreeMap;

/// Shows no more lines of one group than this; the rest is counted.
const MOST: usize = 40;

/// Lines under one head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactGroup {
    /// `Host`, `Network interfaces`, ...
    pub title: &'static str,
    /// Its lines.
    pub facts: Vec<Fact>,
    /// Lines that were left out.
    pub more: usize,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What.
    pub name: String,
    /// How it is.
    pub value: String,
    /// How it is set up, not what it is: a page has it, and a terminal with `--verbose`.
    pub detail: bool,
}

/// What the host is, as name and value.
pub fn description(host: &Host) -> Vec<(String, String)> {
    group("Host", system(host, &[])).facts.into_iter().map(|fact| (fact.name, fact.value)).collect()
}

/// Groups that have something to say; `only`: of these layers, of all where it is empty.
pub(super) fn facts(host: &Host, only: &[Layer]) -> Vec<FactGroup> {
    let nics = host.nics.iter().filter(|nic| nic.kind != "loopback").map(nic);
    let disks = host.disks.iter().filter(|disk| is_whole(disk)).map(disk);
    let mounts = host.mounts.iter().filter(|mount| mount.nfs.is_some() || !mount.number.starts_with("0:"));
    let databases = host.databases.iter().map(database);
    [
        group("Host", system(host, only)),
        group("Databases", databases),
        group("Network interfaces", nics),
        group("Disks", disks),
        group("File systems", mounts.map(mount)),
    ]
    .into_iter()
    .filter(|group| !group.facts.is_empty())
    .collect()
}

fn group(title: &'static str, facts: impl IntoIterator<Item = Fact>) -> FactGroup {
    let mut facts: Vec<Fact> = facts.into_iter().filter(|fact| !fact.value.is_empty()).collect();
    let more = facts.len().saturating_sub(MOST);
    facts.truncate(MOST);
    FactGroup { title, facts, more }
}

fn fact(name: impl Into<String>, value: impl Into<String>) -> Fact {
    Fact { name: name.into(), value: value.into(), detail: false }
}

fn detail(name: &str, value: String) -> Fact {
    Fact { detail: true, ..fact(name, value) }
}

/// The words that are there, with a separator between.
fn joined(words: impl IntoIterator<Item = String>) -> String {
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(", ")
}

fn system(host: &Host, only: &[Layer]) -> Vec<Fact> {
    let maps = host.multipath.iter().map(MultipathMap::state).collect::<Vec<_>>().join("; ");
    let bonds = host.bonds.iter().map(|bond| format!("{}: {}", bond.name, bond.state()));
    let parts = [
        (Layer::Host, machine(host)),
        (Layer::Storage, vec![detail("multipath", maps)]),
        (
            Layer::Network,
            vec![
                detail("bonds", bonds.collect::<Vec<_>>().join("; ")),
                detail("network kept by", keepers(host)),
                detail(
                    "congestion control",
                    host.sysctl("net.ipv4.tcp_congestion_control").unwrap_or_default().to_owned(),
                ),
            ],
        ),
    ];
    let wanted = parts.into_iter().filter(|(layer, _)| only.is_empty() || only.contains(layer));
    wanted.flat_map(|(_, facts)| facts).collect()
}

fn machine(host: &Host) -> Vec<Fact> {
    let (os, cpu, memory) = (&host.os, &host.cpu, &host.memory);
    let bytes = |bytes: u64| format::size(bytes as f64);
    let captured =
        if host.captured { "a captured tree, not the live host".to_owned() } else { String::new() };
    let huge = memory.huge_pages_total.filter(|pages| *pages > 0).zip(memory.huge_page_bytes);
    vec![
        detail("read from", captured),
        fact("system", joined([os.pretty_name.clone(), os.architecture.clone()])),
        fact("kernel", os.kernel_release.clone()),
        detail("model", told(os.model.clone(), |model| model)),
        fact(
            "machine",
            joined([told(os.virtualization.clone(), virtualization), told(os.cloud.clone(), |c| c)]),
        ),
        fact(
            "CPU",
            joined([
                if cpu.online > 0 { format!("{} online", cpu.online) } else { String::new() },
                told(cpu.sockets, |sockets| {
                    format!("{sockets} socket{}", if sockets == 1 { "" } else { "s" })
                }),
                cpu.model.clone(),
            ]),
        ),
        fact(
            "memory",
            joined([
                told(memory.total_bytes, bytes),
                told(memory.available_bytes, |available| format!("{} available", bytes(available))),
                told(huge, |(pages, size)| format!("{pages} huge pages of {}", bytes(size))),
            ]),
        ),
        detail(
            "clock",
            joined([
                told(host.clock.source.clone(), |source| source),
                told(host.clock.synchronised, |yes| {
                    if yes { "synchronised" } else { "not synchronised" }.into()
                }),
            ]),
        ),
        fact("uptime", told(os.uptime_s, format::duration)),
        detail("tuned", told(host.tuned_profile.clone(), |profile| profile)),
        detail("kernel command line by", told(host.management.boot_loader.clone(), |tool| tool)),
        detail("availability by", availability(host)),
        detail("settings by", host.management.settings.keys().cloned().collect::<Vec<_>>().join(", ")),
    ]
}

/// Its name, and its version if files tell it.
fn database(database: &Database) -> Fact {
    let version = database.version.as_ref().map_or(String::new(), |version| format!(", version {version}"));
    fact(&database.kind, format!("{}{version}", database.name))
}

/// `netplan (eth0, eth1), networkmanager (bond0)`: what configures the interfaces at boot.
fn keepers(host: &Host) -> String {
    let mut by: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (nic, keeper) in &host.management.interfaces {
        by.entry(&keeper.by).or_default().push(nic);
    }
    let one = |(keeper, nics): (&str, Vec<&str>)| format!("{keeper} ({})", nics.join(", "));
    by.into_iter().map(one).collect::<Vec<_>>().join(", ")
}

/// What decides which instance serves, and the node agent of Kubernetes.
fn availability(host: &Host) -> String {
    let kubelet = host.management.kubelet.as_ref().map(|_| "kubelet");
    let names = host.management.availability.keys().map(String::as_str).chain(kubelet);
    names.collect::<Vec<_>>().join(", ")
}

fn virtualization(kind: String) -> String {
    if kind == "none" { "bare metal".into() } else { kind }
}

fn nic(nic: &Nic) -> Fact {
    let speed = told(nic.speed_mbit_per_s, |mbit| format::bit_rate(mbit as f64 * 125_000.0));
    let words = [
        nic.kind.clone(),
        nic.operstate.clone(),
        speed,
        told(nic.mtu_bytes, |mtu| format!("MTU {mtu}")),
        nic.driver.clone(),
        told(nic.master.clone(), |master| format!("in {master}")),
    ];
    fact(&nic.name, joined(words))
}

/// A disk that is no part and no map of another, and not empty.
fn is_whole(disk: &Disk) -> bool {
    disk.size_bytes > 0 && disk.partition.is_none() && disk.dm.is_none() && disk.kind != "ram"
}

fn disk(disk: &Disk) -> Fact {
    let queue = disk.queue.as_ref();
    let words = [
        [disk.vendor.trim(), disk.model.trim()].join(" ").trim().to_owned(),
        format::capacity(disk.size_bytes as f64),
        disk.transport.clone(),
        told(queue.and_then(|queue| queue.rotational), |yes| if yes { "rotates" } else { "flash" }.into()),
        told(queue.and_then(|queue| queue.scheduler.clone()), |scheduler| format!("scheduler {scheduler}")),
        told(disk.scsi.as_ref().and_then(|scsi| scsi.queue_depth), |depth| format!("queue depth {depth}")),
    ];
    fact(&disk.name, joined(words))
}

fn mount(mount: &Mount) -> Fact {
    let used = told(mount.space.as_ref(), |space| {
        format!("{} used of {}", format::percent(space.used()), format::capacity(space.total_bytes as f64))
    });
    let nfs = told(mount.nfs.as_ref(), |nfs| format!("version {} over {}", nfs.version, nfs.protocol));
    fact(&mount.target, joined([mount.fs_type.clone(), mount.source.clone(), used, nfs]))
}
