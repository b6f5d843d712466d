//! What goes over iperf3's control connection: state bytes, the cookie, and length-prefixed JSON.
//!
//! Written from a description of the protocol's bytes and from captures. Every number that arrives is checked
//! for its type and its range before anything is allocated or started for it.

use crate::iperf::is_retry;
use rustix::net::{RecvFlags, recv};
use serde_json::{Map, Value, json};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// 36 characters and a NUL.
pub(super) const COOKIE_BYTES: usize = 37;
/// As current servers have it.
pub(super) const PARAMS_LIMIT_BYTES: usize = 8 * 1024;
/// Results of 128 streams with a server's text output stay far below.
pub(super) const RESULTS_LIMIT_BYTES: usize = 4 * 1024 * 1024;
/// As current servers have them.
const STREAMS_LIMIT: u64 = 128;
const TIME_LIMIT_S: u64 = 86_400;
const OMIT_LIMIT_S: u64 = 600;
const TCP_BLOCK_LIMIT_BYTES: u64 = 1 << 20;
const UDP_BLOCK_BYTES: std::ops::RangeInclusive<u64> = 16..=65_507;
const WINDOW_LIMIT_BYTES: u64 = 512 << 20;
/// `len` when the client leaves it out.
const TCP_BLOCK_DEFAULT_BYTES: u64 = 128 << 10;
const UDP_BLOCK_DEFAULT_BYTES: u64 = 1448;

/// A state byte. Unknown ones are kept as they came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct State(pub(super) u8);

impl State {
    pub(super) const TEST_START: Self = Self(1);
    pub(super) const TEST_RUNNING: Self = Self(2);
    pub(super) const TEST_END: Self = Self(4);
    pub(super) const PARAM_EXCHANGE: Self = Self(9);
    pub(super) const CREATE_STREAMS: Self = Self(10);
    pub(super) const SERVER_TERMINATE: Self = Self(11);
    pub(super) const CLIENT_TERMINATE: Self = Self(12);
    pub(super) const EXCHANGE_RESULTS: Self = Self(13);
    pub(super) const DISPLAY_RESULTS: Self = Self(14);
    pub(super) const DONE: Self = Self(16);
    pub(super) const ACCESS_DENIED: Self = Self(0xff);
    pub(super) const SERVER_ERROR: Self = Self(0xfe);
}

/// A control connection with a deadline on every phase.
pub(super) struct Control {
    stream: TcpStream,
}

