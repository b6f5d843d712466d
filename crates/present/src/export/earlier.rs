//! The paths of earlier runs beside those of the last one: what a monitor is told is the last known of each path.

use fullwire_model::Run;
use fullwire_model::assessment::{Assessment, Finding};
use fullwire_model::graph::Topology;

/// Adds the paths of earlier runs, with their results, ceilings and findings. What they say of the host is out of date.
pub fn add_earlier(run: &mut Run, assessment: &mut Assessment, earlier: Vec<(Run, Assessment)>) {
    for (other, judged) in earlier {
        add(assessment, judged, &Topology::of_run(&other));
        run.net.extend(other.net);
        run.disk.extend(other.disk);
        run.mtu.extend(other.mtu);
    }
}

fn add(assessment: &mut Assessment, other: Assessment, topology: &Topology) {
    let is_of_path = |finding: &Finding| {
        other.paths.iter().any(|path| topology.is_about(finding, path.kind, &path.target) == Some(true))
    };
    assessment.answers.extend(other.answers.iter().filter(|answer| other.has_path(&answer.subject)).cloned());
    assessment.findings.extend(other.findings.iter().filter(|finding| is_of_path(finding)).cloned());
    let ceilings = assessment.ceilings.len();
    assessment.ceilings.extend(other.ceilings);
    for mut path in other.paths {
        // Its causes point at findings of its own run.
        path.causes.iter_mut().for_each(|cause| cause.finding = None);
        for measurement in &mut path.measurements {
            measurement.ceiling = measurement.ceiling.map(|index| index + ceilings);
        }
        assessment.verdict = assessment.verdict.max(path.verdict);
        assessment.paths.push(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::assessment::{Ceiling, MeasurementAssessment, PathAssessment, Verdict};

    #[test]
    fn a_path_of_an_earlier_run_keeps_its_own_ceiling() {
        let of = |subject: &str, value: f64, verdict: Verdict| {
            let measurement = MeasurementAssessment { ceiling: Some(0), ..MeasurementAssessment::default() };
            let path = PathAssessment {
                target: subject.into(),
                verdict,
                measurements: vec![measurement],
                ..PathAssessment::default()
            };
            let ceiling = Ceiling { path: subject.into(), value, ..Ceiling::default() };
            Assessment { verdict, paths: vec![path], ceilings: vec![ceiling], ..Assessment::default() }
        };
        let mut last = of("db2", 100.0, Verdict::FullWire);
        add_earlier(&mut Run::default(), &mut last, vec![(Run::default(), of("/u01", 200.0, Verdict::Poor))]);
        assert_eq!(last.verdict, Verdict::Poor);
        let index = last.paths[1].measurements[0].ceiling.unwrap();
        assert_eq!((last.ceilings[index].path.as_str(), last.ceilings[index].value), ("/u01", 200.0));
    }
}
