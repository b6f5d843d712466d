//! Runs become cells, and are kept as the runs that they are.

use super::bus::{Finished, Job, What};
use super::packed::Runs;
use fullwire_mesh::conduct::{HostId, TestOutcome};
use fullwire_model::disk::DiskStepResult;
use fullwire_model::host::{Bond, BondSlave, Host};
use fullwire_model::mesh::{CellState, HostState, Mesh, MeshCell, MeshStorage, MeshStorageStep, MeshStream};
use fullwire_model::net::NetResult;
use fullwire_model::{Gap, GapReason, MeasurementId, Run};
use jiff::Timestamp;
use std::collections::HashMap;

/// So many paths of a kind are named in one sentence.
const HELD_NAMED: usize = 4;

/// The mesh in the making.
pub(super) struct Collector {
    pub(super) mesh: Mesh,
    /// Where the cell of an ordered pair is, by network.
    places: HashMap<(String, HostId, HostId), usize>,
    runs: Runs,
    /// Runs are kept elsewhere.
    kept: bool,
}

impl Collector {
    pub(super) fn new(mesh: Mesh, kept: bool) -> Self {
        let hosts = mesh.hosts.iter().map(|_| Host::default()).collect();
        Self { mesh, places: HashMap::new(), runs: Runs::of(hosts), kept }
    }

    pub(super) fn is_present(&self, host: HostId) -> bool {
        self.mesh.hosts[host].state == HostState::Present
    }

    /// A host said who it is.
    pub(super) fn welcome(&mut self, host: HostId, version: &str, records: Host) {
        version.clone_into(&mut self.mesh.hosts[host].version);
        let several = records.bonds.iter().filter(|bond| bond.slaves.len() > 1);
        self.mesh.hosts[host].bonds =
            several.map(|bond| format!("{} ({} members)", bond.name, bond.slaves.len())).collect();
        self.mesh.hosts[host].bond_members_down = records
            .bonds
            .iter()
            .flat_map(|bond| bond.slaves.iter().filter_map(|slave| down(bond, slave)))
            .collect();
        *self.runs.host(host) = records;
    }

    /// A host takes no part, or no longer.
    pub(super) fn absent(&mut self, host: HostId, state: HostState, why: &str) {
        let known = &mut self.mesh.hosts[host];
        if known.state == HostState::Present {
            known.state = state;
            why.clone_into(&mut known.detail);
            let reason = if state == HostState::Foreign { GapReason::Unsupported } else { GapReason::Absent };
            let gap = Gap::new(known.name.clone(), reason, why);
            self.mesh.gaps.push(gap);
        }
    }

    /// Its stream is worth a try.
    pub(super) fn is_open(&mut self, network: &str, from: HostId, to: HostId) -> bool {
        matches!(
            self.cell(network, from, to).state,
            CellState::Partial | CellState::Measured | CellState::Failed
        )
    }

    /// Storage that is about to be measured.
    pub(super) fn storage(&mut self, host: HostId, target: &str, identities: &[String], together: bool) {
        self.mesh.storage.push(MeshStorage {
            host: self.mesh.hosts[host].name.clone(),
            target: target.to_owned(),
            identities: identities.to_vec(),
            together,
            ..MeshStorage::default()
        });
    }

    /// Takes a test that is over.
    pub(super) fn take(&mut self, mut finished: Finished) {
        let packed = finished.run.take();
        let from = finished.job.from;
        let opened = packed.as_ref().map(|packed| self.runs.open(from, packed)).transpose();
        let run = opened.unwrap_or_else(|error| {
            finished.outcome = TestOutcome::Failed(crate::sentence(&error));
            None
        });
        match &finished.job.what {
            What::Light => self.take_light(&finished, run.as_ref()),
            What::Stream { .. } => self.take_stream(&finished, run.as_ref()),
            What::Disk(_) => self.take_disk(&finished, run.as_ref()),
        }
        if let Some(packed) = packed.filter(|_| run.is_some() && !self.kept) {
            self.runs.add(from, packed);
        }
    }

    /// The mesh with its cells in the order of the matrix, and the runs to be kept.
    pub(super) fn finish(mut self, interrupted: bool) -> (Mesh, Runs) {
        self.mesh.finished = Timestamp::now();
        self.mesh.interrupted = interrupted;
        let mut cells = std::mem::take(&mut self.mesh.cells);
        cells.sort_by_cached_key(|cell| {
            let network = self.mesh.networks.iter().position(|network| *network == cell.network);
            (network, self.mesh.position(&cell.from), self.mesh.position(&cell.to))
        });
        self.mesh.cells = cells;
        let gaps: Vec<Gap> = self.mesh.cells.iter().filter_map(|cell| gap(&self.mesh, cell)).collect();
        self.mesh.gaps.extend(gaps);
        self.mesh.gaps.extend(held(&self.mesh));
        (self.mesh, self.runs)
    }

