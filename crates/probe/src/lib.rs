//! Loads that fullwire makes and measures: network, path MTU, storage.

pub mod disk;
