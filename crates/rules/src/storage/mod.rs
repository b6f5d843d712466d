//! Rules of the storage layer, one file each.

mod foreign_load;
mod queue_depth_limit;
mod request_split;
mod slow_flush;

use crate::Rule;

/// Every rule of this layer.
pub const RULES: &[Rule] =
    &[foreign_load::RULE, queue_depth_limit::RULE, request_split::RULE, slow_flush::RULE];
