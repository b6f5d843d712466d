//! Which measurement speaks for its path, and which path for the run.
//!
//! Criteria are the fields of one struct each, in the order in which they decide: of two figures the first criterion in
//! which they differ names the one that speaks.

use crate::Facts;
use crate::attribution::Choice;
use crate::facts::stream;
use crate::measurement::{Measurement, Path};
use crate::verdict::{FULL_WIRE, GOOD};
use fullwire_model::assessment::{Cause, Finding, Mechanism, PathAssessment, PathKind, Severity, Verdict};
use fullwire_model::characteristic::Quantity;
use fullwire_model::disk::Operation;
use fullwire_model::net::NetMode;
use fullwire_model::quantity::Unit;
use fullwire_model::{MeasurementId, Question};
use std::cmp::Reverse;

/// One figure with what explains it.
pub(crate) struct Weighed<'a> {
    pub(crate) measurement: &'a Measurement,
    /// The ceiling that the verdict rests on, and the share of it that was reached.
    pub(crate) wire: Option<(usize, f64)>,
    pub(crate) choice: Choice,
    /// The severity of the finding that is the primary cause.
    pub(crate) felt: Option<Severity>,
    /// The ceiling by which the primary cause acts.
    pub(crate) limited_by: Option<usize>,
    /// How many times the figure could be what it is without its cause; 1: not known.
    pub(crate) lost: f64,
    /// The user says what it should reach.
    pub(crate) asked: bool,
}

/// A random read of a disk of 15,000 rpm, a write that a cache takes, a round trip within a data centre; only the order of
/// figures depends on it (own choice).
const USUAL_READ_NS: f64 = 5e6;
const USUAL_WRITE_NS: f64 = 2e6;
const USUAL_ROUND_TRIP_NS: f64 = 1e6;

/// What is left once the primary cause is gone, over what was measured; where that is not known, how far its
/// latency is beyond what storage usually takes.
pub(crate) fn lost(path: &Path, measurement: &Measurement, choice: &Choice, findings: &[Finding]) -> f64 {
    let Some(primary) = choice.primary() else { return 1.0 };
    let now = measurement.value_in(measurement.unit).filter(|now| *now > 0.0);
    let gained = primary.after.as_ref().zip(now).map(|(after, now)| after.value / now);
    let beyond = || {
        let finding = findings.get(primary.finding?)?;
        let is_ns = finding.measured.filter(|_| finding.unit == Some(Unit::Ns))?;
        let usual_ns = match (primary.mechanism, measurement.operation) {
            (Mechanism::Distance, Some(_)) => USUAL_ROUND_TRIP_NS,
            // A server writes its journal as well: what its rule takes for in order is usual.
            (Mechanism::NfsServer, _) => finding.limit?,
            (Mechanism::DeviceLatency | Mechanism::Flush, Some(Operation::Write)) => USUAL_WRITE_NS,
            (Mechanism::DeviceLatency | Mechanism::Flush, _) => USUAL_READ_NS,
            _ => return None,
        };
        // The rest of an I/O's time is left as it is.
        let whole_ns = is_ns / primary.active_share.filter(|share| *share > 0.0).unwrap_or(1.0);
        Some(whole_ns / (whole_ns - is_ns + usual_ns))
    };
    // Of a limit or a queue that was set: what as many in flight would do if each took no longer than one alone, and that no
    // longer than usual where it waited for the limit as well.
    let alone = || {
        let requests = primary.bound.is_some_and(|bound| bound.unit == Unit::IoPerS);
        let limited = match primary.mechanism {
            Mechanism::QueueDepth => requests,
            mechanism => {
                matches!(mechanism, Mechanism::ProvisionedRate | Mechanism::IoLimit | Mechanism::NfsQueue)
            }
        };
        let alike = path.measurements.iter().filter(|other| other.kind == measurement.kind);
        let single = alike.min_by_key(|other| other.in_flight)?;
        let usual_ns = match measurement.operation {
            Some(Operation::Write) => USUAL_WRITE_NS,
            _ => USUAL_READ_NS,
        };
        let own = single.io_per_s? / single.in_flight as f64;
        let one = if single.id == measurement.id { own.max(1e9 / usual_ns) } else { own };
        let times = |one: f64| Some(one * measurement.in_flight as f64 / measurement.io_per_s?);
        if primary.bound.is_none_or(|bound| bound.unit != Unit::BytesPerS) {
            return times(one).filter(|_| limited);
        }
        // Without a limit of bytes a large I/O takes no less than a small one, and no more than it does: between the two.
        let singly = path.measurements.iter().filter(|other| other.in_flight == 1);
        let same = singly.filter(|other| other.operation == measurement.operation);
        let quickest = same.filter_map(|other| other.io_per_s).fold(one, f64::max);
        times(quickest).filter(|_| limited).map(f64::sqrt)
    };
    // What is left of the time in which the storage stood still.
    let by_share = || {
        let stands = measurement.operation.is_some() && primary.mechanism == Mechanism::Stalls;
        primary.active_share.filter(|_| stands).map(|share| 1.0 / (1.0 - share))
    };
    // Lost packets come and go: the quickest of single I/Os met none.
    let passing = || {
        let share = measurement.signals.beyond_quickest?;
        (primary.mechanism == Mechanism::Loss).then(|| 1.0 / (1.0 - share))
    };
    // A stream that is held by itself could carry what several of them do.
    let together = || {
        let alike = path.measurements.iter().filter(|other| other.kind == measurement.kind);
        let most = alike.map(|other| other.bytes_per_s).fold(0.0, f64::max);
        (measurement.held_by == Some(Quantity::FlowRate)).then_some(most / measurement.bytes_per_s)
    };
    gained
        .or_else(together)
        .or_else(beyond)
        .or_else(alone)
        .or_else(by_share)
        .or_else(passing)
        .filter(|times| times.is_finite())
        .unwrap_or(1.0)
        .clamp(1.0, 1e3)
}

