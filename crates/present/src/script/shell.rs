//! As a POSIX shell script: shows what it would do, and does it with `--apply`.

use super::{Script, one_line, place, plain};
use fullwire_model::assessment::{Advice, Finding, Phase, Risk, Step, StepKind, quote};
use std::fmt::Write as _;

/// What the script consists of besides the findings.
const HEAD: &str = include_str!("head.sh");
/// Its end: what runs the functions and tells what came of them.
const TAIL: &str = include_str!("tail.sh");

/// The whole script.
pub fn shell(script: &Script<'_>) -> String {
    let names: Vec<String> =
        script.findings.iter().enumerate().map(|(at, finding)| function_name(at, finding)).collect();
    let mut text = format!(
        "#!/bin/sh\n\
         # Steps that fullwire advises for {}, from run {}.\n\
         # Review it before you run it. Without --apply it changes nothing.\n\
         {HEAD}\nrun_id={}\n",
        one_line(script.hostname),
        one_line(script.run_id),
        quote(&plain(script.run_id)),
    );
    for (finding, name) in script.findings.iter().zip(&names) {
        text += &functions(finding, name);
    }
    text + &format!("\nnames='{}'\n{TAIL}", names.join(" "))
}

/// `nic_ring_drops_3`: unique, and a name that every shell takes.
fn function_name(at: usize, finding: &Finding) -> String {
    let letters = finding.code.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    format!("{}_{}", letters.collect::<String>(), at + 1)
}

fn functions(finding: &Finding, name: &str) -> String {
    let title =
        format!("\n# {}: {}\n# {}\n", finding.code, one_line(&finding.subject), one_line(&finding.message));
    let expect = match one_line(&finding.advice.expect) {
        text if text.is_empty() => String::new(),
        text => format!("    # Expect: {text}\n"),
    };
    let advice = &finding.advice;
    let of = |undo: bool| -> String {
        let steps = advice.steps.iter().filter(|step| (step.phase == Phase::Undo) == undo);
        steps.map(|step| draw(advice, step)).collect()
    };
    let head = format!("    echo {}\n", quote(&format!("== {}", one_line(&finding.code))));
    format!("{title}{name}_do() {{\n{head}{}{expect}}}\n{name}_undo() {{\n{head}{}}}\n", of(false), of(true))
}

/// A step with what must be true before it and what tells that it took effect. Whatever does not succeed ends the finding.
fn draw(advice: &Advice, step: &Step) -> String {
    let host = quote(&place(step));
    let mut text = format!("    # {}\n", one_line(&step.text));
    for check in &step.checks {
        let (run, says) = (always_quoted(&check.run), quote(&one_line(&check.text)));
        let _ = writeln!(text, "    check {host} {says} {run} || return 0");
    }
    for needs in &step.needs {
        let _ = writeln!(text, "    needs {host} {} || return 0", quote(&one_line(needs)));
    }
    let (phase, risk) = (phases(step), risk(advice.risk_of(step)));
    let call = match step.command() {
        None => format!("person {phase} {host} {risk} {}", quote(&one_line(&step.text))),
        Some(run) if step.kind == StepKind::Look => format!("look {host} {}", always_quoted(run)),
        Some(run) => format!("step {phase} {host} {risk} {}", always_quoted(run)),
    };
    let _ = writeln!(text, "    {call} || return 0");
    if let Some(run) = &step.read_back {
        let _ = writeln!(text, "    took_effect {host} {} || return 0", always_quoted(run));
    }
    text
}

/// The phase of a step, or of one that takes back, those that it takes back.
fn phases(step: &Step) -> String {
    let name = |phase: &Phase| match phase {
        Phase::Now => "now",
        Phase::Persist => "persist",
        Phase::Undo => "undo",
    };
    match step.phase {
        Phase::Undo => step.undoes.iter().map(name).collect::<Vec<_>>().join(","),
        phase => name(&phase).to_owned(),
    }
}

fn risk(risk: Risk) -> &'static str {
    match risk {
        Risk::Online => "online",
        Risk::Interrupts => "interrupts",
        Risk::Downtime => "downtime",
    }
}

/// In single quotes even where none are needed: it is a command and should look like one.
fn always_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
