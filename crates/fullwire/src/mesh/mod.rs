//! A mesh: nodes on hosts, and the bus that carries orders to them. Over ssh nothing is installed there; the agents of
//! an estate are the other way to reach nodes (`estate/coordinator/nodes.rs`).
//!
//! ```text
//!  command/mesh ─▶ plan ─▶ Conductor (fullwire-mesh) ◀─▶ NodeBus ◀─▶ Nodes ═ ssh ═ command/node ─▶ Worker ─▶ probes
//!                   └────────────── collect: runs become cells ◀──────┘
//! ```

mod bus;
mod collect;
mod nodes;
mod packed;
mod phases;
mod plan;
pub(crate) mod worker;

#[cfg(feature = "estate")]
pub(crate) use nodes::{Nodes, Said, with_port};
pub(crate) use nodes::{SshNodes, Start};
pub(crate) use packed::Runs;
pub(crate) use phases::Phases;
pub(crate) use plan::MeshPlan;
#[cfg(feature = "estate")]
pub(crate) use plan::{disks as disk_orders, stream as stream_order};
pub(crate) use worker::Worker;
