rule! {
    /// # What it checks
    /// Passes when the kernel parameters that databases depend on run with the values that the files of sysctl set at boot,
    /// and no file of them lies in `/etc/sysctl.d` under a name that nothing reads.
    /// # Why it matters
    /// A value that was set by hand, or a line that was never applied, shows at the next boot: fewer huge pages than the
    /// SGA needs, fewer asynchronous requests than are open.
    /// # Evidence
    /// `/proc/sys` and the lines of `/etc/sysctl.d`, `/run/sysctl.d`, `/usr/lib/sysctl.d`, `/etc/sysctl.conf` that are read last.
    /// # Remedy
    /// One value in one file, then `sysctl --system`. Huge pages need free memory in one piece: at boot.
    /// # Source
    /// sysctl.d(5) (files end in `.conf`, the last one wins); sysctl(8), `--system`; Oracle Database Installation Guide for
    /// Linux, kernel parameter values persist; systemd, NEWS of version 207 (`/etc/sysctl.conf`).
    code: "sysctl-not-kept",
    title: "kernel parameters run with other values than the files set at boot",
    layer: Host, severity: Warning, on: [File, Setting],
}

/// Parameters that databases depend on; limits of several numbers compare each of them.
const KEYS: [&str; 24] = [
    "vm.nr_hugepages",
    "kernel.shmmax",
    "kernel.shmall",
    "kernel.shmmni",
    "kernel.sem",
    "fs.aio-max-nr",
    "fs.file-max",
    "vm.swappiness",
    "vm.dirty_ratio",
    "vm.dirty_background_ratio",
    "vm.dirty_bytes",
    "vm.dirty_background_bytes",
    "vm.min_free_kbytes",
    "vm.overcommit_memory",
    "vm.overcommit_ratio",
    "vm.zone_reclaim_mode",
    "kernel.numa_balancing",
    "net.core.rmem_max",
    "net.core.wmem_max",
    "net.core.rmem_default",
    "net.core.wmem_default",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
    "net.ipv4.ip_local_port_range",
];

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    if host.sysctls.is_empty() {
        return vec![facts::unread("the kernel parameters")];
    }
    if host.sysctl_persisted.is_empty() && host.sysctl_ignored.is_empty() {
        return Vec::new();
    }
    let mut outcomes: Vec<Outcome> = unread_file(run).into_iter().collect();
    let (harmful, other): (Vec<_>, Vec<_>) =
        differing(host).into_iter().partition(|one| harm(host, one).is_some());
    outcomes.extend(harmful.iter().map(|one| hurts(host, one)));
    if !other.is_empty() {
        outcomes.push(differ(&other));
    }
    if outcomes.is_empty() { vec![Outcome::Passes] } else { outcomes }
}

/// A parameter, what it is now, what the files set it to, and where.
struct Differing<'a> {
    name: &'a str,
    now: String,
    kept: String,
    line: &'a str,
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn differing(host: &Host) -> Vec<Differing<'_>> {
    let keys = KEYS.iter().copied().chain(host.sysctl_persisted.keys().map(String::as_str).filter(is_filter));
    let each = keys.filter_map(|name| {
        let (now, kept) = (words(host.sysctl(name)?), words(host.sysctl_persisted.get(name)?));
        let line = host.sysctl_files.get(name)?;
        // What is written as an expression or in another base is no number to compare.
        let is_plain = kept.split(' ').all(|word| word.parse::<i64>().is_ok());
        (is_plain && now != kept).then_some(Differing { name, now, kept, line })
    });
    each.collect()
}

/// The filter of one interface; those of `all` and `default` act through others.
fn is_filter(name: &&str) -> bool {
    name.ends_with(".rp_filter") && !name.contains(".all.") && !name.contains(".default.")
}

/// What goes wrong after a boot with the value that is kept.
fn harm(host: &Host, one: &Differing) -> Option<String> {
    let kept: u64 = one.kept.parse().ok()?;
    match one.name {
        "vm.nr_hugepages" => {
            let memory = &host.memory;
            let page = memory.huge_page_bytes.filter(|bytes| *bytes > 0)?;
            let total = memory.huge_pages_total.unwrap_or(0);
            let free = memory.huge_pages_free.unwrap_or(0).min(total);
            let used = total - free + memory.huge_pages_reserved.unwrap_or(0).min(free);
            let largest =
                facts::database_instances(host).filter_map(|one| facts::shared_memory(host, one)).max();
            // Made for a database that cannot use them yet (`limit-memlock`): its SGA is what they are for.
            let wanted = used.max(largest.unwrap_or(0) / page);
            (kept < wanted && kept < total)
                .then(|| format!("the shared memory needs {wanted} of the {total} pages"))
        }
        "fs.aio-max-nr" => {
            let used: u64 = host.sysctl("fs.aio-nr")?.trim().parse().ok()?;
            (kept < used)
                .then(|| format!("{used} asynchronous requests are reserved now, {kept} would be allowed"))
        }
        "kernel.shmmax" => {
            let largest = host.ipc.segments.iter().map(|segment| segment.size_bytes).max()?;
            (kept < largest).then(|| format!("the largest segment has {}", facts::size(largest)))
        }
        _ => None,
    }
}

