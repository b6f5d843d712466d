use crate::host::cgroup::owner;

rule! {
    /// # What it checks
    /// Passes when `oom_kill` did not grow during the run, and the kernel log names no victim. A cgroup that reached its
    /// own limit is a note, unless the victim was the database.
    /// # Why it matters
    /// The victim is often the largest process: the database.
    /// # Evidence
    /// `oom_kill` in `/proc/vmstat`; kernel log.
    /// # Remedy
    /// Size memory; protect the database (`OOMScoreAdjust=-900`) unless it is what uses the memory, of PostgreSQL the
    /// postmaster alone; raise a cgroup's limit.
    /// # Source
    /// Linux Documentation/admin-guide/sysctl/vm.rst (`oom_dump_tasks`); `mm/oom_kill.c` ("Memory cgroup out of memory",
    /// `CONSTRAINT_MEMCG`); PostgreSQL documentation, "Linux Memory Overcommit"
    /// (`PG_OOM_ADJUST_FILE`, `PG_OOM_ADJUST_VALUE`); systemd.exec(5), `OOMScoreAdjust` (-1000 disables the
    /// kill); Netdata health.d (`oom_kill`).
    code: "out-of-memory",
    title: "the kernel killed a process for lack of memory",
    layer: Host, severity: Critical, on: [Memory],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let killed = facts::grown_in_all(run, |counters| counters.vmstat.get("oom_kill").copied());
    let told = told(run);
    // oom_kill counts the kills of a cgroup's own limit too; the log tells which it was.
    let of_the_run = told.filter(|line| facts::log::is_of_the_run(run, line) && is_of_cgroup(run, line));
    match (killed, told) {
        (Some(count), _) if count > 0 && of_the_run.is_none() => vec![fires(
            run,
            format!("the kernel killed {count} processes for lack of memory during the run"),
            format!("oom_kill +{count}"),
            "/proc/vmstat",
            Severity::Critical,
            told,
        )],
        (_, Some(line)) => vec![logged(run, line)],
        (None, None) => vec![facts::unread("oom_kill over a window")],
        (Some(_), None) => vec![Outcome::Passes],
    }
}

/// The line that says most: the newest that names a database's process, or a victim at all rather than who requested
/// memory.
fn told(run: &Run) -> Option<&LogLine> {
    let lines = run.host.kernel_log.iter().filter(|line| line.pattern == "oom");
    let weight = |line: &LogLine| (severity(run, line), victim(line).is_some(), is_kill(line));
    let newest =
        |one: &LogLine, other: &LogLine| one.seconds.partial_cmp(&other.seconds).unwrap_or(Ordering::Equal);
    // Of equals the last: the count tells that there were more.
    lines.max_by(|one, other| weight(one).cmp(&weight(other)).then(newest(one, other)))
}

fn is_kill(line: &LogLine) -> bool {
    line.text.contains("Killed process")
}

/// Kills of the same kind as this one, of the last day where it is of it.
fn times(run: &Run, line: &LogLine) -> u64 {
    let same = |other: &&LogLine| {
        other.pattern == "oom"
            && is_kill(other)
            && severity(run, other) == severity(run, line)
            && is_of_cgroup(run, other) == is_of_cgroup(run, line)
    };
    let of_kind = run.host.kernel_log.iter().filter(same).map(|other| other.count);
    if is_kill(line) && facts::log::is_recent(run, line) {
        of_kind.fold(0, u64::saturating_add)
    } else {
        line.count
    }
}

/// `mysqld` of `Killed process 1502 (mysqld) total-vm:...`.
fn victim(line: &LogLine) -> Option<&str> {
    let (_, rest) = line.text.split_once("Killed process ")?;
    let (name, _) = rest.split_once('(')?.1.split_once(')')?;
    Some(name)
}

/// The database server whose process a name is. The kernel keeps 15 bytes of it.
fn database(process: &str) -> Option<&'static str> {
    let background = ["ora_", "asm_", "oracle_", "mdb_", "apx_"];
    match process {
        "mysqld" | "mariadbd" => Some("mysql"),
        "postgres" | "postmaster" => Some("postgresql"),
        "oracle" => Some("oracle"),
        name if background.iter().any(|prefix| name.starts_with(prefix)) => Some("oracle"),
        _ => None,
    }
}

