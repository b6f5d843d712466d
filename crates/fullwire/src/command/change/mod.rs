//! Commands that change this host, or say how.

pub(crate) mod apply;
pub(crate) mod clean;
pub(crate) mod script;
mod take_back;

use crate::cli::ApplyArgs;
use crate::output::person;
use crate::signals;
use anyhow::{Result, bail};
use fullwire_model::assessment::{Assessment, Finding, Severity, harmless};
use fullwire_present::json::{AppliedDocument, ApplyDocument};
use std::collections::BTreeSet;
use std::process::ExitCode;

/// The command that the journals of `apply` are of.
const NAME: &str = "apply";
/// Something was left out.
const LEFT_OUT: u8 = 1;
/// Something failed.
const FAILED: u8 = 3;

/// The findings that are meant: those of these codes or, where none is named, all but notes. A note harms nothing today:
/// nobody changes a host for it unasked.
fn meant<'a>(assessment: &'a Assessment, run_id: &str, codes: &[String]) -> Result<Vec<&'a Finding>> {
    let all = &assessment.findings;
    if let Some(code) = codes.iter().find(|code| all.iter().all(|finding| finding.code != **code)) {
        bail!(no_finding(code, run_id, all));
    }
    let is_meant = |finding: &&Finding| match codes {
        [] => finding.severity > Severity::Info,
        codes => codes.contains(&finding.code),
    };
    Ok(all.iter().filter(is_meant).collect())
}

/// A code that a run does not have, and those that it has.
pub(crate) fn no_finding(code: &str, run_id: &str, all: &[Finding]) -> String {
    let known: BTreeSet<&str> = all.iter().map(|finding| finding.code.as_str()).collect();
    let known: Vec<&str> = known.into_iter().collect();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    format!("no finding {code} in run {run_id}: it has {known}")
}

/// Why there is nothing to do.
fn nothing(assessment: &Assessment) -> &'static str {
    if assessment.findings.is_empty() {
        "the run has no findings: there is nothing to apply"
    } else {
        "the run has only notes, and nothing is applied for a note unless it is named: --finding CODE"
    }
}

fn confirm(args: &ApplyArgs) -> Result<()> {
    if !rustix::process::geteuid().is_root() {
        bail!("apply needs root; --dry-run shows what it would do");
    }
    if args.yes || person::agrees("Do this?") {
        return Ok(());
    }
    bail!("not confirmed, nothing was changed")
}

/// What became of a finding.
fn line(one: &AppliedDocument) -> String {
    let word = if one.state == "skipped" { "left out".to_owned() } else { one.state.replace('-', " ") };
    let why = if one.why.is_empty() { String::new() } else { format!(": {}", one.why) };
    row(&format!("{word:<16}{}: {}{why}", one.code, one.subject))
}

/// A line of what is shown before and after: a name that has line ends in it cannot forge another one.
fn row(text: &str) -> String {
    format!("{}\n", harmless(text))
}

fn status(document: &ApplyDocument, is_dry: bool) -> ExitCode {
    let has = |states: &[&str]| document.findings.iter().any(|one| states.contains(&one.state));
    if signals::raised() {
        return ExitCode::from(signals::INTERRUPTED);
    }
    ExitCode::from(match () {
        () if is_dry => 0,
        () if has(&["failed", "not-taken-back"]) => FAILED,
        () if has(&["skipped", "planned"]) => LEFT_OUT,
        () => 0,
    })
}
