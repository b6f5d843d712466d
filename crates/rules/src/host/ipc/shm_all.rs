rule! {
    /// # What it checks
    /// Passes when `kernel.shmall` pages hold the segments in use and the SGA that is to come (`--sga`).
    /// # Why it matters
    /// The next instance does not start: ORA-27102, error 28, "No space left on device", although memory is free
    /// and shmmax is large.
    /// # Evidence
    /// `kernel.shmall`, the page size, segments of `/proc/sysvipc/shm`.
    /// # Remedy
    /// `kernel.shmall` = 1073741824, as Oracle's preinstall package sets it; elsewhere all of the memory. Pages are always
    /// of the base size, also with huge pages.
    /// # Source
    /// oracle-database-preinstall, `97-oracle-database-sysctl.conf` (shmall 1073741824); shmget(2), ENOSPC; Linux Documentation/admin-guide/sysctl/kernel.rst, shmall; MOS note on ORA-27102 as
    /// reproduced at modb.pro/db/1876810620272656384.
    code: "shmall",
    title: "the limit on all shared memory together is too low",
    layer: Host, severity: Critical, on: [Setting],

    /// Above this share of the limit the next segment may not fit.
    const NEARLY: f64 = 0.95;
}

/// Bytes that all segments may have together. Modern defaults times a page do not fit in 64 bits.
pub(crate) fn limit_bytes(shmall_pages: u64, page_bytes: u64) -> u128 {
    u128::from(shmall_pages) * u128::from(page_bytes)
}

/// What Oracle's preinstall package sets, pages: 4 TiB of the smallest.
const ORACLE_PAGES: u128 = 1_073_741_824;

/// Pages that hold this many bytes, rounded up.
pub(crate) fn pages_for(bytes: u128, page_bytes: u64) -> u128 {
    bytes.div_ceil(u128::from(page_bytes.max(1)))
}

/// The segments there are and the one to be do not fit, or hardly.
pub(super) fn is_short(run: &Run) -> bool {
    let (Some(shmall), page) = (run.host.ipc.shmall_pages, run.host.os.page_bytes) else { return false };
    let (used, wanted) = needed_bytes(run);
    let limit = limit_bytes(shmall, page);
    used + wanted > limit || used as f64 > NEARLY * limit as f64
}

/// Bytes in segments that there are, and of the SGA that is to be.
fn needed_bytes(run: &Run) -> (u128, u128) {
    let used = run.host.ipc.segments.iter().map(|segment| u128::from(segment.size_bytes)).sum();
    (used, u128::from(run.command.sga_bytes.unwrap_or(0)))
}

fn check(run: &Facts) -> Vec<Outcome> {
    let (Some(shmall), true) = (run.host.ipc.shmall_pages, run.host.os.page_bytes > 0) else {
        return vec![facts::unread("kernel.shmall or the page size")];
    };
    if !is_short(run) {
        return vec![Outcome::Passes];
    }
    let (used, wanted) = needed_bytes(run);
    vec![fires(run, shmall, used, wanted)]
}

/// A limit that no instance of this host meets: the memory bounds what can be in use, and the limit itself takes none.
fn advised(run: &Run, needed_bytes: u128) -> u128 {
    let page = run.host.os.page_bytes;
    let memory = u128::from(run.host.memory.total_bytes.unwrap_or(0));
    let oracle = run.host.databases.iter().any(|database| database.kind.starts_with("oracle"));
    // Where the memory is not known: room for as much again.
    let least = pages_for((needed_bytes * 2).max(memory), page);
    if oracle { least.max(ORACLE_PAGES) } else { least }
}

/// `8 GiB`.
pub(super) fn size(bytes: u128) -> String {
    facts::size(u64::try_from(bytes).unwrap_or(u64::MAX))
}

fn fires(run: &Run, shmall: u64, used: u128, wanted: u128) -> Outcome {
    let page = run.host.os.page_bytes;
    let limit = limit_bytes(shmall, page);
    let pages = advised(run, used + wanted).max(u128::from(shmall) * 4);
    let new = if wanted > 0 { format!(" and {} more are needed", size(wanted)) } else { String::new() };
    finding!(
        Kind::Setting.named("kernel.shmall"),
        "kernel.shmall allows {} of shared memory ({shmall} pages of {page} bytes): {} are in use{new}, the next instance does not fit (ORA-27102, error 28)",
        size(limit),
        size(used),
    )
    .measured((used + wanted) as f64, limit as f64, Unit::Bytes)
    .evidence(format!("kernel.shmall = {shmall}, page {page}, in use {used}"), "/proc/sys/kernel/shmall, /proc/sysvipc/shm")
    .advice(set_sysctl(&run.host, "kernel.shmall", &pages.to_string(), "shmget refuses with ENOSPC when all segments together exceed shmall pages; shmmax is not the cause.", "the instance starts"))
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The founding ORA-27102: 2097152 pages are 8 GiB; 32 GiB are 8388608 pages.
    #[test]
    fn shmall_arithmetic_of_the_founding_example() {
        assert_eq!(limit_bytes(2_097_152, 4096), 8_589_934_592);
        assert_eq!(pages_for(34_359_738_368, 4096), 8_388_608);
        assert_eq!(pages_for(16 << 30, 4096), 4_194_304);
    }

    #[test]
    fn modern_defaults_do_not_overflow() {
        assert_eq!(limit_bytes(u64::MAX, 65_536), u128::from(u64::MAX) * 65_536);
        assert_eq!(pages_for(1, 4096), 1);
        assert_eq!(pages_for(5, 0), 5);
    }
}
