//! What a look at a device must not believe: a page cache that another opener keeps alive, and samples.

use super::danger::{Loop, attach, checksum, destroying, ready, refusal, refuses};
use super::{MIB, output, run};
use crate::skips::installed;
use fullwire_probe::disk;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// `--size` of these tests: less than the 64 MiB that are always read.
const WRITTEN: u64 = 4 * MIB;

/// Another process that has the device open, and has read all of it.
struct Opener(Child);

impl Opener {
    fn of(device: &std::path::Path) -> Self {
        let script = "exec 9<\"$0\"; cat \"$0\" >/dev/null; echo; sleep 600";
        let mut child = Command::new("sh")
            .args(["-c", script])
            .arg(device)
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .expect("started");
        child.stdout.take().expect("piped").read_exact(&mut [0]).expect("it has read the device");
        Self(child)
    }
}

impl Drop for Opener {
    fn drop(&mut self) {
        let group = rustix::process::Pid::from_child(&self.0);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        let _ = self.0.wait();
    }
}

/// Another host makes a file system on the unit; this host's cache still says that it is empty. Run by a user who sees
/// no other process's descriptors, the content alone must refuse.
#[test]
fn a_file_system_that_the_page_cache_does_not_show() {
    if !ready() || !installed("mkfs.ext4") {
        return;
    }
    let device = Loop::with(256 * MIB, &[], |_| {});
    let cached = File::open(&device.device).expect("opens");
    std::io::copy(&mut &cached, &mut std::io::sink()).expect("read once");
    run("mkfs.ext4", &["-q", "-F", &device.image().display().to_string()]);
    let mut mark = [0; 2];
    cached.read_exact_at(&mut mark, 0x438).expect("readable");
    if mark == [0x53, 0xef] {
        // The kernel dropped the cached pages by itself: nothing stale to be fooled by.
        println!("the page cache of the loop device is not stale here");
    }
    // The descriptor shows in /proc/self/fd; another process's would show in the same way.
    let reason = refusal(&device.device, Some(&device.identity()));
    assert!(reason.contains("is open in"), "{reason}");
    let second = disk_seen_past_the_cache(&device);
    assert!(second.contains("ext4"), "{second}");
    drop(cached);
    refuses(&device, "ext4");
    run("e2fsck", &["-fn", &device.image().display().to_string()]);
}

/// The refusal where `/proc` shows nothing of other processes, as in its own container.
fn disk_seen_past_the_cache(device: &Loop) -> String {
    let example = super::example();
    let output = Command::new("unshare")
        .args(["--pid", "--fork", "--mount-proc"])
        .arg(&example)
        .arg(&device.device)
        .args(["write", "random", "8192", "1", "1", "0.05", "plain"])
        .env("FULLWIRE_TEST_DESTROY", device.identity())
        .env("FULLWIRE_TEST_SIZE", WRITTEN.to_string())
        .env("XDG_STATE_HOME", device.directory.path())
        .output()
        .expect("unshare runs");
    assert!(!output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_device_that_another_process_has_open() {
    if !ready() {
        return;
    }
    let device = Loop::new(|_| {});
    let opener = Opener::of(&device.device);
    refuses(&device, &format!("process {}", opener.0.id()));
    drop(opener);
    destroying(&device.device, Some(&device.identity())).expect("measured once it is closed");
}

/// 64 KiB of data between two samples, in the part that will be written and beyond the first 64 MiB.
#[test]
fn data_between_the_samples_where_it_will_be_written() {
    if !ready() {
        return;
    }
    let size = 1024 * MIB;
    let at = 300 * MIB + 8192;
    let device = Loop::with(size, &[], |image| {
        image.write_all_at(&vec![0xa5; 64 << 10], at).expect("written");
    });
    let before = checksum(&device.image());
    let identity = device.identity();
    let write = fullwire_model::disk::DiskStep {
        operation: fullwire_model::disk::Operation::Write,
        duration_ns: 30 * super::MS,
        ..super::step()
    };
    let state = tempfile::tempdir().expect("temporary directory");
    let measured = |size_bytes| {
        let plan = fullwire_model::disk::DiskPlan {
            destroy: Some(identity.clone()),
            size_bytes,
            ..super::plan(&device.device, vec![write.clone()])
        };
        let stop = std::sync::atomic::AtomicBool::new(false);
        disk::measure(&plan, &mut super::State(state.path().into()), &stop)
    };
    let refused = measured(512 * MIB).expect_err("data where it would be written").to_string();
    assert!(refused.contains(&format!("unrecognised data at byte {at}")), "{refused}");
    assert_eq!(checksum(&device.image()), before);
    // Elsewhere only samples are read: the data survives, and the result says what was not looked at.
    let result = measured(WRITTEN).expect("the data lies between the samples");
    assert!(result.caveats.iter().any(|caveat| caveat.kind == "sampled"), "{:?}", result.caveats);
    assert_eq!(checksum(&device.image()), before, "what was not to be written is what it was");
}

/// A second loop device over the same file by another name.
#[test]
fn a_hard_link_of_the_file_behind_it_is_the_same_file() {
    if !ready() {
        return;
    }
    let device = Loop::new(|_| {});
    let link = device.directory.path().join("another-name");
    fs::hard_link(device.image(), &link).expect("link");
    let second = attach(&link, &[]);
    let reason = std::panic::catch_unwind(|| refusal(&device.device, Some(&device.identity())));
    let _ = output("losetup", &["-d", &second.display().to_string()]);
    assert!(reason.expect("refused").contains("also backs"));
}