impl Control {
    pub(super) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_nonblocking(false)?;
        Ok(Self { stream })
    }

    /// The peer has closed its end, as far as can be seen without waiting.
    pub(super) fn peer_left(&self) -> bool {
        let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
        match recv(&self.stream, &mut [0_u8; 1][..], flags) {
            Ok((_, length)) => length == 0,
            Err(error) => !is_retry(&error.into()),
        }
    }

    pub(super) fn send_state(&mut self, state: State) -> io::Result<()> {
        self.stream.write_all(&[state.0])
    }

    /// The server's way to refuse: a byte, an iperf error code, an errno.
    pub(super) fn send_error(&mut self, code: u32) -> io::Result<()> {
        let mut message = vec![State::SERVER_ERROR.0];
        message.extend_from_slice(&code.to_be_bytes());
        message.extend_from_slice(&0_u32.to_be_bytes());
        self.stream.write_all(&message)
    }

    pub(super) fn send_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    pub(super) fn send_json(&mut self, value: &Value) -> io::Result<()> {
        let text = serde_json::to_vec(value)?;
        let length = u32::try_from(text.len()).map_err(|_| io::Error::other("the message is too long"))?;
        self.stream.write_all(&[&length.to_be_bytes()[..], &text].concat())
    }

    pub(super) fn read_state(&mut self, within: Duration) -> io::Result<State> {
        let mut byte = [0_u8; 1];
        self.read_exact_within(&mut byte, within)?;
        Ok(State(byte[0]))
    }

    /// The code behind [`State::SERVER_ERROR`]; 0 when the peer closed without one.
    pub(super) fn read_error_code(&mut self, within: Duration) -> u32 {
        let mut bytes = [0_u8; 8];
        match self.read_exact_within(&mut bytes, within) {
            Ok(()) => u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
            Err(_) => 0,
        }
    }

    /// The length is checked before a byte is allocated for it.
    pub(super) fn read_json(&mut self, limit: usize, within: Duration) -> io::Result<Value> {
        let mut prefix = [0_u8; 4];
        let started = Instant::now();
        self.read_exact_within(&mut prefix, within)?;
        let length = u32::from_be_bytes(prefix) as usize;
        if length == 0 || length > limit {
            return Err(invalid(format!("a JSON message of {length} bytes (the limit is {limit})")));
        }
        let mut text = vec![0_u8; length];
        self.read_exact_within(&mut text, within.saturating_sub(started.elapsed()))?;
        fullwire_model::json::read(&text)
            .map_err(|error| invalid(format!("a message that is not valid JSON: {error}")))
    }

    /// One deadline for the whole read: a byte a second does not extend it.
    fn read_exact_within(&mut self, buffer: &mut [u8], within: Duration) -> io::Result<()> {
        let deadline = Instant::now() + within;
        let mut filled = 0;
        while filled < buffer.len() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.stream.set_read_timeout(Some(left))?;
            match self.stream.read(&mut buffer[filled..]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn invalid(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// What a client asks for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Params {
    /// UDP; else TCP.
    pub udp: bool,
    /// The server sends.
    pub reverse: bool,
    /// Both send.
    pub bidirectional: bool,
    /// Streams in each direction.
    pub parallel: u64,
    /// Seconds; 0: by bytes or blocks.
    pub time_s: u64,
    /// Seconds at the start that are not counted.
    pub omit_s: u64,
    /// Bytes in all; 0: no limit.
    pub bytes: u64,
    /// Blocks in all; 0: no limit.
    pub blocks: u64,
    /// Bytes of a block.
    pub block_bytes: u64,
    /// `SO_SNDBUF` and `SO_RCVBUF`; 0: autotuning.
    pub window_bytes: u64,
    /// Bits a second of a stream; 0: unlimited.
    pub rate_bits_per_s: u64,
    /// `TCP_NODELAY`.
    pub nodelay: bool,
    /// UDP packet numbers have 64 bits.
    pub counters_64bit: bool,
    /// Congestion control; empty: the default.
    pub congestion: String,
}

/// Why parameters are refused: iperf's own error code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal(pub u32);

impl Refusal {
    const TIME: Self = Self(5);
    pub(super) const STREAMS: Self = Self(6);
    const BLOCK: Self = Self(7);
    const WINDOW: Self = Self(8);
    const OMIT: Self = Self(12);
    const UDP_BLOCK: Self = Self(20);
    /// Not an object, or a text where it must not be.
    pub(super) const PARAMS: Self = Self(114);
}

impl Params {
    /// Bytes that were ordered, by `--bytes` or `--blockcount`; `None`: the test ends by time.
    pub fn total_bytes(&self) -> Option<u64> {
        let of_blocks = self.blocks.saturating_mul(self.block_bytes);
        [self.bytes, of_blocks].into_iter().find(|&total| total > 0)
    }

    /// Reads what a client sent. A key of the wrong type refuses the whole.
    pub fn read(value: &Value) -> Result<Self, Refusal> {
        let fields = value.as_object().ok_or(Refusal::PARAMS)?;
        let udp = flag(fields, "udp")?;
        let in_range =
            |key, default, range: std::ops::RangeInclusive<u64>, refusal| match number(fields, key)? {
                None => Ok(default),
                Some(value) if range.contains(&value) => Ok(value),
                Some(_) => Err(refusal),
            };
        let block_bytes = if udp {
            in_range("len", UDP_BLOCK_DEFAULT_BYTES, UDP_BLOCK_BYTES, Refusal::UDP_BLOCK)?
        } else {
            in_range("len", TCP_BLOCK_DEFAULT_BYTES, 1..=TCP_BLOCK_LIMIT_BYTES, Refusal::BLOCK)?
        };
        for key in ["title", "extra_data", "authtoken", "congestion_used"] {
            text(fields, key)?;
        }
        Ok(Self {
            udp,
            reverse: flag(fields, "reverse")?,
            bidirectional: flag(fields, "bidirectional")?,
            parallel: in_range("parallel", 1, 1..=STREAMS_LIMIT, Refusal::STREAMS)?,
            time_s: in_range("time", 10, 0..=TIME_LIMIT_S, Refusal::TIME)?,
            omit_s: in_range("omit", 0, 0..=OMIT_LIMIT_S, Refusal::OMIT)?,
            bytes: in_range("num", 0, 0..=u64::MAX, Refusal::PARAMS)?,
            blocks: in_range("blockcount", 0, 0..=u64::MAX, Refusal::PARAMS)?,
            block_bytes,
            window_bytes: in_range("window", 0, 0..=WINDOW_LIMIT_BYTES, Refusal::WINDOW)?,
            rate_bits_per_s: in_range("bandwidth", 0, 0..=u64::MAX, Refusal::PARAMS)?,
            nodelay: flag(fields, "nodelay")?,
            counters_64bit: fields.contains_key("udp_counters_64bit"),
            congestion: text(fields, "congestion")?.unwrap_or_default(),
        })
    }

    /// As a client sends it.
    pub fn write(&self) -> Value {
        let mut fields = Map::new();
        fields.insert(if self.udp { "udp" } else { "tcp" }.into(), true.into());
        fields.insert("omit".into(), self.omit_s.into());
        fields.insert("time".into(), self.time_s.into());
        fields.insert("num".into(), self.bytes.into());
        fields.insert("blockcount".into(), self.blocks.into());
        fields.insert("parallel".into(), self.parallel.into());
        fields.insert("len".into(), self.block_bytes.into());
        fields.insert("pacing_timer".into(), 1000.into());
        fields.insert("client_version".into(), "3.16".into());
        let mut when = |wanted: bool, key: &str, value: Value| {
            if wanted {
                fields.insert(key.into(), value);
            }
        };
        when(self.reverse, "reverse", true.into());
        when(self.bidirectional, "bidirectional", true.into());
        when(self.nodelay, "nodelay", true.into());
        when(self.window_bytes > 0, "window", self.window_bytes.into());
        when(self.rate_bits_per_s > 0, "bandwidth", self.rate_bits_per_s.into());
        when(self.udp && self.counters_64bit, "udp_counters_64bit", 1.into());
        when(!self.congestion.is_empty(), "congestion", self.congestion.clone().into());
        Value::Object(fields)
    }

    /// Who sends on each stream, in the order in which streams are opened: true is the client.
    pub fn client_sends(&self) -> Vec<bool> {
        let count = usize::try_from(self.parallel).unwrap_or(1);
        if self.bidirectional {
            return [vec![true; count], vec![false; count]].concat();
        }
        vec![!self.reverse; count]
    }
}

/// Stream numbers go 1, 3, 4, 5: two is left out for the sake of old peers.
pub(super) fn stream_id(index: usize) -> u64 {
    if index == 0 { 1 } else { index as u64 + 2 }
}

/// Sent as `true`; some clients send a number.
fn flag(fields: &Map<String, Value>, key: &str) -> Result<bool, Refusal> {
    match fields.get(key) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(value)) => Ok(*value),
        Some(Value::Number(value)) => Ok(value.as_f64() != Some(0.0)),
        Some(_) => Err(Refusal::PARAMS),
    }
}

