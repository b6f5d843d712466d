//! Control groups: what limits us and the databases, and what the limits did. Version 2, or the controllers
//! of version 1.

use super::stat::{pressure_mean, pressure_total_us};
use crate::Root;
use fullwire_model::Gap;
use fullwire_model::counters::CgroupCounters;
use fullwire_model::host::{Cgroup, Database, IoMax};
use std::collections::BTreeMap;

const MOUNT: &str = "/sys/fs/cgroup";

/// `ip netns exec` and some service sandboxes mount their own /sys without the control groups; those of the first
/// process are the same ones.
const MOUNT_OF_INIT: &str = "/proc/1/root/sys/fs/cgroup";

/// Where the control groups are mounted, as far as we can see.
fn mount(root: &Root) -> &'static str {
    let is_empty = |mount| root.list(mount).is_empty();
    if is_empty(MOUNT) && !is_empty(MOUNT_OF_INIT) { MOUNT_OF_INIT } else { MOUNT }
}

/// Groups nest some ten deep; beyond this something is wrong.
const MAX_DEPTH: usize = 32;

/// Version 1 writes "no limit" as the largest page-aligned number.
const V1_UNLIMITED_BYTES: u64 = 0x7fff_ffff_ffff_0000;

/// A process's groups: the path for each version-1 controller, and under `""` that of version 2.
type Membership = BTreeMap<String, String>;

/// The path by which a process's group goes into a record: version 2's, or that of the CPU controller.
pub(super) fn path_of(root: &Root, pid: &str) -> Option<String> {
    let membership = membership(&root.attribute(&format!("/proc/{pid}/cgroup"))?);
    let controllers = if is_v1(root) { ["cpu", "memory", ""] } else { ["", "cpu", "memory"] };
    controllers.iter().find_map(|controller| membership.get(*controller)).cloned()
}

/// Where a process stands for systemd and for the CPU: on version 1 the latter has no unit unless its CPU is counted. The top
/// says nothing.
pub(super) fn all_of(root: &Root, pid: u32) -> Vec<String> {
    let mut membership = membership(&root.attribute(&format!("/proc/{pid}/cgroup")).unwrap_or_default());
    let all = ["", "name=systemd", "cpu"].into_iter().filter_map(|controller| membership.remove(controller));
    all.filter(|path| path.len() > 1).collect()
}

/// Version 1 in use: its CPU controller is mounted.
fn is_v1(root: &Root) -> bool {
    root.exists(&format!("{}/cpu", mount(root)))
}

/// Lines `ID:controller,controller:path`.
fn membership(text: &str) -> Membership {
    let mut all = Membership::new();
    for line in text.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        if let (Some(controllers), Some(path)) = (parts.next(), parts.next()) {
            for controller in controllers.split(',') {
                all.insert(controller.to_owned(), path.to_owned());
            }
        }
    }
    all
}

/// A path and all above it, outermost first, without the top (which has no limits).
fn chain(path: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut built = String::new();
    for name in path.split('/').filter(|name| !name.is_empty() && *name != "..").take(MAX_DEPTH) {
        built = format!("{built}/{name}");
        all.push(built.clone());
    }
    if all.is_empty() {
        all.push("/".to_owned()); // a container sees its own group as the top
    }
    all
}

/// Our own group and its parents, then those of the databases that are not among them.
fn paths(root: &Root, others: &[String]) -> Vec<String> {
    let own = path_of(root, "self");
    let mut all: Vec<String> = Vec::new();
    for path in own.iter().chain(others.iter().filter(|path| !path.is_empty())) {
        for path in chain(path) {
            if !all.contains(&path) {
                all.push(path);
            }
        }
    }
    all
}

/// Limits, outermost first.
pub(super) fn limits(root: &Root, databases: &[Database], gaps: &mut Vec<Gap>) -> Vec<Cgroup> {
    note_missing(root, gaps);
    let read = if is_v1(root) { limits_v1 } else { limits_v2 };
    let others: Vec<String> = databases.iter().map(|database| database.cgroup.clone()).collect();
    paths(root, &others).into_iter().map(|path| read(root, path)).collect()
}

/// The tightest CPU quota of our own groups, CPUs; `None`: none has one that can be read.
pub(crate) fn cpu_quota(root: &Root) -> Option<f64> {
    let read = if is_v1(root) { limits_v1 } else { limits_v2 };
    let own = chain(&path_of(root, "self")?).into_iter();
    own.filter_map(|path| read(root, path).cpu_quota).reduce(f64::min)
}

/// Counters of the same groups, and of others that were named.
pub(super) fn counters(root: &Root, others: &[String], gaps: &mut Vec<Gap>) -> Vec<CgroupCounters> {
    note_missing(root, gaps);
    let read = if is_v1(root) { counters_v1 } else { counters_v2 };
    paths(root, others).into_iter().map(|path| read(root, path)).collect()
}

