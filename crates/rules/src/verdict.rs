//! How near a path comes to its wire.

use fullwire_model::assessment::{Severity, Verdict};

/// At least this share of the ceiling is full wire: the acceptance of the project's charter.
pub(crate) const FULL_WIRE: f64 = 0.90;
/// At least this share is good; below it is poor.
pub(crate) const GOOD: f64 = 0.70;

/// The verdict of one path.
///
/// `share` is measured over the lowest ceiling of wire or medium; `None`: none can be believed.
/// `limited` is the worst finding that explains a shortfall. Where one warns, the path is not at full wire,
/// whatever the ceiling says; and without a ceiling it is known to be held back, if not how far.
pub(crate) fn verdict(share: Option<f64>, limited: Option<Severity>) -> Verdict {
    let by_share = match share {
        None => Verdict::Unknown,
        Some(share) if share >= FULL_WIRE => Verdict::FullWire,
        Some(share) if share >= GOOD => Verdict::Good,
        Some(_) => Verdict::Poor,
    };
    match (by_share, limited.is_some_and(|severity| severity >= Severity::Warning)) {
        (Verdict::FullWire, true) => Verdict::Good,
        (Verdict::Unknown, true) => Verdict::Poor,
        (verdict, _) => verdict,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_are_inclusive() {
        assert_eq!(verdict(Some(0.90), None), Verdict::FullWire);
        assert_eq!(verdict(Some(0.899), None), Verdict::Good);
        assert_eq!(verdict(Some(0.70), None), Verdict::Good);
        assert_eq!(verdict(Some(0.699), None), Verdict::Poor);
        assert_eq!(verdict(None, None), Verdict::Unknown);
    }

    #[test]
    fn a_limiting_warning_is_never_full_wire() {
        assert_eq!(verdict(Some(0.99), Some(Severity::Warning)), Verdict::Good);
        assert_eq!(verdict(None, Some(Severity::Critical)), Verdict::Poor);
        assert_eq!(verdict(Some(0.99), Some(Severity::Info)), Verdict::FullWire);
    }
}
