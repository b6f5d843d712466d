//! Cells of fixed width: numbers to the right, names to the left and cut.

use crate::bars::bar;
use crate::terminal::ascii;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Text cut to a width, with an ellipsis where something is missing.
pub(super) fn cut(text: &str, width: usize, unicode: bool) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mark = if unicode { "…" } else { "~" };
    let mut shown = String::new();
    let mut used = 0;
    for letter in text.chars() {
        let wide = letter.width().unwrap_or(0);
        if used + wide + 1 > width {
            break;
        }
        shown.push(letter);
        used += wide;
    }
    if width > 0 {
        shown.push_str(mark);
    }
    shown
}

/// Cut or filled to exactly this width.
pub(super) fn left(text: &str, width: usize, unicode: bool) -> String {
    let shown = cut(text, width, unicode);
    let missing = width.saturating_sub(shown.width());
    shown + &" ".repeat(missing)
}

/// The same to the right.
pub(super) fn right(text: &str, width: usize) -> String {
    let shown = cut(text, width, true);
    " ".repeat(width.saturating_sub(shown.width())) + &shown
}

/// `4,210`, `12k`: at most six characters.
pub(super) fn number(value: Option<f64>) -> String {
    match value {
        None => "-".into(),
        Some(value) if !value.is_finite() => "?".into(),
        Some(value) if value >= 999_500.0 => format!("{:.1}M", value / 1e6),
        Some(value) if value >= 99_950.0 => format!("{:.0}k", value / 1e3),
        Some(value) if value >= 999.5 => {
            let whole = format!("{value:.0}");
            let (thousands, rest) = whole.split_at(whole.len() - 3);
            format!("{thousands},{rest}")
        }
        Some(value) if value >= 9.95 || value == 0.0 => format!("{value:.0}"),
        Some(value) if value >= 0.05 => format!("{value:.1}"),
        Some(value) => format!("{value:.2}"),
    }
}

/// `94 %`; `?` where no ceiling is known.
pub(super) fn share(value: Option<f64>) -> String {
    value.map_or_else(|| "?".into(), |value| format!("{:.0} %", value * 100.0))
}

/// The last points as blocks, scaled to their largest; a hole is a blank.
pub(super) fn spark(points: impl Iterator<Item = f32>, width: usize, unicode: bool) -> String {
    let points: Vec<f32> = points.collect();
    let points = points.get(points.len().saturating_sub(width)..).unwrap_or_default();
    let largest = points.iter().copied().filter(|point| point.is_finite()).fold(0.0_f32, f32::max);
    spark_to(points, largest, width, unicode)
}

/// The same, scaled to what may not be among them: curves side by side have one scale.
pub(super) fn spark_to(points: &[f32], largest: f32, width: usize, unicode: bool) -> String {
    let share = |point: f32| f64::from(point / largest.max(f32::MIN_POSITIVE));
    let drawn = |point: &f32| if point.is_finite() { bar(share(*point)) } else { ' ' };
    let shown: String = points.iter().map(drawn).collect();
    let shown = if unicode { shown } else { ascii(&shown) };
    let missing = width.saturating_sub(shown.chars().count());
    " ".repeat(missing) + &shown
}
