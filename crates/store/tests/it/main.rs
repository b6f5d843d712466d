//! The store against real files, real processes and real signals.

mod crash;
mod keep;
mod recording;
mod refuse;
