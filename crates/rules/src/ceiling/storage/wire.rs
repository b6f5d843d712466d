//! Links between the host and the medium: `PCIe`, SAS, SATA, Fibre Channel, Ethernet.

use super::Made;
use super::link::{
    PROTOCOL_SHARE, fibre_channel_bytes_per_s, network_storage_bytes_per_s, pcie_bytes_per_s,
    serial_lane_bytes_per_s,
};
use crate::ceiling::network::bond;
use crate::ceiling::network::frame::Stack;
use crate::facts::{self, Target};
use crate::network::ends;
use fullwire_model::Run;
use fullwire_model::assessment::{Ceiling, Layer};
use fullwire_model::disk::{DiskStepResult, Operation};
use fullwire_model::host::{Disk, FcHost, Host, IscsiSession, Nic, NvmeController, PcieLink};
use fullwire_model::quantity::Unit;

/// The links below a target, for the step that shows them.
pub(super) fn ceilings(run: &Run, target: &Target<'_>, step: &DiskStepResult) -> Vec<Ceiling> {
    let host = &run.host;
    // Paths in reserve carry nothing: the active group's links are the ceiling.
    let leaves: Vec<&Disk> = target.leaves().filter(|disk| !facts::is_idle_path(host, &disk.name)).collect();
    let mut made: Vec<Made> = Vec::new();
    made.extend(nfs(run, target));
    made.extend(nvme(run, &leaves, step));
    made.extend(iscsi(run, &leaves));
    made.extend(fibre_channel(host, &leaves));
    made.extend(adapter_slot(host, &leaves));
    made.extend(serial(host, &leaves, step));
    made.into_iter().map(|made| made.of(target, step)).collect()
}

/// A guest's view of its slots and ports may be fiction, and what a medium writes is less than its link
/// carries: only reads on real hardware are held against it.
fn is_soft(host: &Host, step: &DiskStepResult) -> bool {
    facts::is_virtual(host) || step.operation != Operation::Read
}

fn nvme(run: &Run, leaves: &[&Disk], step: &DiskStepResult) -> Vec<Made> {
    let controllers: Vec<&NvmeController> =
        leaves.iter().filter_map(|disk| disk.nvme.as_ref()).flat_map(|nvme| &nvme.controllers).collect();
    let slots: Vec<(&str, &PcieLink)> = controllers
        .iter()
        .filter_map(|controller| Some((controller.name.as_str(), controller.pcie.as_ref()?)))
        .filter(|(_, link)| link.width > 0)
        .collect();
    let mut made = Vec::new();
    if !slots.is_empty() && slots.len() == controllers.len() {
        made.push(slots_made(&slots).soft(is_soft(&run.host, step)));
    }
    let addresses = controllers.iter().filter(|c| c.transport == "tcp" || c.transport == "rdma");
    let portals: Vec<String> = addresses.filter_map(|controller| traddr(&controller.address)).collect();
    made.extend(over_network(run, "nvme-of-goodput", &portals, portals.len() as u64));
    made
}

/// `traddr=10.0.0.2,trsvcid=4420`: the address.
fn traddr(text: &str) -> Option<String> {
    text.split(',').find_map(|part| part.trim().strip_prefix("traddr=")).map(str::to_owned)
}

fn slots_made(slots: &[(&str, &PcieLink)]) -> Made {
    let total = slots.iter().map(|(_, link)| pcie_bytes_per_s(link.speed_gt_per_s, link.width)).sum();
    let names: Vec<&str> = slots.iter().map(|(name, _)| *name).collect();
    let mut made = Made::new("pcie-link", facts::listed(&names), total, Unit::BytesPerS)
        .formula("sum of transfers × lanes × line code ÷ 8 (8b/10b up to 5 GT/s, 128b/130b above)");
    for (name, link) in slots {
        let class = if name.starts_with("host") { "fc_host" } else { "nvme" };
        let file = format!("/sys/class/{class}/{name}/device");
        made = made.input("speed_gt_per_s", link.speed_gt_per_s, format!("{file}/current_link_speed")).input(
            "lanes",
            f64::from(link.width),
            format!("{file}/current_link_width"),
        );
    }
    made
}

