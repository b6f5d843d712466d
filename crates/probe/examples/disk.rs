//! One storage load from the command line, its result as JSON: what benchmarks and tests drive.
//!
//! `disk TARGET quick`, `disk TARGET files` (20,000 small files), or `disk TARGET read|write random|sequential BLOCK DEPTH THREADS SECONDS auto|io_uring|plain
//! [SYNC [BYTES]]`, or `disk clean STATE`. `FULLWIRE_TEST_SIZE` sets the size of the private file,
//! `FULLWIRE_TEST_DESTROY` is the identity of a device whose content may go.

use fullwire_model::disk::{DiskPlan, DiskStep, SmallFilesPlan};
use fullwire_probe::disk;
use serde::de::DeserializeOwned;
use std::error::Error;
use std::sync::atomic::AtomicBool;

fn word<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_value(serde_json::Value::String(text.to_owned()))
}

fn step(words: &[String]) -> Result<DiskStep, Box<dyn Error>> {
    let at = |index: usize| {
        words.get(index).map(String::as_str).ok_or("a word is missing; see the head of this file")
    };
    let seconds: f64 = at(5)?.parse()?;
    Ok(DiskStep {
        profile: "custom".into(),
        operation: word(at(0)?)?,
        pattern: word(at(1)?)?,
        block_bytes: at(2)?.parse()?,
        queue_depth: at(3)?.parse()?,
        threads: at(4)?.parse()?,
        duration_ns: std::time::Duration::from_secs_f64(seconds).as_nanos().try_into()?,
        engine: word(at(6)?)?,
        sync: word(at(7).unwrap_or("none"))?,
        duration_bytes: at(8).unwrap_or("0").parse()?,
        direct: true,
        repeats: 1,
        interval_ns: 100_000_000,
        ..DiskStep::default()
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (target, rest) = words.split_first().ok_or("give a target")?;
    if target == "clean" {
        let state = rest.first().ok_or("give the state directory")?;
        println!("{:?}", disk::clean(state.as_ref()));
        return Ok(());
    }
    let mut plan = if rest == ["quick"] {
        disk::plan_quick(target)
    } else if rest == ["files"] {
        let files =
            SmallFilesPlan { files: 20_000, max_bytes: 4096, threads: 2, ..SmallFilesPlan::default() };
        DiskPlan { target: target.as_str().into(), small_files: vec![files], ..DiskPlan::default() }
    } else {
        DiskPlan { target: target.as_str().into(), steps: vec![step(rest)?], ..DiskPlan::default() }
    };
    if let Ok(size) = std::env::var("FULLWIRE_TEST_SIZE") {
        plan.size_bytes = size.parse()?;
    }
    plan.destroy = std::env::var("FULLWIRE_TEST_DESTROY").ok();
    let mut result = disk::measure(&plan, &mut (), &AtomicBool::new(false))?;
    for step in &mut result.steps {
        step.latency_ns.buckets.clear();
        step.submission_ns = None;
        step.intervals.clear();
    }
    println!("{}", serde_json::to_string_pretty(&result)?);
    Ok(())
}
