//! Memory, huge pages, NUMA nodes, memory-controller errors.

use crate::root::malformed;
use crate::{Root, text};
use fullwire_model::Gap;
use fullwire_model::counters::Counters;
use fullwire_model::host::{Host, Memory, MemoryModule};

const MEMINFO: &str = "/proc/meminfo";

/// What replaces it in a sosreport that lacks `/proc/meminfo`.
const FREE: &str = "/sos_commands/memory/free";

/// What the tools of `VMware` print in a sosreport: `20480 MB`.
const BALLOON: &str = "/sos_commands/vmware/vmware-toolbox-cmd_stat_balloon";

/// What a supportconfig watched for three seconds.
const VMSTAT: &str = "/sos_commands/memory/vmstat_1_4";

pub(super) fn read(root: &Root, host: &mut Host) {
    let mut memory = Memory::default();
    match root.try_read(MEMINFO, 1 << 16) {
        Ok((text, _)) => meminfo(&text, &mut memory, &mut host.gaps),
        Err(error) => {
            host.gaps.push(crate::root::gap_of(MEMINFO, &error));
            if let Some(text) = root.attribute(FREE) {
                free(&text, &mut memory);
            }
        }
    }
    let thp = |name: &str| root.attribute(&format!("/sys/kernel/mm/transparent_hugepage/{name}"));
    memory.transparent_huge_pages = thp("enabled").and_then(|text| text::chosen(&text));
    memory.transparent_huge_pages_defrag = thp("defrag").and_then(|text| text::chosen(&text));
    for (node, name) in text::numbered(root.list("/sys/devices/system/node"), "node") {
        let path = format!("/sys/devices/system/node/{name}/meminfo");
        if let Some(both) = root.attribute(&path).and_then(|text| node_meminfo(&text)) {
            memory.numa_nodes.insert(node, both);
        }
    }
    memory.edac_errors =
        edac(root).map(|all| all.iter().fold([0, 0], |sum, (_, [ce, ue])| [sum[0] + ce, sum[1] + ue]));
    memory.faulty_modules = faulty_modules(root);
    memory.balloon_bytes = root.attribute(BALLOON).and_then(|text| balloon(&text));
    let swapped = root.attribute(VMSTAT).and_then(|text| swapped(&text));
    (memory.swap_in_bytes_per_s, memory.swap_out_bytes_per_s) = swapped.unzip();
    host.memory = memory;
}

/// What changes all the time: available memory, swap.
pub(super) fn read_levels(root: &Root, counters: &mut Counters) {
    if let Some(text) = root.read(MEMINFO, &mut counters.gaps) {
        counters.mem_available_bytes = text::field(&text, "MemAvailable").and_then(text::kib);
        counters.swap_free_bytes = text::field(&text, "SwapFree").and_then(text::kib);
    }
}

/// Error counters of memory and CPUs.
pub(super) fn read_errors(root: &Root, counters: &mut Counters) {
    for (controller, [ce, ue]) in edac(root).unwrap_or_default() {
        counters.errors.insert(format!("{controller}/ce_count"), ce);
        counters.errors.insert(format!("{controller}/ue_count"), ue);
    }
    throttles(root, counters);
}

/// Times that CPUs were slowed down for heat. One pair of files for each CPU; a virtual machine has none.
fn throttles(root: &Root, counters: &mut Counters) {
    if !root.exists("/sys/devices/system/cpu/cpu0/thermal_throttle") {
        return;
    }
    for (_, cpu) in text::numbered(root.list("/sys/devices/system/cpu"), "cpu") {
        for name in ["core_throttle_count", "package_throttle_count"] {
            let path = format!("/sys/devices/system/cpu/{cpu}/thermal_throttle/{name}");
            if let Some(count) = root.number(&path) {
                counters.errors.insert(format!("{cpu}/{name}"), count);
            }
        }
    }
}

fn meminfo(text: &str, memory: &mut Memory, gaps: &mut Vec<Gap>) {
    for (index, line) in text.lines().enumerate() {
        let Some((name, value)) = line.split_once(':') else {
            gaps.push(malformed(MEMINFO, index + 1, "no colon"));
            continue;
        };
        let slot = match name {
            "MemTotal" => &mut memory.total_bytes,
            "MemAvailable" => &mut memory.available_bytes,
            "MemFree" => &mut memory.free_bytes,
            "Cached" => &mut memory.cached_bytes,
            "Dirty" => &mut memory.dirty_bytes,
            "SwapTotal" => &mut memory.swap_total_bytes,
            "CommitLimit" => &mut memory.commit_limit_bytes,
            "Committed_AS" => &mut memory.committed_bytes,
            "PageTables" => &mut memory.page_tables_bytes,
            "Hugepagesize" => &mut memory.huge_page_bytes,
            "HugePages_Total" => &mut memory.huge_pages_total,
            "HugePages_Free" => &mut memory.huge_pages_free,
            "HugePages_Rsvd" => &mut memory.huge_pages_reserved,
            _ => continue,
        };
        *slot = text::kib(value);
        if slot.is_none() {
            gaps.push(malformed(MEMINFO, index + 1, "the value is not a number of kB"));
        }
    }
}

