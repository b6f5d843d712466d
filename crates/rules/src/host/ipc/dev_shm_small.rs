use crate::prelude::*;

rule! {
    /// # What it checks
    /// Applies where an Oracle instance uses automatic memory management (`memory_target`); passes when `/dev/shm` is
    /// at least as large.
    ///
    /// # Why it matters
    /// The instance does not start: ORA-00845, `MEMORY_TARGET` not supported on this system.
    ///
    /// # Evidence
    /// Size of the tmpfs at `/dev/shm`; `memory_target` where readable.
    ///
    /// # Remedy
    /// Remount with a larger size, or use ASMM (`sga_target`) with huge pages.
    ///
    /// # Source
    /// Oracle Database error messages, ORA-00845; Oracle note 749851.1 as reproduced; tmpfs(5), size.
    code: "dev-shm-small",
    title: "/dev/shm is smaller than Oracle's automatically managed memory",
    layer: Host, severity: Warning, on: [Mount],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    let targets = host.databases.iter().filter(|database| database.kind == "oracle");
    let target = targets
        .filter_map(|database| database.settings.get("memory_target")?.parse::<u64>().ok())
        .max()
        .unwrap_or(0);
    if target == 0 {
        return Vec::new();
    }
    let shm =
        host.mounts.iter().find(|mount| mount.target == "/dev/shm").and_then(|mount| mount.space.as_ref());
    let Some(space) = shm else { return vec![facts::unread("the size of /dev/shm")] };
    if space.total_bytes >= target {
        return vec![Outcome::Passes];
    }
    let gib = target.div_ceil(1 << 30);
    vec![
        RULE.finding(
            Kind::Mount.named("/dev/shm"),
            format!(
                "/dev/shm has {}, memory_target is {}: ORA-00845",
                facts::size(space.total_bytes),
                facts::size(target)
            ),
        )
        .measured(space.total_bytes as f64, target as f64, Unit::Bytes)
        .evidence(format!("/dev/shm {} bytes", space.total_bytes), "statfs /dev/shm")
        .advice(
            because("Automatic memory management keeps the SGA in files of /dev/shm.")
                .run(
                    sh!("mount -o {} /dev/shm", format!("remount,size={gib}G")),
                    "Changes the limit; no memory is reserved by it",
                )
                .persist(format!("Line of /etc/fstab: tmpfs /dev/shm tmpfs defaults,size={gib}G 0 0"))
                .undo_run(
                    sh!("mount -o {} /dev/shm", format!("remount,size={}", space.total_bytes)),
                    "Changes the limit back",
                )
                .expecting("the instance starts; better: sga_target and huge pages"),
        )
        .into(),
    ]
}
