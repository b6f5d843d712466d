//! The steps of every rule on every fixture on which it fires: commands that a shell takes, without a word to be filled
//! in, with an undo.

use crate::fixtures::{Case, fires, of_kind};
use fullwire_model::Peer;
use fullwire_model::assessment::{Advice, Finding, Layer, Phase, Risk, Step, StepKind};
use fullwire_model::host::InterfaceKeeper;
use fullwire_rules::{Facts, Outcome, rules};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// What a command may begin with; `[`, loops and the shell's own words are no programs.
const PROGRAMS: &[&str] = &[
    "awk", "blockdev", "cat", "chmod", "chronyc", "cryptsetup", "cut", "dd", "dmesg", "dmsetup", "dracut",
    "du", "echo", "ethtool", "find", "findmnt", "free", "fsfreeze", "getent", "grep", "grub2-mkconfig",
    "grubby", "head", "iostat", "ip", "ipcs", "iptables-save", "iscsiadm", "ls", "lspci", "lvchange", "lvs",
    "mdadm", "mkdir", "mkswap", "modprobe", "mount", "mtr", "multipath", "multipathd", "netplan", "nft",
    "nmcli", "nproc", "nstat", "numastat", "nvme", "parted", "pidstat", "ping", "powermt", "printf", "ps",
    "rm", "sar", "sed", "slabtop", "smartctl", "sort", "ss", "swapoff", "swapon", "sysctl", "systemctl",
    "systemd-cgtop", "tail", "tc", "tcpdump", "test", "timeout", "top", "touch", "true", "tune2fs",
    "tuned-adm", "udevadm", "umount", "uniq", "update-grub", "update-initramfs", "vmstat",
    "vmware-toolbox-cmd", "zfs", "zpool",
];

/// Upper-case words that are names and not to be filled in.
/// `DEV` is a word of sar's.
const NAMES: &[&str] = &["ALL", "DEV", "GENERAL.CON-UUID", "SOURCE,OPTIONS", "NULL", "TCPMSS", "P", "T"];

/// Parts of commands that change something; the rest looks.
const CHANGES: &[&str] = &[
    "sysctl -w", "> /sys", "> /proc", "> /etc", ">> /etc", "> $f", "smp_affinity_list", "link set",
    "route replace", "route del", "qdisc del", "qdisc replace", "systemctl start", "systemctl enable",
    "systemctl restart", "mount -o", "mount /", "modprobe ", "reconfigure", "--login", "ethtool -G",
    "ethtool -L", "ethtool -A", "ethtool -K", "ethtool -C", "ethtool -s", "swapon", "--setrw", "--unfreeze",
    "disablequeueing", "tuned-adm profile", "dmsetup resume", "-o update", "lvchange", "cryptsetup refresh",
    "tune2fs", "sed -i", "netplan set", "nmcli connection modify", "issue_lip", "dracut", "update-initramfs",
];

/// Every finding of every case of `fires`, with where it came from.
pub(crate) fn findings() -> Vec<(&'static Case, Finding)> {
    findings_of("fires")
}

/// Every finding of every case of a kind.
fn findings_of(kind: &'static str) -> Vec<(&'static Case, Finding)> {
    let mut found = Vec::new();
    for rule in rules() {
        for case in of_kind(rule, kind) {
            let outcomes = (rule.check)(&Facts::of(&case.run));
            found.extend(outcomes.into_iter().filter_map(|outcome| match outcome {
                Outcome::Fires(finding) => Some((case, *finding)),
                _ => None,
            }));
        }
    }
    found
}

/// The same on hosts whose interfaces are kept by each of the managers: what they are told differs.
pub(crate) fn findings_of_each_keeper() -> Vec<Finding> {
    let mut found = Vec::new();
    for rule in rules().filter(|rule| rule.layer == Layer::Network) {
        for (case, by) in fires(rule).flat_map(|case| KEEPERS.map(|by| (case, by))) {
            let mut run = case.run.clone();
            let names: Vec<String> = run.host.nics.iter().map(|nic| nic.name.clone()).collect();
            let keeper = InterfaceKeeper { by: by.into(), ..InterfaceKeeper::default() };
            run.host.management.interfaces = names.into_iter().map(|name| (name, keeper.clone())).collect();
            let outcomes = (rule.check)(&Facts::of(&run));
            found.extend(outcomes.into_iter().filter_map(|outcome| match outcome {
                Outcome::Fires(finding) => Some(*finding),
                _ => None,
            }));
        }
    }
    found
}