/// A figure's claim to speak for its path; the smallest does.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Claim {
    /// Something arrived of it, or nothing explains why not.
    arrives: bool,
    /// It gives what the database needs, or nothing is known to be needed.
    meets_demand: bool,
    /// Nothing is asked about it: what is speaks first.
    unasked: bool,
    /// The share of an unmet demand, or else of the ceiling.
    reached: Thousandths,
    /// How many times more it could be without its cause, as tenths of a logarithm: what loses most speaks before what
    /// loses a little. Nothing for a figure that no warning limits.
    lost_tenths: Reverse<Option<i64>>,
    /// What no cause explains of it, in tenths: no figure is explained to the thousandth, and what explains one whole says
    /// more than what is louder and explains it in part.
    unexplained_tenths: i64,
    severity: Reverse<Option<Severity>>,
    /// Of figures that one cause explains alike, the one that was driven hardest shows what comes next.
    in_flight: Reverse<u64>,
}

impl Claim {
    fn of(weighed: &Weighed) -> Self {
        let severity = weighed.felt.filter(|severity| *severity >= Severity::Warning);
        // A load that the plan paced, or that waits for each answer, loses less than what it does shows.
        let paced = weighed.measurement.operation.is_none() && !weighed.measurement.flat_out
            || weighed.choice.primary().is_some_and(|cause| cause.mechanism == Mechanism::Paced);
        Self {
            arrives: !is_dead(weighed.measurement) || severity.is_none(),
            meets_demand: !weighed.measurement.falls_short(),
            unasked: !weighed.asked,
            reached: Thousandths::of(reached(weighed)),
            lost_tenths: Reverse(
                severity.filter(|_| !paced).map(|_| Thousandths::of(weighed.lost.ln()).0 / 100),
            ),
            unexplained_tenths: Thousandths::of(1.0 - weighed.choice.explained).0 / 100,
            severity: Reverse(severity),
            in_flight: Reverse(weighed.measurement.in_flight),
        }
    }
}

/// A share that can be sorted by.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
pub(crate) struct Thousandths(i64);

impl Thousandths {
    #[expect(clippy::cast_possible_truncation, reason = "shares of a figure, in thousandths")]
    pub(crate) fn of(share: f64) -> Self {
        Self((share * 1e3).round() as i64)
    }
}

