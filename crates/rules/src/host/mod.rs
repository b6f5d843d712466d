//! Rules of the host layer, one file each.

mod cgroup_cpu_quota;
mod cgroup_io_max;

use crate::Rule;

/// Every rule of this layer.
pub const RULES: &[Rule] = &[cgroup_cpu_quota::RULE, cgroup_io_max::RULE];
