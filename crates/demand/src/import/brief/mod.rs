//! Outputs of a screen or less that people paste: heads of `top`, `free`, tests of storage, `pgbench`,
//! `pt-diskstats`, metrics of the clouds' monitors, devices of other systems.

pub(super) mod bench;
pub(super) mod cloud;
pub(super) mod devices;
pub(super) mod diskstats;
pub(super) mod grouped;
pub(super) mod ioping;
pub(super) mod iotop;
pub(super) mod pgbench;
pub(super) mod top;