fn iscsi(run: &Run, leaves: &[&Disk]) -> Option<Made> {
    let below = |session: &&IscsiSession| leaves.iter().any(|disk| session.disks.contains(&disk.name));
    let sessions: Vec<&IscsiSession> = run.host.iscsi_sessions.iter().filter(below).collect();
    let portals: Vec<String> =
        sessions.iter().map(|session| ends::host_of(&session.portal).to_owned()).collect();
    over_network(run, "iscsi-goodput", &portals, portals.len() as u64)
}

fn nfs(run: &Run, target: &Target<'_>) -> Option<Made> {
    let nfs = target.mount?.nfs.as_ref()?;
    over_network(run, "nfs-goodput", std::slice::from_ref(&nfs.address), nfs.nconnect.max(1))
}

/// The interfaces that lead to the far ends; a bond counts by the links that so many flows can reach.
fn over_network(run: &Run, kind: &str, addresses: &[String], flows: u64) -> Option<Made> {
    let mut nics: Vec<&Nic> = addresses.iter().filter_map(|address| ends::nic_to(run, address)).collect();
    nics.sort_by_key(|nic| &nic.name);
    nics.dedup_by_key(|nic| &nic.name);
    let links: Vec<Link<'_>> = nics.iter().filter_map(|nic| link_of(&run.host, nic, flows)).collect();
    if links.is_empty() || links.len() < nics.len() {
        return None;
    }
    let names: Vec<&str> = links.iter().map(|link| link.name).collect();
    let total = links
        .iter()
        .map(|link| network_storage_bytes_per_s(&Stack::tcp(link.mtu_bytes), link.bit_per_s, link.links))
        .sum();
    let mut made = Made::new(kind, facts::listed(&names), total, Unit::BytesPerS)
        .formula("sum of links × speed ÷ 8 × (mtu − 52) ÷ (mtu + 38) × share of protocol headers")
        .layer(Layer::Network)
        .soft(links.iter().any(|link| !link.believable));
    for link in &links {
        let file = format!("/sys/class/net/{}", link.name);
        made = made
            .input("speed_bit_per_s", link.bit_per_s, format!("{file}/speed"))
            .input("mtu_bytes", link.mtu_bytes as f64, format!("{file}/mtu"))
            .input("links", link.links as f64, format!("{flows} flows, bonding mode"));
    }
    Some(made.input("protocol_share", PROTOCOL_SHARE, "RPC, iSCSI, NVMe headers, about 1 %"))
}

/// An interface with what bounds it.
struct Link<'a> {
    name: &'a str,
    bit_per_s: f64,
    mtu_bytes: u64,
    links: u64,
    believable: bool,
}

fn link_of<'a>(host: &'a Host, nic: &'a Nic, flows: u64) -> Option<Link<'a>> {
    let names = ends::stack(host, &nic.name);
    let mtu_bytes = nic.mtu_bytes.unwrap_or(1500);
    if let Some(bonded) = names.iter().find_map(|name| host.bond(name)) {
        let slaves = &bonded.slaves;
        let speed =
            slaves.iter().filter_map(|slave| slave.speed_mbit_per_s).filter(|speed| *speed > 0).min()?;
        let carrying = ends::carrying(bonded).max(1);
        let links = bond::reachable_links(&bonded.mode, &bonded.xmit_hash_policy, carrying, flows);
        let believable = slaves.iter().all(|slave| host.nic(&slave.name).is_some_and(ends::believable));
        return Some(Link {
            name: &bonded.name,
            bit_per_s: speed as f64 * 1e6,
            mtu_bytes,
            links,
            believable,
        });
    }
    let lowest =
        names.iter().rev().find_map(|name| host.nic(name).filter(|nic| nic.speed_mbit_per_s.is_some()))?;
    let speed = lowest.speed_mbit_per_s.filter(|speed| *speed > 0)?;
    let believable = ends::believable(lowest);
    Some(Link { name: &lowest.name, bit_per_s: speed as f64 * 1e6, mtu_bytes, links: 1, believable })
}

