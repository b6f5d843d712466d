//! A comparison, folded into sentences and tables.

use super::results::Table;
use crate::format;
use fullwire_model::PathName;
use fullwire_model::assessment as asked;
use fullwire_model::comparison::{
    Answer, Compared, Comparison, Design, LeftOut, SettingChange, SideFigure, TargetDifference, TargetPair,
};
use fullwire_model::quantity::Unit;
use std::collections::BTreeSet;

/// This many differences of the configuration that affect nothing measured are listed; the rest is counted.
const MOST_OTHERS: usize = 8;
/// Where nothing was measured: two hosts may differ in hundreds, and those that change what a rule says come first.
const MOST_SETTINGS: usize = 40;

/// Free memory and space that differ by less are the same state (own choice).
const ALIKE: f64 = 0.1;

/// All that is shown of a comparison.
#[derive(Debug, Clone)]
pub struct ComparisonReport<'a> {
    /// What it says.
    pub comparison: &'a Comparison,
    /// `before (6 runs) and after (6 runs), in blocks`.
    pub sides: String,
    /// One sentence for each primary figure, and the cause.
    pub headline: Vec<String>,
    /// One table for each path.
    pub figures: Vec<(&'a PathName, Table)>,
    /// What differs in the configuration and affects the path.
    pub settings: Option<Table>,
    /// What else differs.
    pub others: Option<Table>,
    /// Of the host's state.
    pub conditions: Option<Table>,
    /// What was not compared, and what to know before believing.
    pub notes: Vec<String>,
}

impl<'a> ComparisonReport<'a> {
    /// Folds.
    pub fn new(comparison: &'a Comparison) -> Self {
        let (relevant, others): (Vec<_>, Vec<_>) =
            comparison.settings.iter().partition(|change| change.relevant);
        Self {
            comparison,
            sides: sides(comparison),
            headline: headline(comparison),
            figures: paths(comparison).into_iter().map(|path| (path, figures(comparison, path))).collect(),
            settings: changes(
                "Configuration",
                &relevant,
                match () {
                    () if comparison.is_refused() => MOST_OTHERS,
                    () if is_of_settings(comparison) => MOST_SETTINGS,
                    () => usize::MAX,
                },
            ),
            others: changes("Also differs", &others, MOST_OTHERS),
            conditions: changes("Conditions", &conditions(comparison), MOST_OTHERS),
            notes: notes(comparison),
        }
    }

    /// The word that is first.
    pub fn word(&self) -> String {
        match self.comparison.answer {
            Answer::Same => "no difference".to_owned(),
            _ if is_of_settings(self.comparison) => "configuration".to_owned(),
            answer => answer.name().replace('-', " "),
        }
    }
}

/// Nothing was measured on either side.
fn is_of_settings(comparison: &Comparison) -> bool {
    comparison.comparisons.is_empty() && comparison.refused.is_none() && comparison.left_out.is_empty()
}

fn sides(comparison: &Comparison) -> String {
    let side = |name: &str, runs: &[String]| match (name, runs) {
        (name, [only]) if name == only || name.is_empty() => only.clone(),
        (name, [_]) => name.to_owned(),
        (name, runs) => format!("{name} ({} runs)", runs.len()),
    };
    let how = match comparison.design {
        Design::Abba => ", alternating",
        Design::Blocks => "",
    };
    let (a, b) = (side(&comparison.a_name, &comparison.a), side(&comparison.b_name, &comparison.b));
    format!("{a} and {b}{how}")
}

fn paths(comparison: &Comparison) -> Vec<&PathName> {
    let mut paths = Vec::new();
    for compared in &comparison.comparisons {
        if !paths.contains(&&compared.path) {
            paths.push(&compared.path);
        }
    }
    paths
}

fn headline(comparison: &Comparison) -> Vec<String> {
    if let Some(refused) = &comparison.refused {
        let shown = if comparison.comparisons.is_empty() {
            ""
        } else {
            " Both columns are shown without a conclusion."
        };
        return vec![format!("Not compared: {refused}.{shown}")];
    }
    let mut sentences: Vec<String> = comparison.targets.iter().map(two_targets).collect();
    sentences.extend(answers(comparison).into_iter().map(|answer| answer.text));
    if comparison.comparisons.is_empty() && !comparison.left_out.is_empty() {
        sentences.push("No figure could be compared; the reasons are below.".into());
    }
    if comparison.comparisons.is_empty() {
        sentences.push(settings(&comparison.settings));
    }
    if let Some(cause) = &comparison.cause {
        let mut text = cause.text.clone();
        if let Some(first) = text.get(..1).map(str::to_uppercase) {
            text.replace_range(..1, &first);
        }
        sentences.push(format!("{text}."));
    }
    sentences
}

