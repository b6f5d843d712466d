//! `fullwire script`: the advised steps of a kept run as a script, to be read and run by a person.

use crate::cli::{ScriptArgs, ScriptFormat};
use crate::output::{Show, write_to};
use crate::session::store::read_store;
use anyhow::{Result, bail};
use fullwire_model::assessment::{Finding, Severity};
use fullwire_present::script::{self, Script};
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(args: &ScriptArgs, show: &Show) -> Result<ExitCode> {
    let run = read_store(args.store.as_deref())?.load(&args.run)?;
    let assessment = fullwire_rules::assess(&run);
    let all = &assessment.findings;
    if let Some(code) = args.finding.iter().find(|code| all.iter().all(|finding| finding.code != **code)) {
        let codes: Vec<&str> = all.iter().map(|finding| finding.code.as_str()).collect();
        bail!("no finding {code} in run {}: it has {}", run.run_id, listed(&codes));
    }
    let wanted = |finding: &&Finding| match args.finding.as_slice() {
        // A note harms nothing today: nobody changes a host for it unasked.
        [] => finding.severity > Severity::Info,
        codes => codes.contains(&finding.code),
    };
    let findings: Vec<&Finding> = all.iter().filter(wanted).collect();
    let script = Script { run_id: &run.run_id, hostname: &run.host.hostname, findings: &findings };
    let text = match args.format {
        ScriptFormat::Sh => script::shell(&script),
        ScriptFormat::Ansible => script::ansible(&script),
    };
    write_to(Path::new("-"), text.as_bytes())?;
    if findings.is_empty() {
        show.note(if all.is_empty() {
            "the run has no findings, so the script has no steps"
        } else {
            "the run has only notes, so the script has no steps: --finding CODE takes those of a note"
        });
    }
    Ok(ExitCode::SUCCESS)
}

fn listed(codes: &[&str]) -> String {
    if codes.is_empty() { "none".to_owned() } else { codes.join(", ") }
}
