//! The key: Noise `NNpsk0`, so that both ends prove that they know it and no one else reads or alters
//! what is said (noiseprotocol.org, revision 34, section 9). Load itself travels in clear: it is noise.

use super::wire::WireError;
use snow::{Builder, HandshakeState, TransportState};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The suite. The preamble goes in as prologue, so that a version cannot be forged down.
const PATTERN: &str = "Noise_NNpsk0_25519_ChaChaPoly_SHA256";

/// Rounds of PBKDF2: a few ms once, for each guess of someone who has recorded a handshake.
const ROUNDS: u32 = 20_000;

/// Keys that are kept derived.
const KEPT: usize = 64;

/// The longest Noise message (its length field has 16 bits).
const LONGEST: usize = 65_535;

/// Bytes that sealing adds.
pub(crate) const TAG_BYTES: usize = 16;

/// A key as the handshake wants it.
#[derive(Clone)]
pub(crate) struct Key([u8; 32]);

impl Key {
    /// From what the user typed. What was derived is kept: a node of a mesh dials every other one several times, each by its key.
    pub(crate) fn derive(text: &str) -> Self {
        static DERIVED: Mutex<BTreeMap<String, Key>> = Mutex::new(BTreeMap::new());
        let mut derived = DERIVED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(key) = derived.get(text) {
            return key.clone();
        }
        let mut key = [0; 32];
        pbkdf2::pbkdf2_hmac::<sha2::Sha256>(text.trim().as_bytes(), b"fullwire control 1", ROUNDS, &mut key);
        if derived.len() == KEPT {
            derived.clear();
        }
        derived.entry(text.to_owned()).or_insert(Self(key)).clone()
    }
}

/// The first message: from client to responder.
pub(crate) fn initiate(key: &Key, prologue: &[u8]) -> Result<(HandshakeState, Vec<u8>), WireError> {
    let mut state = builder(key, prologue)?.build_initiator().map_err(|_| WireError::Sealed)?;
    let message = written(&mut state)?;
    Ok((state, message))
}

/// The client's end: takes the responder's answer.
pub(crate) fn conclude(mut state: HandshakeState, answer: &[u8]) -> Result<TransportState, WireError> {
    let mut payload = [0; 256];
    state.read_message(answer, &mut payload).map_err(|_| WireError::Sealed)?;
    state.into_transport_mode().map_err(|_| WireError::Sealed)
}

/// The responder's end: a wrong key is seen before any curve arithmetic is spent on it.
pub(crate) fn respond(
    key: &Key,
    prologue: &[u8],
    message: &[u8],
) -> Result<(TransportState, Vec<u8>), WireError> {
    let mut state = builder(key, prologue)?.build_responder().map_err(|_| WireError::Sealed)?;
    let mut payload = [0; 256];
    state.read_message(message, &mut payload).map_err(|_| WireError::Sealed)?;
    let answer = written(&mut state)?;
    let transport = state.into_transport_mode().map_err(|_| WireError::Sealed)?;
    Ok((transport, answer))
}

/// Seals one frame's body.
pub(crate) fn seal(transport: &mut TransportState, plain: &[u8]) -> Result<Vec<u8>, WireError> {
    let mut sealed = vec![0; plain.len() + TAG_BYTES];
    let length = transport.write_message(plain, &mut sealed).map_err(|_| WireError::Sealed)?;
    sealed.truncate(length);
    Ok(sealed)
}

/// Opens one frame's body.
pub(crate) fn open(transport: &mut TransportState, sealed: &[u8]) -> Result<Vec<u8>, WireError> {
    let mut plain = vec![0; sealed.len().min(LONGEST)];
    let length = transport.read_message(sealed, &mut plain).map_err(|_| WireError::Sealed)?;
    plain.truncate(length);
    Ok(plain)
}

fn builder<'a>(key: &'a Key, prologue: &'a [u8]) -> Result<Builder<'a>, WireError> {
    let params = PATTERN.parse().map_err(|_| WireError::Unknown("cipher suite"))?;
    Builder::new(params)
        .psk(0, &key.0)
        .and_then(|builder| builder.prologue(prologue))
        .map_err(|_| WireError::Sealed)
}

fn written(state: &mut HandshakeState) -> Result<Vec<u8>, WireError> {
    let mut message = vec![0; 256];
    let length = state.write_message(&[], &mut message).map_err(|_| WireError::Sealed)?;
    message.truncate(length);
    Ok(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_agree_and_a_wrong_key_is_refused_at_once() {
        let key = Key::derive("correct horse");
        let (state, hello) = initiate(&key, b"p").unwrap();
        let (mut responder, answer) = respond(&key, b"p", &hello).unwrap();
        let mut client = conclude(state, &answer).unwrap();
        let sealed = seal(&mut client, b"request").unwrap();
        assert_eq!(open(&mut responder, &sealed).unwrap(), b"request");
        assert!(open(&mut responder, &sealed).is_err(), "a replayed frame");
        assert!(respond(&Key::derive("battery"), b"p", &hello).is_err());
        assert!(respond(&key, b"another prologue", &hello).is_err());
    }
}
