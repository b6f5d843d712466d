//! Netlink messages as bytes: a header, a fixed body, then attributes (`linux/netlink.h`).
//!
//! Our own hundred lines rather than a library: of each message a few attributes are wanted, at whatever length the kernel
//! gives them. `netlink-packet-route` reads every attribute and refuses the whole message for one: the counters of kernels before 6.9
//! were too short for it until September 2026 (its pull request 332), an empty list of virtual functions until 2025 (147).
//! Such a host would have no links at all, and those kernels are what database servers run.

/// Bytes of `struct nlmsghdr`.
pub(super) const HEADER_BYTES: usize = 16;

/// Attribute types have two flag bits on top.
const TYPE_MASK: u16 = 0x3fff;

/// A message of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Message<'a> {
    pub kind: u16,
    pub body: &'a [u8],
}

/// The messages in one datagram. What follows a length that makes no sense is left.
pub(super) fn messages(mut bytes: &[u8]) -> Vec<Message<'_>> {
    let mut all = Vec::new();
    while let (Some(length), Some(kind)) = (u32_at(bytes, 0), u16_at(bytes, 4)) {
        let length = length as usize;
        let Some(body) = bytes.get(HEADER_BYTES..length) else { break };
        all.push(Message { kind, body });
        bytes = bytes.get(aligned(length)..).unwrap_or_default();
    }
    all
}

/// Type and value of each attribute.
pub(super) fn attributes(mut bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let (length, kind) = (usize::from(u16_at(bytes, 0)?), u16_at(bytes, 2)?);
        let value = bytes.get(4..length)?;
        bytes = bytes.get(aligned(length)..).unwrap_or_default();
        Some((kind & TYPE_MASK, value))
    })
}

/// One attribute's value.
pub(super) fn attribute(bytes: &[u8], wanted: u16) -> Option<&[u8]> {
    attributes(bytes).find(|(kind, _)| *kind == wanted).map(|(_, value)| value)
}

fn aligned(length: usize) -> usize {
    length.next_multiple_of(4)
}

/// A number in the host's order.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

/// A number in the host's order.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// A number in the host's order.
pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// A text that ends at its first zero byte.
pub(super) fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// A request: header, body, attributes.
pub(super) fn request(kind: u16, flags: u16, body: &[u8], attributes: &[(u16, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![0_u8; HEADER_BYTES];
    bytes.extend_from_slice(body);
    for (kind, value) in attributes {
        let length = u16::try_from(value.len() + 4).unwrap_or(u16::MAX);
        bytes.extend_from_slice(&length.to_ne_bytes());
        bytes.extend_from_slice(&kind.to_ne_bytes());
        bytes.extend_from_slice(value);
        bytes.resize(aligned(bytes.len()), 0);
    }
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    bytes[0..4].copy_from_slice(&length.to_ne_bytes());
    bytes[4..6].copy_from_slice(&kind.to_ne_bytes());
    bytes[6..8].copy_from_slice(&flags.to_ne_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_written_is_read_again() {
        let bytes = request(26, 1, &[1, 2, 3, 4], &[(1, b"abc"), (9, &7_u32.to_ne_bytes())]);
        let all = messages(&bytes);
        assert_eq!((all.len(), all[0].kind), (1, 26));
        let found: Vec<_> = attributes(&all[0].body[4..]).collect();
        assert_eq!(found, [(1, &b"abc"[..]), (9, &7_u32.to_ne_bytes()[..])]);
    }

    proptest! {
        #[test]
        fn any_bytes_end(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let all = messages(&bytes);
            prop_assert!(all.len() <= bytes.len() / HEADER_BYTES);
            prop_assert!(attributes(&bytes).count() <= bytes.len() / 4);
            text(&bytes);
        }
    }
}
