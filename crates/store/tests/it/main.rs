//! The store against real files, real processes and real signals.

mod crash;
mod keep;
mod recording;
mod refuse;
#[cfg(feature = "postgres")]
#[path = "../../../../tests/servers.rs"]
mod servers;
#[cfg(feature = "postgres")]
mod shared;
#[cfg(feature = "postgres")]
#[path = "../../../../tests/skips.rs"]
mod skips;
