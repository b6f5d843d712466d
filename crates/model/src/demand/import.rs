//! What other tools recorded over time.

mod lengths;
mod summary;

use fullwire_record::record;
use lengths::lengths_s;
pub use summary::{Places, Summary};

use crate::Gap;
use crate::quantity::Unit;
use jiff::civil::DateTime;

/// Everything that one file of another tool contains.
#[record]
pub struct ImportedSeries {
    /// The file.
    pub source: String,
    /// The tool: `iostat`, `sar`, `vmstat`, `nfsiostat`, `bonnie++`.
    pub tool: String,
    /// The tool's version, where it says so.
    pub version: Option<String>,
    /// The host's name.
    pub host: Option<String>,
    /// The host's kernel.
    pub kernel: Option<String>,
    /// The host's CPUs.
    pub cpus: Option<u64>,
    /// The clock of the times: `UTC`, a zone's name, or `local` when the file does not say.
    pub clock: String,
    /// The file contains only means since boot: no intervals, and nothing to judge. If there are intervals, a record since boot is ignored.
    pub first_since_boot: bool,
    /// When recording began anew, ascending: the times of headings, from which the first records after them reach.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub starts: Vec<DateTime>,
    /// The length of a record, s, where the file has times of day without a date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_s: Option<f64>,
    /// One for each subject and metric.
    pub series: Vec<Series>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
    /// Where each series lies.
    #[serde(skip)]
    pub places: Places,
}

impl ImportedSeries {
    /// `sar, sar.txt`: the tool and the file, where evidence comes from.
    pub fn origin(&self) -> String {
        origin(&self.tool, &self.source)
    }
}

/// The tool and the file that figures come from.
pub fn origin(tool: &str, file: &str) -> String {
    if tool.is_empty() { file.to_owned() } else { format!("{tool}, {file}") }
}

/// One metric of one subject over time.
#[record]
pub struct Series {
    /// `disk`, `cpu`, `nic`, `memory`, `nfs`, `system`: what kind of thing the subject is.
    pub area: String,
    /// The device, CPU (`all`), interface or mount; empty for the host.
    pub subject: String,
    /// The metric, with its unit last: `read_await_ns`, `read_bytes_per_s`, `util_ratio`.
    pub metric: String,
    /// Its unit.
    pub unit: Unit,
    /// The record of its first sample, from 0: in a file without times a device may appear late.
    #[serde(skip_serializing_if = "crate::quantity::is_zero")]
    pub first_record: u64,
    /// In the order of the file.
    pub samples: Vec<Sample>,
}

/// A value at a time.
#[record(Copy)]
pub struct Sample {
    /// When, by the clock that [`ImportedSeries::clock`] names; `None`: the file has no times.
    pub at: Option<DateTime>,
    /// The value.
    pub value: f64,
}
