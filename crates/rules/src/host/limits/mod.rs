//! Limits of processes and of the kernel.

rules! {
    aio_max,
    file_max,
    io_uring_disabled,
    limit_files,
    limit_memlock,
    limit_processes,
}

use fullwire_model::Run;
use fullwire_model::assessment::Severity;
use fullwire_model::host::Database;

/// Where the limits of a login are set.
const LOGIN_FILES: &str = "/etc/security/limits.conf, /etc/security/limits.d";

/// Whose limits are to be raised: as the host has it, never as such servers are usually owned.
fn owner(database: &Database) -> Option<&str> {
    database.user.as_deref().filter(|user| *user != "root")
}

/// How bad a low limit of a login is: Grid Infrastructure starts instances without one, with its own limits.
fn at_login(run: &Run, database: &Database) -> Severity {
    let by_grid = database.clustered || run.host.databases.iter().any(|other| other.kind == "oracle-asm");
    if by_grid { Severity::Info } else { Severity::Warning }
}
