//! Mounted file systems: what is mounted where, how NFS was negotiated, how much room is left.

use super::mountinfo::{parse_mount_list, parse_mountinfo, parse_mounts};
use super::mountstats::{NfsStatistics, parse_mountstats};
use super::space;
use crate::Root;
use fullwire_model::counters::NfsCounters;
use fullwire_model::host::{Database, Disk, Mount, NfsMount};
use fullwire_model::{Gap, GapReason};
use std::collections::{BTreeMap, BTreeSet};

const MOUNTSTATS: &str = "/proc/self/mountstats";

/// Where a host or a captured tree has its mounts, the best first, and how each is read.
type Parser = fn(&str, &str, &mut Vec<Gap>) -> Vec<Mount>;
const SOURCES: &[(&str, Parser)] = &[
    ("/proc/self/mountinfo", parse_mountinfo),
    ("/proc/1/mountinfo", parse_mountinfo),
    ("/proc/mounts", parse_mounts),
    ("/proc/self/mounts", parse_mounts),
    ("/sos_commands/filesys/mount_-l", parse_mount_list),
    ("/mount", parse_mount_list),
];

/// Reads all mounts.
pub(crate) fn read_mounts(root: &Root, gaps: &mut Vec<Gap>) -> Vec<Mount> {
    // Who made a sosreport in a container copied that container's own mounts as `self`.
    let is_init = |path: &str| path == "/proc/1/mountinfo";
    let first = SOURCES.iter().filter(|(path, _)| !root.is_live() && is_init(path));
    let found = first.chain(SOURCES).find_map(|(path, parse)| {
        let text = root.read_optional(path, gaps)?;
        Some(parse(&text, path, gaps))
    });
    let Some(mut mounts) = found else {
        let detail = "neither mountinfo nor another list of mounts exists";
        gaps.push(Gap::new(SOURCES[0].0, GapReason::Absent, detail));
        return Vec::new();
    };
    add_nfs(root, &mut mounts, gaps);
    space::read_space(root, &mut mounts, gaps);
    mounts
}

/// What ext4 tells of itself: the errors that it found (fs/ext4/sysfs.c, `errors_count`), and where its journal is. XFS and btrfs tell the log.
pub(crate) fn add_errors(root: &Root, mounts: &mut [Mount], disks: &[Disk]) {
    for mount in mounts.iter_mut().filter(|mount| mount.fs_type.starts_with("ext")) {
        let disk = disks.iter().find(|disk| !disk.number.is_empty() && disk.number == mount.number);
        let Some(disk) = disk else { continue };
        mount.errors = root.number(&format!("/sys/fs/ext4/{}/errors_count", disk.name));
        mount.journal = external_journal(root, disk, disks);
    }
}

/// The device of a journal that is not in the file system: the thread that writes it is called `jbd2/DEVICE`, and
/// `jbd2/DEVICE-INODE` where it is in it (fs/jbd2/journal.c; `journal_task` of fs/ext4/sysfs.c).
fn external_journal(root: &Root, own: &Disk, disks: &[Disk]) -> Option<String> {
    let pid: u32 = root.number(&format!("/sys/fs/ext4/{}/journal_task", own.name))?;
    let comm = root.attribute(&format!("/proc/{pid}/comm"))?;
    let device = comm.trim().strip_prefix("jbd2/")?;
    disks.iter().any(|disk| disk.name == device && disk.name != own.name).then(|| device.to_owned())
}

/// Where administrators and packages have units; `/run/systemd/generator` has those that are made of fstab.
const UNITS: [&str; 3] = ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"];

/// Which mounts have a systemd unit of their own.
pub(crate) fn add_units(root: &Root, mounts: &mut [Mount]) {
    let units: BTreeSet<String> = UNITS.iter().flat_map(|folder| root.list(folder)).collect();
    for mount in mounts {
        let name = unit_name(&mount.target);
        let own = [format!("{name}.mount"), format!("{name}.automount")];
        mount.unit = own.into_iter().find(|unit| units.contains(unit));
    }
}

