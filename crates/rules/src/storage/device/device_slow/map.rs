//! What a map adds to the time of disks that answer at once.

use super::{OWN_SHARE, fires};
use crate::prelude::*;

/// The disks answer at once, and a map above them takes the time. What encrypts, or copies before it writes, is judged
/// elsewhere; a limit of the control group makes I/Os wait there as well.
pub(super) fn judge(
    run: &Facts,
    target: &facts::Target<'_>,
    step: &DiskStepResult,
    [whole_ms, limit]: [f64; 2],
    slow: Option<Explanation>,
) -> Outcome {
    let is_limited = run.ceilings.iter().any(|ceiling| {
        ceiling.path == *target.name()
            && ceiling.mechanism == Mechanism::IoLimit
            && ceiling.unit == Unit::IoPerS
            && step.iops >= OWN_SHARE * ceiling.value
    });
    let Some((device, added_ns)) = facts::residence::between(target, step).filter(|_| !is_limited) else {
        return Outcome::Passes;
    };
    let targets = device.dm.iter().flat_map(|map| &map.targets);
    let kinds: BTreeSet<&str> =
        targets.map(|one| one.kind.as_str()).filter(|kind| *kind != "linear").collect();
    let elsewhere = kinds.iter().any(|kind| *kind == "crypt" || kind.starts_with("snapshot"));
    if device.dm.is_none() || elsewhere || added_ns / 1e6 < OWN_SHARE * whole_ms {
        return Outcome::Passes;
    }
    let kinds: String = kinds.into_iter().map(|kind| format!(" ({kind})")).collect();
    let what = format!("{}{kinds}, above its disks", device.name);
    fires(target, step, Some(&device.name), &what, [whole_ms, added_ns / 1e6, limit], slow)
        .because("The disks answer at once; the map above them adds its own time to each request.")
        .look(sh!("dmsetup table {}", device.name), "Shows what the map does with a request")
        .look(sh!("dmsetup status {}", device.name), "Shows the state of a cache, a thin pool or a replica")
        .persist("take what delays out of the map: a delay or flakey target left by a test, a cache that writes through to a slow device, a replica far away")
        .expecting("the time of the volume is that of its disks")
        .into()
}
