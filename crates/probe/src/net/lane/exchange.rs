//! Requests and blocks as a cluster interconnect has them: a small request brings a block, a block sent
//! brings a small answer, in turn; and one exchange in four is small both ways and needs no fragments.

use super::datagram::{
    Arrivals, Header, Kind, NAP, Patience, SMALL_BYTES, buffer, put, say_end, set_nap, take,
};
use super::pace::Pace;
use super::{LaneResult, Task, failure, nanos};
use crate::net::account::DatagramCount;
use crate::net::plan::DATAGRAM_MIN_BYTES;
use crate::net::socket::sockopt;
use std::time::{Duration, Instant};

/// An answer that has not come by then is lost: databases resend after far longer, and count it.
const LOST_AFTER: Duration = Duration::from_millis(250);

/// What one exchange is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    BlockComes,
    BlockGoes,
    Small,
}

impl Shape {
    fn of(turn: u64) -> Self {
        match turn % 4 {
            0 | 2 => Self::BlockComes,
            1 => Self::BlockGoes,
            _ => Self::Small,
        }
    }
}

/// Asks, waits, and asks again.
pub(super) fn ask(task: &Task) -> LaneResult {
    let mut asker = Asker {
        task,
        datagram: buffer(task),
        scratch: vec![0; super::datagram::HEADER_BYTES],
        count: DatagramCount::default(),
        answers: Arrivals::default(),
        result: LaneResult::default(),
    };
    set_nap(&task.socket);
    let mut pace = Pace::new(task);
    pace.wait_until(task.begin, &task.signal);
    let mut turn = 0;
    while task.goes_on(asker.result.bytes) {
        let outcome = asker.exchange(turn, pace.next_length());
        if let Err(errno) = outcome {
            asker.result.failure = failure(task, errno);
            break;
        }
        turn += 1;
        task.gauge.count(asker.result.bytes, turn);
        pace.after_message(&task.signal);
    }
    say_end(&task.socket, turn);
    asker.count.duplicated = asker.answers.duplicated;
    asker.count.receive_buffer_drops = sockopt::receive_drops(&task.socket).unwrap_or(0);
    let mut result = asker.result;
    result.messages = asker.count.arrived + asker.count.small_arrived;
    result.datagrams = Some(asker.count);
    result
}

struct Asker<'a> {
    task: &'a Task,
    datagram: Vec<u8>,
    scratch: Vec<u8>,
    count: DatagramCount,
    /// Of all exchanges, to tell an answer that comes twice from one that comes too late.
    answers: Arrivals,
    result: LaneResult,
}

impl Asker<'_> {
    fn exchange(&mut self, turn: u64, block: u64) -> Result<(), rustix::io::Errno> {
        let shape = Shape::of(turn);
        let small = shape == Shape::Small;
        let (going, coming) = match shape {
            Shape::BlockComes => (SMALL_BYTES, block),
            Shape::BlockGoes => (block, SMALL_BYTES),
            Shape::Small => (SMALL_BYTES, SMALL_BYTES),
        };
        let begun = Instant::now();
        self.result.first.get_or_insert(begun);
        let kind = if small { Kind::Small } else { Kind::Block };
        let answer_bytes = u32::try_from(coming).unwrap_or(u32::MAX);
        let sent_ns = nanos(begun.saturating_duration_since(self.task.begin));
        Header { kind, sequence: turn, sent_ns, answer_bytes }.write(&mut self.datagram);
        let length =
            usize::try_from(going.max(DATAGRAM_MIN_BYTES)).unwrap_or(usize::MAX).min(self.datagram.len());
        // Refused by the kernel or lost on the way is the same to the one who waits.
        put(&self.task.socket, &self.datagram[..length])?;
        self.task.gauge.count_beside(length as u64);
        let answered = self.await_answer(turn, begun)?;
        if small {
            self.count.small_sent += 1;
            self.count.small_arrived += u64::from(answered.is_some());
            return Ok(());
        }
        self.count.sent += 1;
        if let Some(ended) = answered {
            self.count.arrived += 1;
            self.count.came_bytes += if shape == Shape::BlockComes { block } else { 0 };
            self.result.bytes += block;
            self.result.last = Some(ended);
            if begun >= self.task.measured_from() {
                self.task.gauge.record(nanos(ended - begun));
            }
        }
        Ok(())
    }

    fn await_answer(&mut self, turn: u64, begun: Instant) -> Result<Option<Instant>, rustix::io::Errno> {
        while begun.elapsed() < LOST_AFTER {
            let length = take(&self.task.socket, &mut self.scratch)?;
            let ended = Instant::now();
            match Header::read(&self.scratch[..length.min(self.scratch.len())]) {
                Some(header) => {
                    let new = self.answers.arrive(header.sequence);
                    if header.sequence == turn && new {
                        return Ok(Some(ended));
                    }
                }
                None if self.task.signal.stopped() && begun.elapsed() > NAP => return Ok(None),
                None => {}
            }
        }
        Ok(None)
    }
}

/// Answers what is asked with as many bytes as are requested, to the peer that the socket is bound to.
pub(super) fn answer(task: &Task) -> LaneResult {
    let mut result = LaneResult::default();
    let mut datagram = buffer(task);
    let mut scratch = vec![0; super::datagram::HEADER_BYTES];
    let mut until = Patience::new();
    set_nap(&task.socket);
    while until.more(&task.signal) {
        let outcome = take(&task.socket, &mut scratch).and_then(|length| {
            let now = Instant::now();
            task.gauge.count_beside(length as u64);
            let Some(header) = Header::read(&scratch[..length.min(scratch.len())]) else { return Ok(()) };
            until.heard(now);
            if header.kind == Kind::End {
                until.over(now);
                return Ok(());
            }
            header.write(&mut datagram);
            let wanted = u64::from(header.answer_bytes).max(DATAGRAM_MIN_BYTES);
            let length = usize::try_from(wanted).unwrap_or(usize::MAX).min(datagram.len());
            put(&task.socket, &datagram[..length])?;
            result.messages += 1;
            result.bytes += length as u64;
            task.gauge.count(result.bytes, result.messages);
            Ok(())
        });
        if let Err(errno) = outcome {
            result.failure = failure(task, errno);
            break;
        }
    }
    result.datagrams = Some(DatagramCount {
        receive_buffer_drops: sockopt::receive_drops(&task.socket).unwrap_or(0),
        ..DatagramCount::default()
    });
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_go_both_ways_and_small_ones_beside() {
        let shapes: Vec<_> = (0..8).map(Shape::of).collect();
        for wanted in [Shape::BlockComes, Shape::BlockGoes, Shape::Small] {
            assert!(shapes.contains(&wanted), "{wanted:?}");
        }
    }
}
