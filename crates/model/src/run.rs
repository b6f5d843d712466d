use crate::array::DiskArray;
use crate::assessment::PathKind;
use crate::assessment::experiment::Tried;
use crate::counters::{Counters, CpuTime};
use crate::demand::{AwrReport, Demand, ImportedSeries, OracleViews, RedoHistory};
use crate::disk::DiskResult;
use crate::host::Host;
use crate::mtu::MtuResult;
use crate::net::{NetMode, NetResult};
use crate::quantity::Unit;
use crate::reach::Reach;
use crate::{Gap, MeasurementId, PathName, ProbeId, assessment::Layer};
use fullwire_record::record;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// The schema name that a stored run carries.
pub const RUN_SCHEMA: &str = "fullwire.run/1";

/// Everything that one invocation saw and measured: the only thing that is stored.
#[record]
pub struct Run {
    /// [`RUN_SCHEMA`].
    pub schema: String,
    /// Unique, sortable by time, short enough to type.
    pub run_id: String,
    /// The version of fullwire that made it.
    pub tool_version: String,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub finished: Timestamp,
    /// What was requested.
    pub command: Command,
    /// The user's label.
    pub tag: Option<String>,
    /// This host.
    pub host: Host,
    /// Counters over spans of time: the idle host first, then one window around each probe step.
    pub windows: Vec<Window>,
    /// The far ends.
    pub peers: Vec<Peer>,
    /// Network results.
    #[serde(deserialize_with = "crate::json::bounded::list::<_, _, RESULTS_LIMIT>")]
    pub net: Vec<NetResult>,
    /// Path-MTU results.
    pub mtu: Vec<MtuResult>,
    /// Storage results.
    #[serde(deserialize_with = "crate::json::bounded::list::<_, _, RESULTS_LIMIT>")]
    pub disk: Vec<DiskResult>,
    /// Measurements beyond the plan, to tell explanations apart.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<Tried>,
    /// What the database needs.
    pub demand: Option<Demand>,
    /// AWR and Statspack reports, as read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<AwrReport>,
    /// The redo or WAL that the database made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redo: Option<RedoHistory>,
    /// What an Oracle instance's `V$` views list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub views: Option<OracleViews>,
    /// What other tools recorded: `iostat`, `sar`, `vmstat`, `nfsiostat`, bonnie++.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub imported: Vec<ImportedSeries>,
    /// Lines of logs and outputs that may tell of trouble.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logged: Vec<LoggedLine>,
    /// Totals since boot that a tool's output lists.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::json::bounded::list::<_, _, TOTALS_LIMIT>"
    )]
    pub totals: Vec<Total>,
    /// What earlier runs on this host reached in the same measurements.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub best: Vec<EarlierBest>,
    /// What could not be read or measured.
    pub gaps: Vec<Gap>,
}

/// A line of a log or of a tool's output, with those like it.
#[record]
pub struct LoggedLine {
    /// The file.
    pub source: String,
    /// The line without its time stamp: of alike ones that with the longest time, else the last.
    pub text: String,
    /// Lines that differ in numbers alone.
    pub count: u64,
    /// The stamp of the first, as printed; empty: none.
    pub first: String,
    /// The stamp of the last, as printed; empty: none.
    pub last: String,
    /// The longest time that such a line names (`7.6s`, `sync=17.164 s`, `258.00 seconds`), s.
    pub longest_s: Option<f64>,
}

/// A counter's total, as a tool printed it once.
#[record]
pub struct Total {
    /// The file.
    pub source: String,
    /// The counter, as printed.
    pub name: String,
    /// Its value.
    pub value: f64,
}

/// The best rate of earlier runs of one host that asked the same question.
#[record]
pub struct EarlierBest {
    /// The peer or the storage target.
    pub path: PathName,
    /// The measurement, as in [`crate::assessment::Ceiling::measurement`].
    pub measurement: MeasurementId,
    /// What was reached, by two runs at least.
    pub value: f64,
    /// Its unit.
    pub unit: Unit,
    /// How many earlier runs there are.
    pub runs: u32,
    /// The run that reached it.
    pub run_id: String,
    /// When that began.
    pub at: Timestamp,
}

