//! What differs in the configuration of two hosts' records, or of one host at two times.
//!
//! Records are compared field by field as JSON, elements of lists by what names them ([`names`]) and not by their
//! place. What changes all the time is no setting ([`class`]).

mod class;
mod flat;
mod names;

pub use flat::{Field, Fields, fields};

use crate::options::Conclude;
use class::Class;
use fullwire_model::assessment::HERE;
use fullwire_model::comparison::SettingChange;
use fullwire_model::host::Host;
use fullwire_model::{Run, json};
use std::collections::{BTreeMap, BTreeSet};

/// This many differences are tried one by one for what they cause: each costs one judgement of a run.
const MOST_TRIED: usize = 48;
/// More differences than this are counted, not listed: two hosts that have nothing in common.
pub(crate) const MOST_LISTED: usize = 400;

/// One field that differs, and where it is in the first host's record.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// As it is shown.
    pub change: SettingChange,
    pointer: Option<String>,
    after: Option<serde_json::Value>,
    class: Class,
}

/// What differs between two records of one host, without what changes all the time.
pub fn differences(a: &Host, b: &Host) -> Vec<Difference> {
    let mut found = differ(HERE, &fields(a), &fields(b));
    found.retain(|difference| difference.class != Class::Condition);
    replaced(&mut found);
    found
}

fn differ(subject: &str, a: &Fields, b: &Fields) -> Vec<Difference> {
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let mut found = Vec::new();
    // What came or went is reported once, not by each of its fields.
    let only_one =
        |name: &&&String| name.ends_with(flat::IS_THERE) && a.contains_key(**name) != b.contains_key(**name);
    let elements: BTreeSet<&str> =
        names.iter().filter(only_one).filter_map(|name| name.strip_suffix(flat::IS_THERE)).collect();
    // The name of an element ends where a word of its fields' names does.
    let within = |name: &str| {
        let mut ends = name.match_indices(' ').map(|(at, _)| name.split_at(at));
        ends.any(|(element, rest)| rest != flat::IS_THERE && elements.contains(element))
    };
    for name in names {
        if within(name) {
            continue;
        }
        let (before, after) = (a.get(name), b.get(name));
        if before.map(|field| &field.value) == after.map(|field| &field.value) {
            continue;
        }
        let Some(class) = class::of(name) else { continue };
        let change = SettingChange {
            subject: subject.to_owned(),
            field: name.clone(),
            a: before.map(Field::shown),
            b: after.map(Field::shown),
            relevant: class == Class::Path,
            identity: class == Class::Identity,
            codes: Vec::new(),
        };
        found.push(Difference {
            change,
            pointer: before.filter(|_| after.is_some()).map(|field| field.pointer.clone()),
            after: after.map(|field| field.value.clone()),
            class,
        });
    }
    found
}

/// A queueing discipline that came where another went is one difference, of the device: `tc qdisc replace` and `del` do both at once.
fn replaced(found: &mut Vec<Difference>) {
    let element = |one: &Difference| {
        let (list, name) = one.change.field.strip_suffix(flat::IS_THERE)?.split_once(" qdiscs ")?;
        Some((format!("{list} qdiscs"), name.to_owned()))
    };
    for at in (0..found.len()).rev() {
        let Some((list, name)) = element(&found[at]) else { continue };
        let came = found[at].change.a.is_none();
        let other = (0..at).find_map(|other| {
            let (of, name) = element(&found[other])?;
            let swapped = found[other].change.a.is_none() != came && found[other].class == found[at].class;
            (of == list && swapped).then_some((other, name))
        });
        let Some((other, other_name)) = other else { continue };
        let (before, after) = if came { (other_name, name) } else { (name, other_name) };
        let change = &mut found[other].change;
        (change.field, change.a, change.b) = (list, Some(before), Some(after));
        found.remove(at);
    }
}