/// A whole number from 0; -1 and its unsigned twin of old peers count as absent.
fn number(fields: &Map<String, Value>, key: &str) -> Result<Option<u64>, Refusal> {
    let Some(value) = fields.get(key) else { return Ok(None) };
    let number = value.as_number().ok_or(Refusal::PARAMS)?;
    if let Some(value) = number.as_u64() {
        return Ok(Some(value));
    }
    match number.as_f64() {
        Some(value) if value >= 0.0 && value < 2f64.powi(63) => Ok(Some(rounded(value))),
        Some(value) if value < 0.0 => Ok(Some(u64::MAX)),
        _ => Err(Refusal::PARAMS),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the caller checked the range")]
fn rounded(value: f64) -> u64 {
    value.round() as u64
}

fn text(fields: &Map<String, Value>, key: &str) -> Result<Option<String>, Refusal> {
    match fields.get(key) {
        None => Ok(None),
        Some(Value::String(value)) if value.len() <= 256 || key == "authtoken" || key == "extra_data" => {
            Ok(Some(value.clone()))
        }
        Some(_) => Err(Refusal::PARAMS),
    }
}

/// One stream's figures in the results that both sides exchange.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StreamResult {
    /// 1, 3, 4, ...
    pub id: u64,
    /// Sent, by the sender; received, by the receiver.
    pub bytes: u64,
    /// Segments resent; `None`: not applicable.
    pub retransmits: Option<u64>,
    /// RFC 3550 jitter, s.
    pub jitter_s: f64,
    /// Datagrams lost.
    pub errors: u64,
    /// Datagrams sent, or the highest number seen.
    pub packets: u64,
    /// Seconds of the stream.
    pub end_s: f64,
}

/// One side's results.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Results {
    /// Percent of one CPU.
    pub cpu_total_pct: f64,
    /// Each stream.
    pub streams: Vec<StreamResult>,
}

impl Results {
    /// Reads the peer's results; what is missing is zero.
    pub fn read(value: &Value) -> Option<Self> {
        let streams = value.get("streams")?.as_array()?.iter().take(2 * 128).map(read_stream).collect();
        Some(Self {
            cpu_total_pct: value.get("cpu_util_total").and_then(Value::as_f64).unwrap_or(0.0),
            streams,
        })
    }

    /// As it goes over the wire.
    pub fn write(&self, sender_has_retransmits: i64) -> Value {
        let streams: Vec<Value> = self.streams.iter().map(write_stream).collect();
        json!({
            "cpu_util_total": self.cpu_total_pct, "cpu_util_user": 0.0, "cpu_util_system": self.cpu_total_pct,
            "sender_has_retransmits": sender_has_retransmits, "streams": streams,
        })
    }
}

