//! A process as one line of the kernel describes it.

/// A process as its `stat` line reports.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ProcessStat {
    pub pid: u32,
    pub parent_pid: u32,
    pub name: String,
    pub state: char,
    pub threads: u64,
    pub user_ns: u64,
    pub system_ns: u64,
    pub rss_bytes: u64,
    /// Since boot, ns.
    pub started_ns: u64,
    /// `SCHED_*` as a number (sched.h); `None`: not told.
    pub policy: Option<u64>,
    /// Only where `stat` did not tell it: a captured `ps`.
    pub uid: Option<u32>,
    pub command_line: String,
}

impl ProcessStat {
    /// The name of its scheduling policy; empty: not told.
    pub(crate) fn scheduling(&self) -> &'static str {
        match self.policy {
            Some(0) => "other",
            Some(1) => "fifo",
            Some(2) => "rr",
            Some(3) => "batch",
            Some(5) => "idle",
            Some(6) => "deadline",
            _ => "",
        }
    }

    pub(crate) fn cpu_ns(&self) -> u64 {
        self.user_ns.saturating_add(self.system_ns)
    }
}

/// `PID (NAME) STATE PPID …` (proc(5)); the name may hold blanks and parentheses.
pub(super) fn parse_stat(line: &str, tick_ns: u64, page_bytes: u64) -> Option<ProcessStat> {
    let (pid, rest) = line.split_once(" (")?;
    let (name, rest) = rest.rsplit_once(") ")?;
    let words: Vec<&str> = rest.split_ascii_whitespace().collect();
    // Field numbers of proc(5) count from 1 and from the PID; the state is field 3.
    let field = |number: usize| words.get(number.checked_sub(3)?)?.parse::<u64>().ok();
    Some(ProcessStat {
        pid: pid.trim().parse().ok()?,
        parent_pid: words.get(1)?.parse().ok()?,
        name: name.to_owned(),
        state: words.first()?.chars().next()?,
        threads: field(20)?,
        user_ns: field(14)?.saturating_mul(tick_ns),
        system_ns: field(15)?.saturating_mul(tick_ns),
        rss_bytes: field(24)?.saturating_mul(page_bytes),
        started_ns: field(22)?.saturating_mul(tick_ns),
        policy: field(41),
        uid: None,
        command_line: String::new(),
    })
}
