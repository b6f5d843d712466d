//! Block devices of a captured tree that has no copy of sysfs.

pub(super) mod listed;
pub(crate) mod lsblk;
