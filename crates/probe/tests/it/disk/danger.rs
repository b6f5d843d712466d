//! Devices and files that must never be written: each is made for real on a loop device, is refused although its
//! identity was typed rightly, and is byte for byte what it was.

use super::{KIB, MIB, MS, State, output, plan, run, step};
use crate::skips::{installed, is_root};
use fullwire_model::disk::{DiskPlan, DiskResult, DiskStep, Operation};
use fullwire_probe::disk::{self, DiskError};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

/// Large enough for the search of 64 MiB to leave something between it and the end.
const SIZE: u64 = 80 * MIB;

/// A loop device over a sparse file.
pub(super) struct Loop {
    pub(super) directory: tempfile::TempDir,
    pub(super) device: PathBuf,
}

impl Loop {
    pub(super) fn new(prepare: impl FnOnce(&File)) -> Self {
        Self::with(SIZE, &[], prepare)
    }

    pub(super) fn with(bytes: u64, options: &[&str], prepare: impl FnOnce(&File)) -> Self {
        let directory = tempfile::tempdir().expect("temporary directory");
        let image = directory.path().join("image");
        let file = File::options().read(true).write(true).create_new(true).open(&image).expect("image");
        file.set_len(bytes).expect("length");
        prepare(&file);
        file.sync_all().expect("synced");
        Self { device: attach(&image, options), directory }
    }

    pub(super) fn image(&self) -> PathBuf {
        self.directory.path().join("image")
    }

    pub(super) fn identity(&self) -> String {
        disk::destroy_identity(&self.device.display().to_string()).expect("identity")
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = output("losetup", &["-d", &self.device.display().to_string()]);
    }
}

pub(super) fn attach(image: &Path, options: &[&str]) -> PathBuf {
    let image = image.display().to_string();
    let arguments: Vec<&str> = options.iter().copied().chain(["--show", "-f", &image]).collect();
    PathBuf::from(run("losetup", &arguments))
}

pub(super) fn ready() -> bool {
    is_root() && installed("losetup")
}

