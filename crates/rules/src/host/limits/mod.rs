//! Limits of processes and of the kernel.

rules! {
    aio_max,
    file_max,
    io_uring_disabled,
    limit_files,
    limit_memlock,
    limit_processes,
}

use crate::advice::{AdviceExt, because, raise_limit, raise_limit_of_unit};
use crate::facts;
use fullwire_model::Run;
use fullwire_model::assessment::Advice;
use fullwire_model::host::{Database, LoginLimits, Runtime};

/// Where the limits of a login are set.
const LOGIN_FILES: &str = "/etc/security/limits.conf, /etc/security/limits.d";

/// Whose limits are to be raised: as the host has it, never as such servers are usually owned.
fn owner(database: &Database) -> Option<&str> {
    database.user.as_deref().filter(|user| *user != "root")
}

/// Raises a limit where the server has it from: a container's come neither from a login nor from a unit (docker-run(1),
/// `--ulimit`; podman-run(1); of pods the container runtime's own).
fn raise(run: &Run, database: &Database, why: &str, item: &str, directive: &str, value: &str) -> Advice {
    if by_grid(run, database) {
        return of_grid(why, item, value);
    }
    let in_container = Runtime::of_group(&database.cgroup).is_some();
    if !in_container && run.host.os.systemd == Some(false) {
        return of_service(why, item, value);
    }
    if let Some(unit) = unit(database).filter(|_| !in_container) {
        return raise_limit_of_unit(why, unit, item, directive, value);
    }
    if !in_container {
        return raise_limit(why, owner(database), item, directive, value);
    }
    because(why)
        .persist(format!(
            "Raise {item} to {value} where the container is defined (`--ulimit {item}=` of docker and podman, `ulimits` of a \
             compose file; a pod has the limits of its container runtime), and start it again"
        ))
        .restarts("the database")
        .undo("Set it as it was, in the same place")
}

/// The service of systemd that the server runs in. A script of Oracle's logs in as its owner (`su - oracle`), whose limits count
/// within the service, too.
fn unit(database: &Database) -> Option<&str> {
    let path = database.cgroup.strip_prefix("/system.slice/")?;
    let unit = path.rsplit('/').find(|name| name.ends_with(".service"))?;
    (!database.kind.starts_with("oracle")).then_some(unit)
}

/// Grid Infrastructure starts the instance: not by a login, and with limits of its own.
fn by_grid(run: &Run, database: &Database) -> bool {
    database.kind.starts_with("oracle")
        && (database.clustered
            || facts::is_managed_by(&run.host, "clusterware")
            || run.host.databases.iter().any(|other| other.kind == "oracle-asm"))
}

/// What its owner's login grants an instance whose own limits were not read; `None`: no login started it.
fn at_login<'a>(run: &Run, database: &'a Database) -> Option<&'a LoginLimits> {
    (!by_grid(run, database)).then_some(&database.login_limits)
}

/// Without systemd a script starts the service, without a login (`OpenRC`, conf.d(5) and `rc.conf`: `rc_ulimit`).
fn of_service(why: &str, item: &str, value: &str) -> Advice {
    let option = match item {
        "memlock" => 'l',
        "nproc" => 'u',
        _ => 'n',
    };
    because(why)
        .persist(format!(
            "Set {item} to {value} where this host's service manager starts the database (OpenRC: rc_ulimit=\"-{option} {value}\" in the service's file in /etc/conf.d); /etc/security/limits.d counts for logins alone"
        ))
        .persist("Restart the database by its service")
        .restarts("the database")
        .undo("The line as it was, and the service restarted")
        .restarts("the database")
}

/// ohasd hands on what its own file says (`CRS_LIMIT_*` in `crs/install/s_crsconfig_HOST_env.txt` of the Grid home); limits.conf
/// counts for whoever starts an instance by sqlplus.
fn of_grid(why: &str, item: &str, value: &str) -> Advice {
    because(why)
        .persist(format!(
            "Grid Infrastructure starts the instance with the limits of ohasd, not of a login: raise {item} to {value} \
             in the CRS_LIMIT_ lines of GRID_HOME/crs/install/s_crsconfig_HOST_env.txt on each node, then restart the stack, one \
             node after the other"
        ))
        .restarts("the stack of the cluster")
        .undo("The lines as they were, and the stack restarted")
        .restarts("the stack of the cluster")
}
