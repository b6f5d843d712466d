//! What a host consists of: its things, and which of them stands on which.

use super::subject::{At, Kind, Subject};
use crate::assessment::{Finding, Layer, PathKind};
use crate::host::{Host, Mount, levels};
use crate::{PathName, Run};
use std::collections::{BTreeMap, BTreeSet};

/// The things of a host as a graph. Its size grows with the records of the host; where odd input leads in a circle, no walk
/// visits a thing twice.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Topology {
    /// What each thing stands on, in the order of the records.
    below: BTreeMap<Subject, Vec<Subject>>,
    /// What things are called beside their own names: a map like its device, a bond like its interface. Several exports of
    /// one server share the server's name.
    names: BTreeMap<Subject, Vec<Subject>>,
}

/// As what else a statement can be about a thing of a kind: a queueing discipline is named by its interface.
const fn also(kind: Kind) -> &'static [Kind] {
    match kind {
        Kind::Nic => &[Kind::Bond, Kind::QueueingDiscipline, Kind::PcieDevice],
        Kind::Disk => &[Kind::MultipathMap, Kind::Volume, Kind::Target, Kind::PcieDevice],
        Kind::Mount => &[Kind::Target, Kind::Database],
        Kind::Target => &[Kind::Mount, Kind::Database],
        Kind::NfsServer => &[Kind::Mount],
        Kind::NvmeController | Kind::Port => &[Kind::PcieDevice, Kind::Adapter],
        _ => &[],
    }
}

impl Topology {
    /// From each mount down to adapters and interfaces, from each interface down to its links.
    pub fn of(host: &Host) -> Self {
        let mut topology = Self::default();
        topology.add_interfaces(host);
        topology.add_devices(host);
        topology.add_links(host);
        let numbers =
            host.disks.iter().rev().map(|disk| (disk.number.as_str(), disk.name.as_str())).collect();
        for mount in &host.mounts {
            topology.add_mount(host, mount, &numbers);
        }
        topology
    }

    /// The host's, with what the run measured and where its databases keep files.
    pub fn of_run(run: &Run) -> Self {
        let host = &run.host;
        let mut topology = Self::of(host);
        let mount = |target: &str| Kind::Mount.named(target);
        for (location, database) in
            host.databases.iter().flat_map(|one| one.locations.keys().map(move |l| (l, one)))
        {
            let on = host.mount_of(location).map(|on| mount(&on.target));
            topology.add_target(location, on);
            topology.add(&Kind::Database.named(&database.name), [Kind::Target.named(location)]);
        }
        for result in &run.disk {
            let known = host.mounts.iter().any(|one| one.target == result.mount_point);
            let device = result.device.rsplit([' ', '/']).next().unwrap_or_default();
            let device = host.disk(device).map(|disk| Kind::Disk.named(&disk.name));
            topology.add_target(
                result.target.as_str(),
                known.then(|| mount(&result.mount_point)).into_iter().chain(device),
            );
        }
        let measured = run.net.iter().map(|result| (&result.target, result.path.interface.as_str()));
        let probed = run.mtu.iter().map(|result| (&result.target, result.interface.as_str()));
        let asked = run.peers.iter().map(|peer| (&peer.target, ""));
        for (target, interface) in measured.chain(probed).chain(asked) {
            topology.add_path(target, interface);
        }
        topology
    }

    /// A thing and all that it stands on, nearest first, each once.
    pub fn under(&self, thing: &Subject) -> Vec<Subject> {
        levels(thing, |one| self.below(one).iter().collect()).into_iter().cloned().collect()
    }

    /// What a thing stands on.
    pub fn below(&self, thing: &Subject) -> &[Subject] {
        self.below.get(thing).map_or(&[], Vec::as_slice)
    }

