//! The sides of a comparison: what a name on the command line stands for, and the runs that lend their scatter.

use crate::ask;
use crate::cli::CompareArgs;
use crate::command::file;
use crate::session::alike::{alike, shares_a_figure};
use crate::session::last::last;
use crate::session::store::Store;
use anyhow::{Context as _, Result, bail};
use fullwire_compare::{Deltas, figure};
use fullwire_model::Run;
use fullwire_observe::Root;
use std::path::Path;

/// Runs of one side.
const MOST_RUNS: usize = 100;

/// The runs that a name stands for, oldest first. `other`: the other side, where it is known already.
pub(crate) fn load(store: Option<&Store>, name: &str, other: &[Run]) -> Result<Vec<Run>> {
    let mut runs: Vec<Run> = Vec::new();
    for part in name.split(',').filter(|part| !part.is_empty()) {
        if is_capture(part) {
            runs.push(captured(Path::new(part))?);
            continue;
        }
        let store = store
            .context("there is no run store; create one with `fullwire assess`, or name one with --store")?;
        if part == "rolling" {
            runs.extend(alike(
                store,
                other.last().context("`rolling` needs a run on the other side")?,
                other,
            )?);
            continue;
        }
        let host = other.last().map(|run| run.host.hostname.as_str());
        if part == "last"
            && let Some(run) = last_measured(store, other)?
        {
            runs.push(run);
            continue;
        }
        for run_id in store.resolve_all(part, host)? {
            if !runs.iter().any(|run| run.run_id == run_id) {
                runs.push(store.load(&run_id)?);
            }
        }
    }
    match runs.len() {
        0 => bail!("{name}: no run"),
        count if count > MOST_RUNS => {
            bail!("{name}: {count} runs, but at most {MOST_RUNS} can be compared; name some of them")
        }
        _ => Ok(runs),
    }
}

/// The last run that has a figure in common with these, or without them any figure that was measured on a host: an audit,
/// a file that was read or another measurement in between is not meant. `None`: there is none.
fn last_measured(store: &Store, other: &[Run]) -> Result<Option<Run>> {
    let like = other.last();
    let host = like.map(|like| like.host.hostname.clone());
    last(store, host, |run| match like {
        Some(like) => shares_a_figure(like, run),
        None => !run.host.hostname.is_empty() && !figure::figures(run, &Deltas::default()).0.is_empty(),
    })
}

/// A file or directory that holds a host.
fn is_capture(part: &str) -> bool {
    let path = Path::new(part);
    (part.contains('/') || path.extension().is_some()) && path.exists()
}

/// A run that measured nothing: a captured host. What is no archive of one may be what another tool measured.
fn captured(path: &Path) -> Result<Run> {
    let root = match Root::tree(path) {
        Ok(root) => root,
        Err(error) => return file::measured(path).unwrap_or(Err(error.into())),
    };
    let mut host = fullwire_observe::host(&root, &ask::of_host(Vec::new()));
    let gaps = std::mem::take(&mut host.gaps);
    Ok(Run { run_id: path.display().to_string(), host, gaps, ..Run::default() })
}

/// What matters, as the user has it.
pub(crate) fn deltas(args: &CompareArgs) -> Deltas {
    args.delta.map_or_else(Deltas::default, Deltas::all)
}

/// What the rules conclude from a run: each finding and each ceiling, with its numbers.
pub(crate) fn conclusions(run: &Run) -> Vec<(String, String)> {
    let assessment = fullwire_rules::assess(run);
    let findings = assessment.findings.iter().map(|finding| {
        let said = (&finding.subject, finding.severity, finding.limit);
        (finding.code.clone(), serde_json::to_string(&said).unwrap_or_default())
    });
    let ceilings = assessment.ceilings.iter().map(|ceiling| {
        (ceiling.kind.clone(), format!("{} {} {}", ceiling.path, ceiling.measurement, ceiling.value))
    });
    findings.chain(ceilings).collect()
}
