//! Labels of a series: at most four, none that Prometheus or its users give their own meaning.

use fullwire_model::disk::DiskResult;
use fullwire_model::metric::{Sample, samples};
use fullwire_model::{PathName, Run};

/// More labels than this on one series are unreadable in a legend.
pub(super) const MOST_LABELS: usize = 4;

/// Labels that the collecting side sets, and what ours are called instead.
const TAKEN: &[(&str, &str)] = &[
    ("instance", "db_instance"),
    ("job", "job_name"),
    ("type", "kind"),
    ("region", "region_name"),
    ("env", "environment_name"),
];

/// Labels of a step or a stream that its measurement's name says in one.
const OF_STEP: &[&str] = &[
    "target", "mode", "reverse", "profile", "operation", "pattern", "block_bytes", "queue_depth", "threads",
];

/// Every sample of a run, with results under the names that the assessment gives its measurements, and counters of the
/// last window alone: two windows of one kind could not be distinguished, and the last one is the nearest to now.
pub(super) fn labelled(run: &Run) -> Vec<Sample> {
    let rest =
        Run { net: Vec::new(), disk: Vec::new(), windows: last(&run.windows), ..without_old_windows(run) };
    let mut all: Vec<Sample> = samples(&rest).map(of_window).collect();
    for result in &run.net {
        let part = Run { net: vec![result.clone()], ..Run::default() };
        all.extend(measured(&part, "net[]", &result.target, &result.label()));
    }
    for result in &run.disk {
        let bare = DiskResult { steps: Vec::new(), ..result.clone() };
        let part = Run { disk: vec![bare], ..Run::default() };
        all.extend(samples(&part).filter(|sample| sample.metric.selector.starts_with("disk[]")));
        for step in &result.steps {
            let one = DiskResult {
                target: result.target.clone(),
                steps: vec![step.clone()],
                ..DiskResult::default()
            };
            let part = Run { disk: vec![one], ..Run::default() };
            all.extend(measured(&part, "disk[].steps[]", &result.target, &step.label()));
        }
    }
    for sample in &mut all {
        tidy(sample);
    }
    all
}

fn last<T: Clone>(list: &[T]) -> Vec<T> {
    list.last().cloned().into_iter().collect()
}

/// The run with one window for each peer.
fn without_old_windows(run: &Run) -> Run {
    let mut run = run.clone();
    for peer in &mut run.peers {
        peer.windows = last(&peer.windows);
    }
    run
}

/// The samples of one result below this selector, under its target and measurement.
fn measured(part: &Run, selector: &str, target: &PathName, measurement: &str) -> Vec<Sample> {
    let named = [("target", target.as_str()), ("measurement", measurement)];
    samples(part)
        .filter(|sample| sample.metric.selector.starts_with(selector))
        .map(|mut sample| {
            sample.labels.retain(|(name, _)| !OF_STEP.contains(&name.as_str()));
            let named = named.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            sample.labels.splice(0..0, named);
            sample
        })
        .collect()
}

/// The window itself is no label: there is one.
fn of_window(mut sample: Sample) -> Sample {
    if sample.metric.selector.starts_with("windows[]") && !sample.labels.is_empty() {
        sample.labels.remove(0);
    }
    sample
}

fn tidy(sample: &mut Sample) {
    sample.labels.retain(|(_, value)| !value.is_empty());
    for (name, value) in &mut sample.labels {
        if let Some((_, instead)) = TAKEN.iter().find(|(taken, _)| taken == name) {
            (*instead).clone_into(name);
        }
        *value = crate::harmless(value);
    }
    while sample.labels.len() > MOST_LABELS {
        // The innermost ones belong together: they become one.
        let Some((_, inner)) = sample.labels.pop() else { break };
        if let Some((_, value)) = sample.labels.last_mut() {
            value.push(' ');
            value.push_str(&inner);
        }
    }
}
