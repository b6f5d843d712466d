//! What a person or a script sees of a run: JSON documents, terminal text, one HTML page.
//!
//! [`Report::new`] folds a run and its assessment once into sections; [`terminal`] and [`html`] draw that value.
//! [`json`] holds the documents that scripts rely on, [`export`] what monitoring and CI read. Nothing here decides what is good or bad, and nothing
//! here knows how a number was made.
#![forbid(unsafe_code)]

mod bars;
mod bonnie_table;
pub mod csv;
pub mod export;
mod gaps;
pub mod html;
pub mod json;
mod printed;
mod report;
pub mod screen;
pub mod script;
#[cfg(test)]
#[path = "../../../tests/skips.rs"]
mod skips;
pub mod terminal;

pub use fullwire_model::assessment::{harmless, harmless_lines};
pub use fullwire_model::format;
pub use gaps::gaps;
pub use printed::Printed;
pub use report::*;
pub use terminal::harmless_styled;
