use crate::ceiling::network::window;
use crate::facts::interface;
use fullwire_model::Run;
use fullwire_model::assessment::Severity;
use fullwire_model::host::Host;
use fullwire_model::net::NetResult;

thresholds! {
    /// A smaller buffer limits a gigabit line at 8 ms already; no distribution ships with less.
    const LEAST_BYTES: u64 = 1 << 20;
    /// Bytes that one Mbit/s moves in 1 ms.
    const BYTES_PER_MBIT_AND_MS: u64 = 125;
    /// The largest receive buffer that the kernel sets by itself on hosts with enough memory (net/ipv4/tcp.c, `tcp_init`), bytes.
    pub(crate) const USUAL_RECEIVE_BYTES: u64 = 6 << 20;
    /// The largest send buffer that the kernel sets by itself on hosts with enough memory, bytes.
    pub(crate) const USUAL_SEND_BYTES: u64 = 4 << 20;
}

/// How bad the largest of three buffer sizes (`tcp_rmem`, `tcp_wmem`) is for the interfaces of a host.
pub(crate) fn small_buffer(host: &Host, sizes: &[u64]) -> Option<Severity> {
    let largest = *sizes.get(2)?;
    let fastest = fastest(host);
    if largest < LEAST_BYTES {
        Some(Severity::Warning)
    } else {
        (largest < fastest.saturating_mul(BYTES_PER_MBIT_AND_MS)).then_some(Severity::Info)
    }
}

/// The receive buffer that a socket can grow to: the third value, without autotuning the second.
pub(crate) fn largest_receive_buffer(host: &Host) -> Option<u64> {
    let tuned = host.sysctl_number("net.ipv4.tcp_moderate_rcvbuf") != Some(0);
    host.sysctl_numbers("net.ipv4.tcp_rmem")?.get(if tuned { 2 } else { 1 }).copied()
}

/// The window that a host offers from a receive buffer. Kernels from 6.6 on scale by what segments take in memory
/// instead of by `tcp_adv_win_scale`, and come to about the same half.
pub(crate) fn offered_window(host: &Host, buffer_bytes: u64) -> u64 {
    let scale = host.sysctl("net.ipv4.tcp_adv_win_scale").and_then(|text| text.trim().parse().ok());
    window::window_of_buffer_bytes(buffer_bytes, scale.unwrap_or(1))
}

/// No window scaling was negotiated, because one end has it off: no window exceeds what 16 bits count, whatever the receiver has.
pub(crate) fn is_unscaled(run: &Run, result: &NetResult) -> bool {
    let Some(tcp) = result.tcp.as_ref().filter(|tcp| tcp.mss_bytes > 0) else { return false };
    let off = |host: &Host| host.sysctl_number("net.ipv4.tcp_window_scaling") == Some(0);
    let peer = run.peer(&result.target).and_then(|peer| peer.host.as_ref());
    tcp.window_scale.is_none() && (off(&run.host) || peer.is_some_and(off))
}

/// Of the interfaces whose speed can be believed, Mbit/s.
fn fastest(host: &Host) -> u64 {
    let physical = host.nics.iter().filter(|nic| interface::believable(host, nic));
    physical.filter_map(|nic| nic.speed_mbit_per_s).max().unwrap_or(0)
}

/// The same three sizes with the largest raised to the kernel's default and to what the fastest interface moves in 1 ms.
pub(crate) fn larger_buffer(host: &Host, default: &str, sizes: &[u64]) -> String {
    let default = default.split_whitespace().map(|word| word.parse().unwrap_or(0)).collect::<Vec<u64>>();
    let at = |place: usize| sizes.get(place).or(default.get(place)).copied().unwrap_or(0);
    let usual = default.get(2).copied().unwrap_or(0);
    let largest = at(2).max(usual).max(fastest(host).saturating_mul(BYTES_PER_MBIT_AND_MS));
    format!("{} {} {largest}", at(0), at(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_never_lowered_and_its_first_sizes_stay() {
        let host: Host = serde_json::from_str(
            r#"{ "nics": [{ "name": "eth0", "kind": "physical", "speed_mbit_per_s": 100000 }] }"#,
        )
        .unwrap();
        let of = |sizes: &[u64]| larger_buffer(&host, "4096 131072 6291456", sizes);
        assert_eq!(of(&[8192, 262_144, 6_291_456]), "8192 262144 12500000");
        assert_eq!(of(&[4096, 87_380, 16_777_216]), "4096 87380 16777216");
        assert_eq!(small_buffer(&host, &[4096, 131_072, 12_500_000]), None);
    }
}
