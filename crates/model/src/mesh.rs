//! All pairs of a cluster: what was requested, what each cell of the matrix says, and where nothing could be said.

use crate::assessment::Verdict;
use crate::{Gap, MeasurementId};
use fullwire_record::record;
use jiff::Timestamp;

/// What question the tests of a mesh answer.
#[record(Default)]
pub enum MeshMode {
    /// Is each path good? No two tests share a host or a link that is known.
    #[default]
    Pairs,
    /// Does the fabric carry half of the hosts sending to the other half? Every host sends or receives in each round.
    Round,
    /// What does each path reach when every host sends to every other?
    All,
}

/// A mesh as it was measured, without the judgement (`fullwire.mesh/1`).
#[record]
pub struct Mesh {
    /// Unique, sortable by time; the label of its kept runs.
    pub mesh_id: String,
    /// The version of fullwire that conducted it.
    pub tool_version: String,
    /// The question.
    pub mode: MeshMode,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub finished: Timestamp,
    /// True when a signal ended it: what was measured until then is here.
    pub interrupted: bool,
    /// Each host, in the order given.
    pub hosts: Vec<MeshHost>,
    /// Networks that were measured, apart from each other.
    pub networks: Vec<String>,
    /// Groups of hosts behind one uplink, from the topology file.
    pub groups: Vec<MeshGroup>,
    /// Seed of the sample, where not every pair was measured.
    pub sample_seed: Option<u64>,
    /// Rounds of bandwidth tests that the schedule has.
    pub rounds: u64,
    /// How long each stream ran, ns.
    pub test_ns: u64,
    /// What every path should carry, bytes per second, where it was given.
    pub expect_bytes_per_s: Option<f64>,
    /// One for each ordered pair and network.
    pub cells: Vec<MeshCell>,
    /// The same disk plan on each host.
    pub storage: Vec<MeshStorage>,
    /// What could not be measured, and why.
    pub gaps: Vec<Gap>,
}

/// A host of a mesh.
#[record]
pub struct MeshHost {
    /// What it is called in the mesh.
    pub name: String,
    /// How ssh reaches it.
    pub target: String,
    /// Version of fullwire that ran there.
    pub version: String,
    /// It was there to the end.
    pub state: HostState,
    /// Why not, and since when.
    pub detail: String,
    /// Bonds of two or more members: `bond0 (2 members)`.
    pub bonds: Vec<String>,
    /// Members of its bonds that have no link, in words.
    pub bond_members_down: Vec<String>,
}

/// Whether a host took part.
#[record(Default)]
pub enum HostState {
    /// It was there to the end.
    #[default]
    Present,
    /// It could not be reached.
    Absent,
    /// It cannot run the program, or another version answers.
    Foreign,
    /// It took part and went away.
    Lost,
}

/// Hosts, or groups of hosts, behind one uplink.
#[record(Eq)]
pub struct MeshGroup {
    /// As the topology file names it.
    pub name: String,
    /// Its hosts, those of its groups included.
    pub hosts: Vec<String>,
    /// Tests that its uplink may carry at the same time.
    pub uplink_tests: u32,
}

/// What became of a cell.
#[record(Default)]
pub enum CellState {
    /// Both the light test and the stream came to an end.
    Measured,
    /// The round trip and the MTU are there, the stream is not.
    Partial,
    /// The data port of the receiver cannot be reached from the sender.
    Blocked,
    /// The test failed twice.
    Failed,
    /// One of the hosts was absent.
    Absent,
    /// A limit of one of the hosts forbade it.
    Refused,
    /// It was not part of the sample, or an interrupt came first.
    #[default]
    Skipped,
}

