//! Is the host in order?

use super::words::count;
use fullwire_model::Run;
use fullwire_model::assessment::{Answer, Assessment, Reply, Severity, UserQuestion};
use fullwire_model::quantity::Unit;

/// From this share of rules on that could not be decided, the rest is no all-clear.
const MUCH: f64 = 0.5;

pub(super) fn answer(run: &Run, assessment: &Assessment) -> Answer {
    let of = |severity| assessment.findings.iter().filter(|finding| finding.severity == severity).count();
    let (critical, warning) = (of(Severity::Critical), of(Severity::Warning));
    let (passed, unknown) = (assessment.passed.len(), assessment.unknowns.len());
    let decided = passed + assessment.findings.len();
    if decided + unknown == 0 {
        return Answer {
            question: UserQuestion::Healthy,
            answer: Reply::Unknown,
            text: "No check applies: this host has nothing of that kind.".to_owned(),
            ..Answer::default()
        };
    }
    let open = unknown as f64 / (decided + unknown) as f64;
    // Rules on disks do not apply where none was read.
    let no_disk = run.host.disks.is_empty() && run.host.gaps.iter().any(|gap| gap.subject == "/sys/block");
    let blind = open >= MUCH || no_disk;
    let (reply, first) = match assessment.findings.first() {
        Some(worst) if critical + warning > 0 => {
            let counts =
                [(critical, "critical"), (warning, "warning")].into_iter().filter(|(count, _)| *count > 0);
            let plural = |count, name| if count > 1 && name == "warning" { "s" } else { "" };
            let counts: Vec<String> =
                counts.map(|(count, name)| format!("{count} {name}{}", plural(count, name))).collect();
            let message = worst.message.trim_end_matches('.');
            (Reply::Unhealthy, format!("Not in order: {}. First: {message}.", counts.join(", ")))
        }
        _ if blind => {
            let disks = if no_disk { ": no disk could be read" } else { "" };
            let text = format!("No fault found in what could be read; this is not an all-clear{disks}.");
            (Reply::Unknown, text)
        }
        _ => (Reply::Healthy, "In order: nothing critical, no warning.".to_owned()),
    };
    let rest = match (unknown, blind) {
        (0, _) => String::new(),
        (_, true) => {
            format!("; {} ({:.0} % of all) could not be decided", count(unknown as f64), open * 100.0)
        }
        (_, false) => format!("; {} could not be decided", count(unknown as f64)),
    };
    Answer {
        question: UserQuestion::Healthy,
        answer: reply,
        figure: Some((critical + warning) as f64),
        unit: Some(Unit::Count),
        basis: format!("{passed} checks passed"),
        text: format!("{first} {} checks passed{rest}.", count(passed as f64)),
        ..Answer::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::host::Disk;
    use fullwire_model::{Gap, GapReason};

    /// Checks of disks do not apply to a host whose disks were not seen, and count for nothing.
    #[test]
    fn a_host_whose_disks_could_not_be_read_is_not_called_in_order() {
        let assessment = Assessment { passed: vec!["sysctl".into(); 9], ..Assessment::default() };
        let mut run = Run::default();
        assert_eq!(answer(&run, &assessment).answer, Reply::Healthy);
        run.host.gaps.push(Gap::new("/sys/block", GapReason::Absent, "no such folder"));
        let told = answer(&run, &assessment);
        assert!(
            told.answer == Reply::Unknown && told.text.contains("no disk could be read"),
            "{}",
            told.text
        );
        run.host.disks.push(Disk::default());
        assert_eq!(answer(&run, &assessment).answer, Reply::Healthy);
    }
}
