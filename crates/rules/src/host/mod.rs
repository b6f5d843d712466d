//! Rules of the host layer, by subject.

mod cgroup;
mod clock;
mod cpu;
mod ipc;
mod kernel;
mod limits;
mod memory;

use crate::Rule;

/// Every rule of this layer.
pub(crate) const RULES: [&[Rule]; 7] =
    [cgroup::RULES, clock::RULES, cpu::RULES, ipc::RULES, kernel::RULES, limits::RULES, memory::RULES];
