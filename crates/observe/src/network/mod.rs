//! Interfaces, bonds, addresses, routes, queueing disciplines and the protocol counters.

use crate::{Ask, Root};
use fullwire_model::counters::Counters;
use fullwire_model::host::Host;

/// Reads interfaces and routes.
pub(crate) fn read_host(_root: &Root, _ask: &Ask, _host: &mut Host) {}

/// Reads the counters of interfaces and protocols.
pub(crate) fn read_counters(_root: &Root, _counters: &mut Counters) {}
