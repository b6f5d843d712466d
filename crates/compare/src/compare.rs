//! Two sets of runs side by side.

use crate::cause::cause;
use crate::control;
use crate::figure::{Figure, Kind, figures};
use crate::judge::{LEAST_HISTORY, Observed, Weighed, answer, weigh, without_interval};
use crate::options::Options;
use crate::settings;
use crate::statistics::{benjamini_hochberg, holm, theil_sen};
use crate::stolen;
use fullwire_model::assessment::PathKind;
use fullwire_model::comparison::{Answer, Compared, Comparison, Design, LeftOut, TargetPair};
use fullwire_model::{MeasurementId, PathName, Run, median};
use std::collections::BTreeSet;

/// Compares runs made before with runs made after. Pairs are taken in the order given when the design alternates.
pub fn compare(a: &[&Run], b: &[&Run], options: &Options<'_>) -> Comparison {
    let mut comparison = Comparison {
        a: a.iter().map(|run| run.run_id.clone()).collect(),
        b: b.iter().map(|run| run.run_id.clone()).collect(),
        design: options.design,
        control: options.control.cloned(),
        ..Comparison::default()
    };
    let hosts: Vec<BTreeSet<&str>> = [a, b].map(|runs| names_of_hosts(runs)).into();
    let same_host = hosts[0] == hosts[1] && hosts[0].len() <= 1;
    (comparison.settings, comparison.conditions) = settings::between(a, b, options.conclude, same_host);
    let sides = Sides::of(a, b, options);
    comparison.left_out.clone_from(&sides.left_out);
    comparison.targets.clone_from(&sides.pairs);
    // A route to one of two targets is no change: the other was not asked for there.
    if comparison.targets.iter().any(|pair| pair.a != pair.b) {
        comparison.settings.retain(|change| {
            !(change.field.starts_with("routes ") && (change.a.is_none() || change.b.is_none()))
        });
    }
    if same_host {
        let mut found = sides.compared(options);
        if options.design == Design::Blocks {
            stolen::doubt(a, b, &mut found);
        }
        comparison.refused = untimed(a, b, &sides).or_else(|| refusal(&sides, &found));
        comparison.comparisons = found;
    } else if sides.a.iter().chain(&sides.b).any(|figures| !figures.is_empty()) {
        // Audits and captures of two hosts are compared by their settings: which host is different?
        let name = |side: &BTreeSet<&str>| side.iter().copied().collect::<Vec<_>>().join(", ");
        comparison.refused = Some(format!("different hosts: {} and {}", name(&hosts[0]), name(&hosts[1])));
    }
    if comparison.refused.is_some() {
        comparison.comparisons = if options.force { sides.columns() } else { Vec::new() };
    }
    comparison.answer = overall(&comparison);
    comparison.caveats = caveats(a, b, &sides, &comparison);
    let hours = a.len().min(b.len()) > 1 && [a, b].iter().all(|runs| hours(runs) > 1);
    if let Some(control) = options.control {
        comparison.caveats.extend(control::caveat(control, &comparison.comparisons, hours));
    }
    // Between two targets nothing was changed: what differs between them is listed.
    comparison.cause = cause(&comparison, hours).filter(|_| comparison.targets.is_empty());
    comparison
}

/// Hours of the clock in which runs began: what comes and goes with the time of day acts on each.
fn hours(runs: &[&Run]) -> usize {
    runs.iter().map(|run| run.started.as_second().div_euclid(3600)).collect::<BTreeSet<_>>().len()
}

fn names_of_hosts<'a>(runs: &[&'a Run]) -> BTreeSet<&'a str> {
    runs.iter().map(|run| run.host.hostname.as_str()).collect()
}

/// The figures of every run, by side.
struct Sides {
    a: Vec<Vec<Figure>>,
    b: Vec<Vec<Figure>>,
    history: Vec<Vec<Figure>>,
    /// Targets of the second side that stand for one of the first.
    pairs: Vec<TargetPair>,
    left_out: Vec<LeftOut>,
}

/// One figure as both sides have it.
struct Key<'a> {
    path: &'a PathName,
    measurement: &'a MeasurementId,
    kind: &'a Kind,
}

