//! The estate: hosts that dial out to a NATS server, a coordinator that plans and keeps what they measured in
//! PostgreSQL.
//!
//! ```text
//!  agent ── starts ──▶ fullwire node ── measures      coordinator ──── lease, term ───── PostgreSQL
//!    │  own SQLite store: results until acknowledged       │  Phases of the mesh ── signed plans
//!    └───────── here, said, result ──▶ NATS ──▶────────────┘  ingest: commit, then receipt
//!               plans, receipts     ◀── NATS ◀──
//! ```
//! The bus may lose, repeat, reorder and forget everything. What an agent measured is in its own store until the
//! coordinator says, signed, that PostgreSQL has committed it. Nothing async runs in a process that measures: the agent
//! starts `fullwire node` for that.

pub(crate) mod agent;
pub(crate) mod coordinator;
mod credential;
mod files;
mod jwt;
mod link;
mod operator;
mod packed;
mod seal;
mod trust;
mod units;

pub(crate) use operator::{dismiss, enrol, status, up};
