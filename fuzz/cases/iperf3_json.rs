//! Parameters and results of iperf3 as any peer may send them: one input.

use fullwire_probe::iperf3::{Params, Results};

/// Reads it both ways; whether it was parameters or results.
pub(crate) fn read(bytes: &[u8]) -> bool {
    let Ok(value) = serde_json::from_slice(bytes) else { return false };
    let params = Params::read(&value);
    if let Ok(params) = &params {
        // What was accepted is written as it was meant.
        assert_eq!(Params::read(&params.write()).as_ref(), Ok(params));
        assert!(params.client_sends().len() <= 256);
    }
    let results = Results::read(&value);
    if let Some(results) = &results {
        let _ = Results::read(&results.write(0));
    }
    params.is_ok() || results.is_some()
}
