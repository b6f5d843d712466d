//! Command lines without the secrets that people put there.

/// What stands for a secret.
const HIDDEN: &str = "***";

/// Bytes of a command line that are kept.
const MAX_BYTES: usize = 512;

/// Programs whose bare `user/password@service` argument is Oracle's.
const ORACLE_CLIENTS: [&str; 8] = ["sqlplus", "rman", "exp", "imp", "expdp", "impdp", "sqlldr", "dgmgrl"];

/// Programs whose `-pSECRET` is a password.
const MYSQL_CLIENTS: [&str; 8] = [
    "mysql",
    "mysqldump",
    "mysqladmin",
    "mariadb",
    "mariadb-dump",
    "mariadb-admin",
    "mysqlslap",
    "xtrabackup",
];

/// The arguments as one line, secrets hidden, cut to a sane length.
pub(super) fn shown(arguments: &[String]) -> String {
    let program = arguments.first().map_or("", |first| first.rsplit('/').next().unwrap_or(first));
    let mut line = String::new();
    let mut hide_next = false;
    for argument in arguments {
        if !line.is_empty() {
            line.push(' ');
        }
        if std::mem::take(&mut hide_next) {
            line.push_str(HIDDEN);
        } else {
            line.push_str(&without_secret(program, argument));
            hide_next = argument.starts_with('-') && !argument.contains('=') && names_a_secret(argument);
        }
        if line.len() > MAX_BYTES {
            let end = (0..=MAX_BYTES).rev().find(|&at| line.is_char_boundary(at)).unwrap_or(0);
            line.truncate(end);
            line.push('…');
            break;
        }
    }
    line
}

fn names_a_secret(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    ["password", "passwd", "secret", "token", "passphrase", "api-key", "apikey", "credential"]
        .iter()
        .any(|mark| lower.contains(mark))
        || matches!(lower.as_str(), "--key" | "--pass" | "-pw" | "--pw")
}

fn without_secret(program: &str, argument: &str) -> String {
    if let Some((name, _)) = argument.split_once('=')
        && names_a_secret(name)
    {
        return format!("{name}={HIDDEN}");
    }
    if MYSQL_CLIENTS.contains(&program) && argument.starts_with("-p") && argument.len() > 2 {
        return format!("-p{HIDDEN}");
    }
    if ORACLE_CLIENTS.contains(&program)
        && let Some((user, rest)) = argument.split_once('/')
        && !user.is_empty()
        && !rest.contains('/')
    {
        let service = rest.rsplit_once('@').map_or(String::new(), |(_, service)| format!("@{service}"));
        return format!("{user}/{HIDDEN}{service}");
    }
    without_url_password(argument)
}

/// `scheme://user:password@host` without the password.
fn without_url_password(argument: &str) -> String {
    let hidden = argument.split_once("://").and_then(|(scheme, rest)| {
        let end = rest.find('/').unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let (login, host) = authority.rsplit_once('@')?;
        let (user, _) = login.split_once(':')?;
        Some(format!("{scheme}://{user}:{HIDDEN}@{host}{path}"))
    });
    hidden.unwrap_or_else(|| argument.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> String {
        shown(&line.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn secrets_are_hidden() {
        assert_eq!(of("/usr/bin/mysql -uroot -phunter2 db"), "/usr/bin/mysql -uroot -p*** db");
        assert_eq!(of("sqlplus scott/tiger@orcl @x.sql"), "sqlplus scott/***@orcl @x.sql");
        assert_eq!(of("app --password hunter2 --port 1"), "app --password *** --port 1");
        assert_eq!(of("app --db-password=hunter2"), "app --db-password=***");
        assert_eq!(of("PGPASSWORD=x psql"), "PGPASSWORD=*** psql");
        assert_eq!(of("psql postgres://u:hunter2@h:5432/db"), "psql postgres://u:***@h:5432/db");
        assert_eq!(of("fullwire serve --key abc"), "fullwire serve --key ***");
    }

    #[test]
    fn the_rest_stays() {
        let line =
            "/usr/lib/postgresql/15/bin/postgres -D /var/lib/postgresql/15/main -c config_file=/etc/p.conf";
        assert_eq!(of(line), line);
        assert_eq!(of("sqlplus / as sysdba"), "sqlplus / as sysdba");
        assert!(of(&"é".repeat(600)).len() <= MAX_BYTES + '…'.len_utf8());
    }
}
