use crate::advice::condition::every_line;

rule! {
    /// # What it checks
    /// Passes when the soft interrupts of the network do not use up one CPU while others idle.
    /// # Why it matters
    /// Every packet of a queue is handled on one CPU. With one queue, or all interrupts on one CPU, the network
    /// ends there, far below the wire, on a host that looks idle.
    /// # Evidence
    /// Soft and hard interrupt time of each CPU over the probe; queues (`ethtool -l`); affinity of the
    /// interrupts.
    /// # Remedy
    /// `ethtool -L X combined N`, irqbalance or `smp_affinity`; where the interface has one queue only: RPS
    /// (`rps_cpus`).
    /// # Source
    /// Linux Documentation/networking/scaling.rst (RSS, RPS: the bottleneck is a CPU at 100 % in softirq).
    code: "nic-softirq-one-cpu",
    title: "one CPU handles all received packets",
    layer: Network, severity: Warning, on: [Nic], limits: [InterruptCpu],

    /// Share of one CPU spent in interrupts, and of the rest of the host that is idle.
    const USED_UP: f64 = 0.9;
    /// The other CPUs together are idle for at least this share: work could be spread.
    const IDLE: f64 = 0.3;
    /// What Linux can be built for.
    const MOST_CPUS: u32 = 8192;
}

fn check(run: &Facts) -> Vec<Outcome> {
    each::nic(
        run,
        |side, nic| each::in_use(side, nic) && !side.paths_over(run, &nic.name).is_empty(),
        |side, nic| judge(run, side, nic),
    )
}

fn judge(run: &Run, side: &side::Side, nic: &Nic) -> Outcome {
    let Some((cpu, share, idle)) =
        side.windows.iter().filter_map(|window| busiest(window)).max_by(|a, b| a.1.total_cmp(&b.1))
    else {
        return unknown!(
            "the CPUs of {} were not counted over a probe",
            side.peer.map_or("this host", PathName::as_str)
        );
    };
    if share < USED_UP || idle < IDLE {
        return Outcome::Passes;
    }
    let channels = nic.channels.clone().unwrap_or_default();
    let at = side.subject(Kind::Nic, &nic.name);
    let finding = finding!(
        &at,
        "CPU {cpu} spends {:.0} % of its time in network interrupts of {at} ({} of {} queues) while {:.0} % of the host is idle", share * 100.0, channels.combined, channels.combined_max, idle * 100.0,
    )
        .measured(share, USED_UP, Unit::Ratio)
        .evidence(format!("CPU {cpu}: softirq and irq {:.0} %, idle of all {:.0} %", share * 100.0, idle * 100.0), side.source("/proc/stat"))
        .advice(advice(side, nic).on(side.peer));
    let explained = explain::paths_over(run, side, &nic.name, Mechanism::InterruptCpu);
    finding.explains(explained.into_iter().map(|one| one.active(share))).into()
}

/// More queues up to what card and CPUs have; at that, the packets are handed on by software (RPS).
fn advice(side: &side::Side, nic: &Nic) -> Advice {
    let why = "The packets of one queue are handled by one CPU; more queues, or RPS, use more of them.";
    let expect = "the load spreads over the CPUs; throughput grows";
    let channels = nic.channels.clone().unwrap_or_default();
    let wanted = channels.combined_max.min(side.host.cpu.online);
    if channels.combined > 0 && channels.combined < wanted {
        let sizes = [sh!("combined {}", wanted), sh!("combined {}", channels.combined)];
        return set_ethtool(side.host, &nic.name, "-L", sizes, why, expect);
    }
    let Some(mask) = cpus_of(side.host, nic).and_then(|cpus| mask(&cpus)) else {
        return because(why)
            .now(format!(
                "Hand the packets of {} to the CPUs of its own NUMA node: rps_cpus of its receive queues, a mask in groups \
                 of 8 hexadecimal digits with commas between them",
                nic.name
            ))
            .undo("Write 0 to rps_cpus of the same queues")
            .expecting(expect);
    };
    let set = |mask: &str| {
        sh!("for f in /sys/class/net/{}/queues/rx-*/rps_cpus; do echo {} > $f; done", nic.name, mask)
    };
    // The kernel shows the mask with zeros before it and commas within it.
    let is_set = |mask: &str| {
        let digits = mask.replace(',', "");
        let shown = format!("^0*{}$", digits.trim_start_matches('0'));
        every_line(&sh!("cat /sys/class/net/{}/queues/rx-*/rps_cpus | tr -d ,", nic.name), &shown)
    };
    let advice = because(why)
        .run(set(&mask), "Hands packets to the CPUs of the interface's NUMA node after the queue")
        .reads_back(is_set(&mask));
    by_udev(advice, &nic.name, &sh!("/bin/sh -c {}", set(&mask).to_string()))
        .undo_run(set("0"), "Leaves packets on the CPU of their queue")
        .reads_back(is_set("0"))
        .expecting(expect)
}

