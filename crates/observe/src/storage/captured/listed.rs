//! Block devices by what is left where neither sysfs nor `lsblk -O` was collected (a supportconfig): the table of
//! `lsblk`, `/proc/partitions`, `lsscsi` and the paths of multipath maps.

use crate::Root;
use crate::storage::dm_target::devices_in;
use crate::storage::scsi::{self, HostAdapters, read_scsi};
use fullwire_model::Gap;
use fullwire_model::host::{Disk, Mount, MultipathMap};
use std::collections::{BTreeMap, BTreeSet};

const PARTITIONS: &str = "/proc/partitions";
/// With columns that supportconfig chose.
const CHOSEN: &str = "/sos_commands/block/lsblk_-i_-o";
/// `grep '' /sys/block/*/queue/scheduler` of supportconfig.
const SCHEDULERS: &str = "/sos_commands/block/schedulers";
const LSSCSI: &str = "/sos_commands/scsi/lsscsi";

/// Rows of one listing: several times what a host has, and each is looked for among the others (own choice).
pub(super) const ROWS_LIMIT: usize = 16_384;

/// The columns of `lsblk` that are never empty; what follows may hold blanks.
const COLUMNS: [&str; 6] = ["NAME", "MAJ:MIN", "RM", "SIZE", "RO", "TYPE"];

/// Values by the lower-case column, as `lsblk -P` has them: of the table of `lsblk` where there is one, else of
/// `/proc/partitions`, which has names, numbers and sizes alone.
pub(in crate::storage) fn rows(
    root: &Root,
    tree: Option<&str>,
    gaps: &mut Vec<Gap>,
) -> Vec<BTreeMap<String, String>> {
    let names = root.read_optional(PARTITIONS, gaps).map(|text| partitions(&text)).unwrap_or_default();
    let of_tree = tree.map(|text| of_table(text, &names)).unwrap_or_default();
    if !of_tree.is_empty() {
        return of_tree;
    }
    let mut rows = of_names(&names);
    let chosen = root.read_optional(CHOSEN, gaps).unwrap_or_default();
    let at = |name: &str| chosen.lines().next().and_then(|head| column(head, name));
    let (scheduler, rotational) = (at("SCHED"), at("ROTA"));
    for line in chosen.lines().skip(1).take(ROWS_LIMIT) {
        let Some(kernel) = branch(line).1.split_whitespace().nth(1) else { continue };
        let Some(row) = rows.iter_mut().find(|row| row["kname"] == kernel) else { continue };
        // Words stand below the start of their title, numbers end below its end.
        let sched = scheduler.and_then(|(start, _)| line.get(start..)?.split(' ').next());
        let rota = rotational.and_then(|(_, end)| line.get(..end)?.rsplit(' ').next());
        for (name, value) in [("sched", sched), ("rota", rota)] {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                row.entry(name.to_owned()).or_insert_with(|| value.to_owned());
            }
        }
    }
    for (kernel, name, parent) in of_chosen(&chosen) {
        let Some(row) = rows.iter_mut().find(|row| row["kname"] == kernel) else { continue };
        row.insert("name".to_owned(), name);
        if !parent.is_empty() {
            row.entry("pkname".to_owned()).or_insert(parent);
        }
    }
    rows
}

/// The kernel's name, the name and the device above of each line of a table whose first columns are `NAME KNAME MAJ:MIN`;
/// what follows may be empty or hold blanks.
fn of_chosen(text: &str) -> Vec<(String, String, String)> {
    let mut lines = text.lines();
    if !lines.next().is_some_and(|head| head.split_whitespace().take(3).eq(["NAME", "KNAME", "MAJ:MIN"])) {
        return Vec::new();
    }
    let mut above: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for line in lines.take(ROWS_LIMIT) {
        let (depth, start) = branch(line);
        let mut words = start.split_whitespace();
        let (Some(name), Some(kernel)) = (words.next(), words.next()) else { continue };
        above.truncate(depth);
        found.push((kernel.to_owned(), name.to_owned(), above.last().cloned().unwrap_or_default()));
        above.push(kernel.to_owned());
    }
    found
}

