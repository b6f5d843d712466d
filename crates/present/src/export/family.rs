//! Metric families: what every format of numbers is drawn from.

use super::judgement;
use super::labels::labelled;
use super::names::exported;
use super::selection::Scope;
use super::value::{Family, FamilyKind, Point};
use fullwire_model::Run;
use fullwire_model::assessment::Assessment;
use fullwire_model::metric::{Kind, Sample};
use std::collections::{BTreeSet, HashMap, HashSet};

/// What a run says in numbers, by family: the judgement first, then the metric table in its order. Unknown is absent.
pub fn families(run: &Run, assessment: &Assessment, scope: Scope) -> Vec<Family> {
    let mut all = judgement::families(run, assessment);
    let mut series: usize = all.iter().map(|family| family.points.len()).sum();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut seen = HashSet::new();
    let mut left_out = 0_u32;
    let parts = run.host.disks.iter().filter(|disk| disk.partition.is_some());
    let partitions: BTreeSet<&str> = parts.map(|disk| disk.name.as_str()).collect();
    for sample in labelled(run).into_iter().filter(|sample| wanted(&partitions, sample, scope)) {
        let exported = exported(sample.metric);
        let value = sample.value * exported.factor;
        if !value.is_finite() {
            continue;
        }
        if series >= scope.most() || !seen.insert((exported.name.clone(), sample.labels.clone())) {
            left_out += 1;
            continue;
        }
        series += 1;
        let place = *places.entry(exported.name.clone()).or_insert_with(|| {
            all.push(empty(&exported.name, exported.unit, &sample));
            all.len() - 1
        });
        all[place].points.push(Point { labels: sample.labels, value });
    }
    all.push(judgement::left_out(left_out));
    all
}

/// What a probe measured, without the host and without a judgement.
pub fn results(run: &Run) -> Vec<Family> {
    let mut all: Vec<Family> = Vec::new();
    for sample in labelled(run) {
        let selector = &sample.metric.selector;
        let is_result = selector.starts_with("net[]") || selector.starts_with("mtu[]");
        let exported = exported(sample.metric);
        let value = sample.value * exported.factor;
        if !(is_result && value.is_finite() && Scope::Usual.takes(selector)) {
            continue;
        }
        let point = Point { labels: sample.labels.clone(), value };
        if let Some(family) = all.iter_mut().find(|family| family.name == exported.name) {
            family.points.push(point);
            continue;
        }
        let family = empty(&exported.name, exported.unit, &sample);
        all.push(Family { points: vec![point], ..family });
    }
    all
}

fn wanted(partitions: &BTreeSet<&str>, sample: &Sample, scope: Scope) -> bool {
    let selector = &sample.metric.selector;
    let of_disk = selector.starts_with("host.disks[]") || selector.starts_with("windows[].to.disks{}");
    let disk = || sample.labels.first().is_none_or(|(_, name)| scope.takes_disk(partitions, name));
    scope.takes(selector) && (!of_disk || disk())
}

fn empty(name: &str, unit: Option<&'static str>, sample: &Sample) -> Family {
    let kind = if sample.metric.kind == Kind::Counter { FamilyKind::Counter } else { FamilyKind::Gauge };
    Family { name: name.to_owned(), unit, kind, help: sample.metric.help.clone(), points: Vec::new() }
}

/// A number as every reader takes it: digits and a point, no exponent.
pub fn plain(value: f64) -> String {
    // The shortest digits that read back as the same number; -0 is 0.
    if value == 0.0 { "0".to_owned() } else { format!("{value}") }
}
