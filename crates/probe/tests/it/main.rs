//! Probes against real peers and real devices.

mod iperf3;
