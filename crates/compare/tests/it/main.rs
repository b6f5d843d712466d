//! Tests of the comparer by what it promises: error rates, coverage, power, and answers that make sense together.

mod answers;
mod control;
mod made;
mod simulation;
mod stretch;