/// The figure that speaks for a path: the one that a sweep looks for; else of those that show what the path can do, the one
/// whose claim comes first. Of a network's streams that nothing else distinguishes, the one that reaches less than half of another.
pub(crate) fn for_path<'w, 'a>(
    path: &Path,
    weighed: &'w [Weighed<'a>],
    of_sweep: Option<&MeasurementId>,
) -> Option<&'w Weighed<'a>> {
    if let Some(answer) = weighed.iter().find(|one| of_sweep == Some(&one.measurement.id)) {
        return Some(held_beyond(answer, weighed).unwrap_or(answer));
    }
    let weighed: Vec<&Weighed> = weighed.iter().filter(|one| shows_the_path(path, one, weighed)).collect();
    let first = *weighed.iter().min_by_key(|one| Claim::of(one))?;
    let streams =
        weighed.iter().copied().filter(|other| other.measurement.flat_out && path.kind == PathKind::Network);
    let slower = streams.filter(|other| {
        (reached(other) <= reached(first) || contradicts(other, first))
            && first.measurement.flat_out
            && (other.asked || !first.asked)
            && !first.measurement.falls_short()
            && other.measurement.bytes_per_s < 0.5 * first.measurement.bytes_per_s
    });
    let slowest =
        slower.min_by(|one, other| one.measurement.bytes_per_s.total_cmp(&other.measurement.bytes_per_s));
    let chosen = slowest.unwrap_or(first);
    Some(forward_of(chosen, &weighed).unwrap_or(chosen))
}

/// Of a sweep, the deeper load that gives as much and shows what holds it, where the one that answers does not: a queue that a
/// shallow load just fills holds the deep one alone.
fn held_beyond<'w, 'a>(answer: &Weighed, all: &'w [Weighed<'a>]) -> Option<&'w Weighed<'a>> {
    let own = answer.measurement;
    let deeper = all.iter().filter(|other| {
        let other = other.measurement;
        other.kind == own.kind
            && other.in_flight > own.in_flight
            && other.bytes_per_s >= AS_MUCH * own.bytes_per_s
    });
    deeper.filter(|other| is_held(other) && !is_held(answer)).min_by_key(|one| Claim::of(one))
}

/// A finding that warns limits it.
fn is_held(one: &Weighed) -> bool {
    one.felt.is_some_and(|severity| severity >= Severity::Warning)
}

/// A stream that carries less than this share of what another one on its path does is no noise (own choice).
const APART: f64 = 1.0 / 3.0;

/// Of streams that both went to their limit one carries far less than the other, and is not at its wire: the path can do more.
fn contradicts(slow: &Weighed, fast: &Weighed) -> bool {
    let at_wire = slow.wire.is_some_and(|(_, share)| share >= FULL_WIRE);
    let [slow, fast] = [slow, fast].map(|one| one.measurement);
    slow.driven && fast.driven && !at_wire && slow.bytes_per_s < APART * fast.bytes_per_s
}

/// The fastest stream of a path that contradicts one that no ceiling and no cause explains.
pub(crate) fn contradicting<'w, 'a>(
    path: &Path,
    slow: &Weighed,
    all: &'w [Weighed<'a>],
) -> Option<&'w Weighed<'a>> {
    let unexplained =
        path.kind == PathKind::Network && slow.wire.is_none() && slow.choice.primary().is_none();
    let faster = all.iter().filter(|other| unexplained && contradicts(slow, other));
    faster.max_by(|one, other| one.measurement.bytes_per_s.total_cmp(&other.measurement.bytes_per_s))
}

/// Two directions that differ by less are the same figure, and chance must not choose between them (own choice).
const SAME_BOTH_WAYS: f64 = 1.1;

/// The same measurement the way that redo goes, where it gives as little.
fn forward_of<'w, 'a>(chosen: &Weighed, weighed: &[&'w Weighed<'a>]) -> Option<&'w Weighed<'a>> {
    let asked = chosen.measurement.question.as_ref()?.forward()?;
    let forward =
        weighed.iter().copied().find(|other| other.measurement.question.as_ref() == Some(&asked))?;
    let alike = forward.measurement.bytes_per_s <= SAME_BOTH_WAYS * chosen.measurement.bytes_per_s;
    let same_cause =
        forward.choice.primary().map(|cause| &cause.code) == chosen.choice.primary().map(|cause| &cause.code);
    (alike && same_cause).then_some(forward)
}

/// Streams that reach this share of what more of them reach show the path as well.
const AS_MUCH: f64 = 0.95;

