rule! {
    /// # What it checks
    /// Passes unless a call on a measured target took longer than 15 s; of reads and writes, as long more as what is in flight
    /// takes at 0.25 MiB/s.
    /// # Why it matters
    /// Every session that touches it hangs the same way, in a sleep that no signal ends.
    /// # Evidence
    /// The probe's gap: which call did not come back, and after how long.
    /// # Remedy
    /// Block device: failed paths with `queue_if_no_path`, a suspended map, a lost iSCSI or FC link. NFS: the server
    /// and the way to it; a hard mount waits until it is back.
    /// # Source
    /// nfs(5), hard and soft; multipath.conf(5), `no_path_retry queue`; dmsetup(8), suspend.
    code: "target-no-answer",
    title: "the storage does not respond",
    layer: Storage, severity: Critical, on: [NfsServer, Target], limits: [NoAnswer],
    check: |run| run.disk.iter().map(|result| judge(run, result)).collect(),
}

/// What shows who does not answer.
fn look(is_nfs: bool, why: &str) -> Advice {
    let advice = because(why);
    if is_nfs {
        return advice
            .look("dmesg -T | grep 'not responding' || true", "Shows since when")
            .now("`ping` the server, and `rpcinfo -t SERVER nfs` for its service");
    }
    advice
        .look("multipath -ll || true", "Shows failed paths")
        .look("dmsetup info -c", "Shows suspended maps")
        .look("grep . /sys/block/*/inflight", "Shows where requests are in flight")
}

fn judge(run: &Run, result: &DiskResult) -> Outcome {
    let Some(gap) = result.unanswered() else {
        let tried = !result.steps.is_empty() || !result.small_files.is_empty() || result.bonnie.is_some();
        return if tried { Outcome::Passes } else { facts::unread(&format!("any I/O on {}", result.target)) };
    };
    let mount = run.host.mount_of(result.target.as_str());
    let server = mount.and_then(|mount| mount.nfs.as_ref()).map(|nfs| nfs.server.as_str());
    let (subject, whose) = match server {
        Some(server) => (Kind::NfsServer.named(server), format!("the NFS server {server} does not answer")),
        None => (Kind::Target.named(&result.target), "the storage does not answer".to_owned()),
    };
    let finding = finding!(subject, "{whose}: {}", gap.detail)
        .evidence(gap.detail.clone(), "probe")
        .advice(
            look(server.is_some(), "Processes that wait for this storage sleep uninterruptibly until it is back.")
                .persist("bring the path or server back; if waiting forever is worse than an error, set a limit (no_path_retry 24)")
                .expecting("the same probe measures"),
        );
    finding.explains([Explanation::of_path(&result.target, Mechanism::NoAnswer).active(1.0)]).into()
}

#[cfg(test)]
mod tests {
    use fullwire_model::Run;

    /// What a lab's group of 8 MiB gave: opening the file took longer than the probe waits.
    #[test]
    fn a_process_without_memory_accuses_no_disk() {
        let run = |slowed: u64| -> Run {
            let group = |events: u64| format!(r#"{{ "path": "/db", "memory_high_events": {events} }}"#);
            let text = format!(
                r#"{{ "host": {{ "cgroups": [{{ "path": "/db", "memory_high_bytes": 8388608 }}] }},
                "windows": [{{ "kind": "disk", "subject": "/data", "from": {{ "cgroups": [{}] }}, "to": {{ "monotonic_ns": 1000000000, "cgroups": [{}] }} }}],
                "disk": [{{ "target": "/data", "gaps": [{{ "subject": "/data", "reason": "timeout", "detail": "late" }}] }}] }}"#,
                group(0),
                group(slowed)
            );
            serde_json::from_str(&text).expect("a run")
        };
        let primary = |run: &Run| crate::assess(run).paths[0].bottleneck.code.clone();
        assert_eq!(primary(&run(0)), "target-no-answer");
        assert_eq!(primary(&run(1644)), "cgroup-memory");
    }
}
