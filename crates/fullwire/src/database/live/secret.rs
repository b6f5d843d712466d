//! Passwords as the servers' own clients find them: `PGPASSFILE` or `~/.pgpass`, the `[client]` group of `my.cnf`.

use crate::output::Show;
use fullwire_observe::open_regular;
use fullwire_probe::state::is_of_no_other;
use rustix::fs::{OFlags, PROC_SUPER_MAGIC, fstatfs};
use std::fmt::Display;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A password file is small; what is larger is not one.
const LARGEST_BYTES: u64 = 1 << 20;

/// Where a connection goes: what a line of a password file is matched against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Destination<'a> {
    pub(super) host: &'a str,
    pub(super) port: u16,
    pub(super) database: &'a str,
    pub(super) user: &'a str,
}

/// `PGPASSWORD`, then the password file (PostgreSQL documentation, "The Password File").
pub(super) fn postgres_password(target: Destination<'_>) -> Option<String> {
    if let Some(password) = std::env::var("PGPASSWORD").ok().filter(|password| !password.is_empty()) {
        return Some(password);
    }
    let file = std::env::var_os("PGPASSFILE").map(PathBuf::from).or_else(|| Some(home()?.join(".pgpass")))?;
    let text = read_private(&file)?;
    text.lines().find_map(|line| pgpass_line(line, target))
}

/// `HOME`, if nobody else can put a file there: root may run with another's, who then could say whom to trust.
pub(super) fn home() -> Option<PathBuf> {
    let home = PathBuf::from(std::env::var_os("HOME")?);
    if !is_of_no_other(&home) {
        Show::warn(&format!("ignoring what is below {}: another user can put files there", home.display()));
        return None;
    }
    Some(home)
}

/// Like libpq, a file that others may read is passed over.
fn read_private(path: &Path) -> Option<String> {
    read_own(path, 0o077, "other users can read it (chmod 600)")
}

/// Like MySQL's clients, a file that everyone may write is passed over (MySQL reference manual, "Using Option Files"): it names
/// the socket, the certificates and whether to encrypt.
pub(super) fn read_settings(path: &Path) -> Option<String> {
    read_own(path, 0o002, "every user can write it (chmod o-w)")
}

/// A file of this user or of root that gives others none of these rights, and to which no other user's link leads. One of the kernel
/// says nothing of who wrote it: root's `/proc/PID/environ` is what another user gave a set-uid program.
fn read_own(path: &Path, rights: u32, why: &str) -> Option<String> {
    let ignored = |why: &dyn Display| {
        Show::warn(&format!("ignoring {}: {why}", path.display()));
        None
    };
    let own = rustix::process::geteuid();
    let real = match fullwire_way::real(path) {
        Ok(real) => real,
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        Err(error) => return ignored(&error),
    };
    let flags = if own.is_root() { OFlags::NOFOLLOW } else { OFlags::empty() };
    let file = open_regular(&real, flags).ok()?;
    let status = file.metadata().ok()?;
    match () {
        () if ![own.as_raw(), 0].contains(&status.uid()) => ignored(&"it is another user's"),
        () if fstatfs(&file).ok()?.f_type == PROC_SUPER_MAGIC => ignored(&"it is a file of the kernel"),
        () if status.mode() & rights != 0 => ignored(&why),
        () => text(file),
    }
}

/// Of a file that is not too large to be one of settings.
fn text(file: File) -> Option<String> {
    let mut text = String::new();
    file.take(LARGEST_BYTES + 1).read_to_string(&mut text).ok()?;
    (text.len() as u64 <= LARGEST_BYTES).then_some(text)
}

/// `host:port:database:user:password`; `*` matches all, a backslash takes the next character as it is.
fn pgpass_line(line: &str, target: Destination<'_>) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let mut fields = vec![String::new()];
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        let last = fields.len() - 1;
        match c {
            '\\' => fields[last].extend(chars.next()),
            ':' if fields.len() < 5 => fields.push(String::new()),
            c => fields[last].push(c),
        }
    }
    let [host, port, database, user, password] = fields.try_into().ok()?;
    let local = |field: &str| field == "localhost" && target.host.starts_with('/');
    let fits = |field: &str, value: &str| field == "*" || field == value;
    let all = (fits(&host, target.host) || local(&host))
        && fits(&port, &target.port.to_string())
        && fits(&database, target.database)
        && fits(&user, target.user);
    all.then_some(password)
}

/// The `[client]` group of the option files, the last value counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ClientGroup {
    pub(super) user: Option<String>,
    pub(super) password: Option<String>,
    pub(super) socket: Option<String>,
    pub(super) ca: Option<PathBuf>,
    pub(super) certificate: Option<PathBuf>,
    pub(super) key: Option<PathBuf>,
    pub(super) ssl_mode: Option<String>,
}