const KEEPERS: [&str; 6] = ["networkmanager", "netplan", "networkd", "ifupdown", "wicked", "network-scripts"];

/// What is wrong with the steps that have a command, each once.
pub(crate) fn commands(wrong: impl Fn(&str) -> Option<String>) -> BTreeSet<String> {
    let mut said = BTreeSet::new();
    let plain = findings().into_iter().map(|(_, finding)| finding);
    for finding in plain.chain(findings_of_each_keeper()) {
        for run in finding.advice.steps.iter().filter_map(|step| step.run.as_deref()) {
            said.extend(wrong(run).map(|what| format!("{}: {what}: {run}", finding.code)));
        }
    }
    said
}

pub(crate) fn fail_on(wrong: &BTreeSet<String>) {
    assert!(wrong.is_empty(), "{}", wrong.iter().map(|line| format!("{line}\n")).collect::<String>());
}

/// What a step runs, what checks it and what reads it back.
#[test]
fn a_shell_reads_every_command_and_look() {
    let all = findings().into_iter().map(|(_, finding)| finding).chain(findings_of_each_keeper());
    let runs: BTreeSet<String> = all
        .flat_map(|finding| finding.advice.steps)
        .flat_map(|step| step.checks.into_iter().map(|check| check.run).chain(step.read_back).chain(step.run))
        .map(|run| run.to_string())
        .collect();
    assert!(runs.len() > 600, "only {} commands and looks", runs.len());
    fail_on(&runs.iter().filter_map(|run| Some(format!("{}: {run}", unread(run)?))).collect());
}

/// What a shell says of a command that it cannot read.
fn unread(run: &str) -> Option<String> {
    let mut shell =
        Command::new("sh").args(["-n"]).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    shell.stdin.take().unwrap().write_all(run.as_bytes()).unwrap();
    let output = shell.wait_with_output().unwrap();
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).trim().to_owned())
}

/// What is not there says nothing: a look that takes it for a yes lets a step through unguarded.
#[test]
fn no_look_succeeds_without_its_tools() {
    let all = findings().into_iter().map(|(_, finding)| finding).chain(findings_of_each_keeper());
    let looks: BTreeSet<String> = all
        .flat_map(|finding| finding.advice.steps)
        .flat_map(|step| step.checks.into_iter().map(|check| check.run).chain(step.read_back))
        .map(|run| run.to_string())
        // The shell's own test asks the kernel itself.
        .filter(|run| !run.starts_with("test ") || run.contains("$("))
        .collect();
    let succeeds = |run: &&String| {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", run]).env_clear().env("PATH", "/nonexistent").stdin(Stdio::null());
        shell.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
    };
    fail_on(&looks.iter().filter(succeeds).cloned().collect());
}

/// Steps of commands that change something, each once.
pub(crate) fn changes() -> Vec<Step> {
    let all = findings().into_iter().map(|(_, finding)| finding).chain(findings_of_each_keeper());
    let steps = all.flat_map(|finding| finding.advice.steps);
    let mut seen = BTreeSet::new();
    steps
        .filter(|step| step.phase != Phase::Undo && step.kind != StepKind::Look)
        .filter(|step| step.run.as_ref().is_some_and(|run| seen.insert(run.to_string())))
        .collect()
}

/// What a command can tell is not asked of a person.
#[test]
fn fewer_than_a_third_of_the_conditions_are_for_a_person() {
    let steps = changes();
    let asked: BTreeSet<&String> = steps.iter().flat_map(|step| &step.needs).collect();
    let checked: usize =
        steps.iter().map(|step| step.checks.len() + usize::from(step.read_back.is_some())).sum();
    let conditions: BTreeSet<&String> =
        steps.iter().flat_map(|step| &step.checks).map(|check| &check.text).collect();
    println!("{} asked: {asked:#?}, {} checked, {checked} looks", asked.len(), conditions.len());
    assert!(
        asked.len() * 2 < conditions.len(),
        "{} asked, {} checked: {asked:#?}",
        asked.len(),
        conditions.len()
    );
}

