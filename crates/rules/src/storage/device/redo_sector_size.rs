rule! {
    /// # What it checks
    /// Passes when a disk with a database's redo has physical sectors no larger than its logical ones, or the
    /// redo rate is small, or a redo write takes less than 2 ms anyway.
    /// # Why it matters
    /// On a 512e disk each write that is not a multiple of 4 KiB is read, changed and written back by the disk;
    /// above some 50 MB/s of redo a 4 KiB block size for redo is worth a test.
    /// # Evidence
    /// `logical_block_size`, `physical_block_size`; redo rate and mean redo write time of the report.
    /// # Remedy
    /// Redo logs with `BLOCKSIZE 4096` on such a disk.
    /// # Source
    /// NetApp ontap-apps-dbs, oracle-app-config-block-sizes.adoc (4 KB redo blocks above 50 MB/s).
    code: "redo-sector-size",
    title: "redo with 512-byte blocks goes to a disk with 4 KiB sectors",
    layer: Storage, severity: Info, on: [Disk],

    /// Redo a second from which on padding and read-modify-write are felt (own choice).
    const HIGH_RATE_BYTES_PER_S: f64 = 50e6;
    /// A read before each write costs a flash read or a turn of the platter; a write that returns sooner met none.
    const SLOW_NS: f64 = 2e6;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(rate) = run.demand.as_ref().and_then(|demand| demand.redo_peak_bytes_per_s) else {
        return Vec::new();
    };
    let write_ns = run.demand.as_ref().and_then(|demand| demand.log_write_mean_ns);
    if let Some(device) = facts::unresolved_device(&run.host) {
        return vec![facts::unread(&format!("which disk /dev/{device} is"))];
    }
    let disks = facts::data_disks(run).filter(|disk| disk.kind == "disk");
    disks.map(|disk| judge(disk, rate, write_ns)).collect()
}

fn judge(disk: &Disk, rate: f64, write_ns: Option<f64>) -> Outcome {
    let queue = disk.queue.as_ref();
    let (Some(logical), Some(physical)) =
        (queue.and_then(|q| q.logical_block_bytes), queue.and_then(|q| q.physical_block_bytes))
    else {
        return facts::unread(&format!("the sector sizes of {}", disk.name));
    };
    if rate <= HIGH_RATE_BYTES_PER_S || physical <= logical {
        return Outcome::Passes;
    }
    // Most arrays and SSDs report 4096 physical bytes out of habit and merge such writes in a protected cache.
    let Some(write_ns) = write_ns else {
        return facts::unread("how long a redo write takes (log file parallel write of an AWR report)");
    };
    if write_ns < SLOW_NS {
        return Outcome::Passes;
    }
    finding!(Kind::Disk.named(&disk.name), "{} has sectors of {physical} bytes and shows {logical}: a redo write takes {:.1} ms at {:.0} MB/s of redo", disk.name, write_ns / 1e6, rate / 1e6)
        .measured(rate, HIGH_RATE_BYTES_PER_S, Unit::BytesPerS)
        .evidence(format!("logical_block_size {logical}, physical_block_size {physical}"), format!("/sys/block/{}/queue", disk.name))
        .because("A redo write that is not a multiple of the sector makes the disk read before it writes.")
        .now("Measure the device with `fullwire disk --profile ora-lgwr` at 512 and at 4096 bytes: the sectors matter only if 4096 is much faster")
        .now(if logical == 512 {
            "This disk shows 512-byte sectors (512e): Oracle refuses `blocksize 4096` with ORA-01378 unless a hidden parameter is set, which only Oracle Support may advise. Present the unit with 4 KiB sectors (4Kn), or leave it"
        } else {
            "alter database add logfile group N ('...') size 4g blocksize 4096; then drop the old groups when they are inactive"
        })
        .persist("New groups keep their block size")
        .undo("Add groups with blocksize 512, drop those of 4096")
        .expecting("lower `log file parallel write`, more redo wastage: compare both")
        .into()
}