/// A limit of one cgroup was reached, not the host's memory.
fn is_of_cgroup(run: &Run, line: &LogLine) -> bool {
    let of_cgroup = |text: &str| text.contains("Memory cgroup") || text.contains("CONSTRAINT_MEMCG");
    let mut others = run
        .host
        .kernel_log
        .iter()
        .filter(|other| other.pattern == "oom" && other.text.contains("CONSTRAINT"));
    // Who requested the memory is named alike for both; the victim's line tells.
    of_cgroup(&line.text)
        || victim(line).is_none()
            && others.any(|other| {
                other.seconds.is_some() && other.seconds == line.seconds && of_cgroup(&other.text)
            })
}

/// `/docker/4f1c` of the line that says whose limit it was, if it can be told.
fn cgroup<'a>(run: &'a Run, line: &'a LogLine) -> Option<&'a str> {
    let name = |line: &'a LogLine| line.text.split_once("oom_memcg=")?.1.split(',').next();
    let mut lines = run.host.kernel_log.iter().filter(|other| other.pattern == "oom" && other.count == 1);
    let near = |other: &&LogLine| other.seconds.zip(line.seconds).is_some_and(|(a, b)| (a - b).abs() < 1.0);
    name(line).or_else(|| lines.find(|other| near(other) && name(other).is_some()).and_then(name))
}

fn severity(run: &Run, line: &LogLine) -> Severity {
    let of_database = victim(line).and_then(database).is_some() && !is_private(run, line);
    match facts::log::is_recent(run, line) {
        true if of_database => Severity::Critical,
        // Its limit did what it is there for; nothing else on the host was short of memory.
        true if is_of_cgroup(run, line) => Severity::Info,
        true => Severity::Warning,
        false => Severity::Info,
    }
}

/// A user who has groups below their own reaches a limit there by a program of any name: it is no database's unless a database
/// server is that user's. A server that an administrator started by hand is in such a group too, and runs as a service's account.
fn is_private(run: &Run, line: &LogLine) -> bool {
    let number = |from: &str, end: char| from.split(end).next()?.parse::<u32>().ok();
    let of_people = |uid: u32| uid >= 1000;
    let uid = line.text.rsplit_once(" UID:").and_then(|(_, uid)| number(uid, ' '));
    let slice = cgroup(run, line).and_then(|group| number(group.strip_prefix("/user.slice/user-")?, '.'));
    slice.is_some_and(of_people)
        && uid.is_none_or(of_people)
        && !run.host.databases.iter().any(|database| database.uid.is_some() && database.uid == uid)
}

fn logged(run: &Run, line: &LogLine) -> Outcome {
    let ago = facts::log::when(run, line, times(run, line));
    let name = victim(line).filter(|name| database(name).is_some() && !is_private(run, line));
    let whose = name.map_or("a process".to_owned(), |name| format!("a process of the database ({name})"));
    let why = match (is_of_cgroup(run, line), cgroup(run, line)) {
        (true, Some(cgroup)) => format!("because the cgroup {cgroup} reached its own memory limit"),
        (true, None) => "because its cgroup reached its own memory limit".to_owned(),
        (false, _) => "for lack of memory".to_owned(),
    };
    let message = format!("the kernel killed {whose} {why}{ago}: {}", line.text);
    fires(run, message, facts::log::quoted(line), "kernel log", severity(run, line), Some(line))
}

/// What a database's memory consists of, by its kind.
fn sizing(kind: &str) -> &'static str {
    match kind {
        kind if kind.starts_with("oracle") => "SGA plus pga_aggregate_limit",
        kind if kind.starts_with("postgres") => "shared_buffers plus max_connections times work_mem",
        "mysql" | "mariadb" => {
            "innodb_buffer_pool_size plus max_connections times the buffers of a connection"
        }
        _ => "the memory of the database and its sessions",
    }
}

