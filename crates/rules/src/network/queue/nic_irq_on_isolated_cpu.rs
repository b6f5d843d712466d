rule! {
    /// # What it checks
    /// Applies where the kernel was started with `isolcpus` or `nohz_full`. Passes when no interface in use has an
    /// interrupt that may run on these CPUs alone.
    /// # Why it matters
    /// Isolated CPUs are to run one task without disturbance; an interrupt there disturbs it, and its softirq work is not
    /// moved elsewhere.
    /// # Evidence
    /// The kernel's command line, `/proc/irq/N/smp_affinity_list`.
    /// # Remedy
    /// `irqaffinity=` on the kernel's command line, or the affinity of these interrupts.
    /// # Source
    /// Linux Documentation/admin-guide/kernel-parameters.txt (isolcpus, `nohz_full`, irqaffinity).
    code: "nic-irq-on-isolated-cpu",
    title: "an interface interrupts CPUs that are isolated",
    layer: Network, severity: Info, on: [Nic],
    when: |run| !isolated(&run.host).is_empty(),
}

fn check(run: &Facts) -> Vec<Outcome> {
    let wanted = |side: &side::Side, nic: &Nic| {
        side.peer.is_none() && nic.kind == "physical" && each::in_use(side, nic)
    };
    each::nic(run, wanted, judge)
}

/// The CPUs of `isolcpus=[FLAGS,]LIST` and `nohz_full=LIST`.
fn isolated(host: &Host) -> BTreeSet<u32> {
    let options = host.os.command_line.split_whitespace();
    let lists =
        options.filter_map(|word| word.strip_prefix("isolcpus=").or_else(|| word.strip_prefix("nohz_full=")));
    lists.flat_map(cpu::cpu_list).collect()
}

fn judge(side: &side::Side, nic: &Nic) -> Outcome {
    let name = &nic.name;
    if nic.irq_affinity.is_empty() {
        return facts::unread(&format!("where the interrupts of {name} run"));
    }
    let isolated = isolated(side.host);
    let bound_there = |list: &String| {
        let cpus = cpu::cpu_list(list);
        !cpus.is_empty() && cpus.is_subset(&isolated)
    };
    let there: Vec<&str> =
        nic.irq_affinity.iter().filter(|(_, list)| bound_there(list)).map(|(irq, _)| irq.as_str()).collect();
    if there.is_empty() {
        return Outcome::Passes;
    }
    let cpus: Vec<String> = isolated.iter().map(u32::to_string).collect();
    finding!(Kind::Nic.named(name), "{} of {name} run on isolated CPUs only: {}", facts::words::counted(there.len() as u64, "interrupt"), facts::listed(&there))
        .measured(there.len() as f64, 0.0, Unit::Count)
        .evidence(format!("isolated CPUs {}", facts::listed(&cpus)), "/proc/cmdline")
        .evidence(format!("affinity of {}", facts::listed(&there)), "/proc/irq")
        .because("An isolated CPU should run nothing but its own task.")
        .now(format!("For each of them: echo CPUS > /proc/irq/IRQ/smp_affinity_list with the CPUs that are not isolated; fewer queues (`ethtool -L {name} combined N`) also help", name = as_word(name)))
        .persist("irqaffinity=CPUS on the kernel's command line, with the CPUs that are not isolated")
        .undo("Write the former lists back")
        .expecting("the columns of the isolated CPUs in /proc/interrupts no longer grow")
        .into()
}