impl Sides {
    fn of(a: &[&Run], b: &[&Run], options: &Options<'_>) -> Self {
        let mut left_out = Vec::new();
        let mut take = |runs: &[&Run]| -> Vec<Vec<Figure>> {
            runs.iter()
                .map(|run| {
                    let (found, without) = figures(run, &options.deltas);
                    left_out.extend(without);
                    found
                })
                .collect()
        };
        let (a, b) = (take(a), take(b));
        let history = options.history.iter().map(|run| figures(run, &options.deltas).0).collect();
        let mut sides = Self { pairs: pairs(&a, &b, options.force), a, b, history, left_out };
        for figure in sides.b.iter_mut().flatten() {
            if let Some(pair) = sides.pairs.iter().find(|pair| pair.b == figure.path) {
                figure.path.clone_from(&pair.a);
            }
        }
        sides.drop_unsteady(options.design);
        sides
    }

    /// What never settled is shown, not compared, unless that leaves too little.
    fn drop_unsteady(&mut self, design: Design) {
        let unsteady =
            |runs: &[Vec<Figure>]| runs.iter().filter(|run| run.iter().any(|figure| figure.unsteady)).count();
        let few = |runs: &[Vec<Figure>]| 2 * unsteady(runs) > runs.len();
        // A pair with one side missing is no pair.
        if design == Design::Abba || few(&self.a) || few(&self.b) {
            return;
        }
        for run in self.a.iter_mut().chain(&mut self.b) {
            run.retain(|figure| {
                if figure.unsteady && figure.kind.rank <= 1 {
                    self.left_out.push(LeftOut {
                        run_id: String::new(),
                        what: format!("{} {}", figure.path, figure.measurement),
                        why: "it never became steady".into(),
                    });
                }
                !figure.unsteady
            });
        }
    }

    /// Every figure that both sides have, in the order of the first run that has it.
    fn keys(&self) -> Vec<Key<'_>> {
        let mut keys: Vec<Key<'_>> = Vec::new();
        for figure in self.a.iter().flatten() {
            let key = Key { path: &figure.path, measurement: &figure.measurement, kind: &figure.kind };
            let known = keys.iter().any(|other| key.names(other.path, other.measurement, other.kind.name));
            if !known && self.b.iter().flatten().any(|other| key.is(other)) {
                keys.push(key);
            }
        }
        keys
    }

    fn compared(&self, options: &Options<'_>) -> Vec<Compared> {
        let keys = self.keys();
        let mut weighed: Vec<Weighed> = keys.iter().map(|key| self.weighed(key, options)).collect();
        if let Some(control) = options.control {
            control::take_off(&mut weighed, control);
        }
        for (index, key) in keys.iter().enumerate() {
            if options.control == Some(key.path) {
                continue;
            }
            let least = keys.iter().filter(|other| other.path == key.path).map(|other| other.kind.rank).min();
            let first =
                keys.iter().position(|other| other.path == key.path && Some(other.kind.rank) == least);
            weighed[index].compared.primary = first == Some(index);
        }
        let holds = corrected(&weighed);
        let mut answered: Vec<Compared> = weighed
            .into_iter()
            .zip(holds)
            .map(|(weighed, holds)| {
                if weighed.compared.answer == Answer::NotComparable {
                    weighed.compared
                } else {
                    answer(weighed, holds)
                }
            })
            .collect();
        answered.sort_by_key(|compared| !compared.primary);
        answered
    }

    fn weighed(&self, key: &Key<'_>, options: &Options<'_>) -> Weighed {
        let mut compared = self.blank(key);
        let question = self.unlike(key);
        let paired = options.design == Design::Abba;
        let observed = Observed {
            a: values(&self.a, key, paired),
            b: values(&self.b, key, paired),
            history: self.history_of(key),
            paired,
        };
        let observed = if paired { complete_pairs(observed) } else { observed };
        if let Some(why) = question {
            compared.answer = Answer::NotComparable;
            compared.why = Some(why);
            let mut weighed = weigh(key.kind, &observed, compared);
            without_interval(&mut weighed.compared);
            return weighed;
        }
        weigh(key.kind, &observed, compared)
    }

    /// Both columns, without any conclusion, also of what one side alone has.
    fn columns(&self) -> Vec<Compared> {
        let plain = |key: &Key<'_>| {
            let observed = Observed {
                a: values(&self.a, key, false),
                b: values(&self.b, key, false),
                ..Observed::default()
            };
            let mut compared = weigh(key.kind, &observed, self.blank(key)).compared;
            compared.answer = Answer::NotComparable;
            compared.why = compared.why.or_else(|| self.unlike(key));
            without_interval(&mut compared);
            compared.detectable = None;
            compared
        };
        let mut keys: Vec<Key<'_>> = Vec::new();
        for figure in self.a.iter().chain(&self.b).flatten() {
            if !keys.iter().any(|key| key.is(figure)) {
                keys.push(Key { path: &figure.path, measurement: &figure.measurement, kind: &figure.kind });
            }
        }
        keys.iter().map(plain).collect()
    }

    fn blank(&self, key: &Key<'_>) -> Compared {
        let other = self.pairs.iter().find(|pair| pair.a == *key.path && pair.b != *key.path);
        Compared { path_b: other.map(|pair| pair.b.clone()), ..key.blank() }
    }

    /// The first thing in which two runs ask differently.
    fn unlike(&self, key: &Key<'_>) -> Option<String> {
        let mut asked = self.a.iter().chain(&self.b).flatten().filter(|figure| key.is(figure));
        let first = &asked.next()?.question;
        asked.find_map(|figure| first.difference(&figure.question))
    }

    fn history_of(&self, key: &Key<'_>) -> Vec<f64> {
        let Some(own) = self.a.iter().flatten().find(|figure| key.is(figure)) else { return Vec::new() };
        let alike = |figure: &&Figure| key.is(figure) && own.is_like(figure);
        self.history.iter().flatten().filter(alike).filter_map(|figure| median(&figure.values)).collect()
    }
}

