//! Which mechanism causes which: the one place that knows two causes at a time.
//!
//! A cause that is caused by another one that acts on the same measurement steps back as its effect. Some
//! do so only while they are weak: a CPU that is used up makes a receiver drop a packet in a thousand, not in ten.

use crate::measurement::signals::{Signal, Signals};
use fullwire_model::assessment::Mechanism;
use std::fmt;

/// One mechanism and what it causes.
pub(crate) struct Edges {
    pub(crate) cause: Mechanism,
    pub(crate) effects: &'static [Effect],
}

/// What is caused, and when.
pub(crate) struct Effect {
    pub(crate) mechanism: Mechanism,
    pub(crate) when: When,
}

/// When a cause that acts can have caused an effect.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum When {
    Always,
    /// While this figure of the measurement is smaller.
    Below(Signal, f64),
    /// While both figures are smaller.
    BelowBoth((Signal, f64), (Signal, f64)),
    /// Unless the effect's own bound explains the figure, and better.
    NotBound,
}

impl When {
    pub(super) fn is_possible(self, signals: &Signals, explained_by_bound: bool) -> bool {
        let below = |(signal, limit)| signals.value(signal).is_none_or(|value: f64| value < limit);
        match self {
            Self::Always => true,
            Self::Below(signal, limit) => below((signal, limit)),
            Self::BelowBoth(one, other) => below(one) && below(other),
            Self::NotBound => !explained_by_bound,
        }
    }
}

const fn always(mechanism: Mechanism) -> Effect {
    Effect { mechanism, when: When::Always }
}

const fn below(mechanism: Mechanism, signal: Signal, limit: f64) -> Effect {
    Effect { mechanism, when: When::Below(signal, limit) }
}

const fn below_both(mechanism: Mechanism, one: (Signal, f64), other: (Signal, f64)) -> Effect {
    Effect { mechanism, when: When::BelowBoth(one, other) }
}

const fn not_bound(mechanism: Mechanism) -> Effect {
    Effect { mechanism, when: When::NotBound }
}

thresholds! {
    /// A host without CPU loses a segment now and then; in the lab (one CPU at 100 %, loopback and veth, 30 runs) never
    /// one in two hundred.
    const LOST_FOR_CPU: f64 = 0.005;
    /// A full queue of a slower path loses a few segments; a hundredth or more is a separate fault.
    const LOST_FOR_QUEUE: f64 = 0.01;
    /// A busy CPU alone does not reorder this share of the segments.
    const REORDERED_FOR_CPU: f64 = 0.05;
    /// A path that only reorders makes TCP send again what had arrived: duplicate SACKs report at least half of it
    /// (RFC 2883).
    const SPURIOUS: f64 = 0.5;
    /// CPUs that are used up do not give a rate that varies by less than 1 %.
    const EVEN: f64 = 0.99;
    /// Where our threads use less than a twelfth of a CPU they are not what makes the rate.
    const IDLE: f64 = 0.92;
    /// A busy server divides its requests among all that wait (first come, first served): of d in flight beside f of others
    /// d ÷ (d + f). A rate that stays this many times below it is flat by itself (own choice: twice is noise and a device's own
    /// saturation).
    const FLAT_ITSELF: f64 = 2.0;
}