/// `free`, in KiB, by the names in its header: total, used, free, shared, buff/cache, available.
fn free(text: &str, memory: &mut Memory) {
    let header: Vec<&str> = text.lines().next().unwrap_or_default().split_whitespace().collect();
    let cell = |row: &str, column: &str| -> Option<u64> {
        let at = header.iter().position(|name| *name == column)?;
        let line = text.lines().find_map(|line| line.strip_prefix(row))?;
        line.split_whitespace().nth(at)?.parse::<u64>().ok()?.checked_mul(1024)
    };
    memory.total_bytes = cell("Mem:", "total");
    memory.free_bytes = cell("Mem:", "free");
    memory.available_bytes = cell("Mem:", "available");
    memory.swap_total_bytes = cell("Swap:", "total");
}

/// `20480 MB` (vmware-toolbox-cmd, `stat balloon`).
fn balloon(text: &str) -> Option<u64> {
    text.trim().strip_suffix(" MB")?.parse::<u64>().ok()?.checked_mul(1 << 20)
}

/// Swapped in and out, bytes/s: the mean of the lines of vmstat(8) after the first, which is of the time since boot.
/// `si` and `so` are KiB.
fn swapped(text: &str) -> Option<(f64, f64)> {
    let mut lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let header = lines.find(|words| words.contains(&"si") && words.contains(&"so"))?;
    let place = |name: &str| header.iter().position(|word| *word == name);
    let (si, so) = (place("si")?, place("so")?);
    let rows: Vec<(f64, f64)> = lines
        .map_while(|words| {
            let kib = |at: usize| words.get(at)?.parse::<u32>().ok().map(f64::from);
            Some((kib(si)?, kib(so)?))
        })
        .skip(1)
        .collect();
    let mean = |pick: fn(&(f64, f64)) -> f64| rows.iter().map(pick).sum::<f64>() * 1024.0 / rows.len() as f64;
    (!rows.is_empty()).then(|| (mean(|row| row.0), mean(|row| row.1)))
}

/// `Node 0 MemTotal:  16 kB`: total and free.
fn node_meminfo(text: &str) -> Option<[u64; 2]> {
    let value = |name: &str| {
        let line = text.lines().find(|line| line.split_whitespace().nth(2) == Some(name))?;
        text::kib(line.split_once(':')?.1)
    };
    Some([value("MemTotal:")?, value("MemFree:")?])
}

/// Corrected and uncorrected errors of each memory controller; `None` without EDAC.
fn edac(root: &Root) -> Option<Vec<(String, [u64; 2])>> {
    let path = "/sys/devices/system/edac/mc";
    let controllers = text::numbered(root.try_list(path).ok()?, "mc");
    let read = |name: &str| {
        Some([
            root.number(&format!("{path}/{name}/ce_count"))?,
            root.number(&format!("{path}/{name}/ue_count"))?,
        ])
    };
    let all: Vec<_> =
        controllers.into_iter().filter_map(|(_, name)| Some((name.clone(), read(&name)?))).collect();
    (!all.is_empty()).then_some(all)
}

/// A machine has fewer memory controllers and modules.
const MOST_MODULES: usize = 1024;

