//! Huge pages: what is reserved while the memory is in use is taken from what is left.

use super::condition::DATABASE_STOPPED;
use super::{AdviceExt, because, set_sysctl, sh};
use crate::facts;
use fullwire_model::assessment::{Advice, Phase};
use fullwire_model::host::{Database, Host};

/// Have this many huge pages: by memory that is free, otherwise with the database stopped, and in any case from the next boot
/// on. A running instance keeps its small pages until it is restarted.
pub fn reserve_huge_pages(host: &Host, pages: u64, why: &str, expect: &str) -> Advice {
    const NAME: &str = "vm.nr_hugepages";
    let page = host.memory.huge_page_bytes.unwrap_or(2 << 20);
    let had = host.memory.huge_pages_total.unwrap_or(0);
    let more = pages.saturating_sub(had).saturating_mul(page);
    if !facts::memory_holds(host, pages.saturating_mul(page)) {
        return because(why).now(format!(
            "Nothing yet: {} do not fit into {} and leave room for processes and the kernel. A smaller SGA, or more memory, comes first",
            facts::size(pages.saturating_mul(page)),
            facts::size(host.memory.total_bytes.unwrap_or(0))
        ));
    }
    let set = sh!("sysctl -w {}={}", NAME, pages);
    let spare = host.memory.total_bytes.unwrap_or(0) / 20;
    let fits = host.memory.available_bytes.is_some_and(|bytes| bytes >= more.saturating_add(spare));
    let advice = because(why).expecting(expect);
    let advice = if fits {
        advice
            .run(set, format!("Reserves {} more in huge pages", facts::size(more)))
            .pauses("programs that wait for memory")
            .check(
                sh!(
                    "test \"$(awk '/^MemAvailable:/ {{ print $2 }}' /proc/meminfo)\" -ge {}",
                    (more + spare) >> 10
                ),
                format!("MemAvailable in /proc/meminfo is still above {}", facts::size(more + spare)),
            )
            .now("Restart the database: its shared memory stays in small pages until then")
            .restarts("the database")
    } else {
        let available = host.memory.available_bytes.map_or("unknown".to_owned(), facts::size);
        advice
            .now(format!(
                "Stop the database first: {} more are to be reserved and MemAvailable is {available}; what it has in \
                 small pages is free once it is stopped. Reserved while it runs, they push the host into swapping",
                facts::size(more)
            ))
            .restarts("the database")
            .run(set, "Reserves the pages")
            .restarts("the database")
            .given(DATABASE_STOPPED)
            .now("Start the database; restart the host first if HugePages_Total stays below the number: memory is fragmented")
            .restarts("the database")
    };
    let mut kept = set_sysctl(host, NAME, &pages.to_string(), "", "").steps;
    kept.retain(|step| step.phase == Phase::Persist || step.text.starts_with("Removes"));
    let mut advice = advice.undo_run(sh!("sysctl -w {}={}", NAME, had), "Sets the number back");
    advice.steps.extend(kept);
    advice
}

/// How many pages the server needs. It tells so itself since version 15, and a version that is not known may be older.
pub(crate) fn pages_needed(database: &Database) -> &'static str {
    let major =
        database.version.as_deref().and_then(|version| version.split('.').next()?.parse::<u32>().ok());
    match major {
        Some(15..) => "show shared_memory_size_in_huge_pages",
        Some(_) => {
            "the pages that it needs are the shared mapping of the postmaster (`pmap PID`, the largest line with `zero` or `anon`) divided by the size of a huge page, and one in a hundred more"
        }
        None => {
            "show shared_memory_size_in_huge_pages (version 15 and later; before, the shared mapping of the postmaster in `pmap PID` divided by the size of a huge page, and one in a hundred more)"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::assessment::Risk;

    #[test]
    fn what_does_not_fit_is_never_reserved() {
        let mut host = Host::default();
        (host.memory.huge_page_bytes, host.memory.total_bytes) = (Some(2 << 20), Some(24 << 30));
        let advice = reserve_huge_pages(&host, 32_769, "", "");
        assert!(advice.steps.iter().all(|step| step.run.is_none()), "{:#?}", advice.steps);
        assert!(reserve_huge_pages(&host, 8_192, "", "").steps.iter().any(|step| step.run.is_some()));
    }

    fn now(available_bytes: u64) -> Vec<(Risk, Option<String>)> {
        let mut host = Host::default();
        host.memory.huge_page_bytes = Some(2 << 20);
        host.memory.huge_pages_total = Some(100);
        host.memory.total_bytes = Some(64 << 30);
        host.memory.available_bytes = Some(available_bytes);
        let advice = reserve_huge_pages(&host, 8_292, "", "");
        assert!(
            advice
                .phase(Phase::Undo)
                .any(|step| step.run.as_deref() == Some("sysctl -w vm.nr_hugepages=100"))
        );
        advice.phase(Phase::Now).map(|step| (step.risk(), step.run.as_deref().map(str::to_owned))).collect()
    }

    #[test]
    fn a_server_before_15_is_not_asked_what_it_does_not_know() {
        let of = |version: Option<&str>| {
            pages_needed(&Database { version: version.map(str::to_owned), ..Database::default() })
        };
        assert_eq!(of(Some("16.2")), "show shared_memory_size_in_huge_pages");
        assert!(!of(Some("13")).contains("show ") && of(Some("13")).contains("pmap"));
        assert!(of(None).contains("pmap") && of(None).contains("show "));
    }

    #[test]
    fn pages_that_do_not_fit_beside_the_running_database_need_it_stopped() {
        let set = Some("sysctl -w vm.nr_hugepages=8292".to_owned());
        assert_eq!(now(4 << 30)[1], (Risk::Downtime, set.clone()));
        assert_eq!(now(40 << 30)[0], (Risk::Interrupts, set));
    }
}
