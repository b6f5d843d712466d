//! One file for each command: plan, do, judge, show, keep.

pub(crate) mod array;
pub(crate) mod assess;
pub(crate) mod awr;
pub(crate) mod capture;
pub(crate) mod change;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod disk;
pub(crate) mod export;
pub(crate) mod file;
pub(crate) mod generate;
pub(crate) mod import;
pub(crate) mod kept;
pub(crate) mod mesh;
pub(crate) mod mtu;
pub(crate) mod net;
pub(crate) mod node;
pub(crate) mod oratcptest;
pub(crate) mod record;
pub(crate) mod redo;
pub(crate) mod replay;
pub(crate) mod rules;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod watch;
