rule! {
    /// # What it checks
    /// Passes when `net.core.somaxconn` is at least 4096; below 128 it was set by hand.
    /// # Why it matters
    /// It caps the accept queue of every listener. When many clients log in together (a connection pool after a
    /// failover), what does not fit is dropped and repeated by the client after one, three, seven seconds.
    /// # Evidence
    /// `net.core.somaxconn` of both ends.
    /// # Remedy
    /// `sysctl -w net.core.somaxconn=4096`, then restart the listener; its own backlog (`QUEUESIZE`) must be as
    /// large.
    /// # Source
    /// listen(2) (4096 since Linux 5.4, 128 before); Linux Documentation/networking/ip-sysctl.rst, `somaxconn`;
    /// SUSE note 3024346.
    code: "listen-backlog",
    title: "listeners can queue only a few new connections",
    layer: Network, severity: Warning, on: [Setting],
    setting: {
        name: "net.core.somaxconn",
        wanted: "4096",
        says: "a burst of logins finds the accept queue full",
        why: "No listener gets a longer accept queue than this, even if it asks for one.",
        expect: "ListenOverflows does not grow during a burst of logins; restart the listener so that it takes effect",
        judge,
    },

    /// Defaults of kernels before 5.4, and since; a lower value was set by an administrator.
    const OLD_DEFAULT: u64 = 128;
    /// More than any listener of a database requests by itself: MySQL's `back_log` ends at 900 (own choice).
    const AMPLE: u64 = 1024;
}

fn judge(_run: &Run, _host: &Host, numbers: &[u64]) -> Option<Severity> {
    match numbers[0] {
        few if few < OLD_DEFAULT => Some(Severity::Warning),
        few if few < AMPLE => Some(Severity::Info),
        _ => None,
    }
}
