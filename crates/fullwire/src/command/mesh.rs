//! `fullwire mesh`: all pairs of a cluster over ssh, without collisions, judged as one matrix.

use crate::cli::{DiffArgs, FailOnAnswer, MeshArgs};
use crate::mesh::{MeshPlan, Phases, Runs, SshNodes, Start};
use crate::output::progress::Progress;
use crate::output::{Show, read_limited, write_to};
use crate::session::store::open_store;
use crate::{signals, usage};
use anyhow::{Context, Result};
use fullwire_mesh::judge;
use fullwire_model::assessment::{Finding, Severity};
use fullwire_model::mesh::{CellState, HostState, Mesh};
use fullwire_model::{Gap, GapReason};
use fullwire_present::{html, json, terminal};
use fullwire_probe::net::NetError;
use fullwire_probe::net::ssh::SshOptions;
use jiff::Timestamp;
use std::cmp::Reverse;
use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// ssh asks no one, and gives up a host that does not answer.
const SSH: [&str; 4] = ["-o", "BatchMode=yes", "-o", "ConnectTimeout=8"];
/// The document of 200 hosts has some 40,000 cells of 1 kB.
const DOCUMENT_BYTES: u64 = 256 << 20;
/// What such a document calls itself, within this many bytes of its beginning.
const MESH_SCHEMA: &str = "fullwire.mesh/1";
const MESH_HEAD_BYTES: u64 = 256;

pub(crate) fn run(args: &MeshArgs, show: &Show) -> Result<ExitCode> {
    let plan = MeshPlan::new(args)?;
    let before = args.against.as_deref().map(read_mesh).transpose()?;
    let stop = signals::on_signals()?;
    let progress = Progress::new(show, plan.expected());
    let (mesh, runs) = measure(args, &plan, &progress, &stop)?;
    drop(progress);
    let mut findings = judge::judge(&mesh);
    findings.extend(before.iter().flat_map(|before| judge::changes(before, &mesh)));
    findings.sort_by_key(|finding| Reverse(finding.severity));
    show.result(&json::mesh(&mesh, &findings), || terminal::mesh(&mesh, &findings).render(true))?;
    if let Some(path) = &args.keep.html {
        write_to(path, &html::mesh(&mesh, &findings))?;
    }
    keep(args, show, &mesh, &runs);
    Ok(exit_code(args, &mesh, &findings))
}

/// What a document says of itself.
#[derive(serde::Deserialize)]
struct Head {
    #[serde(default)]
    schema: String,
}

/// The document that an earlier mesh printed.
fn read_mesh(path: &Path) -> Result<Mesh> {
    let read = || format!("read the earlier mesh {}", path.display());
    let text = read_limited(path, DOCUMENT_BYTES)?;
    let Head { schema } = fullwire_model::json::read(&text).with_context(read)?;
    if schema != MESH_SCHEMA {
        return usage::wrong(format!(
            "{} is not a mesh document (fullwire mesh --json-file)",
            path.display()
        ));
    }
    fullwire_model::json::read(&text).with_context(read)
}

/// `fullwire diff` of two mesh documents: what became slower or faster, by host, group or path. `None`: they are none.
pub(crate) fn diff(args: &DiffArgs, show: &Show) -> Result<Option<ExitCode>> {
    let [before, now] = [&args.a, &args.b].map(Path::new);
    match (is_mesh(before), is_mesh(now)) {
        (false, false) => return Ok(None),
        (true, true) => {}
        (true, false) => {
            return usage::wrong(format!(
                "{} is a mesh run and {} is not; compare two of one kind",
                args.a, args.b
            ));
        }
        (false, true) => {
            return usage::wrong(format!(
                "{} is a mesh run and {} is not; compare two of one kind",
                args.b, args.a
            ));
        }
    }
    let (before, now) = (read_mesh(before)?, read_mesh(now)?);
    let changes = judge::changes(&before, &now);
    let still = judge::judge(&now);
    show.result(&json::mesh_changes(&now, &changes, &still), || {
        terminal::mesh_changes(&now, &changes, &still).render(true)
    })?;
    if let Some(path) = &args.html {
        write_to(path, &html::mesh_changes(&now, &changes, &still))?;
    }
    let worse = changes.iter().any(|change| change.severity >= Severity::Warning);
    let failed = args.how.fail_on == FailOnAnswer::Worse && worse;
    Ok(Some(ExitCode::from(u8::from(failed))))
}