    /// The things that a statement is about: by their own name or by another one, whichever side of them is meant.
    pub fn called(&self, name: &Subject) -> Vec<Subject> {
        let thing = name.thing();
        let others = self.names.get(&thing).into_iter().flatten().cloned();
        let own = self.below.contains_key(&thing).then(|| thing.clone());
        own.into_iter().chain(others).collect()
    }

    /// What this name says is the thing, or under it.
    pub fn stands_on(&self, thing: &Subject, name: &Subject) -> bool {
        let meant = self.called(name);
        self.under(thing).iter().any(|one| meant.contains(one))
    }

    /// A finding is about this peer or target: it explains one of its figures, names it, or is about something under it.
    /// `None`: it is about the host as a whole, or what is under the path is not known.
    pub fn is_about(&self, finding: &Finding, kind: PathKind, target: &PathName) -> Option<bool> {
        let path = kind.of(target);
        let named = finding.path.as_ref() == Some(target) || finding.subject_ref.thing() == path;
        if named || finding.explains_path(target) {
            return Some(true);
        }
        if finding.path.is_some() || !finding.explains.is_empty() {
            return Some(false);
        }
        if let At::Peer(peer) = &finding.subject_ref.at {
            return Some(kind == PathKind::Network && peer == target);
        }
        // A database stands on paths, and no path on it.
        let subjects = finding.subjects().filter(|subject| subject.kind != Kind::Database);
        let things: Vec<Subject> = subjects.flat_map(|subject| self.called(&subject)).collect();
        let under: Vec<Subject> = self.called(&path).iter().flat_map(|one| self.under(one)).collect();
        if things.iter().any(|thing| under.contains(thing)) {
            return Some(true);
        }
        (under.len() > 1 && !things.is_empty() && things.iter().all(|thing| self.is_used(thing)))
            .then_some(false)
    }

    /// Something is known to stand on it, or it is a place itself: what a lost port carried may be gone from the records.
    fn is_used(&self, thing: &Subject) -> bool {
        matches!(thing.kind, Kind::Mount | Kind::Target | Kind::Path)
            || self.below.values().any(|below| below.contains(thing))
    }

    /// A finding is about this path, the whole host or every path of this kind.
    pub fn concerns(&self, finding: &Finding, kind: PathKind, target: &PathName) -> bool {
        let foreign = match kind {
            PathKind::Network => Layer::Storage,
            PathKind::Storage => Layer::Network,
        };
        self.is_about(finding, kind, target).unwrap_or(finding.layer != foreign)
    }

    fn node(&mut self, thing: &Subject) {
        if !self.below.contains_key(thing) {
            self.below.insert(thing.clone(), Vec::new());
            for kind in also(thing.kind) {
                self.call(thing, kind.named(&thing.name));
            }
        }
    }

    fn add(&mut self, thing: &Subject, on: impl IntoIterator<Item = Subject>) {
        self.node(thing);
        for lower in on.into_iter().filter(|lower| lower != thing) {
            self.node(&lower);
            if let Some(below) = self.below.get_mut(thing).filter(|below| !below.contains(&lower)) {
                below.push(lower);
            }
        }
    }

    fn call(&mut self, thing: &Subject, name: Subject) {
        let known = self.names.entry(name).or_default();
        if !known.contains(thing) {
            known.push(thing.clone());
        }
    }

    fn add_interfaces(&mut self, host: &Host) {
        let mut ports: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for nic in &host.nics {
            ports.entry(nic.master.as_deref().unwrap_or_default()).or_default().push(&nic.name);
        }
        let nic = |name: &str| Kind::Nic.named(name);
        for bond in &host.bonds {
            self.add(&nic(&bond.name), bond.slaves.iter().map(|slave| nic(&slave.name)));
        }
        let bonds: BTreeSet<&str> = host.bonds.iter().map(|bond| bond.name.as_str()).collect();
        for one in host.nics.iter().filter(|one| !bonds.contains(one.name.as_str())) {
            let has_ports = matches!(one.kind.as_str(), "bridge" | "team");
            let ports = ports.get(one.name.as_str()).filter(|_| has_ports);
            let ports = ports.into_iter().flatten().map(|port| nic(port));
            self.add(&nic(&one.name), one.lower.iter().map(|lower| nic(lower)).chain(ports));
        }
    }

