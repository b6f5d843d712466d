rule! {
    /// # What it checks
    /// Passes when `rsize` and `wsize`, as negotiated, are at least 32 KiB, better 256 KiB.
    /// # Why it matters
    /// Each piece is a round trip's worth of work at both ends: 1 MiB takes 256 requests of 4 KiB.
    /// # Evidence
    /// `rsize`, `wsize` in `/proc/self/mountstats`: the negotiated values. The client cannot see what the server would
    /// allow; a value below the requested one is the server's limit.
    /// # Remedy
    /// Mount with `rsize=262144,wsize=262144` or more; raise the server's maximum if it is what limits.
    /// # Source
    /// NetApp ontap-apps-dbs, oracle-host-config-linux.adoc (262144) and nfs-transfer-sizes.adoc; Oracle
    /// installation guide, NFS buffer size (at least 32768); nfs(5), rsize and wsize (1048576 at most).
    code: "nfs-transfer-size",
    title: "NFS uses a small transfer size",
    layer: Storage, severity: Warning, on: [Mount], limits: [RequestSize],
    check: |run| facts::nfs_mounts(run).map(|(mount, nfs)| judge(run, mount, nfs)).collect(),

    /// Oracle's least for data files over NFS.
    const LEAST_BYTES: u64 = 32 << 10;
    /// From here on larger calls gain little (own choice).
    const WANTED_BYTES: u64 = 256 << 10;
}

fn judge(run: &Run, mount: &Mount, nfs: &NfsMount) -> Outcome {
    let (Some(rsize), Some(wsize)) = (nfs.rsize_bytes, nfs.wsize_bytes) else {
        return facts::unread(&format!("rsize and wsize of {}", mount.target));
    };
    let smallest = rsize.min(wsize);
    if smallest >= WANTED_BYTES {
        return Outcome::Passes;
    }
    let finding = if granted_less(run, mount, smallest) {
        fires_for_server(mount, smallest)
    } else {
        fires(run, mount, rsize, wsize)
    };
    if smallest >= LEAST_BYTES {
        return finding.severity(Severity::Info).into();
    }
    let inside = run.disk.iter().filter(|result| result.mount_point == mount.target);
    // What fits into one request costs one, and reads are cut by rsize alone.
    let split = |step: &DiskStepResult| {
        let own = match step.operation {
            Operation::Read => rsize,
            Operation::Write => wsize,
            Operation::Mixed | Operation::Copy => smallest,
        };
        own < LEAST_BYTES && step.block_bytes > own
    };
    let explained = inside.filter_map(|result| explain::steps(result, Mechanism::RequestSize, split));
    finding.severity(facts::slow_mount(run, mount)).explains(explained).into()
}

/// The line of fstab sets no size, or a larger one: then the server grants no more (nfs(5), rsize).
fn granted_less(run: &Run, mount: &Mount, smallest: u64) -> bool {
    let mut lines = run.host.fstab.iter().flatten();
    let Some(line) = lines.rfind(|line| line.target == mount.target) else { return false };
    let asked = |name: &str| line.option(name).map(|text| text.parse::<u64>().unwrap_or(0));
    [asked("rsize"), asked("wsize")].into_iter().all(|asked| asked.is_none_or(|bytes| bytes > smallest))
}

fn fires_for_server(mount: &Mount, smallest: u64) -> Finding {
    let size = facts::size(smallest);
    finding!(
        Kind::Mount.named(&mount.target),
        "NFS mount {} transfers {size} at a time, no more is granted by the server: 1 MiB costs {} requests", mount.target, (1u64 << 20).div_ceil(smallest.max(1)),
    )
    .measured(smallest as f64, WANTED_BYTES as f64, Unit::Bytes)
    .evidence(format!("the smaller of rsize and wsize {smallest}, fstab asks for no less"), "/proc/self/mountstats")
    .because("Each request costs CPU and a slot at both ends, large or small.")
    .now("Raise the largest transfer of the server (NetApp: `vserver nfs modify -tcp-max-xfer-size 262144`; Linux: /proc/fs/nfsd/max_block_size before nfsd starts), then mount again")
    .expecting("kB/op of `nfsiostat` near 256, and the sequential rate near the network's")
}

fn fires(run: &Run, mount: &Mount, rsize: u64, wsize: u64) -> Finding {
    let smallest = rsize.min(wsize);
    finding!(
        Kind::Mount.named(&mount.target),
        "NFS mount {} transfers {} at a time (rsize={rsize}, wsize={wsize}): a {} of 1 MiB costs {} requests",
        mount.target,
        facts::size(smallest),
        if rsize <= wsize { "read" } else { "write" },
        (1u64 << 20).div_ceil(smallest.max(1)),
    )
    .measured(smallest as f64, WANTED_BYTES as f64, Unit::Bytes)
    .evidence(format!("rsize={rsize},wsize={wsize}"), "options of the mount")
    .advice(
        change_nfs_option(
            &run.host,
            "Each request costs CPU and a slot at both ends, large or small.",
            mount,
            Some(&format!("rsize={rsize},wsize={wsize}")),
            "rsize=262144,wsize=262144",
        )
        .expecting("kB/op of `nfsiostat` near 256, and the sequential rate near the network's"),
    )
}