/// What the user requested, as far as it affects judgement.
#[record]
pub struct Command {
    /// `assess`, `net`, `disk`, `mtu`, `check`, `import`.
    pub name: String,
    /// Arguments as given, secrets left out.
    pub arguments: Vec<String>,
    /// The size of the SGA to be, from `--sga`.
    pub sga_bytes: Option<u64>,
    /// `--expect`, bytes per second, for every peer without a separate one.
    pub expect_bytes_per_s: Option<f64>,
    /// `--expect-disk`: what the storage is provisioned with.
    pub expect_disk: DiskExpectation,
    /// `--gap`: redo that is missing at the standby, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap_bytes: Option<u64>,
    /// Codes that `--ignore` or a waiver file names.
    pub ignored: Vec<String>,
    /// Layers that `--only` keeps; empty: all.
    pub only: Vec<Layer>,
    /// A part of an experiment (`prove`): it measured a state that was set for it, which is not how the host is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub experiment: bool,
}

/// What a volume may do: an instance type, a volume's class or a contract states it, no file on the host does.
#[record(Copy)]
pub struct DiskExpectation {
    /// I/Os per second.
    pub io_per_s: Option<f64>,
    /// Bytes per second.
    pub bytes_per_s: Option<f64>,
    /// The array that it lies on, whose I/Os per second follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub array: Option<DiskArray>,
}

/// Counters at both ends of a span.
#[record]
pub struct Window {
    /// What went on.
    pub kind: WindowKind,
    /// The target of the probe, or empty.
    #[serde(rename = "subject")]
    pub target: PathName,
    /// The number of the probe that it was opened for, which its result or step carries as well; 0: of no probe.
    #[serde(skip_serializing_if = "ProbeId::is_none")]
    pub probe: ProbeId,
    /// At the start.
    pub from: Counters,
    /// At the end.
    pub to: Counters,
    /// Who answered for the neighbours that were asked about in between: hardware addresses in turn.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub neighbour_macs: BTreeMap<IpAddr, Vec<String>>,
    /// Of a recording: what each device takes for a request when nothing is wrong.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub usual: BTreeMap<String, UsualDisk>,
}

/// What a device takes for a request over most of a recording: medians over its windows.
#[record(Copy)]
pub struct UsualDisk {
    /// Mean time of a read, ms; `None`: too few windows have any.
    pub read_await_ms: Option<f64>,
    /// Mean time of a write, ms.
    pub write_await_ms: Option<f64>,
    /// Busy time for each request, ms: it does not grow with the queue, as the times above do.
    pub service_ms: Option<f64>,
    /// Mean size of a request, bytes.
    pub request_mean_bytes: Option<f64>,
    /// The recording has one time for reads and writes together (`await` of sar), not one for each.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub one_await: bool,
}

/// What went on during a window.
#[record(Default)]
pub enum WindowKind {
    /// No load from fullwire.
    #[default]
    Idle,
    /// A network probe.
    Net,
    /// A path-MTU probe.
    Mtu,
    /// A storage probe.
    Disk,
    /// A stretch of a recording: who loaded the host is not known.
    Recorded,
}

/// What the far end reports about itself, if it runs fullwire.
#[record]
pub struct Peer {
    /// The target as the user wrote it: the subject of its path.
    pub target: PathName,
    /// True when the peer is this host (loopback): its figures are the host's own ceiling, never a wire's.
    pub loopback: bool,
    /// Its records, as far as they affect the path.
    pub host: Option<Host>,
    /// Its counters around the probe.
    pub windows: Vec<Window>,
    /// `--expect` for this peer, bytes per second.
    pub expect_bytes_per_s: Option<f64>,
    /// How its addresses and source ports were reached before anything was measured.
    pub reach: Option<Reach>,
}

impl EarlierBest {
    /// It is of this measurement of a path.
    pub fn is_of(&self, path: &PathName, measurement: &MeasurementId) -> bool {
        self.path == *path && self.measurement == *measurement
    }
}

impl Run {
    /// What a run that a signal ended says of itself.
    pub const INTERRUPTED: &str = "interrupted: what was measured until then is shown";

    /// A signal ended it: it has less than what was asked for.
    pub fn is_interrupted(&self) -> bool {
        self.gaps.iter().any(|gap| gap.detail == Self::INTERRUPTED)
    }

    /// The CPU time of all spans together.
    pub fn cpu(&self) -> CpuTime {
        self.windows.iter().fold(CpuTime::default(), |sum, window| sum.plus(&window.cpu()))
    }

    /// The span without load, when one was taken.
    pub fn idle(&self) -> Option<&Window> {
        self.windows.iter().find(|window| window.kind == WindowKind::Idle)
    }

