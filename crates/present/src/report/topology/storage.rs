//! Mount, volume, array, multipath map, paths, adapter.

use super::{DEEPEST, Node, NodeKind, Seen, network, things, told};
use crate::format;
use fullwire_model::Run;
use fullwire_model::assessment::Finding;
use fullwire_model::host::{Disk, Host, Mount, NfsMount, Path, PathGroup};
use fullwire_model::subject::{Kind, Subject};
use std::collections::BTreeSet;

/// One tree for each measured target, then for each other mount that is on a device or a server.
pub(super) fn mounts<'a>(run: &'a Run, findings: &'a [Finding]) -> Vec<Node<'a>> {
    let host = &run.host;
    let mut drawn: Vec<&str> = Vec::new();
    let mut roots: Vec<Node<'a>> = Vec::new();
    for result in &run.disk {
        let mount = host.mounts.iter().rev().find(|mount| mount.target == result.mount_point);
        let device = result.device.rsplit([' ', '/']).next().unwrap_or_default();
        drawn.push(&result.mount_point);
        if !roots.iter().any(|root| root.name == result.target) {
            roots.push(target(host, findings, &result.target, mount, device));
        }
    }
    for database in &host.databases {
        for (location, kind) in &database.locations {
            let Some(mount) = host.mount_of(location) else { continue };
            drawn.push(&mount.target);
            let whose = format!("{} {} {kind}", database.kind, database.name);
            match roots.iter_mut().find(|root| root.name == *location) {
                Some(root) => root.details.push(whose),
                None => roots.push(target(host, findings, location, Some(mount), "").details([whose])),
            }
        }
    }
    // A bind mount shows a file system again.
    let mut numbers = BTreeSet::new();
    let once =
        host.mounts.iter().filter(|mount| mount.nfs.is_some() || numbers.insert(mount.number.as_str()));
    let others = once.filter(|mount| !drawn.contains(&mount.target.as_str()) && is_real(host, mount));
    roots.extend(others.map(|mount| target(host, findings, &mount.target, Some(mount), "")));
    roots
}

/// It is on a block device or an NFS server.
fn is_real(host: &Host, mount: &Mount) -> bool {
    mount.nfs.is_some() || (!mount.number.is_empty() && host.disk_by_number(&mount.number).is_some())
}

fn target<'a>(
    host: &'a Host,
    findings: &'a [Finding],
    name: &str,
    mount: Option<&'a Mount>,
    device: &str,
) -> Node<'a> {
    let mut node = Node::new(NodeKind::FileSystem, name).hang(findings, &place(name));
    let disk = host.disk(device).or_else(|| host.disk_by_number(&mount?.number));
    if let Some(mount) = mount {
        if mount.target != name {
            node = node.hang(findings, &place(&mount.target)).details([format!("on {}", mount.target)]);
        }
        let used = told(mount.space.as_ref(), |space| format!("{} used", format::percent(space.used())));
        node = node.details([mount.fs_type.clone(), used]);
        node.children.extend(mount.nfs.as_ref().map(|nfs| server(host, findings, mount, nfs)));
    }
    node.children.extend(disk.map(|disk| device_node(host, findings, disk, 0, &mut Seen::new())));
    node
}

fn server<'a>(host: &'a Host, findings: &'a [Finding], mount: &Mount, nfs: &NfsMount) -> Node<'a> {
    let words = [
        format!("NFS {} over {}", nfs.version, nfs.protocol),
        told(nfs.wsize_bytes, |bytes| format!("wsize {}", format::size(bytes as f64))),
        if nfs.nconnect > 1 { format!("{} connections", nfs.nconnect) } else { String::new() },
        told(nfs.hard, |hard| if hard { "hard" } else { "soft" }.into()),
    ];
    let mut node = Node::new(NodeKind::Link, &mount.source).details(words);
    node.children.extend(network::toward(host, findings, &nfs.address));
    let server = things([Kind::NfsServer], &nfs.server).chain(things([Kind::Mount], &mount.source));
    node.hang(findings, &server.collect::<Vec<_>>())
}

/// A block device and what is under it, which is drawn once: a record may say that devices are below each other.
fn device_node<'a>(
    host: &'a Host,
    findings: &'a [Finding],
    disk: &'a Disk,
    depth: usize,
    seen: &mut Seen<'a>,
) -> Node<'a> {
    let map = host.multipath.iter().find(|map| map.device == disk.name);
    let dm_name = disk.dm.as_ref().map_or("", |dm| dm.name.as_str());
    let map_name = map.map_or("", |map| map.name.as_str());
    let shown = if dm_name.is_empty() { map_name } else { dm_name };
    let name = if shown.is_empty() { disk.name.clone() } else { format!("{shown} ({})", disk.name) };
    let mut node = Node::new(NodeKind::Device, name)
        .details(words(disk))
        .hang(findings, &block_device([&disk.name, dm_name, map_name]));
    node.broken = disk.md.as_ref().is_some_and(|md| md.degraded > 0);
    if depth >= DEEPEST || !seen.insert(disk.name.as_str()) {
        return node;
    }
    if let Some(map) = map {
        node.children =
            map.groups.iter().map(|group| group_node(host, findings, group, depth, seen)).collect();
    } else {
        let below = disk.slaves.iter().map(String::as_str).chain(disk.parent());
        let below = below.filter_map(|name| host.disk(name));
        node.children = below.map(|disk| device_node(host, findings, disk, depth + 1, seen)).collect();
    }
    if node.children.is_empty() {
        node.children.extend(link(host, findings, disk));
    }
    node
}

