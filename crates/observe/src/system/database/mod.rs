//! Databases, recognised by their processes, with those of their settings that affect I/O.
//!
//! Settings are taken by name from short lists: what is not on a list, a password least of all, never enters.

mod config;
mod files;
mod inside;
mod log;
pub(crate) mod mysql;
pub(crate) mod oracle;
pub(crate) mod postgresql;
mod version;

use files::Files;

use super::cgroup;
use super::login_limits;
use super::process;
use super::process_stat::ProcessStat;
use crate::Root;
use crate::kept::postgresql::is_postmaster;
use fullwire_model::host::{Database, Host, LoginLimits};
use fullwire_model::{Gap, GapReason};
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// More servers of one user are not looked at: anyone may call programs so, and theirs hide no other user's.
const MOST_OF_ONE: usize = 64;

/// What recognising needs: the tree and all of its processes.
struct Scene<'a> {
    root: &'a Root,
    processes: &'a [ProcessStat],
    names: BTreeMap<u32, &'a str>,
    /// Parents and titles of what `PostgreSQL` servers run in the background, once for all servers.
    titles: OnceCell<Vec<(u32, String)>>,
}

impl Scene<'_> {
    fn arguments(&self, process: &ProcessStat) -> Vec<String> {
        process::arguments(self.root, process)
    }

    /// The command name of a process's parent.
    fn parent_name(&self, process: &ProcessStat) -> &str {
        self.names.get(&process.parent_pid).copied().unwrap_or("")
    }
}

/// Beginnings of what Oracle's background processes call themselves.
const TITLES: [&str; 4] = ["ora_", "asm_", "mdb_", "db_"];

/// The processes under the names that they show in `ps`: older Oracle releases set only the first argument, and
/// the kernel's name stays that of the program.
fn titled(root: &Root, processes: &[ProcessStat]) -> Vec<ProcessStat> {
    let own_name = |process: &ProcessStat| {
        if process.rss_bytes == 0 || TITLES.iter().any(|start| process.name.starts_with(start)) {
            return None; // a kernel thread, or one whose name tells
        }
        let title = process::arguments(root, process).into_iter().next()?;
        TITLES.iter().any(|start| title.starts_with(start)).then_some(title)
    };
    let renamed = |process: &ProcessStat| {
        let name = own_name(process).unwrap_or_else(|| process.name.clone());
        ProcessStat { name, ..process.clone() }
    };
    processes.iter().map(renamed).collect()
}

pub(super) fn read(root: &Root, processes: &[ProcessStat], host: &mut Host) {
    let processes = &titled(root, processes);
    let names = processes.iter().map(|process| (process.pid, process.name.as_str())).collect();
    let scene = Scene { root, processes, names, titles: OnceCell::new() };
    let (mut databases, mut of_host) = (Vec::new(), Vec::new());
    let mut of_users: BTreeMap<Option<u32>, usize> = BTreeMap::new();
    for process in processes.iter().filter(|process| is_candidate(&process.name)) {
        let of_user = of_users.entry(process::uid(root, process)).or_default();
        if *of_user == MOST_OF_ONE {
            let detail = format!(
                "its user runs more than {MOST_OF_ONE} database servers: the others were not looked at"
            );
            host.gaps.push(Gap::new(format!("process {}", process.pid), GapReason::Skipped, detail));
        }
        if *of_user >= MOST_OF_ONE {
            *of_user += 1;
            continue;
        }
        let files = Files::of(root, process);
        let found = oracle::recognise(&scene, process, &files)
            .or_else(|| postgresql::recognise(&scene, process, &files))
            .or_else(|| mysql::recognise(&scene, process, &files))
            .or_else(|| sql_server(&scene, process, &files));
        let elsewhere = files.are_elsewhere();
        let found = found.map(|mut database| {
            // Oracle's other files say where it is and not how it is set.
            database.settings_partial = !database.kind.starts_with("oracle") && files.were_refused();
            version::complete(root, &files, process.pid, &mut database);
            database
        });
        let told = files.into_gaps();
        // What is only told counts too: each takes time and a place in what is told.
        *of_user += usize::from(found.is_some() || !told.is_empty());
        host.gaps.extend(told);
        if let Some(mut database) = found {
            complete(root, process, &mut database, host);
            if elsewhere {
                inside::complete(root, process.pid, &mut database, &mut host.gaps);
                database.login_limits = LoginLimits::default();
            } else {
                of_host.push(databases.len());
            }
            databases.push(database);
        }
    }
    let of_host = of_host.into_iter().filter_map(|place| databases.get(place)).collect::<Vec<_>>();
    host.database_log = log::read(root, &of_host, &mut host.gaps);
    host.databases = databases;
}

