//! `fullwire.estate/1`.

use fullwire_model::estate::Estate;
use serde::Serialize;

/// `fullwire.estate/1`: hosts of an estate, paths that are bad now and since when.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EstateDocument<'a> {
    /// `fullwire.estate/1`.
    pub schema: &'static str,
    /// As it was read.
    #[serde(flatten)]
    pub estate: &'a Estate,
}

/// The document of an estate.
pub fn estate(estate: &Estate) -> EstateDocument<'_> {
    EstateDocument { schema: "fullwire.estate/1", estate }
}
