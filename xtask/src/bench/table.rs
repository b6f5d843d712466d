//! What a benchmark prints: medians, the median of the ratios, and how far they spread.

use std::fmt;

/// Rows in the order of measurement, and what could not be measured.
#[derive(Default)]
pub(super) struct Table {
    rows: Vec<[String; 6]>,
    notes: Vec<String>,
}

const HEADINGS: [&str; 6] = ["measured", "fullwire", "peer", "", "ratio (spread)", "wanted"];

impl Table {
    /// Pair by pair: ours divided by theirs. What the peer does not measure (NaN) makes no row.
    pub(super) fn ratio(
        &mut self,
        label: &str,
        unit: &str,
        (ours, peer, theirs): (Vec<f64>, &str, Vec<f64>),
        aim: &str,
    ) {
        if theirs.iter().all(|figure| figure.is_nan()) {
            return;
        }
        let ratios: Vec<f64> = ours.iter().zip(&theirs).map(|(ours, theirs)| ours / theirs).collect();
        let shown = [
            format!("{label}, {unit}"),
            figure(median(&ours)),
            figure(median(&theirs)),
            peer.to_owned(),
            spread(&ratios),
            aim.to_owned(),
        ];
        self.rows.push(shown);
    }

    /// A figure that has no peer, with its spread in the place of the ratio's.
    pub(super) fn alone(&mut self, label: &str, unit: &str, figures: &[f64], aim: &str) {
        let shown = [
            format!("{label}, {unit}"),
            figure(median(figures)),
            String::new(),
            String::new(),
            format!("({} to {})", figure(least(figures)), figure(most(figures))),
            aim.to_owned(),
        ];
        self.rows.push(shown);
    }

    /// Why something is missing, or how a figure is meant.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headings = HEADINGS.map(str::to_owned);
        let rows = || std::iter::once(&headings).chain(&self.rows);
        let width = |column: usize| rows().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: [usize; 6] = std::array::from_fn(width);
        for row in rows() {
            let [label, ours, theirs, peer, ratio, aim] = row;
            let [w0, w1, w2, w3, w4, _] = widths;
            let line = format!("{label:w0$}  {ours:>w1$}  {theirs:>w2$} {peer:w3$}  {ratio:w4$}  {aim}");
            writeln!(out, "{}", line.trim_end())?;
        }
        self.notes.iter().try_for_each(|note| writeln!(out, "note: {note}"))
    }
}

fn spread(ratios: &[f64]) -> String {
    format!("{:.2} ({:.2} to {:.2})", median(ratios), least(ratios), most(ratios))
}

/// Three digits that count.
fn figure(value: f64) -> String {
    match value.abs() {
        large if large >= 100.0 => format!("{value:.0}"),
        middle if middle >= 10.0 => format!("{value:.1}"),
        middle if middle >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_the_median_of_pairs_not_the_ratio_of_medians() {
        let mut table = Table::default();
        let ours = vec![1.0, 20.0, 9.0];
        let theirs = vec![2.0, 10.0, 3.0];
        table.ratio("rate", "GB/s", (ours, "peer", theirs), ">= 1");
        let text = table.to_string();
        assert!(text.contains("rate, GB/s"), "{text}");
        assert!(text.contains("2.00 (0.50 to 3.00)"), "{text}");
    }

    #[test]
    fn an_even_number_of_values_has_its_median_between_two() {
        assert!((median(&[4.0, 1.0, 3.0, 2.0]) - 2.5).abs() < 1e-12);
    }
}