/// The CPUs of the interface's NUMA node; of a host with one node, or without, all of them.
fn cpus_of(host: &Host, nic: &Nic) -> Option<Vec<u32>> {
    let nodes = &host.cpu.numa_nodes;
    let node = match nodes.len() {
        0 => return (host.cpu.online > 0).then(|| (0..host.cpu.online).collect()),
        1 => nodes.values().next()?,
        _ => nodes.get(&u32::try_from(nic.numa_node?).ok()?)?,
    };
    let range = |part: &str| -> Option<Vec<u32>> {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to): (u32, u32) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
        (to < MOST_CPUS).then(|| (from..=to).collect())
    };
    let ranges: Option<Vec<Vec<u32>>> = node.split(',').map(range).collect();
    Some(ranges?.concat())
}

/// `00000003,ffffffff`: groups of eight hexadecimal digits, for more in one are refused (lib/bitmap-str.c).
fn mask(cpus: &[u32]) -> Option<String> {
    let last = *cpus.iter().max()?;
    let mut groups = vec![0_u32; last as usize / 32 + 1];
    for cpu in cpus {
        groups[*cpu as usize / 32] |= 1 << (cpu % 32);
    }
    let text: Vec<String> = groups.iter().rev().map(|group| format!("{group:08x}")).collect();
    Some(text.join(","))
}

/// The CPU with the most interrupt time in a window, its share, and the idle share of all.
fn busiest(window: &fullwire_model::Window) -> Option<(u32, f64, f64)> {
    let shares = window.to.cpus.iter().filter_map(|(cpu, to)| {
        let grown = to.since(window.from.cpus.get(cpu)?);
        let total = grown.total_ns();
        (total > 0).then(|| {
            (
                *cpu,
                grown.softirq_ns.saturating_add(grown.irq_ns) as f64 / total as f64,
                grown.idle_ns as f64 / total as f64,
            )
        })
    });
    let shares: Vec<(u32, f64, f64)> = shares.collect();
    let idle = shares.iter().map(|(_, _, idle)| idle).sum::<f64>() / shares.len().max(1) as f64;
    shares.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(cpu, share, _)| (cpu, share, idle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_has_groups_and_the_cpus_of_the_node() {
        assert_eq!(mask(&[0, 1, 2, 3]).as_deref(), Some("0000000f"));
        let many: Vec<u32> = (0..64).collect();
        assert_eq!(mask(&many).as_deref(), Some("ffffffff,ffffffff"));
        let mut host = Host::default();
        host.cpu.online = 64;
        host.cpu.numa_nodes = [(0, "0-15,32-47".to_owned()), (1, "16-31,48-63".to_owned())].into();
        let of =
            |numa_node| cpus_of(&host, &Nic { numa_node, ..Nic::default() }).and_then(|cpus| mask(&cpus));
        assert_eq!(of(Some(1)).as_deref(), Some("ffff0000,ffff0000"));
        assert_eq!(of(None), None, "whose CPUs are near is not known");
    }
}
