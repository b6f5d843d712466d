use crate::prelude::*;
use fullwire_model::disk::{DiskResult, DiskStepResult, LayerStats, Operation};

rule! {
    /// # What it checks
    /// Applies to mirrors of md with a write-intent bitmap under measured writes, one at a time. Passes while a member gets
    /// fewer than three writes for two of the array.
    ///
    /// # Why it matters
    /// A write to a part of the array that its bitmap calls clean waits until the bitmap is on all members. Where the parts
    /// are small, next to each random write is two writes, one after the other.
    ///
    /// # Evidence
    /// Writes completed by the array and by its members during the step.
    ///
    /// # Remedy
    /// A bitmap with larger chunks.
    ///
    /// # Source
    /// md(4), "Bitmap write-intent logging"; mdadm(8), `--bitmap-chunk` (64 MiB or more where it chooses itself); Linux
    /// drivers/md/md-bitmap.c, `bitmap_startwrite` and `unplug`.
    code: "md-bitmap-writes",
    title: "a mirror writes its bitmap before most writes",
    layer: Storage, severity: Warning, on: [Disk], limits: [WriteOverhead],

    /// Writes of a member for one of the array: every second one waits for the bitmap.
    const WRITES: f64 = 1.5;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let with_bitmap = |disk: &&Disk| {
        disk.md.as_ref().is_some_and(|md| md.level == "raid1" && md.consistency_policy == "bitmap")
    };
    let mut outcomes = Vec::new();
    for target in facts::targets(run) {
        let mirrors = target.stack.iter().copied().filter(with_bitmap);
        outcomes.extend(mirrors.map(|disk| judge(&target, disk)));
    }
    outcomes
}

fn judge(target: &facts::Target<'_>, disk: &Disk) -> Outcome {
    let written: Vec<_> =
        target.singles().filter_map(|step| Some((step, writes_of_member(disk, step)?))).collect();
    let Some((_, most)) = written.iter().max_by(|one, other| one.1.total_cmp(&other.1)).copied() else {
        return facts::unread(&format!("the writes of {} and of its members", disk.name));
    };
    if most < WRITES {
        return Outcome::Passes;
    }
    let name = &disk.name;
    RULE.finding(
        Kind::Disk.named(name),
        format!("each write to {name} becomes {most:.1} on a member: most wait until the mirror's bitmap is written"),
    )
    .measured(most, WRITES, Unit::Ratio)
    .evidence(format!("{most:.2} writes of a member for one of {name}"), "/proc/diskstats over the step")
    .explains(written.iter().filter(|one| one.1 >= WRITES).map(|(step, writes)| explained(target.result, step, *writes)))
    .advice(
        because("A write to a part of the array that is marked clean waits until the mark is changed on all members.")
            .look(sh!("cat /sys/block/{}/md/bitmap/chunksize", name), "Shows the bytes for which one mark stands")
            .now(format!(
                "`mdadm --grow --bitmap=none /dev/{name}`, then `mdadm --grow --bitmap=internal --bitmap-chunk=128M /dev/{name}`: \
                 a crash between the two copies the whole array again",
                name = as_word(name)
            ))
            .persist("The members' superblocks keep it")
            .expecting("as many writes on a member as on the array"),
    )
    .into()
}

/// Writes that a member completed for one of the array.
fn writes_of_member(array: &Disk, step: &DiskStepResult) -> Option<f64> {
    let members = &array.md.as_ref()?.members;
    let writes = |layer: &LayerStats| Some(layer.iops - layer.read_iops?);
    let own = step.layers.iter().find(|layer| layer.name == array.name).and_then(writes);
    let own = own.filter(|writes| *writes > 0.0 && step.operation == Operation::Write)?;
    let of_members = step.layers.iter().filter(|layer| members.contains_key(&layer.name));
    Some(of_members.filter_map(writes).fold(0.0, f64::max) / own)
}

/// One write after the other, each as long as any: without those of the bitmap as many more are of the program.
fn explained(result: &DiskResult, step: &DiskStepResult, writes: f64) -> Explanation {
    explain::step(result, step, Mechanism::WriteOverhead).active(1.0 - 1.0 / writes).without(
        step.iops * writes,
        Unit::IoPerS,
        "device-latency",
    )
}
