//! Whatever someone pastes: its pieces, the notable lines, the counters, and reports that are tables alone.
#![no_main]

use fullwire_demand::import::Options;
use fullwire_demand::piece::{is_known_form, pieces, stamped, unknown};
use fullwire_demand::{awr, logged, totals};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let options = Options::default();
    for piece in pieces(&text, "fuzz", options) {
        let _ = logged::lines(&piece.text, "fuzz", options.known);
        let _ = totals::totals(&piece.text, "fuzz");
        let _ = (is_known_form(&piece.text), stamped(&piece.text).count());
    }
    let _ = unknown(&text, "fuzz");
    let _ = awr::read(bytes, "fuzz");
});
