//! What a person or a script sees of a run: JSON documents, terminal text, one HTML page.
//!
//! [`json`] holds the documents that scripts rely on. Nothing here decides what is good or bad, and nothing
//! here knows how a number was made.
#![forbid(unsafe_code)]

mod gaps;
pub mod json;

pub use gaps::gaps;
