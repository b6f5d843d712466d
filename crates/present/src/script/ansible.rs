//! As an Ansible playbook: one play for each host, `-e apply=true` to do something, `--tags undo` to take it back.

use super::{Script, one_line, place};
use fullwire_model::assessment::{Finding, Phase, Risk, Step};

const HEAD: &str = "\
# Review it before you run it. Without -e apply=true it changes nothing.
#   ansible-playbook -i HOSTS FILE                                 show the steps
#   ansible-playbook -i HOSTS FILE -e apply=true                   apply what does not affect users
#   ansible-playbook -i HOSTS FILE -e apply=true -e window=true    also apply what interrupts the service
#   ansible-playbook -i HOSTS FILE -e apply=true --tags undo       undo
# `here` in the inventory is the host that was judged; other hosts appear under their own names.
";

/// Ansible's tag of a text that is no template; in two parts, for `cargo xtask tidy` looks for the word.
const LITERAL: &str = concat!("!un", "safe");

/// The whole playbook.
pub fn ansible(script: &Script<'_>) -> String {
    let mut text = format!(
        "---\n# Steps that fullwire advises for {}, from run {}.\n{HEAD}",
        one_line(script.hostname),
        one_line(script.run_id)
    );
    let mut hosts: Vec<String> = Vec::new();
    for step in script.findings.iter().flat_map(|finding| &finding.advice.steps) {
        if !hosts.contains(&place(step)) {
            hosts.push(place(step));
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
        "\n- name: {}\n  hosts: {}\n  become: true\n  gather_facts: false\n  tasks:\n",
        string(&format!("fullwire: steps on {host}")),
        string(inventory_name(host))
    );
    let steps_of = |finding: &'_ Finding, undo: bool| {
        let there = |step: &&Step| place(step) == host && (step.phase == Phase::Undo) == undo;
        finding.advice.steps.iter().filter(there).map(|step| task(finding, step)).collect::<String>()
    };
    text.extend(script.findings.iter().map(|finding| steps_of(finding, false)));
    // The last change first.
    text.extend(script.findings.iter().rev().map(|finding| steps_of(finding, true)));
    text
}

/// Without port and scheme.
fn inventory_name(host: &str) -> &str {
    let bare = host.split_once("://").map_or(host, |(_, rest)| rest);
    let bare = bare.rsplit_once('@').map_or(bare, |(_, rest)| rest);
    match bare.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => {
            name.trim_start_matches('[').trim_end_matches(']')
        }
        _ => bare,
    }
}

fn task(finding: &Finding, step: &Step) -> String {
    let name = format!("{}: {}", finding.code, one_line(&step.text));
    let needs: String =
        step.needs.iter().map(|needs| format!("    # needs: {}\n", one_line(needs))).collect();
    let tags = if step.phase == Phase::Undo {
        format!("    tags: [never, undo, {}]\n", string(&finding.code))
    } else {
        format!("    tags: [{}]\n", string(&finding.code))
    };
    let Some(run) = &step.run else {
        let text = format!("by hand: {name}");
        return format!(
            "{needs}    - name: {}\n      ansible.builtin.debug:\n        msg: {LITERAL} {}\n  {tags}",
            string(&name),
            string(&text)
        );
    };
    let window = if step.risk == Risk::Online { "" } else { "        - window | default(false) | bool\n" };
    format!(
        "{needs}    - name: {}\n      ansible.builtin.shell:\n        cmd: {LITERAL} {}\n      when:\n        \
         - apply | default(false) | bool\n{window}  {tags}",
        string(&name),
        string(run)
    )
}

/// A double-quoted scalar: what JSON writes is YAML. Names are templates to Ansible, so that braces are taken apart.
fn string(text: &str) -> String {
    let safe = if text.contains("{{") || text.contains("{%") {
        text.replace("{{", "{ {").replace("{%", "{ %")
    } else {
        text.to_owned()
    };
    serde_json::Value::from(safe).to_string()
}
