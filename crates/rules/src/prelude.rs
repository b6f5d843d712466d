//! What nearly every rule uses.

pub(crate) use crate::advice::{AdviceExt, as_word, because, sh};
pub(crate) use crate::facts::{self, side, stream, words};
pub(crate) use crate::{Facts, FindingExt, Outcome, Rule, explain};
pub(crate) use fullwire_model::assessment::{Advice, Explanation, Finding, Layer, Mechanism, Severity};
pub(crate) use fullwire_model::host::{Database, Disk, Host, Mount, Nic};
pub(crate) use fullwire_model::net::{NetMode, NetResult};
pub(crate) use fullwire_model::quantity::Unit;
pub(crate) use fullwire_model::subject::Kind;
pub(crate) use fullwire_model::{Run, Window};
