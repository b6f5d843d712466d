//! A file that another tool recorded, by what its figures are of, and the record at which one of them is worst.

use fullwire_model::demand::{ImportedSeries, Series};
use std::collections::BTreeMap;

/// A figure with how far it is beyond its bound.
#[derive(Clone)]
pub(super) struct Figure {
    pub(super) weight: f64,
    pub(super) text: String,
}

/// A file with its series by what they are of: there may be thousands of devices, each asked for many metrics.
pub(super) struct File<'a> {
    file: &'a ImportedSeries,
    pub(super) of: BTreeMap<(&'a str, &'a str), Vec<&'a Series>>,
}

impl std::ops::Deref for File<'_> {
    type Target = ImportedSeries;

    fn deref(&self) -> &ImportedSeries {
        self.file
    }
}

impl<'a> File<'a> {
    pub(super) fn new(file: &'a ImportedSeries) -> Self {
        let mut of: BTreeMap<_, Vec<&Series>> = BTreeMap::new();
        for one in &file.series {
            of.entry((one.area.as_str(), one.subject.as_str())).or_default().push(one);
        }
        Self { file, of }
    }

    /// The series of a subject.
    fn all<'b>(&'b self, area: &'b str, subject: &'b str) -> &'b [&'a Series] {
        self.of.get(&(area, subject)).map_or(&[], Vec::as_slice)
    }
}

/// ` on average since boot` of a file that has nothing else.
pub(super) fn since(file: &File<'_>) -> &'static str {
    if file.first_since_boot { " on average since boot" } else { "" }
}

/// A series by what it is of.
pub(super) fn find<'a>(file: &File<'a>, area: &str, subject: &str, metric: &str) -> Option<&'a Series> {
    file.all(area, subject).iter().find(|one| one.metric == metric).copied()
}

/// Each metric of a subject at one record.
pub(super) type Record<'a> = BTreeMap<&'a str, f64>;

/// The record of a subject at which a metric is largest.
pub(super) fn worst<'a>(file: &File<'a>, area: &str, subject: &str, metric: &str) -> Option<Record<'a>> {
    let series = find(file, area, subject, metric)?;
    let (index, sample) =
        series.samples.iter().enumerate().max_by(|(_, a), (_, b)| a.value.total_cmp(&b.value))?;
    let same = file.all(area, subject).iter().copied();
    let at = |one: &'a Series| match sample.at {
        Some(at) => one.samples.iter().find(|other| other.at == Some(at)).map(|other| other.value),
        None => one.samples.get(index).map(|other| other.value),
    };
    Some(same.filter_map(|one| Some((one.metric.as_str(), at(one)?))).collect())
}
