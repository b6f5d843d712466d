rule! {
    /// # What it checks
    /// Passes when no disk of ASM has counted a failed read or write since its group was mounted.
    /// # Why it matters
    /// ASM reads the mirror and goes on, so that nobody notices; with external redundancy the database saw the error.
    /// # Evidence
    /// `READ_ERRS` and `WRITE_ERRS` of `V$ASM_DISK`: totals since the group was mounted, which is why it is a note.
    /// # Remedy
    /// The kernel's log for that device, its paths, the array.
    /// # Source
    /// Oracle Database Reference, `V$ASM_DISK`.
    code: "asm-disk-errors",
    title: "ASM counted failed reads or writes of a disk",
    layer: Database, severity: Info, on: [AsmGroup],
    check: |run| views::each_group_of_disks(run, judge),
}

fn judge(views: &OracleViews, group: &str, disks: &[&AsmDisk]) -> Outcome {
    if disks.iter().any(|disk| disk.read_errors.is_none() || disk.write_errors.is_none()) {
        return unknown!("{} does not list READ_ERRS and WRITE_ERRS of {group}", views.source());
    }
    let errors =
        |disk: &AsmDisk| disk.read_errors.unwrap_or(0).saturating_add(disk.write_errors.unwrap_or(0));
    let bad: Vec<String> =
        disks.iter().filter(|disk| errors(disk) > 0).map(|disk| views::disk_name(disk)).collect();
    if bad.is_empty() {
        return Outcome::Passes;
    }
    let all = disks.iter().fold(0_u64, |sum, disk| sum.saturating_add(errors(disk)));
    finding!(Kind::AsmGroup.named(group), "{group} counted {all} failed reads and writes since it was mounted: {}", facts::listed(&bad))
        .measured(all as f64, 0.0, Unit::Count)
        .evidence(format!("READ_ERRS and WRITE_ERRS of {}", facts::listed(&bad)), views.source())
        .because("A disk that failed once may fail again, and the mirror may not be there then.")
        .now("List it again later: do the counters still grow? Look for the device in the kernel's log: `dmesg -T`, and for ORA-15080 and ORA-15081 in the ASM alert log")
        .persist("Replace what fails: cable, path, disk")
        .expecting("counters that no longer grow")
        .into()
}
