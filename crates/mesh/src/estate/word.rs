//! What agents and a coordinator say to each other.

use super::subject::check;
use crate::conduct::Ticket;
use crate::message::{Order, Report};
use fullwire_model::Run;
use fullwire_model::json::bounded;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// From the coordinator to one agent: only signed ([`Signed`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EstatePlan {
    /// Which estate.
    #[serde(deserialize_with = "bounded::word::<_, 128>")]
    pub estate: String,
    /// For whom.
    #[serde(deserialize_with = "bounded::word::<_, 128>")]
    pub host: String,
    /// For which life of the agent.
    #[serde(deserialize_with = "bounded::word::<_, 128>")]
    pub session: String,
    /// Of which coordinator.
    pub term: u64,
    /// Higher than all before it of this term and session.
    pub number: u64,
    /// The round that it belongs to; empty: none.
    #[serde(deserialize_with = "bounded::word::<_, 128>")]
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
        #[serde(deserialize_with = "bounded::word::<_, 64>")]
        session: String,
        /// The port of its responder.
        port: u16,
        /// Opens it.
        #[serde(deserialize_with = "bounded::word::<_, 300>")]
        key: String,
    },
    /// What its node says; a result comes as a [`Delivery`] instead.
    Report {
        /// Of which life.
        #[serde(deserialize_with = "bounded::word::<_, 64>")]
        session: String,
        /// The words.
        report: Box<Report>,
    },
    /// Its node has ended unexpectedly.
    Closed {
        /// Of which life.
        #[serde(deserialize_with = "bounded::word::<_, 64>")]
        session: String,
        /// Why.
        #[serde(deserialize_with = "bounded::prose::<_, 1000>")]
        why: String,
    },
}

/// An agent, as it says every few seconds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Here {
    /// Drawn when it started.
    #[serde(deserialize_with = "bounded::word::<_, 64>")]
    pub session: String,
    /// Version of the program.
    #[serde(deserialize_with = "bounded::word::<_, 64>")]
    pub version: String,
    /// [`crate::message::PROTOCOL`].
    pub protocol: u32,
    /// Its address on each network, [`NETWORKS_MOST`] of them.
    #[serde(deserialize_with = "addresses")]
    pub addresses: BTreeMap<String, String>,
    /// Results that it keeps until they are acknowledged.
    pub owed: u64,
    /// What it cannot do, in words; empty: nothing.
    #[serde(deserialize_with = "bounded::prose::<_, 1000>")]
    pub trouble: String,
}

/// Networks that a host is on. All hosts hear of all addresses, and a path is measured on each network of both ends.
pub const NETWORKS_MOST: usize = 16;

/// An agent speaks for one host, and its word goes to the database, the page and all other agents.
fn addresses<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    let addresses = BTreeMap::<String, String>::deserialize(from)?;
    let is_address = |text: &str| text.len() <= 255 && text.chars().all(|c| c.is_ascii_graphic());
    let fits = |(network, address): (&String, &String)| check(network).is_ok() && is_address(address);
    if addresses.len() > NETWORKS_MOST || !addresses.iter().all(fits) {
        return Err(D::Error::custom(format!("expected addresses on at most {NETWORKS_MOST} networks")));
    }
    Ok(addresses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn here(field: &str, value: &serde_json::Value) -> Result<Here, serde_json::Error> {
        serde_json::from_value(json!({ field: value }))
    }

    /// A coordinator keeps why a test was refused in the cell, the round and the database.
    #[test]
    fn a_reason_is_as_long_as_a_sentence() {
        let why = "w".repeat(1 << 20);
        let refused = json!({"report": {"session": "s", "report": {"refused": {"ticket": 1, "why": why}}}});
        let Word::Report { report, .. } = serde_json::from_value(refused).unwrap() else {
            panic!("a report")
        };
        assert!(matches!(*report, Report::Refused { why, .. } if why.len() == 1000));
        let closed = json!({"closed": {"session": "s", "why": why}});
        assert!(
            matches!(serde_json::from_value(closed).unwrap(), Word::Closed { why, .. } if why.len() == 1000)
        );
    }

    #[test]
    fn what_a_host_says_of_itself_is_short_and_printable() {
        for (field, value) in [
            ("session", json!("a\0b")),
            ("version", json!("1\n2")),
            ("version", json!("9".repeat(65))),
            ("addresses", json!({"a\0": "192.0.2.1"})),
            ("addresses", json!({"data": "192.0.2.1\0"})),
            ("addresses", json!({"x".repeat(200): "192.0.2.1"})),
            ("addresses", (0..=NETWORKS_MOST).map(|at| (format!("n{at}"), json!("::1"))).collect()),
        ] {
            assert!(here(field, &value).is_err(), "{field} {value}");
        }
        let trouble = here("trouble", &json!(format!("a\0b\n{}", "x".repeat(5000)))).unwrap().trouble;
        assert!(trouble.starts_with("a b xxx") && trouble.len() == 1000, "{trouble}");
        let good = json!({"data": "192.0.2.1", "rac-1": "fd00::1%eth0", "far": "db1.example.com"});
        assert_eq!(here("addresses", &good).unwrap().addresses.len(), 3);
    }
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
    #[serde(deserialize_with = "crate::message::of_one_test")]
    pub run: Box<Run>,
}
