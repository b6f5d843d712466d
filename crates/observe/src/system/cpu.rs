//! Processors: topology, frequency, idle states, mitigations.

use crate::root::malformed;
use crate::{Root, text};
use fullwire_model::Gap;
use fullwire_model::counters::Counters;
use fullwire_model::host::{Cpu, Entitlement, Host};
use std::collections::BTreeSet;

const CPUS: &str = "/sys/devices/system/cpu";

/// Flags that rules ask for: is the time-stamp counter usable, is a hypervisor below.
const FLAGS: [&str; 6] = ["constant_tsc", "nonstop_tsc", "tsc_reliable", "hypervisor", "rdtscp", "aes"];

pub(super) fn read(root: &Root, host: &mut Host) {
    let mut cpu = Cpu::default();
    if let Some(text) = root.read("/proc/cpuinfo", &mut host.gaps) {
        cpuinfo(&text, &mut cpu, &mut host.gaps);
    }
    if let Some(online) = root.attribute(&format!("{CPUS}/online")).and_then(|list| text::cpu_list_len(&list))
    {
        cpu.online = online;
    }
    for (node, name) in text::numbered(root.list("/sys/devices/system/node"), "node") {
        if let Some(list) = root.attribute(&format!("/sys/devices/system/node/{name}/cpulist")) {
            cpu.numa_nodes.insert(node, list);
        }
    }
    frequency(root, &mut cpu);
    idle(root, &mut cpu);
    for name in root.list(&format!("{CPUS}/vulnerabilities")) {
        if let Some(state) = root.attribute(&format!("{CPUS}/vulnerabilities/{name}")) {
            cpu.vulnerabilities.insert(name, state);
        }
    }
    let lparcfg = ["/proc/powerpc/lparcfg", "/proc/ppc64/lparcfg"];
    cpu.entitlement = lparcfg.iter().find_map(|path| entitlement(&root.attribute(path)?));
    host.cpu = cpu;
}

/// `/proc/cpuinfo`: one block for each processor; x86 tells sockets and cores.
fn cpuinfo(text: &str, cpu: &mut Cpu, gaps: &mut Vec<Gap>) {
    let (mut sockets, mut cores) = (BTreeSet::new(), BTreeSet::new());
    let mut socket = "";
    for (name, value) in text.lines().filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        match name.trim() {
            "processor" if value.parse::<u32>().is_ok() => cpu.online += 1,
            "model name" | "cpu" | "Processor" if cpu.model.is_empty() => value.clone_into(&mut cpu.model),
            "physical id" => {
                socket = value;
                sockets.insert(value);
            }
            "core id" => {
                cores.insert((socket, value));
            }
            "flags" | "Features" if cpu.flags.is_empty() => {
                let all: BTreeSet<&str> = value.split_whitespace().collect();
                cpu.flags =
                    FLAGS.iter().filter(|flag| all.contains(*flag)).map(|&flag| flag.to_owned()).collect();
            }
            _ => {}
        }
    }
    let count = |set_len: usize| u32::try_from(set_len).ok().filter(|&len| len > 0);
    cpu.sockets = count(sockets.len());
    cpu.cores = count(cores.len());
    if cpu.online == 0 && !text.contains("processors") {
        gaps.push(malformed("/proc/cpuinfo", text.lines().count().max(1), "no line names a processor"));
    }
}

/// Governors and how many CPUs have each. A virtual machine has none.
fn frequency(root: &Root, cpu: &mut Cpu) {
    for policy in root.list(&format!("{CPUS}/cpufreq")) {
        let attribute = |name: &str| root.attribute(&format!("{CPUS}/cpufreq/{policy}/{name}"));
        let Some(governor) = attribute("scaling_governor") else { continue };
        let cpus = attribute("affected_cpus").map_or(1, |list| list.split_whitespace().count());
        *cpu.governors.entry(governor).or_default() += u32::try_from(cpus).unwrap_or(u32::MAX);
        if cpu.frequency_driver.is_none() {
            cpu.frequency_driver = attribute("scaling_driver");
        }
    }
}

/// Idle states that the first CPU may enter.
fn idle(root: &Root, cpu: &mut Cpu) {
    let states = format!("{CPUS}/cpu0/cpuidle");
    for state in root.list(&states) {
        let attribute = |name: &str| root.attribute(&format!("{states}/{state}/{name}"));
        let allowed = attribute("disable").as_deref() == Some("0");
        if let (true, Some(name), Some(latency)) = (allowed, attribute("name"), attribute("latency"))
            && let Ok(latency_us) = latency.parse()
        {
            cpu.idle_states.insert(name, latency_us);
        }
    }
}

