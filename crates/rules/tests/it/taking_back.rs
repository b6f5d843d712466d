//! What every remedy owes whoever takes it back.

use crate::advice::{all_advice, changes, commands, fail_on, programs};
use crate::fixtures::fires;
use fullwire_model::assessment::{Phase, StepKind};
use fullwire_rules::advice::effect::{edits, lasts};
use fullwire_rules::{Facts, Outcome, rules};
use std::collections::BTreeSet;

/// With the directory alone, mount(8) applies what fstab has for it, `ro` too.
#[test]
fn a_remount_names_what_is_mounted() {
    fail_on(&commands(|run| {
        let words: Vec<&str> = run.split_whitespace().collect();
        let at = words.iter().position(|word| word.starts_with("remount,"))?;
        (words.len() < at + 3).then(|| "reads fstab".to_owned())
    }));
}

#[test]
fn what_is_unmounted_is_mounted_again_by_command() {
    let mut wrong = BTreeSet::new();
    for (rule, case) in rules().flat_map(|rule| fires(rule).map(move |case| (rule, case))) {
        let mut run = case.run.clone();
        for mount in run.host.mounts.iter_mut().filter(|mount| mount.source.is_empty()) {
            mount.source = "filer:/vol".to_owned();
        }
        for outcome in (rule.check)(&Facts::of(&run)) {
            let Outcome::Fires(finding) = outcome else { continue };
            let has = |phase, part: &str| {
                let mut steps = finding.advice.phase(phase);
                steps.any(|step| step.run.as_deref().is_some_and(|run| run.contains(part)))
            };
            if has(Phase::Now, "umount ") && !has(Phase::Undo, " && mount -t ") {
                wrong.insert(case.to_string());
            }
        }
    }
    fail_on(&wrong);
}

/// A taking back that was killed is done again: what is made must bear to be there, and what is removed to be gone.
#[test]
fn what_takes_back_can_be_run_twice() {
    let mut wrong = BTreeSet::new();
    for (case, advice) in all_advice() {
        for undo in advice.phase(Phase::Undo) {
            let run = undo.run.as_deref().unwrap_or_default();
            let words: Vec<&str> = run.split_whitespace().collect();
            let is = |name: &str, verb: &str| words.first() == Some(&name) && words.contains(&verb);
            let makes = ["ip", "tc"].iter().any(|name| is(name, "add"));
            let removes = ["ip", "tc"].iter().any(|name| is(name, "del"));
            if makes || removes && undo.read_back.is_none() {
                wrong.insert(format!("{case}: {run}"));
            }
        }
    }
    fail_on(&wrong);
}

/// A step's files are put back by their lines: what takes them back is not run, and need not be, if the step has them all.
#[test]
fn files_that_are_put_back_are_those_of_a_step() {
    let mut wrong = BTreeSet::new();
    for (case, advice) in all_advice() {
        for undo in advice.phase(Phase::Undo) {
            let edits = edits(undo.run.as_deref().unwrap_or_default());
            let mut steps = advice.steps.iter().filter(|step| undo.undoes.contains(&step.phase));
            if edits.nothing_else
                && !steps.any(|step| edits.files.iter().all(|file| step.writes.contains(file)))
            {
                wrong.insert(format!("{case}: {:?}", edits.files));
            }
        }
    }
    fail_on(&wrong);
}

/// After a restart of the host a change that did not outlive it is not taken back: devices have other names then. Which
/// programs' work lasts is told one by one.
#[test]
fn it_is_known_of_each_program_whether_its_work_lasts() {
    const UNTIL_BOOT: [&str; 25] = [
        "blockdev",
        "cat",
        "chmod",
        "dd",
        "dmsetup",
        "echo",
        "ethtool",
        "fsfreeze",
        "grep",
        "ip",
        "lvchange",
        "mdadm",
        "mkswap",
        "modprobe",
        "mount",
        "multipath",
        "multipathd",
        "powermt",
        "sed",
        "swapoff",
        "swapon",
        "systemctl",
        "tc",
        "true",
        "umount",
    ];
    let unknown = changes().into_iter().filter(|step| step.phase == Phase::Now && step.writes.is_empty());
    let unknown = unknown.filter(|step| step.kind != StepKind::Save);
    let runs = unknown.filter_map(|step| step.run).filter(|run| !lasts(run));
    let is_unknown =
        |run: &String| programs(run).iter().any(|program| !UNTIL_BOOT.contains(&program.as_str()));
    fail_on(&runs.map(|run| run.to_string()).filter(is_unknown).collect());
    assert!(lasts("sysctl -w vm.swappiness=1") && lasts("tuned-adm profile x") && lasts("echo a > /etc/x"));
    assert!(!lasts("blockdev --setrw /dev/sda") && !lasts("echo none > /sys/block/sda/queue/scheduler"));
}
