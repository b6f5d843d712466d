//! What the responder's host says of itself. The probe only carries it: the binary observes.

use fullwire_model::counters::Counters;
use fullwire_model::host::Host;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FactsAsk {
    /// Settings and topology, as far as they affect the path to this address.
    Host {
        /// The client's address as the responder sees it; filled in by the responder.
        #[serde(default)]
        client: String,
    },
    /// Counters now.
    Counters,
}

/// The answer. What could not be read is missing, and the records' own gaps say why.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PeerFacts {
    /// To [`FactsAsk::Host`].
    pub host: Option<Host>,
    /// To [`FactsAsk::Counters`].
    pub counters: Option<Counters>,
}

/// Supplied by the binary: reads the host. Called from session threads.
pub type FactsSource = Arc<dyn Fn(&FactsAsk) -> PeerFacts + Send + Sync>;
