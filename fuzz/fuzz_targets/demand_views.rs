//! Listings of Oracle's views.
#![no_main]

use fullwire_demand::views;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let _ = views::read(&text, "fuzz");
});
