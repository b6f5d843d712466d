//! Is a measured path enough for the redo that a database makes?

use fullwire_model::demand::Demand;
use fullwire_model::latency::Latency;
use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::{Gap, GapReason};
use serde::Serialize;

/// What a path means for redo transport.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Sizing {
    /// What the path must carry, bytes a second.
    pub required_bytes_per_s: Option<f64>,
    /// What one measurement showed it to carry at best, bytes a second.
    pub measured_bytes_per_s: Option<f64>,
    /// ASYNC transport keeps up: `measured >= required`.
    pub async_is_enough: Option<bool>,
    /// Connections like the measured ones that carry the requirement, as far as no other ceiling stops them.
    pub streams_needed: Option<u64>,
    /// Window that one connection needs to carry the requirement: `required × round trip`, bytes.
    pub buffer_needed_bytes: Option<f64>,
    /// What SYNC AFFIRM adds to each commit: network and remote write, ns.
    pub commit_delay_affirm_ns: Option<Delay>,
    /// What SYNC NOAFFIRM (`FASTSYNC`) adds: the network alone, ns.
    pub commit_delay_noaffirm_ns: Option<Delay>,
    /// Time to close a gap while the database goes on at its peak, s; `None` when it never closes.
    pub gap_closes_s: Option<f64>,
    /// What could not be told.
    pub gaps: Vec<Gap>,
}

/// Percentiles of a delay, ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Delay {
    /// Median.
    pub p50: u64,
    /// 90th percentile.
    pub p90: u64,
    /// 99th percentile.
    pub p99: u64,
}

impl From<&Latency> for Delay {
    fn from(latency: &Latency) -> Self {
        Self { p50: latency.p50, p90: latency.p90, p99: latency.p99 }
    }
}

/// A synchronous measurement counts for a write size when its messages are within this factor of it.
const SIMILAR: f64 = 1.5;

/// Holds the demand against the network results of one run; `gap_bytes` is a gap to be closed.
pub fn size(demand: &Demand, net: &[NetResult], gap_bytes: Option<f64>) -> Sizing {
    let mut sizing = Sizing { required_bytes_per_s: demand.redo_required_bytes_per_s, ..Sizing::default() };
    throughput(&mut sizing, demand, net, gap_bytes);
    delays(&mut sizing, demand, net);
    sizing
}

fn throughput(sizing: &mut Sizing, demand: &Demand, net: &[NetResult], gap_bytes: Option<f64>) {
    let streamed = net.iter().filter(|result| result.mode == NetMode::Async && !result.reverse);
    let Some(best) = streamed.max_by(|a, b| a.throughput_bytes_per_s.total_cmp(&b.throughput_bytes_per_s))
    else {
        sizing.gaps.push(Gap::new(
            "throughput",
            GapReason::Absent,
            "no asynchronous network measurement: fullwire net HOST",
        ));
        return;
    };
    let measured = best.throughput_bytes_per_s;
    sizing.measured_bytes_per_s = Some(measured);
    let Some(required) = sizing.required_bytes_per_s else {
        sizing.gaps.push(Gap::new(
            "required rate",
            GapReason::Absent,
            format!("{} tells no redo rate", demand.source),
        ));
        return;
    };
    sizing.async_is_enough = Some(measured >= required);
    let per_stream = measured / f64::from(best.streams.max(1));
    sizing.streams_needed = whole((required / per_stream).ceil());
    let idle = best.rtt_idle_ns.as_ref().map(|rtt| rtt.p50).filter(|&rtt| rtt > 0);
    let rtt = idle.or_else(|| best.tcp.as_ref().map(|tcp| tcp.rtt_min_ns).filter(|&rtt| rtt > 0));
    sizing.buffer_needed_bytes = rtt.map(|rtt| required * rtt as f64 / 1e9);
    let spare = measured - demand.redo_peak_bytes_per_s.unwrap_or(required);
    sizing.gap_closes_s = gap_bytes.filter(|_| spare > 0.0).map(|gap| gap / spare);
    if gap_bytes.is_some() && spare <= 0.0 {
        let detail =
            "the database makes redo at its peak as fast as the path carries it: the gap never closes then";
        sizing.gaps.push(Gap::new("gap", GapReason::Unsupported, detail));
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked against the range")]
fn whole(value: f64) -> Option<u64> {
    (0.0..1e15).contains(&value).then_some(value as u64)
}

fn delays(sizing: &mut Sizing, demand: &Demand, net: &[NetResult]) {
    let wanted = demand.redo_write_mean_bytes.unwrap_or(0.0);
    let distance = |result: &NetResult| (result.payload_bytes as f64 - wanted).abs();
    let wrote =
        |result: &NetResult| result.parts_ns.as_ref().is_some_and(|parts| parts.remote_write.is_some());
    let nearest = |affirm: bool| {
        let synchronous =
            net.iter().filter(|result| result.mode == NetMode::Sync && result.latency_ns.is_some());
        let fitting = synchronous.filter(|result| !affirm || wrote(result));
        fitting.min_by(|a, b| distance(a).total_cmp(&distance(b)))
    };
    let Some(best) = nearest(false) else {
        sizing.gaps.push(Gap::new(
            "commit delay",
            GapReason::Absent,
            "no synchronous measurement: fullwire net HOST --mode sync",
        ));
        return;
    };
    let network = best.parts_ns.as_ref().map(|parts| Delay::from(&parts.network));
    let total = best.latency_ns.as_ref().map(Delay::from);
    sizing.commit_delay_noaffirm_ns = network.or(total.filter(|_| !wrote(best)));
    let affirmed = nearest(true).and_then(|result| result.latency_ns.as_ref());
    sizing.commit_delay_affirm_ns = affirmed.map(Delay::from);
    if affirmed.is_none() {
        let detail =
            "the peer did not write: start it with fullwire serve --write-dir DIR, or measure with --write";
        sizing.gaps.push(Gap::new("commit delay with AFFIRM", GapReason::Absent, detail));
    }
    let factor = best.payload_bytes as f64 / wanted;
    if wanted > 0.0 && !(1.0 / SIMILAR..=SIMILAR).contains(&factor) {
        let detail = format!(
            "measured with messages of {} bytes, the database writes {wanted:.0}: measure with --length {wanted:.0}",
            best.payload_bytes
        );
        sizing.gaps.push(Gap::new("commit delay", GapReason::Unsupported, detail));
    }
}
