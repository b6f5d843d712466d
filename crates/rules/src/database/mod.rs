//! Rules of the database layer, by subject.

mod asm;
mod cluster;
mod dataguard;
mod keeper;
mod live;
mod log;
mod mysql;
mod of_io;
mod oracle;
mod postgres;
mod report;
mod setting;
pub(crate) mod time;
mod views;

pub(crate) use keeper::with_managers;

use crate::Rule;

/// Every rule of this layer.
pub(crate) const RULES: [&[Rule]; 7] =
    [asm::RULES, cluster::RULES, dataguard::RULES, log::RULES, mysql::RULES, oracle::RULES, postgres::RULES];
