rule! {
    /// # What it checks
    /// Applies where huge pages are reserved on an Oracle host; passes when they have room for the segments of its
    /// Oracle instances. Segments of other owners and unattached segments do not count, nor those smaller than a page;
    /// `--sga` replaces a smaller sum. A note only where less than 1 % is missing (own choice), or where the databases'
    /// segments have room and ASM's alone has not.
    /// # Why it matters
    /// Since 11.2.0.3 Oracle takes what huge pages there are and small pages for the rest: that part costs page
    /// tables and CPU. With `use_large_pages=only` the instance does not start.
    /// # Evidence
    /// `HugePages_Total`, segments of `/proc/sysvipc/shm` (or `--sga`).
    /// # Remedy
    /// `vm.nr_hugepages` = sum over segments of size / page, each rounded up, plus one.
    /// # Source
    /// Oracle's `hugepages_settings.sh` (MOS 401749.1) as reproduced in oravirt/ansible-oracle orahost; Linux
    /// Documentation/admin-guide/mm/hugetlbpage.rst; T. Poder, "Oracle 11.2.0.3 mixes small and large pages" (2013-10-25).
    code: "huge-pages-few",
    title: "there are too few huge pages for the shared memory",
    layer: Host, severity: Warning, on: [Setting],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let memory = &run.host.memory;
    if !facts::is_oracle(run) || memory.huge_pages_total == Some(0) {
        return Vec::new();
    }
    let (Some(total), Some(page)) =
        (memory.huge_pages_total, memory.huge_page_bytes.filter(|bytes| *bytes > 0))
    else {
        return vec![facts::unread("HugePages_Total")];
    };
    let owners: Vec<u32> = facts::oracle_owners(&run.host);
    let segments: Vec<&SharedSegment> = run
        .host
        .ipc
        .segments
        .iter()
        .filter(|segment| {
            let owned = owners.is_empty() || owners.contains(&segment.uid);
            owned && segment.attached > 0 && segment.size_bytes >= page
        })
        .collect();
    let occupied = sum(&segments, |segment| segment.size_bytes.div_ceil(page));
    let planned = run.command.sga_bytes.map_or(0, |bytes| bytes.div_ceil(page));
    if occupied.max(planned) <= total {
        return vec![Outcome::Passes];
    }
    let of_several = segments.iter().any(|segment| segment.uid != segments[0].uid);
    if owners.is_empty() && of_several {
        let why = "the segments belong to several users, and which of them Oracle runs as could not be read";
        return vec![Outcome::Unknown(why.to_owned())];
    }
    let needed = sum(&segments, |segment| segment.size_bytes.div_ceil(page) + 1).max(planned + 1);
    if !facts::memory_holds(&run.host, needed.saturating_mul(page)) {
        return vec![unknown!("an SGA of this size does not fit into this host's memory")];
    }
    let missing = occupied.max(planned) - total;
    let of_asm = planned <= total && missing <= asm_pages(&run.host, page);
    let slight = missing.saturating_mul(100) < needed;
    let without = if of_asm { " (that of the databases fits, that of ASM does not)" } else { "" };
    vec![
        finding!(
            Kind::Setting.named("vm.nr_hugepages"),
            "{total} huge pages of {} do not hold the shared memory{without}: {needed} are needed",
            facts::size(page),
        )
        .severity(if of_asm || slight { Severity::Info } else { RULE.severity })
        .measured(total as f64, needed as f64, Unit::Count)
        .evidence(
            format!("HugePages_Total {total}, Hugepagesize {page}, needed {needed}"),
            "/proc/meminfo, /proc/sysvipc/shm",
        )
        .advice(reserve_huge_pages(
            &run.host,
            needed,
            "Memory without a huge page uses small pages, with a page table in every process.",
            "HugePages_Rsvd and use equal the SGA after the next start",
        ))
        .into(),
    ]
}

fn sum(segments: &[&SharedSegment], pages: impl Fn(&SharedSegment) -> u64) -> u64 {
    segments.iter().map(|segment| pages(segment)).fold(0, u64::saturating_add)
}

/// Huge pages that the instances of ASM would take.
fn asm_pages(host: &Host, page: u64) -> u64 {
    let of_asm = host.databases.iter().filter(|database| database.kind == "oracle-asm");
    let sizes = of_asm.filter_map(|database| facts::shared_memory(host, database));
    sizes.map(|bytes| bytes.div_ceil(page)).fold(0, u64::saturating_add)
}