/// Targets that stand for one another: the same one with another file system on it, or the only one of each side of its
/// kind. With `force` also several, in their order.
fn pairs(a: &[Vec<Figure>], b: &[Vec<Figure>], force: bool) -> Vec<TargetPair> {
    let mut found = Vec::new();
    for kind in [PathKind::Network, PathKind::Storage] {
        let [firsts, seconds] = [a, b].map(|side| targets(side, kind));
        let shared = |path: &PathName| seconds.iter().any(|other| other.path == *path);
        let chosen: Vec<(&Figure, &Figure)> = if firsts.iter().any(|first| shared(&first.path)) {
            let same = |first: &&Figure| seconds.iter().find(|other| other.path == first.path).copied();
            firsts.iter().filter_map(|first| Some((*first, same(first)?))).collect()
        } else if force || (firsts.len() == 1 && seconds.len() == 1) {
            firsts.into_iter().zip(seconds).collect()
        } else {
            Vec::new()
        };
        let other = |(first, second): &(&Figure, &Figure)| {
            first.path != second.path || first.target.identity != second.target.identity
        };
        found.extend(chosen.into_iter().filter(other).map(|(first, second)| TargetPair {
            a: first.path.clone(),
            b: second.path.clone(),
            differences: first.target.differences(&second.target),
        }));
    }
    found
}

/// One figure of each target of a kind, in the order in which they were measured.
fn targets(side: &[Vec<Figure>], kind: PathKind) -> Vec<&Figure> {
    let mut found: Vec<&Figure> = Vec::new();
    for figure in side.iter().flatten().filter(|figure| figure.target.kind == kind) {
        if !found.iter().any(|known| known.path == figure.path) {
            found.push(figure);
        }
    }
    found
}

impl Key<'_> {
    fn is(&self, figure: &Figure) -> bool {
        self.names(&figure.path, &figure.measurement, figure.kind.name)
    }

    fn names(&self, path: &PathName, measurement: &MeasurementId, name: &str) -> bool {
        self.path == path && *self.measurement == *measurement && self.kind.name == name
    }

    fn blank(&self) -> Compared {
        Compared {
            path: self.path.to_owned(),
            measurement: self.measurement.clone(),
            figure: self.kind.name.to_owned(),
            label: format!("{} {}", self.measurement, self.kind.name),
            unit: self.kind.unit,
            better: self.kind.better,
            ..Compared::default()
        }
    }
}

/// The repeats of each run; a run without the figure is left out, or empty where places matter.
fn values(runs: &[Vec<Figure>], key: &Key<'_>, keep_places: bool) -> Vec<Vec<f64>> {
    let found = runs.iter().map(|run| run.iter().find(|figure| key.is(figure)));
    let found = found.map(|figure| figure.map(|figure| figure.values.clone()).unwrap_or_default());
    found.filter(|values| keep_places || !values.is_empty()).collect()
}

fn complete_pairs(observed: Observed) -> Observed {
    let pairs = observed.a.into_iter().zip(observed.b).filter(|(a, b)| !a.is_empty() && !b.is_empty());
    let (a, b) = pairs.unzip();
    Observed { a, b, ..observed }
}

