//! The NFS client's statistics.
#![no_main]

use fullwire_observe::parse::parse_mountstats;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let mut gaps = Vec::new();
    parse_mountstats(text, "fuzz", &mut gaps);
    assert!(gaps.len() < 10);
});
