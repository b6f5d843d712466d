use crate::facts::interface::Siblings;

rule! {
    /// # What it checks
    /// Passes when interfaces over ports of 10 Gbit/s and more that lead to the filer of a database's files, an iSCSI
    /// portal or an NVMe subsystem, or that have a private address of the clusterware (169.254.0.0/16), have an MTU of 9000.
    /// The public network of a database is right at 1500.
    /// # Why it matters
    /// An 8 KiB block takes six frames instead of one; goodput is 94.1 % instead of 99.0 %, and each frame
    /// costs CPU. In a cluster six fragments of UDP must all arrive.
    /// # Evidence
    /// MTU and speed of the interface; routes to the servers of NFS mounts and iSCSI sessions; addresses.
    /// # Remedy
    /// Plan it with the network's owner: every switch port and every host of that network, in one step; then
    /// `ip link set X mtu 9000` and prove it with `fullwire mtu`.
    /// # Source
    /// NetApp ontap-apps-dbs, Ethernet settings (jumbo frames required for maximum performance with 10GbE); goodput by
    /// RFC 791, RFC 9293, IEEE 802.3. Oracle Grid Infrastructure Installation Guide 19c for Linux, "About Private IP
    /// Address Requirements" (highly available IP addresses from 169.254.0.0/16 on the private interfaces).
    code: "mtu-not-jumbo",
    title: "a fast storage or interconnect network uses small frames",
    layer: Network, severity: Warning, on: [Nic],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let private = facts::interface::private(&run.host);
    let mut tops = to_storage(run);
    tops.extend(&private);
    if tops.is_empty() {
        let unknown = is_cluster(&run.host);
        let missing = || unknown!("which interface carries the interconnect is not known");
        return unknown.then(missing).into_iter().collect();
    }
    if run.host.nics.is_empty() {
        return vec![unknown!("no interface could be read")];
    }
    // Beside a path with large frames the small ones are a fault of their own.
    let unlike: BTreeSet<String> = facts::interface::siblings(run)
        .into_iter()
        .filter(|group| differ(&run.host, group))
        .flat_map(|group| group.names)
        .collect();
    tops.retain(|top| !unlike.contains(*top));
    tops.into_iter().filter_map(|top| judge(run, top)).collect()
}

fn differ(host: &Host, group: &Siblings) -> bool {
    let mtus: BTreeSet<u64> = group.names.iter().filter_map(|name| host.nic(name)?.mtu_bytes).collect();
    mtus.len() > 1
}

/// The interfaces that lead to the filer of a database's files or to a portal.
fn to_storage(run: &Run) -> BTreeSet<&str> {
    let host = &run.host;
    let filers = facts::mounts_of_data(run).filter_map(|mount| Some(mount.nfs.as_ref()?.address.as_str()));
    let portals = host.iscsi_sessions.iter().map(|session| session.portal.as_str());
    let address = |server: &str| facts::route::ip(server).map(|address| address.to_string());
    let leads = |server: String| facts::route::nic_to(run, &server).map(|nic| nic.name.as_str());
    let routed = filers.chain(portals).filter_map(address).filter_map(leads);
    let beside = facts::interface::siblings(run).into_iter().flat_map(|group| group.names);
    routed.chain(beside.filter_map(|name| Some(host.nic(&name)?.name.as_str()))).collect()
}

fn is_cluster(host: &Host) -> bool {
    host.databases.iter().any(|database| database.clustered)
}

/// The ports that carry an interface, itself or below it.
fn ports<'a>(side: &'a side::Side, top: &'a str) -> Vec<&'a Nic> {
    let below = facts::interface::stack(side.host, top).into_iter().filter_map(|name| side.host.nic(name));
    below.filter(|nic| each::in_use(side, nic)).collect()
}

fn judge(run: &Run, name: &str) -> Option<Outcome> {
    let side = side::own(run);
    let ports = ports(&side, name);
    let speed =
        ports.iter().filter_map(|port| port.speed_mbit_per_s).max().filter(|speed| *speed >= 10_000)?;
    let Some(mtu) = side.host.nic(name).and_then(|nic| nic.mtu_bytes) else {
        return Some(unknown!("the MTU of {name} could not be read"));
    };
    if mtu > 1500 {
        return Some(Outcome::Passes);
    }
    let gain = (Stack::tcp(mtu).gain_of_mtu(9000) - 1.0) * 100.0;
    let of = if ports.len() > 1 { " in each member" } else { "" };
    let private = facts::interface::private(side.host).contains(&name);
    let finding = finding!(Kind::Nic.named(name), "{name} has {speed} Mbit/s{of} and MTU {mtu}: jumbo frames would carry {gain:.1} % more and a block of 8 KiB in one frame instead of six")
        .severity(if private { Severity::Warning } else { Severity::Info })
        .measured(mtu as f64, 9_000.0, Unit::Bytes)
        .evidence(format!("mtu {mtu}"), format!("/sys/class/net/{name}/mtu"))
        .because("")
        .now("First give every switch port and every other host of this network MTU 9000 or more, and prove each path with `fullwire mtu HOST`: a single small hop drops large packets")
        .and(set_mtu(side.host, name, 9_000, "Fewer frames for each block: less CPU, more payload, no fragments of interconnect blocks.", "goodput 99.0 % instead of 94.1 %; fewer interrupts"));
    Some(finding.into())
}