/// How often all CPUs together entered each idle state.
pub(super) fn read_idle_counters(root: &Root, counters: &mut Counters) {
    for (_, cpu) in text::numbered(root.list(CPUS), "cpu") {
        let states = format!("{CPUS}/{cpu}/cpuidle");
        for state in root.list(&states) {
            let entries = root.number::<u64>(&format!("{states}/{state}/usage"));
            if let (Some(name), Some(entries)) = (root.attribute(&format!("{states}/{state}/name")), entries)
            {
                let sum = counters.idle_states.entry(name).or_default();
                *sum = sum.saturating_add(entries);
            }
        }
    }
}

/// `NAME=VALUE` lines of `lparcfg`; capacity is in hundredths of a processor (arch/powerpc/platforms/pseries/lparcfg.c).
/// A partition with processors of its own has none to share.
fn entitlement(text: &str) -> Option<Entitlement> {
    let value = |name: &str| {
        let own = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        own.and_then(|value| value.trim().parse::<u32>().ok())
    };
    let shared = value("shared_processor_mode")? == 1;
    let own = Entitlement {
        processors: f64::from(value("partition_entitled_capacity")?) / 100.0,
        virtual_processors: value("partition_active_processors")?,
        capped: value("capped")? == 1,
    };
    shared.then_some(own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::written;

    #[test]
    fn a_shared_partition_has_an_entitlement() {
        let text = "lparcfg 1.9\nDesEntCap=120\npartition_entitled_capacity=120\ncapped=1\n\
                    partition_active_processors=8\nshared_processor_mode=1\n";
        let own = entitlement(text).expect("a shared partition");
        assert_eq!((own.processors, own.virtual_processors, own.capped), (1.2, 8, true));
        assert_eq!(entitlement(&text.replace("mode=1", "mode=0")), None);
        assert_eq!(entitlement("lparcfg 1.9\n"), None);
    }

    #[test]
    fn counts_sockets_and_cores() {
        let block = |processor: u32, socket: u32, core: u32| {
            format!(
                "processor\t: {processor}\nmodel name\t: Some CPU @ 2.1GHz\nphysical id\t: {socket}\ncore id\t\t: {core}\n\
                 flags\t\t: fpu constant_tsc nonstop_tsc\n\n"
            )
        };
        let text: String =
            [(0, 0, 0), (1, 0, 0), (2, 1, 0), (3, 1, 0)].map(|(p, s, c)| block(p, s, c)).concat();
        let mut cpu = Cpu::default();
        cpuinfo(&text, &mut cpu, &mut Vec::new());
        assert_eq!((cpu.online, cpu.sockets, cpu.cores), (4, Some(2), Some(2)));
        assert_eq!(cpu.model, "Some CPU @ 2.1GHz");
        assert_eq!(cpu.flags, ["constant_tsc", "nonstop_tsc"]);
    }

    #[test]
    fn a_file_without_a_processor_is_a_gap() {
        let mut gaps = Vec::new();
        cpuinfo("garbage\n", &mut Cpu::default(), &mut gaps);
        assert!(gaps[0].detail.starts_with("/proc/cpuinfo:1: "), "{gaps:?}");
    }

    #[test]
    fn idle_states_are_counted_over_all_cpus() {
        let tree = tempfile::tempdir().unwrap();
        let file = |path: &str, text: &str| {
            written(tree.path(), &format!("sys/devices/system/cpu/{path}"), text);
        };
        for (cpu, entries) in [("cpu0", "700\n"), ("cpu11", "42\n")] {
            file(&format!("{cpu}/cpuidle/state0/name"), "POLL\n");
            file(&format!("{cpu}/cpuidle/state0/usage"), "5\n");
            file(&format!("{cpu}/cpuidle/state3/name"), "C6\n");
            file(&format!("{cpu}/cpuidle/state3/usage"), entries);
        }
        file("cpuidle/current_driver", "intel_idle\n");
        let mut counters = Counters::default();
        read_idle_counters(&Root::tree(tree.path()).unwrap(), &mut counters);
        let expected = [("C6".to_owned(), 742), ("POLL".to_owned(), 10)];
        assert_eq!(counters.idle_states.into_iter().collect::<Vec<_>>(), expected);
    }
}
