//! What many rules use.

pub(crate) use crate::advice::{AdviceExt, as_word, because, sh};
pub(crate) use crate::advice::{
    change_nfs_option, set_bond, set_disk_attribute, set_ethtool, set_sysctl, set_sysctls,
};
pub(crate) use crate::facts::{self, Span, interface, route, side, stream, words};
pub(crate) use crate::{Facts, FindingExt, Outcome, explain};
pub(crate) use fullwire_model::assessment::{
    Advice, Explanation, Finding, Layer, Mechanism, OfDrive, Severity, ShellCommand,
};
pub(crate) use fullwire_model::counters::Counters;
pub(crate) use fullwire_model::demand::{AwrReport, RedoHistory};
pub(crate) use fullwire_model::disk::{DiskResult, DiskStepResult, Operation, Pattern};
pub(crate) use fullwire_model::host::{
    Bond, Database, Disk, Host, LogLine, MdArray, Mount, MultipathMap, NfsMount, Nic,
};
pub(crate) use fullwire_model::net::{NetMode, NetResult};
pub(crate) use fullwire_model::quantity::Unit;
pub(crate) use fullwire_model::subject::{At, Kind, Subject};
pub(crate) use fullwire_model::{Run, Window, WindowKind};
pub(crate) use std::collections::{BTreeMap, BTreeSet};
pub(crate) use std::net::IpAddr;
