//! Parameters and results of iperf3 as any peer may send them.
#![no_main]

#[path = "../cases/iperf3_json.rs"]
mod case;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    case::read(bytes);
});
