//! What is asked of a host, by every command in the same way.

use fullwire_observe::Ask;
use std::net::IpAddr;

/// Its settings and topology, the routes to these peers, and those lines of its log that tell of trouble or that the rules
/// know.
pub(crate) fn of_host(peers: Vec<IpAddr>) -> Ask {
    Ask { peers, known: fullwire_rules::KNOWN_LINES }
}
