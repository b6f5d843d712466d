//! Streams: as many bytes as go, and the other end that takes them.

use super::pace::Pace;
use super::waking::Waking;
use super::zerocopy::Sender;
use super::{LaneResult, Task, failure};
use crate::net::payload::{self, BLOCK_BYTES};
use fullwire_model::net::NetMode;
use rustix::io::Errno;
use rustix::net::{RecvFlags, Shutdown, recv, shutdown};
use std::time::Instant;

/// Bytes discarded by one system call at most.
const TAKE_BYTES: usize = 4 * BLOCK_BYTES;

/// Sends until told to stop, then waits until the peer has it all.
pub(super) fn source(task: &Task) -> LaneResult {
    let mut result = LaneResult::default();
    let Some(block) = task.block.as_ref() else { return result };
    let bytes = block.bytes();
    let mut sender = Sender::new(task);
    let mut pace = Pace::new(task);
    pace.wait_until(task.begin, &task.signal);
    while task.goes_on(result.bytes) {
        let mut left = pace.next_length();
        if task.bytes_limit > 0 {
            left = left.min(task.bytes_limit - result.bytes);
        }
        match send_message(&mut sender, task, bytes, left, &mut pace, &mut result) {
            Ok(true) => result.messages += 1,
            Ok(false) => break,
            Err(errno) => {
                result.failure = failure(task, errno);
                break;
            }
        }
        pace.after_message(&task.signal);
    }
    // Already shut when the driver ended a blocked send.
    let _ = shutdown(&task.socket, Shutdown::Write);
    await_end(task);
    result.zerocopy = sender.finish();
    result
}

/// One message; false when it was left unfinished because the driver said stop.
fn send_message(
    sender: &mut Sender<'_>,
    task: &Task,
    bytes: &[u8],
    mut left: u64,
    pace: &mut Pace,
    result: &mut LaneResult,
) -> Result<bool, Errno> {
    while left > 0 {
        let piece = pace.piece(left).min(BLOCK_BYTES);
        match sender.send(&bytes[..piece]) {
            Ok(sent) => {
                left -= sent as u64;
                result.bytes += sent as u64;
                task.gauge.count(result.bytes, result.messages);
                pace.after_bytes(sent, &task.signal);
            }
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
        if left > 0 && task.signal.stopped() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The peer closes when it has read the end of the stream: then it has everything.
fn await_end(task: &Task) {
    let mut byte = [0u8; 64];
    loop {
        match recv(&task.socket, &mut byte, RecvFlags::empty()) {
            Ok((_, 0)) => return,
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

/// Takes what comes and leaves it in the kernel: the program needs none of it (`MSG_TRUNC`, tcp(7)).
pub(super) fn sink(task: &Task) -> LaneResult {
    let mut result = LaneResult::default();
    let mut nowhere = match payload::untouched(TAKE_BYTES) {
        Ok(memory) => memory,
        Err(error) => return LaneResult { failure: Some(error.to_string()), ..result },
    };
    // A buffer that was requested is left as it is; next to a latency test nothing is tried out.
    let may_gather = task.plan.sockbuf_bytes == 0 && task.plan.mode == NetMode::Async;
    let mut waking = Waking::new(task.begin, may_gather);
    loop {
        match recv(&task.socket, &mut nowhere[..], RecvFlags::TRUNC) {
            Ok((_, 0)) => break,
            Ok((_, taken)) => {
                let now = Instant::now();
                result.first.get_or_insert(now);
                result.last = Some(now);
                result.bytes += taken as u64;
                task.gauge.count(result.bytes, 0);
                waking.see(&task.socket, now, result.bytes);
            }
            Err(Errno::INTR) => {}
            Err(errno) => {
                result.failure = failure(task, errno);
                break;
            }
        }
    }
    let _ = shutdown(&task.socket, Shutdown::Write);
    result
}
