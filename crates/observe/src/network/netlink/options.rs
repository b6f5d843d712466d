//! Parameters of the queueing disciplines that shape, delay or lose (`linux/pkt_sched.h`).

use super::super::netem_loss;
use super::codec::{attribute, u32_at, u64_at};
use fullwire_model::host::Qdisc;

/// A packet-scheduler tick is 64 ns (`PSCHED_SHIFT`).
const TICK_NS: f64 = 64.0;

/// Loss is a share of this.
const CERTAIN: f64 = 4_294_967_295.0;

/// A 32-bit rate that does not fit says so; the 64-bit one follows as an attribute.
const RATE_IN_64_BITS: u32 = u32::MAX;

/// The parameters of a discipline.
pub(super) fn discipline(options: &[u8], qdisc: &mut Qdisc) {
    match qdisc.kind.as_str() {
        "tbf" => token_bucket(options, qdisc),
        "netem" => emulator(options, qdisc),
        "fq" => {
            qdisc.limit = attribute(options, 1).and_then(|value| u32_at(value, 0)).map(u64::from);
            // TCA_FQ_FLOW_MAX_RATE, of each flow
            let rate = attribute(options, 7).and_then(|value| u32_at(value, 0));
            qdisc.rate_bytes_per_s = rate.filter(|&rate| rate != u32::MAX).map(f64::from);
        }
        "fq_codel" | "codel" => {
            qdisc.limit = attribute(options, 2).and_then(|value| u32_at(value, 0)).map(u64::from);
        }
        "cake" => {
            let rate = attribute(options, 2).and_then(|value| u64_at(value, 0)); // TCA_CAKE_BASE_RATE64
            qdisc.rate_bytes_per_s = rate.filter(|&rate| rate > 0).map(|rate| rate as f64);
        }
        "pfifo" | "bfifo" | "pfifo_head_drop" => qdisc.limit = u32_at(options, 0).map(u64::from),
        _ => {}
    }
}

/// The parameters of a class.
pub(super) fn class(options: &[u8], qdisc: &mut Qdisc) {
    match qdisc.kind.as_str() {
        "htb" => hierarchical_bucket(options, qdisc),
        "hfsc" => service_curve(options, qdisc),
        _ => {}
    }
}

/// hfsc's classes: what one may reach is its upper-limit curve (`TCA_HFSC_USC`), and of that the slope in the
/// long run (`tc_service_curve`: m1, d, m2 in bytes per second).
fn service_curve(options: &[u8], qdisc: &mut Qdisc) {
    let rate = attribute(options, 3).and_then(|curve| u32_at(curve, 8));
    qdisc.rate_bytes_per_s = rate.filter(|&rate| rate > 0).map(f64::from);
}

/// htb's classes: `TCA_HTB_PARMS` (rate, ceil, buffer, cbuffer, …), `TCA_HTB_CEIL64`, `TCA_HTB_RATE64`. What a class may reach is
/// its ceil.
fn hierarchical_bucket(options: &[u8], qdisc: &mut Qdisc) {
    let Some(parameters) = attribute(options, 1) else { return };
    let wide = attribute(options, 7).and_then(|value| u64_at(value, 0));
    qdisc.rate_bytes_per_s = rate(parameters, 12, wide);
    let wide = attribute(options, 6).and_then(|value| u64_at(value, 0));
    qdisc.guaranteed_bytes_per_s = rate(parameters, 0, wide);
    qdisc.burst_bytes =
        qdisc.rate_bytes_per_s.zip(u32_at(parameters, 28)).map(|(rate, ticks)| burst(rate, ticks));
    qdisc.guaranteed_burst_bytes =
        qdisc.guaranteed_bytes_per_s.zip(u32_at(parameters, 24)).map(|(rate, ticks)| burst(rate, ticks));
}