/// What a queue costs of a figure that it is named for, as a factor (own choice: more than any measurement's noise).
const QUEUED: f64 = 1.3;

/// Of measurements that differ in streams or I/Os in flight alone the one with the fewest that reaches as much as any
/// shows what the path can do. The others keep their causes. One that falls short of its demand counts all the same, and
/// so does one that something limits: what one session or the one connection of redo transport waits for is felt.
/// A rate that the path or a provider sets for each flow is no fault of the path.
fn shows_the_path(path: &Path, one: &Weighed, all: &[Weighed]) -> bool {
    let own = one.measurement;
    let alike = || all.iter().map(|other| other.measurement).filter(|other| other.kind == own.kind);
    // A stream that was still growing says nothing beside one that came to its end, unless reordering ended its slow start; nor,
    // where nothing limits it, beside one that something does.
    let grown = |other: &Measurement| other.driven && other.bytes_per_s > own.bytes_per_s;
    let free = !is_held(one) && !own.falls_short();
    let slowed = one.choice.primary().is_some_and(|cause| cause.mechanism == Mechanism::Reordering);
    let begins =
        path.kind == PathKind::Network && own.flat_out && own.kind.is_some() && !own.driven && !slowed;
    let limited = |other: &Weighed| other.measurement.flat_out && is_held(other);
    if begins && (alike().any(grown) || free && all.iter().any(limited)) {
        return false;
    }
    let each_flow = |cause: &Cause| matches!(cause.mechanism, Mechanism::PathRate | Mechanism::FlowLimit);
    let held = is_held(one) && !one.choice.primary().is_some_and(each_flow);
    // A queue of this host that a shallow load just fills holds the deep one, though it gives no more.
    let queued = one.choice.primary().is_some_and(|cause| cause.mechanism == Mechanism::QueueDepth)
        && one.lost >= QUEUED;
    if queued || own.kind.is_none() || own.falls_short() || held {
        return true;
    }
    // A link of storage is stated as the ceiling of the best step alone.
    let nearly = if path.kind == PathKind::Network { AS_MUCH } else { 1.0 };
    let enough = nearly * alike().map(|other| other.bytes_per_s).fold(0.0, f64::max);
    let fewest = alike().filter(|other| other.bytes_per_s >= enough).map(|other| other.in_flight).min();
    own.bytes_per_s >= enough && fewest == Some(own.in_flight)
}

/// The share of a demand that is not met, or else of its ceiling, that a figure reaches. One without either that a
/// finding limits is at the upper edge of poor; otherwise it has no shortfall.
fn reached(weighed: &Weighed) -> f64 {
    let measurement = weighed.measurement;
    let of_demand = measurement.demand_share.filter(|_| measurement.falls_short());
    let held = is_held(weighed).then_some(GOOD);
    let of_wire = weighed.wire.map(|(_, share)| share);
    let none = if measurement.flat_out { 2.0 } else { 3.0 };
    of_demand.or(of_wire).or(held).unwrap_or(none)
}

/// A stream of which nothing arrived.
fn is_dead(measurement: &Measurement) -> bool {
    let is_stream = matches!(measurement.question, Some(Question::Net { mode: NetMode::Async, .. }));
    is_stream && measurement.bytes_per_s <= 0.0
}

/// A judged path's claim to speak for the run; the smallest does.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct PathClaim {
    /// It gives what the database needs, or nothing is known to be needed.
    meets_demand: bool,
    /// Poor before good, and good before what reached its ceiling or has none.
    verdict: Standing,
    /// Nobody asks anything of it: neither the database nor the user.
    unwanted: bool,
    reached: Thousandths,
    worse: Reverse<Verdict>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    Poor,
    Good,
    Other,
}

impl PathClaim {
    fn of(facts: &Facts, path: &Path, judged: &PathAssessment) -> Self {
        Self {
            meets_demand: !falls_short(judged),
            verdict: match judged.verdict {
                Verdict::Poor => Standing::Poor,
                Verdict::Good => Standing::Good,
                _ => Standing::Other,
            },
            unwanted: !is_wanted(facts, path),
            reached: Thousandths::of(path_reached(judged).min(1e6)),
            worse: Reverse(judged.verdict),
        }
    }
}

