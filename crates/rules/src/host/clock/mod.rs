//! Clocks.

rules! {
    clock_offset,
    clock_source,
    clock_steps,
    clock_two_keepers,
    clock_unsynchronised,
}
