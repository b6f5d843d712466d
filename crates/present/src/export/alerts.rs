//! Alert rules for Prometheus, over the exported names.

use super::judgement::{DEMAND_SHARE, FINDING, PATH_VERDICT, RUN_TIMESTAMP, amount_name};
use crate::Printed;
use fullwire_model::quantity::Unit;
use std::fmt::Write as _;

/// A run a day, and two hours for a late one.
const STALE_HOURS: u32 = 26;
/// A path that reaches less than this share of its own median of two weeks has changed.
const OF_BASELINE: f64 = 0.7;

struct Alert {
    name: &'static str,
    expression: String,
    wait: &'static str,
    severity: &'static str,
    summary: &'static str,
    description: &'static str,
}

/// The rule file.
pub fn alerts() -> Printed {
    let mut text = String::from(
        "# Made by `cargo xtask gen`. For the exports of `fullwire export --openmetrics` and of `serve --metrics-listen`.\n\
         groups:\n  - name: fullwire\n    rules:\n",
    );
    for alert in list() {
        // Writing to a String does not fail.
        let _ = write!(
            text,
            "      - alert: {}\n        expr: {}\n        for: {}\n        labels:\n          severity: {}\n        \
             annotations:\n          summary: \"{}\"\n          description: \"{}\"\n",
            alert.name, alert.expression, alert.wait, alert.severity, alert.summary, alert.description
        );
    }
    Printed::lines(&text)
}

fn list() -> Vec<Alert> {
    let measured = amount_name("measured", Unit::BytesPerS).unwrap_or_default();
    vec![
        Alert {
            name: "FullwireRunStale",
            expression: format!("time() - {RUN_TIMESTAMP} > {STALE_HOURS} * 3600"),
            wait: "10m",
            severity: "warning",
            summary: "No fullwire run on {{ $labels.instance }} for {{ $value | humanizeDuration }}",
            description: "The exported figures are old. Check the timer or job that runs fullwire there.",
        },
        Alert {
            name: "FullwireFindingCritical",
            expression: format!("{FINDING}{{severity=\"critical\"}} == 1"),
            wait: "0m",
            severity: "critical",
            summary: "{{ $labels.code }} on {{ $labels.instance }}",
            description: "Run `fullwire explain CODE` for the meaning of {{ $labels.code }}, and `fullwire show last` on the host for the fix.",
        },
        Alert {
            name: "FullwirePathPoor",
            expression: format!("{PATH_VERDICT}{{verdict=\"poor\"}} == 1"),
            wait: "0m",
            severity: "warning",
            summary: "{{ $labels.kind }} path {{ $labels.target }} of {{ $labels.instance }} reaches less than 70 % of its ceiling",
            description: "On the host, `fullwire show last` shows what limits it.",
        },
        Alert {
            name: "FullwirePathShortOfDemand",
            expression: format!("{DEMAND_SHARE} < 1"),
            wait: "0m",
            severity: "critical",
            summary: "{{ $labels.kind }} path {{ $labels.target }} of {{ $labels.instance }} carries less than the database needs",
            description: "{{ $value | humanizePercentage }} of the demand. On the host, `fullwire show last` shows what limits it.",
        },
        Alert {
            name: "FullwirePathBelowBaseline",
            expression: format!("{measured} < {OF_BASELINE} * quantile_over_time(0.5, {measured}[14d])"),
            wait: "0m",
            severity: "warning",
            summary: "{{ $labels.measurement }} to {{ $labels.target }} from {{ $labels.instance }} fell below 70 % of its median of two weeks",
            description: "`fullwire diff` shows what changed between two kept runs.",
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::super::dashboard::assert_known;
    use super::*;

    #[test]
    fn every_expression_asks_for_metrics_that_are_exported() {
        let all = list();
        assert_eq!(all.len(), 5);
        for alert in &all {
            assert_known(&alert.expression);
        }
    }
}
