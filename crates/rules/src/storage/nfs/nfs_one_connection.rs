rule! {
    /// # What it checks
    /// Passes when fast mounts (10 Gbit/s and more, or several links in a bond) use more than one connection, and where Oracle's
    /// Direct NFS opens its own.
    /// # Why it matters
    /// One connection is one flow: one member of a bond, one receive queue, one CPU for its softirq, one
    /// congestion window.
    /// # Evidence
    /// Transports of the mount, speed of the interface that leads to the server.
    /// # Remedy
    /// `nconnect=4` to 8.
    /// # Source
    /// Oracle Database Installation Guide for Linux, Deploying Direct NFS Client; nfs(5), nconnect (at most 16); Linux Documentation/networking/bonding.rst (one conversation uses one
    /// port).
    code: "nfs-one-connection",
    title: "one TCP connection carries a whole NFS mount",
    layer: Storage, severity: Info, on: [Mount],
    check: |run| facts::nfs_mounts(run).map(|(mount, nfs)| judge(run, mount, nfs)).collect(),

    /// One TCP connection rarely fills a faster interface (own choice).
    const FAST_MBIT_PER_S: u64 = 10_000;
}

fn judge(run: &Run, mount: &Mount, nfs: &NfsMount) -> Outcome {
    if nfs.nconnect > 1 || super::is_rdma(nfs) || is_direct(&run.host, mount) {
        return Outcome::Passes;
    }
    let nic = route::nic_to(run, &nfs.address);
    let Some(speed) = nic.and_then(|nic| nic.speed_mbit_per_s) else {
        return facts::unread(&format!("the speed of the interface that leads to {}", nfs.server));
    };
    let name = nic.map_or("", |nic| nic.name.as_str());
    if speed < FAST_MBIT_PER_S || nic.is_some_and(|nic| nic.kind == "veth") {
        return Outcome::Passes;
    }
    finding!(
        Kind::Mount.named(&mount.target),
        "NFS mount {} uses one TCP connection (nconnect 1) over {name} of {} Gbit/s",
        mount.target,
        speed / 1000,
    )
    .measured(1.0, 4.0, Unit::Count)
    .evidence(format!("nconnect {}", nfs.nconnect.max(1)), "/proc/self/mountstats")
    .advice(
        more_connections(
            run,
            mount,
            "A single flow rarely fills a fast link, and never more than one member of a bond.",
        )
        .expecting(
            "eight connections in `ss -tn dst SERVER`, and a higher sequential rate from several readers",
        ),
    )
    .into()
}

/// An instance with the Direct NFS library has files on it.
fn is_direct(host: &Host, mount: &Mount) -> bool {
    let of =
        |database: &&Database| database.settings.get("direct_nfs").is_some_and(|state| state != "disabled");
    let on = |location: &String| host.mount_of(location).is_some_and(|on| on.target == mount.target);
    host.databases.iter().filter(of).any(|database| database.locations.keys().any(on))
}
