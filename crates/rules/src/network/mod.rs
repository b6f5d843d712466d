//! Rules of the network layer, by subject.

mod bond;
pub(crate) mod each;
mod mtu;
mod nic;
mod path;
mod queue;
mod tcp;
mod udp;
mod window;

use crate::Rule;

/// Every rule of this layer.
pub(crate) const RULES: [&[Rule]; 8] =
    [bond::RULES, mtu::RULES, nic::RULES, path::RULES, queue::RULES, tcp::RULES, udp::RULES, window::RULES];
