//! Links between the host and the medium: `PCIe`, SAS, SATA, Fibre Channel, Ethernet.

use super::link::{
    PROTOCOL_SHARE, fibre_channel_bytes_per_s, network_storage_bytes_per_s, serial_lane_bytes_per_s,
};
use crate::ceiling::made::Made;
use crate::ceiling::network::bond;
use crate::ceiling::network::frame::{
    PCIE_PACKET_OVERHEAD_BYTES, PCIE_USUAL_PAYLOAD_BYTES, Stack, path_mtu_bytes, pci_card,
    pcie_payload_bytes_per_s,
};
use crate::facts::{self, Target};
use crate::facts::{interface, route};
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
    made.extend(nfs(run, target, step));
    made.extend(nvme(run, &leaves, step));
    made.extend(iscsi(run, &leaves, step));
    made.extend(fibre_channel(host, &leaves, step));
    made.extend(adapter_slots(host, &leaves));
    made.extend(serial(host, &leaves, step));
    made.into_iter().map(|made| made.of(target, step)).collect()
}

/// A guest's view of its slots and ports may be fiction, and what a medium writes is less than its link
/// carries: only reads on real hardware are compared with it.
fn is_soft(host: &Host, step: &DiskStepResult) -> bool {
    facts::is_virtual(host) || step.operation != Operation::Read
}

fn nvme(run: &Run, leaves: &[&Disk], step: &DiskStepResult) -> Vec<Made> {
    let controllers: Vec<&NvmeController> =
        leaves.iter().filter_map(|disk| disk.nvme.as_ref()).flat_map(|nvme| &nvme.controllers).collect();
    let slots: Vec<Slot<'_>> = controllers
        .iter()
        .filter_map(|controller| {
            let link = controller.pcie.as_ref()?;
            let file = format!("/sys/class/nvme/{}/device", controller.name);
            Some(Slot { card: &controller.name, name: controller.name.clone(), link, file })
        })
        .filter(|slot| slot.link.width > 0)
        .collect();
    let mut made = Vec::new();
    if !slots.is_empty() && slots.len() == controllers.len() {
        made.push(slots_made(&slots).soft(facts::is_guest(&run.host)));
    }
    let addresses = controllers.iter().filter(|c| c.transport == "tcp" || c.transport == "rdma");
    let portals: Vec<String> =
        addresses.filter_map(|controller| field(&controller.address, "traddr=")).collect();
    made.extend(over_network(run, "nvme-of-goodput", &portals, portals.len() as u64, step));
    made.extend(nvme_over_fibre(&run.host, &controllers, step));
    made
}

/// The host ports of controllers that are reached over Fibre Channel: `host_traddr=nn-0x…:pn-0x…` names them.
fn nvme_over_fibre(host: &Host, controllers: &[&NvmeController], step: &DiskStepResult) -> Option<Made> {
    let over_fibre = controllers.iter().filter(|controller| controller.transport == "fc");
    let names: Vec<String> =
        over_fibre.filter_map(|controller| port_name(&field(&controller.address, "host_traddr=")?)).collect();
    let carries = |port: &&FcHost| names.iter().any(|name| port.port_name.trim_start_matches("0x") == name);
    fibre_ports(host, &host.fc_hosts.iter().filter(carries).collect::<Vec<_>>(), step)
}

/// `nn-0x200000…:pn-0x100000…`: the name of the port.
fn port_name(text: &str) -> Option<String> {
    let (_, port) = text.split_once("pn-0x")?;
    Some(port.to_owned())
}

/// `traddr=10.0.0.2,trsvcid=4420`: one of its fields.
fn field(text: &str, name: &str) -> Option<String> {
    text.split(',').find_map(|part| part.trim().strip_prefix(name)).map(str::to_owned)
}

/// A slot with what sits in it.
struct Slot<'a> {
    /// What ports of one card share.
    card: &'a str,
    name: String,
    link: &'a PcieLink,
    /// Its directory in sysfs.
    file: String,
}

