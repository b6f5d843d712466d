use crate::ceiling::storage::queue::single_stream_bytes_per_s;
use crate::prelude::*;
use fullwire_model::disk::{DiskStepResult, Operation, Pattern};

rule! {
    /// # What it checks
    /// Passes unless a sequential step with one I/O in flight stays at block size divided by latency, while a deeper step
    /// of the same kind is at least half as fast again.
    ///
    /// # Why it matters
    /// One session cannot use the link: more in flight (parallel query, larger reads, asynchronous I/O) can.
    ///
    /// # Evidence
    /// Throughput, latency and depth of the sequential steps.
    ///
    /// # Remedy
    /// Parallel readers, a larger `db_file_multiblock_read_count`, `filesystemio_options=SETALL`.
    ///
    /// # Source
    /// Little's law: with one in flight, throughput = block size / latency.
    code: "single-stream-bound",
    title: "latency limits a single reader; several together are faster",
    layer: Storage, severity: Info, on: [Target],

    /// Times one stream that a deeper load reaches (own choice).
    const SCALES: f64 = 1.5;
    /// The identity for one request in flight is met within 5 %.
    const IDENTITY: f64 = 0.05;
}

fn check(run: &Facts) -> Vec<Outcome> {
    facts::targets(run).iter().filter(|target| !target.is_void()).map(judge).collect()
}

fn judge(target: &facts::Target<'_>) -> Outcome {
    let sequential: Vec<&DiskStepResult> = target
        .result
        .steps
        .iter()
        .filter(|step| {
            step.pattern == Pattern::Sequential && step.operation == Operation::Read && step.ios > 0
        })
        .collect();
    let single = sequential
        .iter()
        .copied()
        .filter(|step| facts::in_flight(step) == 1)
        .max_by(|a, b| a.throughput_bytes_per_s.total_cmp(&b.throughput_bytes_per_s));
    let deeper = |single: &DiskStepResult| {
        sequential
            .iter()
            .copied()
            .filter(|step| facts::in_flight(step) > 1 && step.block_bytes == single.block_bytes)
            .max_by(|a, b| a.throughput_bytes_per_s.total_cmp(&b.throughput_bytes_per_s))
    };
    let Some((single, deep)) = single.and_then(|single| Some((single, deeper(single)?))) else {
        return Outcome::Unknown(format!(
            "no sequential reads with one and with several in flight on {}",
            target.name()
        ));
    };
    let one_in_flight = single_stream_bytes_per_s(single.block_bytes, single.latency_ns.mean);
    let identity = single.throughput_bytes_per_s / one_in_flight;
    let bound = (identity - 1.0).abs() <= IDENTITY
        && deep.throughput_bytes_per_s >= SCALES * single.throughput_bytes_per_s;
    if !bound {
        return Outcome::Passes;
    }
    RULE.finding(
        Kind::Target.named(target.name()),
        format!("one reader gets {:.0} MB/s ({} every {:.2} ms), {} in flight get {:.0} MB/s: a single stream is bound by latency, not by the link", single.throughput_bytes_per_s / 1e6, facts::size(single.block_bytes), single.latency_ns.mean / 1e6, facts::in_flight(deep), deep.throughput_bytes_per_s / 1e6),
    )
    .path(target.name())
    .measured(single.throughput_bytes_per_s, deep.throughput_bytes_per_s, Unit::BytesPerS)
    .evidence(format!("throughput x latency / block = {identity:.3}"), "probe, Little's law")
    .advice(
        because("With one request in flight the device idles between requests.")
            .now("more in flight: parallel query, RMAN channels, asynchronous I/O; larger blocks")
            .persist("filesystemio_options=SETALL, effective_io_concurrency, innodb_read_io_threads: the database's own setting")
            .expecting(format!("up to {:.1} times the rate of one reader", deep.throughput_bytes_per_s / single.throughput_bytes_per_s)),
    )
    .into()
}