/// `12 settings differ; 3 of them can affect an I/O path, and what these checks say differs: mount-discard.`
fn settings(changes: &[SettingChange]) -> String {
    let all = match changes.len() {
        0 => return "The configuration is the same, as far as it was read.".into(),
        1 => "1 setting differs".to_owned(),
        all => format!("{all} settings differ"),
    };
    let relevant = changes.iter().filter(|change| change.relevant);
    let codes: BTreeSet<&str> =
        relevant.clone().flat_map(|change| &change.codes).map(String::as_str).collect();
    let codes: Vec<&str> = codes.into_iter().collect();
    let count = relevant.count();
    let can = match count {
        0 => return format!("{all}; none is known to affect an I/O path."),
        1 if changes.len() == 1 => "it can affect an I/O path".to_owned(),
        count if count == changes.len() => "each can affect an I/O path".to_owned(),
        count => format!("{count} of them can affect an I/O path"),
    };
    if codes.is_empty() {
        return format!("{all}; {can}.");
    }
    format!("{all}; {can}, and what these checks say differs: {}.", codes.join(", "))
}

/// Whether it is better than before, one answer for each path.
pub(crate) fn answers(comparison: &Comparison) -> Vec<asked::Answer> {
    let of = |compared: &Compared| asked::Answer {
        question: asked::UserQuestion::Better,
        subject: compared.path_b.as_ref().unwrap_or(&compared.path).clone(),
        answer: match compared.answer {
            Answer::Better => asked::Reply::Better,
            Answer::Worse => asked::Reply::Worse,
            Answer::Same => asked::Reply::Same,
            Answer::CannotTell => asked::Reply::Unknown,
            Answer::NotComparable => asked::Reply::NotComparable,
        },
        figure: compared.b.median,
        limit: compared.a.median,
        unit: Some(compared.unit),
        basis: compared.label.clone(),
        text: sentence(compared),
        ..asked::Answer::default()
    };
    comparison.primaries().map(of).collect()
}

/// Most properties that a sentence names; the table of the page and `--json` have all.
const MOST_PROPERTIES: usize = 6;

/// `Two targets: host01 and host01-priv. They differ in MTU (1500, 9000) and interface (eth0, eth1).`
fn two_targets(pair: &TargetPair) -> String {
    let first = if pair.a == pair.b {
        format!("{} is not the same target on both sides.", pair.a)
    } else {
        format!("Two targets: {} and {}.", pair.a, pair.b)
    };
    let value = |text: &str| if text.is_empty() { "–".to_owned() } else { text.to_owned() };
    let named = |one: &TargetDifference| format!("{} ({} and {})", one.name, value(&one.a), value(&one.b));
    let all: Vec<String> = pair.differences.iter().take(MOST_PROPERTIES).map(named).collect();
    if all.is_empty() {
        return format!("{first} Nothing else that was read of them differs.");
    }
    format!("{first} They differ in {}.", all.join(", "))
}

/// `async throughput to db2:5555 is 8.7 % higher: 4,812 MB/s before, 5,231 MB/s after (95 %: +6.1 to +11.0 %, 6 pairs).`
pub fn sentence(compared: &Compared) -> String {
    let (a, b) = (amount(&compared.a, compared.unit), amount(&compared.b, compared.unit));
    let (name, values) = match &compared.path_b {
        Some(other) => (
            format!("{} of {other} against {}", compared.label, compared.path),
            format!("{a} on {}, {b} on {other}", compared.path),
        ),
        None => (format!("{} of {}", compared.label, compared.path), format!("{a} before, {b} after")),
    };
    let interval = match (compared.low, compared.high) {
        (Some(_), Some(_)) => format!(" (95 %: {}, {})", interval(compared), observations(compared)),
        _ => String::new(),
    };
    let interval = match compared.control {
        Some(control) => format!("{interval}; {} of the control path taken off", signed(control, compared)),
        None => interval,
    };
    match compared.answer {
        Answer::Better | Answer::Worse => {
            let word = compared.answer.name();
            let little = if compared.less_than_delta {
                format!(", but by less than {}", delta(compared))
            } else {
                String::new()
            };
            format!("{name} is {word}{little}: {}, {values}{interval}.", change(compared))
        }
        Answer::Same => {
            format!("{name} shows no difference larger than {}: {values}{interval}.", delta(compared))
        }
        Answer::CannotTell => format!("{name} is undecided: {values}{interval}. {}", unsettled(compared)),
        Answer::NotComparable => {
            format!("{name} cannot be compared: {}.", compared.why.as_deref().unwrap_or("the sides differ"))
        }
    }
}