    fn take_light(&mut self, finished: &Finished, run: Option<&Run>) {
        let blocked = finished.blocked;
        let cell = self.cell_of(&finished.job);
        cell.state = match &finished.outcome {
            TestOutcome::Measured => CellState::Partial,
            outcome => state(outcome, blocked),
        };
        why(&finished.outcome).clone_into(&mut cell.detail);
        let Some(run) = run else { return };
        cell.light_run_id.clone_from(&run.run_id);
        if let Some(latency) = run.net.first().and_then(|result| result.latency_ns.as_ref()) {
            cell.p50_ns = Some(latency.p50);
            cell.p99_ns = Some(latency.p99);
        }
        if let Some(result) = run.mtu.first() {
            cell.mtu_bytes = result.path_mtu_bytes;
            cell.black_hole = result.black_hole;
            let both = [result.interface_mtu_bytes, result.peer_interface_mtu_bytes];
            cell.interface_mtu_bytes = both.into_iter().flatten().min();
        }
    }

    fn take_stream(&mut self, finished: &Finished, run: Option<&Run>) {
        let job = &finished.job;
        let served = finished.served;
        let cell = self.cell_of(job);
        let Some((run, result)) = run.and_then(|run| Some((run, run.net.first()?))) else {
            // A repeat that failed does not undo what was measured.
            if cell.throughput_bytes_per_s.is_none() {
                let light = cell.state == CellState::Partial;
                cell.state = match &finished.outcome {
                    TestOutcome::Failed(_) if light => CellState::Partial,
                    outcome => state(outcome, finished.blocked),
                };
                why(&finished.outcome).clone_into(&mut cell.detail);
            }
            return;
        };
        cell.state = CellState::Measured;
        cell.detail.clear();
        cell.streams.push(MeshStream {
            throughput_bytes_per_s: result.throughput_bytes_per_s,
            round: job.round as u64,
            alone: job.alone,
            started: run.started,
            finished: run.finished,
            served_from: served.map(|served| served.from),
            served_to: served.and_then(|served| served.to),
            run_id: run.run_id.clone(),
        });
        // Alone a path carries no less than beside others: a repeat that was slower was disturbed.
        if cell.throughput_bytes_per_s.is_some_and(|before| before > result.throughput_bytes_per_s) {
            return;
        }
        cell.throughput_bytes_per_s = Some(result.throughput_bytes_per_s);
        cell.run_id.clone_from(&run.run_id);
        cell.retransmitted_share = retransmitted(result);
        cell.held_to_bytes_per_s = held_to(job, result);
        judge_cell(cell, run);
    }

    fn take_disk(&mut self, finished: &Finished, run: Option<&Run>) {
        let name = self.mesh.hosts[finished.job.from].name.clone();
        let What::Disk(order) = &finished.job.what else { return };
        let own = self.mesh.storage.iter_mut().find(|one| one.host == name && one.target == order.target());
        let Some(storage) = own else { return };
        storage.state = match &finished.outcome {
            TestOutcome::Measured => CellState::Measured,
            outcome => state(outcome, false),
        };
        why(&finished.outcome).clone_into(&mut storage.detail);
        if finished.outcome != TestOutcome::Measured {
            let subject = format!("{} on {name}", order.target());
            let gap = Gap::new(subject, GapReason::Absent, storage.detail.clone());
            self.mesh.gaps.push(gap);
        }
        let Some((run, result)) = run.and_then(|run| Some((run, run.disk.first()?))) else {
            return;
        };
        storage.started = Some(run.started);
        storage.finished = Some(run.finished);
        storage.run_id.clone_from(&run.run_id);
        storage.steps = result.steps.iter().map(step).collect();
    }

    fn cell_of(&mut self, job: &Job) -> &mut MeshCell {
        self.cell(&job.network, job.from, job.to)
    }

    fn cell(&mut self, network: &str, from: HostId, to: HostId) -> &mut MeshCell {
        let next = self.mesh.cells.len();
        let index = *self.places.entry((network.to_owned(), from, to)).or_insert(next);
        if index == next {
            let (from, to) = (self.mesh.hosts[from].name.clone(), self.mesh.hosts[to].name.clone());
            self.mesh.cells.push(MeshCell { from, to, network: network.to_owned(), ..MeshCell::default() });
        }
        &mut self.mesh.cells[index]
    }
}

