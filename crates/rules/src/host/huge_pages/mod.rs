//! Huge pages, reserved and transparent.

rules! {
    compaction_stalls,
    huge_pages_absent,
    huge_pages_few,
    huge_pages_unused,
    transparent_huge_pages,
}
