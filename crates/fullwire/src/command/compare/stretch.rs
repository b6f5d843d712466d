//! Sides of `fullwire diff` that are stretches of recordings: `FILE@FROM..TO`.

use crate::command::replay::time;
use crate::sides;
use crate::usage;
use anyhow::{Context as _, Result};
use fullwire_compare::{Conclude, Stretch, stretches};
use fullwire_model::Run;
use fullwire_model::comparison::Comparison;
use fullwire_model::recording::Sample;
use fullwire_store::recording::Recording;
use std::path::Path;

/// The smallest change of a disk's latency that matters, where the user does not say: it varies more than a probe's.
const DELTA: f64 = 0.10;
/// A day at one sample a second.
const MOST_SAMPLES: usize = 90_000;

/// One side as read.
struct Side {
    run: Run,
    samples: Vec<Sample>,
}

/// The comparison, where both names are stretches of recordings; `None`: neither is.
pub(super) fn compared(a: &str, b: &str, delta: Option<f64>) -> Result<Option<Comparison>> {
    let (Some(one), Some(other)) = (split(a), split(b)) else {
        if split(a).is_some() || split(b).is_some() {
            return usage::wrong(
                "a stretch of a recording can only be compared with another: FILE@FROM..TO on both sides",
            );
        }
        return Ok(None);
    };
    let (one, other) = (read(a, one)?, read(b, other)?);
    let conclude: Conclude<'_> = &sides::conclusions;
    let mut comparison = stretches(
        &Stretch { run: &one.run, samples: &one.samples },
        &Stretch { run: &other.run, samples: &other.samples },
        delta.unwrap_or(DELTA),
        Some(conclude),
    );
    (comparison.a_name, comparison.b_name) = (a.to_owned(), b.to_owned());
    Ok(Some(comparison))
}

/// `FILE@FROM..TO`; the file or folder exists.
fn split(name: &str) -> Option<(&str, &str, &str)> {
    let (path, span) = name.rsplit_once('@')?;
    let (from, to) = span.split_once("..")?;
    Path::new(path).exists().then_some((path, from, to))
}

fn read(name: &str, (path, from, to): (&str, &str, &str)) -> Result<Side> {
    let recording = Recording::open(Path::new(path))?;
    let zone = time::zone(recording.meta("zone").as_deref());
    let whole = recording.span();
    let moment =
        |text: &str, default| if text.is_empty() { Ok(default) } else { time::parse(text, whole, &zone) };
    let (from, to) = (moment(from, whole.from)?, moment(to, whole.to)?);
    let mut host = None;
    let mut samples = Vec::new();
    for recorded in recording.samples(from, to).filter_map(Result::ok).take(MOST_SAMPLES) {
        host.get_or_insert(recorded.host);
        samples.push(recorded.sample);
    }
    let row = host.with_context(|| {
        format!("{name}: no sample between {} and {}", time::shown(from, &zone), time::shown(to, &zone))
    })?;
    let host = recording.host(row).map_err(anyhow::Error::msg)?;
    Ok(Side {
        run: Run { run_id: name.to_owned(), started: from, finished: to, host, ..Run::default() },
        samples,
    })
}