/// A measured target, a mount point or a directory as a finding can be about it.
fn place(name: &str) -> Vec<Subject> {
    things([Kind::Target, Kind::Mount, Kind::Database], name).collect()
}

/// A block device as a finding can be about it, by each of its names.
fn block_device<const N: usize>(names: [&str; N]) -> Vec<Subject> {
    let kinds = [Kind::Disk, Kind::MultipathMap, Kind::Volume, Kind::Target, Kind::PcieDevice];
    names.into_iter().flat_map(|name| things(kinds, name)).collect()
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

fn group_node<'a>(
    host: &'a Host,
    findings: &'a [Finding],
    group: &'a PathGroup,
    depth: usize,
    seen: &mut Seen<'a>,
) -> Node<'a> {
    let priority = told(group.priority, |priority| format!("priority {priority}"));
    let mut node = Node::new(NodeKind::PathGroup, "path group").details([
        group.state.clone(),
        group.selector.clone(),
        priority,
    ]);
    node.children = group.paths.iter().map(|path| path_node(host, findings, path, depth + 2, seen)).collect();
    node
}

fn path_node<'a>(
    host: &'a Host,
    findings: &'a [Finding],
    path: &'a Path,
    depth: usize,
    seen: &mut Seen<'a>,
) -> Node<'a> {
    let mut node = match host.disk(&path.device) {
        Some(disk) => device_node(host, findings, disk, depth, seen),
        None => Node::new(NodeKind::Device, &path.device).hang(findings, &block_device([&path.device])),
    };
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

/// The adapter, session or controllers that lead to the medium.
fn link<'a>(host: &'a Host, findings: &'a [Finding], disk: &'a Disk) -> Vec<Node<'a>> {
    if let Some(session) = host.iscsi_sessions.iter().find(|session| session.disks.contains(&disk.name)) {
        let mut node = Node::new(NodeKind::Link, &session.name)
            .details(["iSCSI".into(), session.portal.clone(), session.target.clone()])
            .hang(
                findings,
                &[Kind::IscsiSession.named(&session.name), Kind::IscsiTarget.named(&session.target)],
            );
        node.broken = session.state != "LOGGED_IN";
        node.children.extend(network::toward(host, findings, &session.portal));
        return vec![node];
    }
    if let Some(nvme) = &disk.nvme {
        let controller = |controller: &fullwire_model::host::NvmeController| {
            let pcie = told(controller.pcie.as_ref(), |p| format!("{} GT/s ×{}", p.speed_gt_per_s, p.width));
            let mut node = Node::new(NodeKind::Link, &controller.name)
                .details([controller.transport.clone(), controller.address.clone(), pcie])
                .hang(
                    findings,
                    &[Kind::NvmeController, Kind::PcieDevice].map(|kind| kind.named(&controller.name)),
                );
            node.broken = !matches!(controller.state.as_str(), "live" | "");
            node
        };
        return nvme.controllers.iter().map(controller).collect();
    }
    let adapter = disk.scsi.as_ref().and_then(|scsi| scsi.address.split(':').next()).unwrap_or_default();
    let name = format!("host{adapter}");
    let Some(port) = host.fc_hosts.iter().find(|port| port.name == name) else { return Vec::new() };
    let speed = told(port.speed_gbit_per_s, |gbit| format!("{gbit} Gbit/s"));
    let mut node = Node::new(NodeKind::Link, &port.name)
        .details(["Fibre Channel".into(), speed, port.port_state.clone()])
        .hang(findings, &[Kind::Port, Kind::PcieDevice].map(|kind| kind.named(&port.name)));
    node.broken = port.port_state != "Online";
    vec![node]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(node: &Node) -> usize {
        1 + node.children.iter().map(nodes).sum::<usize>()
    }

    #[test]
    fn devices_below_each_other_are_drawn_once_each() {
        let names: Vec<String> = (0..16).map(|number| format!("sd{number}")).collect();
        let disks =
            names.iter().map(|name| Disk { name: name.clone(), slaves: names.clone(), ..Disk::default() });
        let host = Host { disks: disks.collect(), ..Host::default() };
        let tree = device_node(&host, &[], &host.disks[0], 0, &mut Seen::new());
        assert!(nodes(&tree) <= 1 + names.len() * names.len(), "{} nodes", nodes(&tree));
        assert!(nodes(&tree) > names.len(), "every device is present");
    }

    /// One finding about several devices is shown at each of them.
    #[test]
    fn a_finding_hangs_on_every_device_that_it_names() {
        let text = r#"{ "code": "device-suspended", "severity": "critical", "layer": "storage", "subject": "sdc", "subject_ref": { "kind": "disk", "name": "sdc" },
            "also": ["sde"], "message": "", "evidence": [], "advice": { "why": "", "steps": [], "expect": "" } }"#;
        let finding: Finding = serde_json::from_str(text).expect("a finding");
        let host = Host::default();
        let hangs = |name: &str| {
            let disk = Disk { name: name.into(), ..Disk::default() };
            !device_node(&host, std::slice::from_ref(&finding), &disk, 0, &mut Seen::new())
                .findings
                .is_empty()
        };
        assert_eq!(["sdc", "sde", "sdf"].map(hangs), [true, true, false]);
    }
}
