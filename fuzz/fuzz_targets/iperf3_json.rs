//! Parameters and results of iperf3 as any peer may send them.
#![no_main]

use fullwire_probe::iperf3::{Params, Results};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = serde_json::from_slice(bytes) else { return };
    if let Ok(params) = Params::read(&value) {
        // What was accepted is written as it was meant.
        assert_eq!(Params::read(&params.write()).as_ref(), Ok(&params));
        assert!(params.client_sends().len() <= 256);
    }
    if let Some(results) = Results::read(&value) {
        let _ = Results::read(&results.write(0));
    }
});
