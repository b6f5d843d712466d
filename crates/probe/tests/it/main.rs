//! Probes against real kernels, devices and peers.

mod iperf3;
mod net;
