//! Block devices from `/sys/block`: whole disks, partitions, maps, arrays, loops, and what is on what.

use super::diskstats::SECTOR_BYTES;
use super::md;
use super::nvme;
use super::queue::read_queue;
use super::scsi::{self, HostAdapters, address_in};
use super::transport::{Controllers, link_speed, transport};
use crate::Root;
use fullwire_model::Gap;
use fullwire_model::host::{Disk, DmMap, LoopDevice, Partition};
use std::collections::BTreeMap;

const BLOCK: &str = "/sys/block";

/// More devices than this are not read.
const DEVICES_LIMIT: usize = 16_384;

/// All block devices, and where each is below `/sys/devices`.
#[derive(Default)]
pub(crate) struct BlockDevices {
    pub(crate) disks: Vec<Disk>,
    pub(crate) places: BTreeMap<String, String>,
}

/// Reads all block devices.
pub(crate) fn read_block(root: &Root, gaps: &mut Vec<Gap>) -> BlockDevices {
    let mut reader = Reader { root, adapters: HostAdapters::default(), controllers: Controllers::default() };
    let mut devices = BlockDevices::default();
    for entry in root.list_expected(BLOCK, gaps).into_iter().take(DEVICES_LIMIT) {
        let path = format!("{BLOCK}/{entry}");
        let place = root.link(&path).unwrap_or_default();
        let Ok(contents) = root.try_list(&path) else { continue };
        if root.flag(&format!("{path}/hidden")) == Some(true) {
            continue; // a path of an NVMe namespace, or of a bcache: its map stands for it
        }
        let disk = reader.disk(&entry, &path, &place, &contents);
        let partitions = reader.partitions(&disk, &entry, &path, &contents);
        devices.places.insert(disk.name.clone(), place);
        devices.disks.push(disk);
        devices.disks.extend(partitions);
    }
    let mut links = device_links(root);
    for (device, name) in asm_links(root, &devices.disks) {
        links.entry(device).or_default().push(name);
    }
    for disk in &mut devices.disks {
        disk.links = links.get(&disk.name).cloned().unwrap_or_default();
    }
    devices
}

/// sysfs writes the kernel's `cciss/c0d0` as `cciss!c0d0`.
fn kernel_name(entry: &str) -> String {
    entry.replace('!', "/")
}

struct Reader<'a> {
    root: &'a Root,
    adapters: HostAdapters,
    controllers: Controllers,
}

