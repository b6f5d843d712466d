//! Interfaces: what links there are, then what sysfs and the driver tell of each.

use super::netlink::{self, Link};
use super::{ethtool, ethtool_text, ip_text};
use crate::Root;
use crate::system::InterruptLines;
use fullwire_model::Gap;
use fullwire_model::host::Nic;
use std::collections::BTreeMap;

/// More interfaces than this are containers' business.
const MAX_NICS: usize = 1024;

const IP_ADDRESS: &str = "/sos_commands/networking/ip_-d_address";

/// Drivers of virtual machines' interfaces: what they call speed is a word, not a wire. A virtual function has the speed
/// of the whole port, whatever share of it the host grants.
const PARAVIRTUAL: [&str; 18] = [
    "idpf", "iavf", "i40evf", "ixgbevf", "igbvf", "virtio_net", "vmxnet3", "hv_netvsc", "netvsc", "ena",
    "xen-netfront", "vif", "gve", "mana", "ibmveth", "uml-netdev", "uml-vector", "prl_eth",
];

/// Chips of the nineties that hypervisors act out; on bare metal they are real.
const EMULATED: [&str; 8] =
    ["e1000", "e1000e", "8139cp", "8139too", "pcnet32", "ne2k-pci", "tulip", "rtl8139"];

/// ARP hardware types (`linux/if_arp.h`).
const ARPHRD_LOOPBACK: &str = "772";
const ARPHRD_INFINIBAND: &str = "32";

/// The links of a host with addresses, however they were learnt.
struct Found {
    links: Vec<Link>,
    addresses: Vec<(u32, String)>,
    masters: BTreeMap<u32, String>,
    lowers: BTreeMap<u32, String>,
}

pub(super) fn read(root: &Root, virtualization: Option<&str>, gaps: &mut Vec<Gap>) -> Vec<Nic> {
    let Found { mut links, addresses, masters, lowers } = links(root, gaps);
    links.truncate(MAX_NICS);
    let interrupts = InterruptLines::read(root, &mut Vec::new());
    let virtual_machine = virtualization.is_some_and(|kind| !["none", "dom0"].contains(&kind));
    let mut nics = Vec::new();
    for link in links {
        let mut nic = Nic {
            name: link.name.clone(),
            index: link.index,
            mac: link.mac,
            operstate: link.operstate,
            up: Some(link.up),
            carrier: link.carrier,
            mtu_bytes: link.mtu_bytes,
            tx_queue_packets: link.tx_queue_packets,
            vlan_id: link.vlan_id,
            gso_max_bytes: link.gso_max_bytes,
            master: masters.get(&link.index).cloned(),
            lower: lowers.get(&link.index).cloned().into_iter().collect(),
            addresses: addresses
                .iter()
                .filter(|(index, _)| *index == link.index)
                .map(|(_, at)| at.clone())
                .collect(),
            ..Nic::default()
        };
        let hardware = sysfs(root, &mut nic);
        driver(root, &mut nic, link.kind.is_empty() && link.name != "lo", gaps);
        nic.kind = kind(root, &nic, &link.kind, hardware, virtual_machine);
        if nic.kind != "physical" {
            nic.pause = None; // defaults of a driver without a wire
        }
        affinity(root, &interrupts, &mut nic);
        nics.push(nic);
    }
    nics
}

/// From netlink, from a captured `ip`, or from the names in sysfs.
fn links(root: &Root, gaps: &mut Vec<Gap>) -> Found {
    match root.answer("netlink links", netlink::links) {
        Ok(links) => {
            let addresses = root.answer("netlink addresses", netlink::addresses).unwrap_or_else(|gap| {
                gaps.push(gap);
                Vec::new()
            });
            let names: BTreeMap<u32, String> =
                links.iter().map(|link| (link.index, link.name.clone())).collect();
            let of_other = |other: fn(&Link) -> Option<u32>| {
                links
                    .iter()
                    .filter_map(|link| Some((link.index, names.get(&other(link)?)?.clone())))
                    .collect()
            };
            let masters = of_other(|link| link.master);
            // A veth's peer is next to it, not below.
            let lowers = of_other(|link| link.lower.filter(|_| link.kind != "veth"));
            Found { links, addresses, masters, lowers }
        }
        Err(gap) => captured_links(root, gap, gaps),
    }
}

