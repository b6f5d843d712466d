//! As an Ansible playbook: one play for each host, which shows the steps and executes none of them.

use super::{Script, one_line, place, plain};
use fullwire_model::assessment::{Finding, Phase, Risk, Step};

const HEAD: &str = "\
# It shows the steps and executes none: what must be true before a step is a question to a person, a step that is skipped
# must end its finding, and what is undone must have been done here. The shell script of the same run does all that:
#   fullwire script RUN > plan.sh, then on each host: sh plan.sh --host TARGET
# `here` in the inventory is the host that was judged; other hosts appear under their own names, with a dash in place of
# what is neither a letter, a digit, a dot nor an underscore.
";

/// Ansible's tag of a text that is no template; in two parts, for `cargo xtask tidy` looks for the word.
const LITERAL: &str = concat!("!un", "safe");

/// Names of plays and tasks are templates to Ansible, so that they have no word from outside in them.
const REFUSAL: &str = "    - name: \"refuse to execute\"
      ansible.builtin.assert:
        that: not (apply | default(false) | bool)
        fail_msg: \"this playbook only shows the steps: run the shell script of the same run on the host\"
        quiet: true
      tags: [always]
";

/// The whole playbook.
pub fn ansible(script: &Script<'_>) -> String {
    let mut text = format!(
        "---\n# Steps that fullwire advises for {}, from run {}.\n{HEAD}",
        one_line(script.hostname),
        one_line(script.run_id)
    );
    let mut hosts: Vec<String> = Vec::new();
    for step in script.findings.iter().flat_map(|finding| &finding.advice.steps) {
        if !hosts.contains(&inventory_name(step)) {
            hosts.push(inventory_name(step));
        }
    }
    if hosts.is_empty() {
        return text + "[]\n";
    }
    for host in hosts {
        text += &play(script, &host);
    }
    text
}

fn play(script: &Script<'_>, host: &str) -> String {
    let mut text = format!(
        "\n- name: \"fullwire: steps on {host}\"\n  hosts: \"{host}\"\n  gather_facts: false\n  tasks:\n{REFUSAL}"
    );
    for (at, finding) in script.findings.iter().enumerate() {
        let there = finding.advice.steps.iter().filter(|step| inventory_name(step) == host);
        text.extend(there.enumerate().map(|(number, step)| task(finding, (at, number), step)));
    }
    text
}

/// The host of a step without port and scheme, of characters that are no pattern and no template.
fn inventory_name(step: &Step) -> String {
    let host = place(step);
    let bare = host.split_once("://").map_or(host.as_str(), |(_, rest)| rest);
    let bare = bare.rsplit_once('@').map_or(bare, |(_, rest)| rest);
    let name = match bare.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => {
            name.trim_start_matches('[').trim_end_matches(']')
        }
        _ => bare,
    };
    plain(name)
}

fn task(finding: &Finding, (at, number): (usize, usize), step: &Step) -> String {
    let code = plain(&finding.code);
    let phase = match step.phase {
        Phase::Now => "now",
        Phase::Persist => "permanent",
        Phase::Undo => "undo",
    };
    let cost = match finding.advice.risk_of(step) {
        Risk::Online => "",
        Risk::Interrupts => " (interrupts the service for seconds)",
        Risk::Downtime => " (needs downtime)",
    };
    let mut lines = vec![format!("{}: {}", one_line(&finding.subject), one_line(&step.text))];
    lines.extend(step.checks.iter().map(|check| format!("needs: {} ({})", one_line(&check.text), check.run)));
    lines.extend(step.needs.iter().map(|needs| format!("needs: {}", one_line(needs))));
    lines.extend(step.command().map(|run| format!("run: {run}")));
    let lines: String =
        lines.iter().map(|line| format!("          - {LITERAL} {}\n", string(line))).collect();
    format!(
        "    - name: \"{code} {}.{}, {phase}{cost}\"\n      ansible.builtin.debug:\n        msg:\n{lines}      tags: \
         [\"{code}\", {phase}]\n",
        at + 1,
        number + 1
    )
}

/// A double-quoted scalar: what JSON writes is YAML.
fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
