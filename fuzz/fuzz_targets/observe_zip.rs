//! The directory and the members of a ZIP archive.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = fullwire_observe::zip_members(bytes);
});
