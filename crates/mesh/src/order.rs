//! All that a coordinator can tell a node to do. Whoever holds a coordinator's key can write these values and no others:
//! they name no file to be read, no device to be written, and nothing in them is without a bound.

use crate::conduct::Ticket;
use crate::limits::{HostLimits, Load};
use fullwire_model::json::bounded::{list, word};
use fullwire_model::net::NetPlan;
use serde::{Deserialize, Serialize};

/// The longest stream, ns: ten minutes.
pub const STREAM_LIMIT_NS: u64 = 600_000_000_000;
/// The longest time that one test may hold a host, ns: a stream, and what is waited for around it.
pub const HOLD_LIMIT_NS: u64 = 2 * STREAM_LIMIT_NS;
/// Most connections of a stream, as `--streams` has it.
pub const STREAMS_LIMIT: u32 = 128;
/// The largest private file of the disk plan, bytes: 64 GiB.
pub const FILE_LIMIT_BYTES: u64 = 64 << 30;
/// The smallest, bytes: less fits in any cache.
pub const FILE_MIN_BYTES: u64 = 1_000_000;
/// Round trips are measured for this long, ns.
pub const ROUND_TRIPS_NS: u64 = 700_000_000;
/// Addresses and storage targets of a mesh: more are none.
pub const LIST_LIMIT: usize = 4096;
/// A stream on which nothing moves for this long is given up, ns.
const STALL_NS: u64 = 5_000_000_000;

/// From the coordinator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Order {
    /// The first word.
    Begin {
        /// What the host allows.
        limits: HostLimits,
        /// Addresses of the other hosts: routes to them are read.
        #[serde(deserialize_with = "list::<_, _, LIST_LIMIT>")]
        peers: Vec<String>,
        /// Directories or devices whose storage is to be named.
        #[serde(deserialize_with = "list::<_, _, LIST_LIMIT>")]
        storage: Vec<String>,
    },
    /// Let one test in.
    Prepare {
        /// Its ticket.
        ticket: Ticket,
        /// For this long.
        lease_ns: HoldNs,
    },
    /// Run a test.
    Measure {
        /// Its ticket.
        ticket: Ticket,
        /// Give up after this time.
        within_ns: HoldNs,
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
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Probe {
    /// Can the responder be reached; round trip; path MTU.
    Light {
        /// The responder.
        peer: Place,
    },
    /// A stream.
    Stream {
        /// The responder.
        peer: Place,
        /// How much.
        stream: StreamOrder,
        /// What the path should carry, bytes per second, where it was given.
        expect_bytes_per_s: Option<f64>,
    },
    /// Storage.
    Disk {
        /// Where, and how large.
        disk: DiskOrder,
    },
}

impl Probe {
    /// What it moves over the network.
    pub fn load(&self) -> Load {
        match self {
            Self::Light { .. } | Self::Disk { .. } => Load::RoundTrips,
            Self::Stream { stream, .. } => {
                Load::Stream { rate_bytes_per_s: stream.rate_bytes_per_s, duration_ns: stream.duration_ns }
            }
        }
    }
}

/// Where a responder is, and what it is called in the mesh.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The host's name.
    #[serde(deserialize_with = "word::<_, 128>")]
    pub name: String,
    /// `HOST:PORT`.
    #[serde(deserialize_with = "word::<_, 300>")]
    pub address: String,
    /// Its key.
    #[serde(deserialize_with = "word::<_, 300>")]
    pub key: String,
    /// Which network the address is on.
    #[serde(default, deserialize_with = "word::<_, 128>")]
    pub network: String,
}

/// A stream of random bytes from the node to the responder.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StreamFields")]
pub struct StreamOrder {
    streams: u32,
    duration_ns: u64,
    rate_bytes_per_s: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StreamFields {
    streams: u32,
    duration_ns: u64,
    rate_bytes_per_s: f64,
}

impl TryFrom<StreamFields> for StreamOrder {
    type Error = String;

    fn try_from(fields: StreamFields) -> Result<Self, String> {
        Self::new(fields.streams, fields.duration_ns, fields.rate_bytes_per_s)
    }
}

impl StreamOrder {
    /// This many connections for this time at this rate of all together, bytes per second (0: as fast as they go).
    pub fn new(streams: u32, duration_ns: u64, rate_bytes_per_s: f64) -> Result<Self, String> {
        if !(1..=STREAMS_LIMIT).contains(&streams) {
            return Err(format!("{streams} streams: 1 to {STREAMS_LIMIT} are possible"));
        }
        if !(1..=STREAM_LIMIT_NS).contains(&duration_ns) {
            return Err("a stream lasts at most 10 minutes".to_owned());
        }
        if !rate_bytes_per_s.is_finite() || rate_bytes_per_s < 0.0 {
            return Err("the rate must be a finite number, 0 or more".to_owned());
        }
        Ok(Self { streams, duration_ns, rate_bytes_per_s })
    }

    /// How long it lasts, ns.
    pub fn duration_ns(&self) -> u64 {
        self.duration_ns
    }

    /// The rate of all connections together, bytes per second; 0: as fast as they go.
    pub fn rate_bytes_per_s(&self) -> f64 {
        self.rate_bytes_per_s
    }

    /// The same at no more than this rate, bytes per second; 0: any.
    #[must_use]
    pub fn at_most(self, rate_bytes_per_s: f64) -> Self {
        let slower = rate_bytes_per_s > 0.0
            && (self.rate_bytes_per_s <= 0.0 || self.rate_bytes_per_s > rate_bytes_per_s);
        Self { rate_bytes_per_s: if slower { rate_bytes_per_s } else { self.rate_bytes_per_s }, ..self }
    }