    fn add_devices(&mut self, host: &Host) {
        let maps: BTreeMap<&str, _> = host.multipath.iter().map(|map| (map.device.as_str(), map)).collect();
        let known: BTreeSet<&str> = host.disks.iter().map(|disk| disk.name.as_str()).collect();
        let named = |name: &str| Kind::Disk.named(name);
        for disk in &host.disks {
            let thing = named(&disk.name);
            let mut names = vec![disk.dm.as_ref().map_or("", |dm| &dm.name)];
            if let Some(map) = maps.get(disk.name.as_str()) {
                let paths = map.groups.iter().flat_map(|group| &group.paths);
                self.add(&thing, paths.map(|path| named(&path.device)));
                names.push(&map.name);
            } else {
                let lower = disk.slaves.iter().map(String::as_str).chain(disk.parent());
                self.add(&thing, lower.filter(|lower| known.contains(lower)).map(named));
            }
            for name in names.into_iter().filter(|name| !name.is_empty()) {
                self.call(&thing, named(name));
                for kind in also(Kind::Disk) {
                    self.call(&thing, kind.named(name));
                }
            }
        }
    }

    /// What leads to the disks that have nothing below: a session, controllers or an adapter's port.
    fn add_links(&mut self, host: &Host) {
        let mut sessions: BTreeMap<&str, Subject> = BTreeMap::new();
        for session in &host.iscsi_sessions {
            let thing = Kind::IscsiSession.named(&session.name);
            self.add(&thing, host.way_to(&session.portal).map(|way| Kind::Nic.named(way.interface)));
            self.call(&thing, Kind::IscsiTarget.named(&session.target));
            for disk in &session.disks {
                sessions.entry(disk).or_insert_with(|| thing.clone());
            }
        }
        for port in &host.fc_hosts {
            self.node(&Kind::Port.named(&port.name));
        }
        for disk in &host.disks {
            let thing = Kind::Disk.named(&disk.name);
            if !self.below(&thing).is_empty() {
                continue;
            }
            if let Some(session) = sessions.get(disk.name.as_str()) {
                self.add(&thing, [session.clone()]);
            } else if let Some(nvme) = &disk.nvme {
                let controllers = nvme.controllers.iter();
                self.add(&thing, controllers.map(|one| Kind::NvmeController.named(&one.name)));
            } else if let Some(number) = disk.scsi_host_number() {
                let port = Kind::Port.named(format!("host{number}"));
                self.add(&thing, self.below.contains_key(&port).then_some(port));
            }
        }
    }

    /// `numbers`: the names of block devices by `MAJOR:MINOR`.
    fn add_mount(&mut self, host: &Host, mount: &Mount, numbers: &BTreeMap<&str, &str>) {
        let thing = Kind::Mount.named(&mount.target);
        // What is mounted over another file system hides it.
        self.below.remove(&thing);
        if let Some(nfs) = &mount.nfs {
            // One export may be mounted in several places, each with options of its own.
            let export = Kind::NfsServer.named(&mount.source).aspect(&mount.target);
            self.add(&export, host.way_to(&nfs.address).map(|way| Kind::Nic.named(way.interface)));
            self.call(&export, Kind::NfsServer.named(&mount.source));
            self.call(&export, Kind::NfsServer.named(&nfs.server));
            self.add(&thing, [export]);
        }
        let disk = numbers.get(mount.number.as_str()).filter(|_| !mount.number.is_empty());
        self.add(&thing, disk.map(|disk| Kind::Disk.named(*disk)));
    }

