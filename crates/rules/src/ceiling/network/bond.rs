//! How many members of a bond a set of flows can use. Linux Documentation/networking/bonding.rst.

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

/// Links that n flows hit on average when the hash spreads them evenly: k (1 − (1 − 1/k)^n).
pub fn expected_links(links: u64, flows: u64) -> f64 {
    let links = links as f64;
    let miss = 1.0 - 1.0 / links;
    links * (1.0 - miss.powf(flows as f64))
}

/// The share of runs in which n evenly spread flows hit all k links (inclusion and exclusion).
pub fn all_links_probability(links: u32, flows: u32) -> f64 {
    let mut sum = 0.0;
    let mut choose = 1.0;
    for missed in 0..=links {
        let share = f64::from(links - missed) / f64::from(links);
        let sign = if missed % 2 == 0 { 1.0 } else { -1.0 };
        sum += sign * choose * share.powf(f64::from(flows));
        choose = choose * f64::from(links - missed) / f64::from(missed + 1);
    }
    sum
}

/// The link that the policy `layer3+4` gives an IPv4 flow: ports word, exclusive-or of the addresses, folded.
pub fn layer3_4_link(
    source: u32,
    destination: u32,
    source_port: u16,
    destination_port: u16,
    links: u32,
) -> u32 {
    // The kernel reads both ports as one big-endian word and folds in host order; only the low bits decide.
    let ports = (u32::from(source_port) << 16) | u32::from(destination_port);
    let mut hash = ports ^ source ^ destination;
    hash ^= hash >> 16;
    hash ^= hash >> 8;
    (hash >> 1) % links.max(1)
}
