//! What other tools recorded, with and without the order of dates.
#![no_main]

use fullwire_demand::DateOrder;
use fullwire_demand::import::{Options, detect_and_read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for date_order in [None, Some(DateOrder::DayMonthYear)] {
        let _ = detect_and_read(bytes, "fuzz", Options { date_order, ..Options::default() });
    }
});
