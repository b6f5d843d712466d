//! Whatever someone pastes: its pieces, the notable lines, the counters, and reports that are tables alone.
#![no_main]

use fullwire_demand::import::Options;
use fullwire_demand::piece::pieces;
use fullwire_demand::{awr, logged, totals};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    for piece in pieces(&text, "fuzz", Options::default()) {
        let _ = logged::lines(&piece.text, "fuzz");
        let _ = totals::totals(&piece.text, "fuzz");
    }
    let _ = awr::read(bytes, "fuzz");
});
