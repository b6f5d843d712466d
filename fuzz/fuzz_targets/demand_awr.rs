//! AWR and Statspack reports.
#![no_main]

use fullwire_demand::awr;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = awr::read(bytes, "fuzz");
    // Behind a heading of each kind, so that the mangled part is a report's.
    for heading in
        ["WORKLOAD REPOSITORY report for\n", "STATSPACK report for\n", "<html>AWR Report for DB: X\n"]
    {
        let _ = awr::read(&[heading.as_bytes(), bytes].concat(), "fuzz");
    }
});