/// Which differences remain after the correction for their number: Holm over the primary figures, Benjamini-Hochberg
/// over the rest.
fn corrected(weighed: &[Weighed]) -> Vec<bool> {
    let mut holds = vec![false; weighed.len()];
    for primary in [true, false] {
        let comparable = |weighed: &Weighed| weighed.compared.answer != Answer::NotComparable;
        let chosen: Vec<usize> = (0..weighed.len())
            .filter(|&i| weighed[i].compared.primary == primary && comparable(&weighed[i]))
            .collect();
        let p: Vec<f64> = chosen.iter().map(|&i| weighed[i].p()).collect();
        let rejected = if primary { holm(&p, 0.05) } else { benjamini_hochberg(&p, 0.10) };
        for (&index, rejected) in chosen.iter().zip(rejected) {
            holds[index] = rejected;
        }
    }
    holds
}

/// Small files that were over before they could be timed leave a side without a figure.
fn untimed(a: &[&Run], b: &[&Run], sides: &Sides) -> Option<String> {
    let empty = [&sides.a, &sides.b].into_iter().any(|side| side.iter().all(Vec::is_empty));
    let results = a.iter().chain(b).flat_map(|run| &run.disk).flat_map(|one| &one.small_files);
    let most = results.map(|one| one.plan.files).max().filter(|_| empty)?;
    Some(format!("there were too few files to time them; measure both sides with --files {}", most * 10))
}

/// Nothing can be compared: the first reason.
fn refusal(sides: &Sides, found: &[Compared]) -> Option<String> {
    if let Some(first) = found.first() {
        let all = found.iter().all(|compared| compared.answer == Answer::NotComparable);
        let why = first.why.clone().unwrap_or_default();
        return all.then(|| format!("different questions: {}: {why}", first.measurement));
    }
    let measured = |runs: &[Vec<Figure>]| -> BTreeSet<String> {
        runs.iter().flatten().map(|figure| format!("{} {}", figure.path, figure.measurement)).collect()
    };
    let (a, b) = (measured(&sides.a), measured(&sides.b));
    match (a.first(), b.first()) {
        (Some(a), Some(b)) => Some(format!("different questions: one side measured {a}, the other {b}")),
        // Audits and captures: there is nothing but the configuration to compare.
        (None, None) => None,
        _ => Some("only one side measured anything".into()),
    }
}

pub(crate) fn overall(comparison: &Comparison) -> Answer {
    if comparison.refused.is_some() {
        return Answer::NotComparable;
    }
    let primaries: Vec<Answer> = comparison.primaries().map(|compared| compared.answer).collect();
    let has = |answer| primaries.contains(&answer);
    match () {
        () if comparison.is_worse() => Answer::Worse,
        () if primaries.is_empty() || has(Answer::CannotTell) => Answer::CannotTell,
        () if has(Answer::NotComparable) => Answer::NotComparable,
        () if has(Answer::Worse) => Answer::Worse,
        () if has(Answer::Better) => Answer::Better,
        () => Answer::Same,
    }
}

fn caveats(a: &[&Run], b: &[&Run], sides: &Sides, comparison: &Comparison) -> Vec<String> {
    let mut all = Vec::new();
    let versions: BTreeSet<&str> = a.iter().chain(b).map(|run| run.tool_version.as_str()).collect();
    if versions.len() > 1 {
        let list = versions.into_iter().collect::<Vec<_>>().join(", ");
        all.push(format!(
            "the runs were made by different versions of fullwire ({list}), which may measure differently"
        ));
    }
    if comparison.settings.len() >= settings::MOST_LISTED {
        let listed = settings::MOST_LISTED;
        all.push(format!("more settings may differ than the {listed} that are listed"));
    }
    if comparison.design == Design::Blocks {
        let drifting = |runs: &[Vec<Figure>], compared: &&Compared| {
            let figure = |run: &Vec<Figure>| {
                let is = |figure: &&Figure| {
                    figure.path == compared.path
                        && figure.measurement == compared.measurement
                        && figure.kind.name == compared.figure
                };
                run.iter().find(is).and_then(|figure| median(&figure.values))
            };
            let series: Vec<f64> = runs.iter().filter_map(figure).collect();
            series.len() >= LEAST_HISTORY && theil_sen(&series).is_some_and(|(_, sure)| sure)
        };
        for compared in comparison.primaries() {
            if drifting(&sides.a, &compared) || drifting(&sides.b, &compared) {
                all.push(format!(
                    "{} of {} drifted during the runs of one side: part of the change may be drift",
                    compared.label, compared.path
                ));
            }
        }
    }
    if comparison.primaries().any(|compared| compared.method == fullwire_model::comparison::Method::Repeats) {
        let whose = if sides.a.len() == 1 && sides.b.len() == 1 { "each side has" } else { "one side has" };
        all.push(format!(
            "{whose} only the repeats of one run: the intervals are widened by the scatter between runs"
        ));
    }
    all
}
