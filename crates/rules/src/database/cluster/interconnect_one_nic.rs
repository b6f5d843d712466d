rule! {
    /// # What it checks
    /// Applies to instances of a cluster on hardware. Passes when the interconnect has two interfaces, or a bond of two.
    /// # Why it matters
    /// Without a second way one cable, port or switch evicts the node from the cluster.
    /// # Evidence
    /// Interfaces with an address of 169.254.0.0/16 (clusterware's HAIP), members of bonds. In a guest the hypervisor teams
    /// the ports; it is not judged.
    /// # Remedy
    /// A second private network: clusterware uses up to four (HAIP).
    /// # Source
    /// Oracle Grid Infrastructure Installation Guide, "Network Interface Hardware Requirements" and "About Redundant
    /// Interconnect Usage".
    code: "interconnect-one-nic",
    title: "the interconnect has a single interface",
    layer: Database, severity: Info, on: [Nic],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    if !host.databases.iter().any(|database| database.clustered) || facts::is_guest(host) {
        return Vec::new();
    }
    let private = facts::interface::private(host);
    let [only] = private.as_slice() else {
        let unknown = unknown!("which interface carries the interconnect is not known");
        return vec![if private.is_empty() { unknown } else { Outcome::Passes }];
    };
    let stack = facts::interface::stack(host, only);
    let ports: Vec<&str> = stack
        .into_iter()
        .filter(|name| {
            host.nic(name).is_some_and(|nic| matches!(nic.kind.as_str(), "physical" | "infiniband"))
        })
        .collect();
    match ports.as_slice() {
        [] => vec![unknown!("which ports are below {only} is not known")],
        [port] => vec![fires(only, port)],
        _ => vec![Outcome::Passes],
    }
}

fn fires(interface: &str, port: &str) -> Outcome {
    let over = if interface == port { String::new() } else { format!(" over {interface}") };
    finding!(Kind::Nic.named(interface), "the interconnect has one port, {port}{over}: one cable or switch evicts this node")
        .measured(1.0, 2.0, Unit::Count)
        .evidence(format!("{interface} has the only address of 169.254.0.0/16"), "interfaces")
        .because("A node that loses its interconnect is evicted.")
        .now("oifcfg getif; oifcfg iflist -p -n")
        .persist("A second port on another switch in its own subnet: oifcfg setif -global NIC/SUBNET:cluster_interconnect, then restart the clusterware, one node after the other")
        .undo("oifcfg delif -global NIC/SUBNET")
        .expecting("two addresses of 169.254.0.0/16, one on each private interface")
        .into()
}
