//! Remedies for a host on which systemd may be installed, and does not run: systemctl fails there.
//!
//! Source: `sd_booted(3)`; systemctl(1) ("System has not been booted with systemd as init system (PID 1). Can't operate.").

use fullwire_model::assessment::{Finding, ShellCommand, Step};
use fullwire_model::host::Host;

const PROGRAM: &str = "systemctl";

/// Said of the first step of a finding that names it.
const INSTEAD: &str = ". systemd does not run here: do the same with this host's service manager";

/// On a host without systemd each step that calls it becomes a sentence.
pub(crate) fn without_systemd(host: &Host, findings: &mut [Finding]) {
    if host.os.systemd != Some(false) {
        return;
    }
    for finding in findings {
        let mut instead = INSTEAD;
        for step in finding.advice.steps.iter_mut().filter(|step| step.is_here()) {
            if reword(step, instead) {
                instead = "";
            }
        }
    }
}

/// Whether the step names systemd's program.
fn reword(step: &mut Step, instead: &str) -> bool {
    let calls = |command: &ShellCommand| command.contains(PROGRAM);
    step.read_back = step.read_back.take().filter(|command| !calls(command));
    let asked = step.checks.extract_if(.., |check| calls(&check.run));
    step.needs.extend(asked.map(|check| check.text));
    if let Some(run) = step.run.take_if(|run| calls(run)) {
        step.text = format!("{} (`{run}` with systemd){instead}", step.text);
        return true;
    }
    let names = step.text.contains(PROGRAM) && !step.text.contains("systemd");
    if names {
        step.text += if instead.is_empty() { " (with systemd)" } else { instead };
    }
    names
}