/// A path as the name of a unit (systemd.unit(5), "String escaping for inclusion in unit names").
fn unit_name(path: &str) -> String {
    let path = path.trim_matches('/');
    if path.is_empty() {
        return "-".to_owned();
    }
    let each = path.bytes().enumerate().map(|(index, byte)| match byte {
        b'/' => "-".to_owned(),
        b'.' if index == 0 => "\\x2e".to_owned(),
        b'.' | b':' | b'_' => char::from(byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("\\x{byte:02x}"),
    });
    each.collect()
}

/// Directories of databases on btrfs whose new files are written in place (`chattr +C`, `FS_NOCOW_FL`): no mount option
/// shows it.
pub(crate) fn add_in_place(root: &Root, mounts: &mut [Mount], databases: &[Database]) {
    let places = databases.iter().flat_map(|database| database.locations.keys());
    for place in places.filter(|place| place.starts_with('/') && !place.starts_with("/dev/")) {
        let own = mounts.iter_mut().filter(|mount| mount.holds(place)).max_by_key(|mount| mount.target.len());
        let Some(mount) = own.filter(|mount| mount.fs_type == "btrfs") else { continue };
        if root.answer(&format!("attributes of {place}"), || is_in_place(place)) == Ok(true) {
            mount.in_place.push(place.clone());
        }
    }
}

fn is_in_place(place: &str) -> Result<bool, Gap> {
    let failed = |errno: rustix::io::Errno| crate::root::gap_of(place, &errno.into());
    let flags = rustix::fs::OFlags::RDONLY
        | rustix::fs::OFlags::NONBLOCK
        | rustix::fs::OFlags::CLOEXEC
        | rustix::fs::OFlags::NOFOLLOW;
    let directory = rustix::fs::open(place, flags | rustix::fs::OFlags::DIRECTORY, rustix::fs::Mode::empty())
        .map_err(failed)?;
    let attributes = rustix::fs::ioctl_getflags(&directory).map_err(failed)?;
    Ok(attributes.contains(rustix::fs::IFlags::NOCOW))
}

/// Reads the counters of NFS mounts by mount point. Mounts over mounts: the last one is the visible one.
pub(crate) fn read_nfs_counters(root: &Root, gaps: &mut Vec<Gap>) -> BTreeMap<String, NfsCounters> {
    let statistics = read_statistics(root, gaps);
    statistics.into_iter().map(|mount| (mount.target, mount.counters)).collect()
}

fn read_statistics(root: &Root, gaps: &mut Vec<Gap>) -> Vec<NfsStatistics> {
    let text = root.read_optional(MOUNTSTATS, gaps);
    text.map(|text| parse_mountstats(&text, MOUNTSTATS, gaps)).unwrap_or_default()
}

fn is_nfs(mount: &Mount) -> bool {
    matches!(mount.fs_type.as_str(), "nfs" | "nfs4")
}

fn add_nfs(root: &Root, mounts: &mut [Mount], gaps: &mut Vec<Gap>) {
    if !mounts.iter().any(is_nfs) {
        return;
    }
    let statistics = read_statistics(root, gaps);
    for mount in mounts.iter_mut().filter(|mount| is_nfs(mount)) {
        // Each NFS mount has its own device number, and its own read-ahead with it.
        let ahead = root.number::<u64>(&format!("/sys/class/bdi/{}/read_ahead_kb", mount.number));
        mount.read_ahead_bytes =
            ahead.filter(|_| !mount.number.is_empty()).map(|kib| kib.saturating_mul(1024));
        let own = statistics.iter().rfind(|one| one.target == mount.target && one.source == mount.source);
        mount.nfs = Some(nfs_mount(mount, own));
        if own.is_none() {
            let detail = format!("no statistics for {}: its transports and age are not known", mount.target);
            gaps.push(Gap::new(MOUNTSTATS, GapReason::Absent, detail));
        }
    }
}

/// An NFS mount as negotiated: mountinfo shows what is in effect, mountstats adds the server's side.
pub(crate) fn nfs_mount(mount: &Mount, statistics: Option<&NfsStatistics>) -> NfsMount {
    let number = |name: &str| mount.option(name).and_then(|value| value.parse().ok());
    let text = |name: &str| mount.option(name).unwrap_or_default().to_owned();
    let has = |name: &str| mount.option(name).is_some();
    NfsMount {
        server: server_of(&mount.source),
        address: text("addr"),
        version: version(mount),
        protocol: text("proto"),
        rsize_bytes: number("rsize"),
        wsize_bytes: number("wsize"),
        nconnect: number("nconnect").unwrap_or(1),
        hard: if has("hard") { Some(true) } else { (has("soft") || has("softerr")).then_some(false) },
        timeo_ds: number("timeo"),
        retrans: number("retrans"),
        no_attribute_cache: has("noac")
            || ["acregmin", "acregmax", "acdirmin", "acdirmax"].iter().all(|name| number(name) == Some(0)),
        security: text("sec"),
        age_s: statistics.and_then(|one| one.age_s),
    }
}

/// `server` of `server:/path` and `[2001:db8::1]:/path`.
fn server_of(source: &str) -> String {
    let server = match source.strip_prefix('[') {
        Some(rest) => rest.split(']').next(),
        None => source.split_once(":/").map(|(server, _)| server),
    };
    server.unwrap_or_default().to_owned()
}

/// Old kernels print `vers=4,minorversion=1`.
fn version(mount: &Mount) -> String {
    let version = mount.option("vers").or_else(|| mount.option("nfsvers"));
    match (version, mount.option("minorversion")) {
        (Some("4"), minor) => format!("4.{}", minor.unwrap_or("0")),
        (Some(version), _) => version.to_owned(),
        (None, _) if mount.fs_type == "nfs4" => "4.0".to_owned(),
        (None, _) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rooted;

    fn mount(fs_type: &str, source: &str, options: &str) -> Mount {
        let options = options.split(',').map(str::to_owned).collect();
        Mount { fs_type: fs_type.into(), source: source.into(), options, ..Mount::default() }
    }

    #[test]
    fn units_are_named_after_the_mount_point() {
        let names = ["/u02", "/var/lib/my-data", "/.snap", "/u02/ora data", "/"].map(unit_name);
        assert_eq!(names, ["u02", "var-lib-my\\x2ddata", "\\x2esnap", "u02-ora\\x20data", "-"]);
        let (_folder, root) = rooted(&[("etc/systemd/system/u02.mount", "[Mount]\n")]);
        let mut mounts = ["/u02", "/u03"].map(|target| Mount { target: target.into(), ..Mount::default() });
        add_units(&root, &mut mounts);
        assert_eq!(mounts.map(|mount| mount.unit), [Some("u02.mount".to_owned()), None]);
    }

    #[test]
    fn an_nfs_mount_as_negotiated() {
        let options = "rw,vers=3,rsize=65536,wsize=32768,hard,proto=tcp,nconnect=4,timeo=600,retrans=2,sec=sys,addr=10.0.0.2";
        let nfs = nfs_mount(&mount("nfs", "filer:/vol", options), None);
        assert_eq!(
            (nfs.server.as_str(), nfs.address.as_str(), nfs.version.as_str()),
            ("filer", "10.0.0.2", "3")
        );
        assert_eq!((nfs.rsize_bytes, nfs.wsize_bytes, nfs.nconnect), (Some(65536), Some(32768), 4));
        assert_eq!((nfs.hard, nfs.timeo_ds, nfs.no_attribute_cache), (Some(true), Some(600), false));
    }

    #[test]
    fn versions_servers_and_attribute_caches_in_their_spellings() {
        assert_eq!(version(&mount("nfs4", "f:/", "vers=4,minorversion=1")), "4.1");
        assert_eq!(version(&mount("nfs4", "f:/", "rw")), "4.0");
        assert_eq!(version(&mount("nfs4", "f:/", "vers=4.2")), "4.2");
        assert_eq!(server_of("[2001:db8::1]:/a"), "2001:db8::1");
        let off = "acregmin=0,acregmax=0,acdirmin=0,acdirmax=0,soft";
        let nfs = nfs_mount(&mount("nfs", "f:/", off), None);
        assert_eq!((nfs.no_attribute_cache, nfs.hard), (true, Some(false)));
    }
}
