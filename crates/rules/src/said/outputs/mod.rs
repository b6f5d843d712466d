//! Lines of logs and of outputs that somebody hands over: databases, clusters, tools, and the kernel in the words of those
//! who quote it.

mod beside;
mod cluster;
mod database;
mod decided;
mod device;
mod health;
mod listed;
mod network;
mod path;
mod served;
mod server;
#[cfg(test)]
mod tests;
mod traced;
mod volumes;

pub(crate) use cluster::STANDBY_LAG;
pub(crate) use device::STAGES;
pub(crate) use volumes::STOPPED_ARRAY;

use super::Entry;

/// Every one, the more special before the more general.
pub(super) fn entries() -> impl Iterator<Item = &'static Entry> {
    [
        decided::LINES,
        listed::LINES,
        traced::LINES,
        beside::LINES,
        database::LINES,
        served::LINES,
        cluster::LINES,
        path::LINES,
        network::LINES,
        health::LINES,
        device::LINES,
        server::LINES,
        volumes::LINES,
    ]
    .into_iter()
    .flatten()
}
