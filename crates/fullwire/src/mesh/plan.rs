//! The command line as a plan: hosts, topology, pairs, what runs between them.

use crate::cli::MeshArgs;
use crate::output::read_limited;
use crate::{session, usage};
use anyhow::{Context, Result};
use fullwire_mesh::hosts::{self, HostSpec};
use fullwire_mesh::limits::HostLimits;
use fullwire_mesh::order::{DiskOrder, StreamOrder};
use fullwire_mesh::pairs::{self, Pair};
use fullwire_mesh::topology::Topology;
use fullwire_model::disk::DiskPlan;
use fullwire_model::mesh::{Mesh, MeshHost, MeshMode};
use fullwire_probe::disk::plan_quick;
use jiff::Timestamp;
use std::path::Path;
use std::time::Duration;

/// A host file of more than this is none, bytes.
const FILE_BYTES: u64 = 1 << 20;

/// A mesh to be measured.
pub(crate) struct MeshPlan {
    pub(crate) mesh_id: String,
    pub(crate) hosts: Vec<HostSpec>,
    pub(crate) names: Vec<String>,
    pub(crate) networks: Vec<String>,
    pub(crate) topology: Topology,
    pub(crate) mode: MeshMode,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) sample_seed: Option<u64>,
    pub(crate) parallel: Option<u32>,
    pub(crate) stream: StreamOrder,
    pub(crate) expect_bytes_per_s: Option<f64>,
    pub(crate) limits: HostLimits,
    pub(crate) disks: Vec<DiskOrder>,
    pub(crate) together: bool,
}

impl MeshPlan {
    /// The mesh with its hosts, of which nothing is known yet.
    pub(crate) fn begun(&self) -> Mesh {
        let host = |spec: &HostSpec| MeshHost {
            name: spec.name.clone(),
            target: spec.target.clone(),
            ..MeshHost::default()
        };
        Mesh {
            mesh_id: self.mesh_id.clone(),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            mode: self.mode,
            started: Timestamp::now(),
            networks: self.networks.clone(),
            groups: self.topology.listed(&self.names),
            sample_seed: self.sample_seed,
            test_ns: self.stream.duration_ns(),
            expect_bytes_per_s: self.expect_bytes_per_s,
            hosts: self.hosts.iter().map(host).collect(),
            ..Mesh::default()
        }
    }

    /// Reads and checks everything that can be checked here.
    pub(crate) fn new(args: &MeshArgs) -> Result<Self> {
        let hosts = read_hosts(&args.hosts)?;
        let names: Vec<String> = hosts.iter().map(|host| host.name.clone()).collect();
        let topology = read_topology(args, &names)?;
        let seed = args.seed.unwrap_or_else(|| u64::from(std::process::id()) ^ time_seed());
        let (pairs, sampled) =
            if args.no_network { (Vec::new(), false) } else { pairs::choose(hosts.len(), &topology, seed) };
        Ok(Self {
            mesh_id: session::new_id(),
            networks: hosts::networks(&hosts),
            names,
            hosts,
            topology,
            mode: args.order.mode.into(),
            pairs,
            sample_seed: sampled.then_some(seed),
            parallel: args.order.parallel,
            stream: stream(args.order.duration, args.order.streams, args.max_rate)?,
            expect_bytes_per_s: args.order.expect,
            limits: HostLimits {
                rate_bytes_per_s: args.max_rate.unwrap_or(0.0),
                budget_bytes: args.budget.unwrap_or(0),
                between: args.between,
            },
            disks: disks(&args.disk, args.disk_size)?,
            together: args.together,
        })
    }

    /// Whether a host has an address on a network.
    pub(crate) fn is_on(&self, host: usize, network: &str) -> bool {
        let addresses = &self.hosts[host].addresses;
        (addresses.is_empty() && network == hosts::ONLY_NETWORK)
            || addresses.iter().any(|(name, _)| name == network)
    }

    /// Both ways of each pair on a network.
    pub(crate) fn ordered<'a>(&'a self, network: &'a str) -> impl Iterator<Item = (usize, usize)> + 'a {
        let both =
            self.pairs.iter().filter(|pair| self.is_on(pair.0, network) && self.is_on(pair.1, network));
        both.flat_map(|&(one, other)| [(one, other), (other, one)])
    }

    /// About how long all of it takes, before anything is known of the hosts.
    pub(crate) fn expected(&self) -> Duration {
        let test = Duration::from_nanos(self.stream.duration_ns()) + Duration::from_secs(2);
        let hosts = u32::try_from(self.hosts.len()).unwrap_or(u32::MAX);
        let networks = u32::try_from(self.networks.len()).unwrap_or(u32::MAX);
        test.saturating_mul(hosts.saturating_mul(2)).saturating_mul(networks) + Duration::from_secs(10)
    }
}

/// A stream of a mesh, as typed.
pub(crate) fn stream(duration: Duration, streams: u32, max_rate: Option<f64>) -> Result<StreamOrder> {
    let duration_ns = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    StreamOrder::new(streams, duration_ns, max_rate.unwrap_or(0.0))
        .or_else(|why| usage::wrong(format!("--duration: {why}")))
}

/// The storage of a mesh, as typed.
pub(crate) fn disks(targets: &[String], size_bytes: u64) -> Result<Vec<DiskOrder>> {
    let order = |target: &String| {
        DiskOrder::new(target, size_bytes).or_else(|why| usage::wrong(format!("--disk-size: {why}")))
    };
    targets.iter().map(order).collect()
}

/// What a node does when it is told this.
pub(super) fn disk(order: &DiskOrder) -> DiskPlan {
    let mut plan = plan_quick(order.target());
    plan.size_bytes = order.size_bytes();
    plan
}

/// The hosts as typed, `@FILE` replaced by what it holds.
fn read_hosts(given: &[String]) -> Result<Vec<HostSpec>> {
    let mut specs = Vec::new();
    for text in given {
        let read = match text.strip_prefix('@') {
            Some(path) => hosts::parse_file(&read_file(path)?),
            None => hosts::parse(text).map(|host| vec![host]),
        };
        specs.extend(read.or_else(|error| usage::wrong(error.to_string()))?);
    }
    hosts::check(&specs).or_else(|error| usage::wrong(error.to_string()))?;
    Ok(specs)
}

fn read_topology(args: &MeshArgs, names: &[String]) -> Result<Topology> {
    let Some(path) = &args.order.topology else { return Ok(Topology::flat(names.len())) };
    let text = read_file(&usage::utf8(path)?)?;
    Topology::parse(&text, names).or_else(|error| usage::wrong(format!("{}: {error}", path.display())))
}

fn read_file(path: &str) -> Result<String> {
    let bytes = read_limited(Path::new(path), FILE_BYTES)?;
    String::from_utf8(bytes).with_context(|| format!("read {path}"))
}

/// From the clock: another sample each time.
fn time_seed() -> u64 {
    jiff::Timestamp::now().as_microsecond().unsigned_abs()
}
