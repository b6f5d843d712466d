//! What must be true before a step and a command can tell: the command, and what it tells. A command that is not there, or that
//! fails, must never look like a yes: `! TOOL` is one, so that what is absent is asked for by the status 1 of pgrep(1),
//! fuser(1), findmnt(8) and grep(1), which is theirs for "none", or by lines of which there is one at least.

use super::sh;
use fullwire_model::assessment::ShellCommand;

/// A command that succeeds if it is so, and what is so.
pub(crate) type Condition = (&'static str, &'static str);

/// A link that is lost for seconds is longer than what a cluster waits (`misscount`, `token`), and than three times the
/// second of VRRP (keepalived.conf(5), `advert_int`).
pub(crate) const NO_CLUSTER: Condition = (
    "pgrep -x 'ocssd.bin|cssdagent|corosync|pacemakerd|sbd|had|keepalived' > /dev/null; test $? = 1",
    "no cluster manager runs here that may evict the host, or move its services, meanwhile",
);

/// Clusters mount file systems where they run their services.
pub(crate) const NO_CLUSTER_MOUNTS: Condition = (
    "pgrep -x 'ocssd.bin|cssdagent|corosync|pacemakerd|had' > /dev/null; test $? = 1",
    "no cluster manager runs here, which may mount it on another host",
);

/// dracut writes over the image that is there (dracut.sh copies it), and on a full file system leaves none.
pub(crate) const ROOM_IN_BOOT: Condition = (
    "test \"$(df -k --output=avail /boot | tail -n 1)\" -gt \"$(du -k /boot/init* | sort -n | tail -n 1 | cut -f 1)\"",
    "/boot has room for one more initramfs as large as the largest one there",
);

/// By the names of the servers' processes: whatever `observe` takes for one. PGDG's units start PostgreSQL as `postmaster`, EDB's
/// as `edb-postmaster`.
pub(crate) const DATABASE_STOPPED: Condition = (
    "pgrep -x '(ora|mdb|db|xe)_pmon_.*|(edb-)?(postgres|postmaster)|postgresql|mysqld|mariadbd|db2sysc' > /dev/null; test $? = 1",
    "the database is stopped",
);

/// `umount` succeeds even under Direct NFS.
pub(crate) const NO_ORACLE: Condition = (
    "pgrep -x '(ora|mdb|db|xe)_pmon_.*' > /dev/null; test $? = 1",
    "no Oracle instance runs, which may use it by Direct NFS",
);

/// What multipathd says of each path (multipathd(8), `%T`).
pub(crate) const PATHS_READY: Condition = (
    "multipathd show paths raw format %T | awk '$1 != \"ready\" { bad = 1 } END { exit bad || !NR }'",
    "no path is failing at the moment: `multipathd show paths` lists all as active ready",
);

/// chronyd asks its servers and sets nothing (chronyd(8), `-Q`): `System clock wrong by -0.000134 seconds (ignored)`.
pub(crate) const CLOCK_NEARLY_RIGHT: Condition = (
    "timeout 20 chronyd -Q 2>&1 | grep -qE 'wrong by -?0[.][0-9]+ seconds'",
    "the clock is wrong by less than a second, which chrony corrects without a step (else start it while the database is stopped)",
);

/// chrony's or systemd's word for it.
pub(crate) const CLOCK_FOLLOWED: Condition = (
    "chronyc -n tracking | grep -q '^Leap status.*Normal' || timedatectl show -p NTPSynchronized | grep -q yes",
    "the daemon follows a source (`chronyc tracking`, `timedatectl`)",
);

// What a condition compares with awk goes by its environment: of a value after `-v`, awk reads backslashes (POSIX, awk,
// "Operands"). `""` after it makes a comparison one of texts, else two long names of digits are the same number.

