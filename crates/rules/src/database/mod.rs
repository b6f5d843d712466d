//! Rules of the database layer, one file each.

use crate::Rule;

/// Every rule of this layer.
pub const RULES: &[Rule] = &[];
