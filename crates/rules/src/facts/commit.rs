//! How much memory the kernel may promise with strict accounting (`vm.overcommit_memory` 2), and what would do.
//!
//! Source: Linux mm/util.c, `vm_commit_limit`: swap, and a share of the memory outside of huge pages or a fixed size.

use fullwire_model::host::Host;

thresholds! {
    /// Of what is promised, the least limit (own choice): a host without room for a quarter more fails at the next peak.
    const HEADROOM: f64 = 1.25;
    /// Percent of the memory, the most that is advised (own choice): the kernel needs memory of its own.
    const MOST_PERCENT: f64 = 90.0;
}

/// The limit leaves room above what is promised now; `None`: one of the two was not read.
pub(crate) fn commit_has_room(host: &Host) -> Option<bool> {
    let limit = host.memory.commit_limit_bytes? as f64;
    Some(limit >= host.memory.committed_bytes? as f64 * HEADROOM)
}

/// The parameter and the value with which the limit leaves room above what is promised now. `None`: not read, or no
/// share of this memory does.
pub(crate) fn commit_setting(host: &Host) -> Option<(&'static str, u64)> {
    let memory = &host.memory;
    let base = memory.total_bytes?.checked_sub(reserved_bytes(host)?)? as f64;
    let wanted = memory.committed_bytes? as f64 * HEADROOM - memory.swap_total_bytes? as f64;
    let percent = (wanted / base * 100.0).ceil().max(50.0);
    if percent > MOST_PERCENT {
        return None;
    }
    let by_size = host.sysctl_number("vm.overcommit_kbytes").is_some_and(|kbytes| kbytes > 0);
    Some(if by_size {
        ("vm.overcommit_kbytes", whole(percent / 100.0 * base / 1024.0))
    } else {
        ("vm.overcommit_ratio", whole(percent))
    })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of memory, and not negative"
)]
fn whole(number: f64) -> u64 {
    number as u64
}

/// Bytes of the huge pages there are: no part of the limit, used or not.
fn reserved_bytes(host: &Host) -> Option<u64> {
    Some(host.memory.huge_pages_total?.saturating_mul(host.memory.huge_page_bytes?))
}

/// Bytes of huge pages that are neither used nor promised.
pub(crate) fn idle_huge_bytes(host: &Host) -> u64 {
    let memory = &host.memory;
    let idle = memory.huge_pages_free.unwrap_or(0).saturating_sub(memory.huge_pages_reserved.unwrap_or(0));
    idle.saturating_mul(memory.huge_page_bytes.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(promised_gib: u64, huge_gib: u64) -> Host {
        let mut host = Host::default();
        host.memory.total_bytes = Some(100 << 30);
        host.memory.swap_total_bytes = Some(4 << 30);
        host.memory.committed_bytes = Some(promised_gib << 30);
        host.memory.commit_limit_bytes = Some(54 << 30);
        host.memory.huge_page_bytes = Some(1 << 30);
        host.memory.huge_pages_total = Some(huge_gib);
        host
    }

    #[test]
    fn the_limit_must_hold_what_is_promised_and_a_quarter_more() {
        assert_eq!(commit_has_room(&host(40, 0)), Some(true));
        assert_eq!(
            (commit_has_room(&host(60, 0)), commit_setting(&host(60, 0))),
            (Some(false), Some(("vm.overcommit_ratio", 71)))
        );
        assert_eq!(commit_setting(&host(98, 0)), None);
        assert_eq!(commit_setting(&host(60, 40)), None);
    }

    #[test]
    fn where_a_size_is_set_the_size_is_what_counts() {
        let mut host = host(60, 0);
        host.sysctls.insert("vm.overcommit_kbytes".into(), "1048576".into());
        assert_eq!(commit_setting(&host), Some(("vm.overcommit_kbytes", 71 << 20)));
    }
}