/// A name that one of the databases' processes has.
fn is_candidate(name: &str) -> bool {
    oracle::instance(name).is_some()
        || is_postmaster(name)
        || ["mysqld", "mariadbd", SQL_SERVER].contains(&name)
}

/// The lines of a file that are kept, each at its own number.
fn kept_lines(text: &str, kept: impl Fn(&str) -> Option<String>) -> String {
    text.lines().map(|line| kept(line).unwrap_or_default() + "\n").collect()
}

/// What every database has: owner, limits, control group, shared memory.
fn complete(root: &Root, process: &ProcessStat, database: &mut Database, host: &mut Host) {
    database.pid = process.pid;
    database.uid = process::uid(root, process);
    match process::limits(root, process.pid) {
        Ok(limits) => database.limits = Some(limits),
        Err(gap) => host.gaps.push(gap),
    }
    database.user = database.uid.and_then(|uid| login_limits::user_name(root, uid));
    if let Some(user) = database.user.as_deref().filter(|_| database.kind.starts_with("oracle")) {
        database.login_limits = login_limits::read(root, user);
    }
    database.cgroup = cgroup::path_of(root, &process.pid.to_string()).unwrap_or_default();
    let maps = format!("/proc/{}/maps", process.pid);
    match root.try_read(&maps, 1 << 20) {
        Ok((text, _)) => database.shared_memory_bytes = Some(shared_bytes(&text)),
        Err(error) => host.gaps.push(crate::root::gap_of(&maps, &error)),
    }
}

/// Shared memory in a list of mappings: System V segments, POSIX and anonymous shared memory, huge or not.
fn shared_bytes(maps: &str) -> u64 {
    let mut sum = 0_u64;
    for line in maps.lines() {
        let mut words = line.split_ascii_whitespace();
        let (Some(range), Some(mode), Some(name)) = (words.next(), words.next(), words.nth(3)) else {
            continue;
        };
        let memory = ["/SYSV", "/dev/zero", "/dev/shm/", "/anon_hugepage", "/memfd:"];
        if !mode.ends_with('s') || !memory.iter().any(|prefix| name.starts_with(prefix)) {
            continue;
        }
        let ends = range
            .split_once('-')
            .map(|(from, to)| (u64::from_str_radix(from, 16), u64::from_str_radix(to, 16)));
        if let Some((Ok(from), Ok(to))) = ends {
            sum = sum.saturating_add(to.saturating_sub(from));
        }
    }
    sum
}

/// The value of `--name=value`, `--name value` or `-X value`.
fn option<'a>(arguments: &'a [String], names: &[&str]) -> Option<&'a str> {
    arguments.iter().enumerate().find_map(|(index, argument)| {
        names.iter().find_map(|name| match argument.strip_prefix(name)? {
            "" => arguments.get(index + 1).map(String::as_str),
            rest => rest.strip_prefix('='),
        })
    })
}

const SQL_SERVER: &str = "sqlservr";

/// Settings of SQL Server that affect memory and I/O.
const SQL_SERVER_SETTINGS: [&str; 5] =
    ["memorylimitmb", "defaultdatadir", "defaultlogdir", "alternatewritethrough", "writethrough"];

