//! Runs whose figures are known because they were made up.

use fullwire_compare::{Options, compare};
use fullwire_model::Run;
use fullwire_model::comparison::{Compared, Comparison, Design};
use fullwire_model::net::NetResult;
use jiff::Timestamp;

pub(crate) const PATH: &str = "db2:5555";

/// A run that measured one stream at this rate.
pub(crate) fn run(id: usize, bytes_per_s: f64) -> Run {
    repeated(id, &[bytes_per_s])
}

/// A run that measured one stream this often.
pub(crate) fn repeated(id: usize, bytes_per_s: &[f64]) -> Run {
    let result = NetResult {
        target: PATH.into(),
        throughput_bytes_per_s: bytes_per_s[bytes_per_s.len() / 2],
        repeats_bytes_per_s: if bytes_per_s.len() > 1 { bytes_per_s.to_vec() } else { Vec::new() },
        duration_s: 3.0,
        ..NetResult::default()
    };
    Run { run_id: format!("r{id:04}"), net: vec![result], ..Run::default() }
}

pub(crate) fn runs(values: &[f64]) -> Vec<Run> {
    values.iter().enumerate().map(|(id, value)| run(id, *value)).collect()
}

pub(crate) fn compared(a: &[Run], b: &[Run], options: &Options<'_>) -> Comparison {
    compare(&a.iter().collect::<Vec<_>>(), &b.iter().collect::<Vec<_>>(), options)
}

/// A path that no change touches.
pub(crate) const CONTROL: &str = "loopback";

/// Runs that measured the path and the control path, half a day apart.
pub(crate) fn controlled([own, control]: [&[f64]; 2]) -> Vec<Run> {
    let mut all = runs(own);
    for (index, (run, value)) in all.iter_mut().zip(control).enumerate() {
        let mut beside = run.net[0].clone();
        (beside.target, beside.throughput_bytes_per_s) = (CONTROL.into(), *value);
        run.net.push(beside);
        run.started = Timestamp::from_second(1_700_000_000 + 43_200 * i64::try_from(index).expect("few"))
            .expect("a time");
    }
    all
}

/// The primary figure of the path next to its control.
pub(crate) fn beside_control(a: [&[f64]; 2], b: [&[f64]; 2]) -> Compared {
    let control = CONTROL.into();
    let options = Options { control: Some(&control), ..Options::default() };
    let comparison = compared(&controlled(a), &controlled(b), &options);
    comparison.primaries().next().expect("one path is no control").clone()
}

/// The primary figure of two sides of single runs.
pub(crate) fn primary(a: &[f64], b: &[f64], design: Design) -> Compared {
    let options = Options { design, ..Options::default() };
    let comparison = compared(&runs(a), &runs(b), &options);
    comparison.primaries().next().expect("one path was measured").clone()
}
