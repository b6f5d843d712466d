//! An estate: agents that dial out, a coordinator that plans, and what they say to each other over a bus that may lose,
//! repeat and reorder everything.
//!
//! Three numbers keep old words from doing anything. A **session** is drawn by an agent when it starts: a plan is for one
//! session. A **term** is drawn from the database by each coordinator: an agent that has seen a higher one obeys no lower
//! one. Within a term the plans for a session are **numbered**: none is obeyed twice. Anyone who holds the bus can delay and
//! drop; to order load it takes the coordinator's signature, which is checked over the bytes as they came.

mod gate;
mod standing;
mod subject;
mod word;

pub use gate::{Gate, Refusal};
pub use standing::{Bad, FALLEN, IN_A_ROW, POOR, PointState, Reading, SLOWER, standing};
pub use subject::{SubjectError, Subjects};
pub use word::{Delivery, EstatePlan, Here, Instruction, NETWORKS_MOST, Signed, Word};

/// Tickets of a term are above all tickets of the terms before it: the term is their upper half.
pub fn first_ticket(term: u64) -> u64 {
    term << 32
}

/// The term that drew a ticket.
pub fn term_of(ticket: u64) -> u64 {
    ticket >> 32
}
