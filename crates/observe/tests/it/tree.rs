//! Trees of our own making.

use fullwire_observe::Root;
use std::fmt::Write as _;
use std::path::Path;

/// A tree in a temporary directory that goes away with it.
pub(crate) struct Tree(tempfile::TempDir);

impl Tree {
    pub(crate) fn new() -> Self {
        // Thousands of small files are quicker made in memory.
        let memory = tempfile::tempdir_in("/dev/shm");
        Self(memory.or_else(|_| tempfile::tempdir()).expect("a temporary directory"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn root(&self) -> Root {
        Root::tree(self.path()).expect("a directory is a tree")
    }

    /// Writes a file; its path is as the host names it.
    pub(crate) fn file(&self, path: &str, text: &str) -> &Self {
        let path = self.path().join(path.trim_start_matches('/'));
        if std::fs::write(&path, text).is_err() {
            std::fs::create_dir_all(path.parent().expect("has a parent")).expect("made");
            std::fs::write(path, text).expect("written");
        }
        self
    }

    /// Makes a symbolic link.
    pub(crate) fn link(&self, path: &str, target: &str) -> &Self {
        let path = self.path().join(path.trim_start_matches('/'));
        std::fs::create_dir_all(path.parent().expect("has a parent")).expect("made");
        std::os::unix::fs::symlink(target, path).expect("linked");
        self
    }

    /// A process, by its `stat` and command line (arguments apart by `|`).
    pub(crate) fn process(&self, pid: u32, parent: u32, name: &str, arguments: &str) -> &Self {
        let mut stat = format!(
            "{pid} ({name}) S {parent} {pid} {pid} 0 -1 4194560 100 0 3 0 {pid} 5 0 0 20 0 1 0 5000 "
        );
        let _ = write!(stat, "10485760 {} 18446744073709551615 1 1 0 0 0 0 0 0 0", pid % 5000);
        self.file(&format!("/proc/{pid}/stat"), &stat);
        self.file(&format!("/proc/{pid}/cmdline"), &arguments.replace('|', "\0"));
        self.file(&format!("/proc/{pid}/status"), &format!("Name:\t{name}\nUid:\t501\t501\t501\t501\n"));
        self.file(&format!("/proc/{pid}/limits"), LIMITS)
    }
}

const LIMITS: &str = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max processes             4096                 16384                processes \n\
                      Max open files            1024                 65536                files     \n\
                      Max locked memory         8388608              8388608              bytes     \n";