/// Differences between two sides of runs: settings, and conditions. A field that also differs among the runs of one side
/// is a condition, not a setting that was changed in between.
pub(crate) fn between(
    a: &[&Run],
    b: &[&Run],
    conclude: Option<Conclude<'_>>,
    same_host: bool,
) -> (Vec<SettingChange>, Vec<SettingChange>) {
    let (Some(last_a), Some(last_b)) = (a.last(), b.last()) else { return Default::default() };
    let mut found = Vec::new();
    for subject in subjects(last_a, last_b) {
        let (Some(host_a), Some(host_b)) = (host_of(last_a, &subject), host_of(last_b, &subject)) else {
            continue;
        };
        if host_a == host_b {
            continue;
        }
        let (of_a, of_b) = (fields(host_a), fields(host_b));
        let mut differences = differ(&subject, &of_a, &of_b);
        for difference in &mut differences {
            if varies(a, &subject, &of_a, difference) || varies(b, &subject, &of_b, difference) {
                difference.class = Class::Condition;
                difference.change.relevant = false;
            }
        }
        replaced(&mut differences);
        found.extend(differences);
    }
    if !same_host {
        // Two hosts have different names, addresses and serial numbers: that is no news.
        found.retain(|difference| !difference.change.identity);
    }
    if let Some(conclude) = conclude {
        name_consequences(last_a, &mut found, conclude);
    }
    if let Some(measured) = measured_devices(&[last_a, last_b]) {
        for change in found.iter_mut().map(|difference| &mut difference.change) {
            let host = host_of(last_b, &change.subject);
            change.relevant &= !host.is_some_and(|host| is_elsewhere(&change.field, host, &measured));
        }
    }
    let rank = |difference: &Difference| {
        (!difference.change.relevant, difference.change.codes.is_empty(), difference.change.identity)
    };
    found.sort_by_key(rank);
    let (conditions, settings): (Vec<Difference>, Vec<Difference>) =
        found.into_iter().partition(|difference| difference.class == Class::Condition);
    let changes = |all: Vec<Difference>| {
        all.into_iter().take(MOST_LISTED).map(|difference| difference.change).collect::<Vec<_>>()
    };
    (changes(settings), changes(conditions))
}

/// The devices below the storage that was measured; `None`: none was, or of some it is not known.
fn measured_devices(runs: &[&Run]) -> Option<BTreeSet<String>> {
    let mut devices = BTreeSet::new();
    for run in runs {
        for result in &run.disk {
            let stack = run.host.stack(&result.device);
            let journals = stack.iter().flat_map(|disk| run.host.journals(&disk.name));
            devices.extend(stack.iter().copied().chain(journals).map(|disk| disk.name.clone()));
            if stack.is_empty() {
                return None;
            }
        }
    }
    (!devices.is_empty()).then_some(devices)
}

/// A field of a device that is not below what was measured: it explains no difference.
fn is_elsewhere(field: &str, host: &Host, measured: &BTreeSet<String>) -> bool {
    let mut words = field.split(' ');
    match (words.next(), words.next()) {
        (Some("disks"), Some(name)) => !measured.contains(name),
        (Some("multipath"), Some(name)) => {
            host.multipath.iter().any(|map| map.name == name && !measured.contains(&map.device))
        }
        _ => false,
    }
}

/// This host, and the peers that both runs know.
fn subjects(a: &Run, b: &Run) -> Vec<String> {
    let peers = a.peers.iter().filter(|peer| peer.host.is_some() && !peer.loopback);
    let both = peers.filter(|peer| b.peer(&peer.target).is_some_and(|other| other.host.is_some()));
    std::iter::once(HERE.to_owned()).chain(both.map(|peer| peer.target.to_string())).collect()
}

fn host_of<'a>(run: &'a Run, subject: &str) -> Option<&'a Host> {
    match subject {
        HERE => Some(&run.host),
        peer => run.peer(&peer.into())?.host.as_ref(),
    }
}

/// The field has another value in another run of the same side.
fn varies(runs: &[&Run], subject: &str, last: &Fields, difference: &Difference) -> bool {
    let name = &difference.change.field;
    let own = last.get(name).map(|field| &field.value);
    runs.iter()
        .rev()
        .skip(1)
        .filter_map(|run| host_of(run, subject))
        .any(|host| flat::field(host, name).as_ref().map(|field| &field.value) != own)
}

/// Gives the first run one difference at a time, and sees what the rules then conclude otherwise. The same change of many devices is
/// one: each try is a judgement of a host that may have thousands of them.
fn name_consequences(run: &Run, found: &mut [Difference], conclude: Conclude<'_>) {
    let before: BTreeMap<String, BTreeSet<String>> = by_code(conclude(run));
    let mut ranked: Vec<&mut Difference> =
        found.iter_mut().filter(|one| one.pointer.is_some() && one.class != Class::Condition).collect();
    ranked.sort_by_key(|difference| !difference.change.relevant);
    let mut alike: Vec<(Change, Vec<&mut Difference>)> = Vec::new();
    for difference in ranked {
        let change = Change::of(difference);
        match alike.iter().position(|(known, _)| *known == change) {
            Some(at) => alike[at].1.push(difference),
            None if alike.len() < MOST_TRIED => alike.push((change, vec![difference])),
            None => {}
        }
    }
    let mut records: BTreeMap<String, serde_json::Value> = BTreeMap::new();
    for (change, same) in alike {
        let Some(changed) = with(run, &change.subject, &same, &mut records) else { continue };
        let after = by_code(conclude(&changed));
        let codes: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        let differs = |code: &&String| before.get(*code) != after.get(*code);
        let codes: Vec<String> = codes.into_iter().filter(differs).cloned().collect();
        for difference in same {
            difference.change.codes.clone_from(&codes);
            difference.change.relevant |= !codes.is_empty();
        }
    }
}

