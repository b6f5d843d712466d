//! The face of oratcptest.jar: its single-dash options and its printed blocks, over fullwire's own protocol.
//! Both ends are fullwire; a script written for the jar runs unchanged.

mod layout;
mod options;

pub(crate) use layout::{Summary, bytes, finished, heading, ready, request, row, summary};
pub(crate) use options::{Client, Options, Server, USAGE, parse};