/// Reads `/etc/my.cnf`, `/etc/mysql/my.cnf` and `~/.my.cnf`, and `MYSQL_PWD` on top.
pub(super) fn mysql_client() -> ClientGroup {
    let system = ["/etc/my.cnf", "/etc/mysql/my.cnf"].map(PathBuf::from);
    let own = home().map(|home| home.join(".my.cnf"));
    let mut group = ClientGroup::default();
    for path in system.into_iter().chain(own) {
        if let Some(text) = read_settings(&path) {
            my_cnf(&text, &mut group);
        }
    }
    if let Ok(password) = std::env::var("MYSQL_PWD") {
        group.password = Some(password);
    }
    group
}

fn my_cnf(text: &str, group: &mut ClientGroup) {
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            inside = matches!(name.trim_end_matches(']'), "client" | "client-mariadb" | "fullwire");
        } else if inside {
            let (key, value) = line.split_once('=').unwrap_or((line, ""));
            client_option(&key.trim().replace('_', "-"), unquote(value.trim()).to_owned(), group);
        }
    }
}

fn is_off(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "0" | "off" | "false")
}

fn client_option(key: &str, value: String, group: &mut ClientGroup) {
    // A client that does not know such an option goes on without it.
    match key.strip_prefix("loose-").unwrap_or(key) {
        "user" => group.user = Some(value),
        "password" => group.password = Some(value),
        "socket" => group.socket = Some(value),
        "ssl-ca" => group.ca = Some(value.into()),
        "ssl-cert" => group.certificate = Some(value.into()),
        "ssl-key" => group.key = Some(value.into()),
        "ssl-mode" => group.ssl_mode = Some(value),
        "skip-ssl" | "disable-ssl" => group.ssl_mode = Some("disabled".into()),
        "ssl" if is_off(&value) => group.ssl_mode = Some("disabled".into()),
        // MariaDB's own word for it; whoever names CAs wants them asked. Those of a directory are not read: the system's are.
        "ssl-verify-server-cert" if is_off(&value) => {}
        "ssl-verify-server-cert" | "ssl-capath" => group.ssl_mode = Some("verify_identity".into()),
        _ => {}
    }
}

fn unquote(value: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some(inner) = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_pgpass_matches_by_field_and_star() {
        let target = Destination { host: "db1", port: 5432, database: "shop", user: "fw" };
        let cases = [
            ("db1:5432:shop:fw:pa\\:ss", Some("pa:ss")),
            ("*:*:*:fw:secret:with:colons", Some("secret:with:colons")),
            ("db2:5432:shop:fw:x", None),
            ("#db1:5432:shop:fw:x", None),
            ("db1:5432:shop", None),
        ];
        for (line, expected) in cases {
            assert_eq!(pgpass_line(line, target).as_deref(), expected, "{line}");
        }
    }

    /// What another user wrote, or could write, would choose the server that a password is shown to.
    #[test]
    fn a_file_of_others_is_not_read() {
        use std::os::unix::fs::{PermissionsExt as _, chown};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".my.cnf");
        let with = |mode| {
            std::fs::write(&path, "[client]\npassword=x\n").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            (read_private(&path).is_some(), read_settings(&path).is_some())
        };
        let seen = [0o600, 0o640, 0o644, 0o660, 0o602].map(with);
        assert_eq!(seen, [(true, true), (false, true), (false, true), (false, true), (false, false)]);
        let _ = with(0o600);
        if rustix::process::geteuid().is_root() {
            chown(&path, Some(65_534), None).unwrap();
            assert_eq!((read_private(&path), read_settings(&path)), (None, None), "of another user");
            chown(&path, Some(0), None).unwrap();
            let link = folder.path().join("link");
            std::os::unix::fs::symlink(&path, &link).unwrap();
            assert!(read_settings(&link).is_some());
            std::os::unix::fs::lchown(&link, Some(65_534), None).unwrap();
            assert_eq!(read_settings(&link), None, "another user's link");
        }
    }

    #[test]
    fn a_file_of_the_kernel_is_nobodys_word() {
        assert_eq!(read_private(Path::new("/proc/self/environ")), None);
    }

    #[test]
    fn the_client_group_of_my_cnf_counts() {
        let mut group = ClientGroup::default();
        my_cnf(
            "[mysqld]\nuser=mysql\n[client]\nuser = fw\npassword=\"se=cret\"\n# socket=/x\nssl_ca=/ca.pem\nskip-ssl\n\
             [mysqldump]\nuser=y\n",
            &mut group,
        );
        let expected = ClientGroup {
            user: Some("fw".into()),
            password: Some("se=cret".into()),
            ca: Some("/ca.pem".into()),
            ssl_mode: Some("disabled".into()),
            ..ClientGroup::default()
        };
        assert_eq!(group, expected);
    }
}
