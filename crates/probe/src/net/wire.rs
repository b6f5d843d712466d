//! What crosses the wire. Sans I/O: bytes in, values out; fuzzed.
//!
//! A connection opens with a [`Preamble`]. On a control connection the responder answers with a
//! [`Verdict`], then both exchange frames (`u16` length, body; with a key each body is one Noise message)
//! whose bodies, joined, are messages (`u32` length, JSON). On a data connection the preamble is followed
//! by the lane's [`Token`], and then by nothing but load.

use super::facts::{FactsAsk, PeerFacts};
use super::report::EndReport;
use fullwire_model::net::NetPlan;
use serde::{Deserialize, Serialize};

/// Version of the protocol. Fields may be added to messages without a new one; anything else needs one.
pub const VERSION: u8 = 2;

/// Every connection, and the answer to it, begins with these bytes.
pub const MAGIC: [u8; 8] = *b"FULLWIRE";

/// Bytes of a preamble and of a verdict.
pub const PREAMBLE_BYTES: usize = 12;

/// Bytes of a token: 256 bits from the kernel, not to be guessed.
pub const TOKEN_BYTES: usize = 32;

/// The longest request that a responder reads.
pub const REQUEST_LIMIT_BYTES: usize = 64 * 1024;

/// The longest reply that a client reads: a large host's records take a few MiB.
pub const REPLY_LIMIT_BYTES: usize = 16 * 1024 * 1024;

/// Names one lane of one test; good for one connection.
pub type Token = [u8; TOKEN_BYTES];

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Requests and replies in clear.
    OpenControl,
    /// Requests and replies under a key.
    SecureControl,
    /// Load.
    Data,
}

/// The first bytes of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preamble {
    /// The protocol version that the client speaks.
    pub version: u8,
    /// What the connection is for.
    pub kind: Kind,
}

/// The responder's answer to a control preamble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Go on.
    Welcome,
    /// The version is not ours.
    Version,
    /// A key is needed.
    KeyRequired,
    /// This responder has no key.
    KeyUnexpected,
    /// No room now.
    Busy,
}

/// Why bytes are not a message of ours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// Not our magic.
    #[error("not fullwire's protocol")]
    Foreign,
    /// A value that the protocol does not know.
    #[error("unknown {0}")]
    Unknown(&'static str),
    /// Longer than allowed.
    #[error("a message of {length} bytes, but at most {limit} are allowed")]
    TooLong {
        /// As announced.
        length: usize,
        /// As allowed.
        limit: usize,
    },
    /// An empty frame.
    #[error("an empty frame")]
    Empty,
    /// Not decryptable under the key.
    #[error("a frame that cannot be decrypted with the key")]
    Sealed,
    /// Not the JSON that was expected.
    #[error("malformed message: {0}")]
    Malformed(String),
}

impl Preamble {
    /// As bytes.
    pub fn encode(self) -> [u8; PREAMBLE_BYTES] {
        let kind = match self.kind {
            Kind::OpenControl => 1,
            Kind::SecureControl => 2,
            Kind::Data => 3,
        };
        opening(self.version, kind)
    }

    /// From bytes. The version is not judged here: that is for the verdict.
    pub fn decode(bytes: [u8; PREAMBLE_BYTES]) -> Result<Self, WireError> {
        let (version, kind) = opened(bytes)?;
        let kind = match kind {
            1 => Kind::OpenControl,
            2 => Kind::SecureControl,
            3 => Kind::Data,
            _ => return Err(WireError::Unknown("kind of connection")),
        };
        Ok(Self { version, kind })
    }

    /// Whether bytes that have come so far can still become a preamble: tells TLS and HTTP by their first byte.
    pub fn may_begin(bytes: &[u8]) -> bool {
        bytes.iter().zip(MAGIC).all(|(byte, expected)| *byte == expected)
    }
}

impl Verdict {
    /// As bytes, with the responder's version.
    pub fn encode(self) -> [u8; PREAMBLE_BYTES] {
        let status = match self {
            Self::Welcome => 0,
            Self::Version => 1,
            Self::KeyRequired => 2,
            Self::KeyUnexpected => 3,
            Self::Busy => 4,
        };
        opening(VERSION, status)
    }

    /// From bytes: the responder's version and its verdict.
    pub fn decode(bytes: [u8; PREAMBLE_BYTES]) -> Result<(u8, Self), WireError> {
        let (version, status) = opened(bytes)?;
        let verdict = match status {
            0 => Self::Welcome,
            1 => Self::Version,
            2 => Self::KeyRequired,
            3 => Self::KeyUnexpected,
            4 => Self::Busy,
            _ => return Err(WireError::Unknown("verdict")),
        };
        Ok((version, verdict))
    }
}

