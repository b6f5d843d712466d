//! Loads that fullwire makes and measures: network, path MTU, storage. A probe takes a plan and returns a
//! result, both serialisable values of the model; what cannot be measured is a gap or an error, never a hang.

pub mod disk;
mod iperf;
pub mod iperf2;
pub mod iperf3;
pub mod mtu;
pub mod net;

#[cfg(test)]
#[path = "../../../tests/skips.rs"]
mod skips;
pub mod state;
mod thread_time;
