//! What is concluded from a run, as metric families.

use super::value::{Family, FamilyKind, Point, base_unit};
use crate::report::asked;
use fullwire_model::Run;
use fullwire_model::assessment::{
    Assessment, MeasurementAssessment, PathAssessment, PathKind, Severity, Verdict,
};
use fullwire_model::quantity::Unit;
use std::collections::BTreeSet;

/// A family of the judgement.
pub(super) struct Own {
    pub(super) name: &'static str,
    pub(super) unit: Option<&'static str>,
    pub(super) kind: FamilyKind,
    pub(super) help: &'static str,
}

const fn gauge(name: &'static str, unit: Option<&'static str>, help: &'static str) -> Own {
    Own { name, unit, kind: FamilyKind::Gauge, help }
}

const fn info(name: &'static str, help: &'static str) -> Own {
    Own { name, unit: None, kind: FamilyKind::Info, help }
}

pub(super) const RUN_INFO: &str = "fullwire_run_info";
pub(super) const RUN_TIMESTAMP: &str = "fullwire_run_timestamp_seconds";
pub(super) const FINDING: &str = "fullwire_finding";
pub(super) const FINDINGS: &str = "fullwire_findings";
pub(super) const GAPS: &str = "fullwire_gaps";
pub(super) const PATH_VERDICT: &str = "fullwire_path_verdict";
pub(super) const ANSWER: &str = "fullwire_answer";
pub(super) const PATH_BOTTLENECK: &str = "fullwire_path_bottleneck_info";
pub(super) const CEILING_SHARE: &str = "fullwire_path_ceiling_share_ratio";
pub(super) const DEMAND_SHARE: &str = "fullwire_path_demand_share_ratio";
const DURATION: &str = "fullwire_run_duration_seconds";
const PASSED: &str = "fullwire_rules_passed";
const UNDECIDED: &str = "fullwire_rules_undecided";
/// 1 when there is a run to judge.
pub const RUN_KEPT: &str = "fullwire_run_kept";
/// How long an answer took.
pub const SCRAPE_DURATION: &str = "fullwire_scrape_duration_seconds";
/// 1 when a probe reached its target.
pub const PROBE_SUCCESS: &str = "fullwire_probe_success";
/// How long a probe took.
pub const PROBE_DURATION: &str = "fullwire_probe_duration_seconds";
/// How long a connection took.
pub const PROBE_CONNECT: &str = "fullwire_probe_connect_seconds";
const LEFT_OUT: &str = "fullwire_export_series_left_out";

/// Every family of the judgement. Of the amounts there is one for each unit that a path is measured in.
pub(super) const FAMILIES: &[Own] = &[
    info(RUN_INFO, "The run that was judged: its host, command, label and the version that made it."),
    gauge(RUN_TIMESTAMP, Some("seconds"), "End of the run, in seconds since 1970."),
    gauge(DURATION, Some("seconds"), "Duration of the run."),
    gauge(FINDINGS, None, "Findings by severity."),
    gauge(FINDING, None, "1 for each code with a finding; absent otherwise."),
    gauge(GAPS, None, "Things that could not be read or measured."),
    gauge(PASSED, None, "Checks passed: rules that applied and found nothing."),
    gauge(UNDECIDED, None, "Rules that could not be decided because facts are missing."),
    gauge(PATH_VERDICT, None, "1 for the verdict of the path, 0 for the others."),
    gauge(ANSWER, None, "1 for the answer to each question that was asked of a path."),
    info(PATH_BOTTLENECK, "What limits the path: the code of the finding or the kind of the ceiling."),
    gauge(CEILING_SHARE, Some("ratio"), "Measured value as a share of the path's ceiling."),
    gauge(DEMAND_SHARE, Some("ratio"), "What the path delivers, as a share of what the database needs."),
    gauge("fullwire_path_measured_bytes_per_second", Some("bytes_per_second"), MEASURED_HELP),
    gauge("fullwire_path_measured_io_per_second", Some("io_per_second"), MEASURED_HELP),
    gauge("fullwire_path_measured_seconds", Some("seconds"), MEASURED_HELP),
    gauge("fullwire_path_ceiling_bytes_per_second", Some("bytes_per_second"), CEILING_HELP),
    gauge("fullwire_path_ceiling_io_per_second", Some("io_per_second"), CEILING_HELP),
    gauge("fullwire_path_ceiling_seconds", Some("seconds"), CEILING_HELP),
    gauge("fullwire_path_demand_bytes_per_second", Some("bytes_per_second"), DEMAND_HELP),
    gauge("fullwire_path_demand_io_per_second", Some("io_per_second"), DEMAND_HELP),
    gauge("fullwire_path_demand_seconds", Some("seconds"), DEMAND_HELP),
    gauge(RUN_KEPT, None, "1 if a run of this host is kept, 0 if there is none to judge."),
    gauge(SCRAPE_DURATION, Some("seconds"), "Duration of this scrape."),
    gauge(PROBE_SUCCESS, None, "1 if the probe reached its target, 0 if not."),
    gauge(PROBE_DURATION, Some("seconds"), "Duration of the probe."),
    gauge(PROBE_CONNECT, Some("seconds"), "Time to establish a TCP connection."),
    gauge(LEFT_OUT, None, "Series omitted because there were too many."),
];

const MEASURED_HELP: &str = "Measured value of the path.";
const CEILING_HELP: &str = "Lowest ceiling of wire or medium that the measurement is compared with.";
const DEMAND_HELP: &str = "What the database needs from the path.";

/// The name of an amount of a path in the unit that it comes in; `None`: paths are not measured in that unit.
pub(super) fn amount_name(what: &str, unit: Unit) -> Option<String> {
    let name = format!("fullwire_path_{what}_{}", base_unit(unit).0?);
    FAMILIES.iter().any(|family| family.name == name).then_some(name)
}