impl Reader<'_> {
    fn text(&self, path: &str, name: &str) -> String {
        self.root.attribute(&format!("{path}/{name}")).unwrap_or_default()
    }

    /// What a whole disk and a partition have alike.
    fn common(&self, entry: &str, path: &str) -> Disk {
        let sectors: u64 = self.root.number(&format!("{path}/size")).unwrap_or_default();
        Disk {
            name: kernel_name(entry),
            number: self.text(path, "dev"),
            size_bytes: sectors.saturating_mul(SECTOR_BYTES),
            read_only: self.root.flag(&format!("{path}/ro")),
            holders: self
                .root
                .list(&format!("{path}/holders"))
                .iter()
                .map(|name| kernel_name(name))
                .collect(),
            ..Disk::default()
        }
    }

    fn disk(&mut self, entry: &str, path: &str, place: &str, contents: &[String]) -> Disk {
        let has = |name: &str| contents.iter().any(|present| present == name);
        let mut disk = self.common(entry, path);
        disk.removable = self.root.flag(&format!("{path}/removable"));
        if has("slaves") {
            disk.slaves =
                self.root.list(&format!("{path}/slaves")).iter().map(|name| kernel_name(name)).collect();
        }
        disk.queue = read_queue(self.root, path);
        if has("dm") {
            disk.dm = Some(self.dm(path));
        }
        if has("md") {
            disk.md = md::read_array(self.root, path);
        }
        if has("loop") {
            disk.loop_device = Some(LoopDevice {
                backing_file: self.text(path, "loop/backing_file"),
                direct_io: self.root.flag(&format!("{path}/loop/dio")),
            });
        }
        disk.kind = kind(&disk).to_owned();
        if has("device") || entry.starts_with("nvme") {
            self.hardware(&mut disk, path, place);
        } else {
            "none".clone_into(&mut disk.transport);
        }
        if let Some(wwid) = disk.dm.as_ref().and_then(|dm| dm.uuid.strip_prefix("mpath-")) {
            disk.wwid = wwid.to_owned();
        }
        disk
    }

    fn dm(&self, path: &str) -> DmMap {
        DmMap {
            name: self.text(path, "dm/name"),
            uuid: self.text(path, "dm/uuid"),
            targets: Vec::new(),
            suspended: self.root.flag(&format!("{path}/dm/suspended")),
        }
    }

    /// Identity, link and adapter of a real disk.
    fn hardware(&mut self, disk: &mut Disk, path: &str, place: &str) {
        disk.controller = self.controllers.of(self.root, place);
        if disk.name.starts_with("nvme") {
            let namespace = nvme::read_namespace(self.root, &disk.name, place);
            disk.wwid = self.text(path, "wwid");
            disk.model = namespace.model;
            disk.serial = namespace.serial;
            disk.transport = namespace.transport;
            disk.nvme = Some(namespace.nvme);
            return;
        }
        transport(&disk.name, place).clone_into(&mut disk.transport);
        disk.vendor = self.text(path, "device/vendor");
        disk.model = self.text(path, "device/model");
        disk.wwid = self.root.attribute(&format!("{path}/device/wwid")).unwrap_or_default();
        disk.serial = self.root.attribute(&format!("{path}/serial")).unwrap_or_default();
        let place_of_device = self.root.link(&format!("{path}/device")).unwrap_or_default();
        let address = address_in(place).or_else(|| address_in(&place_of_device));
        // A copy of sysfs may have lost its links, and with them the address: others tell it later.
        let has_lost_links = || self.root.exists(&format!("{path}/device/queue_depth"));
        if let Some(address) = address.or_else(|| has_lost_links().then_some("")) {
            disk.scsi = Some(scsi::read_scsi(self.root, path, address, &mut self.adapters));
            disk.serial = scsi::serial(self.root, path).unwrap_or_default();
            (disk.link_gbit_per_s, disk.link_max_gbit_per_s) = link_speed(self.root, place);
        }
    }

    /// A disk's partitions are directories named after it. Adds their names to the disk's own record.
    fn partitions(&self, disk: &Disk, entry: &str, path: &str, contents: &[String]) -> Vec<Disk> {
        let mut partitions: Vec<Disk> = contents
            .iter()
            .filter(|name| name.starts_with(entry))
            .filter_map(|name| self.partition(disk, name, &format!("{path}/{name}")))
            .collect();
        partitions.sort_by_key(|partition| partition.partition.as_ref().map(|own| own.number));
        partitions
    }

    fn partition(&self, disk: &Disk, entry: &str, path: &str) -> Option<Disk> {
        let number = self.root.number(&format!("{path}/partition"))?;
        let start: u64 = self.root.number(&format!("{path}/start"))?;
        let mut queue = disk.queue.clone();
        if let Some(queue) = &mut queue {
            queue.alignment_offset_bytes = self.root.number(&format!("{path}/alignment_offset"));
        }
        Some(Disk {
            kind: "partition".to_owned(),
            queue,
            partition: Some(Partition {
                disk: disk.name.clone(),
                number,
                start_bytes: start.saturating_mul(SECTOR_BYTES),
            }),
            transport: disk.transport.clone(),
            ..self.common(entry, path)
        })
    }
}

/// How kernel names of the kinds begin.
const KINDS: &[(&str, &str)] = &[
    ("md", "md"),
    ("loop", "loop"),
    ("ram", "ram"),
    ("zram", "zram"),
    ("nbd", "nbd"),
    ("sr", "rom"),
    ("dm-", "dm"),
];

/// What a device is, by what it has and how it is called.
pub(crate) fn kind(disk: &Disk) -> &'static str {
    if let Some(dm) = &disk.dm {
        return match dm.uuid.split('-').next() {
            Some("LVM") => "lvm",
            Some("mpath") => "multipath",
            Some("CRYPT") => "crypt",
            _ => "dm",
        };
    }
    let by_name = KINDS.iter().find(|(start, _)| {
        disk.name
            .strip_prefix(start)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '_'))
    });
    by_name.map_or("disk", |(_, kind)| kind)
}

/// Names below `/dev` that lead to each device.
fn device_links(root: &Root) -> BTreeMap<String, Vec<String>> {
    let mut links: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for directory in ["mapper", "disk/by-id", "disk/by-path", "disk/by-uuid", "disk/by-label"] {
        for name in root.list(&format!("/dev/{directory}")) {
            if let Some(device) = root.link_name(&format!("/dev/{directory}/{name}")) {
                links.entry(device).or_default().push(format!("{directory}/{name}"));
            }
        }
    }
    links
}

