//! Rules of the host layer, by subject.

mod cgroup;
mod clock;
mod cpu;
mod huge_pages;
mod ipc;
mod kernel;
mod limits;
mod memory;
mod output;

use crate::Rule;

/// Every rule of this layer.
pub(crate) const RULES: [&[Rule]; 9] = [
    cgroup::RULES,
    clock::RULES,
    cpu::RULES,
    huge_pages::RULES,
    ipc::RULES,
    kernel::RULES,
    limits::RULES,
    memory::RULES,
    output::RULES,
];
