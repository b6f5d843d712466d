//! Lines of logs and of outputs that somebody hands over: databases, clusters, tools, and the kernel in the words of those
//! who quote it.

mod cluster;
mod database;
mod device;
mod health;
mod network;
mod path;

use super::Entry;

/// Every one, the more special before the more general.
pub(super) fn entries() -> impl Iterator<Item = &'static Entry> {
    [database::LINES, cluster::LINES, path::LINES, network::LINES, health::LINES, device::LINES]
        .into_iter()
        .flatten()
}
