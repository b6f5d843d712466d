rule! {
    /// # What it checks
    /// Applies on a node of an Oracle cluster; passes when programs may request UDP buffers of 4 MiB to receive and 1
    /// MiB to send.
    /// # Why it matters
    /// The interconnect sends blocks by UDP. A burst that does not fit in the socket's buffer is dropped, and the block
    /// is requested again after a timeout: `gc blocks lost`.
    /// # Evidence
    /// `net.core.rmem_max`, `net.core.rmem_default`, `net.core.wmem_max`, `net.core.wmem_default`.
    /// # Remedy
    /// The values of Oracle's preinstallation package: 4194304 and 262144 to receive, 1048576 and 262144 to send.
    /// # Source
    /// Oracle Grid Infrastructure Installation and Upgrade Guide 19c for Linux, "Minimum Parameter Settings for
    /// Installation".
    code: "oracle-udp-buffers",
    title: "UDP buffers are smaller than the interconnect needs",
    layer: Network, severity: Warning, on: [Setting],
}

const WANTED: [(&str, u64); 4] = [
    ("net.core.rmem_max", 4_194_304),
    ("net.core.rmem_default", 262_144),
    ("net.core.wmem_max", 1_048_576),
    ("net.core.wmem_default", 262_144),
];

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    if !host.databases.iter().any(|database| database.clustered && database.kind.starts_with("oracle")) {
        return Vec::new();
    }
    let read: Option<Vec<(&str, u64, u64)>> =
        WANTED.iter().map(|(name, wanted)| Some((*name, *wanted, host.sysctl_number(name)?))).collect();
    let Some(read) = read else { return vec![facts::unread("net.core.rmem_max and related settings")] };
    let small: Vec<_> = read.into_iter().filter(|(_, wanted, value)| value < wanted).collect();
    let Some((name, wanted, value)) = small.first().copied() else { return vec![Outcome::Passes] };
    let settings: Vec<(&str, String)> = small
        .iter()
        .map(|(name, wanted, _)| (*name, facts::core_buffer(host, name, *wanted).to_string()))
        .collect();
    let seen: Vec<String> = small.iter().map(|(name, _, value)| format!("{name} = {value}")).collect();
    vec![
        finding!(
            Kind::Setting.named(name),
            "{name} is {value}: Oracle requires at least {wanted} on a node of a cluster",
        )
        // The largest buffer is what the interconnect's sockets ask for; the default is for others.
        .severity(if name == "net.core.rmem_max" { Severity::Warning } else { Severity::Info })
        .measured(value as f64, wanted as f64, Unit::Bytes)
        .evidence(seen.join(", "), "/proc/sys/net/core")
        .advice(
            set_sysctls(host, &settings, "A burst of blocks must fit into the buffer of its socket.", "")
                .expecting("no growth of UdpRcvbufErrors; the instances take it at their next start"),
        )
        .into(),
    ]
}
