//! Another tool's file on the axis of the recording: its figures beside those that were recorded, and its trouble.

use super::Screen;
use super::columns::{cut, left, right, spark_to};
use super::lines::{BodyLine, WIDE, head, plain, wanted};
use crate::format;
use crate::report::{Beside, BesideLine, beside_name};
use fullwire_model::{Moment, Span};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Figures that are listed: those that moved most.
const LISTED: usize = 8;

/// Columns of one figure, and of one curve at most.
const FIGURE: usize = 11;
const CURVE: usize = 20;

/// A file with what drawing it at any moment needs.
#[derive(Debug, Clone)]
pub(super) struct Track {
    beside: Beside,
    zone: TimeZone,
    /// The lines that are listed, busiest first, by their numbers.
    listed: Vec<usize>,
    /// What a column of a curve covers, s: an interval of the file.
    step_s: f64,
}

/// Beginning, end and value.
type Interval = (f64, f64, f64);

impl Track {
    pub(super) fn new(beside: Beside, zone: TimeZone) -> Self {
        let of = |line: &BesideLine| beside_name(&line.subject, line.metric);
        let listed = beside.listed();
        let names = listed.iter().map(|figure| beside_name(&figure.subject, &figure.metric));
        let listed = names
            .filter_map(|name| beside.lines.iter().position(|line| of(line) == name))
            .take(LISTED)
            .collect();
        let lengths = beside.lines.iter().map(|line| usual_length_s(&line.intervals));
        let step_s = lengths.fold(1.0, f64::max);
        Self { beside, zone, listed, step_s }
    }

    /// The lines of the body at the moment of the screen's look.
    pub(super) fn lines(&self, screen: &Screen, width: usize) -> Vec<BodyLine> {
        let at = screen.live.at;
        let unicode = screen.face.unicode;
        let title = format!(
            "beside: {} ({}): {}",
            self.beside.source,
            self.beside.tool,
            self.beside.clock_sentence()
        );
        let mut lines = vec![head(left(&title, width, unicode))];
        lines.extend(self.trouble(at).into_iter().map(|(text, now)| plain(cut(&text, width, unicode), now)));
        lines.push(plain(self.heads(width, unicode), false));
        let listed = self.listed.iter().filter_map(|index| self.beside.lines.get(*index));
        let rows = listed.filter(|line| wanted(screen, &beside_name(&line.subject, line.metric)));
        lines.extend(rows.map(|line| plain(self.row(line, at, width, unicode), false)));
        lines
    }

    fn heads(&self, width: usize, unicode: bool) -> String {
        let (name, curve) = layout(width);
        let figures = right("the file", FIGURE) + &right("recorded", FIGURE);
        let curves = if curve == 0 {
            String::new()
        } else {
            let length_s = self.step_s * curve as f64;
            let length = if length_s < 600.0 {
                format!("{length_s:.0} s")
            } else {
                format!("{:.0} min", length_s / 60.0)
            };
            format!(
                " {} {}",
                left(&format!("file, {length}"), curve, unicode),
                left("recorded", curve, unicode)
            )
        };
        left("", name, unicode) + &figures + &curves
    }

    /// A figure now, by the file and as recorded over the same interval, and both curves on one scale.
    fn row(&self, line: &BesideLine, at: Timestamp, width: usize, unicode: bool) -> String {
        let (name, curve) = layout(width);
        let at_s = seconds(at);
        let theirs = covering(&line.intervals, at_s);
        let (from_s, to_s) = theirs.map_or((at_s - self.step_s, at_s), |(from_s, to_s, _)| (from_s, to_s));
        let ours = mean_over(&line.ours, from_s, to_s);
        let shown = |value: Option<f64>| {
            right(&value.map_or_else(|| "-".into(), |value| format::value(value, line.unit)), FIGURE)
        };
        let mut text = left(&beside_name(&line.subject, line.metric), name, unicode)
            + &shown(theirs.map(|(_, _, value)| value))
            + &shown(ours);
        if curve > 0 {
            let points = |of: &[Interval]| self.points(of, at_s, curve);
            let (theirs, ours) = (points(&line.intervals), points(&line.ours));
            let largest =
                theirs.iter().chain(&ours).copied().filter(|point| point.is_finite()).fold(0.0, f32::max);
            for curve_points in [theirs, ours] {
                text.push(' ');
                text.push_str(&spark_to(&curve_points, largest, curve, unicode));
            }
        }
        text
    }

    /// Means over equal steps that end at a moment; a hole where nothing is known.
    fn points(&self, of: &[Interval], at_s: f64, count: usize) -> Vec<f32> {
        let end = |back: usize| at_s - back as f64 * self.step_s;
        (0..count)
            .rev()
            .map(|back| mean_over(of, end(back) - self.step_s, end(back)))
            .map(|mean| {
                #[allow(clippy::cast_possible_truncation, reason = "it is drawn in eight steps")]
                mean.map_or(f32::NAN, |mean| mean as f32)
            })
            .collect()
    }

