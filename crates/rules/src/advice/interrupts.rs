//! Interrupts moved to other CPUs: each goes back to where it was.
//!
//! Source: Linux Documentation/core-api/irq/irq-affinity.rst; irqbalance(1) (it places the interrupts of all devices anew every
//! ten seconds, whoever placed them before).

use super::{AdviceExt, because, sh};
use fullwire_model::assessment::{Advice, ShellCommand, StepKind};

/// Spreads the interrupts of one interface over the CPUs from the first to the last: a card's interrupts have numbers in a
/// row.
pub(crate) fn spread_interrupts(nic: &str, [first, last]: [u32; 2]) -> Advice {
    let cpu = sh!("$(({} + irq % {}))", first, last - first + 1);
    place(nic, "spread", &cpu, "Gives the interrupts of the interface to the CPUs in turn")
}

/// Moves the interrupts of one interface to a list of CPUs.
pub(crate) fn move_interrupts(nic: &str, list: &str) -> Advice {
    place(nic, "moved", &sh!("{}", list), "Moves the interrupts to the CPUs of the card's node")
}

/// What irqbalance places would be placed again within seconds. Each way has a file of its own for what was before it, so that
/// one after the other is taken back one after the other.
fn place(nic: &str, way: &str, cpus: &ShellCommand, what: &str) -> Advice {
    let each = sh!("for irq in $(ls /sys/class/net/{}/device/msi_irqs)", nic);
    let saved = format!("/root/fullwire-irqs-{}-{way}.txt", nic.replace('/', "-"));
    because("")
        .run(
            sh!(
                "{}; do echo $irq $(cat /proc/irq/$irq/smp_affinity_list); done > {}",
                each,
                saved
            ),
            format!("Saves where each interrupt may run to {saved}"),
        )
        .kind(StepKind::Save, "")
        .writes(saved.clone())
        .run(sh!("{}; do echo {} > /proc/irq/$irq/smp_affinity_list; done", each, cpus), what)
        .check("pgrep -x irqbalance > /dev/null; test $? = 1", "irqbalance, which would place them again within seconds, does not run")
        .needs(UNPINNED)
        .reads_back(sh!(
            "ls /sys/class/net/{}/device/msi_irqs > /dev/null && {}; do grep -qx {} /proc/irq/$irq/smp_affinity_list || exit 1; done",
            nic,
            each,
            cpus
        ))
        .persist("The vendor's script (set_irq_affinity) or a unit at boot; where irqbalance runs, a policy script of it (--policyscript) instead, because it moves them again")
        .undo_run(
            sh!(
                "test -s {} && cat {} | while read irq cpus; do echo $cpus > /proc/irq/$irq/smp_affinity_list; done",
                saved,
                saved
            ),
            "Puts each interrupt back where it was",
        )
}

const UNPINNED: &str =
    "nobody places interrupts on purpose here (set_irq_affinity, a profile of tuned, isolated CPUs)";

/// Starts irqbalance, having written down where the interrupts of all devices are.
pub(crate) fn start_irqbalance() -> Advice {
    because("")
        .run(
            "for file in /proc/irq/[0-9]*/smp_affinity_list; do echo $file $(cat $file); done > /root/fullwire-irqs.txt",
            "Saves where each interrupt of the host may run to /root/fullwire-irqs.txt",
        )
        .kind(StepKind::Save, "")
        .writes("/root/fullwire-irqs.txt")
        .run("systemctl start irqbalance", "Spreads the interrupts of all devices over the CPUs")
        .check(
            "grep -qE 'isolcpus=|nohz_full=|irqaffinity=' /proc/cmdline; test $? = 1",
            "no CPUs are set apart on the kernel's command line",
        )
        .needs(UNPINNED)
        .persist_run("systemctl enable irqbalance", "Starts it at boot")
        .undo_now_run(
            // The kernel keeps the interrupts of some devices to itself, and refuses.
            "systemctl stop irqbalance; test -s /root/fullwire-irqs.txt && cat /root/fullwire-irqs.txt | while read file cpus; do echo $cpus > $file || true; done",
            "Stops it and puts each interrupt back where it was",
        )
        .undo_persist_run("systemctl disable irqbalance", "Leaves it out at boot, unless it was enabled before")
}