fn hurts(host: &Host, one: &Differing) -> Outcome {
    let Differing { name, now, kept, line } = one;
    let why = harm(host, one).unwrap_or_default();
    let file = line.rsplit_once(':').map_or(*line, |(file, _)| file);
    finding!(
        Kind::Setting.named(*name),
        "{name} is {now} now, but {file} sets {kept} at the next boot: {why}",
    )
    .evidence(format!("{name} = {now}"), "/proc/sys")
    .evidence(format!("{name} = {kept}"), *line)
    .because("After a boot the database does not start, or starts without what it needs.")
    .look(sh!("sysctl {}", name), "Shows the value that runs now")
    .persist(format!(
        "In {line}: {name} = {now}, or what is meant; a file that is read later must not set another"
    ))
    .expecting(format!("{name} is the same in {file} and in `sysctl {name}`", name = as_word(name)))
    .into()
}

fn differ(all: &[Differing]) -> Outcome {
    let text = |one: &Differing| format!("{} {} instead of {}", one.name, one.now, one.kept);
    let told: Vec<String> = all.iter().map(text).collect();
    let told: Vec<&str> = told.iter().map(String::as_str).collect();
    let mut finding = finding!(
        Kind::Setting.named(all[0].name),
        "kernel parameters run with other values than the files set at boot: {}",
        facts::listed(&told),
    )
    .also(all[1..].iter().map(|one| one.name))
    .severity(Severity::Info);
    for one in all {
        finding = finding.evidence(format!("{} = {}, now {}", one.name, one.kept, one.now), one.line);
    }
    finding
        .because("The next boot changes them: which value is meant?")
        .now("Compare `sysctl NAME` with the file that sets it; tuned may have set it as well (`tuned-adm active`)")
        .persist("The value that is meant in one file of /etc/sysctl.d; until the next boot `sysctl -w` sets it alone, where `sysctl --system` would set back all that was changed since the boot")
        .expecting("the running values are those of the files")
        .into()
}

/// A file beside the others that nothing reads, with parameters that no other file sets as it does.
fn unread_file(run: &Run) -> Option<Outcome> {
    let host = &run.host;
    let lost = host.sysctl_ignored.iter();
    let lost: Vec<(&String, &String)> =
        lost.filter(|(name, _)| !host.sysctl_files.contains_key(*name)).collect();
    let (_, line) = lost.first()?;
    let file = line.rsplit_once(':').map_or(line.as_str(), |(file, _)| file);
    let of_file = lost.iter().filter(|(_, line)| line.starts_with(file));
    let names: Vec<&str> = of_file.map(|(name, _)| name.as_str()).collect();
    let is_needed = facts::is_database_host(run) && names.iter().any(|name| KEYS.contains(name));
    let is_conf = file == "/etc/sysctl.conf";
    let why = if is_conf {
        "no link in /etc/sysctl.d leads systemd to it"
    } else {
        "its name does not end in .conf"
    };
    let verb = if names.len() == 1 { "is" } else { "are" };
    let finding = finding!(
        Kind::File.named(file),
        "{file} is not read at boot, because {why}: {} of it {verb} not set",
        facts::listed(&names),
    )
    .severity(if is_needed { Severity::Warning } else { Severity::Info })
    .evidence(facts::listed(&names), line.as_str())
    .advice(if is_conf { linked() } else { renamed(file) }.expecting("the next boot reads the file"));
    Some(finding.into())
}

fn renamed(file: &str) -> Advice {
    because("sysctl and systemd read only files that end in .conf.")
        .persist(format!(
            "Rename it: `mv {file} {0}.conf`, then `sysctl -p {0}.conf`, which sets what is in this file alone",
            as_word(file.rsplit_once('.').map_or(file, |(stem, _)| stem)),
            file = as_word(file)
        ))
        .undo("Rename it back; the values stay until the next boot")
}

fn linked() -> Advice {
    because("What `sysctl -p` has set from it is gone at the next boot.")
        .persist("Where its values are meant: `ln -s ../sysctl.conf /etc/sysctl.d/99-sysctl.conf`, or move its lines into a file of that directory; `sysctl -p` sets them now")
        .undo("Remove the link; the values stay until the next boot")
}
