//! One explanation of one measurement, as a number between nothing and all of it.

use crate::ceiling::{Basis, kind};
use crate::measurement::{Measurement, Path};
use fullwire_model::assessment::{After, Bound, Ceiling, Explanation, Finding, Layer, Mechanism, Severity};
use fullwire_model::characteristic::Quantity;

thresholds! {
    /// A bound whose formula is good to a quarter is reached when the figure is within its tolerance. A looser bound (such as a window from a lossy path) explains a figure less well than one that matches it.
    const TIGHT: f64 = 0.25;
    /// A bound known only roughly counts for at most 85 % (own choice: between a sign and a bound that hits).
    const LOOSELY_EXPLAINED: f64 = 0.85;
    /// What a rate that was read off the figure itself explains: more than a bare sign, less than a bound that was
    /// computed from something else.
    const INFERRED: f64 = 0.75;
    /// What a sign without bound and without a counter of its time explains.
    const SIGN: f64 = 0.6;
    /// What follows from the latency of the measurement itself: less than any sign of a cause.
    pub(super) const OWN_LATENCY: f64 = 0.5;
    /// A CPU of the host that is used up by others than our threads may or may not be the one that the transfer needs.
    const OTHERS_CPU: f64 = 0.5;
    /// A cause that acted for less than this share of the time did not limit the stream.
    const HARDLY: f64 = 0.05;
    /// A bound that no counter confirms counts for at most 85 %: it waits for one that does.
    const NOT_FELT: f64 = 0.85;
    /// A send buffer takes one `sk_buff` more than fits, so that a small one carries twice what its size says (Linux
    /// include/net/sock.h, `sk_stream_memory_free`).
    const OVERFILLED: f64 = 1.0;
    /// A figure below this share of a bound whose formula is good to a quarter is not at it.
    const FAR_BELOW: f64 = 0.6;
    /// A bound that lies this many times above the figure says nothing of it (own choice).
    pub(crate) const FAR: f64 = 1000.0;
    /// What explains less than this of a figure does not act on it.
    pub(super) const ACTS: f64 = 0.3;
    /// CPUs that others use up: it is not counted how long a measurement waited for one, and what its own figures show
    /// explains it better.
    const OTHERS_USE_ALL: f64 = 0.9;
    /// Of a stream's rate: what another one carries more than this while the same CPUs are used up is no noise (own choice).
    const LET_THROUGH: f64 = 1.2;
    /// Of the rate set for the test, from which on all that was asked arrived (own choice: less than any loss that is felt).
    const ARRIVED: f64 = 0.99;
    /// From this share of a CPU on the CPU begins to be the limit; at all of it, it is.
    pub(super) const CPU_BUSY: f64 = 0.75;
}

/// Inputs of ceilings: how many links of a bond the flows use.
const BOND_LINKS: [&str; 2] = ["links", "reachable_links"];

/// A finding or a ceiling that may be the cause of a figure.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) code: String,
    pub(crate) subject: String,
    pub(crate) layer: Layer,
    pub(crate) mechanism: Mechanism,
    /// The finding's sentence or the ceiling's formula.
    pub(crate) says: String,
    /// Index into the findings; `None`: a ceiling.
    pub(crate) finding: Option<usize>,
    /// Index into the ceilings; `None`: a finding.
    pub(super) ceiling: Option<usize>,
    pub(crate) severity: Option<Severity>,
    pub(crate) bound: Option<Bound>,
    pub(crate) active: Option<f64>,
    /// What is left without it, as far as it shows by itself.
    pub(crate) without: Option<After>,
    /// How much of the figure it explains, 0 to 1.
    pub(crate) explains: f64,
    /// Its bound alone explains the figure.
    pub(crate) by_bound: bool,
    /// A ceiling of wire or medium.
    pub(crate) wire: bool,
    /// What a ceiling is computed from.
    pub(crate) basis: Basis,
    /// A ceiling that counts the links of a bond: it rises with what gives it more of them.
    pub(super) by_links: bool,
    /// It follows from the latency of the measurement itself or from the speed that a virtual adapter states, and is shown as an
    /// estimate.
    pub(crate) estimated: bool,
}