    /// A measured target or a database's directory, which a mount or device of that name already is.
    fn add_target(&mut self, name: &str, on: impl IntoIterator<Item = Subject>) {
        let thing = Kind::Target.named(name);
        if !self.names.contains_key(&thing) {
            self.add(&thing, on);
        }
    }

    fn add_path(&mut self, target: &PathName, interface: &str) {
        let nic = (!interface.is_empty()).then(|| Kind::Nic.named(interface));
        self.add(&Kind::Path.named(target), nic);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;
    use crate::specimen::specimen;

    /// A volume on a multipath map of two paths, one of them through a port; a bond below a VLAN; an NFS mount over it.
    fn host() -> Host {
        read(
            br#"{
            "nics": [
                { "name": "bond0.7", "lower": ["bond0"], "addresses": ["10.0.0.1/24"] },
                { "name": "bond0", "kind": "bond" }, { "name": "eth0" }, { "name": "eth1" }
            ],
            "bonds": [{ "name": "bond0", "slaves": [{ "name": "eth0" }, { "name": "eth1" }] }],
            "disks": [
                { "name": "dm-1", "slaves": ["dm-0"], "number": "253:1", "dm": { "name": "vg-lv" } },
                { "name": "dm-0", "slaves": ["sda", "sdb"], "dm": { "name": "mpatha" } },
                { "name": "sda", "scsi": { "address": "5:0:0:1" } },
                { "name": "sdb", "scsi": { "address": "6:0:0:1" } }, { "name": "sdc" }
            ],
            "multipath": [{
                "name": "mpatha", "device": "dm-0",
                "groups": [{ "paths": [{ "device": "sda" }, { "device": "sdb" }] }]
            }],
            "fc_hosts": [{ "name": "host5" }],
            "mounts": [
                { "target": "/u01", "number": "253:1" },
                { "target": "/nfs", "source": "filer:/vol", "nfs": { "server": "filer", "address": "10.0.0.9" } }
            ]
        }"#,
        )
        .expect("a host")
    }

