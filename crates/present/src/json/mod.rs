//! The documents that scripts rely on: the keys of `fullwire.NAME/1` never change their meaning.
//!
//! ```text
//! assess ─┬─ check (facts)      what the host says of itself
//!         ├─ net[] mtu[] disk[] the same bodies as the documents of their commands
//!         └─ paths, ceilings, findings, bottleneck, verdict
//! ```

mod assess;
mod check;
mod demand;
mod diff;
mod imported;
mod lists;
mod probe;
mod schema;

pub use assess::{AssessDocument, assess};
pub use check::{CheckDocument, Facts, HostFacts, check};
pub use demand::{AwrDocument, RedoDocument, awr, redo};
pub use diff::{DiffDocument, ProveDocument, diff, prove};
pub use imported::{Imported, ImportedMetric};
pub use lists::{HistoryDocument, RuleCard, RulesDocument, history, rules};
pub use probe::{Disk, DiskDocument, Mtu, MtuDocument, Net, NetDocument, disk, mtu, net};
pub use schema::{MakeSchema, SCHEMAS, schema};