impl Candidate {
    /// What a finding says of a measurement; `None`: nothing.
    pub(super) fn of_finding(
        index: usize,
        finding: &Finding,
        path: &Path,
        measurement: &Measurement,
    ) -> Option<Self> {
        let explanation = finding.explains.iter().find(|one| one.covers(&path.subject, &measurement.id))?;
        let active = explanation.active_share.map(|share| match explanation.mechanism {
            Mechanism::CpuBusy => cpu_explains(share),
            _ => share,
        });
        let starves = explanation.mechanism == Mechanism::CpuStarved;
        let waits = || if had_room(finding, path, measurement) { 0.0 } else { starved(measurement) };
        let active = active.or_else(|| starves.then(waits));
        let (explains, by_bound) = if refuted(explanation, measurement) {
            (0.0, false)
        } else {
            explained(explanation.bound, active, measurement)
        };
        Some(Self {
            code: finding.code.clone(),
            subject: finding.subject.clone(),
            layer: finding.layer,
            mechanism: explanation.mechanism,
            says: finding.message.clone(),
            finding: Some(index),
            ceiling: None,
            severity: Some(finding.severity),
            bound: explanation.bound,
            active: explanation.active_share,
            without: explanation.without.clone(),
            explains,
            by_bound,
            wire: false,
            basis: Basis::Facts,
            by_links: false,
            estimated: false,
        })
    }

    /// What a ceiling says of a measurement; `None`: it bounds something else, or is refuted.
    pub(super) fn of_ceiling(index: usize, ceiling: &Ceiling, measurement: &Measurement) -> Option<Self> {
        let basis = kind(&ceiling.kind).map_or(Basis::Facts, |kind| kind.basis);
        if ceiling.refuted {
            return None;
        }
        let share = measurement.share_of(ceiling)?;
        // What was set and arrived in full leaves nothing to explain, as at a wire.
        let wire = !ceiling.soft && !ceiling.removable || arrived(ceiling, share);
        let explains = match ceiling.mechanism {
            Mechanism::CpuBusy => {
                let others = OTHERS_CPU * cpu_explains(measurement.signals.cpu_peak);
                let others = others.min(measurement.signals.waited.unwrap_or(others));
                cpu_explains(share).max(uncounted(others, measurement))
            }
            _ if arrived(ceiling, share) => 1.0,
            _ if matches!(basis, Basis::Latency | Basis::DeviceLatency) => OWN_LATENCY * share.min(1.0),
            // A rate that happens to lie near an estimate is no sign of it where a counter says that it did not act.
            mechanism if measurement.signals.held_by(mechanism).is_some_and(|held| held < HARDLY) => {
                share.min(NOT_FELT)
            }
            _ => share.min(1.0),
        };
        let tolerance = match ceiling.mechanism {
            Mechanism::SendBuffer => OVERFILLED,
            _ if ceiling.soft => TIGHT,
            _ => 0.1,
        };
        let bound = Bound { value: ceiling.value, unit: ceiling.unit, tolerance, inferred: false };
        Some(Self {
            code: ceiling.kind.clone(),
            subject: ceiling.subject.clone(),
            layer: ceiling.layer,
            mechanism: ceiling.mechanism,
            says: ceiling.derivation.formula.clone(),
            finding: None,
            ceiling: Some(index),
            severity: None,
            bound: Some(bound),
            active: (ceiling.mechanism == Mechanism::CpuBusy).then_some(share.min(1.0)),
            without: None,
            explains,
            by_bound: false,
            wire,
            basis,
            by_links: ceiling.derivation.inputs.iter().any(|input| BOND_LINKS.contains(&&*input.name)),
            // What a virtual adapter states is no speed of a line.
            estimated: ceiling.soft
                && (matches!(basis, Basis::Latency | Basis::DeviceLatency)
                    || ceiling.mechanism == Mechanism::Wire),
        })
    }

    /// The bound in the unit that a measurement is shown in; I/Os and bytes by the size that was measured.
    pub(super) fn bound_of(&self, measurement: &Measurement) -> Option<f64> {
        let bound = self.bound?;
        measurement.in_own_unit(bound.value, bound.unit)
    }

    /// How far a figure may lie above the bound, as a factor: a loose formula promises its upper end.
    pub(super) fn upper(&self) -> f64 {
        let loose = self.bound.map(|bound| bound.tolerance).filter(|tolerance| *tolerance > TIGHT);
        1.0 + loose.unwrap_or(0.0)
    }

    /// What is left without it, in the unit that a measurement is shown in.
    pub(super) fn after_of(&self, measurement: &Measurement) -> Option<After> {
        let after = self.without.as_ref()?;
        after.converted(measurement.unit, |value| measurement.in_own_unit(value, after.unit))
    }
}

