use super::parameter_file::{self, Flaw};

rule! {
    /// # What it checks
    /// Passes when `memory_target` is not set where the SGA is larger than 4 GiB or huge pages are reserved.
    /// # Why it matters
    /// Automatic memory management keeps the SGA in files below /dev/shm, which never are huge pages: page tables
    /// grow with every session, and the huge pages stay unused.
    /// # Evidence
    /// `memory_target` in the report's parameters; `HugePages_Total` of this host, where it is the database's.
    /// # Remedy
    /// `sga_target` and `pga_aggregate_target` instead, `use_large_pages=TRUE`.
    /// # Source
    /// Oracle Database Administrator's Reference for Linux, Restrictions for `HugePages` Configurations (automatic
    /// memory management and `HugePages` are not compatible).
    code: "memory-target-huge-pages",
    title: "automatic memory management prevents huge pages for the SGA",
    layer: Database, severity: Warning, on: [Database, Report],

    /// Memory from which on page tables without huge pages cost CPU and memory (own choice).
    const LARGE_BYTES: u64 = 4 << 30;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let set_aside = run.host.memory.huge_pages_total.is_some_and(|pages| pages > 0);
    let mut outcomes = report::each(run, |report| vec![judge(report, set_aside)]);
    outcomes.extend(parameter_file::each(run, &RULE, advice, |database| flaw(database, set_aside)));
    outcomes
}

fn judge(report: &AwrReport, set_aside: bool) -> Outcome {
    if !report::is_linux(report) {
        return Outcome::Passes;
    }
    if report.init_parameters.is_empty() {
        return unknown!("{} lists no parameters", report.source);
    }
    let target =
        report::parameter(report, "memory_target").and_then(|value| configured::size(&value)).unwrap_or(0);
    if target == 0 || (target < LARGE_BYTES && !set_aside) {
        return Outcome::Passes;
    }
    finding!(report::subject(report), "memory_target is {} MB: the SGA uses small pages", target >> 20)
        .evidence(format!("memory_target: {target}"), &report.source)
        .advice(advice())
        .into()
}

fn advice() -> Advice {
    because("Memory that moves between SGA and PGA cannot use huge pages.")
                .now("alter system set sga_target = SIZE scope = spfile; alter system set pga_aggregate_target = SIZE scope = spfile; alter system reset memory_target scope = spfile; alter system reset memory_max_target scope = spfile;")
                .persist("vm.nr_hugepages for the SGA (`fullwire check --sga SIZE` computes it), then restart the instance")
                .undo("alter system set memory_target = SIZE scope = spfile;")
                .expecting("HugePages_Free falls by the SGA, PageTables shrinks")
}

/// Of the parameter file.
fn flaw(database: &Database, set_aside: bool) -> Option<Flaw> {
    let target = parameter_file::value(database, "memory_target");
    let target = target.and_then(|value| configured::size(&value)).unwrap_or(0);
    let small = target == 0 || (target < LARGE_BYTES && !set_aside);
    let says = "the SGA uses small pages".into();
    (!small).then_some(Flaw { name: "memory_target", severity: Severity::Warning, says })
}