fn read_stream(value: &Value) -> StreamResult {
    let float = |key: &str| value.get(key).and_then(Value::as_f64).unwrap_or(0.0);
    // Before 3.14 a peer wrote -1 as 2^64 - 1.
    let count = |key: &str| value.get(key).and_then(Value::as_u64).filter(|&count| count != u64::MAX);
    StreamResult {
        id: count("id").unwrap_or(0),
        bytes: count("bytes").unwrap_or(0),
        retransmits: count("retransmits"),
        jitter_s: float("jitter"),
        errors: count("errors").unwrap_or(0),
        packets: count("packets").unwrap_or(0),
        end_s: float("end_time"),
    }
}

fn write_stream(stream: &StreamResult) -> Value {
    let retransmits = stream.retransmits.and_then(|count| i64::try_from(count).ok()).unwrap_or(-1);
    json!({
        "id": stream.id, "bytes": stream.bytes, "retransmits": retransmits, "jitter": stream.jitter_s,
        "errors": stream.errors, "omitted_errors": 0, "packets": stream.packets, "omitted_packets": 0,
        "start_time": 0, "end_time": stream.end_s,
    })
}

/// 36 characters of `a-z2-7` and a NUL.
pub(super) fn new_cookie() -> io::Result<[u8; COOKIE_BYTES]> {
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut cookie = [0_u8; COOKIE_BYTES];
    let random = &mut cookie[..COOKIE_BYTES - 1];
    getrandom::fill(random).map_err(|error| io::Error::other(error.to_string()))?;
    for byte in random {
        *byte = LETTERS[usize::from(*byte & 31)];
    }
    Ok(cookie)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Four megabytes of it take a hundred times as much as their text.
    #[test]
    fn a_message_is_bounded_by_what_it_takes_in_memory() {
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(server.local_addr().unwrap()).unwrap();
        let text = format!("[{}0]", "[0],".repeat(1_000_000));
        let send = std::thread::spawn(move || {
            client.write_all(&u32::try_from(text.len()).unwrap().to_be_bytes()).unwrap();
            client.write_all(text.as_bytes()).unwrap();
        });
        let mut control = Control::new(server.accept().unwrap().0).unwrap();
        let error = control.read_json(RESULTS_LIMIT_BYTES, Duration::from_secs(20)).unwrap_err().to_string();
        assert!(error.contains("more records"), "{error}");
        send.join().unwrap();
    }

    #[test]
    fn what_crashed_other_servers_is_refused() {
        let refused = |text: &str| Params::read(&serde_json::from_str(text).unwrap()).unwrap_err();
        assert_eq!(refused(r#"{"tcp":true,"title":5}"#), Refusal::PARAMS);
        assert_eq!(refused(r#"{"tcp":true,"congestion":{}}"#), Refusal::PARAMS);
        assert_eq!(refused(r#"{"tcp":true,"parallel":1000000}"#), Refusal::STREAMS);
        assert_eq!(refused(r#"{"tcp":true,"parallel":0}"#), Refusal::STREAMS);
        assert_eq!(refused(r#"{"tcp":true,"len":-1}"#), Refusal::BLOCK);
        assert_eq!(refused(r#"{"udp":true,"len":8}"#), Refusal::UDP_BLOCK);
        assert_eq!(refused(r#"{"tcp":true,"time":1e300}"#), Refusal::PARAMS);
        assert_eq!(refused("[]"), Refusal::PARAMS);
    }

    #[test]
    fn params_of_a_real_client_are_read() {
        let text = r#"{"tcp":true,"omit":0,"time":2,"num":0,"blockcount":0,"parallel":2,"len":131072,"pacing_timer":1000,"client_version":"3.12"}"#;
        let params = Params::read(&serde_json::from_str(text).unwrap()).unwrap();
        assert_eq!((params.parallel, params.time_s, params.block_bytes, params.udp), (2, 2, 131_072, false));
        assert_eq!(Params::read(&params.write()).unwrap(), params);
    }

    #[test]
    fn streams_are_numbered_1_3_4() {
        assert_eq!([0, 1, 2, 3].map(stream_id), [1, 3, 4, 5]);
        let both = Params { bidirectional: true, parallel: 2, ..Params::default() };
        assert_eq!(both.client_sends(), [true, true, false, false]);
    }

    #[test]
    fn both_encodings_of_minus_one_mean_none() {
        for text in [r#"{"id":1,"retransmits":-1}"#, r#"{"id":1,"retransmits":18446744073709551615}"#] {
            assert_eq!(read_stream(&serde_json::from_str(text).unwrap()).retransmits, None);
        }
    }

    proptest! {
        #[test]
        fn any_json_is_read_or_refused(text in "\\PC{0,200}") {
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                let _ = Params::read(&value);
                let _ = Results::read(&value);
            }
        }
    }
}
