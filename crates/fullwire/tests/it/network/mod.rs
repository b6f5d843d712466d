//! Peers, and what lies between.

mod crowd;
pub(crate) mod path;
pub(crate) mod relay;
pub(crate) mod ssh;
mod strangers;
pub(crate) mod tun;
pub(crate) mod wire;
