//! What jumbo frames bring: by arithmetic always, and measured where the path carries them.
//!
//! Measured with streams in turn, one whose segments fill the path's MTU and one whose segments are cut to those
//! of 1500-byte frames (`TCP_MAXSEG`): the same path, the same hosts, only the frames differ.

use super::frames::stack;
use fullwire_model::median;
use fullwire_model::mtu::{Jumbo, JumboMeasured, MtuResult};
use fullwire_model::net::NetResult;

/// Standard Ethernet, and what is called jumbo where nothing larger is there to compare with.
const ETHERNET_BYTES: u64 = 1500;
const JUMBO_BYTES: u64 = 9000;
/// Both sizes this often: enough for a median and a spread.
const ROUNDS: u32 = 3;

/// Fills in what jumbo frames bring. `stream` runs a short stream with segments of at most this many bytes (0: as
/// large as the path takes) and is asked only when the path carries jumbo frames; `None` ends the comparison. Of a path
/// whose MTU is not known nothing is said.
pub fn weigh_jumbo(
    result: &mut MtuResult,
    ipv6: bool,
    stream: Option<&mut dyn FnMut(u64) -> Option<NetResult>>,
) {
    let Some(path_mtu_bytes) = result.path_mtu_bytes else { return };
    let carries = path_mtu_bytes > ETHERNET_BYTES;
    let mtu_bytes = if carries { path_mtu_bytes } else { JUMBO_BYTES };
    let base_mtu_bytes = path_mtu_bytes.min(ETHERNET_BYTES);
    let predicted_gain = stack(base_mtu_bytes, ipv6).gain_of_mtu(mtu_bytes);
    let measured = stream.filter(|_| carries).and_then(|stream| compare(ipv6, stream));
    result.jumbo_gain =
        measured.as_ref().map(|measured| measured.full_bytes_per_s / measured.small_bytes_per_s);
    result.jumbo = Some(Jumbo { mtu_bytes, base_mtu_bytes, predicted_gain, measured });
}

/// Both sizes in turn, each round begun by the other.
fn compare(ipv6: bool, stream: &mut dyn FnMut(u64) -> Option<NetResult>) -> Option<JumboMeasured> {
    // TCP_MAXSEG counts the options of each segment in: MTU less the bare IP and TCP headers.
    let small_segment = ETHERNET_BYTES - if ipv6 { 60 } else { 40 };
    let (mut small, mut full) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let order = if round % 2 == 0 { [small_segment, 0] } else { [0, small_segment] };
        for segment in order {
            let seen = Seen::of(&stream(segment)?)?;
            if segment == 0 { full.push(seen) } else { small.push(seen) }
        }
    }
    Some(conclude(&small, &full))
}

/// Of one stream.
#[derive(Debug, Clone, Copy)]
struct Seen {
    bytes_per_s: f64,
    cpu_s_per_gb: f64,
}

impl Seen {
    /// A stream that was cut short, or that moved nothing, compares with nothing.
    fn of(result: &NetResult) -> Option<Self> {
        let whole = result.incomplete.is_none() && result.throughput_bytes_per_s > 0.0;
        whole.then_some(Self {
            bytes_per_s: result.throughput_bytes_per_s,
            cpu_s_per_gb: result.cpu.client_s_per_gb + result.cpu.server_s_per_gb,
        })
    }
}

fn conclude(small: &[Seen], full: &[Seen]) -> JumboMeasured {
    let rates = |seen: &[Seen]| seen.iter().map(|one| one.bytes_per_s).collect::<Vec<_>>();
    let cpus = |seen: &[Seen]| seen.iter().map(|one| one.cpu_s_per_gb).collect::<Vec<_>>();
    let (small_rates, full_rates) = (rates(small), rates(full));
    let noise = spread(&small_rates).max(spread(&full_rates));
    let (small_bytes_per_s, full_bytes_per_s) = (middle(&small_rates), middle(&full_rates));
    JumboMeasured {
        small_bytes_per_s,
        full_bytes_per_s,
        small_cpu_s_per_gb: middle(&cpus(small)),
        full_cpu_s_per_gb: middle(&cpus(full)),
        noise,
        clear: (full_bytes_per_s - small_bytes_per_s).abs() > noise * small_bytes_per_s,
        rounds: ROUNDS,
    }
}

