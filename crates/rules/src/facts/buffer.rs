use fullwire_model::assessment::Severity;
use fullwire_model::host::Host;

/// Below this a buffer holds a gigabit line back at 8 ms already: no distribution ships with less.
const LEAST_BYTES: u64 = 1 << 20;

/// Bytes that one Mbit/s moves in 1 ms.
const BYTES_PER_MBIT_AND_MS: u64 = 125;

/// How bad the largest of three buffer sizes (`tcp_rmem`, `tcp_wmem`) is for the interfaces of a host.
pub(crate) fn small_buffer(host: &Host, sizes: &[u64]) -> Option<Severity> {
    let largest = *sizes.get(2)?;
    let physical = host.nics.iter().filter(|nic| crate::network::ends::believable(nic));
    let fastest = physical.filter_map(|nic| nic.speed_mbit_per_s).max().unwrap_or(0);
    if largest < LEAST_BYTES {
        Some(Severity::Warning)
    } else {
        (largest < fastest.saturating_mul(BYTES_PER_MBIT_AND_MS)).then_some(Severity::Info)
    }
}
