//! As a POSIX shell script: the steps as comments, and one command that applies them.

use super::{Script, one_line, place};
use crate::Printed;
use crate::report::{cost, phase_name};
use fullwire_model::assessment::{Advice, Finding, Phase, Step, quote};
use std::fmt::Write as _;

const USAGE: &str = "\
# Only `fullwire apply` changes anything: it runs the rules again on this host, shows what it would do, asks, checks each
# step, reads it back, and takes back what fails. Commands below are what the rules said when this was written.
#
#   sh SCRIPT [--dry-run | --yes] [--window]
#   sh SCRIPT --undo
# Single-quoted words are passed on as they are.
# shellcheck disable=SC2016
set -eu
";

/// The whole script.
pub fn shell(script: &Script<'_>) -> Printed {
    let mut text = format!("#!/bin/sh\n{}", script.title());
    for (name, value) in script.about {
        let _ = writeln!(text, "#   {:<20} {}", one_line(name), one_line(value));
    }
    if script.refused.is_none() {
        text.push_str(USAGE);
    }
    if script.findings.is_empty() {
        return Printed::lines(&(text + "echo 'there is nothing to apply'\n"));
    }
    script.findings.iter().for_each(|finding| text += &steps(finding));
    if let Some(why) = script.refused {
        return Printed::lines(&format!("{text}\necho {} >&2\nexit 3\n", quote(&one_line(why))));
    }
    let words: Vec<String> = script.words().iter().map(|word| quote(word)).collect();
    Printed::lines(&(text + &format!("\nexec {} \"$@\"\n", words.join(" "))))
}

fn steps(finding: &Finding) -> String {
    let advice = &finding.advice;
    let mut text = format!(
        "\n# {}: {}\n# {}\n",
        one_line(&finding.code),
        one_line(&finding.subject),
        one_line(&finding.message)
    );
    for phase in [Phase::Now, Phase::Persist, Phase::Undo] {
        advice.phase(phase).for_each(|step| text += &drawn(advice, step));
    }
    match one_line(&advice.expect) {
        expect if expect.is_empty() => text,
        expect => text + &format!("#   Expect: {expect}\n"),
    }
}

/// Everything is a comment: a line that begins otherwise would be run.
fn drawn(advice: &Advice, step: &Step) -> String {
    let mut text = String::new();
    let mut line = |word: &str, what: &str| {
        let _ = writeln!(text, "#   {word:<11} {}", one_line(what));
    };
    let place = if step.is_here() { String::new() } else { format!("on {}: ", place(step)) };
    let cost = cost(advice.risk_of(step));
    step.checks.iter().for_each(|check| line("check", &check.run));
    step.needs.iter().for_each(|needs| line("needs", needs));
    line(phase_name(step.phase), &format!("{place}{}{cost}", step.text));
    if let Some(run) = step.command() {
        line("", run);
    }
    if let Some(check) = &step.read_back {
        line("read back", check);
    }
    text
}
