//! Sockets: how one is opened and set, what it is called, and what TCP counts of it.

pub(crate) mod connect;
pub(crate) mod dial;
#[cfg(wraps_getaddrinfo)]
mod getaddrinfo;
pub(crate) mod names;
pub(crate) mod reach;
pub(crate) mod sockopt;
pub(crate) mod tcp_info;
