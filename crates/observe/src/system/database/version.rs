//! The version of a server, from files alone: it is never run.
//!
//! Sources: PostgreSQL documentation, "Database File Layout" (`PG_VERSION`); MySQL Reference Manual, `mysql_upgrade`
//! (`mysql_upgrade_info` in the data directory), "Upgrading MySQL" (`mysql_upgrade_history` since 8.4.0) and "InnoDB Redo Log"
//! (`#innodb_redo` since 8.0.30); deb(5) status
//! file; Oracle's Optimal Flexible Architecture (`product/19.0.0/dbhome_1`).

use super::{Files, kept_lines};
use crate::Root;
use fullwire_model::host::Database;

/// Completes the version.
pub(super) fn complete(root: &Root, files: &Files, pid: u32, database: &mut Database) {
    let found = match database.kind.as_str() {
        "postgresql" => postgresql(root, files, pid, &database.name),
        "mysql" | "mariadb" => mysql(root, files, database),
        "oracle" | "oracle-asm" => oracle(root, pid, database),
        _ => None,
    };
    if let Some((version, source)) = found {
        database.version = Some(version);
        database.version_source = source;
    }
}

/// The numbers that a text starts with: `8.0.36` of `8.0.36-28.1.el8`.
fn numbers(text: &str) -> Option<String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let version = text[..end].trim_matches('.');
    version.starts_with(|c: char| c.is_ascii_digit()).then(|| version.to_owned())
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

fn program(root: &Root, pid: u32) -> Option<String> {
    root.link(&format!("/proc/{pid}/exe"))
}

fn postgresql(root: &Root, files: &Files, pid: u32, data: &str) -> Option<(String, String)> {
    let path = format!("{data}/PG_VERSION");
    if let Some(version) = files.read(&path, 64, first_line).and_then(|text| numbers(&text)) {
        return Some((version, path));
    }
    // /usr/lib/postgresql/15/bin/postgres, /usr/pgsql-15/bin/postgres; a data directory is often named alike.
    let program = program(root, pid).unwrap_or_default();
    let part = |path: &str| {
        let mut parts = path.split('/').map(|part| part.strip_prefix("pgsql-").unwrap_or(part));
        parts.find_map(|part| numbers(part).filter(|version| version == part))
    };
    part(&program).map(|version| (version, program.clone()))
}

/// Names of the packages of servers, the more special first.
const PACKAGES: [&str; 10] = [
    "mysql-community-server", "mysql-commercial-server", "mysql-server-core-8.0", "mysql-server-8.0",
    "mysql-server", "percona-server-server", "mariadb-server-core", "mariadb-server", "MariaDB-server",
    "mysql8.4-server",
];

fn mysql(root: &Root, files: &Files, database: &Database) -> Option<(String, String)> {
    packaged(root, files, &database.kind).or_else(|| of_data(files, &database.name))
}

/// That of the package of a MySQL or MariaDB.
pub(super) fn packaged(root: &Root, files: &Files, kind: &str) -> Option<(String, String)> {
    let is_own = |package: &str| package.to_ascii_lowercase().contains("maria") == (kind == "mariadb");
    let packages = || PACKAGES.into_iter().filter(|package| is_own(package));
    // dpkg: a paragraph for each package.
    let status = "/var/lib/dpkg/status";
    let kept = |line: &str| {
        let wanted = line.strip_prefix("Package: ").is_some_and(|name| PACKAGES.contains(&name));
        (wanted || line.starts_with("Version: ")).then(|| line.to_owned())
    };
    let paragraphs = |text: &str| {
        let mut out = String::new();
        for paragraph in text.split("\n\n").filter(|one| {
            one.lines()
                .any(|line| line.strip_prefix("Package: ").is_some_and(|name| PACKAGES.contains(&name)))
        }) {
            out.push_str(&kept_lines(paragraph, kept).replace("\n\n", "\n"));
            out.push('\n');
        }
        out
    };
    if let Some(text) = files.read_at_its_place(status, crate::MAX_READ_BYTES, paragraphs) {
        let version = packages().find_map(|package| {
            let (_, rest) = text.split_once(&format!("Package: {package}\n"))?;
            let version = rest.lines().find_map(|line| line.strip_prefix("Version: "))?;
            // `1:10.11.6-0+deb12u1`: an epoch stands before it.
            numbers(version.split_once(':').map_or(version, |(_, version)| version))
        });
        if let Some(version) = version {
            return Some((version, status.to_owned()));
        }
    }
    let rpms = "/installed-rpms";
    // The host's packages are not the container's.
    let listed = || root.read_optional(rpms, &mut Vec::new());
    if let Some(text) = (!files.are_elsewhere()).then(listed).flatten() {
        let version = packages().find_map(|package| {
            text.lines().find_map(|line| numbers(line.trim().strip_prefix(package)?.strip_prefix('-')?))
        });
        if let Some(version) = version {
            return Some((version, rpms.to_owned()));
        }
    }
    None
}

