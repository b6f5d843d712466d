//! Mount, volume, array, multipath map, paths, adapter.

use super::{Drawing, Drawn, Node, NodeKind, told};
use crate::format;
use fullwire_model::host::{Disk, FcHost, IscsiSession, MapPath, Mount, NvmeController, PathGroup};
use fullwire_model::subject::{Kind, Subject};
use std::collections::BTreeSet;

impl<'a> Drawing<'a> {
    /// One tree for each measured target, then for each other mount that is on a device or a server.
    pub(super) fn mounts(&self) -> Vec<Node<'a>> {
        let host = self.host;
        let mut drawn: Vec<&str> = Vec::new();
        let mut roots: Vec<Node<'a>> = Vec::new();
        for result in &self.run.disk {
            let mount = host.mounts.iter().rev().find(|mount| mount.target == result.mount_point);
            let device = result.device.rsplit([' ', '/']).next().unwrap_or_default();
            drawn.push(&result.mount_point);
            let name = result.target.as_str();
            if !roots.iter().any(|root| root.name == name) {
                roots.push(self.target(name, mount, device));
            }
        }
        for database in &host.databases {
            for (location, kind) in &database.locations {
                let Some(mount) = host.mount_of(location) else { continue };
                drawn.push(&mount.target);
                let whose = format!("{} {} {kind}", database.kind, database.name);
                match roots.iter_mut().find(|root| root.name == *location) {
                    Some(root) => root.details.push(whose),
                    None => roots.push(self.target(location, Some(mount), "").details([whose])),
                }
            }
        }
        // A bind mount shows a file system again.
        let mut numbers = BTreeSet::new();
        let once =
            host.mounts.iter().filter(|mount| mount.nfs.is_some() || numbers.insert(mount.number.as_str()));
        let others = once.filter(|mount| !drawn.contains(&mount.target.as_str()) && self.is_real(mount));
        roots.extend(others.map(|mount| self.target(&mount.target, Some(mount), "")));
        roots
    }

    /// It is on a block device or an NFS server.
    fn is_real(&self, mount: &Mount) -> bool {
        mount.nfs.is_some() || self.host.disk_by_number(&mount.number).is_some()
    }

    fn target(&self, name: &str, mount: Option<&'a Mount>, device: &str) -> Node<'a> {
        let thing = mount.map(|mount| Kind::Mount.named(&mount.target));
        let mut node = Node::new(NodeKind::FileSystem, name);
        let called = self.graph.called(&Kind::Target.named(name)).into_iter().chain(thing.clone());
        node.findings = self.about(&called.collect::<Vec<_>>());
        if let Some(mount) = mount {
            let on = if mount.target == name { String::new() } else { format!("on {}", mount.target) };
            let used = told(mount.space.as_ref(), |space| format!("{} used", format::percent(space.used())));
            node = node.details([on, mount.fs_type.clone(), used]);
        }
        let below = thing.map(|thing| self.graph.below(&thing).to_vec()).unwrap_or_default();
        let (devices, servers): (Vec<_>, Vec<_>) = below.into_iter().partition(|one| one.kind == Kind::Disk);
        let device = self.host.disk(device).map(|disk| vec![Kind::Disk.named(&disk.name)]);
        let devices = device.unwrap_or(devices);
        let journals = devices.iter().flat_map(|device| self.host.journals(&device.name));
        let journals: Vec<Node<'a>> = journals
            .map(|disk| self.node(&Kind::Disk.named(&disk.name), &mut Drawn::default()))
            .map(|journal| journal.details(["holds its journal".to_owned()]))
            .collect();
        let on = servers.into_iter().chain(devices);
        node.children = on.map(|lower| self.node(&lower, &mut Drawn::default())).collect();
        node.children.extend(journals);
        node
    }

    pub(super) fn device(&self, name: &str) -> Node<'a> {
        let Some(disk) = self.host.disk(name) else { return Node::new(NodeKind::Device, name) };
        let map = self.host.multipath.iter().find(|map| map.device == disk.name);
        let dm_name = disk.dm.as_ref().map(|dm| dm.name.as_str()).filter(|name| !name.is_empty());
        let shown = dm_name.or(map.map(|map| map.name.as_str())).unwrap_or_default();
        let name = if shown.is_empty() { disk.name.clone() } else { format!("{shown} ({})", disk.name) };
        let mut node = Node::new(NodeKind::Device, name).details(words(disk));
        node.broken = disk.md.as_ref().is_some_and(|md| md.degraded > 0);
        node
    }

    /// The groups of a map's paths; of another device, what it stands on.
    pub(super) fn under_device(&self, thing: &Subject, drawn: &mut Drawn) -> Vec<Node<'a>> {
        let map = self.host.multipath.iter().find(|map| map.device == thing.name);
        match map.filter(|_| self.host.disk(&thing.name).is_some()) {
            Some(map) => map.groups.iter().map(|group| self.group(group, drawn)).collect(),
            None => self.below(thing, drawn),
        }
    }

    fn group(&self, group: &PathGroup, drawn: &mut Drawn) -> Node<'a> {
        let priority = told(group.priority, |priority| format!("priority {priority}"));
        let words = [group.state.clone(), group.selector.clone(), priority];
        let mut node = Node::new(NodeKind::PathGroup, "path group").details(words);
        node.children = group.paths.iter().map(|path| self.path(path, drawn)).collect();
        node
    }

    fn path(&self, path: &MapPath, drawn: &mut Drawn) -> Node<'a> {
        let mut node = self.node(&Kind::Disk.named(&path.device), drawn);
        let working = ["active", "ready", "running", "live", ""];
        let states = [&path.dm_state, &path.checker_state, &path.device_state];
        // A ghost path is healthy: the passive controller of an active/passive array.
        node.broken |= states.iter().any(|state| !working.contains(&state.as_str()) && *state != "ghost");
        let failures = path.failures.filter(|failures| *failures > 0);
        node.details.retain(|word| !["disk", "path"].contains(&word.as_str()));
        let states: Vec<String> = states.into_iter().filter(|state| !state.is_empty()).cloned().collect();
        node.details.insert(0, states.join(" "));
        node.details.insert(0, path.address.clone());
        node.details.retain(|word| !word.is_empty());
        node.details([told(failures, |failures| format!("{failures} failures"))])
    }

    /// An adapter's port, a session, a controller or an export.
    pub(super) fn link(&self, thing: &Subject) -> Node<'a> {
        let mut node = Node::new(NodeKind::Link, &thing.name);
        match thing.kind {
            Kind::IscsiSession => {
                let Some(session) = self.session(thing) else { return node };
                node.broken = session.state != "LOGGED_IN";
                node.details(["iSCSI".into(), session.portal.clone(), session.target.clone()])
            }
            Kind::NvmeController => {
                let namespaces = self.host.disks.iter().filter_map(|disk| disk.nvme.as_ref());
                let mut all = namespaces.flat_map(|nvme| &nvme.controllers);
                let Some(controller) = all.find(|one| one.name == thing.name) else { return node };
                node.broken = !matches!(controller.state.as_str(), "live" | "");
                node.details(controller_words(controller))
            }
            Kind::Port => {
                let Some(port) = self.host.fc_hosts.iter().find(|port| port.name == thing.name) else {
                    return node;
                };
                node.broken = port.port_state != "Online";
                node.details(port_words(port))
            }
            _ => node.details(self.export(thing).into_iter().flat_map(export_words)),
        }
    }

    fn session(&self, thing: &Subject) -> Option<&'a IscsiSession> {
        self.host.iscsi_sessions.iter().find(|session| session.name == thing.name)
    }

    fn export(&self, thing: &Subject) -> Option<&'a Mount> {
        self.host.mounts.iter().rev().find(|mount| mount.nfs.is_some() && mount.target == thing.aspect)
    }

    /// Where a session or an export leads.
    pub(super) fn address(&self, thing: &Subject) -> Option<&'a str> {
        match thing.kind {
            Kind::IscsiSession => Some(&self.session(thing)?.portal),
            Kind::NfsServer => Some(&self.export(thing)?.nfs.as_ref()?.address),
            _ => None,
        }
    }
}