/// Slots bound what passes and say nothing of the media behind them.
fn slots_made(slots: &[Slot<'_>]) -> Made {
    let payload = |link: &PcieLink| link.max_payload_bytes.unwrap_or(PCIE_USUAL_PAYLOAD_BYTES);
    let of_slot = |link: &PcieLink| pcie_payload_bytes_per_s(link.speed_gt_per_s, link.width, payload(link));
    let mut cards: Vec<&Slot<'_>> = Vec::new();
    for slot in slots {
        if !cards.iter().any(|other| other.card == slot.card) {
            cards.push(slot);
        }
    }
    let total = cards.iter().map(|slot| of_slot(slot.link)).sum();
    let names: Vec<&str> = slots.iter().map(|slot| slot.name.as_str()).collect();
    let mut made = Made::storage("pcie-link", facts::listed(&names), total, Unit::BytesPerS)
        .formula("sum of lanes × transfers per second × line code ÷ 8 × packet payload ÷ (packet payload + overhead)")
        .bound_only();
    for slot in cards {
        let (link, file) = (slot.link, &slot.file);
        let read = match link.max_payload_bytes {
            Some(_) => format!("{file}/config, Device Control"),
            None => "usual; only root may read the configuration space".into(),
        };
        made = made
            .input("speed_gt_per_s", link.speed_gt_per_s, format!("{file}/current_link_speed"))
            .input("lanes", f64::from(link.width), format!("{file}/current_link_width"))
            .input("packet_payload_bytes", f64::from(payload(link)), read);
    }
    made.input("packet_overhead_bytes", f64::from(PCIE_PACKET_OVERHEAD_BYTES), "framing, header, checksum")
}

fn iscsi(run: &Run, leaves: &[&Disk], step: &DiskStepResult) -> Option<Made> {
    let below = |session: &&IscsiSession| leaves.iter().any(|disk| session.disks.contains(&disk.name));
    let sessions: Vec<&IscsiSession> = run.host.iscsi_sessions.iter().filter(below).collect();
    let portals: Vec<String> =
        sessions.iter().map(|session| route::host_of(&session.portal).to_owned()).collect();
    over_network(run, "iscsi-goodput", &portals, portals.len() as u64, step)
}

fn nfs(run: &Run, target: &Target<'_>, step: &DiskStepResult) -> Option<Made> {
    let nfs = target.mount?.nfs.as_ref()?;
    over_network(run, "nfs-goodput", std::slice::from_ref(&nfs.address), nfs.nconnect.max(1), step)
}

/// The interfaces that lead to the far ends; a bond counts by the links that this many flows can use: what is written by
/// its own policy, what is read by the switch's.
fn over_network(
    run: &Run,
    kind: &str,
    addresses: &[String],
    flows: u64,
    step: &DiskStepResult,
) -> Option<Made> {
    let mut nics: Vec<(&Nic, &str)> = addresses
        .iter()
        .filter_map(|address| Some((route::nic_to(run, address)?, address.as_str())))
        .collect();
    nics.sort_by_key(|(nic, _)| &nic.name);
    nics.dedup_by_key(|(nic, _)| &nic.name);
    let links: Vec<Link<'_>> =
        nics.iter().filter_map(|(nic, address)| link_of(run, nic, address, flows, step)).collect();
    if links.is_empty() || links.len() < nics.len() {
        return None;
    }
    let names: Vec<&str> = links.iter().map(|link| link.name).collect();
    let total =
        links.iter().map(|link| network_storage_bytes_per_s(&link.stack, link.bit_per_s, link.links)).sum();
    let mut made = Made::storage(kind, facts::listed(&names), total, Unit::BytesPerS)
        .formula("sum of links × speed ÷ 8 × payload ÷ wire bytes of a frame × share of protocol headers")
        .layer(Layer::Network)
        .soft(links.iter().any(|link| !link.believable));
    for link in &links {
        let file = format!("/sys/class/net/{}", link.name);
        let (stack, headers) = (&link.stack, link.stack.header_bytes());
        made = made
            .input("speed_bit_per_s", link.bit_per_s, format!("{file}/speed"))
            .input("mtu_bytes", stack.mtu_bytes as f64, format!("{file}/mtu, route, path-MTU probe"))
            .input(
                "payload_bytes",
                stack.payload_bytes() as f64,
                format!("MTU less {headers} bytes of headers"),
            )
            .input("wire_bytes", stack.wire_bytes() as f64, "MTU + 38 of Ethernet, tags")
            .input("links", link.links as f64, format!("{flows} flows, bonding mode"));
    }
    Some(made.input("protocol_share", PROTOCOL_SHARE, "RPC, iSCSI, NVMe headers, about 1 %"))
}

/// An interface with what bounds it.
struct Link<'a> {
    name: &'a str,
    bit_per_s: f64,
    stack: Stack,
    links: u64,
    believable: bool,
}

fn link_of<'a>(
    run: &'a Run,
    nic: &'a Nic,
    address: &str,
    flows: u64,
    step: &DiskStepResult,
) -> Option<Link<'a>> {
    let host = &run.host;
    let names = interface::stack(host, &nic.name);
    let stack = stack_to(run, nic, address);
    if let Some(bonded) = names.iter().find_map(|name| host.bond(name)) {
        let slaves = &bonded.slaves;
        let speed =
            slaves.iter().filter_map(|slave| slave.speed_mbit_per_s).filter(|speed| *speed > 0).min()?;
        let carrying = interface::carrying(bonded).max(1);
        let links = match step.operation {
            Operation::Write => bond::sending(bonded, carrying, flows),
            Operation::Read | Operation::Mixed | Operation::Copy => bond::receiving(bonded, carrying, flows),
        };
        let physical = |name: &str| host.nic(name).is_some_and(|nic| interface::believable(host, nic));
        return Some(Link {
            name: &bonded.name,
            bit_per_s: speed as f64 * 1e6,
            stack,
            links: links.count,
            believable: links.certain && slaves.iter().all(|slave| physical(&slave.name)),
        });
    }
    let lowest =
        names.iter().rev().find_map(|name| host.nic(name).filter(|nic| nic.speed_mbit_per_s.is_some()))?;
    let speed = lowest.speed_mbit_per_s.filter(|speed| *speed > 0)?;
    let believable = interface::believable(host, lowest);
    Some(Link { name: &lowest.name, bit_per_s: speed as f64 * 1e6, stack, links: 1, believable })
}

