use crate::facts::interface::Siblings;

rule! {
    /// # What it checks
    /// Passes when the interfaces that lead to the same storage (an iSCSI target, an NVMe subsystem), or that carry the
    /// interconnect of a cluster, have one MTU.
    /// # Why it matters
    /// Multipath and the clusterware spread blocks over all of these paths: the one with small frames costs more CPU and
    /// carries less. A path whose switch and far end send large frames may lose them.
    /// # Evidence
    /// Portals of iSCSI sessions, addresses of NVMe controllers, private addresses of the clusterware; routes; MTU of each
    /// interface.
    /// # Remedy
    /// The same MTU on all paths, after the switch ports of that path; prove it with `fullwire mtu`.
    /// # Source
    /// NetApp ontap-apps-dbs, Ethernet settings (every device of a path needs the same MTU); Oracle Grid Infrastructure
    /// Installation Guide 19c for Linux, private interconnect (all interfaces of it alike).
    code: "mtu-paths-differ",
    title: "paths to the same storage have different MTUs",
    layer: Network, severity: Warning, on: [Nic],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let groups = facts::interface::siblings(run);
    groups.iter().filter(|group| group.names.len() > 1).map(|group| judge(&run.host, group)).collect()
}

fn judge(host: &Host, group: &Siblings) -> Outcome {
    let nics: Vec<&Nic> = group.names.iter().filter_map(|name| host.nic(name)).collect();
    let known: Vec<(&Nic, u64)> = nics.iter().filter_map(|nic| Some((*nic, nic.mtu_bytes?))).collect();
    let (Some(small), Some(large)) =
        (known.iter().min_by_key(|(_, mtu)| *mtu), known.iter().max_by_key(|(_, mtu)| *mtu))
    else {
        return facts::unread(&format!("the MTU of {}", facts::listed(&group.names)));
    };
    if small.1 == large.1 {
        return Outcome::Passes;
    }
    let name = &small.0.name;
    let message = format!(
        "{name} has MTU {}, {}, which {}, {}: the paths are not alike",
        small.1, large.0.name, group.what, large.1
    );
    let all: Vec<String> = known.iter().map(|(nic, mtu)| format!("{} mtu {mtu}", nic.name)).collect();
    RULE.finding(Kind::Nic.named(name), message)
        .measured(small.1 as f64, large.1 as f64, Unit::Bytes)
        .evidence(all.join(", "), "/sys/class/net/*/mtu")
        .because("")
        .now(format!(
            "First see that every switch port of this path, and the far end, have MTU {} or more, and prove it \
             with `fullwire mtu HOST`: a single small hop drops large packets",
            large.1
        ))
        .and(set_mtu(
            host,
            name,
            large.1,
            "Blocks go over all of these paths in turn: each should carry them in the same way.",
            "one MTU on all paths",
        ))
        .into()
}
