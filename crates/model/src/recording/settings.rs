//! What changed in a host's settings and topology between two readings.

use super::{Event, EventKind, Sample};
use crate::host::{Host, LogLine};
use serde_json::Value;
use std::collections::BTreeMap;

/// Parts of a host that are settings or topology. Processes, memory in use and the clock's offset change all the time.
const PARTS: [&str; 16] = [
    "os", "sysctls", "nics", "bonds", "routes", "disks", "multipath", "fc_hosts", "sas_phys",
    "iscsi_sessions", "logical_volumes", "mounts", "swaps", "cgroups", "tuned_profile", "fstab",
];

/// Members that are levels or counts, wherever they are.
const LEVELS: [&str; 14] = [
    "space", "used_bytes", "age_s", "errors", "failures", "status", "sync_done", "data_used",
    "metadata_used", "gaps", "uptime_s", "coalesce", "irq_affinity", "current_bytes",
];

/// Settings of the kernel that count or change by themselves.
const COUNTING: [&str; 10] = [
    "kernel.random.",
    "kernel.ns_last_pid",
    "kernel.pty.nr",
    "fs.file-nr",
    "fs.aio-nr",
    "fs.inode-",
    "fs.dentry-state",
    "net.netfilter.nf_conntrack_count",
    "net.ipv4.neigh",
    "kernel.sched_domain",
];

/// Changes of one reading that are listed one by one.
const MOST: usize = 50;

/// Each setting by a name that a reader understands (`disks sdb queue scheduler`), as text.
pub fn settings(host: &Host) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    if let Ok(Value::Object(tree)) = crate::json::tree(host) {
        for part in PARTS {
            if let Some(value) = tree.get(part) {
                walk(part, value, &mut found);
            }
        }
    }
    found.retain(|name, _| {
        let sysctl = name.strip_prefix("sysctls ").unwrap_or("");
        sysctl.is_empty() || !COUNTING.iter().any(|counting| sysctl.starts_with(counting))
    });
    found
}

fn walk(name: &str, value: &Value, found: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members.iter().filter(|(key, _)| !LEVELS.contains(&key.as_str())) {
                walk(&format!("{name} {key}"), value, found);
            }
        }
        Value::Array(elements) if elements.iter().any(Value::is_object) => {
            for (index, element) in elements.iter().enumerate() {
                let known = ["name", "device", "target", "path", "destination"];
                let own = known.iter().find_map(|key| element.get(key)?.as_str());
                walk(&format!("{name} {}", own.map_or(index.to_string(), str::to_owned)), element, found);
            }
        }
        Value::Array(elements) => {
            let words = elements.iter().map(text).collect::<Vec<_>>();
            found.insert(name.to_owned(), words.join(" "));
        }
        Value::Null => {}
        other => _ = found.insert(name.to_owned(), text(other)),
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What changed, as events at the moment of a sample: settings, and lines of the kernel log that are new.
pub fn setting_changes(before: &Host, after: &Host, sample: &Sample) -> Vec<Event> {
    let (old, new) = (settings(before), settings(after));
    let mut events = Vec::new();
    for name in old.keys().chain(new.keys().filter(|name| !old.contains_key(*name))) {
        let detail = match (old.get(name), new.get(name)) {
            (Some(old), Some(new)) if old == new => continue,
            (Some(old), Some(new)) => format!("{old} → {new}"),
            (Some(old), None) => format!("gone; was {old}"),
            (None, Some(new)) => format!("now {new}"),
            (None, None) => continue,
        };
        events.push(Event::at(sample, EventKind::Setting, name, detail));
    }
    if events.len() > MOST {
        let more = events.len() - MOST;
        events.truncate(MOST);
        events.push(Event::at(sample, EventKind::Setting, "", format!("{more} more settings changed")));
    }
    let count = |log: &[LogLine], line: &LogLine| {
        log.iter().find(|known| known.text == line.text).map_or(0, |known| known.count)
    };
    let fresh = after.kernel_log.iter().filter(|line| line.count > count(&before.kernel_log, line));
    events.extend(
        fresh
            .take(MOST)
            .map(|line| Event::at(sample, EventKind::KernelLog, line.pattern.clone(), line.text.clone())),
    );
    events
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Disk, Mount, Queue, Space};

    fn host(scheduler: &str, free_bytes: u64, swappiness: &str) -> Host {
        Host {
            disks: vec![Disk {
                name: "sdb".into(),
                queue: Some(Queue { scheduler: Some(scheduler.into()), ..Queue::default() }),
                ..Disk::default()
            }],
            mounts: vec![Mount {
                target: "/u01".into(),
                space: Some(Space { free_bytes, ..Space::default() }),
                ..Mount::default()
            }],
            sysctls: BTreeMap::from([
                ("vm.swappiness".into(), swappiness.into()),
                ("kernel.random.uuid".into(), free_bytes.to_string()),
            ]),
            ..Host::default()
        }
    }

    #[test]
    fn settings_that_changed_are_named_and_levels_are_not() {
        let at = Sample::default();
        assert_eq!(setting_changes(&host("none", 5, "10"), &host("none", 9, "10"), &at), []);
        let events = setting_changes(&host("none", 5, "10"), &host("bfq", 5, "60"), &at);
        let told: Vec<(&str, &str)> =
            events.iter().map(|event| (event.subject.as_str(), event.detail.as_str())).collect();
        assert_eq!(told, [("disks sdb queue scheduler", "none → bfq"), ("sysctls vm.swappiness", "10 → 60")]);
    }

    #[test]
    fn a_line_of_the_kernel_log_is_told_when_it_comes() {
        let line = |count| LogLine {
            pattern: "io-error".into(),
            text: "I/O error, dev sdb".into(),
            count,
            ..LogLine::default()
        };
        let host = |count| Host { kernel_log: vec![line(count)], ..Host::default() };
        let at = Sample::default();
        assert_eq!(setting_changes(&host(1), &host(1), &at), []);
        let events = setting_changes(&Host::default(), &host(1), &at);
        assert_eq!((events[0].kind, events[0].detail.as_str()), (EventKind::KernelLog, "I/O error, dev sdb"));
    }
}
