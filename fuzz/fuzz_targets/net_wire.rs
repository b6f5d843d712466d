//! What a stranger can make the responder, or a hostile responder its client, decode.
#![no_main]

use fullwire_probe::net::wire::{
    PREAMBLE_BYTES, Preamble, REQUEST_LIMIT_BYTES, Reply, Request, Verdict, decode, take_frame, take_message,
    token_from_text,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some(opening) = bytes.first_chunk::<PREAMBLE_BYTES>() {
        let _ = Preamble::decode(*opening).map(|preamble| assert_eq!(preamble.encode()[..10], opening[..10]));
        let _ = Verdict::decode(*opening);
    }
    let _ = std::str::from_utf8(bytes).map(token_from_text);
    let (mut raw, mut plain) = (bytes.to_vec(), Vec::new());
    while let Ok(Some(frame)) = take_frame(&mut raw) {
        plain.extend(frame);
    }
    while let Ok(Some(message)) = take_message(&mut plain, REQUEST_LIMIT_BYTES) {
        let _ = decode::<Request>(&message);
        let _ = decode::<Reply>(&message);
    }
    let _ = decode::<Request>(bytes);
});
