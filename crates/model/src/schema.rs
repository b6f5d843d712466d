//! The JSON Schema of each document as `cargo xtask gen` made it from the types and `docs/schema` keeps it. The program
//! carries these texts, packed: the code that makes them is several times larger.

use flate2::read::ZlibDecoder;
use std::io::Read as _;

include!(concat!(env!("OUT_DIR"), "/schemas.rs"));

/// The short names of the documents: `net`, `run`.
pub fn names() -> impl Iterator<Item = &'static str> {
    KEPT.iter().map(|(name, _)| *name)
}

/// The schema of a document by its short name.
pub fn kept(name: &str) -> Option<String> {
    let (_, packed) = KEPT.iter().find(|(of, _)| *of == name)?;
    let mut text = String::new();
    ZlibDecoder::new(*packed).read_to_string(&mut text).ok()?;
    Some(text)
}
