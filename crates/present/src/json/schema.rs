//! The JSON Schema of each document, as it is kept.

use fullwire_model::schema;

/// Every document's name: `fullwire.net/1`.
pub fn document_names() -> impl Iterator<Item = String> {
    schema::names().map(|short| format!("fullwire.{short}/1"))
}

/// The schema of a document by its name: `net`, `fullwire.net` or `fullwire.net/1`.
pub fn schema(name: &str) -> Option<&'static str> {
    let bare = name.strip_prefix("fullwire.").unwrap_or(name);
    schema::kept(bare.strip_suffix("/1").unwrap_or(bare))
}
