//! What agents and a coordinator say to each other.

use crate::conduct::Ticket;
use crate::message::{Order, Report};
use fullwire_model::Run;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// From the coordinator to one agent: only signed ([`Signed`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Which estate.
    pub estate: String,
    /// For whom.
    pub host: String,
    /// For which life of the agent.
    pub session: String,
    /// Of which coordinator.
    pub term: u64,
    /// Higher than all before it of this term and session.
    pub number: u64,
    /// The round that it belongs to; empty: none.
    pub round: String,
    /// What to do.
    pub instruction: Instruction,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Instruction {
    /// For the node, which begins with the first one.
    Order(Order),
    /// The round is over: the node ends.
    Rest,
    /// These results have been committed, or will never be: the agent owes them no longer.
    Receipt {
        /// Ids of runs that are kept for good.
        kept: Vec<String>,
        /// Ids of runs that are refused for good, and why.
        rejected: Vec<(String, String)>,
    },
}

/// A plan as it travels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signed {
    /// The plan as JSON, byte for byte as it was signed.
    pub plan: String,
    /// Ed25519 over these bytes, base64.
    pub signature: String,
}

/// From an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// It is there.
    Here(Here),
    /// Its node listens.
    Open {
        /// Of which life.
        session: String,
        /// The port of its responder.
        port: u16,
        /// Opens it.
        key: String,
    },
    /// What its node says; a result comes as a [`Delivery`] instead.
    Report {
        /// Of which life.
        session: String,
        /// The words.
        report: Box<Report>,
    },
    /// Its node has ended unexpectedly.
    Closed {
        /// Of which life.
        session: String,
        /// Why.
        why: String,
    },
}

/// An agent, as it says every few seconds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Here {
    /// Drawn when it started.
    pub session: String,
    /// Version of the program.
    pub version: String,
    /// [`crate::message::PROTOCOL`].
    pub protocol: u32,
    /// Its address on each network.
    pub addresses: BTreeMap<String, String>,
    /// Results that it keeps until they are acknowledged.
    pub owed: u64,
    /// What it cannot do, in words; empty: nothing.
    pub trouble: String,
}

/// A result on its way to the database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Delivery {
    /// Where the receipt goes: the life of the agent that sends it, which may not be the one that measured.
    pub session: String,
    /// The round.
    pub round: String,
    /// The try that it is the result of.
    pub ticket: Ticket,
    /// The far end; empty: a test of storage.
    pub to: String,
    /// Which network.
    pub network: String,
    /// The result, with the host's own records.
    pub run: Box<Run>,
}
