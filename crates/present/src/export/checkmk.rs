//! Checkmk's local checks (docs.checkmk.com, "Local checks"): `STATE "SERVICE" METRICS TEXT`, one blank between each.

use super::family::plain;
use super::monitor::{Figure, Service, nothing_kept, services};
use crate::Printed;
use fullwire_model::Run;
use fullwire_model::assessment::Assessment;
use fullwire_model::quantity::Unit;
use std::fmt::Write as _;

/// Findings under one service's first line.
const MOST_LINES: usize = 20;

/// A line for each service; without a run one that says why.
pub fn checkmk(judged: Result<(&Run, &Assessment), &str>, stale: Option<&str>) -> Printed {
    let all = match judged {
        Ok((run, assessment)) => services(run, assessment, stale),
        Err(reason) => vec![nothing_kept(reason)],
    };
    Printed::lines(&all.iter().map(line).collect::<String>())
}

fn line(service: &Service) -> String {
    let name: String = service.name.chars().filter(|c| !matches!(c, '"' | '\'' | '\\')).collect();
    let metrics: Vec<String> = service.figures.iter().map(metric).collect();
    let metrics = if metrics.is_empty() { "-".to_owned() } else { metrics.join("|") };
    let mut text =
        format!("{} \"fullwire {name}\" {metrics} {}", service.state.number(), plainly(&service.summary));
    for finding in service.findings.iter().take(MOST_LINES) {
        // The two characters stand for a new line.
        let _ = write!(text, "\\n{}", plainly(finding));
    }
    text.push('\n');
    text
}

/// `NAME=VALUE;;;MIN;MAX`. No thresholds: the state is the rules'.
fn metric(figure: &Figure) -> String {
    let unit = match figure.unit {
        Unit::S => "_seconds",
        Unit::Bytes => "_bytes",
        Unit::BytesPerS => "_bytes_per_s",
        Unit::IoPerS => "_io_per_s",
        Unit::PerS => "_per_s",
        _ => "",
    };
    let name: String = figure.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let most = figure.most.map(plain).unwrap_or_default();
    format!("{name}{unit}={};;;0;{most}", plain(figure.value))
}

/// A backslash would begin an escape.
fn plainly(text: &str) -> String {
    text.replace('\\', "/")
}
