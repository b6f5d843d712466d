use crate::prelude::*;
use fullwire_model::disk::{Operation, Pattern};

rule! {
    /// # What it checks
    /// Passes when a sequential write keeps its rate: the last third of its intervals is not below half of the first.
    ///
    /// # Why it matters
    /// A cache in front (SLC of an SSD, the array's) was full: a load or restore runs at the low rate, a short
    /// test at the high one.
    ///
    /// # Evidence
    /// Throughput of the write step's intervals.
    ///
    /// # Remedy
    /// Judge by the lower rate; a medium with a larger or no cache stage.
    ///
    /// # Source
    /// SNIA Solid State Storage Performance Test Specification (steady state before measuring); fio issue 1112
    /// (leaving the steady state).
    code: "write-cliff",
    title: "the write rate drops sharply after some gigabytes",
    layer: Storage, severity: Warning, on: [Target], limits: [CacheFull],

    /// Of the first rate, below which a cache is full (own choice).
    const BROKEN: f64 = 0.5;
    /// Fewest intervals from which a drop can be distinguished from scatter.
    const FEWEST_INTERVALS: usize = 9;
}

fn check(run: &Facts) -> Vec<Outcome> {
    facts::targets(run).iter().filter(|target| !target.is_void()).filter_map(judge).collect()
}

fn judge(target: &facts::Target<'_>) -> Option<Outcome> {
    let mut writes = target
        .result
        .steps
        .iter()
        .filter(|step| {
            step.operation == Operation::Write
                && step.pattern == Pattern::Sequential
                && !facts::is_synced(step)
        })
        .peekable();
    writes.peek()?;
    let Some(step) = writes.find(|step| step.intervals.len() >= FEWEST_INTERVALS) else {
        return Some(Outcome::Unknown(format!(
            "the writes on {} were too short to see a drop",
            target.name()
        )));
    };
    let rates: Vec<f64> = step.intervals.iter().map(|interval| interval.throughput_bytes_per_s).collect();
    let third = rates.len() / 3;
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let (first, last) = (mean(&rates[..third]), mean(&rates[rates.len() - third..]));
    // A single pause is no cliff: every interval of the end must be low.
    let stays_low = rates[rates.len() - third..].iter().all(|rate| *rate < 0.7 * first);
    if last >= BROKEN * first || !stays_low {
        return Some(Outcome::Passes);
    }
    let written: f64 = step.bytes as f64 / 3e9;
    Some(
        RULE.finding(Kind::Target.named(target.name()), format!("writes on {} fell from {:.0} to {:.0} MB/s after about {written:.1} GB: a write cache filled up", target.name(), first / 1e6, last / 1e6))
            .measured(last, first, Unit::BytesPerS)
            .evidence(format!("first third {:.1} MB/s, last third {:.1} MB/s", first / 1e6, last / 1e6), "probe, intervals")
            .explains([explain::step(target.result, step, Mechanism::CacheFull).inferred(last, Unit::BytesPerS)])
            .advice(
                because("The sustained rate is that of the storage behind the cache.")
                    .now("measure longer (--duration 5m) and judge by the plateau")
                    .persist("plan with the lower rate; or use enterprise flash or a larger array cache")
                    .expecting("one rate from beginning to end"),
            )
            .into(),
    )
}
