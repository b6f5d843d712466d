//! How much of a file system a private file may take.

/// The smallest file that still tells something: 1024 blocks of 8 KiB.
pub(crate) const SMALLEST_BYTES: u64 = 8 << 20;
/// What must stay free beside a file of ordinary size, at least.
const MARGIN_BYTES: u64 = 5 << 30;
const UNIT: u64 = 1 << 20;

/// What must stay free beside a file of ordinary size: a tenth of the file system, 5 GiB at least.
fn margin(total_bytes: u64) -> u64 {
    (total_bytes / 10).max(MARGIN_BYTES)
}

/// The size that a file may have, whole MiB.
///
/// Up to what leaves the margin. On a file system too small or too full for that: an eighth of what is available, so
/// that seven eighths stay; and no file at all where that is below [`SMALLEST_BYTES`] (less than 64 MiB available).
pub(crate) fn allowed(wanted_bytes: u64, total_bytes: u64, available_bytes: u64) -> Option<u64> {
    let beside_margin = available_bytes.saturating_sub(margin(total_bytes));
    let most = beside_margin.max(available_bytes / 8);
    let bytes = wanted_bytes.min(most) / UNIT * UNIT;
    (bytes >= SMALLEST_BYTES.min(wanted_bytes / UNIT * UNIT) && bytes > 0).then_some(bytes)
}

/// What must stay free for even the smallest file.
pub(crate) fn least_margin() -> u64 {
    SMALLEST_BYTES * 7
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn an_ordinary_file_system_keeps_a_tenth_and_a_small_one_seven_eighths() {
        assert_eq!(allowed(GIB, 100 * GIB, 60 * GIB), Some(GIB));
        // 100 GiB keep 10: 11 available leave 1.
        assert_eq!(allowed(4 * GIB, 100 * GIB, 11 * GIB), Some(11 * GIB / 8 / UNIT * UNIT));
        // 8 GiB, 100 MiB left: 12 MiB.
        assert_eq!(allowed(GIB, 8 * GIB, 100 << 20), Some(12 << 20));
        assert_eq!(allowed(GIB, 8 * GIB, 60 << 20), None);
        assert_eq!(allowed(GIB, 8 * GIB, 0), None);
    }

    proptest! {
        #[test]
        fn never_more_than_wanted_and_never_the_last(wanted in UNIT.., total: u64, available: u64) {
            if let Some(bytes) = allowed(wanted, total, available) {
                prop_assert!(bytes <= wanted);
                prop_assert!(bytes <= available);
                prop_assert!(available - bytes >= (available / 8 * 7).min(margin(total)));
            }
        }
    }
}
