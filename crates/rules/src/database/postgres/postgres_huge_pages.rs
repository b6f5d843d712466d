rule! {
    /// # What it checks
    /// Applies where PostgreSQL runs with large shared buffers; passes unless `huge_pages` is off (from 2 GB on), or is `try`,
    /// its default, while none or too few are reserved (from 8 GB on): with too few none is used. A warning only where the page
    /// tables of all sessions may be larger than the host's memory. Not on a node of Kubernetes.
    /// # Why it matters
    /// Page tables for small pages cost memory in every backend; the reserved huge pages stay unused.
    /// # Evidence
    /// `huge_pages` and `shared_buffers` of the server's configuration; `HugePages_Total`, the sizes of pages.
    /// # Remedy
    /// `huge_pages = try`, and as many pages as the server says that it needs (version 15 and later), otherwise as its shared memory
    /// takes.
    /// # Source
    /// PostgreSQL documentation, Resource Consumption, `huge_pages`; Managing Kernel Resources, Linux Huge Pages; Linux
    /// Documentation/admin-guide/mm/hugetlbpage.rst. An entry of a page table has 8 bytes; the sizes are our own choice.
    code: "postgres-huge-pages",
    title: "PostgreSQL does not use huge pages",
    layer: Database, severity: Warning, on: [Database],

    /// From here on page tables of small pages are felt.
    const LARGE_BYTES: u64 = 2 << 30;
    /// From this size on it is worth knowing that no huge pages are reserved.
    const NOTABLE_BYTES: u64 = 8 << 30;
}

fn check(run: &Facts) -> Vec<Outcome> {
    // A pod may use huge pages only as far as its limits name them: once a node has some, a server that tries ends with a bus
    // error (Kubernetes, "Manage HugePages"; every PostgreSQL of the node tries by default).
    let of_pods = facts::has_kubelet(&run.host);
    configured::each(run, &RULE, &["postgresql"], |database| {
        flaw(&run.host, database).or_else(|| none_reserved(&run.host, database)).filter(|_| !of_pods)
    })
}

fn flaw(host: &Host, database: &Database) -> Option<Flaw> {
    let buffers = configured::bytes(database, "shared_buffers").filter(|bytes| *bytes >= LARGE_BYTES)?;
    configured::is_off(database, "huge_pages").then(|| Flaw {
        also: Vec::new(),
        name: "huge_pages",
        severity: severity(host, database, buffers),
        says: "large shared buffers use small pages, and each backend keeps its own page tables for them".into(),
        why: "A page table entry for every 4 KiB in every backend costs memory and cache misses.",
        now: format!("alter system set huge_pages = 'try'; {}; then, with the server stopped, raise vm.nr_hugepages by that number (`sysctl vm.nr_hugepages` shows what others have reserved), and start the server", pages_needed(database)),
        undo: "alter system reset huge_pages; restart the server, then lower vm.nr_hugepages by the same number".into(),
        expect: "huge_pages_status on after a restart, PageTables in /proc/meminfo falls",
    })
}

fn none_reserved(host: &Host, database: &Database) -> Option<Flaw> {
    let buffers = configured::bytes(database, "shared_buffers").filter(|bytes| *bytes >= NOTABLE_BYTES)?;
    let tries = database.settings.get("huge_pages").is_none_or(|value| value.eq_ignore_ascii_case("try"));
    let reserved = reserved_in_vain(host, buffers)?;
    if !tries {
        return None;
    }
    let tables = tables(host, buffers);
    let pages = host.memory.huge_page_bytes.filter(|page| *page > 0).map(|page| buffers.div_ceil(page));
    let pages = pages.map_or_else(String::new, |pages| format!(" (about {pages} for the buffers alone)"));
    Some(Flaw {
        also: Vec::new(),
        name: "huge_pages",
        severity: severity(host, database, buffers),
        says: format!(
            "{reserved}, so shared buffers of {} use small pages: up to {} of page tables for each backend",
            facts::size(buffers),
            facts::size(tables)
        ),
        why: "With try the server falls back to small pages without a word. A page table entry for every small page in every backend costs memory and cache misses.",
        now: format!(
            "{}{pages}; with the server stopped raise vm.nr_hugepages by that number, and start the server",
            pages_needed(database)
        ),
        undo: "lower vm.nr_hugepages by the same number".into(),
        expect: "huge_pages_status on (show huge_pages_status), PageTables in /proc/meminfo falls",
    })
}

/// Page tables that a session has for the buffers once it has seen all of them, bytes.
fn tables(host: &Host, buffers: u64) -> u64 {
    buffers / page_bytes(host) * 8
}

/// Many servers run well with small pages, whether they were told to or there are no others; not where the tables of all
/// sessions are larger than the memory of the host.
fn severity(host: &Host, database: &Database, buffers: u64) -> Severity {
    let all = sessions(database).map(|number| tables(host, buffers).saturating_mul(number));
    if all > Some(host.memory.total_bytes.unwrap_or(u64::MAX)) { Severity::Warning } else { Severity::Info }
}

/// Sessions that there may be, the default among them; `None`: it could not be read.
fn sessions(database: &Database) -> Option<u64> {
    match database.settings.get("max_connections") {
        Some(number) => number.parse().ok(),
        None => (!database.may_have_unread("max_connections")).then_some(100),
    }
}

/// What is reserved, where no server of these buffers can use it: it takes all of its shared memory in huge pages or none.
fn reserved_in_vain(host: &Host, buffers: u64) -> Option<String> {
    let memory = &host.memory;
    let total = memory.huge_pages_total?;
    if total == 0 {
        return Some("no huge pages are reserved".to_owned());
    }
    let bytes = total.saturating_mul(memory.huge_page_bytes?);
    let idle = memory.huge_pages_reserved.unwrap_or(0) == 0 && memory.huge_pages_free == Some(total);
    (idle && bytes < buffers).then(|| {
        format!(
            "the {total} huge pages that are reserved ({}) are too few, and none is used",
            facts::size(bytes)
        )
    })
}

/// The size of a small page, bytes. A support bundle does not tell it; on ARM the usual huge page does (one block of a
/// page table: 512 MiB of 64 KiB, 32 MiB of 16 KiB).
fn page_bytes(host: &Host) -> u64 {
    match (host.os.page_bytes, host.memory.huge_page_bytes) {
        (0, Some(0x2000_0000)) => 64 << 10,
        (0, Some(0x0200_0000)) => 16 << 10,
        (0, _) => 4 << 10,
        (page, _) => page,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_those_of_the_default_only_where_all_settings_were_read() {
        let mut server = Database { kind: "postgres".into(), ..Database::default() };
        assert_eq!(sessions(&server), Some(100));
        server.settings_partial = true;
        assert_eq!(sessions(&server), None);
        let host = Host::default();
        assert_eq!(severity(&host, &server, u64::MAX), Severity::Info);
        server.settings.insert("max_connections".into(), "700".into());
        assert_eq!(sessions(&server), Some(700));
    }
}
