//! What a stranger can make the responder, or a hostile responder its client, decode: one input. The fuzz target and the
//! test that replays its seeds share it.

use fullwire_probe::net::wire::{
    PREAMBLE_BYTES, Preamble, REQUEST_LIMIT_BYTES, Reply, Request, Verdict, decode, take_frame, take_message,
    token_from_text,
};

/// Decodes it every way; how many whole messages were in it.
pub(crate) fn decode_all(bytes: &[u8]) -> usize {
    if let Some(opening) = bytes.first_chunk::<PREAMBLE_BYTES>() {
        let _ = Preamble::decode(*opening).map(|preamble| assert_eq!(preamble.encode()[..10], opening[..10]));
        let _ = Verdict::decode(*opening);
    }
    let _ = std::str::from_utf8(bytes).map(token_from_text);
    let (mut raw, mut plain) = (bytes.to_vec(), Vec::new());
    while let Ok(Some(frame)) = take_frame(&mut raw) {
        plain.extend(frame);
    }
    let mut messages = 0;
    while let Ok(Some(message)) = take_message(&mut plain, REQUEST_LIMIT_BYTES) {
        messages += usize::from(decode::<Request>(&message).is_ok() || decode::<Reply>(&message).is_ok());
    }
    let _ = decode::<Request>(bytes);
    messages
}
