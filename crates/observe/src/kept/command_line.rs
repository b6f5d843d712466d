//! Command lines: of a process the name of its program, of a database server also the options that are read. All
//! else may be a secret under a name that no one foresees, and is not kept.

use super::{known_options, postgresql};
use crate::secrets;

/// Bytes of a command line that are shown.
const MAX_BYTES: usize = 512;

/// The arguments that are kept.
pub(crate) fn kept(arguments: &[String]) -> Vec<String> {
    let Some((first, rest)) = arguments.split_first() else { return Vec::new() };
    // A process may write anything over its title: its first word is the program, or stands for it.
    let program = secrets::text(first.split_whitespace().next().unwrap_or_default());
    let mut kept = vec![program];
    if kept[0] == "postgres:" {
        let title = arguments.iter().flat_map(|argument| argument.split_whitespace()).skip(1);
        kept.extend(postgresql::background(&title.collect::<Vec<_>>()));
        return kept;
    }
    let name = kept[0].rsplit('/').next().unwrap_or_default();
    if let Some(is_known) = known_options(name) {
        kept.extend(known(rest, is_known));
    }
    kept
}

/// `--name=value`, `--name value`, `-X value` and `-c name=value`, of names that are known.
fn known(arguments: &[String], is_known: fn(&str) -> bool) -> Vec<String> {
    let mut kept = Vec::new();
    let mut rest = arguments.iter().peekable();
    while let Some(argument) = rest.next() {
        if argument == "-c" {
            let setting = rest
                .next()
                .filter(|setting| setting.split_once('=').is_some_and(|(name, _)| is_known(&normal(name))));
            kept.extend(setting.into_iter().flat_map(|setting| [argument.clone(), setting.clone()]));
            continue;
        }
        let (name, value) =
            argument.split_once('=').map_or((argument.as_str(), None), |(name, value)| (name, Some(value)));
        if !is_known(&normal(name)) {
            continue;
        }
        kept.push(argument.clone());
        // A name that is known to take a value takes it from the next argument, unless that is an option.
        if value.is_none()
            && let Some(value) = rest.next_if(|next| !next.starts_with('-'))
        {
            kept.push(value.clone());
        }
    }
    kept
}

/// A name without its hyphens before, and with underscores between its words.
fn normal(name: &str) -> String {
    if name.len() == 2 && name.starts_with('-') {
        return name.to_owned(); // -D is not -d
    }
    name.trim_start_matches('-').replace('-', "_").to_ascii_lowercase()
}

/// The same of `/proc/PID/cmdline`, each argument ended by NUL.
pub(crate) fn kept_of_file(text: &str) -> String {
    kept(&words(text)).into_iter().map(|argument| argument + "\0").collect()
}

/// The arguments in `/proc/PID/cmdline`.
pub(crate) fn words(text: &str) -> Vec<String> {
    text.split('\0').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The arguments as one line, cut to a sane length.
pub(crate) fn shown(arguments: &[String]) -> String {
    let mut line = arguments.join(" ");
    if line.len() > MAX_BYTES {
        let end = (0..=MAX_BYTES).rev().find(|&at| line.is_char_boundary(at)).unwrap_or(0);
        line.truncate(end);
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> String {
        shown(&kept(&line.split(' ').map(str::to_owned).collect::<Vec<_>>()))
    }

    #[test]
    fn of_clients_only_the_program_is_kept() {
        for line in [
            "/usr/bin/mysql -uroot -phunter2 db",
            "sqlplus scott/hunter2@//host/SVC",
            "sqlplus scott/hunter2",
            "rman target sys/hunter2@orcl",
            "expdp userid=system/hunter2",
            "sshpass -p hunter2 ssh h",
            "curl -u a:hunter2 https://h",
            "java -DdbPwd=hunter2 -jar x.jar",
            "app --dbpass hunter2",
            "fullwire serve --key hunter2",
            "psql postgres://u:hunter2@h/db",
        ] {
            assert_eq!(of(line), line.split(' ').next().expect("a program"));
        }
        assert_eq!(of("PGPASSWORD=hunter2 psql"), "PGPASSWORD=***");
        let title = ["mysql -phunter2 db".to_owned()];
        assert_eq!(kept(&title), ["mysql"], "a title that a process wrote itself");
    }

    #[test]
    fn of_a_postgresql_process_its_work_is_kept_and_no_client() {
        for (title, shown) in [
            (
                "postgres: archiver failed on 000000040000A1C3000000F2",
                "postgres: archiver failed on 000000040000A1C3000000F2",
            ),
            (
                "postgres: pgprod: archiver   last was 000000010000000000000003",
                "postgres: archiver last was 000000010000000000000003",
            ),
            (
                "postgres: 16/main: walsender repl 10.20.15.9(51234) streaming 3A1/9C0012F8",
                "postgres: walsender",
            ),
            ("postgres: wal sender process repl 10.0.0.1(4) streaming 0/1", "postgres: walsender"),
            ("postgres: startup recovering 000000010000000000000003", "postgres: startup"),
            ("postgres: alice secretdb 10.0.0.1(5) idle", "postgres:"),
            ("postgres: archiver failed on hunter2", "postgres: archiver failed"),
        ] {
            assert_eq!(of(title), shown);
            assert_eq!(shown_of_file(title), shown, "as the kernel has it");
        }
    }

    fn shown_of_file(title: &str) -> String {
        words(&kept_of_file(&format!("{title}\0"))).join(" ")
    }

    #[test]
    fn of_servers_the_options_that_are_read_are_kept() {
        let line = "/usr/lib/postgresql/15/bin/postgres -D /var/lib/postgresql/15/main -c config_file=/etc/p.conf -c fsync=off";
        assert_eq!(of(line), line);
        assert_eq!(
            of(
                "postgres -D /d -c primary_conninfo=password=hunter2 -c ssl_passphrase_command=hunter2 -p 5433"
            ),
            "postgres -D /d -p 5433"
        );
        assert_eq!(
            of(
                "/usr/sbin/mysqld --defaults-file=/e/my.cnf --wsrep_sst_auth=root:hunter2 --innodb-flush-method=O_DIRECT hunter2"
            ),
            "/usr/sbin/mysqld --defaults-file=/e/my.cnf --innodb-flush-method=O_DIRECT"
        );
        assert!(of(&"é".repeat(600)).len() <= MAX_BYTES + '…'.len_utf8());
    }
}
