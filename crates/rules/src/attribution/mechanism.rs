//! Which mechanism causes which: the one place that knows two causes at a time.
//!
//! A cause that is caused by another one that acts on the same measurement steps back as its effect. Some
//! do so only while they are weak: a CPU that is used up makes a receiver drop a packet in a thousand, not in ten.

use crate::measurement::signals::Signal::{
    Evenness, Flatter, LostOfResent, LostShare, OwnIdle, ReorderedShare,
};
use crate::measurement::signals::{Signal, Signals};
use When::{Always, Below, BelowBoth, NotBound};
use fullwire_model::assessment::Mechanism;
use std::fmt;

/// One mechanism and what it causes under one condition.
struct Row {
    cause: Mechanism,
    when: When,
    effects: &'static [Mechanism],
}

/// When a cause that acts can have caused an effect.
#[derive(Clone, Copy)]
pub(super) enum When {
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

/// The table: a mechanism, when it can have caused what follows, and that.
macro_rules! brings_about {
    ($($cause:ident, $when:expr => $($effect:ident),+;)+) => {
        /// Every mechanism that has effects.
        const BRINGS_ABOUT: &[Row] = &[$(Row {
            cause: Mechanism::$cause,
            when: $when,
            effects: &[$(Mechanism::$effect),+],
        }),+];
    };
}

brings_about! {
    Wire, Always =>
        PathQueue, PathRate, Loss, OwnQueueDrops, ReceiveWindow, SendBuffer, CongestionWindow,
        ReceiverNotReading, CrossTraffic, DelayVariation, QueueDepth, DeviceLatency;
    CpuBusy, Always => FlowLimit, ReceiverNotReading, CrossTraffic, DelayVariation;
    CpuBusy, NotBound => ReceiveWindow, SendBuffer, OwnQueueDrops, CongestionWindow;
    CpuBusy, Below(LostShare, LOST_FOR_CPU) => Loss;
    CpuBusy, Below(ReorderedShare, REORDERED_FOR_CPU) => Reordering;
    CpuBusy, Below(Evenness, EVEN) => PathQueue;
    CpuBusy, BelowBoth((OwnIdle, IDLE), (Evenness, EVEN)) => PathRate;
    CpuStarved, Always =>
        FlowLimit, ReceiverNotReading, CrossTraffic, DelayVariation, CpuBusy, NoAnswer, Stalls;
    CpuStarved, NotBound => ReceiveWindow, SendBuffer, OwnQueueDrops, CongestionWindow;
    CpuStarved, Below(LostShare, LOST_FOR_CPU) => Loss;
    CpuStarved, Below(ReorderedShare, REORDERED_FOR_CPU) => Reordering;
    CpuStarved, Below(Evenness, EVEN) => PathQueue, PathRate;
    MtuSmall, Always => CpuBusy, PathRate;
    SmallSegments, Always => CpuBusy;
    InterruptCpu, Always => FlowLimit, CpuBusy, OwnQueueDrops;
    MemoryShort, Always => NoAnswer, Stalls, ForeignLoad, DeviceLatency;
    SocketMemory, Always => PathRate, FlowLimit, ReceiverNotReading, ReceiveWindow, Loss, Stalls;
    ReceiverNotReading, Always => FlowLimit, ReceiveWindow;
    UnscaledWindow, Always => FlowLimit, ReceiveWindow, PathRate;
    AutotuningOff, Always => FlowLimit, ReceiveWindow, PathRate;
    RouteWindow, Always => FlowLimit, ReceiveWindow, CongestionWindow, PathRate;
    ReceiveWindow, Always => FlowLimit, PathRate, CrossTraffic;
    SendBuffer, Always => FlowLimit, PathRate, CrossTraffic;
    Pacing, Always => FlowLimit, PathRate;
    Reordering, Always => FlowLimit, CongestionWindow, DelayVariation, PathRate;
    Reordering, Below(LostOfResent, SPURIOUS) => Loss;
    Duplication, Always => PathQueue, PathRate;
    Duplication, Below(LostOfResent, SPURIOUS) => Loss;
    Duplication, Below(ReorderedShare, REORDERED_FOR_CPU) => Reordering;
    Loss, Always => FlowLimit, CongestionWindow, CrossTraffic, NfsQueue, NfsServer, ProvisionedRate, Stalls;
    LinkFault, Always => Unreachable, FlowLimit, Loss, CongestionWindow, CrossTraffic, Stalls;
    PauseFrames, Always => PathQueue, PathRate, OwnQueueDrops;
    OwnQueueDrops, Always => FlowLimit, Loss, CongestionWindow, Stalls;
    OwnShaper, Always =>
        FlowLimit, OwnQueueDrops, Loss, PathQueue, PathRate, CongestionWindow, CrossTraffic, DelayVariation,
        Stalls;
    Emulator, Always =>
        FlowLimit, CrossTraffic, OwnQueueDrops, Loss, Reordering, PathQueue, PathRate, CongestionWindow,
        DelayVariation, Stalls;
    PathRate, Always => PathQueue, Loss, CongestionWindow;
    SharedPath, Always => CrossTraffic, PathQueue, PathRate, Loss, CongestionWindow, DelayVariation;
    WrongRoute, Always => PathRate, PathQueue, Distance, DelayVariation;
    WrongRoute, Below(LostShare, LOST_FOR_QUEUE) => Loss;
    StandbyLink, Always => PathRate, PathQueue;
    CrossTraffic, Always => PathQueue, CongestionWindow, DelayVariation;
    BondLinks, Always => FlowLimit, Reordering;
    MtuFault, Always => Loss, FragmentLoss, CongestionWindow, NoAnswer, Unreachable, Stalls;
    FragmentLoss, Always => Loss;
    Suspended, Always => Frozen, NoAnswer, Stalls;
    Frozen, Always => NoAnswer, Stalls;
    IoErrors, Always => NoAnswer, Stalls, DeviceLatency;
    Rebuild, Always => ForeignLoad, DeviceLatency, QueueDepth;
    ForeignLoad, Always => DeviceLatency, QueueDepth, Stalls;
    ForeignLoad, Below(Flatter, FLAT_ITSELF) => ProvisionedRate;
    Stalls, NotBound => DeviceLatency;
    RequestSize, Always => QueueDepth;
    IoLimit, Always => ProvisionedRate, Stalls;
    UnevenLegs, Always => DeviceLatency, QueueDepth, Flush, ProvisionedRate;
    Flush, Always => DeviceLatency;
    StoragePath, Always => DeviceLatency, Flush;
    ProvisionedRate, Always => NfsQueue;
    NfsServer, Always => NfsQueue;
    Distance, Always => NfsQueue;
}

/// The table for a reader: each mechanism, what follows from it, and under which condition.
pub fn consequences() -> impl Iterator<Item = (Mechanism, Mechanism, String)> {
    let said =
        |row: &'static Row| row.effects.iter().map(|effect| (row.cause, *effect, row.when.to_string()));
    BRINGS_ABOUT.iter().flat_map(said)
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
    BRINGS_ABOUT.iter().find(|row| row.cause == cause && row.effects.contains(&effect)).map(|row| row.when)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An effect of an effect of itself would make both step back.
    #[test]
    fn nothing_brings_itself_about_by_any_chain() {
        let effects_of = |cause| BRINGS_ABOUT.iter().filter(move |row| row.cause == cause);
        for row in BRINGS_ABOUT {
            let mut reached = vec![row.cause];
            let mut next = 0;
            while let Some(from) = reached.get(next).copied() {
                next += 1;
                for effect in effects_of(from).flat_map(|row| row.effects) {
                    assert_ne!(*effect, row.cause, "{from:?} leads back");
                    if !reached.contains(effect) {
                        reached.push(*effect);
                    }
                }
            }
        }
    }

    #[test]
    fn an_effect_of_a_mechanism_has_one_condition() {
        let mut pairs: Vec<_> = consequences().map(|(cause, effect, _)| (cause, effect)).collect();
        pairs.sort();
        let count = pairs.len();
        pairs.dedup();
        assert_eq!(count, pairs.len());
    }

    #[test]
    fn a_weak_signal_steps_back_and_a_strong_one_does_not() {
        let lost = |share| Signals { lost_share: Some(share), ..Signals::default() };
        let when = brings_about(Mechanism::CpuBusy, Mechanism::Loss).expect("an edge");
        assert!(when.is_possible(&lost(0.002), false));
        assert!(!when.is_possible(&lost(0.02), false));
    }
}
