//! The header that iperf 2 puts before a TCP stream: fifteen big-endian words.

/// Of a plain test, the form that 2.1 and 2.2 write.
pub(super) const HEADER_BYTES: usize = 60;
/// Of that length, as the flags tell it.
const PLAIN_LENGTH: u32 = 0x0078;
/// Longest header that is read; `--trip-times` makes it 80.
const LONGEST_BYTES: usize = 256;
/// Without the length bit: the six words of the first version.
const FIRST_VERSION_BYTES: usize = 24;

const VERSION_1: u32 = 0x8000_0000;
const EXTENDED: u32 = 0x4000_0000;
const VERSION_2: u32 = 0x0400_0000;
const ASKS_PEER_VERSION: u32 = 0x0200_0000;
const BOUNCE_BACK: u32 = 0x0080_0000;
const HAS_LENGTH: u32 = 0x0001_0000;
/// Twice the header's length in bytes.
const LENGTH_MASK: u32 = 0x01fe;

/// Run now, not afterwards.
const RUN_NOW: u32 = 0x1;
/// Of the header in a datagram as 2.1.8 writes it: extended, numbers of 64 bits, 76 bytes with what is before it.
const DATAGRAM_FLAGS: u32 = 0x4801_0098;

const UPPER_RATE: u32 = 0x0100;
const UPPER_REVERSE: u32 = 0x0400;
const UPPER_DUPLEX: u32 = 0x0800;

/// The version whose layout this is: 2.1.8.
const LAYOUT_VERSION: [u32; 2] = [0x0002_0001, 0x0008_0003];

/// A stream without a header begins so: none of the flags is set in it, whatever the server's version.
pub(super) const PLAIN_START: &[u8; 4] = b"0123";

/// Who sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Reverse,
    Duplex,
}

/// How much a server sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Amount {
    /// Time in 1/100 s.
    Centiseconds(u32),
    Bytes(u32),
}

/// What a client asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) direction: Direction,
    pub(super) amount: Amount,
    /// Connections of the client's test.
    pub(super) threads: u32,
    /// Rate of each connection, 0: unlimited.
    pub(super) rate_bits_per_s: u32,
    /// The client waits for an acknowledgement of the header, or at least reads it.
    pub(super) wants_ack: bool,
    /// `-d` and `-r`: the server is to connect back and send as well.
    pub(super) call_back: Option<CallBack>,
}

/// A connection back to the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CallBack {
    /// Where the client listens.
    pub(super) port: u16,
    /// At the same time (`-d`), not after the client's own test (`-r`).
    pub(super) now: bool,
}

/// What the first four bytes say about a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// Data from the first byte on.
    Plain,
    /// A header of this many bytes, these four among them.
    Header(usize),
    /// A kind of test that needs more than this connection.
    Foreign,
}

impl Start {
    pub(super) fn of(first: [u8; 4]) -> Self {
        let flags = u32::from_be_bytes(first);
        if flags & (VERSION_1 | EXTENDED | VERSION_2 | BOUNCE_BACK) == 0 {
            return Self::Plain;
        }
        // Bounce-back has its own messages.
        if flags & BOUNCE_BACK != 0 {
            return Self::Foreign;
        }
        let length = match flags & HAS_LENGTH {
            0 if flags & EXTENDED == 0 => FIRST_VERSION_BYTES,
            0 => HEADER_BYTES,
            _ => usize::try_from((flags & LENGTH_MASK) >> 1).unwrap_or(0),
        };
        if (FIRST_VERSION_BYTES..=LONGEST_BYTES).contains(&length) {
            Self::Header(length)
        } else {
            Self::Foreign
        }
    }
}

impl Header {
    /// As it stands in each datagram: with numbers of 64 bits, and the length of both.
    pub(super) fn encode_for_datagrams(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = self.encode();
        bytes[..4].copy_from_slice(&DATAGRAM_FLAGS.to_be_bytes());
        bytes
    }

    pub(super) fn encode(&self) -> [u8; HEADER_BYTES] {
        let direction = match self.direction {
            Direction::Forward => 0,
            Direction::Reverse => UPPER_REVERSE,
            Direction::Duplex => UPPER_DUPLEX,
        };
        let upper = direction | if self.rate_bits_per_s > 0 { UPPER_RATE } else { 0 };
        let version_2 = if self.direction == Direction::Forward { 0 } else { VERSION_2 };
        let mut words = [0_u32; HEADER_BYTES / 4];
        words[0] = EXTENDED | version_2 | HAS_LENGTH | PLAIN_LENGTH;
        words[1] = self.threads;
        words[5] = match self.amount {
            Amount::Centiseconds(time) => time.min(i32::MAX as u32).wrapping_neg(),
            Amount::Bytes(bytes) => bytes.min(i32::MAX as u32),
        };
        words[8] = upper << 16;
        words[9..11].copy_from_slice(&LAYOUT_VERSION);
        words[12] = self.rate_bits_per_s;
        let mut bytes = [0; HEADER_BYTES];
        for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_be_bytes());
        }
        bytes
    }

    /// From a header's bytes; words that a shorter one does not have are zero.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let word = |index: usize| {
            let octets = bytes.get(4 * index..4 * index + 4).and_then(<[u8]>::first_chunk);
            octets.map_or(0, |octets| u32::from_be_bytes(*octets))
        };
        let (flags, upper, amount) = (word(0), word(8) >> 16, word(5).cast_signed());
        let direction = match (flags & VERSION_2 != 0, upper & UPPER_REVERSE, upper & UPPER_DUPLEX) {
            (true, _, 1..) => Direction::Duplex,
            (true, 1.., _) => Direction::Reverse,
            _ => Direction::Forward,
        };
        let size = amount.unsigned_abs();
        Self {
            direction,
            amount: if amount < 0 { Amount::Centiseconds(size) } else { Amount::Bytes(size) },
            threads: word(1),
            rate_bits_per_s: if upper & UPPER_RATE != 0 { word(12) } else { 0 },
            call_back: (flags & VERSION_1 != 0)
                .then(|| CallBack { port: u16::try_from(word(2)).unwrap_or(0), now: flags & RUN_NOW != 0 }),
            wants_ack: flags & ASKS_PEER_VERSION != 0 || (flags & EXTENDED != 0 && flags & VERSION_2 == 0),
        }
    }
}

