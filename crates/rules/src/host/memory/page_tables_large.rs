rule! {
    /// # What it checks
    /// Passes when page tables take less than 1 % of the memory, or than 1 GiB. From there on it is a note, and a warning where
    /// the loss is felt: 5 % of the memory, or more than what is still available (own choice).
    /// # Why it matters
    /// The sign of a large shared memory in small pages, mapped by many sessions: memory is lost, and TLB misses
    /// cost CPU.
    /// # Evidence
    /// `PageTables` and `MemTotal`.
    /// # Remedy
    /// Huge pages for the shared memory.
    /// # Source
    /// Oracle Database administrator's reference for Linux, "Overview of `HugePages`"; PostgreSQL documentation,
    /// `huge_pages`. Arithmetic: an entry of 8 bytes for each small page of 4 KiB is 0.2 % of what a process maps, so 1 %
    /// means that memory is mapped five times on average, which several hundred sessions make of any shared memory.
    code: "page-tables-large",
    title: "page tables take a lot of memory",
    layer: Host, severity: Warning, on: [Memory],

    /// Of the memory (own choice).
    const SHARE: f64 = 0.01;
    /// Of the memory, from which on the loss is felt (own choice).
    const FELT: f64 = 0.05;
    /// Smaller tables are no problem, regardless of their share (own choice).
    const NOTABLE_BYTES: u64 = 1 << 30;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let memory = &run.host.memory;
    let (Some(tables), Some(total)) = (memory.page_tables_bytes, memory.total_bytes) else {
        return vec![facts::unread("PageTables")];
    };
    let share = tables as f64 / total.max(1) as f64;
    if share <= SHARE || tables < NOTABLE_BYTES {
        return vec![Outcome::Passes];
    }
    let felt = share >= FELT || memory.available_bytes.is_some_and(|available| tables > available);
    // 2 MiB on x86-64, but 512 MiB on arm64 with base pages of 64 KiB.
    let page = memory.huge_page_bytes.map_or("Hugepagesize of /proc/meminfo".to_owned(), facts::size);
    // As many as are reserved and idle would do: they only have to be used.
    let idle = facts::idle_huge_bytes(&run.host);
    let idle_pages = memory.huge_pages_free.filter(|_| idle > tables);
    let now = match idle_pages {
        Some(pages) => format!(
            "{pages} huge pages are reserved and free already: restart the database so that it takes them (huge pages on in the database, its owner may lock that much memory, and there are as many as it asks for)"
        ),
        None => format!(
            "Set vm.nr_hugepages to the size of the shared memory / {page} while the database is stopped, and start it with huge pages on"
        ),
    };
    let (needs, undo) = match idle_pages {
        Some(_) => {
            ("nothing else is meant to use them", "Set the database back to what it was and restart it")
        }
        None => (
            "MemAvailable is above that size, or the host is restarted",
            "Set vm.nr_hugepages back to what it was and restart the database",
        ),
    };
    vec![
        finding!(
            Kind::Memory.only(),
            "page tables take {} ({:.1} % of memory)",
            facts::size(tables),
            share * 100.0,
        )
        .severity(if felt { RULE.severity } else { Severity::Info })
        .measured(share, SHARE, Unit::Ratio)
        .evidence(format!("PageTables {tables} bytes"), "/proc/meminfo")
        .because("Each session maps the shared memory for itself.")
        .now(now)
        .restarts("the database")
        .needs(needs)
        .persist("use_large_pages=TRUE (Oracle), huge_pages=try (PostgreSQL), large_pages=ON (MySQL)")
        .undo(undo)
        .restarts("the database")
        .expecting("PageTables below 1 % of memory")
        .into(),
    ]
}
