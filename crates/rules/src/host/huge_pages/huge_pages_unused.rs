rule! {
    /// # What it checks
    /// Passes when at least half of the reserved huge pages are in use or promised. Where less than 10 % of the memory is
    /// available, idle pages of a tenth of the memory are a warning (own choice), whatever their share.
    /// # Why it matters
    /// The memory is lost for everything else; on a database host the instance was started without them (AMM,
    /// memlock too small).
    /// # Evidence
    /// `HugePages_Total`, `HugePages_Free`, `HugePages_Rsvd`.
    /// # Remedy
    /// Where a part is used, as many as are used and a few more. Where none is: the database's own reason (Oracle: no
    /// `memory_target`, memlock as large as the SGA; PostgreSQL: `huge_pages`; MySQL: `large_pages`). Where no database runs,
    /// give them back if no stopped one is meant to use them.
    /// # Source
    /// Linux Documentation/admin-guide/mm/hugetlbpage.rst; Oracle note 749851.1 as reproduced (AMM is
    /// incompatible with `HugePages`); PostgreSQL documentation, "Linux Huge Pages"; MySQL Reference Manual,
    /// "Enabling Large Page Support".
    code: "huge-pages-unused",
    title: "huge pages are reserved but not used",
    layer: Host, severity: Warning, on: [Setting],

    /// Unused pages are worth mentioning from this size on.
    const NOTABLE_BYTES: u64 = 256 << 20;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let memory = &run.host.memory;
    let (Some(total), Some(free), Some(page)) =
        (memory.huge_pages_total, memory.huge_pages_free, memory.huge_page_bytes)
    else {
        return vec![facts::unread("HugePages_Free")];
    };
    let idle = free.saturating_sub(memory.huge_pages_reserved.unwrap_or(0));
    let bytes = idle.saturating_mul(page);
    let short = is_short(&run.host, bytes);
    if bytes < NOTABLE_BYTES || (idle < total / 2 && !short) {
        return vec![Outcome::Passes];
    }
    let running = facts::database_instances(&run.host).next().is_some();
    let severity = if running { Severity::Warning } else { Severity::Info };
    vec![
        finding!(
            Kind::Setting.named("vm.nr_hugepages"),
            "{idle} of {total} huge pages ({}) are neither used nor promised{}",
            facts::size(bytes),
            if short { ", and the host is short of memory" } else { "" },
        )
        .severity(severity)
        .measured(idle as f64, 0.0, Unit::Count)
        .evidence(format!("HugePages_Total {total}, HugePages_Free {free}"), "/proc/meminfo")
        .advice(remedy(&run.host, total, total - idle.min(total), page))
        .into(),
    ]
}

/// A tenth of the memory (own choice; as for what should be available) lies idle where that much is missing.
fn is_short(host: &Host, idle_bytes: u64) -> bool {
    let tenth = host.memory.total_bytes.map_or(u64::MAX, |total| total / 10);
    idle_bytes >= tenth && host.memory.available_bytes.is_some_and(|available| available < tenth)
}

const WHY: &str = "Memory reserved as huge pages can only be used by programs that ask for huge pages.";

/// Shared memory of the databases of this host in huge pages, as far as it is known.
fn shared_pages(host: &Host, page: u64) -> u64 {
    let each = host.databases.iter().map(|database| {
        let mapped = facts::shared_memory(host, database).unwrap_or(0);
        mapped.max(facts::sizes::bytes(database, "shared_buffers").unwrap_or(0)).div_ceil(page.max(1))
    });
    each.fold(0, u64::saturating_add)
}

/// Pages in use say how many are needed, unless a database has more shared memory than that: it was started without them, as
/// an instance is whose owner may lock too little beside an ASM instance that may.
fn remedy(host: &Host, total: u64, used: u64, page: u64) -> Advice {
    let pages = used.saturating_add(used / 50);
    if used.saturating_mul(page) >= NOTABLE_BYTES && shared_pages(host, page) <= pages {
        // A fiftieth more (own choice): an instance that starts again needs what it had.
        return guarded(set_sysctl(
            host,
            "vm.nr_hugepages",
            &pages.to_string(),
            WHY,
            "HugePages_Free is small, and the memory is there for the rest of the host",
        ));
    }
    if host.databases.is_empty() {
        return because(WHY)
            .now("Find out which program is meant to use them, and restart it so that it asks for huge pages")
            .restarts("that program")
            .now("If nothing is meant to use them, not even a database that is stopped now, give them back: sysctl -w vm.nr_hugepages=0, and the same in sysctl.d")
            .undo_run(sh!("sysctl -w vm.nr_hugepages={}", total), "Reserves as many as before")
            .expecting("HugePages_Free near 0 once the program runs, or the memory is there for the rest of the host");
    }
    of_database(because(WHY), host, total).expecting("HugePages_Free near 0 with the database up")
}

/// A database that is down shows no use.
fn guarded(mut advice: Advice) -> Advice {
    if let Some(step) = advice.steps.first_mut() {
        step.needs.push("every database that is meant to use them is up".into());
    }
    advice
}

/// Why the database that runs here has none.
fn of_database(advice: Advice, host: &Host, total: u64) -> Advice {
    let runs = |kinds: &[&str]| host.databases.iter().any(|database| kinds.contains(&database.kind.as_str()));
    let mut advice = advice;
    if runs(&["oracle", "oracle-asm"]) {
        advice = advice
            .now("Raise `ulimit -l` of the database's owner above the SGA (where Grid Infrastructure starts the instance, that of its own stack counts), set memory_target=0, and restart the instance")
            .restarts("the database")
            .persist("use_large_pages=TRUE, its default: with ONLY the instance does not start on a host that lacks the pages");
    }
    if let Some(server) = host.databases.iter().find(|database| database.kind == "postgresql") {
        advice = advice
            .now(format!("How many pages the server needs: {}. vm.nr_hugepages must be at least that number, it is {total}. With too few the server uses none of them", pages_needed(server)))
            .now("Restart the server with huge_pages = try, the default; it says nothing where it falls back to small pages, and with `on` it would not start there")
            .restarts("the database");
    }
    if runs(&["mysql", "mariadb"]) {
        advice = advice
            .now("Set large_pages = ON, let the server lock that much memory (LimitMEMLOCK of its unit), and restart it")
            .restarts("the database");
    }
    advice
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: u64 = 2 << 20;

    #[test]
    fn pages_that_a_database_was_meant_to_have_are_not_given_back() {
        let database = |kind: &str, shared_memory_bytes| Database {
            kind: kind.into(),
            shared_memory_bytes: Some(shared_memory_bytes),
            ..Database::default()
        };
        let mut host = Host { databases: vec![database("oracle-asm", 1 << 30)], ..Host::default() };
        let lowers = |host: &Host| {
            let advice = remedy(host, 30_000, 512, PAGE);
            advice
                .steps
                .iter()
                .filter_map(|step| step.run.as_deref())
                .any(|run| run.contains("nr_hugepages=522"))
        };
        assert!(lowers(&host), "the instance has all that it maps");
        host.databases.push(database("oracle", 56 << 30));
        assert!(!lowers(&host), "the other one has none");
        host.databases.pop();
        let settings = [("shared_buffers".to_owned(), "16GB".to_owned())].into();
        host.databases.push(Database { settings, ..database("postgresql", 0) });
        assert!(!lowers(&host), "it is configured to have more");
    }
}
