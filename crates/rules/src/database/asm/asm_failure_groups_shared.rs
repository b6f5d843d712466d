rule! {
    /// # What it checks
    /// Passes when no disk of this host serves two failure groups of a disk group.
    /// # Why it matters
    /// ASM puts mirrors into different failure groups. Two of them on partitions of one disk are lost together.
    /// # Evidence
    /// `FAILGROUP` and `PATH` of `V$ASM_DISK`, and the disks that these paths lead to on this host. Whether two units come
    /// from one array is not judged: no part of their identity tells that for all makers.
    /// # Remedy
    /// Failure groups on separate units of separate arrays.
    /// # Source
    /// Oracle Automatic Storage Management Administrator's Guide, "Oracle ASM Failure Groups" (disks of a failure group
    /// share a resource whose failure must be tolerated).
    code: "asm-failure-groups-shared",
    title: "two ASM failure groups are on one disk",
    layer: Database, severity: Critical, on: [AsmGroup],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(views) = views::asm(run) else { return Vec::new() };
    let mirrored = |group: &str| {
        let own = views.asm_groups.iter().flatten().find(|one| format!("+{}", one.name) == group);
        own.is_none_or(|group| group.redundancy != "EXTERN")
    };
    let judged = |views: &OracleViews, group: &str, disks: &[&AsmDisk]| {
        if mirrored(group) { judge(&run.host, views, group, disks) } else { Outcome::Passes }
    };
    views::each_group_of_disks(run, judged)
}

fn judge(host: &Host, views: &OracleViews, group: &str, disks: &[&AsmDisk]) -> Outcome {
    let mut used: BTreeMap<String, &AsmDisk> = BTreeMap::new();
    for disk in disks {
        let Some(unit) = unit_of(host, &disk.path) else {
            return unknown!("which disk of this host {} is, is not known", views::disk_name(disk));
        };
        match used.get(&unit) {
            Some(other) if other.failure_group != disk.failure_group => {
                return found(views, group, &unit, other, disk);
            }
            _ => _ = used.insert(unit, disk),
        }
    }
    Outcome::Passes
}

fn found(views: &OracleViews, group: &str, unit: &str, one: &AsmDisk, other: &AsmDisk) -> Outcome {
    let (first, second) = (&one.failure_group, &other.failure_group);
    finding!(Kind::AsmGroup.named(group), "failure groups {first} and {second} of {group} are both on {unit}")
        .evidence(
            format!("{} and {} lead to {unit}", views::disk_name(one), views::disk_name(other)),
            format!("{}, /sys/block", views.source()),
        )
        .because("Both mirrors are lost with that disk.")
        .now("select failgroup, name, path from v$asm_disk order by failgroup;")
        .persist("Add disks of another unit, better of another array, to the failure group, and drop the shared one in the same command: ASM moves the data online")
        .undo("Add and drop the other way round")
        .expecting("each unit in one failure group only")
        .into()
}

/// The whole disk or unit below a path as ASM has it: `/dev/…`, `ORCL:NAME` (`ASMLib`), `AFD:NAME`.
fn unit_of(host: &Host, path: &str) -> Option<String> {
    let (kind, name) = path.split_once(':').unwrap_or(("", path));
    let link = match kind {
        "ORCL" => format!("oracleasm/disks/{name}"),
        "AFD" => format!("oracleafd/disks/{name}"),
        _ => path.strip_prefix("/dev/")?.to_owned(),
    };
    // A label that is not resolved stands for all disks of its driver: not enough here.
    let [top] = facts::devices_of(host, &link)[..] else { return None };
    let stack = host.stack(&top.name);
    // A partition of a map has the map below it; all paths of a unit have its identity.
    let identity = stack.iter().find(|disk| !disk.wwid.is_empty()).map(|disk| disk.wwid.clone());
    let bottom = stack.iter().find(|disk| disk.kind == "disk").map(|disk| disk.name.clone());
    identity.or(bottom)
}