/// Changes of which no command tells afterwards that they took effect, each with the reason.
const NOT_READ_BACK: [(&str, &str); 15] = [
    ("dracut --force", "the image is new each time"),
    ("update-initramfs", "the image is new each time"),
    ("grub2-mkconfig", "what it writes was entered by hand before"),
    ("issue_lip", "the port logs in again or does not: the look after it shows it"),
    ("fsfreeze --unfreeze", "the kernel does not show whether a file system is frozen"),
    ("tcp_metrics flush", "nothing may be cached"),
    ("--maxrecoveryrate", "lvs shows it in another unit"),
    ("remount,size=", "the kernel shows it in another unit"),
    ("disablequeueing", "an older multipathd does not show it"),
    ("powermt restore", "it tests paths and sets nothing"),
    ("systemctl restart", "the unit runs before and after"),
    ("tc class change", "tc shows rates in other units"),
    ("tc qdisc change", "tc shows rates in other units"),
    ("tc qdisc del", "the kernel puts its default in its place, whatever that is"),
    ("multipath -r", "it loads maps again"),
];

#[test]
fn every_change_is_read_back() {
    let steps = changes();
    // A save writes down what there is.
    let shows = |step: &&Step| !matches!(step.kind, StepKind::Reload | StepKind::Save);
    let missing = steps.iter().filter(|step| step.read_back.is_none()).filter(shows);
    let runs = missing.filter_map(|step| step.run.as_deref());
    let unknown = runs.filter(|run| !NOT_READ_BACK.iter().any(|(part, _)| run.contains(part)));
    fail_on(&unknown.map(str::to_owned).collect());
}

#[test]
fn no_command_has_a_word_to_be_filled_in() {
    fail_on(&commands(|run| {
        // A shift is no place for a word.
        let bare = unquoted(run).replace("<<", "");
        let word = |word: &&str| {
            let letters = |c: char| c.is_ascii_uppercase() || "-_.,".contains(c);
            let placeholder = word.starts_with(|c: char| c.is_ascii_uppercase()) && word.chars().all(letters);
            placeholder && !NAMES.contains(word)
        };
        let upper = bare.split(|c: char| c.is_whitespace() || "=/".contains(c)).find(word).map(str::to_owned);
        let other = ["<", "...", "#", "`", "the interface"].into_iter().find(|part| bare.contains(part));
        upper.or(other.map(str::to_owned)).map(|what| format!("placeholder or comment {what}"))
    }));
}

/// Two findings of one run that write the same file whole: the second would undo the first.
#[test]
fn no_permanent_step_overwrites_that_of_another() {
    let mut written: BTreeSet<(String, String)> = BTreeSet::new();
    let mut wrong = BTreeSet::new();
    for (case, finding) in findings() {
        let mut own = BTreeSet::new();
        for step in finding.advice.phase(Phase::Persist) {
            let run = step.run.as_deref().unwrap_or_default().replace(">>", "");
            let files = run.split("> /etc/").skip(1).filter_map(|rest| rest.split_whitespace().next());
            own.extend(files.map(|file| (case.to_string(), file.trim_end_matches(';').to_owned())));
        }
        let again = own.iter().filter(|file| written.contains(*file));
        wrong.extend(again.map(|(case, file)| format!("{case}: /etc/{file} is written twice")));
        written.extend(own);
    }
    fail_on(&wrong);
}

#[test]
fn every_command_is_of_a_known_program() {
    fail_on(&commands(|run| {
        let unknown = programs(run).into_iter().find(|program| !PROGRAMS.contains(&program.as_str()));
        unknown.map(|program| format!("unknown program {program}"))
    }));
}

/// The first word of each simple command.
pub(crate) fn programs(run: &str) -> Vec<String> {
    let split = unquoted(run).replace("&&", "\n").replace("||", "\n").replace([';', '|'], "\n");
    let command = |line: &str| {
        let line = line.trim().trim_start_matches("do ").trim_start();
        let word = line.split_whitespace().next()?;
        (!matches!(word, "for" | "while" | "done")).then(|| word.to_owned())
    };
    split.lines().filter_map(command).collect()
}

