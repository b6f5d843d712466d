//! The documents that scripts rely on: the keys of `fullwire.NAME/1` never change their meaning.
//!
//! ```text
//! assess ─┬─ check (facts)      what the host says of itself
//!         ├─ net[] mtu[] disk[] the same bodies as the documents of their commands
//!         └─ paths, ceilings, findings, bottleneck, verdict
//! ```

mod array;
mod assess;
mod check;
mod demand;
mod diff;
mod estate;
mod imported;
mod lists;
#[cfg(feature = "schema")]
mod made;
mod mesh;
mod probe;
mod recording;
mod schema;
mod spans;

pub use array::{ArrayDocument, ArrayLevel};
pub use assess::{AssessDocument, assess};
pub use check::{CheckDocument, Facts, HostFacts, check};
pub use demand::{AwrDocument, RedoDocument, awr, redo};
pub use diff::{DiffDocument, ProveDocument, diff, prove};
pub use estate::{EstateDocument, estate};
pub use imported::{Imported, ImportedMetric};
pub use lists::{
    AppliedDocument, ApplyDocument, CaptureDocument, ChangedDocument, CleanDocument, DeletedDocument,
    ExplainDocument, ExplainedCeiling, ExplainedRule, ExplainedWord, HistoryDocument, HistoryLine, RuleCard,
    RulesDocument, deleted, explain, history, rules,
};
#[cfg(feature = "schema")]
pub use made::made;
pub use mesh::{MeshDocument, mesh, mesh_changes};
pub use probe::{
    Disk, DiskDocument, Mtu, MtuDocument, Net, NetDocument, SweepDocument, disk, mtu, net, sweep,
};
pub use recording::{RecordingCost, RecordingDocument};
pub use schema::{document_names, schema};
pub use spans::{SpansDocument, Stretch, spans};
