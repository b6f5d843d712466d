//! One round: who takes part, what is measured, what is kept of it.

use super::nodes::{Agent, AgentNodes};
use super::presence::Presence;
use crate::cli::CoordinatorArgs;
use crate::estate::seal::Sealer;
use crate::mesh::{MeshPlan, Phases};
use crate::output::Show;
use crate::output::progress::Progress;
use crate::session;
use anyhow::{Context, Result, bail};
use fullwire_mesh::estate::{Here, first_ticket};
use fullwire_mesh::hosts::{HostSpec, networks};
use fullwire_mesh::limits::HostLimits;
use fullwire_mesh::pairs;
use fullwire_mesh::topology::Topology;
use fullwire_model::mesh::{CellState, HostState, Mesh, MeshCell};
use fullwire_model::{Gap, GapReason};
use fullwire_store::postgres::{HostRow, Point, Shared, Term};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;
use std::time::Duration;

/// A host that is absent for this long leaves the plan.
const FORGOTTEN_HOURS: i64 = 24;

/// Words that wait for a round to hear them: a few for each of a thousand hosts.
const WAITING: usize = 4096;

/// What a round needs.
pub(super) struct Rounds<'a> {
    pub(super) args: &'a CoordinatorArgs,
    pub(super) term: Term,
    pub(super) sealer: Arc<Sealer>,
    pub(super) presence: Arc<Presence>,
    pub(super) halt: Arc<AtomicBool>,
    pub(super) show: &'a Show,
}

impl Rounds<'_> {
    /// Measures once over all that are there. `None`: fewer than two are. Another coordinator is an error.
    pub(super) fn one(&self, store: &mut Shared) -> Result<Option<Mesh>> {
        let present = self.presence.present();
        if present.len() < 2 {
            return Ok(None);
        }
        let (plan, mesh) = self.plan(&present, &store.hosts()?)?;
        if !store.begin_round(self.term, &plan.mesh_id, "mesh")? {
            bail!("another coordinator has taken over");
        }
        let (say, hear) = mpsc::sync_channel(WAITING);
        self.presence.listen(Some(say));
        let agents = plan.names.iter().map(|name| Agent::new(name, present.get(name))).collect();
        let mut nodes =
            AgentNodes::new(&plan.mesh_id, self.term.0, agents, &self.sealer, &self.presence, hear);
        nodes.storage.clone_from(&self.args.disk);
        let progress = Progress::new(self.show, plan.expected());
        let phases = Phases::new(&plan, &mut nodes, mesh, &progress, &self.halt, first_ticket(self.term.0));
        let (mesh, _) = phases.run();
        drop(progress);
        nodes.end();
        self.presence.listen(None);
        self.keep(store, &mesh)?;
        Ok(Some(mesh))
    }

    fn keep(&self, store: &mut Shared, mesh: &Mesh) -> Result<()> {
        let points: Vec<Point> = mesh.cells.iter().filter_map(|cell| unmeasured(mesh, cell)).collect();
        store.keep_points(&points)?;
        let body = serde_json::to_vec(mesh).context("write the round")?;
        if !store.end_round(self.term, &mesh.mesh_id, mesh.interrupted, &body)? {
            bail!("another coordinator has taken over");
        }
        Ok(())
    }

    /// Those that are there, and those that were there within a day: they are missing.
    fn plan(&self, present: &BTreeMap<String, Here>, known: &[HostRow]) -> Result<(MeshPlan, Mesh)> {
        let limit = Timestamp::now() - Duration::from_secs(FORGOTTEN_HOURS.unsigned_abs() * 3600);
        let absent: BTreeMap<&str, Timestamp> = known
            .iter()
            .filter(|row| !present.contains_key(&row.name))
            .filter_map(|row| Some((row.name.as_str(), row.last_seen.filter(|seen| *seen > limit)?)))
            .collect();
        let spec = |name: &str, addresses: Vec<(String, String)>| HostSpec {
            name: name.to_owned(),
            target: "agent".to_owned(),
            addresses,
        };
        let there =
            present.iter().map(|(name, here)| spec(name, here.addresses.clone().into_iter().collect()));
        let addresses = |name: &str| {
            let row = known.iter().find(|row| row.name == name);
            let text = row.map_or("{}", |row| row.addresses.as_str());
            serde_json::from_str::<BTreeMap<String, String>>(text).unwrap_or_default().into_iter().collect()
        };
        let hosts: Vec<HostSpec> =
            there.chain(absent.keys().map(|name| spec(name, addresses(name)))).collect();
        let names: Vec<String> = hosts.iter().map(|host| host.name.clone()).collect();
        let topology = self.topology(&names);
        let seed = Timestamp::now().as_microsecond().unsigned_abs();
        let (pairs, sampled) = pairs::choose(hosts.len(), &topology, seed);
        let plan = MeshPlan {
            mesh_id: session::new_id(),
            networks: networks(&hosts),
            names,
            topology,
            mode: self.args.order.mode.into(),
            pairs,
            sample_seed: sampled.then_some(seed),
            parallel: self.args.order.parallel,
            stream: crate::mesh::stream_order(
                self.args.order.duration, self.args.order.streams, self.args.max_rate,
            )?,
            expect_bytes_per_s: self.args.order.expect,
            limits: HostLimits::default(),
            disks: crate::mesh::disk_orders(&self.args.disk, self.args.disk_size)?,
            together: false,
            hosts,
        };
        let mesh = new_mesh(&plan, present, &absent);
        Ok((plan, mesh))
    }

    /// A file that does not fit is a warning: the round runs as if no uplink were known.
    fn topology(&self, names: &[String]) -> Topology {
        let Some(path) = &self.args.order.topology else { return Topology::flat(names.len()) };
        let read = |path: &Path| -> Result<Topology> {
            let text = std::fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
            Ok(Topology::parse(&known_hosts(&text, names), names)?)
        };
        read(path).unwrap_or_else(|error| {
            Show::warn(&format!("measured as if no uplink were known: {error:#}"));
            Topology::flat(names.len())
        })
    }
}

