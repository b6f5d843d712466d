//! A plugin's output for Nagios, Icinga, Naemon and similar ones (monitoring-plugins: developer guidelines).

use super::family::plain;
use super::monitor::{Figure, Service, ServiceState, services};
use crate::Printed;
use fullwire_model::Run;
use fullwire_model::assessment::Assessment;
use fullwire_model::quantity::Unit;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The first line without its numbers, as pagers and overviews show it.
const COLUMNS: usize = 80;
/// What Nagios and NRPE 3 and later take of one plugin (`MAX_PLUGIN_OUTPUT_LENGTH`).
const BYTES: usize = 8 << 10;
/// Round-robin databases keep this much of a label.
const LABEL: usize = 19;

/// The text and the exit status.
pub fn nagios(run: &Run, assessment: &Assessment, too_old: Option<&str>) -> (Printed, ServiceState) {
    let mut all = services(run, assessment, too_old);
    // One plugin speaks for the host and its paths: so do its counts.
    let counts = ["CRITICAL", "WARNING"]
        .map(|word| findings(&all).iter().filter(|line| line.starts_with(word)).count() as f64);
    for (figure, count) in all.iter_mut().take(1).flat_map(|host| &mut host.figures).zip(counts) {
        figure.value = count;
    }
    let state = all.iter().map(|service| service.state).fold(ServiceState::Ok, ServiceState::worse);
    (Printed::lines(&drawn(&all, state)), state)
}

/// The same where no run can be judged.
pub fn nagios_unknown(reason: &str) -> (Printed, ServiceState) {
    let first = first_line(ServiceState::Unknown, reason);
    // The details below the first line have what did not fit into it.
    let whole = if first.ends_with("...") { format!("{}\n", crate::harmless(reason)) } else { String::new() };
    (Printed::lines(&format!("{first}\n{whole}")), ServiceState::Unknown)
}

fn drawn(services: &[Service], state: ServiceState) -> String {
    // Of what is equally bad: what was asked of a path, then the path that was measured last, then the host.
    let is_asked = |service: &Service| service.findings.iter().any(|line| line.starts_with("ANSWER"));
    let order = |service: &&Service| (!is_asked(service), service.name == "host");
    let worst = services.iter().filter(|service| service.state == state).min_by_key(order);
    let worst = worst.or(services.first());
    let mut text = worst
        .map(|service| first_line(state, &format!("{}: {}", target(&service.name), service.summary)))
        .unwrap_or_default();
    let numbers = perfdata(services, BYTES / 2);
    if !numbers.is_empty() {
        let _ = write!(text, "|{numbers}");
    }
    text.push('\n');
    // Beside what is worse, each path has its figure and its word all the same.
    let others =
        services.iter().filter(|one| one.name != "host" && worst.is_none_or(|worst| worst.name != one.name));
    let paths = others.map(|one| format!("PATH {}: {}", one.name, one.summary));
    for line in paths.chain(findings(services).into_iter().cloned()) {
        let line = line.replace('|', "/");
        if text.len() + line.len() + 1 > BYTES {
            break;
        }
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// Answers, then findings, worst first, each once: one may explain several paths.
fn findings(services: &[Service]) -> Vec<&String> {
    let mut all: Vec<&String> = Vec::new();
    for severity in ["ANSWER", "CRITICAL", "WARNING", "INFO"] {
        for line in services.iter().flat_map(|service| &service.findings) {
            if line.starts_with(severity) && !all.contains(&line) {
                all.push(line);
            }
        }
    }
    all
}

fn first_line(state: ServiceState, summary: &str) -> String {
    let line = format!("FULLWIRE {} - {}", state.name(), crate::harmless(summary).replace('|', "/"));
    if line.chars().count() <= COLUMNS {
        return line;
    }
    line.chars().take(COLUMNS - 3).collect::<String>() + "..."
}

/// `'label'=value[UOM];[warn];[crit];[min];[max]`. A rate has no unit that the guidelines know, and an unknown one makes
/// Icinga drop the value: its label says it. Thresholds are the rules', so none is printed.
fn perfdata(services: &[Service], limit: usize) -> String {
    let mut text = String::new();
    let mut taken = BTreeSet::new();
    for service in services {
        for figure in &service.figures {
            let one = format!("'{}'={}", label(service, figure, &mut taken), amount(figure));
            if text.len() + one.len() + 1 > limit {
                return text;
            }
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&one);
        }
    }
    text
}

/// Its beginning differs from that of every other one.
fn label(service: &Service, figure: &Figure, taken: &mut BTreeSet<String>) -> String {
    let of = if service.name == "host" { String::new() } else { format!("{} ", target(&service.name)) };
    let unit = match figure.unit {
        Unit::BytesPerS => "_bytes_per_s",
        Unit::IoPerS => "_io_per_s",
        Unit::PerS => "_per_s",
        _ => "",
    };
    let clean = |text: &str| -> String {
        text.chars().map(|c| if matches!(c, '=' | '\'' | '|') || !c.is_ascii() { '_' } else { c }).collect()
    };
    let plain = clean(&format!("{of}{}{unit}", figure.name));
    let start = |label: &str| label.chars().take(LABEL).collect::<String>();
    let mut label = plain.clone();
    let mut number = 2;
    while !taken.insert(start(&label)) {
        label = format!("{number}: {plain}");
        number += 1;
    }
    label
}

/// `db2:5555` of `network db2:5555`.
fn target(name: &str) -> &str {
    name.split_once(' ').map_or(name, |(_, target)| target)
}

fn amount(figure: &Figure) -> String {
    let (unit, factor) = match figure.unit {
        Unit::S => ("s", 1.0),
        Unit::Bytes => ("B", 1.0),
        Unit::Ratio => ("%", 100.0),
        _ => ("", 1.0),
    };
    let most = figure.most.map(|most| plain(most * factor)).unwrap_or_default();
    format!("{}{unit};;;0;{most}", plain(figure.value * factor))
}
