//! Peers, and what is between.

mod crowd;
pub(crate) mod machine;
pub(crate) mod path;
mod reach;
pub(crate) mod relay;
pub(crate) mod ssh;
mod strangers;
pub(crate) mod tun;
pub(crate) mod wire;
