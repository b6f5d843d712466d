//! What a measured path means for the redo that a database makes: ASYNC and SYNC transport, and closing a gap.

pub mod local_write;

use fullwire_model::demand::Demand;
use fullwire_model::demand::transport::most_carried;
pub use fullwire_model::demand::transport::{Carried, Need, RedoPath, async_transport};
pub use fullwire_model::demand::{Delay, Sizing, SyncCommit};
use fullwire_model::net::{NetMode, NetResult};
use fullwire_model::{Gap, GapReason};
use local_write::LocalWrite;

/// The log writer writes locally and sends at the same time (since 11.2): a commit waits for the slower, so that
/// `max(local, remote) - local` is added. The percentiles are taken each by itself, which assumes that the slow local
/// writes and the slow remote ones are those of the same commits; were they apart, the added median would be higher and
/// the added p99 lower.
pub fn added(remote: Delay, local: &LocalWrite<'_>) -> Delay {
    let beyond = |remote: u64, share: f64| remote.saturating_sub(local.at(share));
    Delay { p50: beyond(remote.p50, 0.50), p90: beyond(remote.p90, 0.90), p99: beyond(remote.p99, 0.99) }
}

/// A gap to be closed, and what bounds that besides the network, where known.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RedoGap {
    /// How much redo is missing at the standby.
    pub bytes: f64,
    /// Sequential reads of the archived logs, bytes per second.
    pub archive_read_bytes_per_s: Option<f64>,
    /// What the standby applies, bytes per second.
    pub apply_bytes_per_s: Option<f64>,
}

/// MAA: socket buffers of three times the bandwidth-delay product.
const BUFFER_BDPS: f64 = 3.0;
/// A synchronous measurement counts for a write size when its messages are within this factor of it.
const SIMILAR: f64 = 1.5;

/// Holds the demand against the network results of one run.
pub fn size(demand: &Demand, net: &[NetResult], gap: Option<RedoGap>) -> Sizing {
    let mut sizing = Sizing {
        required_bytes_per_s: demand.redo_required_bytes_per_s,
        required_maa_bytes_per_s: demand.redo_required_maa_bytes_per_s,
        ..Sizing::default()
    };
    throughput(&mut sizing, demand, net, gap);
    delays(&mut sizing, demand, net);
    sizing
}

fn throughput(sizing: &mut Sizing, demand: &Demand, net: &[NetResult], gap: Option<RedoGap>) {
    let streamed = net.iter().filter(|result| result.mode == NetMode::Async && !result.reverse);
    let rates = streamed.map(|result| result.throughput_bytes_per_s);
    let Some(fastest) = rates.max_by(f64::total_cmp) else {
        sizing.gaps.push(Gap::new(
            "throughput",
            GapReason::Absent,
            "no asynchronous network measurement: fullwire net HOST",
        ));
        return;
    };
    sizing.measured_bytes_per_s = Some(fastest);
    let Some(required) = sizing.required_bytes_per_s else {
        let detail = format!("{} has no redo rate", demand.source);
        sizing.gaps.push(Gap::new("required rate", GapReason::Absent, detail));
        return;
    };
    let need = Need { required_bytes_per_s: required, threads: demand.redo_threads.unwrap_or(1) };
    let best = most_carried(need, net);
    if let Some((carried, result)) = best {
        sizing.async_transport = Some(carried);
        let idle = result.rtt_idle_ns.as_ref().map(|rtt| rtt.p50).filter(|&rtt| rtt > 0);
        let rtt = idle.or_else(|| result.tcp.as_ref().map(|tcp| tcp.rtt_min_ns).filter(|&rtt| rtt > 0));
        let each = required / carried.connections as f64;
        sizing.buffer_needed_bytes = rtt.map(|rtt| BUFFER_BDPS * each * rtt as f64 / 1e9);
    }
    if let Some(gap) = gap {
        close_gap(sizing, demand, fastest, gap);
    }
}

/// A gap is fetched by its own connections (`MAX_CONNECTIONS`), so that all that was measured counts.
fn close_gap(sizing: &mut Sizing, demand: &Demand, network: f64, gap: RedoGap) {
    let bounds = [
        ("network", Some(network)),
        ("archive read", gap.archive_read_bytes_per_s),
        ("apply", gap.apply_bytes_per_s),
    ];
    let known = bounds.into_iter().filter_map(|(name, rate)| Some((name, rate?)));
    let Some((name, rate)) = known.min_by(|a, b| a.1.total_cmp(&b.1)) else { return };
    let making =
        demand.shipped_peak_bytes_per_s.or(demand.redo_peak_bytes_per_s).or(sizing.required_bytes_per_s);
    let spare = rate - making.unwrap_or(0.0);
    if spare > 0.0 {
        sizing.gap_closes_s = Some(gap.bytes / spare);
        sizing.gap_limited_by = Some(name);
    } else {
        let detail = format!(
            "at its peak the database generates redo as fast as the {name} carries it, so the gap never closes"
        );
        sizing.gaps.push(Gap::new("gap", GapReason::Unsupported, detail));
    }
    let missing: Vec<&str> =
        bounds.iter().filter(|(_, rate)| rate.is_none()).map(|(name, _)| *name).collect();
    if !missing.is_empty() {
        let detail =
            format!("the rate of {} is not known: closing the gap may take longer", missing.join(" and "));
        sizing.gaps.push(Gap::new("gap", GapReason::Absent, detail));
    }
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
    let local = LocalWrite::of(demand);
    let commit = |remote: Delay| SyncCommit {
        remote_ns: remote,
        added_ns: added(remote, &local),
        local: local.name(),
    };
    let affirmed = nearest(true);
    // Both of the same messages where they were written: two tests, one after the other, differ by more than the write.
    let split = affirmed.filter(|one| one.payload_bytes == best.payload_bytes).unwrap_or(best);
    let network = split.parts_ns.as_ref().map(|parts| Delay::from(&parts.network));
    let total = best.latency_ns.as_ref().map(Delay::from);
    sizing.sync_noaffirm = network.or(total.filter(|_| !wrote(best))).map(commit);
    let latency = affirmed.and_then(|result| result.latency_ns.as_ref());
    sizing.sync_affirm = latency.map(|latency| commit(Delay::from(latency)));
    if affirmed.is_none() {
        let detail = if net.iter().any(|result| result.plan.write) {
            "the peer did not write to disk: start it with fullwire serve --write-dir DIR"
        } else {
            "not measured; fullwire redo FILE --peer HOST does, where the peer runs fullwire serve --write-dir DIR"
        };
        sizing.gaps.push(Gap::new("commit delay with AFFIRM", GapReason::Absent, detail));
    }
    if matches!(local, LocalWrite::Unknown) {
        let detail =
            "the database's own log write time is not known: SYNC adds at most the whole remote time";
        sizing.gaps.push(Gap::new("local log write", GapReason::Absent, detail));
    }
    let factor = best.payload_bytes as f64 / wanted;
    if wanted > 0.0 && !(1.0 / SIMILAR..=SIMILAR).contains(&factor) {
        let detail = format!(
            "measured with messages of {} bytes, but the database writes {wanted:.0}: measure with --length {wanted:.0}",
            best.payload_bytes
        );
        sizing.gaps.push(Gap::new("commit delay", GapReason::Unsupported, detail));
    }
}
