//! Rules of the network layer, one file each.

mod bond_slave_down;
pub(crate) mod facts;

use crate::Rule;

/// Every rule of this layer.
pub const RULES: &[Rule] = &[bond_slave_down::RULE];
