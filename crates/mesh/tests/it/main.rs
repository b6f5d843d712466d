//! The schedule's promises as properties, whole meshes in simulation with its own clock, and judged.

mod judge;
mod schedule;
mod simulation;
mod world;
