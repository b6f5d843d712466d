//! The JSON Schema of each document, made from its types.

use super::{
    ApplyDocument, ArrayDocument, AssessDocument, AwrDocument, CaptureDocument, CheckDocument, CleanDocument,
    DeletedDocument, DiffDocument, DiskDocument, EstateDocument, ExplainDocument, HistoryDocument,
    MeshDocument, MtuDocument, NetDocument, ProveDocument, RecordingDocument, RedoDocument, RulesDocument,
    SpansDocument, SweepDocument,
};
use fullwire_model::Run;
use fullwire_model::live::Live;
use schemars::{Schema, schema_for};

/// Makes the schema of one document.
type MakeSchema = fn() -> Schema;

/// Every document: its short name and what makes its schema.
const DOCUMENTS: &[(&str, MakeSchema)] = &[
    ("apply", || schema_for!(ApplyDocument)),
    ("array", || schema_for!(ArrayDocument)),
    ("assess", || schema_for!(AssessDocument<'static>)),
    ("awr", || schema_for!(AwrDocument<'static>)),
    ("capture", || schema_for!(CaptureDocument<'static>)),
    ("check", || schema_for!(CheckDocument<'static>)),
    ("clean", || schema_for!(CleanDocument)),
    ("deleted", || schema_for!(DeletedDocument)),
    ("diff", || schema_for!(DiffDocument<'static>)),
    ("disk", || schema_for!(DiskDocument<'static>)),
    ("estate", || schema_for!(EstateDocument<'static>)),
    ("explain", || schema_for!(ExplainDocument)),
    ("history", || schema_for!(HistoryDocument<'static>)),
    ("live", || schema_for!(Live)),
    ("mesh", || schema_for!(MeshDocument<'static>)),
    ("mtu", || schema_for!(MtuDocument<'static>)),
    ("net", || schema_for!(NetDocument<'static>)),
    ("prove", || schema_for!(ProveDocument<'static>)),
    ("recording", || schema_for!(RecordingDocument<'static>)),
    ("redo", || schema_for!(RedoDocument<'static>)),
    ("rules", || schema_for!(RulesDocument<'static>)),
    ("run", || schema_for!(Run)),
    ("spans", || schema_for!(SpansDocument<'static>)),
    ("sweep", || schema_for!(SweepDocument<'static>)),
];

/// Every document's short name, and its schema as `docs/schema` keeps it.
pub fn made() -> impl Iterator<Item = (&'static str, String)> {
    DOCUMENTS.iter().map(|(name, make)| {
        let mut schema = make();
        schema.insert("$id".into(), format!("fullwire.{name}/1").into());
        schema.insert("title".into(), format!("fullwire.{name}/1").into());
        // `#` adds indentation; a schema is plain data, it always becomes text.
        (*name, format!("{:#}\n", schema.to_value()))
    })
}