/// The run's verdict, the worst of its paths, and the path that speaks for it. Loopback is the host's own ceiling and no
/// wire: it counts only where nothing else was measured.
pub(crate) fn for_run(facts: &Facts, judged: &[PathAssessment]) -> (Option<Verdict>, Option<usize>) {
    let real = facts.paths.iter().any(|path| !path.loopback);
    let counted: Vec<(usize, &Path, &PathAssessment)> = (0..)
        .zip(&facts.paths)
        .zip(judged)
        .map(|((index, path), judged)| (index, path, judged))
        .filter(|(_, path, _)| !path.loopback || !real)
        .collect();
    let worst = counted.iter().map(|(.., judged)| judged.verdict).max();
    let speaks = counted.iter().min_by_key(|(_, path, judged)| PathClaim::of(facts, path, judged));
    (worst, speaks.map(|(index, ..)| *index))
}

/// The database needs something of it, or the user says what it should carry.
fn is_wanted(facts: &Facts, path: &Path) -> bool {
    let needed = path.measurements.iter().any(|measurement| measurement.demand.is_some());
    needed || (path.kind == PathKind::Network && stream::declared(facts, &path.target).is_some())
}

/// The judged figure is less than the database needs.
fn falls_short(judged: &PathAssessment) -> bool {
    judged.verdict == Verdict::Poor && judged.demand_share.is_some_and(|share| share < 1.0)
}

