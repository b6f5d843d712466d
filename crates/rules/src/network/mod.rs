//! Rules of the network layer, one file each.

mod bond_slave_down;

use crate::Rule;

/// Every rule of this layer.
pub const RULES: &[Rule] = &[bond_slave_down::RULE];