/// What the tightest of our own groups leaves, bytes; `None`: none has a limit that can be read.
///
/// Below `memory.high` and `memory.max`, with the file pages that nobody used lately: the kernel drops these first. It is
/// what Kubernetes counts as available (Kubernetes, Node-pressure Eviction, `memory.available`).
pub(crate) fn memory_room(root: &Root) -> Option<(String, u64)> {
    let (v1, own) = (is_v1(root), path_of(root, "self")?);
    let left = |path: String| {
        let (limits, used, stat, name) = if v1 {
            let stat = format!("{}/{}", mount(root), v1_file("memory/memory.stat", &path));
            (limits_v1(root, path.clone()), counters_v1(root, path.clone()), stat, "total_inactive_file")
        } else {
            let stat = format!("{}{path}/memory.stat", v2_mount(root));
            (limits_v2(root, path.clone()), counters_v2(root, path.clone()), stat, "inactive_file")
        };
        let unused = value(&root.attribute(&stat)?, name)?;
        let held = used.memory_current_bytes?.saturating_sub(unused);
        Some((path, limits.memory_limit_bytes()?.saturating_sub(held)))
    };
    chain(&own).into_iter().filter_map(left).min_by_key(|(_, bytes)| *bytes)
}

fn note_missing(root: &Root, gaps: &mut Vec<Gap>) {
    let mount = mount(root);
    if let Err(error) = root.try_list(mount) {
        gaps.push(crate::root::gap_of(mount, &error));
    }
}

fn limits_v2(root: &Root, path: String) -> Cgroup {
    let mount = v2_mount(root);
    let attribute = |name: &str| root.attribute(&format!("{mount}{path}/{name}"));
    let number = |name: &str| attribute(name)?.parse().ok(); // "max" is no number: no limit
    Cgroup {
        version: 2,
        cpu_quota: attribute("cpu.max").and_then(|text| {
            let (quota, period) = text.split_once(' ')?;
            quota_over(quota.parse().ok()?, period.parse().ok()?)
        }),
        memory_max_bytes: number("memory.max"),
        memory_high_bytes: number("memory.high"),
        pids_max: number("pids.max"),
        realtime_runtime_us: None,
        io_max: attribute("io.max").map(|text| io_max(&text)).unwrap_or_default(),
        path,
    }
}

/// Where version 2 is mounted: alone, or next to version 1 without controllers.
fn v2_mount(root: &Root) -> String {
    let mount = mount(root);
    let unified = format!("{mount}/unified");
    if root.exists(&unified) { unified } else { mount.to_owned() }
}

fn quota_over(quota: f64, period: f64) -> Option<f64> {
    (quota > 0.0 && period > 0.0 && quota.is_finite() && period.is_finite()).then(|| quota / period)
}

/// `8:0 rbps=1048576 wbps=max riops=max wiops=200` for each device.
fn io_max(text: &str) -> BTreeMap<String, IoMax> {
    let mut devices = BTreeMap::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let Some(device) = words.next() else { continue };
        let mut limits = IoMax::default();
        for (name, value) in words.filter_map(|word| word.split_once('=')) {
            let value = value.parse().ok();
            match name {
                "rbps" => limits.read_bytes_per_s = value,
                "wbps" => limits.write_bytes_per_s = value,
                "riops" => limits.read_io_per_s = value,
                "wiops" => limits.write_io_per_s = value,
                _ => {}
            }
        }
        devices.insert(device.to_owned(), limits);
    }
    devices
}

fn limits_v1(root: &Root, path: String) -> Cgroup {
    let mount = mount(root);
    let attribute = |file: &str| root.attribute(&format!("{mount}/{}", v1_file(file, &path)));
    let number = |file: &str| attribute(file)?.parse::<u64>().ok();
    let float = |file: &str| attribute(file)?.parse::<f64>().ok();
    let bytes = |file: &str| number(file).filter(|&limit| limit < V1_UNLIMITED_BYTES);
    let mut limits: BTreeMap<String, IoMax> = BTreeMap::new();
    for (file, slot) in V1_IO {
        let text = attribute(file).unwrap_or_default();
        for (device, limit) in text.lines().filter_map(|line| line.split_once(' ')) {
            *slot(limits.entry(device.to_owned()).or_default()) = limit.trim().parse().ok();
        }
    }
    Cgroup {
        version: 1,
        cpu_quota: float("cpu/cpu.cfs_quota_us")
            .zip(float("cpu/cpu.cfs_period_us"))
            .and_then(|(quota, period)| quota_over(quota, period)),
        memory_max_bytes: bytes("memory/memory.limit_in_bytes"),
        memory_high_bytes: None,
        pids_max: number("pids/pids.max"),
        realtime_runtime_us: number("cpu/cpu.rt_runtime_us"),
        io_max: limits,
        path,
    }
}