/// Where a title of a table's head starts and ends.
fn column(head: &str, name: &str) -> Option<(usize, usize)> {
    let start = head.match_indices(name).map(|(at, _)| at).find(|at| {
        let before = head.as_bytes().get(at.wrapping_sub(1));
        let after = head.as_bytes().get(at + name.len());
        before.is_none_or(|byte| *byte == b' ') && after.is_none_or(|byte| *byte == b' ')
    })?;
    Some((start, start + name.len()))
}

/// Adds the schedulers of `/sys/block/*/queue/scheduler`, printed with their paths, where nothing else tells them.
pub(in crate::storage) fn add_schedulers(root: &Root, disks: &mut [Disk], gaps: &mut Vec<Gap>) {
    let Some(text) = root.read_optional(SCHEDULERS, gaps) else { return };
    for line in text.lines().take(ROWS_LIMIT) {
        let named = line.strip_prefix("/sys/block/").and_then(|rest| rest.split_once("/queue/scheduler:"));
        let Some((name, value)) = named else { continue };
        let Some(disk) = disks.iter_mut().find(|disk| disk.name == name) else { continue };
        let queue = disk.queue.get_or_insert_default();
        if queue.schedulers.is_empty() {
            (queue.scheduler, queue.schedulers) = crate::storage::queue::schedulers(value);
        }
    }
}

/// How deep in the tree a line of `lsblk` is, and what stands there.
fn branch(line: &str) -> (usize, &str) {
    let start = line.trim_start_matches([' ', '|', '`', '-', '│', '├', '└', '─']);
    ((line.chars().count() - start.chars().count()) / 2, start)
}

/// One line of `/proc/partitions`.
struct Named {
    name: String,
    number: String,
    bytes: u64,
}

/// `major minor  #blocks  name`, blocks of 1 KiB.
fn partitions(text: &str) -> Vec<Named> {
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [major, minor, blocks, name] = words.as_slice() else { return None };
        let bytes = blocks.parse::<u64>().ok()?.checked_mul(1024)?;
        Some(Named { name: (*name).to_owned(), number: format!("{major}:{minor}"), bytes })
    };
    text.lines().filter_map(line).take(ROWS_LIMIT).collect()
}

