//! What a stranger can make the responder, or a hostile responder its client, decode.
#![no_main]

#[path = "../cases/net_wire.rs"]
mod case;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    case::decode_all(bytes);
});