/// What the server left in its data directory.
fn of_data(files: &Files, data: &str) -> Option<(String, String)> {
    for name in ["mariadb_upgrade_info", "mysql_upgrade_info"] {
        let path = format!("{data}/{name}");
        if let Some(version) = files.read(&path, 64, first_line).and_then(|text| numbers(&text)) {
            return Some((version, path));
        }
    }
    let history = format!("{data}/mysql_upgrade_history");
    if let Some(version) = files.read(&history, 1 << 16, latest).filter(|version| !version.is_empty()) {
        return Some((version, history));
    }
    // 8.0.30 and later keep the redo log in a directory of its own.
    let redo = files.list(data).into_iter().find(|name| name == "#innodb_redo")?;
    Some(("8.0.30+".to_owned(), format!("{data}/{redo}")))
}

/// Of `{"file_format":"1","upgrade_history":[{"date":…,"version":"8.4.0",…}, …]}` the last version.
fn latest(text: &str) -> String {
    let last = text.rsplit_once("\"version\":").map_or("", |(_, rest)| rest.trim_start());
    last.strip_prefix('"').and_then(numbers).unwrap_or_default()
}

fn oracle(root: &Root, pid: u32, database: &Database) -> Option<(String, String)> {
    let home = program(root, pid).or_else(|| database.settings.get("oracle_home").cloned())?;
    let version = home.split('/').find_map(|part| {
        let plain = part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        numbers(part).filter(|_| plain && part.contains('.'))
    })?;
    Some((version, home))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::process_stat::ProcessStat;
    use crate::tests::rooted;

    fn version(kind: &str, data: &str, files: &[(&str, &str)]) -> Option<String> {
        // A tree of one folder would be taken for what an archive was packed in.
        let more = [("etc/hostname", "db1"), ("proc/version", "Linux version 5")];
        let (_tree, root) = rooted(&[files, &more].concat());
        let mut database = Database { kind: kind.into(), name: data.into(), ..Database::default() };
        if kind == "oracle" {
            database.settings.insert("oracle_home".into(), data.into());
        }
        let process =
            ProcessStat { pid: 7, uid: Some(rustix::process::geteuid().as_raw()), ..ProcessStat::default() };
        complete(&root, &Files::of(&root, &process), 7, &mut database);
        database.version
    }

    #[test]
    fn files_tell_the_version_of_each_server() {
        assert_eq!(version("postgresql", "/d", &[("d/PG_VERSION", "15\n")]).as_deref(), Some("15"));
        let home = "/u01/app/oracle/product/19.0.0/dbhome_1";
        assert_eq!(version("oracle", home, &[]).as_deref(), Some("19.0.0"));
        let status = "Package: mysql-common\nVersion: 5.8\n\nPackage: mariadb-server\nStatus: ok\nVersion: 1:10.11.6-0+deb12u1\n";
        let dpkg = [("var/lib/dpkg/status", status)];
        assert_eq!(version("mariadb", "/d", &dpkg).as_deref(), Some("10.11.6"));
        assert_eq!(version("mysql", "/d", &dpkg), None, "a package of another server");
        let rpms = [("installed-rpms", "mysql-community-server-5.7.44-1.el7.x86_64   Tue\n")];
        assert_eq!(version("mysql", "/d", &rpms).as_deref(), Some("5.7.44"));
        assert_eq!(version("mysql", "/d", &[("d/mysql_upgrade_info", "8.0.28")]).as_deref(), Some("8.0.28"));
        let redo = ("d/#innodb_redo/x", "");
        assert_eq!(version("mysql", "/d", &[redo]).as_deref(), Some("8.0.30+"));
        let history = r#"{"file_format":"1","upgrade_history":[{"version":"8.4.0","initialize":true},{"version": "9.1.0"}]}"#;
        let upgraded = [redo, ("d/mysql_upgrade_history", history)];
        assert_eq!(version("mysql", "/d", &upgraded).as_deref(), Some("9.1.0"));
        assert_eq!(
            version("mysql", "/d", &[redo, ("d/mysql_upgrade_history", "{}")]).as_deref(),
            Some("8.0.30+")
        );
        assert_eq!(version("mysql", "/d", &[("d/ib_logfile0", "")]), None);
    }
}
