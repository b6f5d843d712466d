//! MySQL and MariaDB: the server and its option files.

use super::{Files, Scene, config, option};
use crate::kept::mysql::{normal, value_of, wanted};
use crate::system::process_stat::ProcessStat;
use fullwire_model::host::Database;

/// Where the servers look when no file is named.
const DEFAULT_FILES: [&str; 2] = ["/etc/my.cnf", "/etc/mysql/my.cnf"];

const DEFAULT_DATA: &str = "/var/lib/mysql";

pub(super) fn recognise(scene: &Scene, process: &ProcessStat, files: &Files) -> Option<Database> {
    let kind = match process.name.as_str() {
        "mariadbd" => "mariadb",
        "mysqld" => "mysql",
        _ => return None,
    };
    let arguments = scene.arguments(process);
    if !files.are_a_servers(Some(option(&arguments, &["--datadir", "-h"]).unwrap_or(DEFAULT_DATA))) {
        return None;
    }
    // MariaDB before 10.5 called its server mysqld.
    let mariadb = kind == "mariadb"
        || files.exists("/etc/mysql/mariadb.conf.d")
        || files.exists("/etc/my.cnf.d/mariadb-server.cnf");
    let kind = if mariadb { "mariadb" } else { kind };
    let mut database = Database { kind: kind.to_owned(), ..Database::default() };
    let version = super::version::packaged(scene.root, files, kind).map(|(version, _)| version);
    let mut keep = |name: &str, value: &str, source: &str| {
        let value = value_of(name, value);
        let name = normal(name);
        if wanted(&name) {
            database.settings.insert(name.clone(), value.to_owned());
            database.setting_sources.insert(name, source.to_owned());
        }
    };
    let only = option(&arguments, &["--defaults-file"]);
    let extra = option(&arguments, &["--defaults-extra-file"]);
    // Then it reads no file at all, whatever the host has.
    let none = arguments.iter().any(|argument| argument == "--no-defaults");
    let starts = match only {
        _ if none => Vec::new(),
        Some(file) => vec![config::Start::Named(file)],
        None => DEFAULT_FILES.map(config::Start::AtItsPlace).to_vec(),
    };
    let ini = config::Ini {
        files,
        section: &|section| server_section(section, kind, version.as_deref()),
        wanted: &|name| wanted(&normal(name)),
    };
    for start in starts.into_iter().chain(extra.filter(|_| !none).map(config::Start::Named)) {
        ini.read(start, &mut keep);
    }
    let source = format!("/proc/{}/cmdline", process.pid);
    for argument in arguments.iter().skip(1).filter_map(|argument| argument.strip_prefix("--")) {
        let (name, value) = argument.split_once('=').unwrap_or((argument, ""));
        keep(name, value, &source);
    }
    if let Some(data) = data_directory(&database, files.were_refused()) {
        locations(&mut database, &data);
    } else {
        database.name = format!("pid {}", process.pid);
    }
    Some(database)
}

/// Sections that the server reads: its own, that of its version, and those for all servers (MySQL Reference Manual, "Using Option
/// Files"; MariaDB documentation, "Configuring MariaDB with Option Files": \[client-server\], and \[galera\] of servers with
/// Galera). The section of a version that is not known to be its own counts.
fn server_section(section: &str, kind: &str, version: Option<&str>) -> bool {
    let versioned = |name: &str| {
        let of_version = section.strip_prefix(name).and_then(|rest| rest.strip_prefix('-'));
        section == name || of_version.is_some_and(|wanted| is_of_version(version, wanted))
    };
    let of_mariadb =
        || versioned("mariadb") || versioned("mariadbd") || ["galera", "client-server"].contains(&section);
    versioned("mysqld") || section == "server" || (kind == "mariadb" && of_mariadb())
}

/// `8.0` is the series of 8.0.36.
fn is_of_version(version: Option<&str>, series: &str) -> bool {
    version.is_none_or(|version| {
        version.strip_prefix(series).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// Where the data are; `None`: a file that was refused may name another directory.
fn data_directory(database: &Database, refused: bool) -> Option<String> {
    let by_default = || (!refused).then(|| DEFAULT_DATA.to_owned());
    let data = database.settings.get("datadir").cloned().or_else(by_default)?;
    Some(data.trim_end_matches('/').to_owned())
}

fn locations(database: &mut Database, data: &str) {
    let setting = |name: &str| database.settings.get(name).cloned();
    let absolute = |path: String| if path.starts_with('/') { path } else { format!("{data}/{path}") };
    let (data_home, redo, log) =
        (setting("innodb_data_home_dir"), setting("innodb_log_group_home_dir"), setting("log_bin"));
    let mut add = |path: String, kind: &str| {
        let path = path.trim_end_matches('/').trim_end_matches("/.").to_owned();
        database.locations.entry(path).or_insert_with(|| kind.to_owned());
    };
    add(data.to_owned(), "data");
    for (path, kind) in [(data_home, "data"), (redo, "redo")] {
        if let Some(path) = path.filter(|path| !path.is_empty()) {
            add(absolute(path), kind);
        }
    }
    // log_bin names files, not a directory, and may be alone.
    if let Some((directory, _)) =
        log.filter(|path| path.contains('/')).map(absolute).as_deref().and_then(|path| path.rsplit_once('/'))
    {
        add(directory.to_owned(), "binlog");
    }
    data.clone_into(&mut database.name);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_settings_and_no_password() {
        assert!(wanted(&normal("innodb-flush-method")));
        assert!(wanted(&normal("loose-innodb_log_file_size")));
        assert!(
            !wanted(&normal("master-password")) && !wanted("ssl_key") && !wanted("innodb_keyring_password")
        );
    }

    #[test]
    fn a_server_reads_its_own_sections() {
        let reads = server_section;
        assert!(reads("mysqld", "mysql", None) && reads("mysqld-8.0", "mysql", None));
        assert!(!reads("client", "mysql", None) && !reads("mysqldump", "mysql", None));
        assert!(!reads("mariadb", "mysql", None) && !reads("galera", "mysql", None));
        assert!(reads("galera", "mariadb", None), "as in Debian's 60-galera.cnf");
        assert!(reads("mysqld-8.0", "mysql", Some("8.0.36")));
        assert!(!reads("mysqld-5.7", "mysql", Some("8.0.36")) && !reads("mysqld-8", "mysql", Some("80.1")));
        assert!(reads("mariadb-10.11", "mariadb", Some("10.11.6")));
        assert!(!reads("mariadb-10.1", "mariadb", Some("10.11.6")));
    }

    #[test]
    fn where_the_data_are_is_not_known_when_the_options_are_not() {
        let mut database = Database::default();
        assert_eq!(data_directory(&database, false).as_deref(), Some("/var/lib/mysql"));
        assert_eq!(data_directory(&database, true), None);
        database.settings.insert("datadir".to_owned(), "/u07/mysql/".to_owned());
        assert_eq!(data_directory(&database, true).as_deref(), Some("/u07/mysql"));
    }

    #[test]
    fn a_redo_log_elsewhere_is_a_location() {
        let mut database = Database::default();
        for (name, value) in [("innodb_log_group_home_dir", "./"), ("log_bin", "/logs/bin")] {
            database.settings.insert(name.to_owned(), value.to_owned());
        }
        locations(&mut database, "/data/mysql");
        let found: Vec<_> = database.locations.iter().map(|(path, kind)| format!("{path} {kind}")).collect();
        assert_eq!(found, ["/data/mysql data", "/logs binlog"]);
    }
}
