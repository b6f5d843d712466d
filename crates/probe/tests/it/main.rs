//! Probes against real kernels, devices, tools and peers.

mod disk;
mod iperf2;
mod iperf3;
mod net;
#[path = "../../../../tests/ports.rs"]
mod ports;
mod real;
mod seeds;
#[path = "../../../../tests/skips.rs"]
mod skips;