fn opening(version: u8, code: u8) -> [u8; PREAMBLE_BYTES] {
    let mut bytes = [0; PREAMBLE_BYTES];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8] = version;
    bytes[9] = code;
    bytes
}

fn opened(bytes: [u8; PREAMBLE_BYTES]) -> Result<(u8, u8), WireError> {
    if bytes[..8] == MAGIC { Ok((bytes[8], bytes[9])) } else { Err(WireError::Foreign) }
}

/// What a client asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// The responder host's records or counters.
    Facts(FactsAsk),
    /// A test. One at a time per control connection.
    Test(Box<TestRequest>),
    /// End the running test now and report.
    Stop,
    /// Answer datagrams of any size until the control connection ends; see `sizes.rs`.
    Sizes,
}

/// A test to be made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TestRequest {
    /// The plan, completed by the client.
    pub plan: NetPlan,
    /// The responder's counters at both ends of the test are wanted.
    pub counters: bool,
}

/// What a responder answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// To [`Request::Facts`].
    Facts(Box<PeerFacts>),
    /// To [`Request::Test`]: connect the lanes. To [`Request::Sizes`]: the token and the port.
    Ready(Ready),
    /// All lanes are connected: the test begins.
    Go,
    /// The test is over.
    Report(Box<EndReport>),
    /// It will not be done, and why.
    Refused(String),
}

/// A test is prepared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ready {
    /// One for each lane, in the order that the plan defines, in hexadecimal.
    pub tokens: Vec<String>,
    /// The UDP ports of a datagram test's lanes.
    pub udp_ports: Vec<u16>,
}

/// A message as the bytes that go into frames.
pub fn encode(message: &impl Serialize) -> Result<Vec<u8>, WireError> {
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, message).map_err(|error| WireError::Malformed(error.to_string()))?;
    let length = u32::try_from(bytes.len() - 4)
        .map_err(|_| WireError::TooLong { length: bytes.len(), limit: u32::MAX as usize })?;
    bytes[..4].copy_from_slice(&length.to_be_bytes());
    Ok(bytes)
}

/// Takes one message from the front of what has come, when it is whole.
pub fn take_message(plain: &mut Vec<u8>, limit: usize) -> Result<Option<Vec<u8>>, WireError> {
    let Some(prefix) = plain.first_chunk::<4>() else { return Ok(None) };
    let length = u32::from_be_bytes(*prefix) as usize;
    if length > limit {
        return Err(WireError::TooLong { length, limit });
    }
    if plain.len() < 4 + length {
        return Ok(None);
    }
    let rest = plain.split_off(4 + length);
    let mut message = std::mem::replace(plain, rest);
    message.drain(..4);
    Ok(Some(message))
}

/// A message's value.
pub fn decode<'a, T: Deserialize<'a>>(message: &'a [u8]) -> Result<T, WireError> {
    fullwire_model::json::read(message).map_err(|error| WireError::Malformed(error.to_string()))
}

/// Takes one frame's body from the front of what has come, when it is whole.
pub fn take_frame(raw: &mut Vec<u8>) -> Result<Option<Vec<u8>>, WireError> {
    let Some(prefix) = raw.first_chunk::<2>() else { return Ok(None) };
    let length = usize::from(u16::from_be_bytes(*prefix));
    if length == 0 {
        return Err(WireError::Empty);
    }
    if raw.len() < 2 + length {
        return Ok(None);
    }
    let rest = raw.split_off(2 + length);
    let mut frame = std::mem::replace(raw, rest);
    frame.drain(..2);
    Ok(Some(frame))
}

/// A token in hexadecimal.
pub fn token_text(token: &Token) -> String {
    use std::fmt::Write as _;
    token.iter().fold(String::with_capacity(2 * TOKEN_BYTES), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A token from hexadecimal.
pub fn token_from_text(text: &str) -> Result<Token, WireError> {
    let unknown = || WireError::Unknown("form of token");
    let mut token = [0; TOKEN_BYTES];
    if text.len() != 2 * TOKEN_BYTES || !text.is_ascii() {
        return Err(unknown());
    }
    for (index, byte) in token.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * index..2 * index + 2], 16).map_err(|_| unknown())?;
    }
    Ok(token)
}
