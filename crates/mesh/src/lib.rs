//! All pairs of a cluster without collisions: who is measured with whom and when ([`schedule`]), how the tests are
//! conducted over hosts that may die at any moment ([`conduct`]), and what the matrix says ([`judge`]).
//!
//! ```text
//!  hosts + topology ──▶ pairs ──▶ rounds ──▶ Conductor ──▶ acts ──▶ bus (in process, ssh, NATS) ──▶ nodes
//!                                               ▲                                              │
//!                                               └──────────────── events ◀────────────────────┘
//!  cells ──▶ median polish ──▶ host, uplink, bond member or path ──▶ findings
//! ```
//! Nothing here opens a socket, reads a clock or starts a thread: time comes with each event, so deaths and timeouts
//! are tested without waiting for them.
#![forbid(unsafe_code)]

mod code;
pub mod conduct;
pub mod estate;
pub mod hosts;
pub mod judge;
pub mod limits;
pub mod message;
pub mod order;
pub mod pairs;
pub mod schedule;
pub mod topology;

pub use code::{CODES, Code, code};
