//! Block devices, their stacks, links and file systems.

use crate::Root;
use fullwire_model::counters::Counters;
use fullwire_model::host::Host;

/// Reads devices, maps, links and mounts.
pub(crate) fn read_host(_root: &Root, _host: &mut Host) {}

/// Reads the counters of devices and NFS mounts.
pub(crate) fn read_counters(_root: &Root, _counters: &mut Counters) {}