    /// What the file says is wrong now, and where there is nothing the trouble before and after. True: now.
    fn trouble(&self, at: Timestamp) -> Vec<(String, bool)> {
        let ends = |span: &Span| Some((instant(span.from?)?, instant(span.to?)?));
        let spans: Vec<(Timestamp, Timestamp, &Span)> = self
            .beside
            .spans
            .iter()
            .filter_map(|span| ends(span).map(|(from, to)| (from, to, span)))
            .collect();
        let told = |word: &str, (from, to, span): &(Timestamp, Timestamp, &Span)| {
            let (from, to) = (self.time(*from), self.time(*to));
            format!("{word} {from} to {to} {} {}: {}", span.code, span.subject, span.message)
        };
        let now: Vec<(String, bool)> = spans
            .iter()
            .filter(|(from, to, _)| *from <= at && at <= *to)
            .map(|span| (told("NOW", span), true))
            .collect();
        if !now.is_empty() || spans.is_empty() {
            return now;
        }
        let before = spans.iter().filter(|(_, to, _)| *to < at).max_by_key(|(_, to, _)| *to);
        let after = spans.iter().filter(|(from, ..)| *from > at).min_by_key(|(from, ..)| *from);
        let nearest = before.map(|span| told("before:", span)).into_iter();
        nearest.chain(after.map(|span| told("next:", span))).map(|text| (text, false)).collect()
    }

    fn time(&self, at: Timestamp) -> String {
        at.to_zoned(self.zone.clone()).strftime("%H:%M:%S").to_string()
    }
}

/// Columns of the name, and of each of two curves.
fn layout(width: usize) -> (usize, usize) {
    let rest = width.saturating_sub(2 * FIGURE);
    let curve = if width >= WIDE { (rest.saturating_sub(2) / 4).min(CURVE) } else { 0 };
    let curves = if curve > 0 { 2 * (curve + 1) } else { 0 };
    (rest.saturating_sub(curves), curve)
}

fn seconds(at: Timestamp) -> f64 {
    at.as_millisecond() as f64 / 1e3
}

fn instant(moment: Moment) -> Option<Timestamp> {
    match moment {
        Moment::Instant(at) => Some(at),
        Moment::Local(_) => None,
    }
}

/// The interval in which a moment lies; intervals are in the order of time.
fn covering(of: &[Interval], at_s: f64) -> Option<Interval> {
    let index = of.partition_point(|(_, to_s, _)| *to_s < at_s);
    of.get(index).copied().filter(|(from_s, ..)| *from_s < at_s)
}

/// The mean over a stretch, weighted by time; `None`: nothing is known of it.
fn mean_over(of: &[Interval], from_s: f64, to_s: f64) -> Option<f64> {
    let first = of.partition_point(|(_, end_s, _)| *end_s <= from_s);
    let (mut sum, mut length) = (0.0, 0.0);
    for (begin_s, end_s, value) in of.iter().skip(first).take_while(|(begin_s, ..)| *begin_s < to_s) {
        let overlap = (end_s.min(to_s) - begin_s.max(from_s)).max(0.0);
        sum += value * overlap;
        length += overlap;
    }
    (length > 0.0).then(|| sum / length)
}

/// The median of the intervals' lengths, s.
fn usual_length_s(of: &[Interval]) -> f64 {
    let mut lengths: Vec<f64> = of.iter().map(|(from_s, to_s, _)| to_s - from_s).collect();
    lengths.sort_by(f64::total_cmp);
    lengths.get(lengths.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_is_weighted_by_time_and_a_hole_is_none() {
        let of = [(0.0, 10.0, 1.0), (10.0, 20.0, 3.0), (40.0, 50.0, 7.0)];
        assert_eq!(mean_over(&of, 0.0, 20.0), Some(2.0));
        assert_eq!(mean_over(&of, 5.0, 15.0), Some(2.0));
        assert_eq!(mean_over(&of, 8.0, 20.0), Some((2.0 + 30.0) / 12.0));
        assert_eq!(mean_over(&of, 20.0, 40.0), None);
        assert_eq!(mean_over(&[], 0.0, 1.0), None);
        assert_eq!(covering(&of, 10.0), Some((0.0, 10.0, 1.0)), "an interval holds its end");
        assert_eq!(covering(&of, 10.5), Some((10.0, 20.0, 3.0)));
        assert_eq!(covering(&of, 30.0), None);
        assert_eq!(covering(&of, 60.0), None);
    }

    #[test]
    fn no_layout_is_wider_than_the_screen() {
        for width in 0..300 {
            let (name, curve) = layout(width);
            let curves = if curve > 0 { 2 * (curve + 1) } else { 0 };
            assert!(name + 2 * FIGURE + curves <= width.max(2 * FIGURE), "{width}: {name} {curve}");
        }
    }
}
