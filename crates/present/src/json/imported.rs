//! What other tools recorded, in a document: sums of each series, and its samples as far as they are not too many.

use fullwire_model::demand::{ImportedSeries, Sample, Series};
use fullwire_model::quantity::Unit;
use jiff::civil::DateTime;
use serde::Serialize;

/// Samples of one series in a document; where there are more, each is the mean of its neighbours.
const MOST_SAMPLES: usize = 1_000;

/// One file.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Imported<'a> {
    /// The file.
    pub source: &'a str,
    /// The tool that wrote it.
    pub tool: &'a str,
    /// The host's name.
    pub host: Option<&'a str>,
    /// The clock of the times: `UTC`, a zone's name, or `local` when the file does not say.
    pub clock: &'a str,
    /// All that the file contains are means since boot: nothing is judged by them.
    pub first_since_boot: bool,
    /// The first time of the file.
    pub from: Option<DateTime>,
    /// The last time of the file.
    pub to: Option<DateTime>,
    /// One for each subject and metric.
    pub series: Vec<ImportedMetric<'a>>,
}

/// One metric of one subject.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportedMetric<'a> {
    /// `disk`, `cpu`, `nic`, `memory`, `nfs`, `system`.
    pub area: &'a str,
    /// The device, CPU (`all`), interface or mount; empty for the host.
    pub subject: &'a str,
    /// The metric, with its unit last.
    pub metric: &'a str,
    /// Its unit.
    pub unit: Unit,
    /// Samples in the file.
    pub count: usize,
    /// Their mean: over the time; of waits and sizes over the requests. `null`: no sample counts (a wait of no request).
    pub mean: Option<f64>,
    /// The smallest of those that count.
    pub min: Option<f64>,
    /// The largest.
    pub max: Option<f64>,
    /// The time of the largest.
    pub max_at: Option<DateTime>,
    /// 95 % of them are no larger.
    pub p95: Option<f64>,
    /// At most 1,000: with more in the file, each is the mean of its neighbours.
    pub samples: Vec<Sample>,
}

/// Every imported file of a run.
pub(super) fn imported(files: &[ImportedSeries]) -> Vec<Imported<'_>> {
    files.iter().map(one_file).collect()
}

fn one_file(file: &ImportedSeries) -> Imported<'_> {
    Imported {
        source: &file.source,
        tool: &file.tool,
        host: file.host.as_deref(),
        clock: &file.clock,
        first_since_boot: file.first_since_boot,
        from: file.times().map(|(first, _)| first),
        to: file.times().map(|(_, last)| last),
        series: file.series.iter().map(|series| metric(file, series)).collect(),
    }
}

fn metric<'a>(file: &ImportedSeries, series: &'a Series) -> ImportedMetric<'a> {
    let count = series.samples.len();
    let summary = file.summary(series);
    ImportedMetric {
        area: &series.area,
        subject: &series.subject,
        metric: &series.metric,
        unit: series.unit,
        count,
        mean: summary.map(|summary| summary.mean),
        min: summary.map(|summary| summary.min),
        max: summary.map(|summary| summary.max),
        max_at: summary.and_then(|summary| summary.max_at),
        p95: summary.map(|summary| summary.p95),
        samples: series.samples.chunks(count.div_ceil(MOST_SAMPLES).max(1)).map(one).collect(),
    }
}

fn one(neighbours: &[Sample]) -> Sample {
    match neighbours {
        [only] => *only,
        several => {
            let mean = several.iter().map(|sample| sample.value).sum::<f64>() / several.len().max(1) as f64;
            Sample { at: several.first().and_then(|first| first.at), value: mean }
        }
    }
}