/// More runs than this nobody makes for an answer (own choice: a month of nights).
const MANY: u32 = 30;
const QUIETER: &str = "runs scatter less on a host without other load, or with a longer --duration";

fn unsettled(compared: &Compared) -> String {
    let why = compared.why.as_ref().map(|why| format::capital(why) + ". ").unwrap_or_default();
    let more = match compared.pairs_needed {
        Some(more) => {
            let what = if compared.method == fullwire_model::comparison::Method::SignedRank {
                format!("{more} more {}", if more == 1 { "pair" } else { "pairs" })
            } else {
                format!("{more} more {} on each side", if more == 1 { "run" } else { "runs" })
            };
            let quieter = if more > MANY { format!(": {QUIETER}") } else { String::new() };
            format!("About {what} would settle {}{quieter}.", delta(compared))
        }
        None if compared.detectable.is_some() => {
            format!("With this scatter no sensible number of runs settles {}: {QUIETER}.", delta(compared))
        }
        None => String::new(),
    };
    format!("{why}{more}").trim_end().to_owned()
}

fn figures(comparison: &Comparison, path: &PathName) -> Table {
    let mut own = comparison.comparisons.iter().filter(|compared| compared.path == *path);
    let other = own.find_map(|compared| compared.path_b.as_ref());
    let title = other.map_or_else(|| path.to_string(), |other| format!("{path} → {other}"));
    let mut table =
        Table::new(&title, &["figure", "#before", "#after", "#change", "95 % interval", "answer"]);
    for compared in comparison.comparisons.iter().filter(|compared| compared.path == *path) {
        table.rows.push(vec![
            compared.label.clone(),
            amount(&compared.a, compared.unit),
            amount(&compared.b, compared.unit),
            change(compared),
            if compared.low.is_some() { interval(compared) } else { String::new() },
            answer(compared),
        ]);
    }
    if comparison.comparisons.iter().any(|compared| compared.path == *path && is_of_pairs(compared)) {
        table.notes.push(
            "A change with an interval is the median over all pairs of runs: where runs scatter it is not that of the two medians.".to_owned(),
        );
    }
    let primary = comparison.comparisons.iter().find(|compared| compared.path == *path && compared.primary);
    if let Some(primary) = primary {
        let mut scatters: Vec<String> =
            [&primary.a, &primary.b].into_iter().filter_map(|side| Some(scatter(side.scatter?))).collect();
        scatters.dedup();
        let sees = primary.detectable.filter(|_| primary.relative);
        let sees = sees.map(|share| format!("; such runs detect a change from {}", format::percent(share)));
        if !scatters.is_empty() {
            let both = scatters.join(" and ");
            table.notes.push(format!("{}: runs differ by {both}{}", primary.label, sees.unwrap_or_default()));
        }
    }
    table
}

/// Its change differs from that of the two medians beside it, by more than is worth a word (own choice).
fn is_of_pairs(compared: &Compared) -> bool {
    let medians = compared.a.median.zip(compared.b.median).filter(|(a, _)| *a > 0.0 && compared.relative);
    let shown = compared.change.filter(|_| compared.low.is_some() && compared.control.is_none());
    medians.zip(shown).is_some_and(|((a, b), change)| (b / a - 1.0 - change).abs() > 0.01)
}

fn amount(side: &SideFigure, unit: Unit) -> String {
    side.median.map_or_else(|| "–".into(), |value| format::value(value, unit))
}

fn observations(compared: &Compared) -> String {
    use fullwire_model::comparison::Method;
    match compared.method {
        Method::SignedRank => format!("{} pairs", compared.a.n),
        _ if compared.a.n == compared.b.n => format!("{} on each side", compared.a.n),
        _ => format!("{} and {}", compared.a.n, compared.b.n),
    }
}

/// `+8.7 %`, `+3 µs`, `+0.2 points`.
pub fn change(compared: &Compared) -> String {
    compared.change.map_or_else(String::new, |value| signed(value, compared))
}

/// Ends of an interval that differ by this factor (own choice).
const WIDEST: f64 = 100.0;

fn interval(compared: &Compared) -> String {
    match (compared.low, compared.high) {
        // Bounds that far apart tell no size.
        (Some(low), Some(high)) if compared.relative && (1.0 + high) > WIDEST * (1.0 + low) => {
            format!("wider than {WIDEST:.0} times")
        }
        (Some(low), Some(high)) => format!("{} to {}", signed(low, compared), signed(high, compared)),
        _ => String::new(),
    }
}

