//! Rules of the database layer, by subject.

mod asm;
mod cluster;
pub(crate) mod configured;
mod dataguard;
mod keeper;
pub(crate) mod live;
mod log;
mod mysql;
pub(crate) mod of_io;
mod oracle;
mod postgres;
pub(crate) mod report;
pub(crate) mod time;
pub(crate) mod views;

pub(crate) use keeper::with_managers;

use crate::Rule;

/// Every rule of this layer.
pub(crate) const RULES: [&[Rule]; 7] =
    [asm::RULES, cluster::RULES, dataguard::RULES, log::RULES, mysql::RULES, oracle::RULES, postgres::RULES];