fn words(disk: &Disk) -> Vec<String> {
    let md = disk.md.as_ref();
    let stripes = disk.dm.as_ref().map_or(0, |dm| dm.targets.iter().filter(|t| t.kind == "striped").count());
    vec![
        md.map_or_else(|| disk.kind.clone(), |md| md.level.clone()),
        told(md.filter(|md| md.degraded > 0), |md| format!("{} of {} missing", md.degraded, md.raid_disks)),
        told(md.filter(|md| !matches!(md.sync_action.as_str(), "" | "idle")), |md| md.sync_action.clone()),
        if stripes > 0 { "striped".to_owned() } else { String::new() },
        format::capacity(disk.size_bytes as f64),
        [disk.vendor.trim(), disk.model.trim()].join(" ").trim().to_owned(),
        told(disk.scsi.as_ref().and_then(|scsi| scsi.queue_depth), |depth| format!("queue depth {depth}")),
        told(disk.loop_device.as_ref(), |device| device.backing_file.clone()),
    ]
}

fn controller_words(controller: &NvmeController) -> [String; 3] {
    let pcie = told(controller.pcie.as_ref(), |p| format!("{} GT/s ×{}", p.speed_gt_per_s, p.width));
    [controller.transport.clone(), controller.address.clone(), pcie]
}