fn captured_links(root: &Root, gap: Gap, gaps: &mut Vec<Gap>) -> Found {
    if let Ok((text, _)) = root.try_read(IP_ADDRESS, 1 << 22) {
        let listing = ip_text::links(IP_ADDRESS, &text, gaps);
        return Found {
            links: listing.links,
            addresses: listing.addresses,
            masters: listing.masters.into_iter().collect(),
            lowers: listing.lowers.into_iter().collect(),
        };
    }
    let names = root.list("/sys/class/net");
    if names.is_empty() || root.is_live() {
        gaps.push(gap);
    }
    let link = |name: &String| {
        let attribute = |what: &str| root.attribute(&format!("/sys/class/net/{name}/{what}"));
        Some(Link {
            name: name.clone(),
            index: attribute("ifindex")?.parse().ok()?,
            up: attribute("flags")
                .and_then(|flags| u32::from_str_radix(flags.trim_start_matches("0x"), 16).ok())?
                & 1
                == 1,
            mac: attribute("address").unwrap_or_default(),
            operstate: attribute("operstate").unwrap_or_default(),
            carrier: attribute("carrier").map(|carrier| carrier == "1"),
            mtu_bytes: attribute("mtu").and_then(|mtu| mtu.parse().ok()),
            tx_queue_packets: attribute("tx_queue_len").and_then(|length| length.parse().ok()),
            ..Link::default()
        })
    };
    let links = names.iter().filter_map(link).collect();
    Found { links, addresses: Vec::new(), masters: BTreeMap::new(), lowers: BTreeMap::new() }
}

/// What sysfs reports; true for an interface with a device behind it. Inside a network name space sysfs may
/// still show another one's interfaces: an index that differs gives that away.
fn sysfs(root: &Root, nic: &mut Nic) -> bool {
    let directory = format!("/sys/class/net/{}", nic.name);
    let attribute = |name: &str| root.attribute(&format!("{directory}/{name}"));
    if attribute("ifindex").and_then(|index| index.parse().ok()) != Some(nic.index) {
        return false;
    }
    nic.speed_mbit_per_s = attribute("speed")
        .and_then(|speed| speed.parse::<i64>().ok())
        .filter(|&speed| speed > 0)
        .and_then(|speed| u64::try_from(speed).ok());
    nic.lanes = lanes(root, nic);
    nic.duplex = attribute("duplex").filter(|duplex| !duplex.is_empty());
    nic.master = nic.master.take().or_else(|| root.link_name(&format!("{directory}/master")));
    if nic.lower.is_empty() && nic.kind != "veth" {
        nic.lower = lower(root, &directory);
    }
    for queue in root.list(&format!("{directory}/queues")).iter().filter(|queue| queue.starts_with("rx-")) {
        if let Some(mask) = attribute(&format!("queues/{queue}/rps_cpus")) {
            nic.rps_cpus.push(mask);
        }
    }
    let Some(device) = root.link(&format!("{directory}/device")) else { return false };
    nic.driver = root.link_name(&format!("{directory}/device/driver")).unwrap_or_default();
    nic.numa_node = root.number(&format!("{directory}/device/numa_node")).filter(|&node: &i32| node >= 0);
    nic.pcie = crate::pci::link(root, &format!("{directory}/device"));
    let last = device.rsplit('/').next().unwrap_or_default();
    nic.pci_address = (last.split([':', '.']).count() == 4).then(|| last.to_owned());
    true
}

/// `100 Gb/sec (2X EDR)` of the InfiniBand port below (Linux drivers/infiniband/core/sysfs.c, `rate_show`): `2X EDR`. A tree may
/// have the adapters without the links to them: only one is then no guess.
fn lanes(root: &Root, nic: &Nic) -> String {
    let directory = format!("/sys/class/net/{}", nic.name);
    if root.attribute(&format!("{directory}/type")).as_deref() != Some(ARPHRD_INFINIBAND) {
        return String::new();
    }
    let port = root.number::<u32>(&format!("{directory}/dev_port")).unwrap_or(0).saturating_add(1);
    let all = "/sys/class/infiniband".to_owned();
    let mut rates = [format!("{directory}/device/infiniband"), all].into_iter().filter_map(|class| {
        let adapters = root.list(&class);
        let [adapter] = adapters.as_slice() else { return None };
        root.attribute(&format!("{class}/{adapter}/ports/{port}/rate"))
    });
    let told = rates.find_map(|rate| Some(rate.split_once('(')?.1.trim_end_matches(')').to_owned()));
    told.unwrap_or_default()
}

