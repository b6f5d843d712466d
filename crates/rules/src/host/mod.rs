//! Rules of the host layer, one file each.

mod aio_max;
mod cgroup_cpu_quota;
mod cgroup_io_max;
mod cgroup_memory;
mod cgroup_pids;
mod clock_offset;
mod clock_source;
mod clock_unsynchronised;
mod commit_limit;
mod cpu_governor;
mod cpu_idle_states;
mod cpu_saturated;
mod cpu_steal;
mod dev_shm_small;
mod direct_reclaim;
mod dirty_limits;
mod dirty_limits_small;
mod file_max;
mod generator_saturated;
mod huge_pages_absent;
mod huge_pages_few;
mod huge_pages_unused;
mod io_uring_disabled;
mod kernel_log_trouble;
mod limit_files;
mod limit_memlock;
mod limit_processes;
mod load_rising;
mod major_faults;
mod memory_errors;
mod memory_low;
mod memory_overcommit;
mod memory_pressure;
mod min_free_memory;
mod numa_balancing;
mod numa_imbalance;
mod out_of_memory;
mod page_tables_large;
mod panic_on_oops;
mod pressure_off;
mod remove_ipc;
mod semaphores;
mod sga_exceeds_memory;
mod shm_all;
mod shm_all_below_max;
mod shm_max;
mod shm_orphaned;
mod shm_segments;
mod softirq_one_cpu;
mod swap_absent;
mod swappiness;
mod swapping;
mod tasks_blocked;
mod thermal_throttling;
mod thread_saturated;
mod transparent_huge_pages;
mod tuned_profile;
mod writeback_off;
mod zone_reclaim;

use crate::Rule;

/// Every rule of this layer.
pub const RULES: &[Rule] = &[
    aio_max::RULE,
    cgroup_cpu_quota::RULE,
    cgroup_io_max::RULE,
    cgroup_memory::RULE,
    cgroup_pids::RULE,
    clock_offset::RULE,
    clock_source::RULE,
    clock_unsynchronised::RULE,
    commit_limit::RULE,
    cpu_governor::RULE,
    cpu_idle_states::RULE,
    cpu_saturated::RULE,
    cpu_steal::RULE,
    dev_shm_small::RULE,
    direct_reclaim::RULE,
    dirty_limits::RULE,
    dirty_limits_small::RULE,
    file_max::RULE,
    generator_saturated::RULE,
    huge_pages_absent::RULE,
    huge_pages_few::RULE,
    huge_pages_unused::RULE,
    io_uring_disabled::RULE,
    kernel_log_trouble::RULE,
    limit_files::RULE,
    limit_memlock::RULE,
    limit_processes::RULE,
    load_rising::RULE,
    major_faults::RULE,
    memory_errors::RULE,
    memory_low::RULE,
    memory_overcommit::RULE,
    memory_pressure::RULE,
    min_free_memory::RULE,
    numa_balancing::RULE,
    numa_imbalance::RULE,
    out_of_memory::RULE,
    page_tables_large::RULE,
    panic_on_oops::RULE,
    pressure_off::RULE,
    remove_ipc::RULE,
    semaphores::RULE,
    sga_exceeds_memory::RULE,
    shm_all::RULE,
    shm_all_below_max::RULE,
    shm_max::RULE,
    shm_orphaned::RULE,
    shm_segments::RULE,
    softirq_one_cpu::RULE,
    swap_absent::RULE,
    swappiness::RULE,
    swapping::RULE,
    tasks_blocked::RULE,
    thermal_throttling::RULE,
    thread_saturated::RULE,
    transparent_huge_pages::RULE,
    tuned_profile::RULE,
    writeback_off::RULE,
    zone_reclaim::RULE,
];
