rule! {
    /// # What it checks
    /// Passes when `kernel.io_uring_disabled` is 0, or no database here asks for it: 2 is what Red Hat ships, for safety.
    /// # Why it matters
    /// Programs that would use it (PostgreSQL 18 with `io_method=io_uring`, fullwire's fast engine) fall back to
    /// slower calls.
    /// # Evidence
    /// `kernel.io_uring_disabled`.
    /// # Remedy
    /// 0, or 1 with `kernel.io_uring_group` of the database's group.
    /// # Source
    /// Linux Documentation/admin-guide/sysctl/kernel.rst, `io_uring_disabled` and `io_uring_group`.
    code: "io-uring-disabled",
    title: "the kernel forbids io_uring",
    layer: Host, severity: Info, on: [Setting],
    setting: {
        name: "kernel.io_uring_disabled",
        wanted: "0",
        says: "programs fall back to other calls",
        why: "io_uring saves system calls at high rates; security policy may forbid it.",
        expect: "engine io_uring in the results",
        judge: |_, host, numbers| (numbers[0] != 0 && is_asked_for(host)).then_some(Severity::Info),
    },
}

/// PostgreSQL 18 with `io_method = io_uring`. MariaDB falls back to libaio without a word, and loses little.
fn is_asked_for(host: &Host) -> bool {
    let mut methods = host.databases.iter().filter_map(|database| database.settings.get("io_method"));
    methods.any(|method| method == "io_uring")
}