fn row(fields: &[(&str, &str)]) -> BTreeMap<String, String> {
    fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// The table has device-mapper's names; the kernel's are found by the number.
fn of_table(text: &str, names: &[Named]) -> Vec<BTreeMap<String, String>> {
    let mut lines = text.lines();
    if !lines.next().is_some_and(|head| head.split_whitespace().take(COLUMNS.len()).eq(COLUMNS)) {
        return Vec::new();
    }
    let mut rows: Vec<BTreeMap<String, String>> = Vec::new();
    let mut above: Vec<String> = Vec::new();
    for line in lines.take(ROWS_LIMIT) {
        let (depth, start) = branch(line);
        let words: Vec<&str> = start.split_whitespace().take(COLUMNS.len()).collect();
        let [name, number, removable, size, read_only, kind] = words.as_slice() else { continue };
        let known = names.iter().find(|known| known.number == *number);
        let minor = number.split(':').nth(1).unwrap_or_default();
        let mapped =
            matches!(*kind, "mpath" | "lvm" | "crypt") || (*kind == "part" && name.contains("-part"));
        let kernel = match known {
            Some(known) => known.name.clone(),
            None if mapped => format!("dm-{minor}"),
            None => (*name).to_owned(),
        };
        above.truncate(depth);
        let parent = above.last().cloned().unwrap_or_default();
        let bytes = known.map_or_else(|| (*size).to_owned(), |known| known.bytes.to_string());
        rows.push(row(&[
            ("name", name),
            ("kname", &kernel),
            ("maj:min", number),
            ("rm", removable),
            ("size", &bytes),
            ("ro", read_only),
            ("type", kind),
            ("pkname", &parent),
        ]));
        above.push(kernel);
    }
    rows
}

/// A partition is named after its disk: `sda1`, `nvme0n1p1`.
fn of_names(names: &[Named]) -> Vec<BTreeMap<String, String>> {
    let is_part = |name: &str, disk: &str| {
        let rest = name.strip_prefix(disk).unwrap_or_default();
        let ends_in_digit = disk.ends_with(|c: char| c.is_ascii_digit());
        let digits = if ends_in_digit { rest.strip_prefix('p').unwrap_or_default() } else { rest };
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let each = names.iter().map(|own| {
        let parent = names.iter().find(|disk| is_part(&own.name, &disk.name));
        let bytes = own.bytes.to_string();
        let mut row = row(&[("kname", &own.name), ("maj:min", &own.number), ("size", &bytes)]);
        if let Some(parent) = parent {
            row.insert("type".to_owned(), "part".to_owned());
            row.insert("pkname".to_owned(), parent.name.clone());
        }
        row
    });
    each.collect()
}

/// Adds the SCSI addresses of `lsscsi`: `[6:0:0:0]  disk  NETAPP  LUN C-Mode  1.0  /dev/sdc`.
pub(in crate::storage) fn add_addresses(root: &Root, disks: &mut [Disk], gaps: &mut Vec<Gap>) {
    let Some(text) = root.read_optional(LSSCSI, gaps) else { return };
    for line in text.lines().take(ROWS_LIMIT) {
        let Some((address, rest)) = line.trim().strip_prefix('[').and_then(|rest| rest.split_once(']'))
        else {
            continue;
        };
        let device = rest.split_whitespace().find_map(|word| word.strip_prefix("/dev/"));
        if let Some(disk) = disks.iter_mut().find(|disk| Some(disk.name.as_str()) == device) {
            add_address(root, disk, address, "");
        }
    }
}

pub(in crate::storage) fn add_address(root: &Root, disk: &mut Disk, address: &str, state: &str) {
    let is_scsi =
        address.split(':').count() == 4 && address.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    if !is_scsi || disk.kind != "disk" {
        return;
    }
    let (device, adapters) = (format!("/sys/block/{}", disk.name), &mut HostAdapters::default());
    let scsi = disk.scsi.get_or_insert_with(|| read_scsi(root, &device, "", adapters));
    scsi::add_address(root, scsi, address, adapters);
    if scsi.state.is_empty() {
        state.clone_into(&mut scsi.state);
    }
}

/// Adds what the multipath tools tell of devices: which are maps and their paths, where the paths lead, how they are.
pub(in crate::storage) fn add_paths(root: &Root, disks: &mut [Disk], maps: &[MultipathMap]) {
    for map in maps.iter().filter(|map| !map.is_powerpath()) {
        let paths = || map.groups.iter().flat_map(|group| &group.paths);
        for path in paths() {
            let Some(disk) = disks.iter_mut().find(|disk| disk.name == path.device) else { continue };
            add_address(root, disk, &path.address, &path.device_state);
            if !map.device.is_empty() && !disk.holders.contains(&map.device) {
                disk.holders.push(map.device.clone());
            }
        }
        let Some(disk) = disks.iter_mut().find(|disk| disk.name == map.device) else { continue };
        if disk.name.starts_with("dm-") {
            "multipath".clone_into(&mut disk.kind);
            map.name.clone_into(&mut disk.dm.get_or_insert_default().name);
            for path in paths() {
                if !disk.slaves.contains(&path.device) {
                    disk.slaves.push(path.device.clone());
                }
            }
        }
    }
}

/// Puts below a map what its table names, where nothing else tells it.
pub(in crate::storage) fn add_below(disks: &mut [Disk]) {
    let numbers: BTreeMap<String, usize> =
        disks.iter().enumerate().map(|(at, disk)| (disk.number.clone(), at)).collect();
    for map in 0..disks.len() {
        let Some(dm) = disks[map].dm.as_ref().filter(|_| disks[map].slaves.is_empty()) else { continue };
        let named = dm.targets.iter().flat_map(|target| devices_in(&target.parameters));
        let below: BTreeSet<usize> =
            named.filter_map(|number| numbers.get(number).copied()).filter(|at| *at != map).collect();
        for at in below {
            let (lower, upper) = (disks[at].name.clone(), disks[map].name.clone());
            disks[map].slaves.push(lower);
            if !disks[at].holders.contains(&upper) {
                disks[at].holders.push(upper);
            }
        }
    }
}

/// Gives mounts of `/proc/mounts`, which has no numbers of devices, that of the device that they name.
pub(in crate::storage) fn add_numbers(mounts: &mut [Mount], disks: &[Disk]) {
    for mount in mounts.iter_mut().filter(|mount| mount.number.is_empty()) {
        let Some(name) = mount.source.strip_prefix("/dev/") else { continue };
        let map = name.strip_prefix("mapper/");
        let is_it = |disk: &&Disk| {
            disk.name == name || map.is_some() && disk.dm.as_ref().map(|dm| dm.name.as_str()) == map
        };
        if let Some(disk) = disks.iter().find(is_it) {
            mount.number.clone_from(&disk.number);
        }
    }
}

/// The nodes that `ASMLib` has made, as names of the disks that they stand for.
pub(in crate::storage) fn add_asm_nodes(root: &Root, disks: &mut [Disk]) {
    let texts = LISTED_DEV.iter().filter_map(|path| root.try_read(path, crate::MAX_READ_BYTES).ok());
    for (number, name) in texts.flat_map(|(text, _)| nodes_in(&text, "/dev/oracleasm/disks")) {
        let link = format!("oracleasm/disks/{name}");
        let of_partition = || whole_scsi_disk(&number);
        let known = |wanted: &str| disks.iter().position(|disk| disk.number == wanted);
        let own = known(&number).or_else(|| known(&of_partition()?)).map(|at| &mut disks[at]);
        if let Some(disk) = own.filter(|disk| !disk.links.contains(&link)) {
            disk.links.push(link);
        }
    }
}

/// The SCSI disk of a partition, which a captured tree may not list: each has 16 numbers, the first is its own (Linux,
/// Documentation/admin-guide/devices.txt, majors 8, 65 to 71 and 128 to 135).
fn whole_scsi_disk(number: &str) -> Option<String> {
    let (major, minor) = number.split_once(':')?;
    let (major, minor): (u32, u32) = (major.parse().ok()?, minor.parse().ok()?);
    matches!(major, 8 | 65..=71 | 128..=135).then(|| format!("{major}:{}", minor - minor % 16))
}

/// `ls` of `/dev` and all below it, as sosreports of several versions have it.
const LISTED_DEV: [&str; 5] = [
    "/sos_commands/block/ls_-alZR_.dev",
    "/sos_commands/block/ls_-lanR_.dev",
    "/sos_commands/block/ls_-alhZR_.dev",
    "/sos_commands/block/ls_-lanRZ_.dev",
    "/sos_commands/devices/ls_-lanR_.dev",
];

/// Number and name of each block device in a directory of a recursive listing: `brw-rw---- 1 54322 54327  65,  32 May 26
/// 07:01 DATA1`.
fn nodes_in(text: &str, directory: &str) -> Vec<(String, String)> {
    let lines = text.lines().skip_while(|line| line.strip_suffix(':') != Some(directory)).skip(1);
    let own = lines
        .take_while(|line| !line.is_empty() && !line.ends_with(':'))
        .filter(|line| line.starts_with('b'));
    let node = |line: &str| {
        let (before, after) = line.split_once(',')?;
        let major: u32 = before.split_whitespace().last()?.parse().ok()?;
        let minor: u32 = after.split_whitespace().next()?.parse().ok()?;
        Some((format!("{major}:{minor}"), after.split_whitespace().last()?.to_owned()))
    };
    own.filter_map(node).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rooted;

    const TABLE: &str = "NAME           MAJ:MIN RM  SIZE RO TYPE  MOUNTPOINT\n\
        sda              8:0    0  446G  0 disk  \n|-sda1           8:1    0  0.5G  0 part  /boot/efi\n\
        sdc              8:32   0  500G  0 disk  \n`-DATA         254:0    0  500G  0 mpath /oracle/data 1\n";
    const NAMES: &str = "major minor  #blocks  name\n\n   8        0  467664896 sda\n   8        1     524288 sda1\n\
           8       32  524288000 sdc\n 254        0  524288000 dm-0\n";

    #[test]
    fn a_listing_of_dev_tells_the_nodes_of_asmlib() {
        let text = "/dev/oracleasm:\ntotal 0\ndrwxr-xr-x  1    0    0    0 May 26 07:01 disks\n\n\
                    /dev/oracleasm/disks:\ntotal 0\n\
                    brw-rw---- 1 54322 54327   8, 240 May 26 07:01 OCR1\n\
                    brw-rw----. 1 grid asmadmin ? 253,   7 May 26 07:01 DATA1\n\n/dev/pts:\n\
                    brw-rw---- 1 0 0 8, 0 May 26 07:01 other\n";
        let nodes = nodes_in(text, "/dev/oracleasm/disks");
        let expected = [("8:240", "OCR1"), ("253:7", "DATA1")];
        assert_eq!(nodes, expected.map(|(number, name)| (number.to_owned(), name.to_owned())));
        let links = |name: &str, number: &str, text: &str| {
            let (_tree, root) = rooted(&[("sos_commands/block/ls_-lanR_.dev", text)]);
            let mut disks = [Disk { name: name.into(), number: number.into(), ..Disk::default() }];
            add_asm_nodes(&root, &mut disks);
            disks[0].links.clone()
        };
        assert_eq!(links("sdp", "8:240", text), ["oracleasm/disks/OCR1"]);
        let whole = links("sdo", "8:224", &text.replace("8, 240", "8, 225"));
        assert_eq!(whole, ["oracleasm/disks/OCR1"], "a partition that is not listed");
    }

    #[test]
    fn the_table_with_the_kernels_names() {
        let rows = of_table(TABLE, &partitions(NAMES));
        let seen: Vec<[&str; 4]> = rows
            .iter()
            .map(|row| ["kname", "maj:min", "type", "pkname"].map(|key| row[key].as_str()))
            .collect();
        assert_eq!(
            seen,
            [
                ["sda", "8:0", "disk", ""],
                ["sda1", "8:1", "part", "sda"],
                ["sdc", "8:32", "disk", ""],
                ["dm-0", "254:0", "mpath", "sdc"]
            ]
        );
        assert_eq!(rows[1]["size"], "536870912");
        assert_eq!(of_table("NAME  FSTYPE MAJ:MIN\nsda 8:0\n", &[]), []);
    }

    #[test]
    fn a_copy_of_sysfs_without_links_tells_timeouts() {
        let mut disk = Disk { name: "sdd".into(), kind: "disk".into(), ..Disk::default() };
        let (_tree, root) = rooted(&[("sys/block/sdd/device/timeout", "30\n")]);
        add_address(&root, &mut disk, "2:0:3:0", "");
        let scsi = disk.scsi.expect("a SCSI disk");
        assert_eq!((scsi.host.as_str(), scsi.timeout_s), ("host2", Some(30)));
    }

    /// What is read of the sections of a supportconfig's `fs-diskio.txt`: kind, title and text of each.
    fn supportconfig(sections: &[(&str, &str, &str)]) -> fullwire_model::host::Host {
        let shown =
            |(kind, title, text): &(&str, &str, &str)| format!("\n#==[ {kind} ]===#\n# {title}\n{text}\n");
        let shown: String = sections.iter().map(shown).collect();
        let (_tree, root) = rooted(&[("basic-environment.txt", "\n"), ("fs-diskio.txt", &shown)]);
        let mut host = fullwire_model::host::Host::default();
        crate::storage::read_host(&root, fullwire_model::host::trouble::Known::default(), &mut host);
        host
    }

    /// Columns may be empty: what they hold is found by where their titles stand.
    #[test]
    fn schedulers_of_a_supportconfig() {
        let names = "major minor  #blocks  name\n 8 16 467664896 sdb\n 8 32 467664896 sdc\n";
        let table = "NAME KNAME MAJ:MIN FSTYPE LABEL ROTA SCHED       MOUNTPOINT\n\
                     sdb  sdb      8:16 xfs             0 bfq         /data\n\
                     sdc  sdc      8:32                 1 mq-deadline \n";
        let host = supportconfig(&[
            ("Configuration File", "/proc/partitions", names),
            ("Command", "/bin/lsblk -i -o 'NAME,KNAME,MAJ:MIN,FSTYPE,LABEL,ROTA,SCHED,MOUNTPOINT'", table),
            (
                "Command",
                "/bin/grep '' /sys/block/*/queue/scheduler",
                "/sys/block/sdb/queue/scheduler:none mq-deadline kyber [bfq]",
            ),
        ]);
        let seen = |name: &str| {
            let queue = host.disk(name).and_then(|disk| disk.queue.clone()).expect("a queue");
            (queue.scheduler.unwrap_or_default(), queue.rotational, queue.schedulers.len())
        };
        assert_eq!(seen("sdb"), ("bfq".to_owned(), Some(false), 4));
        assert_eq!(seen("sdc"), ("mq-deadline".to_owned(), Some(true), 0));
    }

    /// The table of supportconfig names the maps; `dmsetup table` says what is below them.
    #[test]
    fn a_mount_of_a_volume_that_a_supportconfig_names() {
        let names = "major minor  #blocks  name\n 8 0 467664896 sda\n 120 32 536870912 emcpowerc\n 253 4 524288000 dm-4\n";
        let table = "NAME            KNAME     MAJ:MIN FSTYPE LABEL RO RM MODEL      SIZE\n\
                     emcpowerc       emcpowerc  120:32               0  0 SYMMETRIX  512G\n\
                     vgprd-sapdata3  dm-4        253:4               0  0            500G\n";
        let host = supportconfig(&[
            ("Configuration File", "/proc/partitions", names),
            ("Command", "/usr/bin/lsblk -i -o 'NAME,KNAME,MAJ:MIN,FSTYPE,LABEL,RO,RM,MODEL,SIZE'", table),
            ("Command", "/sbin/dmsetup table", "vgprd-sapdata3: 0 1048576000 linear 120:32 2048"),
            ("Configuration File", "/proc/mounts", "/dev/mapper/vgprd-sapdata3 /oracle/sapdata3 xfs rw 0 0"),
        ]);
        let map = host.disk("dm-4").expect("the map");
        assert_eq!(map.dm.as_ref().map(|dm| dm.name.as_str()), Some("vgprd-sapdata3"));
        assert_eq!(map.slaves, ["emcpowerc"]);
        assert_eq!(host.mounts[0].number, "253:4");
    }

    #[test]
    fn names_alone_tell_partitions() {
        let text = "1 0 8 nvme0n1\n1 1 8 nvme0n1p1\n1 2 8 sdb\n1 3 8 sdb12\n1 4 8 dm-1\n1 5 8 dm-10\n";
        let rows = of_names(&partitions(text));
        let parents: Vec<Option<&str>> =
            rows.iter().map(|row| row.get("pkname").map(String::as_str)).collect();
        assert_eq!(parents, [None, Some("nvme0n1"), None, Some("sdb"), None, None]);
    }

    #[test]
    fn a_path_is_the_disk_that_the_tools_name() {
        let mut disks = vec![
            Disk { name: "sdc".into(), kind: "disk".into(), ..Disk::default() },
            Disk { name: "dm-0".into(), kind: "dm".into(), ..Disk::default() },
        ];
        let text = "DATA (3600) dm-0 NETAPP,LUN\nsize=500G features='0' hwhandler='0' wp=rw\n\
                    `-+- policy='service-time 0' prio=50 status=active\n  `- 6:0:0:0 sdc 8:32 failed faulty offline\n";
        let (_tree, root) = rooted(&[]);
        add_paths(&root, &mut disks, &crate::storage::multipath::parse_multipath(text, "m", &mut Vec::new()));
        let scsi = disks[0].scsi.as_ref().expect("an address");
        assert_eq!(
            (scsi.address.as_str(), scsi.state.as_str(), scsi.host.as_str()),
            ("6:0:0:0", "offline", "host6")
        );
        let mut mounts = vec![Mount { source: "/dev/mapper/DATA".into(), ..Mount::default() }];
        disks[1].number = "254:0".into();
        add_numbers(&mut mounts, &disks);
        assert_eq!(mounts[0].number, "254:0");
        assert_eq!(
            (disks[1].kind.as_str(), disks[1].slaves.as_slice()),
            ("multipath", ["sdc".to_owned()].as_slice())
        );
    }
}