/// Whether a file begins as our documents of a mesh do; what cannot be read is none.
fn is_mesh(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = crate::output::open(path).and_then(|file| file.take(MESH_HEAD_BYTES).read_to_end(&mut head));
    read.is_ok() && String::from_utf8_lossy(&head).contains(MESH_SCHEMA)
}

/// Brings the nodes, conducts the tests, and ends the nodes whatever the result.
fn measure(
    args: &MeshArgs,
    plan: &MeshPlan,
    progress: &Progress,
    stop: &Arc<AtomicBool>,
) -> Result<(Mesh, Runs)> {
    let started = Timestamp::now();
    let start = Start {
        binary: std::env::current_exe().context("find this program's own file")?,
        options: SshOptions {
            arguments: ssh_arguments(args),
            port: args.port,
            stop: Some(Arc::clone(stop)),
            ..SshOptions::default()
        },
        limits: plan.limits.clone(),
        storage: args.disk.clone(),
    };
    let told = |count| progress.doing(&format!("starting {count} of {} hosts", plan.hosts.len()));
    told(0);
    let (mut nodes, failures) = SshNodes::start(&plan.hosts, &start, &told);
    // The time that a user waits: ssh to the first host until the last one is left.
    let mesh = Mesh { started, ..new_mesh(plan, &failures) };
    let (mesh, runs) = Phases::new(plan, &mut nodes, mesh, progress, stop, 0).run();
    progress.doing("ending");
    nodes.end();
    Ok((Mesh { finished: Timestamp::now(), ..mesh }, runs))
}

fn ssh_arguments(args: &MeshArgs) -> Vec<String> {
    let jump = args.jump.iter().flat_map(|host| ["-J".to_owned(), host.clone()]);
    let options = args.ssh_option.iter().flat_map(|option| ["-o".to_owned(), option.clone()]);
    SSH.map(str::to_owned).into_iter().chain(jump).chain(options).collect()
}

/// The mesh before anything was measured: hosts that could not be had are gaps already.
fn new_mesh(plan: &MeshPlan, failures: &[Option<NetError>]) -> Mesh {
    let mut mesh = plan.begun();
    for (host, failure) in mesh.hosts.iter_mut().zip(failures) {
        let Some(error) = failure else { continue };
        host.detail = error.to_string();
        let foreign = host.detail.contains("cannot run it");
        host.state = if foreign { HostState::Foreign } else { HostState::Absent };
        mesh.gaps.push(Gap::new(host.name.clone(), GapReason::Absent, host.detail.clone()));
    }
    mesh
}

/// Keeps every run under the mesh's id as its label, unless told otherwise.
fn keep(args: &MeshArgs, show: &Show, mesh: &Mesh, runs: &Runs) {
    let count = runs.len();
    if args.keep.no_store || count == 0 {
        return;
    }
    let label = args.keep.tag.clone().unwrap_or_else(|| mesh.mesh_id.clone());
    let kept = open_store(args.keep.store.as_deref()).and_then(|mut store| {
        for run in runs.each() {
            let mut run = run?;
            run.tag = Some(label.clone());
            store.keep(&run)?;
        }
        Ok(())
    });
    match kept {
        Ok(()) => {
            show.note(&format!("kept {count} runs with the label {label}: fullwire history --tag {label}"));
        }
        Err(error) => {
            Show::warn(&format!("not kept: {} (--no-store avoids this warning)", crate::sentence(&error)));
        }
    }
}

fn exit_code(args: &MeshArgs, mesh: &Mesh, findings: &[Finding]) -> ExitCode {
    let some = |state: CellState| matches!(state, CellState::Measured | CellState::Partial);
    let any =
        mesh.cells.iter().any(|cell| some(cell.state)) || mesh.storage.iter().any(|one| some(one.state));
    let failed = findings.iter().any(|finding| args.fail_on.reached_by(finding.severity));
    match (mesh.interrupted, any, failed) {
        (true, _, _) => ExitCode::from(signals::INTERRUPTED),
        (false, false, _) => ExitCode::from(crate::FAILED),
        (false, true, failed) => ExitCode::from(u8::from(failed)),
    }
}