/// Without what is in quotes: values of the host, patterns, texts of files.
fn unquoted(run: &str) -> String {
    let (mut bare, mut quote) = (String::new(), None);
    for c in run.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '\'' || c == '"' => quote = Some(c),
            None => bare.push(c),
        }
    }
    bare
}

/// `apply --undo` takes back what undoes the phases that it changed: what no undo is for stays, or loses its file and is not
/// told.
#[test]
fn each_phase_that_changes_something_has_an_undo_of_its_own() {
    let mut wrong = BTreeSet::new();
    for (case, advice) in all_advice() {
        for phase in [Phase::Now, Phase::Persist] {
            let changes = |step: &&Step| {
                step.run.as_deref().is_some_and(|run| !FORGOTTEN.iter().any(|part| run.contains(part)))
                    && !matches!(step.kind, StepKind::Look | StepKind::Save)
            };
            let is_undone = advice.phase(Phase::Undo).any(|undo| undo.undoes.contains(&phase));
            if let Some(step) = advice.phase(phase).find(changes).filter(|_| !is_undone) {
                wrong.insert(format!("{case}: {phase:?} of {}", step.run.as_deref().unwrap_or_default()));
            }
        }
    }
    fail_on(&wrong);
}

/// All advice that there is a fixture for.
pub(crate) fn all_advice() -> Vec<(String, Advice)> {
    let all = findings().into_iter().chain(findings_of("info"));
    let all = all.map(|(case, finding)| (case.to_string(), finding.advice));
    all.chain(findings_of_each_keeper().into_iter().map(|finding| (finding.code.clone(), finding.advice)))
        .collect()
}

/// One of the two may have been so before, and is then not to be taken back.
#[test]
fn a_unit_is_started_and_enabled_by_steps_of_their_own() {
    fail_on(&commands(|run| run.contains("able --now").then(|| "two changes in one".to_owned())));
}

/// What nobody takes back: it is forgotten by itself, or was left over.
const FORGOTTEN: [&str; 4] = ["multipath -f", "tcp_metrics flush", "powermt restore", "--login"];

#[test]
fn what_is_changed_now_can_be_taken_back() {
    let wrong: BTreeSet<String> = findings()
        .into_iter()
        .filter(|(_, finding)| finding.advice.phase(Phase::Undo).next().is_none())
        .filter_map(|(case, finding)| {
            let changes = |step: &&Step| {
                step.run.as_deref().is_some_and(|run| CHANGES.iter().any(|part| run.contains(part)))
            };
            let step = finding.advice.phase(Phase::Now).find(changes)?.clone();
            Some(format!("{case}: no undo of {}", step.run.as_deref().unwrap_or_default()))
        })
        .collect();
    fail_on(&wrong);
}

/// Parts of commands that change something which is forgotten by itself, or which a person takes back.
const CHANGES_TOO: [&str; 9] = [
    "multipath -f", "route change", "tcp_metrics flush", "powermt restore", "> /root", "class change",
    "qdisc change", "timesync", "zfs set",
];

/// Whoever runs only what looks must find the host as it was.
#[test]
fn what_looks_changes_nothing() {
    let wrong: BTreeSet<String> = findings()
        .into_iter()
        .flat_map(|(_, finding)| finding.advice.steps)
        .filter_map(|step| {
            let run = step.run.as_deref()?;
            let changes = CHANGES.iter().chain(&CHANGES_TOO).any(|part| run.contains(part));
            let is_look = step.kind == StepKind::Look;
            (changes == is_look && (is_look || step.phase == Phase::Now))
                .then(|| format!("{:?}: {run}", step.kind))
        })
        .collect();
    fail_on(&wrong);
}

/// A step whose undo is the same command does nothing.
#[test]
fn no_step_sets_what_is_set_already() {
    let wrong: BTreeSet<String> = findings()
        .into_iter()
        .filter_map(|(case, finding)| {
            let undo: Vec<&Step> = finding.advice.phase(Phase::Undo).collect();
            let idle = finding
                .advice
                .phase(Phase::Now)
                .find(|now| undo.iter().any(|undo| undo.run.is_some() && undo.run == now.run));
            Some(format!("{case}: {}", idle?.run.as_deref().unwrap_or_default()))
        })
        .collect();
    fail_on(&wrong);
}

