//! The numbers that belong to no rule alone.

use crate::threshold::Threshold;
use crate::{attribution, ceiling, characteristic, facts, judged, measurement, spans, verdict};

/// The numbers that several rules and the choice of the cause share.
pub fn shared_thresholds() -> impl Iterator<Item = &'static Threshold> {
    let rooms = [
        attribution::SHARED,
        ceiling::SHARED,
        facts::SHARED,
        &[characteristic::course::THRESHOLDS, judged::THRESHOLDS, measurement::demand::THRESHOLDS],
        spans::SHARED,
        &[verdict::THRESHOLDS],
    ];
    rooms.into_iter().flatten().copied().flatten()
}