/// FNV-1a over the parts of a file that hold data, with their places.
pub(super) fn checksum(path: &Path) -> u64 {
    let mut file = File::open(path).expect("image");
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let zeros = vec![0; 64 << 10];
    let mut buffer = zeros.clone();
    let mut at = 0u64;
    file.seek(SeekFrom::Start(0)).expect("start");
    loop {
        let read = file.read(&mut buffer).expect("readable");
        if read == 0 {
            return hash;
        }
        if buffer[..read] != zeros[..read] {
            for byte in at.to_le_bytes().iter().chain(&buffer[..read]) {
                hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        at += read as u64;
    }
}

pub(super) fn destroying(target: &Path, identity: Option<&str>) -> Result<DiskResult, DiskError> {
    let write = DiskStep { operation: Operation::Write, duration_ns: 30 * MS, ..step() };
    let asked =
        DiskPlan { destroy: identity.map(str::to_owned), size_bytes: 4 * MIB, ..plan(target, vec![write]) };
    let state = tempfile::tempdir().expect("temporary directory");
    disk::measure(&asked, &mut State(state.path().into()), &AtomicBool::new(false))
}

/// The refusal's text.
pub(super) fn refusal(target: &Path, identity: Option<&str>) -> String {
    match destroying(target, identity) {
        Err(DiskError::Refused { reason, .. }) => reason,
        other => panic!("{} was not refused: {other:?}", target.display()),
    }
}

/// Refused for this reason, and unchanged.
pub(super) fn refuses(device: &Loop, because: &str) {
    let before = checksum(&device.image());
    let reason = refusal(&device.device, Some(&device.identity()));
    assert!(reason.contains(because), "refused because {reason}, expected {because}");
    assert_eq!(checksum(&device.image()), before, "{because}: changed");
}

#[test]
fn devices_with_a_signature() {
    if !ready() {
        return;
    }
    let ends = SIZE;
    let marks: &[(&str, u64, &[u8])] = &[
        ("LVM2", 0x218, b"LVM2 001"),
        ("swap", 0xff6, b"SWAPSPACE2"),
        ("swap", 0xfff6, b"SWAPSPACE2"),
        ("LUKS", 0, b"LUKS\xba\xbe\x00\x02"),
        ("ZFS", 128 * KIB + 1024, &[0x0c, 0xb1, 0xba, 0, 0, 0, 0, 0]),
        ("ZFS", ends - 128 * KIB, &[0x0c, 0xb1, 0xba, 0, 0, 0, 0, 0]),
        ("md array's member (1.2)", 0x1000, &[0xfc, 0x4e, 0x2b, 0xa9]),
        ("md array's member (1.0)", ends - 0x2000, &[0xfc, 0x4e, 0x2b, 0xa9]),
        ("md array's member (0.90)", ends - 0x10000, &[0xfc, 0x4e, 0x2b, 0xa9]),
        ("ASMLib", 32, b"ORCLDISKDATA01"),
        ("an Oracle ASM disk", 0, &[0x01, 0x82, 0x01, 0x01]),
        ("BlueStore", 0, b"bluestore block device\n"),
        ("VDO", 0, b"dmvdo001"),
        ("GPT", 512, b"EFI PART"),
        ("GPT backup", ends - 512, b"EFI PART"),
        ("DOS partition table", 510, &[0x55, 0xaa]),
        ("OCFS2", 0x400, b"OCFSV2"),
        ("GFS2", 0x10000, &[0x01, 0x16, 0x19, 0x70]),
        ("VMFS", 0x10_0000, &[0x0d, 0xd0, 0x01, 0xc0]),
        ("XFS", 0, b"XFSB"),
        ("btrfs", 0x10040, b"_BHRfS_M"),
        ("unrecognised data at byte 300000", 300_000, b"something of somebody"),
        ("unrecognised data", ends - 1, b"x"),
    ];
    for (because, offset, mark) in marks {
        refuses(&Loop::new(|image| image.write_all_at(mark, *offset).expect("written")), because);
    }
}

/// A device that this tool has made its own, or nothing where the tool itself failed: pvcreate reads all devices of the
/// machine, also those that other tests make and take away meanwhile.
fn made_by(tool: &str, options: &[&str]) -> Option<Loop> {
    // mkfs.xfs asks for 300 MiB, mkfs.btrfs for 109.
    let device = Loop::with(320 * MIB, &[], |_| {});
    let mut child = Command::new(tool)
        .args(options)
        .arg(&device.device)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("started");
    // sfdisk takes the partitions from its input; the others ignore it.
    child.stdin.take().expect("piped").write_all(b",16M\n").expect("written");
    child.wait().expect("ended").success().then_some(device)
}

#[test]
fn devices_that_real_tools_made() {
    if !ready() {
        return;
    }
    let tools: &[(&str, &[&str], &str)] = &[
        ("mkfs.ext4", &["-q"], "ext4"),
        ("mkfs.xfs", &["-q", "-f"], "XFS"),
        ("mkfs.btrfs", &["-q"], "btrfs"),
        ("mkswap", &[], "swap"),
        ("pvcreate", &["-q", "-f", "-y"], "LVM2"),
        ("sfdisk", &["--quiet", "--label=gpt"], "GPT"),
    ];
    for (tool, options, because) in tools {
        if !installed(tool) {
            continue;
        }
        let device = (0..3)
            .find_map(|_| made_by(tool, options))
            .unwrap_or_else(|| panic!("{tool} failed on three devices"));
        refuses(&device, because);
    }
}

#[test]
fn devices_in_use() {
    if !ready() || !installed("mkfs.ext4") || !installed("mkswap") {
        return;
    }
    let device = Loop::new(|_| {});
    let path = device.device.display().to_string();
    run("mkfs.ext4", &["-q", &path]);
    let mount = device.directory.path().join("mnt");
    fs::create_dir(&mount).expect("directory");
    run("mount", &["-o", "ro", &path, &mount.display().to_string()]);
    let link = device.directory.path().join("by-id-alias");
    std::os::unix::fs::symlink(&device.device, &link).expect("link");
    let second = attach(&device.image(), &[]);
    let mounted = || {
        refuses(&device, "is mounted on");
        let by_link = refusal(&link, Some(&device.identity()));
        assert!(by_link.contains("is mounted on"), "{by_link}");
        let identity = disk::destroy_identity(&second.display().to_string()).expect("identity");
        let shared = refusal(&second, Some(&identity));
        assert!(shared.contains("also backs"), "{shared}");
    };
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(mounted));
    run("umount", &[&mount.display().to_string()]);
    run("losetup", &["-d", &second.display().to_string()]);
    outcome.expect("all refused");

    let swap = Loop::new(|_| {});
    let path = swap.device.display().to_string();
    run("mkswap", &["-q", &path]);
    if output("swapon", &[&path]).status.success() {
        let reason = refusal(&swap.device, Some(&swap.identity()));
        run("swapoff", &[&path]);
        assert!(reason.contains("is swap space"), "{reason}");
    }
}

#[test]
fn a_partition_beside_a_mounted_one() {
    if !ready() || !installed("mkfs.ext4") {
        return;
    }
    let disk = Loop::with(SIZE, &["-P"], |image| {
        // Two DOS partition entries: type 0x83, first sector, number of sectors.
        for (number, first, sectors) in [(0u64, 2048u32, 40_960u32), (1, 43_008, 81_920)] {
            let mut entry = [0; 16];
            entry[4] = 0x83;
            entry[8..12].copy_from_slice(&first.to_le_bytes());
            entry[12..].copy_from_slice(&sectors.to_le_bytes());
            image.write_all_at(&entry, 446 + 16 * number).expect("written");
        }
        image.write_all_at(&[0x55, 0xaa], 510).expect("written");
    });
    let part = |number: u8| PathBuf::from(format!("{}p{number}", disk.device.display()));
    if !part(2).exists() {
        // The kernel's own lack: no package fixes it.
        println!("this kernel makes no partitions of loop devices: skipped");
        return;
    }
    run("mkfs.ext4", &["-q", &part(1).display().to_string()]);
    let mount = disk.directory.path().join("mnt");
    fs::create_dir(&mount).expect("directory");
    run("mount", &["-o", "ro", &part(1).display().to_string(), &mount.display().to_string()]);
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        for target in [disk.device.clone(), part(1), part(2)] {
            let before = checksum(&disk.image());
            let identity = disk::destroy_identity(&target.display().to_string()).expect("identity");
            let reason = refusal(&target, Some(&identity));
            assert!(reason.contains("is mounted on"), "{}: {reason}", target.display());
            assert_eq!(checksum(&disk.image()), before);
        }
    }));
    run("umount", &[&mount.display().to_string()]);
    outcome.expect("all refused");
}

