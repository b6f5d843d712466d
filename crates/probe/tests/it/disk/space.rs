//! Small and full file systems, on loop devices.

use super::{MIB, State, entries, plan, run, step};
use crate::skips::{given, installed, is_root};
use fullwire_model::disk::{DiskStep, Operation};
use fullwire_probe::disk::{self, DiskError};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Its own file system on a loop device.
pub(crate) struct Mounted {
    directory: tempfile::TempDir,
    device: String,
}

impl Mounted {
    pub(crate) fn new(bytes: u64) -> Option<Self> {
        if !is_root() || !installed("losetup") || !installed("mkfs.ext4") {
            return None;
        }
        let directory = tempfile::tempdir().expect("temporary directory");
        let image = directory.path().join("image");
        std::fs::File::create(&image).and_then(|file| file.set_len(bytes)).expect("image");
        let device = run("losetup", &["--direct-io=on", "--show", "-f", &image.display().to_string()]);
        let mounted = Self { directory, device };
        run("mkfs.ext4", &["-q", "-m", "0", &mounted.device]);
        std::fs::create_dir(mounted.path()).expect("mount point");
        run("mount", &[&mounted.device, &mounted.path().display().to_string()]);
        Some(mounted)
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("mnt")
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = super::output("umount", &[&self.path().display().to_string()]);
        let _ = super::output("losetup", &["-d", &self.device]);
    }
}

fn measured_on(mounted: &Mounted) -> Result<fullwire_model::disk::DiskResult, DiskError> {
    let state = tempfile::tempdir().expect("temporary directory");
    let steps = vec![step(), DiskStep { operation: Operation::Write, ..step() }];
    let asked = fullwire_model::disk::DiskPlan { size_bytes: 64 * MIB, ..plan(&mounted.path(), steps) };
    disk::measure(&asked, &mut State(state.path().into()), &AtomicBool::new(false))
}

fn files(mounted: &Mounted) -> Vec<PathBuf> {
    entries(&mounted.path()).into_iter().filter(|path| !path.ends_with("lost+found")).collect()
}

#[test]
fn a_small_file_system_gets_a_small_file_and_says_so() {
    let mounted = given!(Mounted::new(128 * MIB));
    let result = measured_on(&mounted).expect("measured");
    assert!((8 * MIB..=16 * MIB).contains(&result.working_set_bytes), "{}", result.working_set_bytes);
    assert!(result.caveats.iter().any(|caveat| caveat.kind == "small-working-set"), "{:?}", result.caveats);
    assert_eq!(result.steps.len(), 2, "{:?}", result.gaps);
    assert!(files(&mounted).is_empty());
}

#[test]
fn a_full_file_system_is_refused_with_numbers() {
    let mounted = given!(Mounted::new(128 * MIB));
    let filler = std::fs::File::create(mounted.path().join("users01.dbf")).expect("file");
    let length = 80 * MIB;
    rustix::fs::fallocate(&filler, rustix::fs::FallocateFlags::empty(), 0, length).expect("space");
    let refused = measured_on(&mounted).expect_err("no room");
    let DiskError::NoSpace { available_bytes, needed_bytes, .. } = refused else { panic!("{refused}") };
    assert!(available_bytes < 64 * MIB && needed_bytes == 8 * MIB, "{available_bytes}");
    assert_eq!(files(&mounted), [mounted.path().join("users01.dbf")]);
}

/// The quota, or another writer, that is met only when writing: the file goes away, the error names what happened.
#[test]
fn running_out_of_space_while_writing_is_survived() {
    let mounted = given!(Mounted::new(128 * MIB));
    let path = mounted.path();
    let directory = tempfile::tempdir_in(&path).expect("directory");
    // Small files are not reserved beforehand: 200 of 1 MiB do not fit into 128 MiB.
    let files_plan = fullwire_model::disk::SmallFilesPlan {
        files: 200,
        min_bytes: MIB,
        max_bytes: MIB,
        threads: 2,
        ..fullwire_model::disk::SmallFilesPlan::default()
    };
    let asked =
        fullwire_model::disk::DiskPlan { small_files: vec![files_plan], ..plan(directory.path(), vec![]) };
    let state = tempfile::tempdir().expect("temporary directory");
    let failed =
        disk::measure(&asked, &mut State(state.path().into()), &AtomicBool::new(false)).expect_err("full");
    assert!(failed.to_string().contains("No space left"), "{failed}");
    assert!(entries(directory.path()).is_empty());
    assert!(entries(&state.path().join("manifests")).is_empty());
}
