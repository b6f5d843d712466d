rule! {
    /// # What it checks
    /// Passes when the kernel reads at least one `rsize` ahead on NFS mounts that hold a database's files.
    /// # Why it matters
    /// Since Linux 5.4 the read-ahead of NFS is 128 KiB regardless of `rsize`, where it was 15 times `rsize` before: a
    /// sequential read (backup, scan, copy) of 1 MiB requests never has more than one in flight. Direct NFS and direct
    /// I/O do not use it.
    /// # Evidence
    /// `/sys/class/bdi/MAJOR:MINOR/read_ahead_kb` of the mount, its `rsize`.
    /// # Remedy
    /// `nfs-readahead` in nfs.conf, or a udev rule: 15 times `rsize`.
    /// # Source
    /// SUSE, "Tuning NFS client read ahead"; nfsrahead(5); Linux commit c128e575514c ("NFS: Optimise the default
    /// readahead size", 5.4).
    code: "nfs-read-ahead",
    title: "NFS read-ahead is small",
    layer: Storage, severity: Info, on: [Mount],
    check: |run| facts::mounts_of_data(run).filter_map(|mount| Some(judge(mount, mount.nfs.as_ref()?))).collect(),

    /// What the kernel did before 5.4 (`NFS_MAX_READAHEAD`).
    const TIMES: u64 = 15;
}

fn judge(mount: &Mount, nfs: &NfsMount) -> Outcome {
    let (Some(ahead), Some(rsize)) = (mount.read_ahead_bytes, nfs.rsize_bytes.filter(|bytes| *bytes > 0))
    else {
        return facts::unread(&format!("the read-ahead of {}", mount.target));
    };
    if ahead >= rsize {
        return Outcome::Passes;
    }
    let kib = |bytes: u64| (bytes >> 10).to_string();
    let file = format!("/sys/class/bdi/{}/read_ahead_kb", mount.number);
    finding!(
        Kind::Mount.named(&mount.target),
        "the kernel reads {} ahead on {}, less than one request of {}",
        facts::size(ahead),
        mount.target,
        facts::size(rsize),
    )
    .measured(ahead as f64, (TIMES * rsize) as f64, Unit::Bytes)
    .evidence(format!("read_ahead_kb {}, rsize {rsize}", kib(ahead)), file.clone())
    .because("A sequential reader then waits for each request before the next is sent.")
    .run(sh!("echo {} > {}", kib(TIMES * rsize), file), "Reads 15 requests ahead until the next mount")
    .persist(format!(
        "In /etc/nfs.conf, section [nfsrahead]: nfs4={0} and nfs={0}; before nfs-utils 2.6 a udev rule",
        kib(TIMES * rsize)
    ))
    .undo_run(sh!("echo {} > {}", kib(ahead), file), "Restores the former read-ahead")
    .expecting("a faster `dd` or backup from the mount; Direct NFS and direct I/O stay as they are")
    .into()
}
