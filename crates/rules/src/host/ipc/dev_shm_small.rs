rule! {
    /// # What it checks
    /// Applies where an Oracle instance uses automatic memory management (`memory_target`), and where PostgreSQL runs in a
    /// container; passes when `/dev/shm` is at least as large as the first, or larger than the 64 MiB that containers get.
    /// # Why it matters
    /// The instance does not start: ORA-00845, `MEMORY_TARGET` not supported on this system. PostgreSQL's parallel queries end
    /// with "could not resize shared memory segment".
    /// # Evidence
    /// Size of the tmpfs at `/dev/shm`; `memory_target` where readable.
    /// # Remedy
    /// Remount with a larger size, or use ASMM (`sga_target`) with huge pages.
    /// # Source
    /// Oracle Database error messages, ORA-00845; Oracle note 749851.1 as reproduced; tmpfs(5), size; PostgreSQL documentation,
    /// `dynamic_shared_memory_type`; docker-run(1), `--shm-size` (64 MiB by default).
    code: "dev-shm-small",
    title: "/dev/shm is smaller than Oracle's automatically managed memory",
    layer: Host, severity: Warning, on: [Database, Mount],

    /// What a container gets unless it is asked for more.
    const OF_A_CONTAINER_BYTES: u64 = 64 << 20;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    let targets = host.databases.iter().filter(|database| database.kind == "oracle");
    let target = targets
        .filter_map(|database| database.settings.get("memory_target")?.parse::<u64>().ok())
        .max()
        .unwrap_or(0);
    let in_container = facts::is_container(host) && facts::runs(host, &["postgresql"]);
    // From the host each container's own is seen.
    let in_pods = host.databases.iter().filter(|database| database.kind == "postgresql");
    let in_pods =
        in_pods.filter_map(|one| Some(of_container(Kind::Database.named(&one.name), one.dev_shm_bytes?)));
    if target == 0 && !in_container {
        return in_pods.collect();
    }
    let shm = host.mounts.iter().find(|mount| mount.target == "/dev/shm");
    let Some((shm, space)) = shm.and_then(|mount| Some((mount, mount.space.as_ref()?))) else {
        return vec![facts::unread("the size of /dev/shm")];
    };
    if target == 0 {
        return vec![of_container(Kind::Mount.named("/dev/shm"), space.total_bytes)];
    }
    if space.total_bytes >= target {
        return vec![Outcome::Passes];
    }
    let size = format!("size={}G", target.div_ceil(1 << 30));
    vec![
        finding!(
            Kind::Mount.named("/dev/shm"),
            "/dev/shm has {}, memory_target is {}: ORA-00845",
            facts::size(space.total_bytes),
            facts::size(target),
        )
        .measured(space.total_bytes as f64, target as f64, Unit::Bytes)
        .evidence(format!("/dev/shm {} bytes", space.total_bytes), "statfs /dev/shm")
        .because("Automatic memory management keeps the SGA in files of /dev/shm.")
        .run(remount(shm, "", &size), "Changes the limit; no memory is reserved by it")
        .persist(format!("Line of /etc/fstab: tmpfs /dev/shm tmpfs {} 0 0", with_option(shm, "", &size)))
        .undo_run(remount(shm, "", &format!("size={}", space.total_bytes)), "Changes the limit back")
        .expecting("the instance starts; better: sga_target and huge pages")
        .into(),
    ]
}

fn of_container(subject: Subject, bytes: u64) -> Outcome {
    if bytes > OF_A_CONTAINER_BYTES {
        return Outcome::Passes;
    }
    finding!(
        subject,
        "/dev/shm of the container has {}: a parallel query of PostgreSQL that needs more ends with an error", facts::size(bytes),
    )
    .severity(Severity::Info)
    .measured(bytes as f64, OF_A_CONTAINER_BYTES as f64, Unit::Bytes)
    .evidence(format!("/dev/shm {bytes} bytes"), "/dev/shm of the server's mounts")
    .because("Parallel workers share their memory through files of /dev/shm.")
    .persist("Where the container is started: `--shm-size=1g`, or an emptyDir of medium Memory at /dev/shm of the pod")
    .undo("Start it as before")
    .expecting("no `could not resize shared memory segment` in the server's log")
    .into()
}