/// A member of a bond without a link, in words. An unknown status says nothing.
fn down(bond: &Bond, slave: &BondSlave) -> Option<String> {
    let up = |slave: &&BondSlave| slave.mii_status == "up";
    if slave.mii_status.is_empty() || up(&slave) {
        return None;
    }
    let (name, member, status) = (&bond.name, &slave.name, &slave.mii_status);
    let left = bond.slaves.iter().filter(up).count();
    Some(format!("{member} of {name} is {status}, {left} of {} members are left", bond.slaves.len()))
}

/// What the rules say of the stream of a cell.
fn judge_cell(cell: &mut MeshCell, run: &Run) {
    let assessment = fullwire_rules::assess(run);
    let Some(path) = assessment.paths.first() else { return };
    cell.verdict = path.verdict;
    cell.ceiling_bytes_per_s = path.ceiling;
    let set = assessment
        .ceilings
        .iter()
        .find(|ceiling| path.is_called(&ceiling.path) && Some(ceiling.value) == path.ceiling);
    cell.ceiling_kind = set.map(|ceiling| ceiling.kind.clone()).unwrap_or_default();
    cell.cause.clone_from(&path.bottleneck.code);
}

/// The rate that a host allowed, where that is less than what was planned.
fn held_to(job: &Job, result: &NetResult) -> Option<f64> {
    let What::Stream { order, .. } = &job.what else { return None };
    let (planned, allowed) = (order.rate_bytes_per_s(), result.plan.rate_bytes_per_s);
    (allowed > 0.0 && (planned <= 0.0 || allowed < planned)).then_some(allowed)
}

/// Paths that are not compared with the others, since a host holds them to a rate.
fn held(mesh: &Mesh) -> Option<Gap> {
    let held = mesh.cells.iter().filter(|cell| cell.held_to_bytes_per_s.is_some());
    let paths: Vec<String> = held.map(|cell| format!("{} -> {}", cell.from, cell.to)).collect();
    let first = paths.get(..paths.len().min(HELD_NAMED))?.join(", ");
    let more = paths.len().saturating_sub(HELD_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let detail = format!("a host's own limit holds these to a rate, so they are not compared: {first}{more}");
    (!paths.is_empty()).then(|| Gap::new("limits of hosts", GapReason::Denied, detail))
}

/// Of the segments that the sender's kernel sent.
fn retransmitted(result: &NetResult) -> Option<f64> {
    let tcp = result.tcp.as_ref()?;
    let segments = result.bytes as f64 / tcp.mss_bytes.max(1) as f64;
    (segments > 0.0).then(|| tcp.retransmits as f64 / segments)
}

fn step(step: &DiskStepResult) -> MeshStorageStep {
    MeshStorageStep {
        measurement: MeasurementId::numbered(&step.question(), 0),
        throughput_bytes_per_s: step.throughput_bytes_per_s,
        io_per_s: step.iops,
        p50_ns: Some(step.latency_ns.p50).filter(|&p50| p50 > 0),
    }
}

fn state(outcome: &TestOutcome, blocked: bool) -> CellState {
    match outcome {
        TestOutcome::Measured => CellState::Measured,
        TestOutcome::Refused(_) => CellState::Refused,
        TestOutcome::Failed(_) if blocked => CellState::Blocked,
        TestOutcome::Failed(_) => CellState::Failed,
        TestOutcome::Absent(_) => CellState::Absent,
        TestOutcome::Skipped => CellState::Skipped,
    }
}

fn why(outcome: &TestOutcome) -> &str {
    match outcome {
        TestOutcome::Measured => "",
        TestOutcome::Refused(why) | TestOutcome::Failed(why) => why,
        TestOutcome::Absent(_) => "a host is absent",
        TestOutcome::Skipped => "interrupted",
    }
}

/// What a cell lacks; what its hosts' absence explains is said of them.
fn gap(mesh: &Mesh, cell: &MeshCell) -> Option<Gap> {
    let reason = match cell.state {
        CellState::Measured | CellState::Absent | CellState::Skipped => return None,
        CellState::Refused => GapReason::Denied,
        CellState::Blocked => GapReason::Absent,
        CellState::Partial | CellState::Failed => GapReason::Timeout,
    };
    let network = if mesh.networks.len() > 1 { format!(" on {}", cell.network) } else { String::new() };
    Some(Gap::new(format!("{} -> {}{network}", cell.from, cell.to), reason, cell.detail.clone()))
}
