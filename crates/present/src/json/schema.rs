//! The JSON Schema of each document.

use super::{
    AssessDocument, AwrDocument, CheckDocument, DiskDocument, HistoryDocument, MtuDocument, NetDocument,
    RedoDocument, RulesDocument,
};
use fullwire_model::Run;
use fullwire_model::live::Live;
use schemars::{Schema, schema_for};
use serde_json::Value;

/// Makes the schema of one document.
pub type MakeSchema = fn() -> Schema;

/// Every document: its short name and what makes its schema.
pub const SCHEMAS: &[(&str, MakeSchema)] = &[
    ("assess", || schema_for!(AssessDocument<'static>)),
    ("awr", || schema_for!(AwrDocument<'static>)),
    ("check", || schema_for!(CheckDocument<'static>)),
    ("disk", || schema_for!(DiskDocument<'static>)),
    ("history", || schema_for!(HistoryDocument<'static>)),
    ("live", || schema_for!(Live)),
    ("mtu", || schema_for!(MtuDocument<'static>)),
    ("net", || schema_for!(NetDocument<'static>)),
    ("redo", || schema_for!(RedoDocument<'static>)),
    ("rules", || schema_for!(RulesDocument<'static>)),
    ("run", || schema_for!(Run)),
];

/// The schema of a document by its name: `net`, `fullwire.net` or `fullwire.net/1`.
pub fn schema(name: &str) -> Option<Value> {
    let bare = name.strip_prefix("fullwire.").unwrap_or(name);
    let bare = bare.strip_suffix("/1").unwrap_or(bare);
    let (short, make) = SCHEMAS.iter().find(|(short, _)| *short == bare)?;
    let mut schema = make();
    schema.insert("$id".into(), format!("fullwire.{short}/1").into());
    schema.insert("title".into(), format!("fullwire.{short}/1").into());
    Some(schema.to_value())
}
