//! How I/Os are made: `io_uring` with several in flight, plain calls on the measuring thread, or nothing at all (what the
//! generator itself can do).

pub(crate) mod buffer;
pub(crate) mod calibrate;
pub(crate) mod io_uring;
pub(crate) mod null;
pub(crate) mod plain;
pub(crate) mod queue;