/// What CPUs that others use up explain: threads of the kernel and of the storage wait for one as well, which nothing counts. An I/O that waits in a device waits for no CPU meanwhile: it remains what acts
/// beside.
fn starved(measurement: &Measurement) -> f64 {
    let most =
        measurement.signals.above_devices.map_or(OTHERS_USE_ALL, |share| share.clamp(ACTS, OTHERS_USE_ALL));
    // What is no counted share of the time explains much, or nothing.
    Some(uncounted(most, measurement)).filter(|guess| *guess >= ACTS).unwrap_or(0.0)
}

/// CPUs that others use hold the other streams of a path as well: one that carried more meanwhile, of no more streams, shows
/// that they let more through.
fn had_room(finding: &Finding, path: &Path, measurement: &Measurement) -> bool {
    let is_stream = |one: &Measurement| one.operation.is_none() && one.flat_out;
    let held = |other: &Measurement| finding.explains.iter().any(|one| one.covers(&path.subject, &other.id));
    is_stream(measurement)
        && path.measurements.iter().any(|other| {
            is_stream(other)
                && held(other)
                && other.in_flight <= measurement.in_flight
                && other.bytes_per_s > LET_THROUGH * measurement.bytes_per_s
        })
}

/// How long a stream waited for CPUs that others use is not counted. Beside pauses that are longer than any such wait it
/// explains less than they do.
fn uncounted(explains: f64, measurement: &Measurement) -> f64 {
    measurement.signals.silent.map_or(explains, |silent| explains * silent)
}

/// The rate that was set for the test arrived in full.
fn arrived(ceiling: &Ceiling, share: f64) -> bool {
    ceiling.kind == "asked-rate" && share >= ARRIVED
}

/// What holds each flow is not the limit of a measurement whose flows are held together, several carried what one does; and what
/// holds a direction is not the limit of flows of which each is held, several carried as many times more.
fn refuted(explanation: &Explanation, measurement: &Measurement) -> bool {
    use Mechanism as M;
    const OF_EACH_FLOW: [Mechanism; 10] = [
        M::ReceiveWindow,
        M::SendBuffer,
        M::CongestionWindow,
        M::RouteWindow,
        M::UnscaledWindow,
        M::AutotuningOff,
        M::FlowLimit,
        M::Loss,
        M::Reordering,
        M::Pacing,
    ];
    // What an emulator loses holds each flow, too.
    let loses = explanation.mechanism == M::Emulator && explanation.bound.is_some();
    match measurement.held_by {
        Some(Quantity::PathRate) => loses || OF_EACH_FLOW.contains(&explanation.mechanism),
        Some(Quantity::FlowRate) => measurement.in_flight > 1 && explanation.mechanism == M::PathRate,
        _ => false,
    }
}

/// A CPU that is three quarters busy explains nothing yet, one without a pause explains all.
fn cpu_explains(share: f64) -> f64 {
    ((share - CPU_BUSY) / (1.0 - CPU_BUSY)).clamp(0.0, 1.0)
}

/// How much of the figure a bound and a counter explain, and whether the bound alone does. Where the figure is
/// beyond the bound, this is not its limit.
fn explained(bound: Option<Bound>, active: Option<f64>, measurement: &Measurement) -> (f64, bool) {
    let comparable = bound.and_then(|bound| Some((bound, measurement.value_in(bound.unit)?)));
    let Some((bound, value)) = comparable else { return (active.unwrap_or(SIGN), false) };
    let reached = value / bound.value;
    if bound.inferred {
        return (if reached >= FAR_BELOW { active.unwrap_or(0.0).max(INFERRED) } else { 0.0 }, false);
    }
    if reached > 1.0 + bound.tolerance.max(0.1) {
        return (0.0, false);
    }
    let within = reached >= 1.0 - bound.tolerance.min(0.5) - measurement.noise.unwrap_or(0.0);
    let by_bound = within && bound.tolerance <= TIGHT;
    let by_value = match (within, bound.tolerance <= TIGHT) {
        (true, true) => 1.0,
        (true, false) => LOOSELY_EXPLAINED,
        // A bound that the figure stays far below is not what limits it, whatever a counter says of the time.
        (false, true) if reached < FAR_BELOW => return (0.0, false),
        (false, true) => (reached - FAR_BELOW) / (1.0 - bound.tolerance - FAR_BELOW),
        (false, false) => reached,
    };
    (by_value.max(active.unwrap_or(0.0)), by_bound)
}
