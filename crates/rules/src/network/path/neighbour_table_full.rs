rule! {
    /// # What it checks
    /// Passes when the kernel's IPv4 neighbour (ARP) table contains less than nine tenths of `gc_thresh3`, and did not
    /// overflow during a window or, by the kernel log, within the last day.
    /// # Why it matters
    /// Packets to a neighbour that finds no room are dropped: "Neighbour table overflow" in the kernel log,
    /// connections within a large subnet that hang at random.
    /// # Evidence
    /// `entries` and `table_fulls` of `/proc/net/stat/arp_cache`; `net.ipv4.neigh.default.gc_thresh3`;
    /// kernel log, "neighbor table overflow".
    /// # Remedy
    /// Raise `gc_thresh1`, `gc_thresh2` and `gc_thresh3` together.
    /// # Source
    /// Linux Documentation/networking/ip-sysctl.rst, `neigh/default/gc_thresh1` to `gc_thresh3` (default 1024);
    /// net/core/neighbour.c, `table_fulls` and `neigh_alloc` ("neighbor table overflow!").
    code: "neighbour-table-full",
    title: "the neighbour table is nearly full or overflowed",
    layer: Network, severity: Warning, on: [Setting],

    /// Share of the table from which it is about to overflow.
    const NEARLY: f64 = 0.9;
    /// Entries, of Linux.
    const DEFAULT: u64 = 1024;
}

const NAME: &str = "net.ipv4.neigh.default.gc_thresh3";

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(own) = side::sides(run).into_iter().next() else { return Vec::new() };
    let most = own.windows.iter().filter_map(|window| window.to.neighbours).max();
    let overflows = own.growth(|counters| counters.neighbour_overflows).map_or(0, |growth| growth.count);
    if overflows == 0
        && let Some(line) = run.host.kernel_log.iter().find(|line| line.pattern == "neighbour-full")
        && facts::log::is_recent(run, line)
    {
        return vec![logged(run, line)];
    }
    let (Some(entries), Some(room)) = (most, run.host.sysctl_number(NAME)) else {
        return vec![unknown!("the neighbour table was not counted")];
    };
    if overflows == 0 && (entries as f64) < NEARLY * room as f64 {
        return vec![Outcome::Passes];
    }
    let text = if overflows > 0 {
        format!(
            "the neighbour table overflowed {}: {entries} entries, room for {room}",
            words::times(overflows)
        )
    } else {
        format!("the neighbour table has {entries} of {room} entries in use")
    };
    vec![
        RULE.finding(Kind::Setting.named(NAME), text)
            .measured(entries as f64, room as f64, Unit::Count)
            .evidence(
                format!("entries {entries}, table_fulls +{overflows}, {NAME} = {room}"),
                "/proc/net/stat/arp_cache",
            )
            .advice(advice(run, room))
            .into(),
    ]
}

fn logged(run: &Run, line: &LogLine) -> Outcome {
    let ago = facts::log::ago(run, line);
    let room = run.host.sysctl_number(NAME).unwrap_or(DEFAULT);
    finding!(Kind::Setting.named(NAME), "the neighbour table overflowed{ago}: {}", line.text)
        .evidence(facts::log::quoted(line), "kernel log")
        .evidence(format!("{NAME} = {room}"), "/proc/sys/net/ipv4/neigh/default")
        .advice(advice(run, room))
        .into()
}

fn advice(run: &Run, room: u64) -> Advice {
    let wanted = (room * 4).max(4096);
    set_sysctls(
        &run.host,
        &[
            (NAME, wanted.to_string()),
            ("net.ipv4.neigh.default.gc_thresh2", (wanted / 2).to_string()),
            ("net.ipv4.neigh.default.gc_thresh1", (wanted / 4).to_string()),
        ],
        "A neighbour that does not fit into the table cannot be reached.",
        "no \"Neighbour table overflow\" in the kernel log",
    )
}
