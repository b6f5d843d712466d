//! A device that was being overwritten when its run was killed: noted, told by `clean`, and told until it is zeroed.

use super::danger::{Loop, checksum, ready};
use super::{MIB, entries, example, run};
use crate::skips::installed;
use fullwire_probe::disk;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn what_a_killed_run_left_on_a_device_is_told_until_it_is_zeroed() {
    if !ready() || !installed("blkdiscard") {
        return;
    }
    let device = Loop::with(64 * MIB, &[], |_| {});
    let empty = checksum(&device.image());
    let state = tempfile::tempdir().expect("temporary directory");
    let mut child = Command::new(example())
        .arg(&device.device)
        .args(["write", "random", "8192", "4", "1", "60", "plain"])
        .env("XDG_STATE_HOME", state.path())
        .env("FULLWIRE_TEST_DESTROY", device.identity())
        .env("FULLWIRE_TEST_SIZE", (4 * MIB).to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    let deadline = Instant::now() + Duration::from_secs(30);
    while checksum(&device.image()) == empty {
        assert!(
            Instant::now() < deadline && child.try_wait().expect("known").is_none(),
            "nothing was written"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    let own_state = state.path().join("fullwire");
    let running = disk::clean(&own_state);
    assert!(running.in_use.contains(&device.device) && running.overwritten.is_empty(), "{running:?}");
    child.kill().expect("killed");
    child.wait().expect("ended");
    run("sync", &[]);
    for _ in 0..2 {
        let report = disk::clean(&own_state);
        let [(path, what)] = &report.overwritten[..] else { panic!("{report:?}") };
        assert_eq!(path, &device.device);
        assert!(what.contains("blkdiscard --zeroout --offset 1048576 --length 4194304"), "{what}");
    }
    let advised = ["--zeroout", "--offset", "1048576", "--length", "4194304"];
    run("blkdiscard", &[&advised[..], &[&device.device.display().to_string()]].concat());
    assert!(disk::clean(&own_state).overwritten.is_empty());
    assert!(entries(&own_state.join("manifests")).is_empty());
    assert_eq!(checksum(&device.image()), empty);
}

/// The device refuses to be zeroed in the end: said in the result, and noted. One that is made read-only under an open
/// descriptor still takes writes, but no command that zeroes (`blkdev_issue_zeroout` in the kernel's block/blk-lib.c).
#[test]
fn a_device_that_cannot_be_zeroed_is_no_secret() {
    if !ready() || !installed("blockdev") {
        return;
    }
    let device = Loop::with(64 * MIB, &[], |_| {});
    let name = device.device.display().to_string();
    let state = tempfile::tempdir().expect("temporary directory");
    let write = fullwire_model::disk::DiskStep {
        operation: fullwire_model::disk::Operation::Write,
        duration_ns: 1500 * super::MS,
        ..super::step()
    };
    let plan = fullwire_model::disk::DiskPlan {
        destroy: Some(device.identity()),
        size_bytes: 4 * MIB,
        ..super::plan(name.as_ref(), vec![write])
    };
    let protector = {
        let notes = state.path().join("manifests");
        std::thread::spawn(move || {
            while entries(&notes).is_empty() {
                std::thread::sleep(Duration::from_millis(10));
            }
            std::thread::sleep(Duration::from_millis(500));
            run("blockdev", &["--setro", &name]);
        })
    };
    let stop = std::sync::atomic::AtomicBool::new(false);
    let result = disk::measure(&plan, &mut super::State(state.path().into()), &stop).expect("a result");
    protector.join().expect("the device was made read-only");
    let told = result.caveats.iter().find(|caveat| caveat.kind == "not-zeroed");
    assert!(told.expect("told").text.contains("fullwire clean"), "{:?}", result.caveats);
    assert_eq!(disk::clean(state.path()).overwritten.len(), 1);
    run("blockdev", &["--setrw", &device.device.display().to_string()]);
}