/// Every mechanism that has effects.
pub(crate) const BRINGS_ABOUT: &[Edges] = {
    use Mechanism as M;
    use Signal::{Evenness, Flatter, LostOfResent, LostShare, OwnIdle, ReorderedShare};
    &[
        Edges {
            cause: M::Wire,
            effects: &[
                always(M::PathQueue),
                always(M::PathRate),
                always(M::Loss),
                always(M::OwnQueueDrops),
                always(M::ReceiveWindow),
                always(M::SendBuffer),
                always(M::CongestionWindow),
                always(M::ReceiverNotReading),
                always(M::CrossTraffic),
                always(M::DelayVariation),
                always(M::QueueDepth),
                always(M::DeviceLatency),
            ],
        },
        Edges {
            cause: M::CpuBusy,
            effects: &[
                always(M::FlowLimit),
                always(M::ReceiverNotReading),
                not_bound(M::ReceiveWindow),
                not_bound(M::SendBuffer),
                not_bound(M::OwnQueueDrops),
                not_bound(M::CongestionWindow),
                always(M::CrossTraffic),
                always(M::DelayVariation),
                below(M::Loss, LostShare, LOST_FOR_CPU),
                below(M::Reordering, ReorderedShare, REORDERED_FOR_CPU),
                below(M::PathQueue, Evenness, EVEN),
                below_both(M::PathRate, (OwnIdle, IDLE), (Evenness, EVEN)),
            ],
        },
        Edges {
            cause: M::CpuStarved,
            effects: &[
                always(M::FlowLimit),
                always(M::ReceiverNotReading),
                not_bound(M::ReceiveWindow),
                not_bound(M::SendBuffer),
                not_bound(M::OwnQueueDrops),
                not_bound(M::CongestionWindow),
                always(M::CrossTraffic),
                always(M::DelayVariation),
                always(M::CpuBusy),
                always(M::NoAnswer),
                always(M::Stalls),
                below(M::Loss, LostShare, LOST_FOR_CPU),
                below(M::Reordering, ReorderedShare, REORDERED_FOR_CPU),
                below(M::PathQueue, Evenness, EVEN),
                below(M::PathRate, Evenness, EVEN),
            ],
        },
        Edges { cause: M::MtuSmall, effects: &[always(M::CpuBusy), always(M::PathRate)] },
        Edges { cause: M::SmallSegments, effects: &[always(M::CpuBusy)] },
        Edges {
            cause: M::InterruptCpu,
            effects: &[always(M::FlowLimit), always(M::CpuBusy), always(M::OwnQueueDrops)],
        },
        Edges {
            cause: M::MemoryShort,
            effects: &[
                always(M::NoAnswer),
                always(M::Stalls),
                always(M::ForeignLoad),
                always(M::DeviceLatency),
            ],
        },
        Edges {
            cause: M::SocketMemory,
            effects: &[
                always(M::PathRate),
                always(M::FlowLimit),
                always(M::ReceiverNotReading),
                always(M::ReceiveWindow),
                always(M::Loss),
                always(M::Stalls),
            ],
        },
        Edges { cause: M::ReceiverNotReading, effects: &[always(M::FlowLimit), always(M::ReceiveWindow)] },
        Edges {
            cause: M::UnscaledWindow,
            effects: &[always(M::FlowLimit), always(M::ReceiveWindow), always(M::PathRate)],
        },
        Edges {
            cause: M::AutotuningOff,
            effects: &[always(M::FlowLimit), always(M::ReceiveWindow), always(M::PathRate)],
        },
        Edges {
            cause: M::RouteWindow,
            effects: &[
                always(M::FlowLimit),
                always(M::ReceiveWindow),
                always(M::CongestionWindow),
                always(M::PathRate),
            ],
        },
        Edges {
            cause: M::ReceiveWindow,
            effects: &[always(M::FlowLimit), always(M::PathRate), always(M::CrossTraffic)],
        },
        Edges {
            cause: M::SendBuffer,
            effects: &[always(M::FlowLimit), always(M::PathRate), always(M::CrossTraffic)],
        },
        Edges { cause: M::Pacing, effects: &[always(M::FlowLimit), always(M::PathRate)] },
        Edges {
            cause: M::Reordering,
            effects: &[
                always(M::FlowLimit),
                below(M::Loss, LostOfResent, SPURIOUS),
                always(M::CongestionWindow),
                always(M::DelayVariation),
                always(M::PathRate),
            ],
        },
        Edges {
            cause: M::Duplication,
            effects: &[
                always(M::PathQueue),
                always(M::PathRate),
                below(M::Loss, LostOfResent, SPURIOUS),
                below(M::Reordering, ReorderedShare, REORDERED_FOR_CPU),
            ],
        },
        Edges {
            cause: M::Loss,
            effects: &[
                always(M::FlowLimit),
                always(M::CongestionWindow),
                always(M::CrossTraffic),
                always(M::NfsQueue),
                always(M::NfsServer),
                always(M::ProvisionedRate),
                always(M::Stalls),
            ],
        },
        Edges {
            cause: M::LinkFault,
            effects: &[
                always(M::Unreachable),
                always(M::FlowLimit),
                always(M::Loss),
                always(M::CongestionWindow),
                always(M::CrossTraffic),
                always(M::Stalls),
            ],
        },
        Edges {
            cause: M::PauseFrames,
            effects: &[always(M::PathQueue), always(M::PathRate), always(M::OwnQueueDrops)],
        },
        Edges {
            cause: M::OwnQueueDrops,
            effects: &[always(M::FlowLimit), always(M::Loss), always(M::CongestionWindow), always(M::Stalls)],
        },
        Edges {
            cause: M::OwnShaper,
            effects: &[
                always(M::FlowLimit),
                always(M::OwnQueueDrops),
                always(M::Loss),
                always(M::PathQueue),
                always(M::PathRate),
                always(M::CongestionWindow),
                always(M::CrossTraffic),
                always(M::DelayVariation),
                always(M::Stalls),
            ],
        },
        Edges {
            cause: M::Emulator,
            effects: &[
                always(M::FlowLimit),
                always(M::CrossTraffic),
                always(M::OwnQueueDrops),
                always(M::Loss),
                always(M::Reordering),
                always(M::PathQueue),
                always(M::PathRate),
                always(M::CongestionWindow),
                always(M::DelayVariation),
                always(M::Stalls),
            ],
        },
        Edges {
            cause: M::PathRate,
            effects: &[always(M::PathQueue), always(M::Loss), always(M::CongestionWindow)],
        },
        Edges {
            cause: M::SharedPath,
            effects: &[
                always(M::CrossTraffic),
                always(M::PathQueue),
                always(M::PathRate),
                always(M::Loss),
                always(M::CongestionWindow),
                always(M::DelayVariation),
            ],
        },
        Edges {
            cause: M::WrongRoute,
            effects: &[
                always(M::PathRate),
                always(M::PathQueue),
                always(M::Distance),
                always(M::DelayVariation),
                below(M::Loss, LostShare, LOST_FOR_QUEUE),
            ],
        },
        Edges { cause: M::StandbyLink, effects: &[always(M::PathRate), always(M::PathQueue)] },
        Edges {
            cause: M::CrossTraffic,
            effects: &[always(M::PathQueue), always(M::CongestionWindow), always(M::DelayVariation)],
        },
        Edges { cause: M::BondLinks, effects: &[always(M::FlowLimit), always(M::Reordering)] },
        Edges {
            cause: M::MtuFault,
            effects: &[
                always(M::Loss),
                always(M::FragmentLoss),
                always(M::CongestionWindow),
                always(M::NoAnswer),
                always(M::Unreachable),
                always(M::Stalls),
            ],
        },
        Edges { cause: M::FragmentLoss, effects: &[always(M::Loss)] },
        Edges { cause: M::Suspended, effects: &[always(M::Frozen), always(M::NoAnswer), always(M::Stalls)] },
        Edges { cause: M::Frozen, effects: &[always(M::NoAnswer), always(M::Stalls)] },
        Edges {
            cause: M::IoErrors,
            effects: &[always(M::NoAnswer), always(M::Stalls), always(M::DeviceLatency)],
        },
        Edges {
            cause: M::Rebuild,
            effects: &[always(M::ForeignLoad), always(M::DeviceLatency), always(M::QueueDepth)],
        },
        Edges {
            cause: M::ForeignLoad,
            effects: &[
                always(M::DeviceLatency),
                always(M::QueueDepth),
                below(M::ProvisionedRate, Flatter, FLAT_ITSELF),
                always(M::Stalls),
            ],
        },
        Edges { cause: M::Stalls, effects: &[not_bound(M::DeviceLatency)] },
        Edges { cause: M::RequestSize, effects: &[always(M::QueueDepth)] },
        Edges { cause: M::IoLimit, effects: &[always(M::ProvisionedRate), always(M::Stalls)] },
        Edges {
            cause: M::UnevenLegs,
            effects: &[
                always(M::DeviceLatency),
                always(M::QueueDepth),
                always(M::Flush),
                always(M::ProvisionedRate),
            ],
        },
        Edges { cause: M::Flush, effects: &[always(M::DeviceLatency)] },
        Edges { cause: M::StoragePath, effects: &[always(M::DeviceLatency), always(M::Flush)] },
        Edges { cause: M::ProvisionedRate, effects: &[always(M::NfsQueue)] },
        Edges { cause: M::NfsServer, effects: &[always(M::NfsQueue)] },
        Edges { cause: M::Distance, effects: &[always(M::NfsQueue)] },
    ]
};

