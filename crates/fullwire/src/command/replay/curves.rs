//! A stretch of a recording as curves that fit a page: every sample of an hour, a sample a minute of a month.

use fullwire_model::Span;
use fullwire_model::host::Host;
use fullwire_model::recording::{Busiest, CurveMaker, Curves, Figure, Sample};
use fullwire_store::recording::{Recording, Span as Stretch};
use std::collections::BTreeSet;

/// Up to so many samples each one is read: two hours at a second.
const READ_WHOLE: usize = 7_200;

/// Points of a curve at most; a wide screen has about as many columns.
const MOST_POINTS: f64 = 1_440.0;

/// Curves of single samples may have more points, for zooming in.
const MOST_SINGLE_POINTS: usize = 3_600;

/// Devices, interfaces and mounts that are drawn: those that moved most.
const MOST_SUBJECTS: usize = 6;

/// Subjects of spans that are drawn besides.
const MOST_TROUBLED: usize = 6;

/// Reads curves of what moved most, and of what was in trouble.
pub(super) fn read(recording: &Recording, stretch: Stretch, host: &Host, spans: &[Span]) -> Curves {
    let wanted = subjects(recording, stretch, host, spans);
    curves_of(recording, stretch, |figure: &Figure| {
        figure.subject.is_empty() || wanted.contains(figure.subject)
    })
}

/// Reads the curves that are wanted, each sample where there are not too many.
pub(super) fn curves_of(recording: &Recording, stretch: Stretch, wanted: impl Fn(&Figure) -> bool) -> Curves {
    let count = recording.times(stretch.from, stretch.to).len();
    let seconds = stretch.to.duration_since(stretch.from).as_secs_f64();
    let step_s = if count <= MOST_SINGLE_POINTS { 0.0 } else { seconds / MOST_POINTS };
    let mut maker = CurveMaker::new(step_s, wanted);
    for sample in samples(recording, stretch, count) {
        maker.take(sample);
    }
    maker.finish()
}

/// Every sample, or the key frame of each minute.
fn samples<'a>(
    recording: &'a Recording,
    stretch: Stretch,
    count: usize,
) -> Box<dyn Iterator<Item = Sample> + 'a> {
    if count <= READ_WHOLE {
        return Box::new(recording.samples(stretch.from, stretch.to).flatten().map(|one| one.sample));
    }
    Box::new(recording.keys(stretch.from, stretch.to).flatten().map(|one| one.sample))
}

fn subjects(recording: &Recording, stretch: Stretch, host: &Host, spans: &[Span]) -> BTreeSet<String> {
    let mut busiest = Busiest::default();
    for one in recording.keys(stretch.from, stretch.to).flatten() {
        busiest.take(&one.sample.counters);
    }
    // Less than a minute may have no key frame but the first.
    for end in [stretch.from, stretch.to].into_iter().filter_map(|at| recording.sample_at(at)) {
        busiest.take(&end.sample.counters);
    }
    let is_whole = |name: &&str| host.disk(name).is_none_or(|disk| disk.kind != "partition");
    let all = busiest.disks(usize::MAX);
    let disks = all.into_iter().filter(is_whole).take(MOST_SUBJECTS);
    let others = busiest.nics(MOST_SUBJECTS).into_iter().chain(busiest.mounts(MOST_SUBJECTS));
    let troubled: BTreeSet<&str> = spans.iter().map(|span| span.subject.as_str()).collect();
    let mut wanted: BTreeSet<String> = disks.chain(others).map(str::to_owned).collect();
    wanted.extend(troubled.into_iter().take(MOST_TROUBLED).map(str::to_owned));
    wanted.insert("all".into());
    wanted
}
