//! The round trip of a small message next to the load: idle before it, loaded during it.

use super::message::{header, read_ack, send_all};
use super::{LaneResult, Task, nanos};
use fullwire_model::latency::LatencyRecorder;
use std::time::{Duration, Instant};

/// Between two messages while idle: enough samples within a short lead-in.
const IDLE_PERIOD: Duration = Duration::from_millis(4);

/// Messages under load, in a test of known length. Each takes a CPU from the stream's receiver for a moment, which moves
/// both about: at a hundred a second a loopback stream of 13 GB/s on two CPUs ran at 11.5, at twenty a second at 12.4.
const LOADED_MESSAGES: u32 = 60;

/// Between two messages under load at least: a queue that fills is seen filling.
const LOADED_PERIOD: Duration = Duration::from_millis(10);

/// At most, and in a test that ends after this many bytes.
const LONGEST_LOADED_PERIOD: Duration = Duration::from_millis(100);

/// Sends small messages until told to stop.
pub(super) fn ping(task: &Task) -> LaneResult {
    let (mut idle, mut loaded) = (LatencyRecorder::new(), LatencyRecorder::new());
    let mut sequence = 0;
    let loaded_period = loaded_period(Duration::from_nanos(task.plan.duration_ns));
    while !task.signal.stopped() {
        let begun = Instant::now();
        let outcome = send_all(&task.socket, &header(sequence, 0)).and_then(|()| read_ack(&task.socket));
        let Ok(ack) = outcome else { break };
        let ended = Instant::now();
        let whole_ns = nanos(ended - begun);
        let latency_ns = whole_ns - ack.within(whole_ns).held_ns;
        let before_load = ended < task.begin;
        if before_load && sequence > 0 {
            // The first one wakes the peer's thread and fills caches.
            idle.record(latency_ns);
        } else if begun >= task.begin {
            loaded.record(latency_ns);
        }
        sequence += 1;
        std::thread::sleep(if before_load { IDLE_PERIOD } else { loaded_period });
    }
    let _ = rustix::net::shutdown(&task.socket, rustix::net::Shutdown::Write);
    LaneResult { idle: Some(idle), loaded: Some(loaded), messages: sequence, ..LaneResult::default() }
}

fn loaded_period(duration: Duration) -> Duration {
    if duration.is_zero() {
        return LONGEST_LOADED_PERIOD;
    }
    (duration / LOADED_MESSAGES).clamp(LOADED_PERIOD, LONGEST_LOADED_PERIOD)
}
