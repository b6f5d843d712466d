rule! {
    /// # What it checks
    /// Passes unless a sizeable segment has no process attached and its creator no longer runs.
    /// # Why it matters
    /// After a crash the memory stays taken, and counts against `kernel.shmall`.
    /// # Evidence
    /// `/proc/sysvipc/shm`.
    /// # Remedy
    /// `ipcrm -m ID`, when it is certain that it is not needed.
    /// # Source
    /// shmctl(2), nattch and cpid; ipcrm(1).
    code: "shm-orphaned",
    title: "orphaned shared-memory segments remain",
    layer: Host, severity: Info, on: [SharedMemory],
    check: |run| run.host.ipc.segments.iter().filter(|segment| segment.size_bytes >= NOTABLE_BYTES).map(judge).collect(),

    /// Smaller leftovers do no harm (own choice).
    const NOTABLE_BYTES: u64 = 64 << 20;
}

fn judge(segment: &SharedSegment) -> Outcome {
    if segment.attached > 0 {
        return Outcome::Passes;
    }
    match segment.creator_alive {
        None => facts::unread(&format!("whether the creator of segment {} runs", segment.id)),
        Some(true) => Outcome::Passes,
        Some(false) => finding!(
            Kind::SharedMemory.named(format!("shmid {}", segment.id)),
            "shared-memory segment {} of {} is not attached by any process, and its creator {} is gone",
            segment.id,
            facts::size(segment.size_bytes),
            segment.creator_pid,
        )
        .measured(segment.size_bytes as f64, 0.0, Unit::Bytes)
        .evidence(format!("nattch 0, cpid {}, uid {}", segment.creator_pid, segment.uid), "/proc/sysvipc/shm")
        .because("No process uses this memory, but it counts against the limit.")
        .look(sh!("ipcs -m -i {}", segment.id), "Shows owner, creator and when it was last attached")
        .now(format!(
            "`ipcrm -m {}` if the instance is certainly down: this cannot be undone",
            as_word(segment.id)
        ))
        .persist("Shut the database down by its own means")
        .expecting("the segment is gone in `ipcs -m`")
        .into(),
    }
}
