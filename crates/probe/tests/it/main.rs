//! Probes against real kernels, devices, tools and peers.
//!
//! What needs root or a tool says so and ends early on a developer's machine, and fails where `CI=true`.

mod disk;
mod iperf2;
mod iperf3;
mod net;
#[path = "../../../../tests/samples.rs"]
mod samples;
mod seeds;
