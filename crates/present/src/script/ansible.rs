//! As an Ansible playbook: one play for each host, which shows the steps; on the host that was judged `fullwire apply` does
//! them.

use super::{Script, one_line, place, plain};
use crate::Printed;
use crate::report::{cost, phase_name};
use fullwire_model::assessment::{Finding, HERE, Step};
use fullwire_model::host_of;

const HEAD: &str = "\
# It shows the steps, and what `fullwire apply` would do on the host that was judged. With -e apply=true that is done, with
# -e window=true also what interrupts the service. What only a person can tell is left out, and said: run
# `fullwire apply` on the host for it. Steps on other hosts are shown and never run.
# `here` in the inventory is the host that was judged; other hosts appear under their own names, with a dash in place of
# what is neither a letter, a digit, a dot nor an underscore.
";

/// Ansible's tag of a text that is no template; in two parts, for `cargo xtask tidy` looks for the word.
const LITERAL: &str = concat!("!un", "safe");

/// The whole playbook.
pub fn ansible(script: &Script<'_>) -> Printed {
    let mut text = format!("---\n{}{HEAD}", script.title());
    let mut hosts: Vec<String> = Vec::new();
    for step in script.findings.iter().flat_map(|finding| &finding.advice.steps) {
        if !hosts.contains(&inventory_name(step)) {
            hosts.push(inventory_name(step));
        }
    }
    if hosts.is_empty() {
        return Printed::lines(&(text + "[]\n"));
    }
    for host in hosts {
        text += &play(script, &host);
    }
    Printed::lines(&text)
}

fn play(script: &Script<'_>, host: &str) -> String {
    let mut text = format!(
        "\n- name: \"fullwire: steps on {host}\"\n  hosts: \"{host}\"\n  gather_facts: false\n  tasks:\n"
    );
    for (at, finding) in script.findings.iter().enumerate() {
        let there = finding.advice.steps.iter().filter(|step| inventory_name(step) == host);
        text.extend(there.enumerate().map(|(number, step)| task(finding, (at, number), step)));
    }
    if host == HERE && script.refused.is_none() { text + &apply(script) } else { text }
}

/// The command for all findings. Check mode shows what it would do, as does a run without `apply`.
fn apply(script: &Script) -> String {
    let words: Vec<String> =
        script.words().iter().map(|word| format!("          - {LITERAL} {}\n", string(word))).collect();
    format!(
        "    - name: \"fullwire apply\"\n      vars:\n        words:\n{}      ansible.builtin.command:\n        argv: \"{{{{ words + \
         (['--yes'] if does else ['--dry-run']) + (['--window'] if window | default(false) | bool else []) + ['--json'] }}}}\"\n      \
         become: true\n      check_mode: false\n      register: applied\n      changed_when: does and (applied.stdout | from_json).findings \
         | selectattr('state', 'eq', 'applied') | list | length > 0\n      failed_when: applied.rc not in [0, 1]\n",
        words.concat()
    )
    .replace("      vars:\n", "      vars:\n        does: \"{{ apply | default(false) | bool and not ansible_check_mode }}\"\n")
}

/// The host of a step without port and scheme, of characters that are no pattern and no template.
fn inventory_name(step: &Step) -> String {
    plain(host_of(&place(step)))
}

fn task(finding: &Finding, (at, number): (usize, usize), step: &Step) -> String {
    let code = plain(&finding.code);
    let (phase, cost) = (phase_name(step.phase), cost(finding.advice.risk_of(step)));
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
