//! Rules of the storage layer, by subject.

mod device;
mod direct_nfs;
mod link;
mod mount;
mod multipath;
mod nfs;
mod queue;
mod target;
mod volume;

use crate::Rule;

/// Every rule of this layer.
pub(crate) const RULES: [&[Rule]; 9] = [
    device::RULES,
    direct_nfs::RULES,
    link::RULES,
    mount::RULES,
    multipath::RULES,
    nfs::RULES,
    queue::RULES,
    target::RULES,
    volume::RULES,
];