/// What keeps the server from being the next victim. Its children inherit it: a session that takes all memory must stay one
/// that can be killed.
fn shield(kind: &str) -> &'static str {
    if kind.starts_with("postgres") {
        "OOMScoreAdjust=-900 with Environment=\"PG_OOM_ADJUST_FILE=/proc/self/oom_score_adj\" and \"PG_OOM_ADJUST_VALUE=0\", so that a session that takes all memory can still be killed"
    } else {
        "OOMScoreAdjust=-900, not -1000: a server that may never be killed has the kernel kill everything else"
    }
}

fn fires(
    run: &Run,
    message: String,
    evidence: String,
    source: &str,
    severity: Severity,
    line: Option<&LogLine>,
) -> Outcome {
    let killed = line.filter(|line| !is_private(run, line)).and_then(victim).and_then(database);
    let of_cgroup = line.is_some_and(|line| is_of_cgroup(run, line));
    let hosted =
        run.host.databases.iter().map(|database| database.kind.as_str()).find(|kind| *kind != "oracle-asm");
    let sizing = sizing(killed.or(hosted).unwrap_or_default());
    let (why, remedy) = match (killed, of_cgroup) {
        (Some(_), true) => (
            "The database was the victim: its cgroup allows less memory than it uses.",
            format!("Raise the limit of its cgroup (MemoryMax= of the unit, the limit of the container), or size {sizing} below it"),
        ),
        (Some(_), false) => (
            "The database was the victim: it restarts, and recovers what it had not written.",
            format!("Size {sizing} well below RAM, or add memory. Shielding the database alone (OOMScoreAdjust) only moves the kill to another process"),
        ),
        (None, true) => (
            "One cgroup was too small for what runs in it; the host had memory left.",
            "Raise that limit (MemoryMax= of the unit, the limit of the container), or let its program use less".to_owned(),
        ),
        (None, false) => (
            "The next victim may be the database.",
            format!("Size {sizing} below RAM first. Then `systemctl edit` the database's unit: {}", shield(hosted.unwrap_or_default())),
        ),
    };
    let of_pod = of_cgroup
        && line.and_then(|line| cgroup(run, line)).and_then(Runtime::of_group) == Some(Runtime::Kubelet);
    let remedy = if of_pod { owner::of_pod() } else { because("").persist(remedy) };
    RULE.finding(Kind::Memory.only(), message)
        .severity(severity)
        .evidence(evidence, source)
        .because(why)
        .look(
            "dmesg -T | grep -A30 'invoked oom-killer' || true",
            "Shows what was killed, and how much memory each process used",
        )
        .and(remedy)
        .expecting("oom_kill no longer grows")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::host::Host;

    fn judged(texts: &[&str]) -> (Severity, String, String) {
        let line = |text: &&str| LogLine {
            pattern: "oom".to_owned(),
            text: (*text).to_owned(),
            seconds: Some(9940.0),
            count: 1,
            ..LogLine::default()
        };
        let mut host = Host { kernel_log: texts.iter().map(line).collect(), ..Host::default() };
        host.os.uptime_s = Some(10_000.0);
        let run = Run { host, ..Run::default() };
        let Outcome::Fires(finding) = logged(&run, told(&run).unwrap()) else { panic!("{texts:?}") };
        let advice = format!("{:?}", finding.advice);
        (finding.severity, finding.message, advice)
    }

    #[test]
    fn the_limit_of_a_cgroup_is_no_shortage_of_the_host() {
        let whose =
            "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),oom_memcg=/docker/4f1c,task=java,pid=881";
        let kill = "Memory cgroup out of memory: Killed process 881 (java) total-vm:1037800kB";
        let (severity, message, _) = judged(&["java invoked oom-killer: order=0", whose, kill]);
        assert_eq!(severity, Severity::Info);
        assert!(message.contains("the cgroup /docker/4f1c reached its own memory limit"), "{message}");
        let database = "Memory cgroup out of memory: Killed process 881 (postgres) total-vm:1037800kB";
        let (severity, _, advice) = judged(&[database]);
        assert_eq!(severity, Severity::Critical);
        assert!(advice.contains("MemoryMax="), "{advice}");
    }
}
