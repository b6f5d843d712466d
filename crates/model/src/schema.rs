//! The JSON Schema of each document as `cargo xtask gen` made it from the types and `docs/schema` keeps it. The program
//! carries these texts, packed: the code that makes them is several times larger.

use std::sync::LazyLock;

include!(concat!(env!("OUT_DIR"), "/schemas.rs"));

/// The texts one after the other.
static TEXTS: LazyLock<String> =
    LazyLock::new(|| crate::packed::unpacked(include_bytes!(concat!(env!("OUT_DIR"), "/schemas.xz"))));

/// The short names of the documents: `net`, `run`.
pub fn names() -> impl Iterator<Item = &'static str> {
    PLACES.iter().map(|(name, ..)| *name)
}

/// The schema of a document by its short name.
pub fn kept(name: &str) -> Option<&'static str> {
    let (_, from, to) = PLACES.iter().find(|(of, ..)| *of == name)?;
    TEXTS.get(*from..*to)
}
