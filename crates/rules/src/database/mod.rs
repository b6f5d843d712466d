//! Rules of the database layer, by subject.

mod live;
mod mysql;
mod oracle;
mod postgres;
mod report;
mod setting;

use crate::Rule;

/// Every rule of this layer.
pub(crate) const RULES: [&[Rule]; 3] = [mysql::RULES, oracle::RULES, postgres::RULES];