    /// The network results of a target.
    pub fn net_of(&self, target: &PathName) -> impl Iterator<Item = &NetResult> {
        self.net.iter().filter(move |result| result.target == *target)
    }

    /// The disk results of a target.
    pub fn disk_of(&self, target: &PathName) -> impl Iterator<Item = &DiskResult> {
        self.disk.iter().filter(move |result| result.target == *target)
    }

    /// The spans of one kind about one path.
    pub fn windows_of(&self, kind: WindowKind, target: &PathName) -> impl Iterator<Item = &Window> {
        self.windows.iter().filter(move |window| window.is_of(kind, target))
    }

    /// This host's spans around a probe.
    pub fn windows_of_probe(&self, probe: ProbeId) -> impl Iterator<Item = &Window> {
        self.windows.iter().filter(move |window| !probe.is_none() && window.probe == probe)
    }

    /// Why the kernel's log of this host is not known; `None`: it was read, and says what `Host::kernel_log` holds.
    /// A session keeps what it could not read with the run, a peer and a capture with the host.
    pub fn kernel_log_gap(&self) -> Option<&Gap> {
        let about_log = |gap: &&Gap| gap.subject.contains("kernel log") || gap.subject.contains("kmsg");
        self.gaps.iter().chain(&self.host.gaps).find(about_log)
    }

    /// Both ends of a target's path are this host.
    pub fn is_loopback(&self, target: &PathName) -> bool {
        self.peer(target).is_some_and(|peer| peer.loopback)
            || self.net_of(target).any(|result| result.path.loopback)
    }

    /// Only round trips or a path MTU were measured, or files made, or bonnie's table: there is no rate that could be judged.
    pub fn has_no_rate(&self, kind: PathKind, target: &PathName) -> bool {
        let trips = || self.net_of(target).all(|result| result.mode == NetMode::Rtt);
        let files =
            |one: &DiskResult| one.steps.is_empty() && (!one.small_files.is_empty() || one.bonnie.is_some());
        match kind {
            PathKind::Network => {
                let mtu = self.mtu.iter().find(|one| one.target == *target);
                let has_mtu =
                    self.command.name == "mtu" && mtu.is_some_and(|mtu| mtu.path_mtu_bytes.is_some());
                trips() && (has_mtu || self.net_of(target).next().is_some())
            }
            PathKind::Storage => self.disk_of(target).next().is_some() && self.disk_of(target).all(files),
        }
    }

    /// The peer of a target.
    pub fn peer(&self, target: &PathName) -> Option<&Peer> {
        self.peers.iter().find(|peer| peer.target == *target)
    }
}

impl Window {
    /// A span of this kind about this target.
    pub fn is_of(&self, kind: WindowKind, target: &PathName) -> bool {
        self.kind == kind && self.is_about(target)
    }

    /// A span of any kind about this target.
    pub fn is_about(&self, target: &PathName) -> bool {
        self.target == *target
    }

    /// Takes out what its two readings could not read, each said once.
    pub fn take_gaps(&mut self) -> Vec<Gap> {
        let mut gaps = std::mem::take(&mut self.from.gaps);
        for gap in self.to.gaps.drain(..) {
            if !gaps.contains(&gap) {
                gaps.push(gap);
            }
        }
        gaps
    }

    /// The CPU time that passed.
    pub fn cpu(&self) -> CpuTime {
        self.to.cpu.since(&self.from.cpu)
    }

    /// Its length in seconds; 0 when the clock did not move.
    pub fn seconds(&self) -> f64 {
        self.to.monotonic_ns.saturating_sub(self.from.monotonic_ns) as f64 / 1e9
    }
}

/// Results of one kind that a run may have: each is held against the others of its path.
const RESULTS_LIMIT: usize = 1024;

/// Counters that a file may list: more are no host's, and what is judged of each looks at others.
const TOTALS_LIMIT: usize = 65_536;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GapReason;

    #[test]
    fn what_became_unreadable_during_a_window_is_kept() {
        let gap = |file: &str| Gap::new(file, GapReason::Denied, "permission denied");
        let reading = |files: &[&str]| Counters {
            gaps: files.iter().map(|file| gap(file)).collect(),
            ..Counters::default()
        };
        let (from, to) = (reading(&["/proc/a"]), reading(&["/proc/a", "/proc/b"]));
        let mut window = Window { from, to, ..Window::default() };
        assert_eq!(window.take_gaps(), [gap("/proc/a"), gap("/proc/b")]);
        assert!(window.from.gaps.is_empty() && window.to.gaps.is_empty());
    }
}
