//! One small I/O on a target, to be made by its own process: where it hangs in the kernel, no signal ends it, and the
//! process that made it could never end either.

use crate::disk::engine::buffer::Buffers;
use rustix::fs::{FileType, Mode, OFlags};
use std::io;
use std::path::Path;

const BYTES: usize = 4096;

/// Touches a target: a directory by a nameless file that is written and flushed, anything else by a read. What fails is
/// no matter here, the probe itself will find it; only to come back counts.
pub fn touch(target: &Path) {
    let _ = touched(target);
}

fn touched(target: &Path) -> io::Result<()> {
    rustix::fs::statvfs(target)?;
    let stat = rustix::fs::stat(target)?;
    let mut buffers = Buffers::new(1, BYTES)?;
    if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let file = rustix::fs::open(target, flags, Mode::RUSR | Mode::WUSR)?;
        rustix::io::pwrite(&file, buffers.slot(0), 0)?;
        rustix::fs::fdatasync(&file)?;
    } else {
        let flags = OFlags::RDONLY | OFlags::DIRECT | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let file = rustix::fs::open(target, flags, Mode::empty())?;
        rustix::io::pread(&file, buffers.slot(0), 0)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_touch_leaves_nothing_and_survives_everything() {
        let directory = tempfile::tempdir().expect("temporary directory");
        let file = directory.path().join("file");
        std::fs::write(&file, "content").expect("file");
        for target in
            [directory.path(), &file, Path::new("/nowhere"), Path::new("/dev/null"), Path::new("/proc")]
        {
            touch(target);
        }
        assert_eq!(std::fs::read(&file).expect("still there"), b"content");
        assert_eq!(std::fs::read_dir(directory.path()).expect("listing").count(), 1);
    }
}
