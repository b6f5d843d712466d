//! A mesh over ssh: nodes on hosts with nothing installed, and the bus that carries orders to them.
//!
//! ```text
//!  command/mesh ─▶ plan ─▶ Conductor (fullwire-mesh) ◀─▶ SshBus ◀─▶ Nodes ═ ssh ═ command/node ─▶ Worker ─▶ probes
//!                   └────────────── collect: runs become cells ◀──────┘
//! ```

mod bus;
mod collect;
mod nodes;
mod phases;
mod plan;
mod worker;

pub(crate) use nodes::{Nodes, Start};
pub(crate) use phases::Phases;
pub(crate) use plan::Plan;
pub(crate) use worker::Worker;
