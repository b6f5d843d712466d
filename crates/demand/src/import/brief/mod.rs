//! Outputs of a screen or less that people paste: heads of `top`, `ioping`, `pgbench`, `pt-diskstats`, metrics of the clouds' monitors.

pub(super) mod cloud;
pub(super) mod diskstats;
pub(super) mod ioping;
pub(super) mod pgbench;
pub(super) mod top;
