//! How much memory a database may have: the host's, or what a control group leaves it.

use fullwire_model::host::{Cgroup, Database, Host};

/// The database is in this group, or in one below it.
pub(crate) fn holds(group: &Cgroup, database: &Database) -> bool {
    let below = |rest: &str| rest.is_empty() || rest.starts_with('/');
    database.cgroup.strip_prefix(&group.path).is_some_and(below)
}

/// The least of the host's memory and of what the groups around the database may use, bytes; with the group that sets it.
/// All limits of the groups above hold too (Linux Documentation/admin-guide/cgroup-v2.rst, "Top-down Constraint").
pub(crate) fn room_of<'a>(host: &'a Host, database: &Database) -> Option<(u64, Option<&'a Cgroup>)> {
    let groups = host.cgroups.iter().filter(|group| holds(group, database));
    let limits = groups.filter_map(|group| Some((group.memory_limit_bytes()?, Some(group))));
    let whole = host.memory.total_bytes.map(|total| (total, None));
    whole.into_iter().chain(limits).min_by_key(|(bytes, _)| *bytes)
}
