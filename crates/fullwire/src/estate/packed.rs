//! Values as messages of the bus, and back within bounds: whoever sends one may be hostile.

use anyhow::{Context, Result, bail};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::Read as _;

/// A message unpacks to at most this.
const MESSAGE_BYTES: u64 = 32 << 20;
/// And to no more than this times its own size: JSON of runs and hosts packs to a tenth, with a thousand equal disks to a sixtieth
/// (measured). Without it a message of a kilobyte costs who hears it as much as the largest.
const UNPACKED_RATIO: u64 = 256;
/// Whatever its size it may unpack to this.
const UNPACKED_LEAST_BYTES: u64 = 64 << 10;
/// Of a plan: the addresses of all hosts, or the ids of results that were kept.
pub(super) const PLAN_BYTES: u64 = 1 << 20;

/// A value as a message.
pub(super) fn packed(value: &impl Serialize) -> Result<Vec<u8>> {
    let json = serde_json::to_vec(value).context("write a message")?;
    zstd::encode_all(json.as_slice(), 3).context("compress a message")
}

/// A plan as a value: it is small, and whoever sends it may be nobody.
pub(super) fn unpacked_plan<T: DeserializeOwned>(message: &[u8]) -> Result<T> {
    Ok(within(message, PLAN_BYTES)?.0)
}

/// A message as a value, and about as many bytes as it takes in memory.
pub(super) fn weighed<T: DeserializeOwned>(message: &[u8]) -> Result<(T, usize)> {
    within(message, MESSAGE_BYTES)
}

/// At most this comes of unpacking a message, bytes.
pub(super) fn unpacked_most_bytes(message: &[u8]) -> u64 {
    (message.len() as u64).saturating_mul(UNPACKED_RATIO).clamp(UNPACKED_LEAST_BYTES, MESSAGE_BYTES)
}

fn within<T: DeserializeOwned>(message: &[u8], most_bytes: u64) -> Result<(T, usize)> {
    let most_bytes = most_bytes.min(unpacked_most_bytes(message));
    let mut json = Vec::new();
    let decoder = zstd::Decoder::new(message).context("read a message")?;
    let read = decoder.take(most_bytes + 1).read_to_end(&mut json).context("read a message")?;
    if read as u64 > most_bytes {
        bail!("a message unpacks to more than {most_bytes} bytes");
    }
    let (value, bytes) = fullwire_model::json::weighed(&json).context("read a message")?;
    Ok((value, bytes + json.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_comes_back_and_rubbish_does_not() {
        let message = packed(&vec![1, 2, 3]).unwrap();
        assert_eq!(weighed::<Vec<u32>>(&message).unwrap().0, [1, 2, 3]);
        for end in 0..message.len() {
            assert!(weighed::<Vec<u32>>(&message[..end]).is_err(), "cut at {end}");
        }
    }

    #[test]
    fn a_small_message_costs_little() {
        let bomb = packed(&"x".repeat(20 << 20)).unwrap();
        assert!(bomb.len() < 10_000, "{}", bomb.len());
        let error = weighed::<String>(&bomb).unwrap_err().to_string();
        assert!(error.contains("unpacks to more than"), "{error}");
        // A host with a thousand disks that differ in their numbers alone; such a run packs to a sixtieth.
        let disks: Vec<_> =
            (0..1_000).map(|number| format!("disk{number} {}", "rotational ".repeat(30))).collect();
        let honest = packed(&disks).unwrap();
        assert_eq!(weighed::<Vec<String>>(&honest).unwrap().0, disks, "{}", honest.len());
    }
}