fn port_words(port: &FcHost) -> [String; 3] {
    let speed = told(port.speed_gbit_per_s, |gbit| format!("{gbit} Gbit/s"));
    ["Fibre Channel".into(), speed, port.port_state.clone()]
}

fn export_words(mount: &Mount) -> Vec<String> {
    let Some(nfs) = &mount.nfs else { return Vec::new() };
    vec![
        format!("NFS {} over {}", nfs.version, nfs.protocol),
        told(nfs.wsize_bytes, |bytes| format!("wsize {}", format::size(bytes as f64))),
        if nfs.nconnect > 1 { format!("{} connections", nfs.nconnect) } else { String::new() },
        told(nfs.hard, |hard| if hard { "hard" } else { "soft" }.into()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::Run;
    use fullwire_model::assessment::Finding;
    use fullwire_model::host::Host;

    fn nodes(node: &Node) -> usize {
        1 + node.children.iter().map(nodes).sum::<usize>()
    }

    #[test]
    fn devices_below_each_other_are_drawn_once_each() {
        let names: Vec<String> = (0..16).map(|number| format!("sd{number}")).collect();
        let disks =
            names.iter().map(|name| Disk { name: name.clone(), slaves: names.clone(), ..Disk::default() });
        let run = Run { host: Host { disks: disks.collect(), ..Host::default() }, ..Run::default() };
        let tree = Drawing::of(&run, &[]).node(&Kind::Disk.named("sd0"), &mut Drawn::default());
        assert!(nodes(&tree) <= 1 + names.len() * names.len(), "{} nodes", nodes(&tree));
        assert!(nodes(&tree) > names.len(), "every device is present");
    }

    /// One finding about several devices is shown at each of them.
    #[test]
    fn a_finding_hangs_on_every_device_that_it_names() {
        let text = r#"{ "code": "device-suspended", "severity": "critical", "layer": "storage", "subject": "sdc", "subject_ref": { "kind": "disk", "name": "sdc" },
            "also": ["sde"], "message": "", "evidence": [], "advice": { "why": "", "steps": [], "expect": "" } }"#;
        let finding: Finding = serde_json::from_str(text).expect("a finding");
        let disks = ["sdc", "sde", "sdf"].map(|name| Disk { name: name.into(), ..Disk::default() });
        let run = Run { host: Host { disks: disks.into(), ..Host::default() }, ..Run::default() };
        let drawing = Drawing::of(&run, std::slice::from_ref(&finding));
        let hangs =
            |name: &str| !drawing.node(&Kind::Disk.named(name), &mut Drawn::default()).findings.is_empty();
        assert_eq!(["sdc", "sde", "sdf"].map(hangs), [true, true, false]);
    }
}