/// The ports that lead to the disks, by the host number of their SCSI addresses.
fn fibre_channel(host: &Host, leaves: &[&Disk]) -> Option<Made> {
    let ports: Vec<&FcHost> =
        host.fc_hosts.iter().filter(|port| leaves.iter().any(|disk| leads_to(port, disk))).collect();
    let rates: Vec<(&FcHost, f64)> =
        ports.iter().filter_map(|port| Some((*port, port.speed_gbit_per_s?))).collect();
    if rates.is_empty() {
        return None;
    }
    let names: Vec<&str> = rates.iter().map(|(port, _)| port.name.as_str()).collect();
    let total = rates.iter().map(|(_, speed)| fibre_channel_bytes_per_s(*speed)).sum();
    let mut made = Made::new("fc-link", facts::listed(&names), total, Unit::BytesPerS)
        .formula("sum over ports of nominal Gbit/s × 100 MB/s")
        .soft(facts::is_virtual(host));
    for (port, speed) in &rates {
        made = made.input("speed_gbit_per_s", *speed, format!("/sys/class/fc_host/{}/speed", port.name));
    }
    Some(made)
}

/// The slot of the one adapter port that leads to the disks: a slow or narrow one carries less than the port. Ports of
/// several adapters may share a slot or not, which sysfs does not tell here.
fn adapter_slot(host: &Host, leaves: &[&Disk]) -> Option<Made> {
    let mut ports = host.fc_hosts.iter().filter(|port| leaves.iter().any(|disk| leads_to(port, disk)));
    let (Some(port), None) = (ports.next(), ports.next()) else { return None };
    let slot = port.pcie.as_ref().filter(|link| link.width > 0)?;
    Some(slots_made(&[(&port.name, slot)]).soft(true))
}

fn leads_to(port: &FcHost, disk: &Disk) -> bool {
    let number = disk.scsi.as_ref().and_then(|scsi| scsi.address.split(':').next());
    number.is_some_and(|number| port.name.strip_prefix("host") == Some(number))
}

/// SAS and SATA lanes. A disk that rotates never fills its lane; phys are not matched to disks one by one, so
/// the slowest lane of the host counts, softly.
fn serial(host: &Host, leaves: &[&Disk], step: &DiskStepResult) -> Option<Made> {
    let disks: Vec<&&Disk> =
        leaves.iter().filter(|disk| matches!(disk.transport.as_str(), "sas" | "sata")).collect();
    if disks.is_empty() {
        return None;
    }
    let (rate, source) =
        match host.sas_phys.iter().filter_map(|phy| phy.negotiated_gbit_per_s).reduce(f64::min) {
            Some(rate) => (rate, "/sys/class/sas_phy/*/negotiated_linkrate".to_owned()),
            None if disks.iter().all(|disk| disk.transport == "sata") => {
                (6.0, "SATA 3; the negotiated rate was not read".to_owned())
            }
            None => return None,
        };
    let rotates =
        disks.iter().any(|disk| disk.queue.as_ref().is_none_or(|queue| queue.rotational != Some(false)));
    let names: Vec<&str> = disks.iter().map(|disk| disk.name.as_str()).collect();
    let total = serial_lane_bytes_per_s(rate) * disks.len() as f64;
    Some(
        Made::new("serial-lane", facts::listed(&names), total, Unit::BytesPerS)
            .formula("disks × Gbit/s ÷ 8 × 8/10")
            .input("disks", disks.len() as f64, "devices below the target")
            .input("lane_gbit_per_s", rate, source)
            .soft(rotates || is_soft(host, step) || host.sas_phys.is_empty()),
    )
}