/// What was changed into what, in the same place of whichever element of a list.
#[derive(PartialEq)]
struct Change {
    subject: String,
    place: String,
    shown: [Option<String>; 2],
}

impl Change {
    fn of(difference: &Difference) -> Self {
        let words = difference.pointer.as_deref().unwrap_or_default().split('/');
        let any = words.map(|word| if word.bytes().all(|byte| byte.is_ascii_digit()) { "" } else { word });
        let change = &difference.change;
        Self {
            subject: change.subject.clone(),
            place: any.collect::<Vec<_>>().join("/"),
            shown: [change.a.clone(), change.b.clone()],
        }
    }
}

fn by_code(conclusions: Vec<(String, String)>) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (code, text) in conclusions {
        all.entry(code).or_default().insert(text);
    }
    all
}

/// The run with these fields as they are on the other side. `records`: of each host, which is made once.
fn with(
    run: &Run,
    subject: &str,
    same: &[&mut Difference],
    records: &mut BTreeMap<String, serde_json::Value>,
) -> Option<Run> {
    if !records.contains_key(subject) {
        records.insert(subject.to_owned(), json::tree(host_of(run, subject)?).ok()?);
    }
    let record = records.get_mut(subject)?;
    let swap = |record: &mut serde_json::Value, value: &mut serde_json::Value, pointer: &str| {
        if let Some(place) = record.pointer_mut(pointer) {
            std::mem::swap(place, value);
        }
    };
    let mut values: Vec<(&str, serde_json::Value)> =
        same.iter().filter_map(|one| Some((one.pointer.as_deref()?, one.after.clone()?))).collect();
    for (pointer, value) in &mut values {
        swap(record, value, pointer);
    }
    let host: Option<Host> = json::of_tree(record).ok();
    for (pointer, value) in &mut values {
        swap(record, value, pointer);
    }
    let mut run = run.clone();
    let host = host?;
    match same.first()?.change.peer() {
        None => run.host = host,
        Some(target) => run.peers.iter_mut().find(|peer| peer.target == target.into())?.host = Some(host),
    }
    Some(run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::disk::DiskResult;
    use fullwire_model::host::{Disk, Mount, MultipathMap, Nic, Qdisc};

    fn host(mtu_bytes: u64, buffers: &str, options: &[&str]) -> Host {
        let nic = |name: &str| Nic { name: name.into(), mtu_bytes: Some(mtu_bytes), ..Nic::default() };
        let mount = Mount {
            target: "/u01".into(),
            options: options.iter().map(|option| (*option).to_owned()).collect(),
            ..Mount::default()
        };
        Host {
            nics: vec![nic("eth0")],
            mounts: vec![mount],
            sysctls: [("net.ipv4.tcp_rmem", buffers), ("kernel.random.uuid", "a"), ("fs.file-nr", "1 2 3")]
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            ..Host::default()
        }
    }

    #[test]
    fn a_discipline_that_was_set_up_again_is_the_same_one() {
        let shaped = |handle: &str, rate: f64| {
            let mut host = host(1500, "4096 131072 6291456", &[]);
            host.nics[0].qdiscs = vec![Qdisc {
                kind: "tbf".into(),
                parent: "root".into(),
                handle: handle.into(),
                rate_bytes_per_s: Some(rate),
                ..Qdisc::default()
            }];
            host
        };
        let changes = |one: &Host, other: &Host| differences(one, other).len();
        assert_eq!(changes(&shaped("8001:", 25e6), &shaped("8002:", 25e6)), 0, "the kernel numbers it");
        assert_ne!(changes(&shaped("1:", 25e6), &shaped("2:", 25e6)), 0, "somebody numbered it");
        assert_eq!(changes(&shaped("8001:", 25e6), &shaped("8002:", 20e6)), 1);
        let mut bare = shaped("0:", 25e6);
        bare.nics[0].qdiscs[0].kind = "noqueue".into();
        let found: Vec<SettingChange> =
            differences(&shaped("8001:", 25e6), &bare).into_iter().map(|one| one.change).collect();
        assert_eq!(listed(&found), ["nics eth0 qdiscs tbf root > noqueue root"]);
    }

    fn listed(found: &[SettingChange]) -> Vec<String> {
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        found.iter().map(|one| format!("{} {} > {}", one.field, text(&one.a), text(&one.b))).collect()
    }

    #[test]
    fn settings_are_told_by_their_names_and_what_changes_all_the_time_is_not() {
        let mut a = host(1500, "4096\t131072\t6291456", &["rw", "relatime"]);
        let mut b = host(9000, "4096\t131072\t33554432", &["rw", "noatime"]);
        b.sysctls.insert("fs.file-nr".into(), "9 9 9".into());
        b.memory.free_bytes = Some(1);
        // Another order is no difference.
        a.nics.push(Nic { name: "eth1".into(), ..Nic::default() });
        b.nics.insert(0, Nic { name: "eth1".into(), ..Nic::default() });
        let found: Vec<SettingChange> = differences(&a, &b).into_iter().map(|one| one.change).collect();
        assert_eq!(
            listed(&found),
            [
                "mounts /u01 options rw,relatime > rw,noatime",
                "net.ipv4.tcp_rmem 4096 131072 6291456 > 4096 131072 33554432",
                "nics eth0 mtu_bytes 1500 > 9000",
            ]
        );
        assert!(found.iter().all(|change| change.relevant));
    }

    #[test]
    fn a_device_that_is_not_below_what_was_measured_is_no_suspect() {
        let disk = |name: &str, slaves: &[&str]| Disk {
            name: name.into(),
            slaves: slaves.iter().map(|name| (*name).to_owned()).collect(),
            ..Disk::default()
        };
        let map = |name: &str, device: &str| MultipathMap {
            name: name.into(),
            device: device.into(),
            ..MultipathMap::default()
        };
        let mut a = Run::default();
        a.host.disks =
            vec![disk("dm-0", &["sda"]), disk("sda", &[]), disk("dm-1", &["sdb"]), disk("sdb", &[])];
        a.host.multipath = vec![map("mpatha", "dm-0"), map("mpathb", "dm-1")];
        a.disk = vec![DiskResult { device: "dm-0".into(), ..DiskResult::default() }];
        let suspects = |map: usize, disk: usize| {
            let mut b = a.clone();
            b.host.multipath[map].hardware_handler = "1 alua".into();
            b.host.disks[disk].model = "another".into();
            let (settings, _) = between(&[&a], &[&b], None, true);
            assert_eq!(settings.len(), 2, "{settings:?}");
            settings.iter().filter(|change| change.relevant).count()
        };
        assert_eq!(suspects(0, 1), 2, "its own map and path");
        assert_eq!(suspects(1, 3), 0, "another map");
    }

    #[test]
    fn what_came_or_went_is_told_once() {
        let (a, mut b) = (host(1500, "1 2 3", &[]), host(1500, "1 2 3", &[]));
        b.nics.push(Nic { name: "eth1".into(), mtu_bytes: Some(9000), ..Nic::default() });
        let found: Vec<SettingChange> = differences(&a, &b).into_iter().map(|one| one.change).collect();
        assert_eq!(listed(&found), ["nics eth1 present  > yes"]);
    }

    #[test]
    fn what_differs_among_the_runs_of_one_side_is_a_condition() {
        let run = |buffers: &str| Run { host: host(1500, buffers, &[]), ..Run::default() };
        let (a, other, b) = (run("1 2 3"), run("1 2 4"), run("1 2 5"));
        let (settings, conditions) = between(&[&a, &a], &[&b, &b], None, true);
        assert_eq!((settings.len(), conditions.len()), (1, 0));
        let (settings, conditions) = between(&[&other, &a], &[&b, &b], None, true);
        assert_eq!((settings.len(), conditions.len()), (0, 1));
    }

    /// However many devices were changed alike: a try is a judgement of the whole host.
    #[test]
    fn the_same_change_of_many_devices_is_tried_once() {
        let run = |rotational: bool| {
            let queue = fullwire_model::host::Queue { rotational: Some(rotational), ..Default::default() };
            let disk =
                |number| Disk { name: format!("sd{number}"), queue: Some(queue.clone()), ..Disk::default() };
            Run { host: Host { disks: (0..200).map(disk).collect(), ..Host::default() }, ..Run::default() }
        };
        let tries = std::cell::Cell::new(0);
        let conclude = |run: &Run| {
            tries.set(tries.get() + 1);
            let turn =
                run.host.disks.iter().filter(|disk| disk.queue.as_ref().unwrap().rotational == Some(true));
            vec![("queue-rotational".to_owned(), turn.count().to_string())]
        };
        let (settings, _) = between(&[&run(false)], &[&run(true)], Some(&conclude), true);
        assert_eq!((settings.len(), tries.get()), (200, 2), "one as it was");
        assert!(settings.iter().all(|change| change.codes == ["queue-rotational"]), "{settings:?}");
    }

    #[test]
    fn a_difference_names_the_rules_that_come_out_otherwise() {
        let run = |mtu| Run { host: host(mtu, "1 2 3", &[]), ..Run::default() };
        let conclude = |run: &Run| match run.host.nics[0].mtu_bytes {
            Some(1500) => vec![("mtu-low".to_owned(), "eth0".to_owned())],
            _ => Vec::new(),
        };
        let (settings, _) = between(&[&run(1500)], &[&run(9000)], Some(&conclude), true);
        assert_eq!(settings[0].codes, ["mtu-low"]);
    }
}
