//! Archived-log listings.
#![no_main]

use fullwire_demand::redo;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let _ = redo::read(&text, "fuzz", redo::DEFAULT_HEADROOM, None);
});