    fn names(things: &[Subject]) -> Vec<String> {
        things.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_mount_stands_on_everything_down_to_the_port() {
        let topology = Topology::of(&host());
        let under = topology.under(&Kind::Mount.named("/u01"));
        assert_eq!(names(&under), ["/u01", "dm-1", "dm-0", "sda", "sdb", "host5"]);
        let under = topology.under(&Kind::Mount.named("/nfs"));
        assert_eq!(names(&under), ["/nfs", "/nfs of filer:/vol", "bond0.7", "bond0", "eth0", "eth1"]);
    }

    /// Whoever sends a record chooses how its things lie above one another: no walk is longer than a real host's stack.
    #[test]
    fn a_tower_of_things_is_not_climbed() {
        let count = 4000;
        let below = |kind: char, number: usize| format!("{kind}{}", number + 1);
        let name = |kind: char, number: usize| format!("{kind}{number}");
        let nic = |number| crate::host::Nic {
            name: name('n', number),
            lower: vec![below('n', number)],
            ..crate::host::Nic::default()
        };
        let disk = |number| crate::host::Disk {
            name: name('d', number),
            slaves: vec![below('d', number)],
            ..crate::host::Disk::default()
        };
        let host = Host {
            nics: (0..count).map(nic).collect(),
            disks: (0..count).map(disk).collect(),
            ..Host::default()
        };
        let topology = Topology::of(&host);
        let longest = |kind: Kind, first: &str| topology.under(&kind.named(first)).len();
        assert_eq!(longest(Kind::Nic, "n0"), crate::host::levels(0, |one| vec![one + 1]).len());
        assert!(
            longest(Kind::Nic, "n0") < 32 && longest(Kind::Disk, "d0") < 32 && host.stack("d0").len() < 32
        );
    }

    #[test]
    fn a_thing_is_found_by_each_of_its_names_and_by_no_other() {
        let topology = Topology::of(&host());
        let mount = Kind::Mount.named("/u01");
        for name in [
            Kind::MultipathMap.named("mpatha"),
            Kind::Volume.named("vg-lv"),
            Kind::Disk.named("sdb"),
            Kind::PcieDevice.named("host5"),
            Kind::Mount.named("/u01").aspect("options"),
        ] {
            assert!(topology.stands_on(&mount, &name), "{name}");
        }
        for name in [Kind::Disk.named("sdc"), Kind::Nic.named("eth0"), Kind::NfsServer.named("filer")] {
            assert!(!topology.stands_on(&mount, &name), "{name}");
        }
        assert_eq!(names(&topology.called(&Kind::NfsServer.named("filer"))), ["/nfs of filer:/vol"]);
        assert_eq!(names(&topology.called(&Kind::QueueingDiscipline.named("eth0"))), ["eth0"]);
    }

    /// A path and a directory of that host, measured.
    fn run() -> Run {
        Run {
            host: host(),
            net: read(br#"[{ "target": "db2", "path": { "interface": "bond0.7" } }]"#).expect("results"),
            disk: read(br#"[{ "target": "/u01/probe", "mount_point": "/u01" }]"#).expect("results"),
            ..Run::default()
        }
    }

    #[test]
    fn what_the_run_measured_stands_on_the_host() {
        let topology = Topology::of_run(&run());
        assert!(topology.stands_on(&Kind::Path.named("db2"), &Kind::Nic.named("eth1")));
        assert!(topology.stands_on(&Kind::Target.named("/u01/probe"), &Kind::Port.named("host5")));
        assert!(!topology.stands_on(&Kind::Target.named("/u01/probe"), &Kind::Nic.named("eth1")));
    }

    /// Records of untrusted captures lead in circles; a thousand devices that all stand on one another are walked once.
    #[test]
    fn a_circle_is_walked_once() {
        let all: Vec<String> = (0..1000).map(|number| format!("dm-{number}")).collect();
        let disk = |name: &String| crate::host::Disk {
            name: name.clone(),
            slaves: all[..9].to_vec(),
            ..Default::default()
        };
        let host = Host { disks: all.iter().map(disk).collect(), ..Host::default() };
        let topology = Topology::of(&host);
        assert_eq!(topology.under(&Kind::Disk.named("dm-0")).len(), 9);
        assert_eq!(topology.under(&Kind::Disk.named("dm-999")).len(), 10);
    }

    #[test]
    fn a_finding_concerns_the_paths_above_what_it_is_about() {
        let topology = Topology::of_run(&run());
        let about = |subject: Subject, layer: Layer| {
            let finding =
                Finding { subject_ref: subject, layer, path: None, explains: Vec::new(), ..specimen(1) };
            let finding = Finding { also: Vec::new(), ..finding };
            [(PathKind::Network, "db2"), (PathKind::Storage, "/u01/probe")]
                .map(|(kind, target)| topology.concerns(&finding, kind, &target.into()))
        };
        let (network, storage) = (Layer::Network, Layer::Storage);
        assert_eq!(about(Kind::Nic.named("eth0"), network), [true, false]);
        assert_eq!(about(Kind::Disk.named("sda"), storage), [false, true]);
        // On no path of either.
        assert_eq!(about(Kind::Disk.named("sdx"), storage), [false, true], "not known here");
        assert_eq!(about(Kind::Mount.named("/nfs"), storage), [false, false]);
        assert_eq!(about(Kind::Disk.named("sdc"), storage), [false, true], "it carries nothing known");
        // Of the far end, of the whole host, of a database.
        let far = Kind::Nic.named("eth9").at(At::Peer("db2".into()));
        assert_eq!(about(far, network), [true, false]);
        assert_eq!(about(Kind::Memory.only(), Layer::Host), [true, true]);
        assert_eq!(about(Kind::Path.named("db2").aspect("round trip"), network), [true, false]);
    }
}