/// The modules with errors: `dimmN` or `rankN` of each controller (Documentation/admin-guide/RAS), and in kernels before
/// 3.6 its `csrowN`.
fn faulty_modules(root: &Root) -> Vec<MemoryModule> {
    let top = "/sys/devices/system/edac/mc";
    let mut found = Vec::new();
    for (_, controller) in text::numbered(root.list(top), "mc") {
        let entries = root.list(&format!("{top}/{controller}"));
        let modules = |start: &str| -> Vec<String> {
            entries.iter().filter(|name| name.starts_with(start)).take(MOST_MODULES).cloned().collect()
        };
        let mut named = modules("dimm");
        named.extend(modules("rank"));
        let (names, prefix, label) = if named.is_empty() {
            (modules("csrow"), "", "ch0_dimm_label")
        } else {
            (named, "dimm_", "dimm_label")
        };
        for name in names {
            let path = format!("{top}/{controller}/{name}");
            let count = |kind: &str| root.number(&format!("{path}/{prefix}{kind}")).unwrap_or(0);
            let (corrected, uncorrected) = (count("ce_count"), count("ue_count"));
            if corrected > 0 || uncorrected > 0 {
                let label = root.attribute(&format!("{path}/{label}")).filter(|label| !label.is_empty());
                let name = label.unwrap_or_else(|| format!("{controller}/{name}"));
                found.push(MemoryModule { name, corrected, uncorrected });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::written;

    #[test]
    fn reads_a_meminfo_and_names_a_bad_line() {
        let text = "MemTotal:       16311104 kB\nMemFree:  many kB\nHugePages_Total:    4096\nHugepagesize:       2048 kB\nbroken\n";
        let (mut memory, mut gaps) = (Memory::default(), Vec::new());
        meminfo(text, &mut memory, &mut gaps);
        assert_eq!(memory.total_bytes, Some(16_311_104 * 1024));
        assert_eq!((memory.huge_pages_total, memory.huge_page_bytes), (Some(4096), Some(2 << 20)));
        let details: Vec<&str> = gaps.iter().map(|gap| gap.detail.as_str()).collect();
        assert_eq!(
            details,
            ["/proc/meminfo:2: the value is not a number of kB", "/proc/meminfo:5: no colon"]
        );
    }

    #[test]
    fn reads_what_vmstat_saw_and_not_what_was_since_boot() {
        let text = "procs -----------memory---------- ---swap-- -----io----\n r  b   swpd   free   buff  cache   si   so    bi    bo\n 2  9 197 576 104 440  210  280   210   180\n 9 14 197 571 104 440 400 600 912 612\n 8 17 197 570 104 440 200 400 882 582\n";
        assert_eq!(swapped(text), Some((300.0 * 1024.0, 500.0 * 1024.0)));
        let since_boot = text.lines().take(3).collect::<Vec<_>>().join("\n");
        assert_eq!(swapped(&since_boot), None);
        assert_eq!((swapped(""), swapped("si so\n1 x\n")), (None, None));
    }

    #[test]
    fn reads_the_balloon_of_vmware() {
        assert_eq!(balloon("20480 MB\n"), Some(20 << 30));
        assert_eq!(balloon("Error: vmware-toolbox-cmd must be run inside a virtual machine.\n"), None);
    }

    #[test]
    fn reads_free() {
        let mut memory = Memory::default();
        free(
            "       total   used   free  shared  buff/cache   available\nMem:    100     50     20       1          30          45\nSwap:     8      0      8\n",
            &mut memory,
        );
        assert_eq!((memory.total_bytes, memory.available_bytes), (Some(102_400), Some(46_080)));
        assert_eq!((memory.free_bytes, memory.swap_total_bytes), (Some(20_480), Some(8192)));
    }

    #[test]
    fn the_modules_that_counted_errors() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        for (path, text) in [
            ("mc0/ce_count", "12"),
            ("mc0/ue_count", "0"),
            ("mc0/dimm0/dimm_label", "CPU1_DIMM_A1"),
            ("mc0/dimm0/dimm_ce_count", "0"),
            ("mc0/dimm0/dimm_ue_count", "0"),
            ("mc0/dimm3/dimm_label", "CPU1_DIMM_B2"),
            ("mc0/dimm3/dimm_ce_count", "12"),
            ("mc0/dimm3/dimm_ue_count", "0"),
            ("mc1/csrow0/ce_count", "0"),
            ("mc1/csrow0/ue_count", "2"),
        ] {
            written(dir.path(), &format!("sys/devices/system/edac/mc/{path}"), &format!("{text}\n"));
        }
        let modules = faulty_modules(&Root::tree(dir.path()).expect("opened"));
        let told: Vec<_> =
            modules.iter().map(|one| (one.name.as_str(), one.corrected, one.uncorrected)).collect();
        assert_eq!(told, [("CPU1_DIMM_B2", 12, 0), ("mc1/csrow0", 0, 2)]);
    }

    #[test]
    fn reads_a_node() {
        let text = "Node 1 MemTotal:       16508064 kB\nNode 1 MemFree:        15000000 kB\n";
        assert_eq!(node_meminfo(text), Some([16_508_064 * 1024, 15_000_000 * 1024]));
        assert_eq!(node_meminfo("Node 1"), None);
    }
}
