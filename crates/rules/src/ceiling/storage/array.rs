//! What rotating disks do, alone and as members of an md array.

use super::queue::{SPINDLES, raid_io_per_s, spindle_io_per_s, write_penalty};
use crate::ceiling::made::Made;
use crate::facts::{self, Target};
use fullwire_model::Run;
use fullwire_model::assessment::Ceiling;
use fullwire_model::disk::{DiskStepResult, Operation, Pattern};
use fullwire_model::host::Disk;
use fullwire_model::quantity::Unit;

/// The fastest disks made.
const FASTEST: (u32, f64, f64) = SPINDLES[0];

thresholds! {
    /// A file on this share of a disk at least makes it seek.
    const WIDE: f64 = 0.1;
}

/// Random I/Os of the spindles below a target. With more in flight than spindles the disks reorder and do more, and on
/// a narrow file they hardly seek: then nothing is said.
pub(super) fn ceilings(run: &Run, target: &Target<'_>, step: &DiskStepResult) -> Option<Ceiling> {
    let spindles = spindles(target)?;
    let count = spindles.len() as u64;
    let size = spindles.iter().map(|disk| disk.size_bytes).sum::<u64>() as f64;
    let wide = target.result.working_set_bytes.max(step.working_set_bytes) as f64 >= WIDE * size;
    let applies = step.pattern == Pattern::Random
        && step.rate_per_s == 0.0
        && !facts::is_virtual(&run.host)
        && facts::in_flight(step) <= count
        && wide;
    let arrays: Vec<&Disk> = target.stack.iter().copied().filter(|disk| disk.md.is_some()).collect();
    let level = arrays.first().and_then(|disk| disk.md.as_ref()).map_or("", |md| md.level.as_str());
    let penalty = if arrays.is_empty() { Some(1.0) } else { write_penalty(level) };
    let penalty = penalty.filter(|_| applies && arrays.len() <= 1)?;
    let read_share = match step.operation {
        Operation::Read => 1.0,
        Operation::Write => 0.0,
        Operation::Mixed | Operation::Copy => step.read_share?,
    };
    let (_, half_turn_ms, seek_ms) = FASTEST;
    let each = spindle_io_per_s(half_turn_ms, seek_ms);
    let names: Vec<&str> = spindles.iter().map(|disk| disk.name.as_str()).collect();
    let made = Made::storage(
        "spindles",
        facts::listed(&names),
        raid_io_per_s(count, each, read_share, penalty),
        Unit::IoPerS,
    )
    .formula("disks ÷ (half a turn + seek + 1 ms) ÷ (reads + writes × penalty)")
    .input("disks", count as f64, "/sys/block/*/queue/rotational")
    .input("half_turn_ms", half_turn_ms, "15,000 turns a minute, the fastest made")
    .input("seek_ms", seek_ms, "the same disks")
    .input("read_share", read_share, "probe")
    .input(
        "write_penalty",
        penalty,
        format!("disk operations for one write, level {}", if level.is_empty() { "none" } else { level }),
    )
    .soft(true);
    Some(made.of(target, step))
}

/// The disks below a target, where all rotate and each is a disk: a unit of an array only looks like one.
fn spindles<'a>(target: &Target<'a>) -> Option<Vec<&'a Disk>> {
    let leaves: Vec<&Disk> = target.leaves().collect();
    let rotates = |disk: &&Disk| {
        let queue = disk.queue.as_ref();
        matches!(disk.transport.as_str(), "sas" | "sata")
            && queue.is_some_and(|queue| queue.rotational == Some(true))
    };
    (!leaves.is_empty() && leaves.iter().all(rotates)).then_some(leaves)
}
