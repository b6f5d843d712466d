//! Kernel, processors, memory, processes and what they are limited by.

use crate::{CountersAsk, Root};
use fullwire_model::counters::Counters;
use fullwire_model::host::Host;

/// Reads settings.
pub(crate) fn read_host(root: &Root, host: &mut Host) {
    host.hostname = root.attribute("/proc/sys/kernel/hostname").unwrap_or_default();
}

/// Reads counters.
pub(crate) fn read_counters(_root: &Root, _ask: &CountersAsk, _counters: &mut Counters) {}
