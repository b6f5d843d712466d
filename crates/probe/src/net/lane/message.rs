//! Messages, one in flight: ask, wait, and the peer that acknowledges with its own times.
//!
//! A message is a header of 16 bytes (sequence, length, zero) and its payload. An acknowledgement is
//! 24 bytes: sequence, ns for which the peer held the message, ns of those in which it wrote.

use super::pace::Pace;
use super::{LaneResult, Task, failure, nanos};
use crate::net::payload::{self, BLOCK_BYTES};
use crate::net::plan::LENGTH_LIMIT_BYTES;
use crate::net::remote_file::RemoteFile;
use fullwire_model::latency::LatencyRecorder;
use fullwire_model::net::NetMode;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{
    RecvFlags, SendAncillaryBuffer, SendFlags, Shutdown, recv, send, sendmsg, shutdown, sockopt,
};
use std::io::IoSlice;
use std::time::{Duration, Instant};

/// Bytes before a message's payload.
pub(super) const HEADER_BYTES: usize = 16;

/// Bytes of an acknowledgement.
pub(super) const ACK_BYTES: usize = 24;

/// A message of this many segments can fill the first congestion window: then a delayed ACK would be part of the time.
const QUICKACK_FROM_BYTES: u64 = 16 * 1024;

/// A header.
pub(super) fn header(sequence: u64, length: u64) -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    bytes[..8].copy_from_slice(&sequence.to_be_bytes());
    bytes[8..].copy_from_slice(&length.to_be_bytes());
    bytes
}

/// An acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ack {
    pub(super) sequence: u64,
    pub(super) held_ns: u64,
    pub(super) write_ns: u64,
}

impl Ack {
    pub(super) fn encode(self) -> [u8; ACK_BYTES] {
        let mut bytes = [0; ACK_BYTES];
        bytes[..8].copy_from_slice(&self.sequence.to_be_bytes());
        bytes[8..16].copy_from_slice(&self.held_ns.to_be_bytes());
        bytes[16..].copy_from_slice(&self.write_ns.to_be_bytes());
        bytes
    }

    pub(super) fn decode(bytes: [u8; ACK_BYTES]) -> Self {
        let number = |at: usize| bytes[at..at + 8].iter().fold(0u64, |n, byte| n << 8 | u64::from(*byte));
        Self { sequence: number(0), held_ns: number(8), write_ns: number(16) }
    }

    /// As it can be of a message that took this long: who held it longer says nothing of it.
    pub(super) fn within(self, latency_ns: u64) -> Self {
        let held_ns = if self.held_ns <= latency_ns { self.held_ns } else { 0 };
        Self { held_ns, write_ns: self.write_ns.min(held_ns), ..self }
    }
}

/// The parts of each latency, kept by the lane.
pub(super) struct Parts {
    /// An empty message's latency has no parts: what is not recorded does not delay the next one.
    network: Option<LatencyRecorder>,
    remote_write: Option<LatencyRecorder>,
    measured_from: Instant,
}

impl Parts {
    pub(super) fn new(task: &Task) -> Self {
        Self {
            network: (task.plan.mode != NetMode::Rtt).then(LatencyRecorder::new),
            remote_write: task.plan.write.then(LatencyRecorder::new),
            measured_from: task.measured_from(),
        }
    }

    /// Books one message.
    pub(super) fn book(&mut self, task: &Task, begun: Instant, ended: Instant, ack: Ack) {
        if begun < self.measured_from {
            return;
        }
        let latency_ns = nanos(ended.saturating_duration_since(begun));
        let ack = ack.within(latency_ns);
        task.gauge.record(latency_ns);
        if let Some(network) = &mut self.network {
            network.record(latency_ns - ack.held_ns);
        }
        if let Some(write) = &mut self.remote_write {
            write.record(ack.write_ns);
        }
    }

    pub(super) fn leave(self, result: &mut LaneResult) {
        result.network = self.network;
        result.remote_write = self.remote_write;
    }
}

/// Sends a message, waits for its acknowledgement, and so on.
pub(super) fn ask(task: &Task) -> LaneResult {
    let mut result = LaneResult::default();
    let Some(block) = task.block.as_ref() else { return result };
    let mut parts = Parts::new(task);
    let mut pace = Pace::new(task);
    pace.wait_until(task.begin, &task.signal);
    while task.goes_on(result.bytes) {
        let length = pace.next_length();
        let begun = Instant::now();
        result.first.get_or_insert(begun);
        let outcome = send_whole(&task.socket, &header(result.messages, length), block.bytes(), length)
            .and_then(|()| read_ack(&task.socket));
        let ended = Instant::now();
        match outcome {
            Ok(ack) if ack.sequence == result.messages => {
                result.messages += 1;
                result.bytes += length;
                result.last = Some(ended);
                task.gauge.count(result.bytes, result.messages);
                parts.book(task, begun, ended, ack);
            }
            Ok(_) => {
                result.failure = Some("an acknowledgement out of order".into());
                break;
            }
            Err(errno) => {
                result.failure = failure(task, errno);
                break;
            }
        }
        pace.after_bytes(usize::try_from(length).unwrap_or(usize::MAX), &task.signal);
        pace.after_message(&task.signal);
    }
    let _ = shutdown(&task.socket, Shutdown::Write);
    parts.leave(&mut result);
    result
}

