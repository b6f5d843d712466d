//! The schema of every document, made from the types: one JSON object of names and texts, for `cargo xtask gen`.

use fullwire_present::json::made;
use std::collections::BTreeMap;

fn main() -> Result<(), serde_json::Error> {
    serde_json::to_writer(std::io::stdout(), &made().collect::<BTreeMap<&str, String>>())
}
