//! Rules of the host layer, one file each.

mod cgroup_cpu_quota;
mod cgroup_io_max;
mod direct_reclaim;
mod dirty_limits;
mod huge_pages_absent;
mod huge_pages_few;
mod huge_pages_unused;
mod major_faults;
mod memory_errors;
mod memory_low;
mod memory_overcommit;
mod memory_pressure;
mod numa_balancing;
mod numa_imbalance;
mod out_of_memory;
mod page_tables_large;
mod sga_exceeds_memory;
mod swap_absent;
mod swappiness;
mod swapping;
mod transparent_huge_pages;
mod zone_reclaim;

use crate::Rule;

/// Every rule of this layer.
pub const RULES: &[Rule] = &[
    cgroup_cpu_quota::RULE,
    cgroup_io_max::RULE,
    direct_reclaim::RULE,
    dirty_limits::RULE,
    huge_pages_absent::RULE,
    huge_pages_few::RULE,
    huge_pages_unused::RULE,
    major_faults::RULE,
    memory_errors::RULE,
    memory_low::RULE,
    memory_overcommit::RULE,
    memory_pressure::RULE,
    numa_balancing::RULE,
    numa_imbalance::RULE,
    out_of_memory::RULE,
    page_tables_large::RULE,
    sga_exceeds_memory::RULE,
    swap_absent::RULE,
    swappiness::RULE,
    swapping::RULE,
    transparent_huge_pages::RULE,
    zone_reclaim::RULE,
];