#[test]
fn steps_are_in_the_order_in_which_they_are_done_and_say_what_they_do() {
    for (case, finding) in findings() {
        let steps = &finding.advice.steps;
        assert!(steps.is_sorted_by_key(|step| step.phase), "{case}: {steps:?}");
        assert!(steps.iter().all(|step| !step.text.is_empty()), "{case}: {steps:?}");
        let guarded = |step: &Step| {
            step.run.is_none()
                || step.phase == Phase::Undo
                || !step.needs.is_empty()
                || !step.checks.is_empty()
        };
        let costly = steps.iter().filter(|step| step.risk() != Risk::Online);
        assert!(
            costly.into_iter().filter(|step| step.run.is_some()).all(guarded) || steps[0].run.is_none(),
            "{case}: {steps:?}"
        );
    }
}

/// Services that carry neither data nor traffic: they come back within a second, and nobody notices.
const LIGHT: [&str; 3] = ["chronyd", "irqbalance", "systemd-logind"];

/// What tells someone to restart something says what that costs.
#[test]
fn whoever_is_told_to_restart_is_told_of_the_downtime() {
    let mut wrong = BTreeSet::new();
    let mut seen = 0;
    for (case, finding) in findings() {
        for step in &finding.advice.steps {
            let whole = format!("{} {}", step.text, step.run.as_deref().unwrap_or_default());
            // `after a restart` and `would restart` tell nobody to do it, nor does Oracle's product of that name.
            let described =
                ["a restart", "a reboot", "next reboot", "would restart", "Oracle Restart", "restart_lsn"];
            let told =
                described.iter().fold(whole.clone(), |text, part| text.replace(part, "")).to_lowercase();
            if !(told.contains("restart ")
                || told.contains("restart;")
                || told.ends_with("restart")
                || told.contains("reboot"))
            {
                continue;
            }
            seen += 1;
            if step.risk() != Risk::Downtime && !LIGHT.iter().any(|name| whole.contains(name)) {
                wrong.insert(format!("{case}: {whole}"));
            }
        }
    }
    assert!(seen > 20, "only {seen} steps say restart");
    fail_on(&wrong);
}

/// Every host on which a rule fires, made a peer as well: what is wrong there is put right there.
#[test]
fn findings_about_a_peer_are_put_right_on_the_peer() {
    const PEER: &str = "192.0.2.9:5555";
    let mut seen = BTreeSet::new();
    for rule in rules().filter(|rule| rule.layer == Layer::Network) {
        for case in fires(rule) {
            let mut run = case.run.clone();
            let (host, windows) = (Some(run.host.clone()), run.windows.clone());
            run.peers.push(Peer { target: PEER.into(), host, windows, ..Peer::default() });
            for outcome in (rule.check)(&Facts::of(&run)) {
                let Outcome::Fires(finding) = outcome else { continue };
                if finding.subject.ends_with(&format!(" at {PEER}")) {
                    seen.insert(rule.code);
                    let steps = &finding.advice.steps;
                    assert!(steps.iter().all(|step| step.on == PEER), "{case}: {steps:?}");
                }
            }
        }
    }
    assert!(seen.len() > 20, "only {seen:?} are about a peer");
}

/// ALTER SYSTEM does nothing for what the command line sets (PostgreSQL documentation, "Setting Parameters").
#[test]
fn what_a_command_line_sets_is_changed_there() {
    let steps = |source: &str| -> String {
        let run = serde_json::from_value(serde_json::json!({ "host": { "databases": [{
            "kind": "postgresql", "name": "/pg", "settings": { "fsync": "off" }, "setting_sources": { "fsync": source }
        }] } }));
        let found = fullwire_rules::assess(&run.expect("a run")).findings;
        let finding = found.iter().find(|finding| finding.code == "postgres-durability").expect("it fires");
        finding.advice.steps.iter().map(|step| step.text.as_str()).collect()
    };
    assert!(steps("/pg/postgresql.conf:3").contains("alter system set fsync"));
    let by_command = steps("/proc/7/cmdline");
    assert!(by_command.contains("change it where the server is started"), "{by_command}");
    assert!(!by_command.contains("alter system set"), "{by_command}");
}
