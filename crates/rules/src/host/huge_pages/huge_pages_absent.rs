rule! {
    /// # What it checks
    /// Applies where the SGA is larger than 8 GiB; passes when huge pages are reserved for it.
    /// # Why it matters
    /// Every process maps the SGA page by page: 100 sessions on 64 GiB spend 12 GiB on page tables, and the CPU
    /// walks them.
    /// # Evidence
    /// `HugePages_Total`, `PageTables`, the size of the SGA (`--sga`, the mappings of the
    /// instances, or the attached segments of their owners in `/proc/sysvipc/shm`).
    /// # Remedy
    /// `vm.nr_hugepages` = SGA / huge page, plus one for each segment; `use_large_pages=TRUE`.
    /// # Source
    /// Oracle Database administrator's reference for Linux, "Overview of `HugePages`"; Linux
    /// Documentation/admin-guide/mm/hugetlbpage.rst.
    code: "huge-pages-absent",
    title: "the SGA is not backed by huge pages",
    layer: Host, severity: Warning, on: [Setting],
    when: |run| facts::is_oracle(run),

    /// SGA from which on huge pages are worth reserving (own choice).
    const LARGE_BYTES: u64 = 8 << 30;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let shared = facts::oracle_shared_memory(&run.host);
    // What is planned comes on top of nothing: it is the size that the whole host is to have.
    let Some(sga) = run.command.sga_bytes.max(shared) else {
        return vec![facts::unread("the size of the SGA")];
    };
    let memory = &run.host.memory;
    let (Some(total), Some(page)) = (memory.huge_pages_total, memory.huge_page_bytes) else {
        return vec![facts::unread("HugePages_Total")];
    };
    if sga <= LARGE_BYTES || total > 0 || page == 0 {
        return vec![Outcome::Passes];
    }
    let instances = run.host.databases.iter().filter(|database| database.kind == "oracle").count();
    let pages = sga.div_ceil(page) + instances.max(1) as u64;
    if !facts::memory_holds(&run.host, pages.saturating_mul(page)) {
        return vec![unknown!("an SGA of this size does not fit into this host's memory")];
    }
    vec![
        finding!(
            Kind::Setting.named("vm.nr_hugepages"),
            "an SGA of {} uses pages of {}: set vm.nr_hugepages to {pages}",
            facts::size(sga),
            facts::size(run.host.os.page_bytes),
        )
        .measured(0.0, pages as f64, Unit::Count)
        .evidence(
            format!("HugePages_Total 0, PageTables {}", facts::size(memory.page_tables_bytes.unwrap_or(0))),
            "/proc/meminfo",
        )
        .advice(
            reserve_huge_pages(
                &run.host,
                pages,
                "Page tables for a large SGA cost memory for each session and time for each access.",
                "PageTables below 1 % of RAM; HugePages_Free near 0 after start",
            )
            .persist("memlock of the database's owner at least as large as the SGA; use_large_pages=TRUE, its default. With ONLY the instance does not start on a host that lacks the pages"),
        )
        .into(),
    ]
}
