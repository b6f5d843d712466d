//! `fullwire apply` in namespaces of its own for network and mounts: settings, files and the journal are real.

mod boot;
mod over_ssh;

use crate::skips::{given, installed, is_root};
use crate::tool::{Desk, PROGRAM, stderr, stdout};
use std::process::{Output, Stdio};

/// Two settings of a network namespace that rules want otherwise, and a file that was there before.
const BEFORE: &str = "
mount -t tmpfs none /etc/sysctl.d
mount -t tmpfs none /run
printf '# mine\\nnet.ipv4.tcp_sack = 0\\n' > /etc/sysctl.d/99-z-fullwire.conf
cp -a /etc/sysctl.d before
ip link set lo up
sysctl -qw net.ipv4.tcp_sack=0 net.ipv4.tcp_window_scaling=0
fullwire check --window 0s > /dev/null 2>&1 || true
meant='--finding tcp-sack --finding tcp-window-scaling'
state() { sysctl -n net.ipv4.tcp_sack net.ipv4.tcp_window_scaling | tr '\\n' ' '; }
as_before() { [ \"$(state)\" = '0 0 ' ] && diff -r before /etc/sysctl.d && [ \"$(stat -c '%a %u' before/*)\" = \"$(stat -c '%a %u' /etc/sysctl.d/*)\" ]; }
";

/// What a script does there; `None`: it cannot be done on this machine.
fn inside(desk: &Desk, script: &str) -> Option<Output> {
    if !is_root() || !installed("unshare") {
        return None;
    }
    std::os::unix::fs::symlink(PROGRAM, desk.work.path().join("fullwire")).unwrap();
    let path = format!("{}:/usr/sbin:/usr/bin:/sbin:/bin", desk.work.path().display());
    let output = desk
        .program("unshare")
        .args(["-n", "-m", "sh", "-eu", "-c", &format!("{BEFORE}\n{script}")])
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Some(output)
}

fn done(output: &Output) -> String {
    let said = format!("{}{}", stdout(output), stderr(output));
    assert!(output.status.success(), "{said}");
    said
}

#[test]
fn settings_are_applied_read_back_kept_and_taken_back_byte_for_byte() {
    let desk = Desk::new();
    let output = given!(inside(
        &desk,
        "
fullwire apply last $meant && exit 10 || [ $? = 1 ]
as_before
fullwire apply last $meant --yes
[ \"$(state)\" = '1 1 ' ]
grep -qx 'net.ipv4.tcp_sack = 1' /etc/sysctl.d/99-z-fullwire.conf
grep -qx 'net.ipv4.tcp_window_scaling = 1' /etc/sysctl.d/99-z-fullwire.conf
sha256sum /etc/sysctl.d/* > applied
fullwire apply last $meant --yes
sha256sum -c applied
fullwire clean
fullwire apply --undo --yes
as_before
fullwire apply --undo --yes
[ -z \"$(ls $XDG_STATE_HOME/fullwire/journal)\" ]
"
    ));
    let said = done(&output);
    assert!(said.contains("nothing was changed: without a terminal"), "{said}");
    assert!(said.contains("it does not fire any more"), "a second run changes nothing: {said}");
    assert!(said.contains("nothing was left behind"), "what is to stay is no leftover: {said}");
    assert!(said.contains("taken back      tcp-sack: net.ipv4.tcp_sack"), "{said}");
    assert!(said.contains("the journal holds nothing to take back"), "{said}");
}

#[test]
fn one_finding_is_taken_back_without_the_other() {
    let desk = Desk::new();
    let output = given!(inside(
        &desk,
        "
fullwire apply last $meant --yes
fullwire apply --undo --yes --finding tcp-sack
[ \"$(state)\" = '0 1 ' ]
grep -qx 'net.ipv4.tcp_window_scaling = 1' /etc/sysctl.d/99-z-fullwire.conf
"
    ));
    // The other finding has written to the file since: its line stays.
    assert!(done(&output).contains("changed by someone else since"));
}

/// Nobody hears what is told any more: what is being done is done to its end.
#[test]
fn a_terminal_that_is_gone_ends_nothing() {
    let desk = Desk::new();
    let output = given!(inside(
        &desk,
        "
fullwire apply last $meant --yes 2> /dev/full
[ \"$(state)\" = '1 1 ' ]
fullwire apply --undo --yes 2> /dev/full
as_before
"
    ));
    done(&output);
}

/// Two runs write to the same file: the first is taken back alone, and then the second.
#[test]
fn what_two_runs_wrote_is_taken_back_in_any_order() {
    let desk = Desk::new();
    let output = given!(inside(
        &desk,
        "
fullwire apply last --finding tcp-sack --yes
fullwire check --window 0s > /dev/null 2>&1 || true
fullwire apply last --finding tcp-window-scaling --yes
fullwire apply --undo --yes --finding tcp-sack
fullwire apply --undo --yes
as_before
[ -z \"$(ls $XDG_STATE_HOME/fullwire/journal)\" ]
"
    ));
    done(&output);
}

/// What a person has decided since is that person's, in the file and in the kernel.
#[test]
fn what_someone_set_since_stays_as_it_is() {
    let desk = Desk::new();
    let output = given!(inside(
        &desk,
        "
fullwire apply last $meant --yes
sed -i 's/^net.ipv4.tcp_sack.*/# decided since\\nnet.ipv4.tcp_sack = 2/' /etc/sysctl.d/99-z-fullwire.conf
sysctl -qw net.ipv4.tcp_sack=2
fullwire apply --undo --yes
[ \"$(state)\" = '2 0 ' ]
[ \"$(cat /etc/sysctl.d/99-z-fullwire.conf)\" = \"$(printf '# mine\\n# decided since\\nnet.ipv4.tcp_sack = 2')\" ]
[ -z \"$(ls $XDG_STATE_HOME/fullwire/journal)\" ]
"
    ));
    let said = done(&output);
    assert!(
        said.contains("changed by someone else since, and left as it is: `sysctl -w net.ipv4.tcp_sack=0`"),
        "{said}"
    );
    assert!(said.contains("it lacks what stood there before: net.ipv4.tcp_sack = 0"), "{said}");
}

/// Taking back is killed as it writes the file, and the disk is full as it does: the file is whole, and the next attempt
/// puts it back. What someone else wrote meanwhile stays.
#[test]
fn a_take_back_that_is_interrupted_empties_no_file_and_is_made_again() {
    if !installed("strace") {
        return;
    }
    let desk = Desk::new();
    let output = given!(inside(
        &desk,
        "
file=/etc/sysctl.d/99-z-fullwire.conf
for fault in signal=KILL error=ENOSPC; do
    fullwire apply last $meant --yes
    strace -f -qq -o trace -P /etc/sysctl.d/.put-back.fullwire -e trace=write -e inject=write:$fault:when=1 fullwire apply --undo --yes && exit 12
    grep -q 'net.ipv4.tcp_sack' $file && grep -qx '# mine' $file
    if [ $fault = signal=KILL ]; then
        fullwire clean > said 2>&1 && exit 13
        grep -q 'an interrupted apply left' said
    fi
    fullwire apply --undo --yes
    as_before
done
fullwire apply last $meant --yes
strace -f -qq -o trace -P /etc/sysctl.d/.put-back.fullwire -e trace=write -e inject=write:signal=KILL:when=1 fullwire apply --undo --yes && exit 14
echo 'kernel.shmmax = 1' >> $file
fullwire apply --undo --yes
grep -qx 'kernel.shmmax = 1' $file
! grep -q 'tcp_sack = 1' $file
"
    ));
    assert!(done(&output).contains("the rest is left as it is"));
}

/// A command that goes on after its fullwire was killed keeps everyone else from changing the host until it has ended.
#[test]
fn a_command_that_outlives_a_kill_keeps_the_lock() {
    let desk = Desk::new();
    let output = given!(inside(
        &desk,
        "
real=$(readlink -f \"$(command -v sysctl)\")
cp $real real-sysctl
cat > slow <<'END'
#!/bin/sh
[ \"$1\" = -w ] && { touch HERE/begun; while [ ! -e HERE/go-on ]; do sleep 0.1; done; }
exec HERE/real-sysctl \"$@\"
END
sed -i \"s|HERE|$PWD|g\" slow
chmod +x slow
mount --bind slow $real
fullwire apply last --finding tcp-sack --yes > said 2>&1 &
killed=$!
while [ ! -e begun ]; do sleep 0.1; done
kill -9 $killed
for command in 'clean --undo' 'apply --undo --yes' 'apply last --finding tcp-sack --yes'; do
    HOME=/ XDG_STATE_HOME=$PWD/another fullwire $command > said 2>&1 && exit 15
    grep -q 'is changing this host' said
    fullwire $command > said 2>&1 && exit 16
    grep -q 'is changing this host' said
done
# Nor does a watchdog whose fullwire is gone take anything back meanwhile.
step='{\"of\":\"\",\"text\":\"\",\"run\":[],\"writes\":[],\"before\":[],\"after\":null,\"begun\":\"2026-11-27T00:00:00Z\",\"progress\":\"Begun\",\"kept\":false'
echo \"{\\\"steps\\\":[[1,$step,\\\"undo\\\":[{\\\"text\\\":\\\"\\\",\\\"run\\\":\\\"touch $PWD/back\\\",\\\"is_back\\\":null}]}]]}\" | fullwire watchdog > told 2> said &
watchdog=$!
sleep 1
[ ! -e back ]
touch go-on
wait $watchdog || [ -e back ]
while [ \"$(state)\" != '1 0 ' ]; do sleep 0.1; done
sleep 0.5
fullwire clean --undo
as_before
"
    ));
    done(&output);
}

/// Killed as it writes the journal, at each of several lines: it has told of whatever is in effect, and that is taken back.
#[test]
fn a_kill_at_a_write_of_the_journal_leaves_the_truth() {
    if !installed("strace") {
        return;
    }
    let desk = Desk::new();
    let output = given!(inside(
        &desk,
        "
for at in 1 3 4 7; do
    strace -qq -o /dev/null -e trace=fdatasync -e inject=fdatasync:signal=KILL:when=$at fullwire apply last $meant --yes > said 2>&1 && exit 11
    cat $XDG_STATE_HOME/fullwire/journal/*.journal > journal
    for key in tcp_sack tcp_window_scaling; do
        [ \"$(sysctl -n net.ipv4.$key)\" = 0 ] || grep -q \"begun.*sysctl -w net.ipv4.$key=1\" journal
    done
    echo \"killed at $at: $(wc -l < journal) lines, $(state)\"
    fullwire apply last $meant --yes > said 2>&1 || grep -q 'may still be in effect' said
    fullwire clean --undo
    fullwire apply --undo --yes
    as_before
done
"
    ));
    let said = done(&output);
    assert!(said.contains("killed at 7"), "{said}");
}

#[test]
fn another_machine_is_refused() {
    let desk = Desk::new();
    let output = given!(inside(
        &desk,
        "
echo 0123456789abcdef0123456789abcdef > other
mount --bind other /etc/machine-id
fullwire apply last $meant --yes && exit 12
as_before
"
    ));
    let said = done(&output);
    assert!(said.contains("of another machine"), "{said}");
}

/// Whoever can write the store chooses no command: the rules are run anew, and figures that were not measured here by this
/// user do not count.
#[test]
fn a_store_of_others_only_says_which_findings_are_meant() {
    let desk = Desk::new();
    let output = given!(inside(
        &desk,
        "
mkdir shared && chmod 0777 shared
cp $XDG_STATE_HOME/fullwire/runs.db shared/
fullwire apply last $meant --store shared/runs.db --dry-run
"
    ));
    let said = done(&output);
    assert!(
        said.contains("what was measured does not count") && said.contains("sysctl -w net.ipv4.tcp_sack=1"),
        "{said}"
    );
}

/// The process that takes a change back when nobody says that the host can still be reached.
#[test]
fn the_watchdog_takes_back_what_nobody_confirms() {
    use std::io::{BufRead as _, BufReader, Write as _};
    for (word, stays) in [("", false), ("stays\n", true)] {
        let desk = Desk::new();
        let (changed, journal) = (desk.work.path().join("changed"), desk.work.path().join("journal"));
        std::fs::write(&changed, "").unwrap();
        let order = serde_json::json!({ "steps": [[7, {
            "of": "a finding", "text": "a step", "run": [], "writes": [], "before": [], "after": null,
            "begun": "2026-11-27T00:00:00Z", "progress": "Begun", "kept": false,
            "undo": [{ "text": "", "run": format!("rm {}", changed.display()), "is_back": null }] }]] });
        let mut watchdog = desk
            .command()
            .arg("watchdog")
            .stdin(Stdio::piped())
            .stdout(std::fs::File::create(&journal).unwrap())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = watchdog.stdin.take().unwrap();
        writeln!(stdin, "{order}").unwrap();
        let mut ready = String::new();
        BufReader::new(watchdog.stderr.take().unwrap()).read_line(&mut ready).unwrap();
        assert_eq!(ready, "ready\n");
        assert!(changed.exists());
        // Whoever started it goes, with the word or without it.
        stdin.write_all(word.as_bytes()).unwrap();
        drop(stdin);
        assert_eq!(watchdog.wait().unwrap().code(), Some(i32::from(!stays)));
        assert_eq!(changed.exists(), stays);
        let told = std::fs::read_to_string(&journal).unwrap();
        assert_eq!(told.contains(r#""event":"undone","step":7"#), !stays, "{told}");
    }
}
