rule! {
    /// # What it checks
    /// Applies with several optimised paths; passes when the I/O policy of the NVMe subsystem is `round-robin` or
    /// `queue-depth`.
    /// # Why it matters
    /// `numa`, the default, sends everything over the path nearest to the CPU's node: one link's rate of
    /// several.
    /// # Evidence
    /// `iopolicy` of the subsystem, ANA state of the paths.
    /// # Remedy
    /// `round-robin` for the subsystem of the disk; `queue-depth` from Linux 6.11 on where the paths are of unequal speed.
    /// # Source
    /// Linux Documentation/admin-guide/nvme-multipath.rst (policies numa, round-robin, queue-depth).
    code: "nvme-io-policy",
    title: "native NVMe multipath uses only one path",
    layer: Storage, severity: Info, on: [Disk],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let several = |disk: &&Disk| disk.nvme.as_ref().is_some_and(|nvme| nvme.controllers.len() > 1);
    run.host.disks.iter().filter(several).map(|disk| judge(&run.host, disk)).collect()
}

fn judge(host: &Host, disk: &Disk) -> Outcome {
    let Some(nvme) = disk.nvme.as_ref() else { return Outcome::Passes };
    let optimised = nvme
        .controllers
        .iter()
        .filter(|path| path.ana_state.as_deref().is_none_or(|state| state == "optimized"))
        .count();
    match nvme.io_policy.as_deref() {
        None => facts::unread(&format!("iopolicy of {}", disk.name)),
        Some("numa") if optimised > 1 => finding!(
            Kind::Disk.named(&disk.name),
            "{} has {optimised} optimised paths, and policy numa uses one of them",
            disk.name,
        )
        .measured(1.0, optimised as f64, Unit::Count)
        .evidence("iopolicy numa", "/sys/class/nvme-subsystem/*/iopolicy")
        .because("The other links idle.")
        .and(policy(host, disk))
        .expecting("all paths carry I/O; the sequential rate grows with their number")
        .into(),
        Some(_) => Outcome::Passes,
    }
}

/// Of this disk's subsystem alone, whose number is that of the disk (drivers/nvme/host/multipath.c).
fn policy(host: &Host, disk: &Disk) -> Advice {
    let number = disk.name.strip_prefix("nvme").and_then(|rest| rest.split('n').next()?.parse::<u32>().ok());
    let Some(number) = number else {
        return because("").now(format!("Set iopolicy of the subsystem of {} to round-robin", disk.name));
    };
    let set =
        |policy: &str| sh!("echo {} > /sys/class/nvme-subsystem/nvme-subsys{}/iopolicy", policy, number);
    because("")
        .run(set("round-robin"), format!("Uses all optimised paths of {} in turn", disk.name))
        .persist("Where the paths differ in speed: queue-depth instead, which Linux has from 6.11 on")
        // The module is in every initramfs of a host with NVMe; the option is for all subsystems.
        .and(keep_module_options(host, "nvme_core", &[("iopolicy", "round-robin".to_owned())], true))
        .undo_run(set("numa"), "Goes back to one path")
}
