//! What a coordinator and a node say to each other: one JSON value a line.

use crate::conduct::Ticket;
use crate::limits::HostLimits;
use fullwire_model::Run;
use fullwire_model::disk::DiskPlan;
use fullwire_model::host::Host;
use fullwire_model::net::NetPlan;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Raised when a message changes its meaning.
pub const PROTOCOL: u32 = 1;

/// Longest line that is read, bytes: a run of a large host has some hundreds of kilobytes.
pub const LINE_LIMIT_BYTES: u64 = 64 << 20;

/// A node that has no word for this long ends: no one is there any more who would end it, ns.
pub const NODE_LEASE_NS: u64 = 30_000_000_000;

/// A node and a coordinator say so often that they are there, ns.
pub const BEAT_NS: u64 = 2_000_000_000;

/// From the coordinator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The first word.
    Begin {
        /// What the host allows.
        limits: HostLimits,
        /// Addresses of the other hosts: routes to them are read.
        peers: Vec<String>,
        /// Directories or devices whose storage is to be named.
        storage: Vec<String>,
    },
    /// Let one test in.
    Prepare {
        /// Its ticket.
        ticket: Ticket,
        /// For this long.
        lease_ns: u64,
    },
    /// Run a test.
    Measure {
        /// Its ticket.
        ticket: Ticket,
        /// Give up after this time.
        within_ns: u64,
        /// What.
        probe: Box<Probe>,
    },
    /// Stop a test.
    Cancel {
        /// Its ticket.
        ticket: Ticket,
    },
    /// Close the door again.
    Release {
        /// The ticket.
        ticket: Ticket,
    },
    /// The coordinator is still there.
    Alive,
}

/// What a node is to measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Probe {
    /// Can the responder be reached; round trip; path MTU.
    Light {
        /// The responder.
        peer: Place,
        /// Round trips are measured for this long, ns.
        rtt_ns: u64,
    },
    /// A stream.
    Stream {
        /// The responder.
        peer: Place,
        /// Its target is set from the place.
        plan: NetPlan,
        /// What the path should carry, bytes per second, where it was given.
        expect_bytes_per_s: Option<f64>,
    },
    /// Storage.
    Disk {
        /// The plan, its target included.
        plan: DiskPlan,
    },
}

/// Where a responder is, and what it is called in the mesh.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The host's name.
    pub name: String,
    /// `HOST:PORT`.
    pub address: String,
    /// Its key.
    pub key: String,
    /// Which network the address is on.
    #[serde(default)]
    pub network: String,
}

/// From a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Report {
    /// The answer to the first word.
    Hello {
        /// Version of the program.
        version: String,
        /// [`PROTOCOL`].
        protocol: u32,
        /// The host's own records.
        host: Box<Host>,
        /// What is below each storage target, in their order.
        storage: Vec<Vec<String>>,
    },
    /// It is still there.
    Alive,
    /// The door is open for this ticket.
    Prepared {
        /// Which.
        ticket: Ticket,
        /// The highest rate that it lets in, bytes per second; 0: any.
        #[serde(default)]
        rate_bytes_per_s: f64,
    },
    /// A limit of the host forbids it.
    Refused {
        /// Which.
        ticket: Ticket,
        /// Why.
        why: String,
    },
    /// A test is over. The host's own records are left out: they came with the first word.
    Done {
        /// Which.
        ticket: Ticket,
        /// The result.
        run: Box<Run>,
    },
    /// A test failed.
    Failed {
        /// Which.
        ticket: Ticket,
        /// Why.
        why: String,
        /// The responder could not be connected to at all.
        blocked: bool,
        /// A limit of the far end forbade it.
        refused: bool,
    },
    /// The door is closed again; when tests went in and out meanwhile.
    Released {
        /// Which.
        ticket: Ticket,
        /// Each test that was let in.
        served: Vec<Served>,
    },
}

/// A test as the responder saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Served {
    /// Let in.
    pub from: Timestamp,
    /// Over; `None`: it still runs.
    pub to: Option<Timestamp>,
    /// Bytes that it moved.
    pub bytes: u64,
}
