//! A run as bytes: JSON, compressed with zstd and a checksum.

use crate::StoreError;
use fullwire_model::Run;
use fullwire_model::assessment::is_plain_word;
use fullwire_model::history::ID_LONGEST_BYTES;
use fullwire_model::json::Record as _;
use std::io::Read;

/// A kept run unpacks to at most this: ten times the largest recording that the limits of the probes allow.
const LARGEST_BYTES: u64 = 256 << 20;

/// zstd's own default: 1 MB of JSON in a few milliseconds, to about a tenth.
const LEVEL: i32 = 3;

/// Packs a run, and proves that it will come back the same: JSON has no word for NaN or infinity.
pub(crate) fn pack(run: &Run) -> Result<Vec<u8>, StoreError> {
    let refuse = |detail: String| StoreError::Unkeepable { run_id: run.run_id.clone(), detail };
    let json = run.write().map_err(|error| refuse(error.to_string()))?;
    if json.len() as u64 > LARGEST_BYTES {
        return Err(refuse(format!("it has {} bytes, more than the maximum of {LARGEST_BYTES}", json.len())));
    }
    match Run::read(&json) {
        Ok(back) if back == *run => compress(&json).map_err(|error| refuse(error.to_string())),
        Ok(_) => Err(refuse("it could not be read back unchanged".into())),
        // What JSON has no word for is written as null.
        Err(error) if error.to_string().contains("invalid type: null") => {
            Err(refuse(format!("a number is not finite ({error})")))
        }
        Err(error) => Err(refuse(format!("it could not be read back: {error}"))),
    }
}

/// Unpacks a run.
pub(crate) fn unpack(run_id: &str, body: &[u8]) -> Result<Run, StoreError> {
    let malformed = |detail: String| StoreError::Malformed { run_id: run_id.to_owned(), detail };
    let mut json = Vec::new();
    let decoder = zstd::Decoder::new(body).map_err(|error| malformed(error.to_string()))?;
    let length = decoder
        .take(LARGEST_BYTES + 1)
        .read_to_end(&mut json)
        .map_err(|error| malformed(error.to_string()))?;
    if length as u64 > LARGEST_BYTES {
        return Err(malformed(format!("it unpacks to more than {LARGEST_BYTES} bytes")));
    }
    let run = Run::read(&json).map_err(|error| malformed(error.to_string()))?;
    // It stands in commands that are shown, and a file may be anyone's.
    if is_plain_word(&run.run_id, ID_LONGEST_BYTES) {
        return Ok(run);
    }
    Err(malformed("its id is not up to 64 letters, digits, dots, dashes and underscores".into()))
}

fn compress(json: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = zstd::Encoder::new(Vec::new(), LEVEL)?;
    encoder.include_checksum(true)?;
    std::io::copy(&mut &json[..], &mut encoder)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::net::NetResult;
    use proptest::prelude::*;

    #[test]
    fn a_number_that_json_cannot_carry_is_refused() {
        let net = NetResult { duration_s: f64::NAN, ..NetResult::default() };
        let run = Run { run_id: "r1".into(), net: vec![net], ..Run::default() };
        let error = pack(&run).unwrap_err().to_string();
        assert!(error.starts_with("run r1 cannot be kept: a number is not finite"), "{error}");
    }

    #[test]
    fn the_id_of_a_run_is_a_plain_word() {
        for run_id in ["--undo", "x;id", "", "a b"] {
            let packed = pack(&Run { run_id: run_id.into(), ..Run::default() }).unwrap();
            let error = unpack(run_id, &packed).unwrap_err();
            assert!(matches!(error, StoreError::Malformed { .. }), "{run_id}: {error}");
        }
    }

    #[test]
    fn a_damaged_body_is_malformed_at_any_byte() {
        let packed = pack(&Run { run_id: "r1".into(), ..Run::default() }).unwrap();
        for end in 0..packed.len() {
            let error = unpack("r1", &packed[..end]).unwrap_err();
            assert!(matches!(error, StoreError::Malformed { .. }), "cut at {end}: {error}");
        }
    }

    proptest! {
        #[test]
        fn mangled_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            prop_assert!(unpack("r1", &bytes).is_err());
        }
    }
}