/// The server's acknowledgement of a header: type 2, its length, no flags, a version, two reserved words.
pub(super) fn ack() -> [u8; 28] {
    let words = [2, 28, 0, LAYOUT_VERSION[0], LAYOUT_VERSION[1], 0, 0_u32];
    let mut bytes = [0; 28];
    for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_be_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `iperf -c … -t 1` of 2.1.8 as captured.
    const CAPTURED: [u32; 15] =
        [0x4001_0078, 1, 0x170d, 0, 0, 0xffff_ff9c, 0, 0, 0, 0x0002_0001, 0x0008_0003, 0, 0, 0, 0];

    #[test]
    fn a_captured_header_is_understood() {
        let bytes: Vec<u8> = CAPTURED.iter().flat_map(|word| word.to_be_bytes()).collect();
        assert_eq!(Start::of([bytes[0], bytes[1], bytes[2], bytes[3]]), Start::Header(60));
        let header = Header::parse(&bytes);
        assert_eq!((header.direction, header.amount), (Direction::Forward, Amount::Centiseconds(100)));
        assert!(header.wants_ack && header.threads == 1 && header.rate_bits_per_s == 0);
    }

    #[test]
    fn the_kinds_of_a_start_are_told_apart() {
        assert_eq!(Start::of(*PLAIN_START), Start::Plain);
        assert_eq!(Start::of([0; 4]), Start::Plain);
        assert_eq!(Start::of(0x4001_00a0_u32.to_be_bytes()), Start::Header(80));
        assert_eq!(Start::of(0x4601_0078_u32.to_be_bytes()), Start::Header(60));
        for bounce_or_nonsense in [0x0080_0000_u32, u32::MAX, 0x4001_0002] {
            assert_eq!(Start::of(bounce_or_nonsense.to_be_bytes()), Start::Foreign);
        }
        for dual in [0xc001_0079_u32, 0xc001_0078] {
            assert_eq!(Start::of(dual.to_be_bytes()), Start::Header(60));
        }
        assert_eq!(Start::of(0x8000_0001_u32.to_be_bytes()), Start::Header(24), "iperf 2.0.5");
    }

    #[test]
    fn a_dual_test_names_the_port_to_call_back() {
        let mut words = CAPTURED;
        let bytes = |words: [u32; 15]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
        assert_eq!(Header::parse(&bytes(words)).call_back, None);
        words[0] = 0xc001_0079;
        assert_eq!(Header::parse(&bytes(words)).call_back, Some(CallBack { port: 5901, now: true }));
        words[0] = 0xc001_0078;
        assert_eq!(Header::parse(&bytes(words)).call_back, Some(CallBack { port: 5901, now: false }));
    }

    #[test]
    fn reverse_and_duplex_carry_the_flags_of_the_real_client() {
        let header = Header {
            direction: Direction::Reverse,
            amount: Amount::Bytes(1 << 20),
            threads: 2,
            rate_bits_per_s: 10_000_000,
            wants_ack: false,
            call_back: None,
        };
        let bytes = header.encode();
        assert_eq!(bytes[..4], 0x4401_0078_u32.to_be_bytes());
        assert_eq!(bytes[20..24], 0x0010_0000_u32.to_be_bytes());
        assert_eq!(bytes[32..34], [0x05, 0x00]);
        assert_eq!(bytes[48..52], 0x0098_9680_u32.to_be_bytes());
        assert_eq!(Header::parse(&bytes), header);
        let duplex = Header { direction: Direction::Duplex, ..header };
        assert_eq!(Header::parse(&duplex.encode()), duplex);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_harm(bytes in prop::collection::vec(any::<u8>(), 4..300)) {
            let start = Start::of([bytes[0], bytes[1], bytes[2], bytes[3]]);
            if let Start::Header(length) = start {
                prop_assert!((FIRST_VERSION_BYTES..=LONGEST_BYTES).contains(&length));
            }
            let _ = Header::parse(&bytes);
        }
    }
}