/// The share of an unmet demand or of the ceiling that a judged path reaches. A path that is limited without a known
/// ceiling is at the upper edge of poor; one of which nothing is known falls short of nothing.
fn path_reached(judged: &PathAssessment) -> f64 {
    let of_demand = judged.demand_share.filter(|_| falls_short(judged));
    let of_ceiling = judged
        .measured
        .zip(judged.ceiling.filter(|ceiling| *ceiling > 0.0))
        .map(|(got, ceiling)| got / ceiling);
    let held = (judged.verdict == Verdict::Poor).then_some(GOOD);
    of_demand.or(of_ceiling).or(held).unwrap_or(f64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FindingExt as _;
    use crate::measurement::signals::Signals;
    use fullwire_model::assessment::{Amount, Layer, Role};
    use fullwire_model::subject::Kind;

    fn path(kind: PathKind) -> Path {
        Path { kind, target: "db2:5555".into(), loopback: false, measurements: Vec::new() }
    }

    /// 30 writes a second and no more: each waits 33 ms for the limit, of which the storage needs two; no other depth shows it.
    /// And 16 reads that wait for slots of an NFS mount give 160, where single ones give 90.
    #[test]
    fn a_limit_or_a_queue_costs_what_each_alone_would_not_wait() {
        let result = fullwire_model::net::NetResult::default();
        let id = |at| fullwire_model::MeasurementId::numbered(&result.question(), at);
        let of = |at, operation, in_flight, io_per_s| Measurement {
            id: id(at),
            operation: Some(operation),
            io_per_s: Some(io_per_s),
            unit: Unit::IoPerS,
            in_flight,
            ..Measurement::nothing()
        };
        let finding =
            crate::rule("nfs-server-slow").expect("a rule").finding(Kind::Host.named("filer"), "it is slow");
        let findings = [finding.measured(10.1e6, 10e6, Unit::Ns)];
        let lost_by = |mechanism, bound: Option<(f64, Unit)>, measurements: Vec<Measurement>| {
            let last = measurements.len() - 1;
            let path = Path { measurements, ..path(PathKind::Storage) };
            let measurement = &path.measurements[last];
            let cause = Cause {
                role: Role::Primary,
                measurement: measurement.id.clone(),
                code: "a-cause".into(),
                subject: "/database".into(),
                layer: Layer::Host,
                mechanism,
                finding: (mechanism == Mechanism::NfsServer).then_some(0),
                bound: bound.map(|(value, unit)| Amount { value, unit }),
                active_share: None,
                after: None,
            };
            lost(
                &path,
                measurement,
                &Choice { causes: vec![cause], explained: 1.0, ceiling: None },
                &findings,
            )
        };
        let limited =
            lost_by(Mechanism::IoLimit, Some((30.0, Unit::IoPerS)), vec![of(0, Operation::Write, 1, 30.0)]);
        assert!((limited - 33.3 / 2.0).abs() < 0.1, "{limited}");
        let reads = vec![of(0, Operation::Read, 1, 90.0), of(1, Operation::Read, 16, 160.0)];
        let queued = lost_by(Mechanism::NfsQueue, None, reads);
        assert!((queued - 9.0).abs() < 0.1, "{queued}");
        // A single read takes 22 ms on average and 6.6 where nothing was lost.
        let signals = Signals { beyond_quickest: Some(0.7), ..Signals::default() };
        let lossy = Measurement { signals, ..of(0, Operation::Read, 1, 44.7) };
        assert!((lost_by(Mechanism::Loss, None, vec![lossy]) - 3.33).abs() < 0.01);
        // Single large reads take 30 ms and small ones 1.5; a limit of bytes costs them between 1 and 20 times their rate.
        let small = of(0, Operation::Read, 1, 667.0);
        let large = of(1, Operation::Read, 1, 33.3);
        let bytes = lost_by(Mechanism::ProvisionedRate, Some((35e6, Unit::BytesPerS)), vec![small, large]);
        assert!((bytes - 4.47).abs() < 0.01, "{bytes}");
        // What its rule only just calls slow loses next to nothing.
        let server = lost_by(Mechanism::NfsServer, None, vec![of(0, Operation::Write, 1, 88.0)]);
        assert!((server - 1.01).abs() < 0.001, "{server}");
    }

    fn stream(code: Option<&str>, bytes_per_s: f64, felt: Option<Severity>) -> (Measurement, Choice) {
        let measurement = Measurement { bytes_per_s, flat_out: true, driven: true, ..Measurement::nothing() };
        let cause = code.map(|code| Cause {
            role: Role::Primary,
            measurement: measurement.id.clone(),
            code: code.into(),
            subject: String::new(),
            layer: Layer::Network,
            mechanism: Mechanism::PathQueue,
            finding: felt.map(|_| 0),
            bound: None,
            active_share: None,
            after: None,
        });
        (measurement, Choice { causes: cause.into_iter().collect(), explained: 0.6, ceiling: None })
    }

    /// A line holds one way; of the other nothing arrives, which is no flat-out figure any more.
    #[test]
    fn a_direction_in_which_nothing_arrives_speaks_before_one_that_a_line_holds() {
        let felt = Some(Severity::Warning);
        let (line, of_line) = stream(Some("path-shaper"), 12e6, felt);
        let (dead, of_dead) = stream(Some("mtu-black-hole"), 0.0, felt);
        let question = Some(fullwire_model::net::NetResult::default().question());
        let dead = Measurement { question, flat_out: false, driven: false, ..dead };
        let weighed = [(&line, of_line), (&dead, of_dead)].map(|(measurement, choice)| Weighed {
            measurement,
            wire: None,
            choice,
            felt,
            limited_by: None,
            lost: 1.0,
            asked: measurement.bytes_per_s > 0.0,
        });
        let path = path(PathKind::Network);
        let speaks = for_path(&path, &weighed, None).expect("a figure");
        assert_eq!(speaks.choice.primary().map(|cause| cause.code.as_str()), Some("mtu-black-hole"));
    }

    /// One way a queue stands, and nothing explains why the other one carries a tenth of it. A third and more may be chance.
    #[test]
    fn a_direction_far_below_the_other_speaks_though_nothing_explains_it() {
        let path = path(PathKind::Network);
        let spoken = |slow: f64| {
            let felt = Some(Severity::Warning);
            let both = [stream(Some("bufferbloat"), 8e6, felt), stream(None, slow, None)];
            let weighed: Vec<Weighed> = both
                .iter()
                .map(|(measurement, choice)| Weighed {
                    measurement,
                    wire: None,
                    choice: Choice {
                        causes: choice.causes.clone(),
                        explained: choice.explained,
                        ceiling: None,
                    },
                    felt: felt.filter(|_| !choice.causes.is_empty()),
                    limited_by: None,
                    lost: 1.0,
                    asked: false,
                })
                .collect();
            let speaks = for_path(&path, &weighed, None).expect("a figure");
            let faster = contradicting(&path, speaks, &weighed).map(|other| other.measurement.bytes_per_s);
            (speaks.measurement.bytes_per_s, faster)
        };
        assert_eq!(spoken(0.8e6), (0.8e6, Some(8e6)));
        assert_eq!(spoken(3e6), (8e6, None));
    }
}
