//! What a coordinator and a node say to each other: one JSON value a line.

use crate::conduct::Ticket;
use crate::order::LIST_LIMIT;
pub use crate::order::{DiskOrder, HoldNs, Order, Place, Probe, StreamOrder};
use fullwire_model::Run;
use fullwire_model::host::Host;
use fullwire_model::json::bounded::{list, prose, word};
use jiff::Timestamp;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// Raised when a message changes its meaning.
pub const PROTOCOL: u32 = 2;

/// Longest line that is read, bytes: a run of a large host has some hundreds of kilobytes.
pub const LINE_LIMIT_BYTES: u64 = 32 << 20;

/// A node that has no word for this long ends: no one is there any more who would end it, ns.
pub const NODE_LEASE_NS: u64 = 30_000_000_000;

/// A node and a coordinator say so often that they are there, ns.
pub const BEAT_NS: u64 = 2_000_000_000;

/// From a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Report {
    /// The answer to the first word.
    Hello {
        /// Version of the program.
        #[serde(deserialize_with = "word::<_, 64>")]
        version: String,
        /// [`PROTOCOL`].
        protocol: u32,
        /// The host's own records.
        host: Box<Host>,
        /// What is below each storage target, in their order.
        #[serde(deserialize_with = "list::<_, _, LIST_LIMIT>")]
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
        #[serde(deserialize_with = "prose::<_, 1000>")]
        why: String,
    },
    /// A test is over. The host's own records are left out: they came with the first word.
    Done {
        /// Which.
        ticket: Ticket,
        /// The result.
        #[serde(deserialize_with = "of_one_test")]
        run: Box<Run>,
    },
    /// A test failed.
    Failed {
        /// Which.
        ticket: Ticket,
        /// Why.
        #[serde(deserialize_with = "prose::<_, 1000>")]
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
    /// The last word of a node that ends in good order.
    Account {
        /// Bytes that all its tests moved, by its own count.
        moved_bytes: u64,
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

/// Results of a kind, or windows, in the run of one test: a node measures once for each order, and looks around each step.
const OF_ONE_TEST: usize = 64;

/// The run of one test. One with thousands of results, or with what other tools recorded, was made up: whoever judges it
/// compares each with each. No result is a rate below zero.
pub(crate) fn of_one_test<'de, D: Deserializer<'de>>(from: D) -> Result<Box<Run>, D::Error> {
    let run = Box::<Run>::deserialize(from)?;
    let (results, around) =
        ([run.net.len(), run.mtu.len(), run.disk.len()], [run.windows.len(), run.peers.len()]);
    let other = [run.tried.len(), run.reports.len(), run.imported.len(), run.logged.len(), run.totals.len()];
    let fits = results.iter().chain(&around).chain(&other).all(|count| *count <= OF_ONE_TEST);
    let below = run.net.iter().any(|result| result.throughput_bytes_per_s < 0.0);
    match (fits, below) {
        (true, false) => Ok(run),
        (false, _) => Err(D::Error::custom("it holds more than the results of one test")),
        (true, true) => Err(D::Error::custom("its rate is below zero")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_that_of_one_test() {
        let done = |list: &str, count: usize| {
            let text = format!(
                "{{\"done\":{{\"ticket\":1,\"run\":{{\"{list}\":[{}{{}}]}}}}}}",
                "{},".repeat(count - 1)
            );
            fullwire_model::json::read::<Report>(text.as_bytes())
        };
        for list in ["net", "mtu", "disk", "windows", "peers", "imported", "logged"] {
            assert!(matches!(done(list, 64).unwrap(), Report::Done { .. }), "{list}");
            let error = done(list, 65).unwrap_err().to_string();
            assert!(error.contains("more than the results of one test"), "{list}: {error}");
        }
        let below = br#"{"done":{"ticket":1,"run":{"net":[{"throughput_bytes_per_s":-1e308}]}}}"#;
        assert!(fullwire_model::json::read::<Report>(&below[..]).is_err());
    }
}