/// Header and payload, by one system call as far as the kernel takes them.
fn send_whole(socket: &OwnedFd, header: &[u8], block: &[u8], length: u64) -> Result<(), Errno> {
    if length == 0 {
        return send_all(socket, header);
    }
    let first = usize::try_from(length).unwrap_or(usize::MAX).min(BLOCK_BYTES);
    let parts = [IoSlice::new(header), IoSlice::new(&block[..first])];
    let sent = loop {
        match sendmsg(socket, &parts, &mut SendAncillaryBuffer::default(), SendFlags::NOSIGNAL) {
            Err(Errno::INTR) => {}
            outcome => break outcome?,
        }
    };
    if sent < header.len() {
        send_all(socket, &header[sent..])?;
    }
    let mut left = length - (sent.saturating_sub(header.len())) as u64;
    while left > 0 {
        let piece = usize::try_from(left).unwrap_or(usize::MAX).min(BLOCK_BYTES);
        send_all(socket, &block[..piece])?;
        left -= piece as u64;
    }
    Ok(())
}

pub(super) fn send_all(socket: &OwnedFd, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        match send(socket, bytes, SendFlags::NOSIGNAL) {
            Ok(sent) => bytes = &bytes[sent..],
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

pub(super) fn read_ack(socket: &OwnedFd) -> Result<Ack, Errno> {
    let mut bytes = [0; ACK_BYTES];
    if receive(socket, &mut bytes)? { Ok(Ack::decode(bytes)) } else { Err(Errno::CONNRESET) }
}

/// Fills the buffer; false when the peer ended before its first byte.
fn receive(socket: &OwnedFd, buffer: &mut [u8]) -> Result<bool, Errno> {
    let mut filled = 0;
    while filled < buffer.len() {
        match recv(socket, &mut buffer[filled..], RecvFlags::empty()) {
            Ok((_, 0)) if filled == 0 => return Ok(false),
            Ok((_, 0)) => return Err(Errno::CONNRESET),
            Ok((taken, _)) => filled += taken,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(true)
}

/// Takes messages, writes them if asked to, acknowledges them.
pub(super) fn answer(mut task: Task) -> LaneResult {
    let mut result = LaneResult::default();
    let mut nowhere = match payload::untouched(BLOCK_BYTES) {
        Ok(memory) => memory,
        Err(error) => return LaneResult { failure: Some(error.to_string()), ..result },
    };
    let mut file = task.file.take();
    let mut header = [0; HEADER_BYTES];
    loop {
        match receive(&task.socket, &mut header) {
            Ok(true) => {}
            Ok(false) => break,
            Err(errno) => {
                result.failure = failure(&task, errno);
                break;
            }
        }
        match answer_one(&task, header, &mut nowhere, file.as_mut()) {
            Ok(length) => {
                result.messages += 1;
                result.bytes += length;
                task.gauge.count(result.bytes, result.messages);
                task.gauge.count_beside((HEADER_BYTES + ACK_BYTES) as u64);
            }
            Err(reason) => {
                result.failure = Some(reason);
                break;
            }
        }
    }
    let _ = shutdown(&task.socket, Shutdown::Both);
    result
}

fn answer_one(
    task: &Task,
    header: [u8; HEADER_BYTES],
    nowhere: &mut [u8],
    file: Option<&mut RemoteFile>,
) -> Result<u64, String> {
    let fields = header.as_chunks::<8>().0;
    let (sequence, length) = (u64::from_be_bytes(fields[0]), u64::from_be_bytes(fields[1]));
    if length > task.plan.length_bytes || length > LENGTH_LIMIT_BYTES {
        return Err(format!("a message of {length} bytes, longer than planned"));
    }
    if length >= QUICKACK_FROM_BYTES {
        // The kernel falls back to delaying by itself, so it is requested at each message; refusal costs nothing.
        let _ = sockopt::set_tcp_quickack(&task.socket, true);
    }
    let text = |errno: Errno| std::io::Error::from(errno).to_string();
    let mut write = Duration::ZERO;
    let received = if let Some(file) = file {
        let buffer = file.buffer(length)?;
        if length > 0 && !receive(&task.socket, buffer).map_err(text)? {
            return Err("the peer ended within a message".into());
        }
        let received = Instant::now();
        file.write(length).map_err(|error| format!("the peer's write failed: {error}"))?;
        write = received.elapsed();
        received
    } else {
        discard(&task.socket, length, nowhere).map_err(text)?;
        Instant::now()
    };
    // An empty message is not held, except for the reading of the clock.
    let held_ns = if task.plan.mode == NetMode::Rtt { 0 } else { nanos(received.elapsed()) };
    let ack = Ack { sequence, held_ns, write_ns: nanos(write) };
    send_all(&task.socket, &ack.encode()).map_err(text)?;
    Ok(length)
}

/// Takes this many bytes and leaves them in the kernel.
fn discard(socket: &OwnedFd, mut left: u64, nowhere: &mut [u8]) -> Result<(), Errno> {
    while left > 0 {
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(nowhere.len());
        match recv(socket, &mut nowhere[..most], RecvFlags::TRUNC) {
            Ok((_, 0)) => return Err(Errno::CONNRESET),
            Ok((taken, _)) => left -= taken as u64,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_acknowledgement_comes_back_as_it_was() {
        let ack = Ack { sequence: 7, held_ns: u64::MAX, write_ns: 1 << 40 };
        assert_eq!(Ack::decode(ack.encode()), ack);
        assert_eq!(ack.within(1_000), Ack { sequence: 7, held_ns: 0, write_ns: 0 });
        let honest = Ack { held_ns: 900, write_ns: 800, ..ack };
        assert_eq!(
            (honest.within(1_000), Ack { write_ns: 1_000, ..honest }.within(900).write_ns),
            (honest, 900)
        );
    }
}
