//! Runs whose figures are known because they were made up.

use fullwire_compare::{Options, compare};
use fullwire_model::Run;
use fullwire_model::comparison::{Compared, Comparison, Design};
use fullwire_model::net::NetResult;

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

/// The primary figure of two sides of single runs.
pub(crate) fn primary(a: &[f64], b: &[f64], design: Design) -> Compared {
    let options = Options { design, ..Options::default() };
    let comparison = compared(&runs(a), &runs(b), &options);
    comparison.primaries().next().expect("one path was measured").clone()
}
