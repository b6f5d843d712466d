//! What the threads measured and the counters say, made into a result.

pub(crate) mod caveat;
pub(crate) mod conclude;
pub mod layers;
pub mod steady;
pub mod sweep;
