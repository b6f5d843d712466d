//! Limits of control groups.

pub(super) mod owner;

rules! {
    cgroup_cpu_quota,
    cgroup_io_max,
    cgroup_memory,
    cgroup_pids,
}