fn delta(compared: &Compared) -> String {
    plain(compared.delta, compared)
}

fn plain(value: f64, compared: &Compared) -> String {
    match (compared.relative, compared.unit) {
        (true, _) => share(value),
        (false, Unit::Ratio) => format!("{:.2} points", value * 100.0),
        (false, unit) => format::value(value, unit),
    }
}

/// One digit below ten percent, so that 0.4 % and 0.04 % differ.
fn share(value: f64) -> String {
    let percent = value * 100.0;
    match percent.abs() {
        size if size >= 99.95 => format!("{percent:.0} %"),
        size if size >= 9.95 => format!("{percent:.1} %").replace(".0 %", " %"),
        size if size >= 0.095 || size == 0.0 => format!("{percent:.1} %").replace(".0 %", " %"),
        _ => format!("{percent:.2} %"),
    }
}

/// `±2 %`; of what no one would write out, only that it is less.
fn scatter(share: f64) -> String {
    let percent = format::percent(share);
    if percent.starts_with(|first: char| first.is_ascii_digit()) { format!("±{percent}") } else { percent }
}

fn signed(value: f64, compared: &Compared) -> String {
    let text = plain(value.abs(), compared);
    match value {
        value if value > 0.0 => format!("+{text}"),
        value if value < 0.0 => format!("−{text}"),
        _ => text,
    }
}

fn answer(compared: &Compared) -> String {
    match compared.answer {
        Answer::Same => format!("same within {}", delta(compared)),
        Answer::Better | Answer::Worse if compared.less_than_delta => {
            format!("{} (< {})", compared.answer.name(), delta(compared))
        }
        answer => answer.name().replace('-', " "),
    }
}

fn changes(title: &str, changes: &[&SettingChange], most: usize) -> Option<Table> {
    let mut table = Table::new(title, &["setting", "before", "after", "affects"]);
    for change in changes.iter().take(most) {
        let size = |value: &String| {
            let number = value.parse::<f64>().ok()?;
            match change.field.rsplit(' ').next()? {
                field if field.ends_with("_bytes") => Some(format::size(number)),
                field if field.ends_with("_bytes_per_s") => {
                    Some(format!("{} ({})", format::rate(number), format::bit_rate(number)))
                }
                _ => None,
            }
        };
        let side = |value: &Option<String>| {
            value.as_ref().map_or_else(|| "–".into(), |one| size(one).unwrap_or_else(|| one.clone()))
        };
        let (mut a, mut b) = (side(&change.a), side(&change.b));
        if let (true, Some(before), Some(after)) = (a == b, &change.a, &change.b) {
            (a, b) = (before.clone(), after.clone());
        }
        table.rows.push(vec![change.name(), a, b, change.codes.join(", ")]);
    }
    let more = changes.len().saturating_sub(most);
    if more > 0 {
        table.notes.push(format!("and {more} more (the JSON has all)"));
    }
    (!table.rows.is_empty()).then(|| table.without_empty_columns())
}

/// Of the host's state what differs by more than it does from one minute to the next.
fn conditions(comparison: &Comparison) -> Vec<&SettingChange> {
    let number = |side: &Option<String>| side.as_ref()?.parse::<f64>().ok();
    let is_alike = |change: &SettingChange| {
        let both = number(&change.a).zip(number(&change.b));
        both.is_some_and(|(a, b)| (a - b).abs() <= ALIKE * a.abs().max(b.abs()))
    };
    comparison.conditions.iter().filter(|change| !is_alike(change)).collect()
}

fn notes(comparison: &Comparison) -> Vec<String> {
    let mut notes: Vec<String> =
        comparison.caveats.iter().map(|caveat| format::capital(caveat) + ".").collect();
    let mut seen: Vec<(&str, &str, usize)> = Vec::new();
    for LeftOut { what, why, .. } in &comparison.left_out {
        match seen.iter_mut().find(|(known, reason, _)| known == what && reason == why) {
            Some((_, _, count)) => *count += 1,
            None => seen.push((what, why, 1)),
        }
    }
    for (what, why, count) in seen {
        let times = if count > 1 { format!(" in {count} runs") } else { String::new() };
        notes.push(format!("Not compared: {what}{times}: {why}."));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_differ_by_is_said_as_one_would_say_it() {
        assert_eq!([scatter(0.024), scatter(0.000_02)], ["±2.4 %", "below 0.01 %"]);
        let same = Compared { answer: Answer::Same, delta: 5_000.0, unit: Unit::Ns, ..Compared::default() };
        assert_eq!(answer(&same), "same within 5 µs");
    }
}
