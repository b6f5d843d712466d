//! Limits of control groups.

rules! {
    cgroup_cpu_quota,
    cgroup_io_max,
    cgroup_memory,
    cgroup_pids,
}
