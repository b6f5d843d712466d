//! A storage target before anything is written to it: what it is, what it has room for, and whether the user means it.

use crate::output::person;
use crate::usage;
use anyhow::{Result, bail};
use fullwire_model::PathName;
use fullwire_model::disk::{DiskPlan, Operation};
use fullwire_probe::disk::plan_quick;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

/// A smaller file says nothing: it fits in any cache.
const SMALLEST_BYTES: u64 = 1 << 20;
/// More than this is written only when the user has said so.
const ASK_ABOVE_BYTES: u64 = 8_000_000_000;
/// Storage that does not answer by then is left to the probe, which says so.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);
/// bonnie writes its file by bytes, by blocks, and again in place.
const BONNIE_WRITES: u64 = 3;

/// What a target is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Room for a private file of this many bytes, by the file system.
    Directory { available_bytes: u64 },
    /// A file or a device, which is only read.
    Existing,
    /// Not there, or it does not answer: the probe says which.
    Unknown,
}

/// Looks at a target, without waiting for a dead server.
pub(crate) fn look(path: &Path) -> Kind {
    let (say, hear) = mpsc::channel();
    let path: PathBuf = path.to_owned();
    let asked = std::thread::Builder::new().name("target".into()).spawn(move || {
        // No one hears it any more: then it came too late.
        let _ = say.send(look_now(&path));
    });
    match asked {
        Ok(_) => hear.recv_timeout(ANSWER_WITHIN).unwrap_or(Kind::Unknown),
        Err(_) => Kind::Unknown,
    }
}

fn look_now(path: &Path) -> Kind {
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() => match rustix::fs::statvfs(path) {
            Ok(space) => Kind::Directory { available_bytes: space.f_bavail.saturating_mul(space.f_frsize) },
            Err(_) => Kind::Unknown,
        },
        Ok(_) => Kind::Existing,
        Err(_) => Kind::Unknown,
    }
}

/// A size that someone typed: refused where no file of it can be meant.
pub(crate) fn check_size(size_bytes: u64, kind: Kind, target: &PathName) -> Result<()> {
    if size_bytes < SMALLEST_BYTES {
        return usage::wrong(format!(
            "--size: a file of {size_bytes} bytes is too small to measure; use at least 1M"
        ));
    }
    match kind {
        Kind::Directory { available_bytes } if size_bytes > available_bytes => usage::wrong(format!(
            "--size: {} does not fit: {target} has {} available",
            amount(size_bytes),
            amount(available_bytes)
        )),
        _ => Ok(()),
    }
}

/// The most that a plan writes at once into a directory.
pub(crate) fn written_bytes(plan: &DiskPlan) -> u64 {
    let file = if plan.steps.is_empty() { 0 } else { plan.size_bytes };
    let small = plan.small_files.iter().map(|files| files.files.saturating_mul(files.max_bytes)).max();
    file.max(small.unwrap_or(0)).max(plan.bonnie_bytes.saturating_mul(BONNIE_WRITES))
}

/// Asks before much is written, where there is someone to ask.
pub(crate) fn consent(plan: &DiskPlan, yes: bool) -> Result<()> {
    let bytes = written_bytes(plan);
    if yes || bytes <= ASK_ABOVE_BYTES {
        return Ok(());
    }
    if !person::is_there() {
        return usage::wrong(format!(
            "{} would be written to {}, and stdin is not a terminal, so the question cannot be asked: allow it with --yes, or reduce --size",
            amount(bytes),
            plan.target
        ));
    }
    if person::agrees(&format!("{} will be written to {}; continue?", amount(bytes), plan.target)) {
        return Ok(());
    }
    bail!("not confirmed, nothing was written; --size reduces the amount, --yes skips the question")
}

/// The quick look at a target; of a file or a device, its reads.
pub(crate) fn quick(target: &str, kind: Kind) -> DiskPlan {
    let mut plan = plan_quick(target);
    if kind == Kind::Existing {
        only_reads(&mut plan);
    }
    plan
}

/// Keeps the reads of a plan for a target that is only read.
pub(crate) fn only_reads(plan: &mut DiskPlan) {
    plan.steps.retain(|step| step.operation == Operation::Read);
}

/// Bytes for a person: `256 MB`, `1.5 GB`, `100 TB`.
pub(crate) fn amount(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1_000_000_000 => (1e6, "MB"),
        1_000_000_000..1_000_000_000_000 => (1e9, "GB"),
        _ => (1e12, "TB"),
    };
    let value = bytes as f64 / unit;
    if value < 10.0 { format!("{value:.1} {name}") } else { format!("{value:.0} {name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_that_cannot_be_meant_is_refused() {
        let (d, here) = ("d".into(), Kind::Directory { available_bytes: 50_000_000_000 });
        assert!(check_size(1, here, &d).is_err());
        let error = check_size(100 << 40, here, &d).unwrap_err();
        assert!(
            usage::is_usage(&error) && error.to_string().contains("110 TB does not fit: d has 50 GB"),
            "{error}"
        );
        assert!(check_size(1 << 30, here, &d).is_ok() && check_size(100 << 40, Kind::Existing, &d).is_ok());
    }

    #[test]
    fn what_is_written_is_counted_by_the_greediest_part() {
        let steps = vec![fullwire_model::disk::DiskStep::default()];
        let plan = DiskPlan { size_bytes: 7, ..DiskPlan::default() };
        assert_eq!(written_bytes(&plan), 0, "no step, no file");
        assert_eq!(written_bytes(&DiskPlan { steps, bonnie_bytes: 10, ..plan }), 30);
    }

    #[test]
    fn a_quick_look_writes_to_no_file_and_no_device() {
        let writes = |kind| quick("t", kind).steps.iter().any(|step| step.operation != Operation::Read);
        assert!(!writes(Kind::Existing) && writes(Kind::Directory { available_bytes: 1 << 40 }));
        assert!(!quick("t", Kind::Existing).steps.is_empty());
    }

    #[test]
    fn targets_are_told_apart() {
        assert!(matches!(look(Path::new("/tmp")), Kind::Directory { available_bytes: 1.. }));
        assert_eq!(look(Path::new("/dev/null")), Kind::Existing);
        assert_eq!(look(Path::new("/nonexistent")), Kind::Unknown);
    }
}
