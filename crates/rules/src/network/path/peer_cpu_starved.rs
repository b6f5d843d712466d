rule! {
    /// # What it checks
    /// Passes unless the peer's control group was throttled by its CPU quota, its virtual machine lost CPU to others
    /// (steal), or other programs used up its CPUs while it was measured.
    /// # Why it matters
    /// A receiver that does not run does not read: its window shuts, the sender waits, and the wire looks slow.
    /// No buffer and no line helps.
    /// # Evidence
    /// `nr_throttled` and `nr_periods` in `cpu.stat`, quota against CPU used by the responder, steal and busy
    /// time of the peer's CPUs over the probe.
    /// # Remedy
    /// Raise the quota (`systemctl set-property UNIT CPUQuota=`), take load off the host, or give the virtual
    /// machine its CPU.
    /// # Source
    /// Linux Documentation/admin-guide/cgroup-v2.rst (cpu.stat, cpu.max); Documentation/filesystems/proc.rst
    /// (steal).
    code: "peer-cpu-starved",
    title: "the receiving host lacks CPU",
    layer: Host, severity: Critical, on: [Cpu], limits: [CpuStarved],

    /// Share of the periods in which a quota ran out, of CPU time stolen, that a receiver feels.
    const THROTTLED: f64 = 0.1;
    /// Share of the peer's CPU time that its hypervisor gave to others.
    const STOLEN: f64 = 0.1;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let peers = run.peers.iter().filter(|peer| !peer.loopback);
    peers
        .filter_map(|peer| {
            let result = run.net_of(&peer.target).next()?;
            Some(judge(run, peer, result))
        })
        .collect()
}

fn judge(run: &Run, peer: &Peer, result: &NetResult) -> Outcome {
    let quota = peer
        .host
        .as_ref()
        .and_then(|host| host.cgroups.iter().filter_map(|cgroup| cgroup.cpu_quota).min_by(f64::total_cmp));
    if peer.windows.is_empty() && quota.is_none() {
        return unknown!("{} reported nothing about its CPUs", peer.target);
    }
    let by_quota = throttled(peer).or_else(|| at_quota(quota, result)).filter(|_| is_felt(run, peer));
    let of_quota = by_quota.is_some();
    let seen = by_quota.or_else(|| stolen(peer)).or_else(|| taken(run, peer));
    let Some((message, share, evidence, source)) = seen else { return Outcome::Passes };
    RULE.finding(Kind::Cpu.only().at(At::peer(Some(&peer.target))), message)
        .measured(share, 0.0, Unit::Ratio)
        .evidence(evidence, source)
        .evidence(
            format!(
                "window closed {:.0} % of the time, responder used {:.2} s of CPU",
                stream::receiver_limited(result).unwrap_or(0.0) * 100.0,
                result.cpu.server_s
            ),
            "TCP_INFO of the sender, responder",
        )
        .explains(if of_quota {
            run.net_of(&peer.target).map(|result| explain::throttled(run, result, share)).collect()
        } else {
            vec![Explanation::of_path(&peer.target, Mechanism::CpuStarved).active(share)]
        })
        .because("The receiver does not read arrived data because it gets no CPU time.")
        .look("systemd-cgtop -b -n 2 --order=cpu | head -n 40", "Shows which groups use the CPUs")
        .look("grep -rs -v '^max' /sys/fs/cgroup --include=cpu.max || true", "Shows the groups with a quota")
        .now("Remove the quota of the unit that runs the receiver: `systemctl set-property UNIT CPUQuota=`")
        .persist("set CPUQuota= of the unit (or the virtual machine's reservation) to what the load needs")
        .undo("`systemctl set-property UNIT CPUQuota=N%` with the former share")
        .on(Some(&peer.target))
        .expecting("no throttling or steal; throughput at line rate")
        .into()
}

/// Some stream to the peer did not find the path full, or datagrams that arrived were not read in time.
fn is_felt(run: &Run, peer: &Peer) -> bool {
    let mut streams = run.net_of(&peer.target).filter(|one| stream::is_flat_out(one)).peekable();
    let unread = |one: &NetResult| one.udp.as_ref().is_some_and(|udp| udp.receive_buffer_drops > 0);
    streams.peek().is_none()
        || streams.any(|one| !stream::stands_in_queue(one))
        || run.net_of(&peer.target).any(unread)
}

type Seen = Option<(String, f64, String, &'static str)>;

/// The quota ran out again and again.
fn throttled(peer: &Peer) -> Seen {
    let most = |window: &Window, pick: fn(&CgroupCounters) -> Option<u64>| {
        let grown = window.to.cgroups.iter().filter_map(|to| {
            let from = window.from.cgroups.iter().find(|from| from.path == to.path)?;
            Some(pick(to)?.saturating_sub(pick(from)?))
        });
        grown.max().unwrap_or(0)
    };
    let sum = |pick| peer.windows.iter().map(|window| most(window, pick)).fold(0, u64::saturating_add);
    let (stopped, periods) = (sum(|group| group.nr_throttled), sum(|group| group.nr_periods));
    let share = stopped as f64 / periods.max(1) as f64;
    (stopped >= 3 && share >= THROTTLED).then(|| {
        let message = format!("the CPU quota of the responder on {} throttled it in {stopped} of {periods} periods: the receiver gets too little time to read", peer.target);
        (message, share, format!("nr_throttled +{stopped}, nr_periods +{periods}"), "cpu.stat of the peer's control group")
    })
}

/// The responder used all that its quota gives.
fn at_quota(quota: Option<f64>, result: &NetResult) -> Seen {
    let quota = quota.filter(|quota| *quota > 0.0)?;
    let used = result.cpu.server_s / result.duration_s.max(0.1);
    (result.mode == NetMode::Async && quota < 0.9 && used >= 0.8 * quota).then(|| {
        let message = format!("the responder on {} may use {quota:.2} CPUs (cpu.max) and used {used:.2}: the receiver lacks CPU", result.target);
        (message, used / quota, format!("quota {quota:.3} CPUs, used {used:.3}"), "cpu.max of the peer's control group")
    })
}

fn stolen(peer: &Peer) -> Seen {
    let time = cpu::sum(&peer.windows);
    let share = time.ratio(time.steal_ns)?;
    (share >= STOLEN).then(|| {
        let message = format!(
            "the hypervisor took {:.0} % of the CPU of {} (steal): the receiver gets too little CPU time",
            share * 100.0,
            peer.target
        );
        (message, share, format!("steal {:.1} %", share * 100.0), "/proc/stat of the peer")
    })
}

/// Nothing is idle, and neither end of the test used it. Two namespaces share their CPUs: both are counted.
fn taken(run: &Run, peer: &Peer) -> Seen {
    let time = cpu::sum(&peer.windows);
    let results = run.net_of(&peer.target);
    let ours_s: f64 = results.map(|result| result.cpu.client_s + result.cpu.server_s).sum();
    let others = cpu::taken(&time, ours_s)?;
    let own_side = run
        .windows_of(fullwire_model::WindowKind::Net, &peer.target)
        .filter_map(cpu::busiest_cpu)
        .fold(0.0, f64::max);
    // Where this host is as busy, both may be one machine, and the load may be this end's.
    (own_side < 0.9).then(|| {
        let message = format!(
            "other programs use {:.0} % of the CPU of {}, none is idle: the receiver waits for its turn",
            others * 100.0,
            peer.target
        );
        let busy = time.ratio(time.busy_ns()).unwrap_or(1.0);
        let evidence = format!("busy {:.0} %, other programs {:.0} %", busy * 100.0, others * 100.0);
        (message, others, evidence, "/proc/stat of the peer")
    })
}
