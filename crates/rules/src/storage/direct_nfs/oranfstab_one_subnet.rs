use super::oranfstab::{self, Server};

rule! {
    /// # What it checks
    /// Passes when the `local` addresses of a server in `oranfstab` are in different subnets of this host, and its
    /// paths are addresses, not names.
    /// # Why it matters
    /// Linux sends everything to a subnet through one interface: with two paths in one subnet the second
    /// interface idles, and fails over to nothing. A name with several addresses leads to changing filers, with a
    /// risk of corruption.
    /// # Evidence
    /// `oranfstab` and the addresses of the interfaces.
    /// # Remedy
    /// One subnet for each path; fixed addresses.
    /// # Source
    /// NetApp ontap-apps-dbs, oracle-host-config-linux.adoc (Direct NFS multipathing on Linux needs one subnet
    /// for each path) and oracle-storage-nfs-config-dnfs.adoc (no round-robin DNS).
    code: "oranfstab-one-subnet",
    title: "all Direct NFS paths share one subnet",
    layer: Storage, severity: Warning, on: [File],
}

fn check(run: &Facts) -> Vec<Outcome> {
    oranfstab::each(run, |_, text, source| {
        let (servers, _) = oranfstab::parse(text);
        let fault = servers.iter().find_map(|server| shared(&run.host, server).or_else(|| named(server)));
        let Some(fault) = fault else { return Outcome::Passes };
        finding!(Kind::File.named(source), "{source}: {fault}")
            .evidence(fault, source)
            .because("The routing table decides which path packets take, and it distinguishes only subnets.")
            .now("`ip route get ADDRESS` for each path: which interface does it take?")
            .persist("put each path in its own subnet on host and filer; enter the addresses in oranfstab; restart")
            .expecting("all channels of v$dnfs_channels and all interfaces carry traffic")
            .into()
    })
}

/// Two local addresses within the subnet of one of the host's own addresses.
fn shared(host: &Host, server: &Server) -> Option<String> {
    let locals: Vec<IpAddr> = server.locals.iter().filter_map(|local| local.parse().ok()).collect();
    let own = host.nics.iter().flat_map(|nic| &nic.addresses);
    let crowded = own.clone().find(|subnet| {
        locals
            .iter()
            .filter(|local| route::contains(subnet, **local))
            .collect::<std::collections::BTreeSet<_>>()
            .len()
            > 1
    })?;
    let subnet = route::network_of(crowded)?;
    Some(format!("the local paths of {} are in one subnet ({subnet})", server.name))
}

/// A path that is a name.
fn named(server: &Server) -> Option<String> {
    let name = server.paths.iter().find(|path| path.parse::<IpAddr>().is_err())?;
    Some(format!("path {name} of {} is a name: what it resolves to may change", server.name))
}
