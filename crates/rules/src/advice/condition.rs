//! What must be true before a step and a command can tell: the command, and what it tells.

/// A command that succeeds if it is so, and what is so.
pub(crate) type Condition = (&'static str, &'static str);

/// A link that is lost for seconds is longer than what a cluster waits (`misscount`, `token`).
pub(crate) const NO_CLUSTER: Condition = (
    "! pgrep -x 'ocssd.bin|cssdagent|corosync|pacemakerd'",
    "no cluster manager runs here that may evict the host meanwhile",
);

/// Clusters mount file systems where they run their services.
pub(crate) const NO_CLUSTER_MOUNTS: Condition =
    (NO_CLUSTER.0, "no cluster manager runs here, which may mount it on another host");

/// By the names of the servers' processes.
pub(crate) const DATABASE_STOPPED: Condition =
    ("! pgrep -x 'ora_pmon_.*|postgres|mysqld|mariadbd'", "the database is stopped");

/// `umount` succeeds even under Direct NFS.
pub(crate) const NO_ORACLE: Condition =
    ("! pgrep -x 'ora_pmon_.*'", "no Oracle instance runs, which may use it by Direct NFS");

/// What multipathd says of each path (multipathd(8), `%T`).
pub(crate) const PATHS_READY: Condition = (
    "! multipathd show paths raw format %T | grep -qv ready",
    "no path is failing at the moment: `multipathd show paths` lists all as active ready",
);

/// chrony's or systemd's word for it.
pub(crate) const CLOCK_FOLLOWED: Condition = (
    "chronyc -n tracking | grep -q '^Leap status.*Normal' || timedatectl show -p NTPSynchronized | grep -q yes",
    "the daemon follows a source (`chronyc tracking`, `timedatectl`)",
);