/// The table for a reader: each mechanism with what follows from it, and under which condition.
pub fn consequences() -> Vec<(Mechanism, Vec<(Mechanism, String)>)> {
    let said = |effect: &Effect| (effect.mechanism, effect.when.to_string());
    BRINGS_ABOUT.iter().map(|edges| (edges.cause, edges.effects.iter().map(said).collect())).collect()
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Always => f.write_str("always"),
            Self::Below(signal, limit) => write!(f, "while {}", said(signal, limit)),
            Self::BelowBoth(one, other) => {
                write!(f, "while {} and {}", said(one.0, one.1), said(other.0, other.1))
            }
            Self::NotBound => f.write_str("unless its own bound explains the figure better"),
        }
    }
}

/// A condition in words.
fn said(signal: Signal, limit: f64) -> String {
    let percent = |share: f64| format!("{} %", (share * 1000.0).round() / 10.0);
    match signal {
        Signal::LostShare => format!("fewer than {} of the segments are lost", percent(limit)),
        Signal::LostOfResent => {
            format!("fewer than {} of the resent segments were really lost", percent(limit))
        }
        Signal::ReorderedShare => {
            format!("fewer than {} of the segments overtake one another", percent(limit))
        }
        Signal::Evenness => format!("the rate varies by more than {}", percent(1.0 - limit)),
        Signal::OwnIdle => format!("a thread of the test uses more than {} of a CPU", percent(1.0 - limit)),
        Signal::Flatter => {
            format!("I/Os in flight together give no less than 1/{limit} of what the others leave to them")
        }
    }
}

