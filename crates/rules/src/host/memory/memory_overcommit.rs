rule! {
    /// # What it checks
    /// Applies on a host that serves PostgreSQL alone, and no virtual machines; passes when `vm.overcommit_memory` is 2.
    /// # Why it matters
    /// With heuristics, a shortage kills the postmaster's children by surprise; with 2 an allocation fails and
    /// the query ends with an error.
    /// # Evidence
    /// `vm.overcommit_memory`; `CommitLimit`, `Committed_AS`.
    /// # Remedy
    /// `vm.overcommit_memory = 2`, after `vm.overcommit_ratio` was fitted to RAM, swap and what is promised already. Where
    /// more is promised than the host has memory for, it stays as it is: each fork would fail immediately.
    /// # Source
    /// PostgreSQL documentation, "Linux Memory Overcommit"; Linux Documentation/mm/overcommit-accounting.rst.
    code: "memory-overcommit",
    title: "the kernel may promise more memory than it has",
    layer: Host, severity: Info, on: [Setting],
    setting: {
        name: "vm.overcommit_memory",
        wanted: "2",
        says: "a shortage ends in the OOM killer instead of an error",
        why: "An allocation that fails ends a query; the OOM killer ends the server.",
        expect: "malloc failures in the log instead of killed processes; check CommitLimit before",
        applies: |run| {
            let kinds = run.host.databases.iter().map(|database| database.kind.as_str());
            let alone = kinds.clone().count() > 0 && kinds.into_iter().all(|kind| kind == "postgresql");
            alone && !facts::has_guests(&run.host)
        },
        advice,
        // kubelet sets it to 1, and does not start where it may not (`--protect-kernel-defaults`).
        judge: |_, host, numbers| (numbers[0] != 2 && !facts::has_kubelet(host)).then_some(Severity::Info),
    },

    /// Of the memory, %, that strict accounting leaves to programs where the kernel's own half would refuse the next peak (own
    /// choice).
    const MOST_RATIO: u64 = 90;
}

fn advice(own: &Setting, host: &Host, _: &[u64]) -> Advice {
    let strict = ("vm.overcommit_memory", own.wanted.to_owned());
    match (facts::commit_has_room(host), facts::commit_setting(host)) {
        (Some(true), _) => {
            let share = (RATIO, MOST_RATIO.to_string());
            let settings = if keeps_half(host) { vec![share, strict] } else { vec![strict] };
            set_sysctls(host, &settings, own.why, own.expect)
        }
        (Some(false), Some((name, value))) => {
            set_sysctls(host, &[(name, value.to_string()), strict], own.why, own.expect)
        }
        (Some(false), None) => withheld(host),
        (None, _) => guarded(set_sysctls(host, &[strict], own.why, own.expect)),
    }
}

const RATIO: &str = "vm.overcommit_ratio";

/// With the kernel's default of 50 %, and little swap, the next peak is refused memory that is there.
fn keeps_half(host: &Host) -> bool {
    let (total, swap) = (host.memory.total_bytes.unwrap_or(0), host.memory.swap_total_bytes.unwrap_or(0));
    host.sysctl_number("vm.overcommit_kbytes").unwrap_or(0) == 0
        && host.sysctl_number(RATIO).is_none_or(|ratio| ratio < MOST_RATIO)
        && swap < total / 2
}

/// What is promised is not known: the person looks before the first step.
fn guarded(mut advice: Advice) -> Advice {
    if let Some(step) = advice.steps.first_mut() {
        step.needs.push(
            "Committed_AS in /proc/meminfo is well below CommitLimit: raise vm.overcommit_ratio first otherwise, or every \
             fork fails immediately"
                .into(),
        );
    }
    advice
}

/// With strict accounting the host would stop here and now.
fn withheld(host: &Host) -> Advice {
    let (promised, limit) =
        (host.memory.committed_bytes.unwrap_or(0), host.memory.commit_limit_bytes.unwrap_or(0));
    because(SETTING.why)
        .now(format!(
            "Leave it as it is for now: {} are promised already (Committed_AS), and the limit would be {} (CommitLimit). \
             With 2 every fork and every allocation would fail at once",
            facts::size(promised),
            facts::size(limit)
        ))
        .persist("Lower what is promised first: fewer connections, a smaller work_mem, huge pages that no program uses; or add memory or swap")
        .expecting("Committed_AS at most 80 % of CommitLimit; then vm.overcommit_memory = 2 is safe")
}
