//! The schedule's promises as properties, whole meshes in simulation with a clock of its own, and judged.

mod judge;
mod schedule;
mod simulation;