/// Names that ASM has for its disks besides udev's: `ASMLib` has a node for each, ASM Filter Driver a file that holds the
/// device's path. (Oracle Automatic Storage Management Administrator's Guide, "Administering Oracle ASMLIB" and
/// "Administering Oracle ASM Filter Driver".)
fn asm_links(root: &Root, disks: &[Disk]) -> Vec<(String, String)> {
    const PATH_LIMIT: usize = 4096;
    let by_number = |path: &str| {
        let number = root.device_number(path)?;
        disks.iter().find(|disk| disk.number == number).map(|disk| disk.name.clone())
    };
    let by_content = |path: &str| {
        let (text, _) = root.try_read(path, PATH_LIMIT).ok()?;
        let device = text.lines().next()?.trim().to_owned();
        let name = root.link_name(&device).or_else(|| device.strip_prefix("/dev/").map(str::to_owned))?;
        disks.iter().find(|disk| disk.name == name).map(|disk| disk.name.clone())
    };
    let libraries =
        root.list("/dev/oracleasm/disks").into_iter().map(|name| format!("oracleasm/disks/{name}"));
    let filters = root.list("/dev/oracleafd/disks").into_iter().map(|name| format!("oracleafd/disks/{name}"));
    let nodes = libraries.filter_map(|name| Some((by_number(&format!("/dev/{name}"))?, name)));
    nodes.chain(filters.filter_map(|name| Some((by_content(&format!("/dev/{name}"))?, name)))).collect()
}

/// Fills in each disk's list of partitions, from the partitions.
pub(crate) fn name_partitions(disks: &mut [Disk]) {
    let owned: Vec<(String, String)> =
        disks.iter().filter_map(|disk| Some((disk.parent()?.to_owned(), disk.name.clone()))).collect();
    let mut by_disk: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (disk, partition) in &owned {
        by_disk.entry(disk).or_default().push(partition.clone());
    }
    for disk in disks {
        disk.partitions = by_disk.remove(disk.name.as_str()).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_of_the_filter_driver_is_the_device_that_its_file_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let dev = folder.path().join("dev");
        std::fs::create_dir_all(dev.join("oracleafd/disks")).expect("a folder");
        std::fs::create_dir_all(dev.join("mapper")).expect("a folder");
        std::os::unix::fs::symlink("../dm-3", dev.join("mapper/asm1")).expect("a link");
        std::fs::write(dev.join("oracleafd/disks/DATA1"), "/dev/mapper/asm1\n").expect("a file");
        std::fs::write(dev.join("oracleafd/disks/DATA2"), "/dev/sdq\n").expect("a file");
        std::fs::write(dev.join("oracleafd/disks/DATA3"), "rubbish").expect("a file");
        let disks = ["dm-3", "sdq"].map(|name| Disk { name: name.to_owned(), ..Disk::default() });
        let links = asm_links(&Root::tree(folder.path()).expect("a tree"), &disks);
        let expected = [("dm-3", "oracleafd/disks/DATA1"), ("sdq", "oracleafd/disks/DATA2")];
        assert_eq!(links, expected.map(|(device, name)| (device.to_owned(), name.to_owned())));
    }

    /// Needs a node of a block device, which a machine without disks does not have.
    #[test]
    fn a_node_of_a_block_device_tells_its_number_and_a_file_none() {
        let root = Root::live().expect("the host");
        let numbers = root.list("/sys/block").into_iter().filter_map(|name| {
            let number = root.attribute(&format!("/sys/block/{name}/dev"))?;
            Some((root.device_number(&format!("/dev/{name}"))?, number))
        });
        for (of_node, of_sysfs) in numbers {
            assert_eq!(of_node, of_sysfs);
        }
        assert_eq!(root.device_number("/dev/null"), None, "a character device");
        assert_eq!(root.device_number("/proc/version"), None);
    }

    #[test]
    fn kinds_by_name_and_uuid() {
        let named = |name: &str| Disk { name: name.to_owned(), ..Disk::default() };
        for (name, expected) in [
            ("sda", "disk"),
            ("md127", "md"),
            ("md_d0", "md"),
            ("mdx", "disk"),
            ("sr0", "rom"),
            ("zram0", "zram"),
        ] {
            assert_eq!(kind(&named(name)), expected, "{name}");
        }
        let with_uuid = |uuid: &str| Disk {
            dm: Some(DmMap { uuid: uuid.to_owned(), ..DmMap::default() }),
            ..named("dm-0")
        };
        assert_eq!(kind(&with_uuid("mpath-3600")), "multipath");
        assert_eq!(kind(&with_uuid("LVM-abc")), "lvm");
        assert_eq!(kind(&with_uuid("part1-mpath-3600")), "dm");
    }
}
