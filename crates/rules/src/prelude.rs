//! What many rules use; `rule!` brings it into each file of a rule.

pub(crate) use crate::advice::*;
pub(crate) use crate::ceiling::network::{frame::Stack, loss, stack_of, window};
pub(crate) use crate::characteristic::course;
pub(crate) use crate::database::{configured, configured::Flaw, live, live::Counter};
pub(crate) use crate::database::{of_io::each_of_io, report, views};
pub(crate) use crate::facts::{self, Span, cpu, interface, legs, route, side, stream, words};
pub(crate) use crate::facts::{lost::Lost, percent, residence, sizes::taken_by};
pub(crate) use crate::measurement::demand;
pub(crate) use crate::network::each;
pub(crate) use crate::said;
pub(crate) use crate::setting::{self, Setting};
pub(crate) use crate::verdict::{FULL_WIRE, GOOD};
pub(crate) use crate::{Facts, FindingExt, Outcome, explain};
pub(crate) use fullwire_model::assessment::{
    Advice, Explanation, Finding, Layer, Mechanism, OfDrive, Severity, ShellCommand,
};
pub(crate) use fullwire_model::characteristic::{Characteristic, Quantity};
pub(crate) use fullwire_model::counters::*;
pub(crate) use fullwire_model::demand::*;
pub(crate) use fullwire_model::disk::{DiskResult, DiskStepResult, LayerStats, Operation, Pattern};
pub(crate) use fullwire_model::host::*;
pub(crate) use fullwire_model::latency::Latency;
pub(crate) use fullwire_model::mtu::MtuResult;
pub(crate) use fullwire_model::net::{NetMode, NetResult, TcpSummary};
pub(crate) use fullwire_model::quantity::Unit;
pub(crate) use fullwire_model::subject::{self, At, Kind, Subject};
pub(crate) use fullwire_model::{AllStreams, PathName, PerStream, ProbeId, median};
pub(crate) use fullwire_model::{MeasurementId, Peer, Run, Window, WindowKind};
pub(crate) use std::cmp::{Ordering, Reverse};
pub(crate) use std::collections::{BTreeMap, BTreeSet};
pub(crate) use std::net::IpAddr;
