//! What must be true before a step and a command can tell: the command, and what it tells. A command that is not there, or that
//! fails, must never look like a yes: `! TOOL` is one, so that what is absent is asked for by the status 1 of pgrep(1),
//! fuser(1), findmnt(8) and grep(1), which is theirs for "none", or by lines of which there is one at least.

use super::sh;
use fullwire_model::assessment::ShellCommand;

/// A command that succeeds if it is so, and what is so.
pub(crate) type Condition = (&'static str, &'static str);

/// A link that is lost for seconds is longer than what a cluster waits (`misscount`, `token`).
pub(crate) const NO_CLUSTER: Condition = (
    "pgrep -x 'ocssd.bin|cssdagent|corosync|pacemakerd' > /dev/null; test $? = 1",
    "no cluster manager runs here that may evict the host meanwhile",
);

/// Clusters mount file systems where they run their services.
pub(crate) const NO_CLUSTER_MOUNTS: Condition =
    (NO_CLUSTER.0, "no cluster manager runs here, which may mount it on another host");

/// dracut writes over the image that is there (dracut.sh copies it), and on a full file system leaves none.
pub(crate) const ROOM_IN_BOOT: Condition = (
    "test \"$(df -k --output=avail /boot | tail -n 1)\" -gt \"$(du -k /boot/init* | sort -n | tail -n 1 | cut -f 1)\"",
    "/boot has room for one more initramfs as large as the largest one there",
);

/// By the names of the servers' processes.
pub(crate) const DATABASE_STOPPED: Condition =
    ("pgrep -x 'ora_pmon_.*|postgres|mysqld|mariadbd' > /dev/null; test $? = 1", "the database is stopped");

/// `umount` succeeds even under Direct NFS.
pub(crate) const NO_ORACLE: Condition = (
    "pgrep -x 'ora_pmon_.*' > /dev/null; test $? = 1",
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

/// Each line of a command fits the pattern of awk, and there is one.
pub(crate) fn every_line(lines: &ShellCommand, pattern: &str) -> ShellCommand {
    sh!("{} | awk -v pattern={} '$0 !~ pattern {{ bad = 1 }} END {{ exit bad || !NR }}'", lines, pattern)
}

/// No line of a command fits the pattern of awk, and there is one.
pub(crate) fn no_line(lines: &ShellCommand, pattern: &str) -> ShellCommand {
    sh!("{} | awk -v pattern={} '$0 ~ pattern {{ bad = 1 }} END {{ exit bad || !NR }}'", lines, pattern)
}