/// The file may name hosts that are not enrolled yet, or no longer.
fn known_hosts(text: &str, names: &[String]) -> String {
    let groups: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split('#').next().unwrap_or("").split_once(':'))
        .filter_map(|(head, _)| head.split_whitespace().next())
        .collect();
    let known = |word: &&str| names.iter().any(|name| name == word) || groups.contains(word);
    let line = |line: &str| {
        let Some((head, members)) = line.split('#').next().unwrap_or("").split_once(':') else {
            return line.to_owned();
        };
        let separator = |c: char| c == ',' || c.is_whitespace();
        let members: Vec<&str> = members.split(separator).filter(known).collect();
        if members.is_empty() { String::new() } else { format!("{head}: {}", members.join(" ")) }
    };
    text.lines().map(|text| line(text) + "\n").collect()
}

fn new_mesh(plan: &MeshPlan, present: &BTreeMap<String, Here>, absent: &BTreeMap<&str, Timestamp>) -> Mesh {
    let mut mesh = plan.begun();
    for host in &mut mesh.hosts {
        if let Some(here) = present.get(&host.name) {
            host.version.clone_from(&here.version);
        }
        if let Some(seen) = absent.get(host.name.as_str()) {
            host.detail = format!("absent since {}", seen.strftime("%Y-%m-%d %H:%M:%S UTC"));
            host.state = HostState::Absent;
            mesh.gaps.push(Gap::new(host.name.clone(), GapReason::Absent, host.detail.clone()));
        }
    }
    mesh
}

/// A cell whose stream brought no run.
fn unmeasured(mesh: &Mesh, cell: &MeshCell) -> Option<Point> {
    let state = match cell.state {
        CellState::Blocked => "blocked",
        CellState::Failed | CellState::Partial => "failed",
        CellState::Absent => "absent",
        CellState::Refused => "refused",
        CellState::Measured | CellState::Skipped => return None,
    };
    Some(Point {
        src: cell.from.clone(),
        dst: cell.to.clone(),
        network: cell.network.clone(),
        kind: "stream",
        at: mesh.finished,
        state,
        round_id: mesh.mesh_id.clone(),
        ..Point::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topology_may_name_hosts_that_are_not_there() {
        let names = ["db1".to_owned(), "db2".to_owned()];
        let text = "rack1 tests=2: db1 db9 # one is planned\nrack2: db8\nsite: rack1, rack2 db2\n";
        let known = known_hosts(text, &names);
        assert_eq!(known, "rack1 tests=2: db1\n\nsite: rack1 rack2 db2\n");
    }
}