/// A file of version 1, and the limit that it sets.
type V1Io = (&'static str, fn(&mut IoMax) -> &mut Option<u64>);

const V1_IO: [V1Io; 4] = [
    ("blkio/blkio.throttle.read_bps_device", |limits| &mut limits.read_bytes_per_s),
    ("blkio/blkio.throttle.write_bps_device", |limits| &mut limits.write_bytes_per_s),
    ("blkio/blkio.throttle.read_iops_device", |limits| &mut limits.read_io_per_s),
    ("blkio/blkio.throttle.write_iops_device", |limits| &mut limits.write_io_per_s),
];

/// `cpu/cpu.stat` of a group: the controller, the group, the file.
fn v1_file(file: &str, path: &str) -> String {
    let (controller, name) = file.split_once('/').unwrap_or(("", file));
    format!("{controller}{path}/{name}")
}

fn counters_v2(root: &Root, path: String) -> CgroupCounters {
    let mount = v2_mount(root);
    let attribute = |name: &str| root.attribute(&format!("{mount}{path}/{name}")).unwrap_or_default();
    let (cpu, memory) = (attribute("cpu.stat"), attribute("memory.events"));
    let stalls = attribute("memory.pressure");
    CgroupCounters {
        nr_periods: value(&cpu, "nr_periods"),
        nr_throttled: value(&cpu, "nr_throttled"),
        throttled_us: value(&cpu, "throttled_usec"),
        usage_us: value(&cpu, "usage_usec"),
        memory_high_events: value(&memory, "high"),
        memory_max_events: value(&memory, "max"),
        memory_oom_kills: value(&memory, "oom_kill"),
        memory_current_bytes: attribute("memory.current").parse().ok(),
        memory_stalled_us: pressure_total_us(&stalls, "some"),
        memory_stalled_300s_ratio: pressure_mean(&stalls, "some"),
        path,
    }
}

fn counters_v1(root: &Root, path: String) -> CgroupCounters {
    let mount = mount(root);
    let attribute =
        |file: &str| root.attribute(&format!("{mount}/{}", v1_file(file, &path))).unwrap_or_default();
    let (cpu, oom) = (attribute("cpu/cpu.stat"), attribute("memory/memory.oom_control"));
    let number = |file: &str| attribute(file).parse::<u64>().ok();
    CgroupCounters {
        nr_periods: value(&cpu, "nr_periods"),
        nr_throttled: value(&cpu, "nr_throttled"),
        throttled_us: value(&cpu, "throttled_time").map(|ns| ns / 1000),
        usage_us: number("cpuacct/cpuacct.usage").map(|ns| ns / 1000),
        memory_high_events: None,
        memory_max_events: number("memory/memory.failcnt"),
        memory_oom_kills: value(&oom, "oom_kill"),
        memory_current_bytes: number("memory/memory.usage_in_bytes"),
        path,
        ..CgroupCounters::default()
    }
}

/// `name value` lines.
fn value(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rooted;

    #[test]
    fn reads_version_2_from_the_outside_in() {
        let (_dir, root) = rooted(&[
            ("proc/self/cgroup", "0::/system.slice/postgresql.service\n"),
            ("sys/fs/cgroup/system.slice/memory.max", "max\n"),
            ("sys/fs/cgroup/system.slice/postgresql.service/cpu.max", "150000 100000\n"),
            ("sys/fs/cgroup/system.slice/postgresql.service/memory.max", "4294967296\n"),
            (
                "sys/fs/cgroup/system.slice/postgresql.service/io.max",
                "8:0 rbps=10485760 wbps=max riops=max wiops=200\n",
            ),
            (
                "sys/fs/cgroup/system.slice/postgresql.service/cpu.stat",
                "usage_usec 9\nnr_periods 4\nnr_throttled 3\nthrottled_usec 77\n",
            ),
            (
                "sys/fs/cgroup/system.slice/postgresql.service/memory.events",
                "low 0\nhigh 5\nmax 2\noom 0\noom_kill 1\n",
            ),
        ]);
        let groups = limits(&root, &[], &mut Vec::new());
        assert_eq!(groups[0].path, "/system.slice");
        assert_eq!((groups[0].memory_max_bytes, groups[1].memory_max_bytes), (None, Some(4 << 30)));
        assert_eq!(groups[1].cpu_quota, Some(1.5));
        assert_eq!(groups[1].io_max["8:0"].read_bytes_per_s, Some(10 << 20));
        assert_eq!(
            (groups[1].io_max["8:0"].write_bytes_per_s, groups[1].io_max["8:0"].write_io_per_s),
            (None, Some(200))
        );
        let counted = counters(&root, &[], &mut Vec::new());
        assert_eq!((counted[1].nr_throttled, counted[1].throttled_us), (Some(3), Some(77)));
        assert_eq!((counted[1].memory_high_events, counted[1].memory_oom_kills), (Some(5), Some(1)));
    }

    #[test]
    fn the_quota_of_a_database_is_not_our_own() {
        let group = "sys/fs/cgroup/user.slice";
        let (_dir, root) = rooted(&[
            ("proc/self/cgroup", "0::/user.slice/session-7.scope\n"),
            (&format!("{group}/cpu.max"), "150000 100000\n"),
            (&format!("{group}/session-7.scope/cpu.max"), "max 100000\n"),
            ("sys/fs/cgroup/system.slice/postgresql.service/cpu.max", "20000 100000\n"),
        ]);
        assert_eq!(cpu_quota(&root), Some(1.5));
    }

    #[test]
    fn the_tightest_group_sets_the_room() {
        let (dir, root) = rooted(&[
            ("proc/self/cgroup", "0::/pods/db\n"),
            ("sys/fs/cgroup/pods/memory.max", "1000\n"),
            ("sys/fs/cgroup/pods/memory.current", "900\n"),
            ("sys/fs/cgroup/pods/memory.stat", "anon 500\ninactive_file 50\n"),
            ("sys/fs/cgroup/pods/db/memory.max", "800\n"),
            ("sys/fs/cgroup/pods/db/memory.high", "700\n"),
            ("sys/fs/cgroup/pods/db/memory.current", "650\n"),
            ("sys/fs/cgroup/pods/db/memory.stat", "anon 500\ninactive_file 40\n"),
        ]);
        assert_eq!(memory_room(&root), Some(("/pods/db".to_owned(), 90)));
        std::fs::write(dir.path().join("sys/fs/cgroup/pods/db/memory.high"), "max\n").expect("written");
        assert_eq!(memory_room(&root), Some(("/pods".to_owned(), 150)));
        let (_dir, root) = rooted(&[
            ("proc/self/cgroup", "5:memory:/db\n4:cpu,cpuacct:/db\n"),
            ("sys/fs/cgroup/cpu/db/cpu.shares", "2\n"),
            ("sys/fs/cgroup/memory/db/memory.limit_in_bytes", "1000\n"),
            ("sys/fs/cgroup/memory/db/memory.usage_in_bytes", "1000\n"),
            ("sys/fs/cgroup/memory/db/memory.stat", "inactive_file 1\ntotal_inactive_file 300\n"),
        ]);
        assert_eq!(memory_room(&root), Some(("/db".to_owned(), 300)));
        assert_eq!(memory_room(&rooted(&[("proc/self/cgroup", "0::/\n")]).1), None);
    }

    #[test]
    fn reads_version_1() {
        let (_dir, root) = rooted(&[
            ("proc/self/cgroup", "5:memory:/db\n4:cpu,cpuacct:/db\n1:name=systemd:/user.slice\n"),
            ("sys/fs/cgroup/cpu/db/cpu.cfs_quota_us", "50000\n"),
            ("sys/fs/cgroup/cpu/db/cpu.cfs_period_us", "100000\n"),
            ("sys/fs/cgroup/cpu/db/cpu.stat", "nr_periods 9\nnr_throttled 1\nthrottled_time 2000000\n"),
            ("sys/fs/cgroup/memory/db/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/blkio/db/blkio.throttle.write_bps_device", "8:16 1048576\n"),
        ]);
        let groups = limits(&root, &[], &mut Vec::new());
        assert_eq!((groups.len(), groups[0].cpu_quota, groups[0].memory_max_bytes), (1, Some(0.5), None));
        assert_eq!(groups[0].io_max["8:16"].write_bytes_per_s, Some(1 << 20));
        assert_eq!(counters(&root, &[], &mut Vec::new())[0].throttled_us, Some(2000));
    }

    #[test]
    fn a_database_in_another_group_is_followed() {
        let (_dir, root) = rooted(&[("proc/self/cgroup", "0::/user.slice\n"), ("sys/fs/cgroup/x", "")]);
        let database = Database { cgroup: "/system.slice/mysql.service".to_owned(), ..Database::default() };
        let paths: Vec<String> =
            limits(&root, &[database], &mut Vec::new()).into_iter().map(|group| group.path).collect();
        assert_eq!(paths, ["/user.slice", "/system.slice", "/system.slice/mysql.service"]);
    }
}
