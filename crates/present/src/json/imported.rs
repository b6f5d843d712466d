//! What other tools recorded, in a document: sums of each series, and its samples as far as they are not too many.

use fullwire_model::demand::{ImportedSeries, Sample, Series};
use fullwire_model::quantity::Unit;
use schemars::JsonSchema;
use serde::Serialize;

/// Samples of one series in a document; where there are more, each is the mean of its neighbours.
const MOST_SAMPLES: usize = 1_000;

/// One file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Imported<'a> {
    /// The file.
    pub source: &'a str,
    /// The tool that wrote it.
    pub tool: &'a str,
    /// The host's name.
    pub host: Option<&'a str>,
    /// The clock of the times: `UTC`, a zone's name, or `local` when the file does not say.
    pub clock: &'a str,
    /// The first record covers the time since boot, not an interval.
    pub first_since_boot: bool,
    /// One for each subject and metric.
    pub series: Vec<ImportedMetric<'a>>,
}

/// One metric of one subject.
#[derive(Debug, Clone, Serialize, JsonSchema)]
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
    /// Their mean.
    pub mean: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
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
        series: file.series.iter().map(metric).collect(),
    }
}

fn metric(series: &Series) -> ImportedMetric<'_> {
    let values = || series.samples.iter().map(|sample| sample.value);
    let count = series.samples.len();
    let (min, max) = if count == 0 {
        (0.0, 0.0)
    } else {
        (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max))
    };
    ImportedMetric {
        area: &series.area,
        subject: &series.subject,
        metric: &series.metric,
        unit: series.unit,
        count,
        mean: mean(&series.samples),
        min,
        max,
        samples: series.samples.chunks(count.div_ceil(MOST_SAMPLES).max(1)).map(one).collect(),
    }
}

fn mean(samples: &[Sample]) -> f64 {
    samples.iter().map(|sample| sample.value).sum::<f64>() / samples.len().max(1) as f64
}

fn one(neighbours: &[Sample]) -> Sample {
    match neighbours {
        [only] => *only,
        several => Sample { at: several[0].at, value: mean(several) },
    }
}
