rule! {
    /// # What it checks
    /// Passes when `vm.swappiness` is at most 10 on a database host.
    /// # Why it matters
    /// With 60 the kernel prefers to swap out idle memory of the database over dropping page cache.
    /// # Evidence
    /// `/proc/sys/vm/swappiness`.
    /// # Remedy
    /// 10 (Oracle, MySQL), 3 (PostgreSQL profile of tuned).
    /// # Source
    /// tuned profiles oracle (vm.swappiness 10) and postgresql (3); Linux
    /// Documentation/admin-guide/sysctl/vm.rst, swappiness.
    code: "swappiness",
    title: "vm.swappiness is high for a database host",
    layer: Host, severity: Info, on: [Setting],
    setting: {
        name: "vm.swappiness",
        wanted: "10",
        says: "at most 10 keeps a database's memory in RAM",
        why: "The page cache is worth less than the database's own memory.",
        expect: "no swapping while page cache is large",
        applies: |run| facts::is_database_host(run),
        judge: |_, _, numbers| (numbers[0] > MOST).then_some(Severity::Info),
    },

    /// Oracle and Red Hat recommend 10 for databases.
    const MOST: u64 = 10;
}