/// Zero of nothing.
fn middle(values: &[f64]) -> f64 {
    median(values).unwrap_or(0.0)
}

/// Largest less smallest, as a share of the median.
fn spread(values: &[f64]) -> f64 {
    let largest = values.iter().copied().fold(0.0, f64::max);
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    (largest - smallest) / middle(values).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::net::CpuUse;

    fn path(path_mtu_bytes: u64) -> MtuResult {
        MtuResult { path_mtu_bytes: Some(path_mtu_bytes), ..MtuResult::default() }
    }

    fn ran(throughput_bytes_per_s: f64) -> NetResult {
        let cpu = CpuUse { client_s_per_gb: 0.1, server_s_per_gb: 0.2, ..CpuUse::default() };
        NetResult { throughput_bytes_per_s, cpu, ..NetResult::default() }
    }

    #[test]
    fn a_tunnel_is_compared_with_its_own_frames() {
        let mut result = path(1400);
        weigh_jumbo(&mut result, false, None);
        let jumbo = result.jumbo.unwrap();
        // (8948 / 9038) / (1348 / 1438): payload over frame, TCP with timestamps.
        assert!((jumbo.predicted_gain - 1.0562).abs() < 1e-4, "{}", jumbo.predicted_gain);
        assert_eq!((jumbo.base_mtu_bytes, jumbo.mtu_bytes), (1400, 9000));
    }

    #[test]
    fn a_path_without_jumbo_frames_is_told_what_they_would_bring_and_gets_no_load() {
        let mut result = path(1500);
        weigh_jumbo(&mut result, false, Some(&mut |_| panic!("nothing to compare")));
        let jumbo = result.jumbo.unwrap();
        // 0.990042 / 0.941482 of the worked figures.
        assert!((jumbo.predicted_gain - 1.0516).abs() < 1e-4, "{}", jumbo.predicted_gain);
        assert_eq!((jumbo.mtu_bytes, jumbo.measured, result.jumbo_gain), (9000, None, None));
    }

    #[test]
    fn both_sizes_are_measured_in_turn_and_the_gain_is_clear_of_the_noise() {
        let mut result = path(9000);
        let mut asked = Vec::new();
        let mut stream = |segment: u64| {
            asked.push(segment);
            Some(ran(if segment == 0 { 1.24e9 } else { 1.0e9 }))
        };
        weigh_jumbo(&mut result, false, Some(&mut stream));
        assert_eq!(asked, [1460, 0, 0, 1460, 1460, 0]);
        let measured = result.jumbo.unwrap().measured.unwrap();
        assert!(measured.clear && measured.noise < 1e-9);
        assert!((result.jumbo_gain.unwrap() - 1.24).abs() < 1e-9);
        assert!((measured.full_cpu_s_per_gb - 0.3).abs() < 1e-9);
    }

    #[test]
    fn a_difference_within_the_spread_is_no_gain() {
        let mut rates = [1.0e9, 1.05e9, 0.9e9, 1.1e9, 1.2e9, 1.0e9].into_iter();
        let mut result = path(9000);
        weigh_jumbo(&mut result, true, Some(&mut |_| rates.next().map(ran)));
        assert!(!result.jumbo.unwrap().measured.unwrap().clear);
    }

    #[test]
    fn a_stream_that_fails_leaves_the_arithmetic() {
        let mut result = path(9000);
        weigh_jumbo(&mut result, false, Some(&mut |_| None));
        let jumbo = result.jumbo.unwrap();
        assert!(jumbo.measured.is_none() && jumbo.predicted_gain > 1.05);
    }
}
