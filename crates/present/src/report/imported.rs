//! What other tools recorded, as a table for each file: the figures that bear on the I/O path first.

use super::results::Table;
use crate::format;
use fullwire_model::Run;
use fullwire_model::demand::{ImportedSeries, Series};

/// Rows of one file: the rest is in the JSON and on the page's charts.
const MOST_ROWS: usize = 30;

/// The metrics that tell most, by the beginning of their names.
const FIRST: [&str; 10] = [
    "util_ratio",
    "await_ns",
    "read_await_ns",
    "write_await_ns",
    "read_bytes",
    "write_bytes",
    "rx_bytes",
    "tx_bytes",
    "iowait",
    "io_per_s",
];

/// One table for each file.
pub(super) fn tables(run: &Run) -> Vec<Table> {
    run.imported.iter().map(table).collect()
}

fn table(file: &ImportedSeries) -> Table {
    let host = file.host.as_ref().map(|host| format!(" on {host}")).unwrap_or_default();
    let title = format!("Recorded by {}{host} ({})", file.tool, file.source);
    let mut table = Table::new(title, &["", "metric", "#samples", "#mean", "#largest"]);
    let mut all: Vec<&Series> = file.series.iter().filter(|series| !series.samples.is_empty()).collect();
    // Devices that did nothing come last, whatever is said of them.
    all.sort_by_key(|series| (largest(file, series) <= 0.0, rank(series)));
    table.rows = all.iter().take(MOST_ROWS).map(|series| row(file, series)).collect();
    if all.len() > MOST_ROWS {
        table.notes.push(format!("{} further series are in the JSON.", all.len() - MOST_ROWS));
    }
    if file.first_since_boot && file.series.iter().any(|series| series.samples.len() > 1) {
        table
            .notes
            .push("The first record covers the time since boot: it is left out of mean and largest.".into());
    }
    table
}

fn rank(series: &Series) -> usize {
    FIRST.iter().position(|name| series.metric.starts_with(name)).unwrap_or(FIRST.len())
}

/// The samples of intervals: the first record of some tools covers the time since boot.
fn of_intervals<'a>(file: &ImportedSeries, series: &'a Series) -> impl Iterator<Item = f64> + 'a {
    let skipped = usize::from(file.first_since_boot && series.samples.len() > 1);
    series.samples.iter().skip(skipped).map(|sample| sample.value)
}

fn largest(file: &ImportedSeries, series: &Series) -> f64 {
    of_intervals(file, series).fold(f64::MIN, f64::max)
}

fn row(file: &ImportedSeries, series: &Series) -> Vec<String> {
    let count = of_intervals(file, series).count();
    let mean = of_intervals(file, series).sum::<f64>() / count.max(1) as f64;
    let name = if series.subject.is_empty() { &series.area } else { &series.subject };
    vec![
        name.clone(),
        series.metric.clone(),
        format::count(series.samples.len() as f64),
        format::value(mean, series.unit),
        format::value(largest(file, series), series.unit),
    ]
}
