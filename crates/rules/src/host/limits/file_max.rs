//! # What it checks
//! Passes when `fs.file-max` is at least 6,815,744 on an Oracle host, and less than 70 % of it is in use anywhere.
//!
//! # Why it matters
//! When it is reached, no program can open anything.
//!
//! # Evidence
//! `fs.file-max`, `fs.file-nr`.
//!
//! # Remedy
//! `fs.file-max = 6815744`.
//!
//! # Source
//! Oracle preinstallation requirements (6815744); node-mixin `NodeFileDescriptorLimit` (70 and 90 %).

use crate::advice::set_sysctl;
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "file-max",
    title: "the host-wide limit on open files is low",
    layer: Layer::Host,
    severity: Severity::Warning,
    check,
};

/// Oracle Database Installation Guide for Linux, fs.file-max.
const LEAST: u64 = 6_815_744;
/// Of the limit in use (own choice).
const NEARLY: f64 = 0.70;

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(most) = run.host.sysctl_number("fs.file-max").filter(|most| *most > 0) else {
        return vec![facts::unread("fs.file-max")];
    };
    let open = run.windows.first().and_then(|window| window.to.files_open).unwrap_or(0);
    let used = open as f64 / most as f64;
    if used > NEARLY {
        return vec![fires(
            run,
            most,
            format!("{} of fs.file-max ({most}) files are open", facts::percent(used)),
            Severity::Warning,
        )];
    }
    if most >= LEAST || !facts::is_oracle(run) {
        return vec![Outcome::Passes];
    }
    vec![fires(run, most, format!("fs.file-max is {most}, Oracle requires {LEAST}"), Severity::Warning)]
}

fn fires(run: &Run, most: u64, message: String, severity: Severity) -> Outcome {
    RULE.finding("fs.file-max", message)
        .severity(severity)
        .measured(most as f64, LEAST as f64, Unit::Count)
        .evidence(format!("fs.file-max = {most}"), "/proc/sys/fs/file-max")
        .advice(set_sysctl(
            &run.host,
            "fs.file-max",
            &(most.saturating_mul(2)).max(LEAST).to_string(),
            "Beyond it open(2) fails for all processes.",
            "room for all sessions and files",
        ))
        .into()
}
