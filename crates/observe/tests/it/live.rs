//! This very host.

use fullwire_observe::{Ask, CountersAsk, Root};

#[test]
fn a_live_host_is_read() {
    let root = Root::live().expect("the root directory can be opened");
    let host = fullwire_observe::host(&root, &Ask::default());
    assert!(!host.captured);
    assert!(!host.hostname.is_empty());
    let counters = fullwire_observe::counters(&root, &CountersAsk::default());
    assert!(counters.monotonic_ns > 0);
}
