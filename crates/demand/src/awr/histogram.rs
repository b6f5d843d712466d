//! Wait event histograms. A report splits them over several tables, each of which begins with all that is shorter; their
//! cumulative shares are merged and taken apart again.

use super::table::Table;
use super::{event_name, find_all, number};
use crate::page;
use fullwire_model::demand::{AwrReport, HistogramBucket, WaitHistogram};
use std::collections::BTreeMap;

const TITLES: [&str; 3] = [
    "this table displays total number of waits",
    "wait event histogram",
    "this table displays wait event histogram information",
];

/// Cumulative shares by upper edge, in ns so that edges can be keys; `u64::MAX` is open.
type Cumulative = BTreeMap<u64, f64>;

/// Reads all histogram tables.
pub(super) fn read(tables: &[Table], report: &mut AwrReport) {
    let mut curves: BTreeMap<String, (Option<u64>, Cumulative)> = BTreeMap::new();
    for table in find_all(tables, &TITLES).filter(|table| table.column(&["event"]).is_some()) {
        let edges: Vec<(usize, u64)> = table
            .columns
            .iter()
            .enumerate()
            .filter_map(|(index, column)| Some((index, edge_ns(&column.printed)?)))
            .collect();
        if edges.is_empty() {
            continue;
        }
        for row in &table.rows {
            let Some(name) = table.cell(row, &["event"]) else { continue };
            let total = table.cell(row, &["totalwaits", "waits"]).and_then(number::whole_count);
            let (waits, curve) = curves.entry(event_name::complete(name)).or_default();
            *waits = waits.or(total);
            accumulate(curve, row.cells.as_slice(), &edges);
        }
    }
    report.histograms =
        curves.into_iter().map(|(name, (waits, curve))| (name, finish(waits, &curve))).collect();
}

fn accumulate(curve: &mut Cumulative, cells: &[String], edges: &[(usize, u64)]) {
    let mut sum = 0.0;
    for &(index, edge) in edges {
        // An empty cell is truly 0; `0.0(6)` of a global report is below the printed places.
        let cell = cells.get(index).map_or("", String::as_str);
        sum += number::number(cell.split('(').next().unwrap_or("")).unwrap_or(0.0);
        if edge != u64::MAX {
            curve.entry(edge).or_insert(sum);
        }
    }
}

fn finish(waits: Option<u64>, curve: &Cumulative) -> WaitHistogram {
    let mut below = 0.0;
    let mut buckets: Vec<HistogramBucket> = Vec::with_capacity(curve.len() + 1);
    for (&edge, &cumulative) in curve {
        let pct = tidy(cumulative - below);
        below = f64::max(below, cumulative);
        buckets.push(HistogramBucket { upto_us: Some(edge as f64 / 1e3), pct });
    }
    buckets.push(HistogramBucket { upto_us: None, pct: tidy(100.0 - below) });
    WaitHistogram { waits, buckets }
}

/// Reports print one place; differences of sums carry noise far below it.
fn tidy(pct: f64) -> f64 {
    ((pct * 1e6).round() / 1e6).max(0.0)
}

/// `<8us`, `<=1s`, `<1/8s`, `< 2m`: the upper edge. `>1s`, `>=512us`: open.
fn edge_ns(heading: &str) -> Option<u64> {
    let bare: String = heading.chars().filter(|c| !c.is_whitespace()).collect();
    // A caption above may stick to the name: "% of Waits <1ms".
    let at = bare.find(['<', '>'])?;
    let bare = &bare[at..];
    if bare.starts_with('>') {
        return Some(u64::MAX);
    }
    let text = bare.trim_start_matches(['<', '=']);
    let digits = text.find(|c: char| c.is_ascii_alphabetic())?;
    let factor = page::nanoseconds(&text[digits..])?;
    let value = match text[..digits].split_once('/') {
        Some((one, part)) => {
            one.parse::<f64>().ok()? / part.parse::<f64>().ok().filter(|&part| part > 0.0)?
        }
        None => text[..digits].parse().ok()?,
    };
    number::count(&(value * factor).round().to_string())
}