/// The families that have a value.
pub(super) fn families(run: &Run, assessment: &Assessment) -> Vec<Family> {
    let mut points = Points::default();
    points.of_run(run, assessment);
    for path in &assessment.paths {
        points.of_path(path, assessment);
    }
    points.families()
}

/// One value of a family of the judgement: of these names, or nothing.
pub fn single(name: &str, labels: [(&str, &str); 1], value: f64) -> Option<Family> {
    let mut points = Points::default();
    points.add(name, labels, value);
    points.families().pop()
}

/// How many series there was no room for.
pub(super) fn left_out(series: u32) -> Family {
    let mut points = Points::default();
    points.add(LEFT_OUT, [], f64::from(series));
    points.families().remove(0)
}

#[derive(Default)]
struct Points(Vec<(String, Point)>);

impl Points {
    fn add<const N: usize>(&mut self, name: &str, labels: [(&str, &str); N], value: f64) {
        if !value.is_finite() {
            return;
        }
        let labels = labels.iter().filter(|(_, value)| !value.is_empty());
        let labels = labels.map(|(name, value)| ((*name).to_owned(), crate::harmless(value))).collect();
        let same = |(other, point): &(String, Point)| other == name && point.labels == labels;
        if !self.0.iter().any(same) {
            self.0.push((name.to_owned(), Point { labels, value }));
        }
    }

    fn of_run(&mut self, run: &Run, assessment: &Assessment) {
        let labels = [
            ("version", &*run.tool_version),
            ("host", &*run.host.hostname),
            ("command", &*run.command.name),
            ("tag", run.tag.as_deref().unwrap_or("")),
        ];
        self.add(RUN_INFO, labels, 1.0);
        self.add(RUN_TIMESTAMP, [], run.finished.as_millisecond() as f64 / 1e3);
        self.add(DURATION, [], run.finished.duration_since(run.started).as_secs_f64());
        for severity in [Severity::Info, Severity::Warning, Severity::Critical] {
            let of_it = assessment.findings.iter().filter(|finding| finding.severity == severity).count();
            self.add(FINDINGS, [("severity", severity.name())], of_it as f64);
        }
        for finding in &assessment.findings {
            let labels = [
                ("code", &*finding.code),
                ("severity", finding.severity.name()),
                ("area", finding.layer.name()),
            ];
            self.add(FINDING, labels, 1.0);
        }
        for answer in asked(&assessment.answers) {
            let question = answer.question.name();
            let labels = [
                ("target", answer.subject.as_str()),
                ("question", question),
                ("answer", answer.answer.name()),
            ];
            self.add(ANSWER, labels, 1.0);
        }
        self.add(GAPS, [], crate::gaps(run).len() as f64);
        self.add(PASSED, [], assessment.passed.iter().collect::<BTreeSet<_>>().len() as f64);
        let undecided: BTreeSet<&str> = assessment.unknowns.iter().map(|one| one.code.as_str()).collect();
        self.add(UNDECIDED, [], undecided.len() as f64);
    }

    fn of_path(&mut self, path: &PathAssessment, assessment: &Assessment) {
        let (target, kind) = (path.target.as_str(), path_kind(path.kind));
        for verdict in VERDICTS {
            let labels = [("target", target), ("kind", kind), ("verdict", verdict.name())];
            self.add(PATH_VERDICT, labels, f64::from(u8::from(verdict == path.verdict)));
        }
        if !path.bottleneck.code.is_empty() {
            let labels = [
                ("target", target),
                ("kind", kind),
                ("layer", path.bottleneck.layer.name()),
                ("code", &*path.bottleneck.code),
            ];
            self.add(PATH_BOTTLENECK, labels, 1.0);
        }
        for measurement in &path.measurements {
            self.of_measurement(target, kind, measurement, assessment);
        }
    }

    fn of_measurement(
        &mut self,
        target: &str,
        kind: &str,
        measurement: &MeasurementAssessment,
        assessment: &Assessment,
    ) {
        let id = measurement.id.to_string();
        let labels = [("target", target), ("kind", kind), ("measurement", &id)];
        let ceiling = measurement.ceiling.and_then(|index| assessment.ceilings.get(index));
        let amounts = [
            ("measured", measurement.value, measurement.unit),
            (
                "ceiling",
                ceiling.map(|ceiling| ceiling.value),
                ceiling.map_or(measurement.unit, |one| one.unit),
            ),
            ("demand", measurement.demand, measurement.unit),
        ];
        for (what, value, unit) in amounts {
            if let (Some(name), Some(value)) = (amount_name(what, unit), value) {
                self.add(&name, labels, value * base_unit(unit).1);
            }
        }
        for (name, value) in [(CEILING_SHARE, measurement.share), (DEMAND_SHARE, measurement.demand_share)] {
            if let Some(value) = value {
                self.add(name, labels, value);
            }
        }
    }

    fn families(self) -> Vec<Family> {
        let of = |own: &Own| {
            let points = self.0.iter().filter(|(name, _)| name == own.name).map(|(_, point)| point.clone());
            Family {
                name: own.name.to_owned(),
                unit: own.unit,
                kind: own.kind,
                help: own.help.to_owned(),
                points: points.collect(),
            }
        };
        FAMILIES.iter().map(of).filter(|family| !family.points.is_empty()).collect()
    }
}

pub(super) const VERDICTS: [Verdict; 5] =
    [Verdict::FullWire, Verdict::Good, Verdict::Poor, Verdict::NotDriven, Verdict::Unknown];

pub(super) fn path_kind(kind: PathKind) -> &'static str {
    match kind {
        PathKind::Network => "network",
        PathKind::Storage => "storage",
    }
}
