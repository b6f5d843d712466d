//! The round trip of a small message beside the load: idle before it, loaded during it.

use super::message::{header, read_ack, send_all};
use super::{LaneResult, Task, nanos};
use fullwire_model::latency::LatencyRecorder;
use std::time::{Duration, Instant};

/// Between two messages while idle: enough samples within a short lead-in.
const IDLE_PERIOD: Duration = Duration::from_millis(4);

/// Between two messages under load: a hundredth of a percent of a CPU, and a queue that fills is seen filling.
const LOADED_PERIOD: Duration = Duration::from_millis(10);

/// Sends small messages until told to stop.
pub(super) fn ping(task: &Task) -> LaneResult {
    let (mut idle, mut loaded) = (LatencyRecorder::new(), LatencyRecorder::new());
    let mut sequence = 0;
    while !task.signal.stopped() {
        let begun = Instant::now();
        let outcome = send_all(&task.socket, &header(sequence, 0)).and_then(|()| read_ack(&task.socket));
        let Ok(ack) = outcome else { break };
        let ended = Instant::now();
        let latency_ns = nanos(ended - begun).saturating_sub(ack.held_ns);
        let before_load = ended < task.begin;
        if before_load && sequence > 0 {
            // The first one wakes the peer's thread and fills caches.
            idle.record(latency_ns);
        } else if begun >= task.begin {
            loaded.record(latency_ns);
        }
        sequence += 1;
        std::thread::sleep(if before_load { IDLE_PERIOD } else { LOADED_PERIOD });
    }
    let _ = rustix::net::shutdown(&task.socket, rustix::net::Shutdown::Write);
    LaneResult { idle: Some(idle), loaded: Some(loaded), messages: sequence, ..LaneResult::default() }
}
