//! How near a path comes to its wire.

use fullwire_model::assessment::{Ceiling, Severity, Verdict};

thresholds! {
    /// At least this share of the ceiling is full wire: the acceptance of the project's charter.
    pub(crate) const FULL_WIRE: f64 = 0.90;
    /// At least this share is good; below it is poor.
    pub(crate) const GOOD: f64 = 0.70;
}

/// A verdict may rest on this ceiling for a figure that reaches this share of it. What only bounds says nothing of a figure
/// far below it.
pub(crate) fn is_wire(ceiling: &Ceiling, share: f64) -> bool {
    let believed = !ceiling.soft && !ceiling.removable && !ceiling.refuted;
    believed && (!ceiling.bound_only || share >= FULL_WIRE)
}

/// How near a figure came to its wire.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reached {
    /// Of the lowest ceiling of wire or medium, or of what was promised.
    pub(crate) share: f64,
    /// The load went to its limit.
    pub(crate) driven: bool,
}

/// The verdict of one path.
///
/// `reached`: `None`, no ceiling can be believed. `felt` is the severity of the finding that is the primary cause
/// of the figure. Where one warns, the path is limited even without a ceiling, if no one knows how far; a load
/// that did not reach a limit says nothing about the path unless something limited it. A path that gives less than the
/// database needs is poor, however near its wire it comes; one that gives enough is not good for that.
pub(crate) fn verdict(reached: Option<Reached>, felt: Option<Severity>, falls_short: bool) -> Verdict {
    let held = felt.is_some_and(|severity| severity >= Severity::Warning);
    match reached {
        _ if falls_short => Verdict::Poor,
        Some(Reached { share, .. }) if share >= FULL_WIRE => Verdict::FullWire,
        Some(Reached { share, .. }) if share >= GOOD => Verdict::Good,
        Some(Reached { driven: false, .. }) if !held => Verdict::NotDriven,
        Some(_) => Verdict::Poor,
        None if held => Verdict::Poor,
        None => Verdict::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(share: f64) -> Reached {
        Reached { share, driven: true }
    }

    #[test]
    fn the_bounds_are_inclusive() {
        assert_eq!(verdict(Some(at(0.90)), None, false), Verdict::FullWire);
        assert_eq!(verdict(Some(at(0.899)), None, false), Verdict::Good);
        assert_eq!(verdict(Some(at(0.70)), None, false), Verdict::Good);
        assert_eq!(verdict(Some(at(0.699)), None, false), Verdict::Poor);
        assert_eq!(verdict(None, None, false), Verdict::Unknown);
    }

    #[test]
    fn a_warning_about_the_figure_makes_an_unknown_path_poor_and_leaves_a_full_wire_full() {
        assert_eq!(verdict(None, Some(Severity::Critical), false), Verdict::Poor);
        assert_eq!(verdict(None, Some(Severity::Info), false), Verdict::Unknown);
        assert_eq!(verdict(Some(at(0.97)), Some(Severity::Warning), false), Verdict::FullWire);
    }

    #[test]
    fn a_load_that_reached_no_limit_says_nothing_of_the_path() {
        let idle = Some(Reached { share: 0.2, driven: false });
        assert_eq!(verdict(idle, None, false), Verdict::NotDriven);
        assert_eq!(verdict(idle, Some(Severity::Warning), false), Verdict::Poor);
    }

    #[test]
    fn a_full_wire_that_carries_less_than_is_needed_is_poor() {
        assert_eq!(verdict(Some(at(0.97)), None, true), Verdict::Poor);
        assert_eq!(verdict(None, None, true), Verdict::Poor);
    }
}