/// When a mechanism causes another one directly; `None`: never.
pub(super) fn brings_about(cause: Mechanism, effect: Mechanism) -> Option<When> {
    let edges = BRINGS_ABOUT.iter().find(|edges| edges.cause == cause)?;
    edges.effects.iter().find(|one| one.mechanism == effect).map(|one| one.when)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An effect of an effect of itself would make both step back.
    #[test]
    fn nothing_brings_itself_about_by_any_chain() {
        for edges in BRINGS_ABOUT {
            let mut reached = vec![edges.cause];
            let mut next = 0;
            while let Some(from) = reached.get(next).copied() {
                next += 1;
                for to in BRINGS_ABOUT.iter().filter(|edges| edges.cause == from).flat_map(|e| e.effects) {
                    assert_ne!(to.mechanism, edges.cause, "{from:?} leads back");
                    if !reached.contains(&to.mechanism) {
                        reached.push(to.mechanism);
                    }
                }
            }
        }
    }

    #[test]
    fn each_mechanism_stands_in_the_table_once() {
        let mut causes: Vec<Mechanism> = BRINGS_ABOUT.iter().map(|edges| edges.cause).collect();
        causes.sort();
        let count = causes.len();
        causes.dedup();
        assert_eq!(count, causes.len());
    }

    #[test]
    fn a_weak_signal_steps_back_and_a_strong_one_does_not() {
        let lost = |share| Signals { lost_share: Some(share), ..Signals::default() };
        let when = brings_about(Mechanism::CpuBusy, Mechanism::Loss).expect("an edge");
        assert!(when.is_possible(&lost(0.002), false));
        assert!(!when.is_possible(&lost(0.02), false));
    }
}