    /// As the probe takes it; the target is the caller's.
    pub fn plan(&self) -> NetPlan {
        NetPlan {
            streams: self.streams,
            length_bytes: 1 << 20,
            duration_ns: self.duration_ns,
            interval_ns: (self.duration_ns / 10).max(100_000_000),
            rate_bytes_per_s: self.rate_bytes_per_s,
            timeout_ns: STALL_NS,
            ..NetPlan::default()
        }
    }
}

/// The quick disk plan: in a private file of a directory, or reads alone of a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "DiskFields")]
pub struct DiskOrder {
    target: String,
    size_bytes: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DiskFields {
    #[serde(deserialize_with = "word::<_, 4096>")]
    target: String,
    size_bytes: u64,
}

impl TryFrom<DiskFields> for DiskOrder {
    type Error = String;

    fn try_from(fields: DiskFields) -> Result<Self, String> {
        Self::new(&fields.target, fields.size_bytes)
    }
}

impl DiskOrder {
    /// With a private file of this size, bytes.
    pub fn new(target: &str, size_bytes: u64) -> Result<Self, String> {
        if !(FILE_MIN_BYTES..=FILE_LIMIT_BYTES).contains(&size_bytes) {
            return Err(format!("a private file of {size_bytes} bytes: 1 MB to 64 GiB are possible"));
        }
        Ok(Self { target: target.to_owned(), size_bytes })
    }

    /// Directory or device.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Size of the private file, bytes.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }
}

/// How long one test may hold a host, ns: never more than [`HOLD_LIMIT_NS`], whatever was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "u64", into = "u64")]
pub struct HoldNs(u64);

impl From<u64> for HoldNs {
    fn from(ns: u64) -> Self {
        Self(ns.min(HOLD_LIMIT_NS))
    }
}

impl From<HoldNs> for u64 {
    fn from(hold: HoldNs) -> Self {
        hold.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(order: &serde_json::Value) -> Result<Order, String> {
        serde_json::from_str(&order.to_string()).map_err(|error| error.to_string())
    }

    fn stream(fields: &serde_json::Value) -> Result<Order, String> {
        let peer = json!({"name": "b", "address": "192.0.2.1:5201", "key": "k", "network": ""});
        let probe = json!({"stream": {"peer": peer, "stream": fields, "expect_bytes_per_s": null}});
        read(&json!({"measure": {"ticket": 1, "within_ns": 1_000, "probe": probe}}))
    }

    #[test]
    fn an_order_has_no_word_for_a_file_to_be_read() {
        let fine = json!({"streams": 2, "duration_ns": 1_000_000, "rate_bytes_per_s": 0.0});
        assert!(stream(&fine).is_ok());
        for more in [
            json!({"payload": {"file": "/etc/shadow"}}),
            json!({"payload": "zero"}),
            json!({"write": true}),
            json!({"source": "eth0"}),
            json!({"target": "iperf3://192.0.2.1"}),
        ] {
            let mut fields = fine.clone();
            fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            assert!(stream(&fields).unwrap_err().contains("unknown field"), "{more}");
        }
        let whole = json!({"measure": {"ticket": 1, "within_ns": 1, "probe": {"stream": {
            "peer": {"name": "", "address": "", "key": ""}, "plan": {"payload": {"file": "/etc/shadow"}}}}}});
        assert!(read(&whole).is_err(), "a whole plan is no order");
    }

    #[test]
    fn an_order_cannot_destroy() {
        let disk =
            |fields| read(&json!({"measure": {"ticket": 1, "within_ns": 1, "probe": {"disk": fields}}}));
        assert!(disk(json!({"disk": {"target": "/u01", "size_bytes": 1_000_000}})).is_ok());
        for (wrong, why) in [
            (
                json!({"disk": {"target": "/dev/sdb", "size_bytes": 1_000_000, "destroy": "x"}}),
                "unknown field",
            ),
            (json!({"plan": {"target": "/dev/sdb", "destroy": "x"}}), "unknown field"),
            (json!({"disk": {"target": "/u01", "size_bytes": 10_000_000_000_000_u64}}), "64 GiB"),
        ] {
            assert!(disk(wrong.clone()).unwrap_err().contains(why), "{wrong}");
        }
    }

    #[test]
    fn nothing_in_an_order_is_without_a_bound() {
        for fields in [
            json!({"streams": 1, "duration_ns": u64::MAX, "rate_bytes_per_s": 0.0}),
            json!({"streams": 1, "duration_ns": 0, "rate_bytes_per_s": 0.0}),
            json!({"streams": 10_000, "duration_ns": 1, "rate_bytes_per_s": 0.0}),
            json!({"streams": 1, "duration_ns": 1, "rate_bytes_per_s": -1.0}),
        ] {
            assert!(stream(&fields).is_err(), "{fields}");
        }
        let order = read(&json!({"prepare": {"ticket": 1, "lease_ns": u64::MAX}})).unwrap();
        assert_eq!(order, Order::Prepare { ticket: 1, lease_ns: HoldNs(HOLD_LIMIT_NS) });
        let peers: Vec<&str> = vec![""; LIST_LIMIT + 1];
        let begin = json!({"begin": {"limits": {}, "peers": peers, "storage": []}});
        assert!(read(&begin).unwrap_err().contains("4096"));
    }

    #[test]
    fn a_stream_is_slowed_and_never_made_faster() {
        let at = |rate| StreamOrder::new(1, 1, rate).unwrap();
        for (asked, most, run) in [(0.0, 1e6, 1e6), (5e6, 1e6, 1e6), (1e5, 1e6, 1e5), (5e6, 0.0, 5e6)] {
            assert!((at(asked).at_most(most).rate_bytes_per_s() - run).abs() < 1e-9);
        }
    }
}
