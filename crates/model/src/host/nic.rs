use fullwire_record::record;
use std::collections::BTreeMap;

/// A network interface.
#[record]
pub struct Nic {
    /// Kernel name.
    pub name: String,
    /// Kernel index.
    pub index: u32,
    /// `physical`, `virtual` (virtio, vmxnet3, `hv_netvsc`, ena and their like: the speed may be fiction),
    /// `bond`, `team`, `vlan`, `bridge`, `veth`, `tun`, `loopback`, `macvlan`, `vxlan`, `infiniband`, `dummy`.
    pub kind: String,
    /// Hardware address.
    pub mac: String,
    /// `up`, `down`, `unknown`, `dormant`, `lowerlayerdown`.
    pub operstate: String,
    /// Administratively up.
    pub up: Option<bool>,
    /// Link is there; `None`: the interface is down or the kernel does not report it.
    pub carrier: Option<bool>,
    /// Speed as negotiated, Mbit/s; `None`: unknown (the kernel says -1).
    pub speed_mbit_per_s: Option<u64>,
    /// InfiniBand: its lanes and the rate of each, as the kernel names them (`4X HDR`).
    pub lanes: String,
    /// `full`, `half`, `unknown`.
    pub duplex: Option<String>,
    /// Largest packet, bytes.
    pub mtu_bytes: Option<u64>,
    /// MTU that a file sets at boot (NetworkManager, `ifcfg`).
    pub mtu_kept_bytes: Option<u64>,
    /// That file; without an MTU, a file of the interface that sets none and asks no DHCP server.
    pub mtu_kept_in: String,
    /// Length of the transmit queue, packets.
    pub tx_queue_packets: Option<u64>,
    /// Driver.
    pub driver: String,
    /// Driver's version.
    pub driver_version: String,
    /// Firmware's version.
    pub firmware: String,
    /// PCI address, where it has one.
    pub pci_address: Option<String>,
    /// The slot's link.
    pub pcie: Option<PcieLink>,
    /// NUMA node of the slot.
    pub numa_node: Option<i32>,
    /// Bond, bridge or team that it belongs to.
    pub master: Option<String>,
    /// Interface below (VLAN, macvlan).
    pub lower: Vec<String>,
    /// VLAN number.
    pub vlan_id: Option<u16>,
    /// Addresses with prefix length.
    pub addresses: Vec<String>,
    /// Offloads and other features by ethtool name (`tcp-segmentation-offload`): on or off.
    pub features: BTreeMap<String, bool>,
    /// Receive and transmit rings.
    pub rings: Option<Rings>,
    /// Queues.
    pub channels: Option<Channels>,
    /// Interrupt coalescing.
    pub coalesce: Option<Coalesce>,
    /// Flow control.
    pub pause: Option<Pause>,
    /// Link modes that it supports, that the partner advertises (`10000baseT/Full`).
    pub supported_modes: Vec<String>,
    /// What the partner advertises.
    pub partner_modes: Vec<String>,
    /// Autonegotiation is on.
    pub autonegotiation: Option<bool>,
    /// Largest GSO buffer, bytes.
    pub gso_max_bytes: Option<u64>,
    /// CPUs that its interrupts may reach, by interrupt name.
    pub irq_affinity: BTreeMap<String, String>,
    /// Receive-side scaling by the kernel: CPU masks of the receive queues.
    pub rps_cpus: Vec<String>,
    /// Queueing disciplines, root first.
    pub qdiscs: Vec<Qdisc>,
}

/// A PCI Express link.
#[record]
pub struct PcieLink {
    /// Transfers per second of a lane now, GT/s.
    pub speed_gt_per_s: f64,
    /// Lanes now.
    pub width: u32,
    /// What the device could do, GT/s.
    pub max_speed_gt_per_s: f64,
    /// Lanes that the device has.
    pub max_width: u32,
    /// Most payload of a packet that the device sends (Device Control of the configuration space), bytes; `None`: only
    /// root may read it.
    pub max_payload_bytes: Option<u32>,
}

/// Descriptor rings (`ethtool -g`).
#[record]
pub struct Rings {
    /// Receive descriptors.
    pub rx: u32,
    /// Most receive descriptors.
    pub rx_max: u32,
    /// Transmit descriptors.
    pub tx: u32,
    /// Most transmit descriptors.
    pub tx_max: u32,
}

/// Queues (`ethtool -l`).
#[record]
pub struct Channels {
    /// Combined queues.
    pub combined: u32,
    /// Most combined queues.
    pub combined_max: u32,
    /// Receive-only queues.
    pub rx: u32,
    /// Most receive-only queues.
    pub rx_max: u32,
}

/// Interrupt coalescing (`ethtool -c`).
#[record]
pub struct Coalesce {
    /// Adapts receive coalescing itself.
    pub adaptive_rx: bool,
    /// Waits this long before a receive interrupt, µs.
    pub rx_usecs: u32,
    /// Waits this long before a transmit interrupt, µs.
    pub tx_usecs: u32,
}

/// Flow control (`ethtool -a`).
#[record]
pub struct Pause {
    /// Negotiated.
    pub autoneg: bool,
    /// Obeys pause frames.
    pub rx: bool,
    /// Sends pause frames.
    pub tx: bool,
}

