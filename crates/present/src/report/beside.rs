//! Another tool's file laid beside a recording: do both tell the same, and of the same time?

use crate::format;
use fullwire_model::Span;
use fullwire_model::quantity::Unit;
use jiff::Timestamp;
use serde::Serialize;
use std::fmt::Write as _;

/// Figures that are listed; the JSON has all.
const MOST_LISTED: usize = 12;

/// A file beside a recording.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Beside {
    /// The file.
    pub source: String,
    /// The tool that wrote it.
    pub tool: String,
    /// The host that it names.
    pub host: Option<String>,
    /// The beginning of its first interval, in the recording's zone.
    pub from: Option<Timestamp>,
    /// The end of its last interval.
    pub to: Option<Timestamp>,
    /// What its times were shifted by, as the user wished, s.
    pub shift_s: f64,
    /// What is known of its clock.
    pub clock: BesideClock,
    /// The figures that both have.
    pub figures: Vec<BesideFigure>,
    /// Trouble that the file tells of.
    pub spans: Vec<Span>,
    /// Its figures over time, for drawing.
    #[serde(skip)]
    pub lines: Vec<BesideLine>,
}

/// Whether the file's clock is the recording's.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BesideClock {
    /// `same`, `off`, `cannot-tell`.
    pub answer: String,
    /// What has to be added to the file's times, s.
    pub add_s: Option<f64>,
    /// How well both agree as the times are (Lin's concordance: 1 is equal, 0 unrelated).
    pub concordance_as_told: Option<f64>,
    /// How well they agree at best.
    pub concordance_best: Option<f64>,
}

/// One figure over the intervals that both have.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BesideFigure {
    /// `disk`, `nic`, `cpu`, `memory`, `system`.
    pub area: String,
    /// The device or interface.
    pub subject: String,
    /// The metric.
    pub metric: String,
    /// Its unit.
    pub unit: Unit,
    /// Intervals of the file that were recorded too.
    pub intervals: u64,
    /// The file's mean over them.
    pub theirs_mean: Option<f64>,
    /// The recording's mean over them.
    pub ours_mean: Option<f64>,
    /// How well both agree.
    pub concordance: Option<f64>,
}

/// One figure of the file over time.
#[derive(Debug, Clone, PartialEq)]
pub struct BesideLine {
    /// What kind of subject.
    pub area: &'static str,
    /// The subject.
    pub subject: String,
    /// The metric.
    pub metric: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// Beginning, end (seconds since the epoch) and value of each interval.
    pub intervals: Vec<(f64, f64, f64)>,
    /// The same figure as it was recorded.
    pub ours: Vec<(f64, f64, f64)>,
}

impl Beside {
    /// What the file's clock is, as a sentence.
    pub fn clock_sentence(&self) -> String {
        let share = |value: Option<f64>| format::percent(value.unwrap_or(0.0).max(0.0));
        let (now, best) = (share(self.clock.concordance_as_told), share(self.clock.concordance_best));
        match (self.clock.answer.as_str(), self.clock.add_s) {
            ("same", _) => format!("its clock is the recording's: the figures agree to {now}"),
            ("off", Some(add_s)) => {
                let (way, sign) = if add_s > 0.0 { ("behind", "") } else { ("ahead of", "-") };
                let (length, seconds) = (format::duration(add_s.abs()), add_s.abs());
                format!(
                    "its clock is {length} {way} the recording's: the figures agree to {now} as they are and to {best} \
                     when shifted; correct it with --shift={sign}{seconds:.0}s"
                )
            }
            _ => format!(
                "whether its clock is right cannot be said: too little overlaps or varies (the figures agree to {now})"
            ),
        }
    }

    /// What a person reads.
    pub fn text(&self, shown: impl Fn(Timestamp) -> String) -> String {
        let mut text = format!("{} ({}", self.source, self.tool);
        if let Some(host) = &self.host {
            let _ = write!(text, " at {host}");
        }
        text.push(')');
        if let (Some(from), Some(to)) = (self.from, self.to) {
            let _ = write!(text, " from {} to {}", shown(from), shown(to));
        }
        let _ = writeln!(text, "\n  {}", self.clock_sentence());
        let rows: Vec<[String; 4]> = self.listed().into_iter().map(row).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths = [width(0).max(6), width(1).max(8), width(2).max(8)];
        let _ = writeln!(
            text,
            "  {:<3$}  {:>4$}  {:>5$}  agree",
            "figure", "the file", "recorded", widths[0], widths[1], widths[2]
        );
        for [name, theirs, ours, agree] in rows {
            let _ = writeln!(
                text,
                "  {name:<0$}  {theirs:>1$}  {ours:>2$}  {agree}",
                widths[0], widths[1], widths[2]
            );
        }
        if self.figures.len() > MOST_LISTED {
            let _ = writeln!(text, "  and {} more (--json has all)", self.figures.len() - MOST_LISTED);
        }
        text
    }

    /// Those that moved most of their kind first.
    pub(crate) fn listed(&self) -> Vec<&BesideFigure> {
        let mut figures: Vec<&BesideFigure> = self.figures.iter().collect();
        let rank = |unit: Unit| usize::from(unit != Unit::BytesPerS);
        figures.sort_by(|one, other| {
            let mean = |figure: &BesideFigure| figure.theirs_mean.unwrap_or(0.0);
            rank(one.unit).cmp(&rank(other.unit)).then(mean(other).total_cmp(&mean(one)))
        });
        figures.truncate(MOST_LISTED);
        figures
    }
}

/// Name, the file's mean, the recording's mean, agreement.
pub(crate) fn row(figure: &BesideFigure) -> [String; 4] {
    let value = |value: Option<f64>| value.map_or("-".to_owned(), |value| format::value(value, figure.unit));
    let agree = figure.concordance.map_or("-".to_owned(), |value| format!("{value:.2}"));
    [name(&figure.subject, &figure.metric), value(figure.theirs_mean), value(figure.ours_mean), agree]
}

/// `sda write`, `sda write await`.
pub(crate) fn name(subject: &str, metric: &str) -> String {
    let bare = metric.trim_end_matches("_bytes_per_s").trim_end_matches("_per_s");
    let bare = bare.trim_end_matches("_ns").trim_end_matches("_ratio").replace('_', " ");
    format!("{subject} {bare}").trim_start().to_owned()
}
