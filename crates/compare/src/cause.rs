//! What may be said of the cause: never more than the design of the comparison allows.

use fullwire_model::comparison::{Answer, CauseKind, Comparison, ComparisonCause, Design, SettingChange};

/// Names more than this many fields and the sentence is no longer one.
const MOST_NAMED: usize = 4;

/// The cause of what changed; `None` where nothing got better or worse.
///
/// `hours`: the runs of each side were made in more than one hour.
pub(crate) fn cause(comparison: &Comparison, hours: bool) -> Option<ComparisonCause> {
    let moved =
        comparison.primaries().any(|compared| matches!(compared.answer, Answer::Better | Answer::Worse));
    if !moved {
        return None;
    }
    let relevant: Vec<&SettingChange> = comparison.settings.iter().filter(|change| change.relevant).collect();
    let fields: Vec<String> = relevant.iter().map(|change| change.name()).collect();
    let relevant = one_for_each_command(relevant);
    let (kind, text) = match (relevant.as_slice(), comparison.design) {
        ([one], Design::Abba) => (CauseKind::CausedBy, format!("caused by {}", told(one))),
        ([one], Design::Blocks) if hours && is_controlled(comparison) => (
            CauseKind::CausedBy,
            format!("caused by {}, as far as a control path can tell: what it did meanwhile is taken off", told(one)),
        ),
        ([one], Design::Blocks) => (
            CauseKind::GoesWith,
            format!("coincides with {}; `fullwire prove` can tell whether it is the cause, because it alternates", told(one)),
        ),
        ([], Design::Abba) => (
            CauseKind::NothingChanged,
            "no setting that fullwire reads differs between the two states: the cause is something else that the commands changed"
                .into(),
        ),
        ([], Design::Blocks) => (
            CauseKind::NothingChanged,
            "no setting that fullwire reads changed: check the far end, the switch, the array and the load".into(),
        ),
        (several, _) => {
            let listed: Vec<String> = several.iter().take(MOST_NAMED).map(|change| plain(&change.name())).collect();
            let more = several.len().saturating_sub(MOST_NAMED);
            let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
            (CauseKind::CannotBeToldApart, format!("cannot be separated: {}{rest}", listed.join(", ")))
        }
    };
    Some(ComparisonCause { kind, text, fields })
}

/// Every primary figure that moved was held against the control path.
fn is_controlled(comparison: &Comparison) -> bool {
    let moved = |answer| matches!(answer, Answer::Better | Answer::Worse);
    comparison
        .primaries()
        .filter(|compared| moved(compared.answer))
        .all(|compared| compared.control.is_some())
}

/// One command sets all fields of a queueing discipline: they are one difference.
fn one_for_each_command(relevant: Vec<&SettingChange>) -> Vec<&SettingChange> {
    let discipline = |change: &SettingChange| {
        let (element, _) =
            change.field.rsplit_once(' ').filter(|(element, _)| element.contains(" qdiscs "))?;
        Some((change.subject.clone(), element.to_owned()))
    };
    let mut kept: Vec<&SettingChange> = Vec::new();
    for change in relevant {
        let own = discipline(change);
        // The rate is what a reader looks for.
        match kept.iter_mut().find(|other| own.is_some() && discipline(other) == own) {
            Some(other) if change.field.ends_with("rate_bytes_per_s") => *other = change,
            Some(_) => {}
            None => kept.push(change),
        }
    }
    kept
}

fn told(change: &SettingChange) -> String {
    let value =
        |value: &Option<String>| value.as_deref().map_or("nothing".into(), |v| shown(&change.field, v));
    format!("{} ({} to {})", plain(&change.name()), value(&change.a), value(&change.b))
}

/// What the end of a field's name says of its number, the factor to the unit that people use, and that unit.
const UNITS: [(&str, f64, &str); 4] = [
    ("_bytes_per_s", 8e-6, "Mbit/s"),
    ("_mbit_per_s", 1.0, "Mbit/s"),
    ("_bytes", 1.0 / 1024.0, "KiB"),
    ("_ns", 1e-6, "ms"),
];

/// `nics va qdiscs tbf root rate_bytes_per_s` as `va tbf root rate`.
fn plain(field: &str) -> String {
    let field = ["nics ", "disks "].iter().find_map(|list| field.strip_prefix(list)).unwrap_or(field);
    let field = field.replace(" qdiscs ", " ").replace(" qdiscs", " queueing discipline");
    let bare = UNITS.iter().find_map(|(end, ..)| field.strip_suffix(end));
    bare.unwrap_or(&field).replace('_', " ")
}

/// `rate_bytes_per_s` 25000000.0 as `200 Mbit/s`.
fn shown(field: &str, value: &str) -> String {
    let unit = UNITS.iter().find(|(end, ..)| field.ends_with(end));
    match unit.zip(value.parse::<f64>().ok()) {
        Some(((_, factor, unit), number)) => {
            let amount = format!("{:.3}", number * factor);
            format!("{} {unit}", amount.trim_end_matches('0').trim_end_matches('.'))
        }
        None => value.to_owned(),
    }
}