#[test]
fn without_the_right_identity() {
    if !ready() {
        return;
    }
    let (device, other) = (Loop::new(|_| {}), Loop::new(|_| {}));
    let own = device.identity();
    assert!(own.ends_with(&format!("-{SIZE}")), "{own}");
    assert!(refusal(&device.device, None).contains(&own));
    for typed in ["", "yes", &device.device.display().to_string(), &other.identity(), &own[..own.len() - 1]] {
        assert!(refusal(&device.device, Some(typed)).contains("its identity is"), "{typed}");
    }
    assert_eq!(checksum(&device.image()), checksum(&other.image()));
}

#[test]
fn devices_that_others_claimed() {
    if !ready() {
        return;
    }
    let device = Loop::new(|_| {});
    let locked = File::open(&device.device).expect("opens");
    locked.lock().expect("lock");
    refuses(&device, "holds a lock");
    drop(locked);
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::EXCL;
    let claimed = rustix::fs::open(&device.device, flags, rustix::fs::Mode::empty()).expect("exclusive");
    refuses(&device, "EBUSY");
    drop(claimed);
    let read_only = Loop::with(SIZE, &["-r"], |_| {});
    refuses(&read_only, "read-only");
}

#[test]
fn an_unused_empty_device_is_measured_and_empty_again() {
    if !ready() {
        return;
    }
    let device = Loop::new(|_| {});
    let empty = checksum(&device.image());
    let identity = device.identity();
    for _ in 0..2 {
        let result = destroying(&device.device, Some(&identity)).expect("measured");
        assert_eq!(result.target_kind, "device");
        assert!(result.steps[0].ios > 0, "{:?}", result.gaps);
        run("sync", &[]);
        assert_eq!(checksum(&device.image()), empty);
    }
}

/// The medium goes away under a running probe: an error or a result, never a hang, and never a panic.
#[test]
fn a_device_that_disappears() {
    if !ready() {
        return;
    }
    let device = Loop::new(|image| {
        let block = vec![0xa5; 1 << 20];
        for mib in 0..SIZE / MIB {
            image.write_all_at(&block, mib * MIB).expect("written");
        }
    });
    let (target, image) = (device.device.clone(), device.image());
    let probe = std::thread::spawn(move || {
        let read =
            DiskStep { duration_ns: 1500 * MS, pattern: fullwire_model::disk::Pattern::Random, ..step() };
        disk::measure(&plan(&target, vec![read]), &mut (), &AtomicBool::new(false))
    });
    while !probe.is_finished() && fs::metadata(&image).is_ok_and(|file| file.len() > 0) {
        std::thread::sleep(std::time::Duration::from_millis(300));
        File::options().write(true).open(&image).and_then(|file| file.set_len(0)).expect("truncated");
    }
    let outcome = probe.join().expect("no panic");
    let result = outcome.expect("a result with a gap");
    assert!(result.steps.len() + result.gaps.len() == 1, "{result:?}");
}

#[test]
fn existing_files_are_never_written() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let file = directory.path().join("users01.dbf");
    fs::write(&file, vec![7; 1 << 20]).expect("file");
    let symbolic = directory.path().join("symbolic");
    std::os::unix::fs::symlink(&file, &symbolic).expect("link");
    let hard = directory.path().join("hard");
    fs::hard_link(&file, &hard).expect("link");
    let before = checksum(&file);
    for target in [&file, &symbolic, &hard] {
        assert!(refusal(target, None).contains("only read"));
        assert!(refusal(target, Some("anything")).contains("only read"));
    }
    assert_eq!(checksum(&file), before);
}

#[test]
fn things_that_are_no_storage() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let fifo = directory.path().join("fifo");
    run("mkfifo", &[&fifo.display().to_string()]);
    let dangling = directory.path().join("dangling");
    std::os::unix::fs::symlink("/nowhere/at/all", &dangling).expect("link");
    for target in [Path::new("/dev/null"), Path::new("/dev/tty"), &fifo, &dangling, Path::new("/nowhere")] {
        let outcome = destroying(target, Some("anything"));
        assert!(matches!(outcome, Err(DiskError::Target { .. })), "{}: {outcome:?}", target.display());
    }
}