/// `TCA_TBF_PARMS`: `tc_tbf_qopt` (rate, peak rate, limit, buffer, mtu); `TCA_TBF_RATE64`.
fn token_bucket(options: &[u8], qdisc: &mut Qdisc) {
    let Some(parameters) = attribute(options, 1) else { return };
    let wide = attribute(options, 4).and_then(|value| u64_at(value, 0));
    qdisc.rate_bytes_per_s = rate(parameters, 0, wide);
    qdisc.limit = u32_at(parameters, 24).map(u64::from);
    qdisc.burst_bytes =
        qdisc.rate_bytes_per_s.zip(u32_at(parameters, 28)).map(|(rate, ticks)| burst(rate, ticks));
}

/// `tc_netem_qopt` (latency, limit, loss, gap, duplicate, jitter), then attributes: rate 6, rate in 64 bits 8, latency in ns
/// 10, the loss models 5, the chances to reorder 3 and to corrupt 4, and slots 12 where there are any.
fn emulator(options: &[u8], qdisc: &mut Qdisc) {
    let rest = options.get(24..).unwrap_or_default();
    let wide = attribute(rest, 8).and_then(|value| u64_at(value, 0));
    let narrow = attribute(rest, 6).and_then(|value| u32_at(value, 0));
    let rate = wide.or(narrow.map(u64::from)).filter(|&rate| rate > 0);
    qdisc.rate_bytes_per_s = rate.map(|rate| rate as f64);
    qdisc.limit = u32_at(options, 4).map(u64::from);
    let latency = attribute(rest, 10).and_then(|value| u64_at(value, 0));
    qdisc.delay_ns =
        latency.or_else(|| u32_at(options, 0).map(|ticks| u64::from(ticks) * 64)).filter(|&delay| delay > 0);
    let independent = u32_at(options, 8).map(|loss| f64::from(loss) / CERTAIN);
    let model = attribute(rest, 5).and_then(loss_model);
    qdisc.loss = model.or(independent).filter(|&loss| loss > 0.0);
    let chance = |kind| attribute(rest, kind).and_then(|value| u32_at(value, 0));
    let chances = [u32_at(options, 16), chance(3), chance(4)];
    qdisc.tampers =
        Some(attribute(rest, 12).is_some() || chances.into_iter().flatten().any(|chance| chance > 0));
}

/// `TCA_NETEM_LOSS`: `NETEM_LOSS_GI` with `tc_netem_gimodel` (p13, p31, p32, p14, p23), or `NETEM_LOSS_GE` with
/// `tc_netem_gemodel` (p, r, h: what passes in the bad state, k1: what is lost in the good one).
fn loss_model(value: &[u8]) -> Option<f64> {
    let share = |model: &[u8], index: usize| Some(f64::from(u32_at(model, index * 4)?) / CERTAIN);
    if let Some(model) = attribute(value, 1) {
        let chance = |index| share(model, index);
        return Some(netem_loss::four_state(chance(0)?, chance(1)?, chance(2)?, chance(4)?, chance(3)?));
    }
    let model = attribute(value, 2)?;
    let chance = |index| share(model, index);
    Some(netem_loss::gilbert_elliott(chance(0)?, chance(1)?, 1.0 - chance(2)?, chance(3)?))
}

/// The rate of a `tc_ratespec` (its last four of twelve bytes), or the one in 64 bits.
fn rate(parameters: &[u8], spec_at: usize, wide: Option<u64>) -> Option<f64> {
    match u32_at(parameters, spec_at + 8)? {
        RATE_IN_64_BITS => wide.map(|rate| rate as f64),
        0 => None,
        rate => Some(f64::from(rate)),
    }
}

/// A bucket's depth is given as the time to send it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "at most 2^32 ticks of 2^64 B/s, saturating"
)]
fn burst(rate_bytes_per_s: f64, ticks: u32) -> u64 {
    (rate_bytes_per_s * f64::from(ticks) * TICK_NS / 1e9).round() as u64
}