/// Interfaces below, as sysfs links them (`lower_eth0`).
fn lower(root: &Root, directory: &str) -> Vec<String> {
    let names = root.list(directory);
    names.iter().filter_map(|name| name.strip_prefix("lower_")).map(str::to_owned).collect()
}

/// The link by its address, which a captured tree may have of the driver alone.
fn listed_link(root: &Root, nic: &mut Nic) {
    if nic.pcie.is_none() {
        nic.pcie = nic.pci_address.as_deref().and_then(|address| crate::pci::listed(root, address));
    }
}

/// What the driver says, asked or captured. Of an interface without hardware there is little to miss.
fn driver(root: &Root, nic: &mut Nic, expected: bool, gaps: &mut Vec<Gap>) {
    match ethtool::ask(root, &nic.name) {
        Ok(facts) => facts.complete(nic),
        Err(gap) => match ethtool_text::captured(root, &nic.name, gaps) {
            Some(facts) => facts.complete(nic),
            None if expected => gaps.push(gap),
            None => {}
        },
    }
    listed_link(root, nic);
}

/// The record's word for what it is.
fn kind(root: &Root, nic: &Nic, link_kind: &str, hardware: bool, virtual_machine: bool) -> String {
    let directory = format!("/sys/class/net/{}", nic.name);
    let hardware_type = root.attribute(&format!("{directory}/type"));
    let is = |name: &str| hardware_type.as_deref() == Some(name);
    let uevent = root.attribute(&format!("{directory}/uevent")).unwrap_or_default();
    let device_type = uevent.lines().find_map(|line| line.strip_prefix("DEVTYPE=")).unwrap_or_default();
    let known = match () {
        () if is(ARPHRD_LOOPBACK) || nic.name == "lo" => "loopback",
        () if is(ARPHRD_INFINIBAND) || link_kind == "ipoib" => "infiniband",
        () if !link_kind.is_empty() => link_kind,
        () if !device_type.is_empty() && !hardware => device_type,
        () if root.exists(&format!("{directory}/bonding")) => "bond",
        () if root.exists(&format!("{directory}/bridge")) => "bridge",
        () => match nic.driver.as_str() {
            "bonding" => "bond",
            "802.1Q VLAN Support" => "vlan",
            driver @ ("veth" | "bridge" | "dummy" | "team" | "tun" | "macvlan" | "vxlan" | "openvswitch") => {
                driver
            }
            driver if PARAVIRTUAL.contains(&driver) => "virtual",
            driver if virtual_machine && EMULATED.contains(&driver) => "virtual",
            _ if root.exists(&format!("{directory}/device/physfn")) => "virtual",
            "" if !hardware => "virtual",
            _ => "physical",
        },
    };
    known.to_owned()
}

/// CPUs that its interrupts may reach: those in the effective list where the kernel has one.
fn affinity(root: &Root, interrupts: &InterruptLines, nic: &mut Nic) {
    let vectors = root.list(&format!("/sys/class/net/{}/device/msi_irqs", nic.name));
    let parent = nic
        .pci_address
        .is_some()
        .then(|| root.list(&format!("/sys/class/net/{}/device/../msi_irqs", nic.name)));
    let of_device: Vec<String> = vectors.into_iter().chain(parent.unwrap_or_default()).collect();
    for line in &interrupts.0 {
        let named = line.name == nic.name
            || line
                .name
                .strip_prefix(&nic.name)
                .is_some_and(|rest| rest.starts_with(['-', '_', '.', '@', ' ']));
        let busy = line.counts.iter().any(|&count| count > 0);
        if line.irq.parse::<u32>().is_err() || !(named || (busy && of_device.contains(&line.irq))) {
            continue;
        }
        let read = |file: &str| {
            root.attribute(&format!("/proc/irq/{}/{file}", line.irq)).filter(|list| !list.is_empty())
        };
        if let Some(list) = read("effective_affinity_list").or_else(|| read("smp_affinity_list")) {
            nic.irq_affinity.insert(line.name.clone(), list);
        }
    }
}
