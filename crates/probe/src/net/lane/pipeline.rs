//! Messages, several in flight or at fixed times. Latency counts from when a message was meant to start:
//! a stall then delays those behind it in the figures as it does in life (no coordinated omission).

use super::message::{ACK_BYTES, Ack, HEADER_BYTES, Parts, header};
use super::pace::{Pace, seconds};
use super::{LaneResult, Task, failure};
use crate::net::payload::BLOCK_BYTES;
use fullwire_model::net::NetPlan;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, Shutdown, recv, send, shutdown};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Longest wait between two looks at the stop signal.
const NAP: Duration = Duration::from_millis(50);

/// Whether a plan needs more than ask and wait.
pub(super) fn wanted(plan: &NetPlan) -> bool {
    plan.depth > 1 || plan.open_loop_per_s > 0.0
}

/// A message whose acknowledgement is awaited.
struct Flying {
    meant: Instant,
    length: u64,
}

/// A message that is only partly with the kernel.
struct Going {
    head: [u8; HEADER_BYTES],
    /// Of header and payload, bytes that have gone.
    gone: u64,
    length: u64,
}

struct Pipeline<'a> {
    task: &'a Task,
    block: &'a [u8],
    pace: Pace,
    period: Option<Duration>,
    due: Instant,
    flying: VecDeque<Flying>,
    going: Option<Going>,
    started: u64,
    planned_bytes: u64,
    ack: [u8; ACK_BYTES],
    ack_filled: usize,
    parts: Parts,
    result: LaneResult,
}

/// Keeps up to `depth` messages in flight, each at its time.
pub(super) fn ask(task: &Task) -> LaneResult {
    let Some(block) = task.block.as_ref() else { return LaneResult::default() };
    let pace = Pace::new(task);
    pace.wait_until(task.begin, &task.signal);
    let rate = task.plan.open_loop_per_s / f64::from(task.plan.streams);
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1000));
    let mut pipeline = Pipeline {
        task,
        block: block.bytes(),
        pace,
        period: (rate > 0.0).then(|| seconds(1.0 / rate)),
        due: Instant::now(),
        flying: VecDeque::with_capacity(task.plan.depth as usize),
        going: None,
        started: 0,
        planned_bytes: 0,
        ack: [0; ACK_BYTES],
        ack_filled: 0,
        parts: Parts::new(task),
        result: LaneResult::default(),
    };
    if let Err(reason) = pipeline.run() {
        pipeline.result.failure = reason;
    }
    let _ = shutdown(&task.socket, Shutdown::Write);
    let Pipeline { parts, mut result, .. } = pipeline;
    parts.leave(&mut result);
    result
}

impl Pipeline<'_> {
    fn run(&mut self) -> Result<(), Option<String>> {
        loop {
            let more = self.may_start_more();
            self.start_due(more);
            self.push_out().map_err(|errno| failure(self.task, errno))?;
            self.take_acks()?;
            if self.flying.is_empty() && self.going.is_none() && !self.may_start_more() {
                return Ok(());
            }
            self.wait();
        }
    }

    fn may_start_more(&self) -> bool {
        self.task.goes_on(self.planned_bytes)
    }

    /// Starts the next message when its time has come and there is room.
    fn start_due(&mut self, allowed: bool) {
        let now = Instant::now();
        let room = self.flying.len() < self.task.plan.depth as usize && self.going.is_none();
        if !allowed || !room || now < self.due {
            return;
        }
        let length = self.pace.next_length();
        let meant = if let Some(period) = self.period {
            let meant = self.due;
            self.due = meant.checked_add(period).unwrap_or(now + Duration::from_secs(86_400));
            if now.saturating_duration_since(meant) > period {
                self.result.late += 1;
            }
            meant
        } else {
            self.due = now + self.pace.gap(length);
            now
        };
        self.result.first.get_or_insert(now);
        self.going = Some(Going { head: header(self.started, length), gone: 0, length });
        self.flying.push_back(Flying { meant, length });
        self.started += 1;
        self.planned_bytes += length;
    }

    fn push_out(&mut self) -> Result<(), Errno> {
        while let Some(going) = &mut self.going {
            let head = HEADER_BYTES as u64;
            let outcome = if going.gone < head {
                let from = usize::try_from(going.gone).unwrap_or(0);
                let more = if going.length > 0 { SendFlags::MORE } else { SendFlags::empty() };
                send(&self.task.socket, &going.head[from..], SendFlags::DONTWAIT | SendFlags::NOSIGNAL | more)
            } else {
                let left = usize::try_from(head + going.length - going.gone).unwrap_or(usize::MAX);
                let piece = &self.block[..left.min(BLOCK_BYTES)];
                send(&self.task.socket, piece, SendFlags::DONTWAIT | SendFlags::NOSIGNAL)
            };
            match outcome {
                Ok(sent) => going.gone += sent as u64,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
            if going.gone >= head + going.length {
                self.going = None;
                let more = self.may_start_more();
                self.start_due(more);
            }
        }
        Ok(())
    }

    fn take_acks(&mut self) -> Result<(), Option<String>> {
        loop {
            match recv(&self.task.socket, &mut self.ack[self.ack_filled..], RecvFlags::DONTWAIT) {
                Ok((_, 0)) => return Err(failure(self.task, Errno::CONNRESET)),
                Ok((taken, _)) => self.ack_filled += taken,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(failure(self.task, errno)),
            }
            if self.ack_filled == ACK_BYTES {
                self.ack_filled = 0;
                self.landed(Ack::decode(self.ack))?;
            }
        }
    }

    fn landed(&mut self, ack: Ack) -> Result<(), Option<String>> {
        let ended = Instant::now();
        let landed = self.flying.pop_front().filter(|_| ack.sequence == self.result.messages);
        let Some(message) = landed else { return Err(Some("an acknowledgement out of order".into())) };
        self.result.messages += 1;
        self.result.bytes += message.length;
        self.result.last = Some(ended);
        self.task.gauge.count(self.result.bytes, self.result.messages);
        self.parts.book(self.task, message.meant, ended, ack);
        Ok(())
    }

    /// Sleeps until an acknowledgement comes, there is room to send, or the next message is due.
    fn wait(&self) {
        let room = self.flying.len() < self.task.plan.depth as usize && self.going.is_none();
        let until_due = self.due.saturating_duration_since(Instant::now());
        if room && until_due.is_zero() && self.may_start_more() {
            return;
        }
        let nap = if room { until_due.min(NAP) } else { NAP };
        let flags = if self.going.is_some() { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        let timeout = Timespec::try_from(nap).ok();
        let _ = poll(&mut [PollFd::new(&self.task.socket, flags)], timeout.as_ref());
    }
}
