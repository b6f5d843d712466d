//! Limits of processes and of the kernel.

rules! {
    aio_max,
    file_max,
    io_uring_disabled,
    limit_files,
    limit_memlock,
    limit_processes,
}

use crate::advice::{AdviceExt, because, raise_limit};
use crate::facts;
use fullwire_model::Run;
use fullwire_model::assessment::{Advice, Severity};
use fullwire_model::host::Database;

/// Where the limits of a login are set.
const LOGIN_FILES: &str = "/etc/security/limits.conf, /etc/security/limits.d";

/// Whose limits are to be raised: as the host has it, never as such servers are usually owned.
fn owner(database: &Database) -> Option<&str> {
    database.user.as_deref().filter(|user| *user != "root")
}

/// Raises a limit where the server has it from: a container's come neither from a login nor from a unit (docker-run(1),
/// `--ulimit`; podman-run(1); of pods the container runtime's own).
fn raise(database: &Database, why: &str, item: &str, directive: &str, value: &str) -> Advice {
    if facts::runtime_of(&database.cgroup).is_none() {
        return raise_limit(why, owner(database), item, directive, value);
    }
    because(why)
        .persist(format!(
            "Raise {item} to {value} where the container is defined (`--ulimit {item}=` of docker and podman, `ulimits` of a \
             compose file; a pod has the limits of its container runtime), and start it anew"
        ))
        .restarts("the database")
        .undo("Set it as it was, in the same place")
}

/// How bad a low limit of a login is: Grid Infrastructure starts instances without one, with its own limits.
fn at_login(run: &Run, database: &Database) -> Severity {
    let by_grid = database.clustered || run.host.databases.iter().any(|other| other.kind == "oracle-asm");
    if by_grid { Severity::Info } else { Severity::Warning }
}