/// Each line of a command fits the pattern of awk, and there is one.
pub(crate) fn every_line(lines: &ShellCommand, pattern: &str) -> ShellCommand {
    sh!(
        "{} | pattern={} awk '$0 !~ ENVIRON[\"pattern\"] {{ bad = 1 }} END {{ exit bad || !NR }}'",
        lines,
        pattern
    )
}

/// No line of a command fits the pattern of awk, and there is one.
pub(crate) fn no_line(lines: &ShellCommand, pattern: &str) -> ShellCommand {
    sh!(
        "{} | pattern={} awk '$0 ~ ENVIRON[\"pattern\"] {{ bad = 1 }} END {{ exit bad || !NR }}'",
        lines,
        pattern
    )
}

/// No line of a command begins with this word, and there is one.
pub(crate) fn no_first_word(lines: &ShellCommand, word: &str) -> ShellCommand {
    sh!(
        "{} | word={} awk '$1 == ENVIRON[\"word\"] \"\" {{ bad = 1 }} END {{ exit bad || !NR }}'",
        lines,
        word
    )
}

#[cfg(test)]
mod tests {
    use super::super::multipath::two_paths_ready;
    use super::*;

    /// Under each name that a server goes by, and under none of what is only called after one.
    #[test]
    fn a_server_is_stopped_under_all_its_names() {
        let finds = |(command, _): Condition, name: &str| {
            let pattern = command.split('\'').nth(1).expect("a pattern");
            let look = sh!("printf '%s\\n' {} | grep -qxE {}", name, pattern);
            std::process::Command::new("sh").args(["-c", &look]).status().expect("sh").success()
        };
        for name in ["ora_pmon_SHOP1", "db_pmon_FREE", "xe_pmon_XE", "mdb_pmon_-MGMTD"] {
            assert!(finds(DATABASE_STOPPED, name) && finds(NO_ORACLE, name), "{name}");
        }
        for name in ["postgres", "postmaster", "edb-postmaster", "mysqld", "mariadbd", "db2sysc"] {
            assert!(finds(DATABASE_STOPPED, name) && !finds(NO_ORACLE, name), "{name}");
        }
        for name in ["postgres_export", "mysqld_exporter", "asm_pmon_+ASM1", "db2fmcd"] {
            assert!(!finds(DATABASE_STOPPED, name), "{name}");
        }
    }

    /// By a real shell and awk: a name is what it is, whatever awk's own strings make of it.
    #[test]
    fn names_are_compared_as_they_are() {
        let holds = |command: &ShellCommand| {
            std::process::Command::new("sh").args(["-c", command]).status().expect("sh").success()
        };
        // The second of each is what the first would be after escapes, as a number, or as a pattern.
        let (long, longer) = ("3600000000000000000000000000000001", "3600000000000000000000000000000002");
        for (name, other) in [
            (r"a\nb", "a"),
            (r"a\\b", r"a\b"),
            ("a&b", "a"),
            (r"\x41", "A"),
            (long, longer),
            ("1e3", "1000"),
            ("0x10", "16"),
        ] {
            let shown = |name: &str| sh!("printf '%s 1\\n' {}", name);
            assert!(!holds(&no_first_word(&shown(name), name)), "{name}");
            assert!(holds(&no_first_word(&shown(other), name)), "{name} is not {other}");
            let ready = two_paths_ready(name).replace(
                "multipathd show paths raw format '%m %T'",
                &format!("printf '%s ready\\n' '{name}' '{name}' '{other}'"),
            );
            let mixed = ready.replacen(&format!("'{name}' '{name}'"), &format!("'{name}'"), 1);
            let run = |text: &str| std::process::Command::new("sh").args(["-c", text]).status().expect("sh");
            assert!(run(&ready).success(), "{ready}");
            assert!(!run(&mixed).success(), "{mixed}");
        }
        // A backslash of a pattern is the pattern's.
        let lines = sh!("printf '%s\\n' 'a.b'");
        assert!(holds(&every_line(&lines, r"^a\.b$")) && holds(&no_line(&lines, r"^a\\b$")));
    }
}
