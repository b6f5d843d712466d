//! A packed tree of any bytes, read by all readers.
#![no_main]

use fullwire_observe::{Ask, CountersAsk, Root, counters, host};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(root) = Root::archive(bytes) {
        assert!(host(&root, &Ask::default()).captured);
        counters(&root, &CountersAsk::default());
        let _ = root.window();
    }
});