/// One direction between two hosts on one network.
#[record]
pub struct MeshCell {
    /// The sender.
    pub from: String,
    /// The receiver.
    pub to: String,
    /// Which network.
    pub network: String,
    /// What became of it.
    pub state: CellState,
    /// Why it was not measured.
    pub detail: String,
    /// What counts: the fastest of its streams, usually the one that ran alone.
    pub throughput_bytes_per_s: Option<f64>,
    /// A host allows no more than this, which is less than what was planned, bytes per second: the throughput says
    /// nothing of the path.
    pub held_to_bytes_per_s: Option<f64>,
    /// Every stream in the order of time.
    pub streams: Vec<MeshStream>,
    /// Round trip without load, median, ns.
    pub p50_ns: Option<u64>,
    /// The same, 99th percentile, ns.
    pub p99_ns: Option<u64>,
    /// Largest packet that passes in this direction, bytes.
    pub mtu_bytes: Option<u64>,
    /// The smaller MTU of both interfaces, bytes.
    pub interface_mtu_bytes: Option<u64>,
    /// Large packets are dropped without an ICMP message.
    pub black_hole: bool,
    /// Share of the segments of the stream that counts that were retransmitted.
    pub retransmitted_share: Option<f64>,
    /// The lowest ceiling that the stream is compared with, bytes per second.
    pub ceiling_bytes_per_s: Option<f64>,
    /// What sets that ceiling.
    pub ceiling_kind: String,
    /// How near the stream comes to it.
    pub verdict: Verdict,
    /// Code of the primary cause, as the rules see the run.
    pub cause: String,
    /// The kept run of the stream that counts; empty: none.
    pub run_id: String,
    /// The kept run of the round trip and the MTU; empty: none.
    pub light_run_id: String,
}

/// One stream of a cell, with the times at both ends.
#[record]
pub struct MeshStream {
    /// As the receiver counted, bytes per second.
    pub throughput_bytes_per_s: f64,
    /// Round of the schedule.
    pub round: u64,
    /// It was repeated while no other test ran.
    pub alone: bool,
    /// Sender: when its test began.
    pub started: Timestamp,
    /// Sender: when its test ended.
    pub finished: Timestamp,
    /// Receiver: when its responder let the test in.
    pub served_from: Option<Timestamp>,
    /// Receiver: when its responder was done with it.
    pub served_to: Option<Timestamp>,
    /// The kept run.
    pub run_id: String,
}

/// The disk plan on one host.
#[record]
pub struct MeshStorage {
    /// The host.
    pub host: String,
    /// The directory or device.
    pub target: String,
    /// What became of it.
    pub state: CellState,
    /// Why it was not measured.
    pub detail: String,
    /// What is below it: `wwn:…`, `nfs:SERVER:/EXPORT`, `local:BOOT:MAJ:MIN`.
    pub identities: Vec<String>,
    /// Other hosts loaded the same storage at the same time, on purpose.
    pub together: bool,
    /// Each step of the plan.
    pub steps: Vec<MeshStorageStep>,
    /// When it began there.
    pub started: Option<Timestamp>,
    /// When it ended there.
    pub finished: Option<Timestamp>,
    /// The kept run.
    pub run_id: String,
}

/// One step of a disk plan on one host.
#[record]
pub struct MeshStorageStep {
    /// What is done, the same on each host.
    #[serde(rename = "label")]
    pub measurement: MeasurementId,
    /// Bytes per second.
    pub throughput_bytes_per_s: f64,
    /// I/Os per second.
    pub io_per_s: f64,
    /// Median latency, ns.
    pub p50_ns: Option<u64>,
}

impl Mesh {
    /// The cell of an ordered pair on a network.
    pub fn cell(&self, network: &str, from: &str, to: &str) -> Option<&MeshCell> {
        self.cells.iter().find(|cell| cell.network == network && cell.from == from && cell.to == to)
    }

    /// Position of a host in the matrix.
    pub fn position(&self, host: &str) -> Option<usize> {
        self.hosts.iter().position(|known| known.name == host)
    }
}

impl MeshCell {
    /// A stream was repeated alone.
    pub fn repeated(&self) -> bool {
        self.streams.iter().any(|stream| stream.alone)
    }
}