/// How packets to a storage address are wrapped: family of the address, smallest MTU that is known of the way, tags.
fn stack_to(run: &Run, nic: &Nic, address: &str) -> Stack {
    let host = &run.host;
    let of_route = route::route_to(host, address).and_then(|route| route.mtu_bytes);
    let probed = run
        .mtu
        .iter()
        .filter(|probe| {
            route::host_of(probe.target.as_str()) == address || route::host_of(&probe.remote) == address
        })
        .filter_map(|probe| probe.path_mtu_bytes);
    let known: Vec<u64> = probed.chain(nic.mtu_bytes).chain(of_route).filter(|mtu| *mtu >= 576).collect();
    let names = interface::stack(host, &nic.name);
    let tags = names.iter().filter(|name| host.nic(name).is_some_and(|nic| nic.vlan_id.is_some()));
    Stack {
        mtu_bytes: path_mtu_bytes(&known).unwrap_or(1500),
        ipv6: route::ip(address).is_some_and(|address| address.is_ipv6()),
        timestamps: host.sysctl_number("net.ipv4.tcp_timestamps") != Some(0),
        vlan_tags: tags.count() as u64,
        ..Stack::default()
    }
}

/// The ports that lead to the disks, by the host number of their SCSI addresses.
fn fibre_channel(host: &Host, leaves: &[&Disk], step: &DiskStepResult) -> Option<Made> {
    let leading =
        host.fc_hosts.iter().filter(|port| leaves.iter().any(|disk| facts::is_behind(disk, &port.name)));
    fibre_ports(host, &leading.collect::<Vec<_>>(), step)
}

fn fibre_ports(host: &Host, ports: &[&FcHost], step: &DiskStepResult) -> Option<Made> {
    let rates: Vec<(&FcHost, f64)> =
        ports.iter().filter_map(|port| Some((*port, port.speed_gbit_per_s?))).collect();
    if rates.is_empty() {
        return None;
    }
    let names: Vec<&str> = rates.iter().map(|(port, _)| port.name.as_str()).collect();
    let total = rates.iter().map(|(_, speed)| fibre_channel_bytes_per_s(*speed)).sum();
    let mut made = Made::storage("fc-link", facts::listed(&names), total, Unit::BytesPerS)
        .formula("sum over ports of nominal Gbit/s × 100 MB/s")
        .soft(is_soft(host, step));
    for (port, speed) in &rates {
        made = made.input("speed_gbit_per_s", *speed, format!("/sys/class/fc_host/{}/speed", port.name));
    }
    Some(made)
}

/// The slots of the adapters that lead to the disks (Fibre Channel, SAS, RAID): a slow or narrow one carries less than
/// its ports or disks. Ports of one card share its slot.
fn adapter_slots(host: &Host, leaves: &[&Disk]) -> Option<Made> {
    let mut slots: Vec<Slot<'_>> = Vec::new();
    for disk in leaves.iter().filter(|disk| disk.nvme.is_none()) {
        let slot = adapter_slot(host, disk)?;
        if !slots.iter().any(|known| known.name == slot.name) {
            slots.push(slot);
        }
    }
    let known = !slots.is_empty() && slots.iter().all(|slot| slot.link.width > 0);
    known.then(|| slots_made(&slots).soft(facts::is_guest(host)))
}

/// The slot of one disk's adapter; `None`: it has none, or it is not known.
fn adapter_slot<'a>(host: &'a Host, disk: &'a Disk) -> Option<Slot<'a>> {
    let port = host.fc_hosts.iter().find(|port| facts::is_behind(disk, &port.name));
    let controller = disk.controller.as_ref();
    let of_port = port.and_then(|port| port.pcie.as_ref());
    let link = of_port.or_else(|| controller?.pcie.as_ref())?;
    let name = match port {
        Some(port) => port.name.clone(),
        None => format!("host{}", disk.scsi_host_number()?),
    };
    let file = match (port, controller) {
        (Some(port), _) => format!("/sys/class/fc_host/{}/device/..", port.name),
        (None, controller) => format!("/sys/bus/pci/devices/{}", controller?.address),
    };
    let card = controller.map(|one| pci_card(&one.address)).filter(|card| !card.is_empty());
    let card = card.or_else(|| Some(port?.name.as_str()))?;
    Some(Slot { card, name, link, file })
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
        Made::storage("serial-lane", facts::listed(&names), total, Unit::BytesPerS)
            .formula("disks × Gbit/s ÷ 8 × 8/10")
            .input("disks", disks.len() as f64, "devices below the target")
            .input("lane_gbit_per_s", rate, source)
            .soft(rotates || is_soft(host, step) || host.sas_phys.is_empty()),
    )
}