/// Microsoft SQL Server: two processes, the first starts the second.
fn sql_server(scene: &Scene, process: &ProcessStat, files: &Files) -> Option<Database> {
    let is_first = process.name == SQL_SERVER && scene.parent_name(process) != SQL_SERVER;
    if !is_first || !files.are_a_servers(Some("/var/opt/mssql")) {
        return None;
    }
    let mut database = Database { kind: "mssql".to_owned(), name: "mssql".to_owned(), ..Database::default() };
    let ini = config::Ini { files, section: &|_| true, wanted: &|name| SQL_SERVER_SETTINGS.contains(&name) };
    ini.read(config::Start::AtItsPlace("/var/opt/mssql/mssql.conf"), &mut |name, value, source| {
        database.settings.insert(name.to_owned(), value.to_owned());
        database.setting_sources.insert(name.to_owned(), source.to_owned());
    });
    Some(database)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::written;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn adds_up_shared_memory_only() {
        let maps = "60000000-60400000 rw-s 00000000 00:01 7 /SYSV00000000 (deleted)\n\
                    7f0000000000-7f0000200000 rw-s 00000000 00:01 9 /dev/zero (deleted)\n\
                    7f1000000000-7f1000200000 rw-p 00000000 00:00 0 [heap]\n\
                    7f2000000000-7f2000100000 r-xp 00000000 08:01 5 /usr/lib/libc.so.6\nbroken\n";
        assert_eq!(shared_bytes(maps), 0x0040_0000 + 0x0020_0000);
    }

    #[test]
    fn finds_options_in_either_form() {
        let arguments: Vec<String> =
            ["postgres", "-D", "/data", "--config-file=/c"].map(str::to_owned).to_vec();
        assert_eq!(option(&arguments, &["-D"]), Some("/data"));
        assert_eq!(option(&arguments, &["--config-file"]), Some("/c"));
        assert_eq!(option(&arguments, &["--datadir"]), None);
    }

    /// Whoever calls a hundred programs `postgres` hides no other user's server, and does not keep us busy with what they name.
    #[test]
    fn servers_of_one_user_hide_no_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| written(folder.path(), path, text);
        write("proc/1/mountinfo", "");
        for pid in (1000..1100).chain([9000]) {
            let (uid, data) = match pid {
                9000 => (26, "own"),
                1000 => (1000, "large"),
                _ => (1000, "small"),
            };
            write(
                &format!("proc/{pid}/stat"),
                &format!("{pid} (postgres) S 1 1 1 0 -1 0 1 2 3 4 5 6 0 0 20 0 1 0 5 9 9 1\n"),
            );
            write(
                &format!("proc/{pid}/status"),
                &format!("Uid:\t{uid}\t{uid}\t{uid}\t{uid}\nGid:\t0\t0\t0\t0\n"),
            );
            write(&format!("proc/{pid}/cmdline"), &format!("postgres\0-D\0/{data}\0"));
        }
        let large = "work_mem = 4MB\n".repeat(70_000);
        write("large/postgresql.conf", &"include 'more.conf'\n".repeat(20));
        write("large/more.conf", &large);
        write("own/postgresql.conf", "fsync = off\n");
        let root = Root::tree(folder.path()).expect("a tree");
        let mut host = Host::default();
        let processes = process::all(&root, &mut Vec::new());
        read(&root, &processes, &mut host);
        let of = |uid| host.databases.iter().filter(move |one| one.uid == Some(uid)).count();
        assert_eq!((of(1000), of(26)), (MOST_OF_ONE, 1));
        let told = |what: &str| host.gaps.iter().filter(|gap| gap.detail.contains(what)).count();
        assert_eq!(told("more than 64 database servers"), 1);
        assert!(told("MiB of settings") > 0);
    }

    /// The host has files of the same names, which are another server's.
    #[test]
    fn a_server_in_a_container_is_known_by_its_own_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| written(folder.path(), path, text);
        write("proc/5000/stat", "5000 (postgres) S 1 1 1 0 -1 0 1 2 3 4 5 6 0 0 20 0 1 0 5 9 9 1\n");
        write("proc/5000/status", "Uid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nNSpid:\t5000\t1\n");
        write("proc/5000/cmdline", "postgres\0-D\0/data\0");
        write("proc/5000/mountinfo", "2 1 259:1 /pg /data rw - xfs /dev/a rw\n");
        write("proc/1/mountinfo", "9 1 259:1 / /srv rw - xfs /dev/a rw\n");
        write("data/postgresql.conf", "fsync = off\n");
        write("data/PG_VERSION", "11\n");
        let read = || {
            let root = Root::tree(folder.path()).expect("a tree");
            let mut host = Host::default();
            let processes = process::all(&root, &mut Vec::new());
            read(&root, &processes, &mut host);
            let server = host.databases.pop().expect("a server");
            (server, host.gaps.iter().any(|gap| gap.detail.contains("runs in a container")))
        };
        let (server, is_told) = read();
        assert!(is_told && server.settings.is_empty() && server.version.is_none(), "{server:?}");
        assert!(server.settings_partial);
        assert_eq!(server.locations.keys().collect::<Vec<_>>(), ["/srv/pg", "/srv/pg/pg_wal"]);

        write("proc/5000/root/data/postgresql.conf", "fsync = on\n");
        let (server, is_told) = read();
        assert_eq!(server.settings.get("fsync").map(String::as_str), Some("on"));
        assert_eq!(server.setting_sources["fsync"], "/data/postgresql.conf:1 in its container");
        assert!(!is_told && !server.settings_partial);
    }

    /// Anyone may run a server, or a program under its name, and set it as they like: that is no fault of this host.
    #[test]
    fn a_server_that_a_user_runs_for_themselves_is_told_and_not_judged() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| written(folder.path(), path, text);
        let give =
            |path: &str, uid: u32| std::os::unix::fs::chown(folder.path().join(path), Some(uid), Some(uid));
        let unit = "0::/system.slice/pg.service";
        for (uid, data, group, is_judged) in [
            (1001, "/srv/own", "0::/user.slice/user-1001.slice/session-3.scope", true),
            (1001, "/srv/roots", "", false),
            (1001, "/tmp/own", "", false),
            (1001, "/home/a/own", "", false),
            (1001, "/export/home/a/own", "", false),
            (1001, "/home2/own", "", true),
            (1001, "/home/a/own", unit, true),
            (1001, "/home/a/own", "0::/system.slice/cron.service", false),
            (1001, "/home/a/own", "0::/user.slice/user-1001.slice/system.slice/pg.service", false),
            (1001, "/home/a/own", "0::/db.slice/pg.service", true),
            (1001, "/home/a/own", "4:cpu,cpuacct:/\n1:name=systemd:/system.slice/pg.service", true),
            (1001, "/home/a/own", "4:cpu,cpuacct:/\n1:name=systemd:/user.slice/user-1001.slice", false),
            (1002, "/home/a/own", "", true),
            (26, "/home/a/own", "", true),
            (1001, "/srv/own", "0::/docker/4f1c", true),
            (1001, "/srv/own", "0::/user.slice/root-of-own", false),
        ] {
            write("etc/passwd", "a:x:1001:1001::/home/a:/bin/sh\nmypostgres:x:1002:1002::/home/b:/bin/sh\n");
            write("proc/5000/stat", "5000 (postgres) S 1 1 1 0 -1 0 1 2 3 4 5 6 0 0 20 0 1 0 5 9 9 1\n");
            write("proc/5000/status", &format!("Uid:\t{uid}\t{uid}\t{uid}\t{uid}\nGid:\t{uid}\t0\t0\t0\n"));
            write("proc/5000/cmdline", &format!("postgres\0-D\0{data}\0-c\0fsync=off\0"));
            write("proc/5000/cgroup", group);
            write("proc/5000/exe", "");
            write(&format!("{data}/postgresql.conf")[1..], "");
            std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).expect("opened");
            if data.starts_with("/tmp") {
                std::fs::set_permissions(folder.path().join("tmp"), std::fs::Permissions::from_mode(0o1777))
                    .expect("opened");
            }
            if group.ends_with("root-of-own") || group.contains("docker") {
                write("proc/5000/root/srv/own/PG_VERSION", "15\n");
                if give("proc/5000/root/srv/own", uid).is_err() {
                    return crate::skips::skipped("needs root, who alone may give files away");
                }
            }
            let owner = if data.ends_with("roots") { 0 } else { uid };
            if give("proc/5000/exe", uid).and_then(|()| give(&data[1..], owner)).is_err() {
                return crate::skips::skipped("needs root, who alone may give files away");
            }
            let root = Root::live_below(folder.path()).expect("a root");
            let mut host = Host::default();
            read(&root, &process::all(&root, &mut Vec::new()), &mut host);
            assert_eq!(host.databases.len(), usize::from(is_judged), "{uid} {data} {group}: {:?}", host.gaps);
            let is_told =
                host.gaps.iter().any(|gap| gap.detail.contains("process 5000 of user 1001 runs a server"));
            assert_eq!(is_told, !is_judged, "{uid} {data} {group}");
        }

        for pid in 6000..6100 {
            write(
                &format!("proc/{pid}/stat"),
                &format!("{pid} (postgres) S 1 1 1 0 -1 0 1 2 3 4 5 6 0 0 20 0 1 0 5 9 9 1\n"),
            );
            for name in ["status", "cgroup"] {
                let from = folder.path().join(format!("proc/5000/{name}"));
                std::fs::copy(from, folder.path().join(format!("proc/{pid}/{name}"))).expect("copied");
            }
            write(&format!("proc/{pid}/cmdline"), "postgres\0-D\0/home/a/own\0");
            write(&format!("proc/{pid}/exe"), "");
            give(&format!("proc/{pid}/exe"), 1001).expect("given");
        }
        let root = Root::live_below(folder.path()).expect("a root");
        let mut host = Host::default();
        read(&root, &process::all(&root, &mut Vec::new()), &mut host);
        let told = |what: &str| host.gaps.iter().filter(|gap| gap.detail.contains(what)).count();
        assert_eq!((told("runs a server"), told("more than 64 database servers")), (MOST_OF_ONE, 1));
    }

    /// Else a silent file system would have a server whose settings nobody read look like one without any.
    #[test]
    fn what_does_not_answer_is_told() {
        let root = Root::live().expect("the host");
        let files = Files::of(&root, &ProcessStat::default());
        files.refuse("/hung", &rustix::io::Errno::TIMEDOUT.into());
        assert!(files.were_refused() && files.into_gaps()[0].subject == "/hung");

        // Whose its data is would have told whether it is a server.
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| written(folder.path(), path, text);
        let uid = u32::MAX - 9;
        write("proc/5000/stat", "5000 (postgres) S 1 1 1 0 -1 0 1 2 3 4 5 6 0 0 20 0 1 0 5 9 9 1\n");
        write("proc/5000/status", &format!("Uid:\t{uid}\t{uid}\t{uid}\t{uid}\n"));
        write("proc/5000/cmdline", "postgres\0-D\0/srv/silent\0");
        write("proc/5000/exe", "");
        crate::root::silence(uid);
        let root = Root::live_below(folder.path()).expect("a root");
        let mut host = Host::default();
        read(&root, &process::all(&root, &mut Vec::new()), &mut host);
        let told =
            |gap: &Gap| gap.reason == GapReason::Timeout && gap.detail.contains("refers to /srv/silent");
        assert!(host.databases.is_empty() && host.gaps.iter().any(told), "{:?}", host.gaps);
    }
}