/// A queueing discipline.
#[record]
pub struct Qdisc {
    /// `fq_codel`, `tbf`, `netem`, `htb`, `mq`, ...
    pub kind: String,
    /// `root`, or the parent's handle.
    pub parent: String,
    /// Its own handle (`8001:`).
    pub handle: String,
    /// The rate that it shapes to (tbf, htb class, netem rate, fq maxrate), bytes per second.
    pub rate_bytes_per_s: Option<f64>,
    /// What a class of htb is given before others may borrow, bytes per second.
    pub guaranteed_bytes_per_s: Option<f64>,
    /// Burst at that rate, bytes.
    pub burst_bytes: Option<u64>,
    /// htb class: burst at the guaranteed rate, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guaranteed_burst_bytes: Option<u64>,
    /// Queue limit, bytes or packets as the discipline counts.
    pub limit: Option<u64>,
    /// netem: delay, ns.
    pub delay_ns: Option<u64>,
    /// netem: loss, share.
    pub loss: Option<f64>,
    /// netem: it duplicates, damages or reorders packets, or holds them in slots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tampers: Option<bool>,
}

/// A bond or team.
#[record]
pub struct Bond {
    /// Its interface.
    pub name: String,
    /// `balance-rr`, `active-backup`, `balance-xor`, `broadcast`, `802.3ad`, `balance-tlb`, `balance-alb`;
    /// for a team, its runner.
    pub mode: String,
    /// `layer2`, `layer3+4`, ...
    pub xmit_hash_policy: String,
    /// balance-tlb: moves flows by load (true) or spreads them by the hash policy (false).
    pub tlb_dynamic_lb: Option<bool>,
    /// Link monitoring interval, ms; 0: off.
    pub miimon_ms: Option<u64>,
    /// ARP monitoring interval, ms; 0: off.
    pub arp_interval_ms: Option<u64>,
    /// `slow` or `fast`.
    pub lacp_rate: Option<String>,
    /// The slave in use (active-backup).
    pub active_slave: Option<String>,
    /// Primary slave requested.
    pub primary: Option<String>,
    /// When the primary takes over again: `always`, `better`, `failure`.
    pub primary_reselect: Option<String>,
    /// `up` or `down`, the bond's own MII status.
    pub mii_status: String,
    /// 802.3ad: the active aggregator.
    pub aggregator_id: Option<u32>,
    /// 802.3ad: ports in it.
    pub ad_num_ports: Option<u32>,
    /// 802.3ad: the partner's hardware address; zeros: no partner.
    pub partner_mac: Option<String>,
    /// Members.
    #[serde(deserialize_with = "crate::json::bounded::list::<_, _, MEMBERS_LIMIT>")]
    pub slaves: Vec<BondSlave>,
}

/// Members of a bond: a switch's group has 8 to 64 ports, and what is judged of each looks at the others.
const MEMBERS_LIMIT: usize = 256;

impl Bond {
    /// Its mode, hash, links and active link, those that are known.
    pub fn state(&self) -> String {
        let up = self.slaves.iter().filter(|slave| slave.mii_status == "up").count();
        // A piece of `/proc/net/bonding` may end before its members.
        let links = match self.slaves.len() {
            0 => String::new(),
            members => format!("{up} of {members} links up"),
        };
        let active = self.active_slave.as_ref().map(|active| format!("{active} active"));
        let words = [self.mode.clone(), self.xmit_hash_policy.clone(), links, active.unwrap_or_default()];
        words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

/// A bond's member.
#[record]
pub struct BondSlave {
    /// Its interface.
    pub name: String,
    /// `up`, `down`, `going down`, ...
    pub mii_status: String,
    /// Mbit/s as the bond saw it; `None`: unknown.
    pub speed_mbit_per_s: Option<u64>,
    /// `full`, `half`.
    pub duplex: Option<String>,
    /// Times that its link failed since the bond was made.
    pub link_failures: Option<u64>,
    /// 802.3ad aggregator.
    pub aggregator_id: Option<u32>,
    /// `none`, `monitoring`, `churned`.
    pub actor_churn: Option<String>,
    /// The partner's.
    pub partner_churn: Option<String>,
    /// 802.3ad: the partner's hardware address as this port sees it.
    pub partner_mac: Option<String>,
    /// Permanent hardware address.
    pub permanent_mac: String,
}

/// A route.
#[record]
pub struct Route {
    /// Destination prefix (`10.0.2.0/24`, `default`), or the peer's address for a route that was looked up.
    pub destination: String,
    /// Next hop; `None`: on link.
    pub gateway: Option<String>,
    /// Interface.
    pub interface: String,
    /// Source address that it prefers.
    pub source: Option<String>,
    /// Priority.
    pub metric: Option<u32>,
    /// MTU in the route or learnt for the destination, bytes.
    pub mtu_bytes: Option<u64>,
    /// Initial congestion window, segments.
    pub initcwnd: Option<u32>,
    /// Window clamp, bytes.
    pub window_bytes: Option<u64>,
    /// Congestion window that it is locked to (`cwnd lock`), segments.
    pub cwnd_locked: Option<u32>,
    /// Largest segment that it offers to the peer (`advmss`), bytes.
    pub advmss_bytes: Option<u64>,
    /// The kernel's answer for one destination (`ip route get`), not a line of the table.
    pub looked_up: bool,
}

impl Route {
    /// The address that a packet is handed to: the gateway's, or that of the destination itself.
    pub fn next_hop(&self) -> &str {
        self.gateway.as_deref().unwrap_or_else(|| self.destination.split('/').next().unwrap_or_default())
    }
}
