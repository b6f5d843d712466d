//! How two sets of runs are compared.

use fullwire_model::comparison::Design;
use fullwire_model::{PathName, Run};

/// The smallest changes that matter, as shares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deltas {
    /// Of a throughput or a number of I/Os per second.
    pub rate: f64,
    /// Of a median latency.
    pub median: f64,
    /// Of a 99th percentile.
    pub p99: f64,
    /// Of a 99.9th percentile.
    pub p999: f64,
}

impl Default for Deltas {
    fn default() -> Self {
        Self { rate: 0.03, median: 0.05, p99: 0.10, p999: 0.20 }
    }
}

impl Deltas {
    /// The same for all.
    pub fn all(share: f64) -> Self {
        Self { rate: share, median: share, p99: share, p999: share }
    }
}

/// What the rules conclude from a run: code, and all that they say with it. Used to see which settings affect what.
pub type Conclude<'a> = &'a dyn Fn(&Run) -> Vec<(String, String)>;

/// How to compare.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// How the runs were made.
    pub design: Design,
    /// What matters.
    pub deltas: Deltas,
    /// A path that the change cannot touch, for runs that did not alternate.
    pub control: Option<&'a PathName>,
    /// Earlier runs on this host: where the sides are small, their scatter is borrowed.
    pub history: &'a [&'a Run],
    /// Show both columns although the questions differ.
    pub force: bool,
    /// What the rules conclude.
    pub conclude: Option<Conclude<'a>>,
}
