//! What every remedy owes whoever takes it back.

use crate::advice::{all_advice, changes, commands, fail_on, programs};
use crate::fixtures::{case, fires};
use crate::remedies::{advice, runs};
use fullwire_model::assessment::{Phase, StepKind};
use fullwire_rules::advice::effect::{edits, lasts};
use fullwire_rules::{Facts, Outcome, rules};
use serde_json::{Value, json};
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
        "blockdev", "cat", "chmod", "dd", "dmsetup", "echo", "ethtool", "fsfreeze", "grep", "ip", "lvchange",
        "mdadm", "mkswap", "modprobe", "mount", "multipath", "multipathd", "powermt", "sed", "swapoff",
        "swapon", "systemctl", "tc", "true", "umount",
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

#[test]
fn a_port_that_is_set_up_already_is_not_set_down_again() {
    let of = |up: Value| advice("bond-slave-down", &[("/host/nics", json!([{ "name": "eth1", "up": up }]))]);
    assert_eq!(runs(&of(json!(false)), Phase::Undo), ["ip link set dev eth1 down"]);
    for phase in [Phase::Now, Phase::Undo] {
        let all = of(json!(true));
        assert!(runs(&all, phase).iter().all(|run| !run.starts_with("ip link set")), "{all:?}");
    }
}

#[test]
fn the_root_file_system_waits_for_its_session() {
    let changes = |number: &str| {
        [
            ("/host/multipath", json!([])),
            (
                "/host/iscsi_sessions",
                json!([{ "name": "session1", "target": "iqn.x", "recovery_tmo_s": 5, "disks": ["sda"] }]),
            ),
            ("/host/disks", json!([{ "name": "sda", "number": "8:0" }])),
            ("/host/mounts", json!([{ "target": "/", "source": "/dev/sda", "number": number }])),
        ]
    };
    let live = |number| runs(&advice("iscsi-replacement-timeout", &changes(number)), Phase::Now).join(";");
    assert_eq!(live("8:0"), "echo 86400 > /sys/class/iscsi_session/session1/recovery_tmo");
    assert_eq!(live("8:16"), "echo 120 > /sys/class/iscsi_session/session1/recovery_tmo");
}

/// The next boot finds no `/dev/mapper/mpatha2` that fstab may name.
#[test]
fn a_map_goes_only_where_nothing_names_it() {
    let run = &case("multipath-single-path", "info/local").run;
    let outcomes = (fullwire_rules::rule("multipath-single-path").unwrap().check)(&Facts::of(run));
    let steps = outcomes.into_iter().filter_map(|outcome| match outcome {
        Outcome::Fires(finding) => Some(finding.advice.steps),
        _ => None,
    });
    let blacklist: Vec<_> = steps.flatten().filter(|step| step.text.contains("section blacklist")).collect();
    assert!(
        !blacklist.is_empty() && blacklist.iter().all(|step| step.needs[0].contains("/etc/fstab")),
        "{blacklist:?}"
    );
}
