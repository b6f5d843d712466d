//! Clocks.

rules! {
    clock_offset,
    clock_source,
    clock_unsynchronised,
}
