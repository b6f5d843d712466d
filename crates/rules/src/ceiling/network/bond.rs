//! How many members of a bond a set of flows can use. Linux Documentation/networking/bonding.rst.

use fullwire_model::host::Bond;

/// Links that flows use in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Links {
    /// At most this many.
    pub count: u64,
    /// The mode settles it. Otherwise the far end or a program decides.
    pub certain: bool,
}

impl Links {
    const fn certain(count: u64) -> Self {
        Self { count, certain: true }
    }

    const fn upper_bound(count: u64) -> Self {
        Self { count, certain: false }
    }
}

/// Links that flows to one peer can reach: `balance-rr` alone stripes one flow over all; `active-backup` and
/// `broadcast` use one; a hash of layer 2 or 2+3 sends all flows to one peer over one link; a hash with ports
/// gives each flow one link. `balance-tlb` and `balance-alb` choose by the peer's address.
pub fn reachable_links(mode: &str, hash_policy: &str, links: u64, flows: u64) -> u64 {
    let hashes_ports = hash_policy.contains("3+4");
    match mode {
        "balance-rr" => links,
        "balance-xor" | "802.3ad" if hashes_ports => links.min(flows.max(1)),
        _ => links.min(1),
    }
}

/// Links that this end sends over: its own mode and hash policy decide.
pub fn sending(bond: &Bond, links: u64, flows: u64) -> Links {
    let policy = bond.xmit_hash_policy.as_str();
    let by_mode = |mode: &str| Links::certain(reachable_links(mode, policy, links, flows));
    match bond.mode.as_str() {
        "802.3ad" | "balance-xor" if policy.is_empty() => Links::upper_bound(links.min(flows.max(1))),
        mode @ ("balance-rr" | "balance-xor" | "802.3ad" | "active-backup" | "broadcast" | "balance-alb") => {
            by_mode(mode)
        }
        // Without dynamic balancing the hash policy spreads the flows.
        "balance-tlb" if bond.tlb_dynamic_lb == Some(false) => by_mode("balance-xor"),
        "balance-tlb" => by_mode("balance-tlb"),
        "roundrobin" => Links::certain(links),
        "activebackup" => Links::certain(links.min(1)),
        // A runner of a team hashes by what its configuration names.
        _ => Links::upper_bound(links),
    }
}

/// Links that this end receives over: the switch and the peer spread what arrives, so all that carry may.
pub fn receiving(bond: &Bond, links: u64, flows: u64) -> Links {
    match bond.mode.as_str() {
        _ if links <= 1 => Links::certain(links),
        // One member has the address that the peer knows.
        "active-backup" | "activebackup" | "balance-tlb" | "balance-alb" => Links::certain(1),
        // IEEE 802.1AX keeps a conversation on one link, so that its frames stay in order.
        "802.3ad" | "lacp" if flows <= 1 => Links::certain(1),
        "802.3ad" | "lacp" | "balance-xor" => Links::upper_bound(links.min(flows.max(1))),
        _ => Links::upper_bound(links),
    }
}

/// Links that n flows hit on average when the hash spreads them evenly: k (1 − (1 − 1/k)^n).
pub fn expected_links(links: u64, flows: u64) -> f64 {
    let links = links as f64;
    let miss = 1.0 - 1.0 / links;
    links * (1.0 - miss.powf(flows as f64))
}
