//! Secrets that no name with a `=` or a colon introduces: options of programs, clauses of statements, keys.

use super::{HIDDEN, oracle_login};

/// What takes its next word as a password, whoever is called.
const BEFORE: &[&str] = &["--password", "--passwd", "--pass", "--passphrase", "bindpw", "bearer"];

/// Programs, and the option whose value is a password, or has one behind the colon.
const OPTIONS: &[(&str, &str)] =
    &[("sshpass", "-p"), ("redis-cli", "-a"), ("curl", "-u"), ("curl", "--user"), ("ldapsearch", "-w")];

/// Clients of MySQL and MariaDB: the password is glued to `-p`.
const GLUED: &[&str] = &["mysql", "mariadb", "mydumper", "xtrabackup", "innobackupex", "mariabackup"];

/// Oracle's clients, which take `user/password` with or without a service.
const ORACLE: &[&str] = &["sqlplus", "rman", "expdp", "impdp", "sqlldr", "dgmgrl"];

/// What they call a login: these are words of others too, so that only `user/password@service` behind one is taken for it.
const LOGINS: &[&str] = &["connect", "conn", "target", "catalog", "auxiliary"];

/// The text without them. Blanks, and lines, stay as they are.
pub(super) fn without(text: &str) -> String {
    let (mut out, mut line) = (String::with_capacity(text.len()), Line::default());
    for piece in text.split_inclusive(|c: char| c.is_whitespace() || c == '\0') {
        let word = piece.trim_end_matches(|c: char| c.is_whitespace() || c == '\0');
        let (word, blank) = piece.split_at(word.len());
        if word.contains("\\040") {
            // A blank in fstab(5).
            let spaced = without(&word.replace("\\040", " "));
            out.extend([&spaced.replace(' ', "\\040"), blank]);
        } else {
            line.take(word, &mut out);
            out.push_str(blank);
        }
        if blank.contains('\n') {
            line = Line { key: line.key, ..Line::default() };
        }
    }
    out
}

/// A private key, between its marks.
#[derive(Clone, Copy, Default, PartialEq)]
enum Key {
    #[default]
    None,
    Begun,
    Hidden,
}

/// What the words of a line have said so far.
#[derive(Default)]
struct Line<'a> {
    before: [&'a str; 2],
    program: &'a str,
    is_end: bool,
    key: Key,
}

impl<'a> Line<'a> {
    fn take(&mut self, word: &'a str, out: &mut String) {
        let [before, last] = self.before;
        if word.is_empty() {
            return;
        }
        self.is_end |= word.starts_with("-----END");
        // A line of a key is one word, or a name and its value. What has no end ends with the first line of several words.
        if self.is_end || !last.is_empty() && !last.ends_with(':') {
            self.key = Key::None;
        }
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-');
        let name = bare.rsplit(['/', '=']).next().unwrap_or(bare);
        if self.key != Key::None {
            out.push_str(if self.key == Key::Begun { HIDDEN } else { "" });
            self.key = Key::Hidden;
        } else if last.eq_ignore_ascii_case("PRIVATE") && word.starts_with("KEY-----") && !self.is_end {
            self.key = Key::Begun;
            out.push_str("KEY-----");
            self.before = [""; 2];
            return;
        } else if self.is_password(before, last, word) {
            out.push_str(&hidden(word, last));
        } else if is_glued(self.program) && word.len() > 2 && word.starts_with("-p") {
            out.extend(["-p", HIDDEN]);
        } else if let Some([user, service]) = self.oracle_login(last, word) {
            out.extend([user, HIDDEN, service]);
        } else {
            out.push_str(word);
        }
        let is_option_taker = OPTIONS.iter().any(|(program, _)| *program == name);
        if is_option_taker || is_glued(name) || ORACLE.contains(&name) {
            self.program = name;
        }
        self.before = [last, word];
    }

    fn oracle_login(&self, last: &str, word: &'a str) -> Option<[&'a str; 2]> {
        let [user, service] = oracle_login(word).filter(|[user, _]| user.len() > 1)?;
        let is_argument = last.starts_with('-') || last.ends_with(self.program);
        let is_clients = ORACLE.contains(&self.program) && (is_argument || !service.is_empty());
        let is_login = !service.is_empty() && LOGINS.iter().any(|one| last.eq_ignore_ascii_case(one));
        (is_clients || is_login).then_some([user, service])
    }

    fn is_password(&self, before: &str, last: &str, word: &str) -> bool {
        let bare = last.trim_matches(['"', '\'', '(', '[', ',']);
        let is = |word: &str, name: &str| word.eq_ignore_ascii_case(name);
        BEFORE.iter().any(|name| is(bare, name))
            || OPTIONS.contains(&(self.program, last))
            || is(last, "basic") && is(before, "authorization:")
            // SQL: `identified by X`, `password 'X'`.
            || is(before, "identified") && is(last, "by")
            || is(before, "by") && (is(last, "values") || is(last, "password"))
            || is(last, "password") && word.starts_with(['\'', '"'])
            // A value that begins with it: multipath.conf's `prio_args "password X"`.
            || is(bare, "password") && last.starts_with(['\'', '"'])
            || is(before, "chap") && is(last, "secret")
    }
}

/// Of `user:password` the user stays.
fn hidden(word: &str, option: &str) -> String {
    match word.split_once(':') {
        Some((user, _)) if matches!(option, "-u" | "--user") => format!("{user}:{HIDDEN}"),
        _ if matches!(option, "-u" | "--user") => word.to_owned(),
        _ => HIDDEN.to_owned(),
    }
}

fn is_glued(name: &str) -> bool {
    GLUED.iter().any(|client| name.starts_with(client))
}

#[cfg(test)]
mod tests {
    use crate::secrets::{HIDDEN, mount_options, text};

    #[test]
    fn what_programs_and_statements_take_is_hidden() {
        for line in [
            "The failed archive command was: sshpass -p hunter2 scp pg_wal/1 b@h:/a",
            "curl -s -u backup:hunter2 https://h/x",
            "mysqldump -u root -phunter2 --all-databases",
            "/usr/bin/mysql -phunter2",
            "pg_tool --password hunter2 x",
            "redis-cli -h h -a hunter2 info",
            "sudo: oracle : COMMAND=/u01/bin/sqlplus sys/hunter2@db as sysdba",
            "rman target sys/hunter2@db",
            "sqlplus -s scott/hunter2 @report.sql",
            "SQL> connect scott/hunter2@db",
            "mount.cifs //s/x /mnt -o user=\"dom/u%hunter2\"",
            "{\"key\": \"-----BEGIN PRIVATE KEY-----\\nhunter2\\n-----END PRIVATE KEY-----\"}",
            "ALTER USER app IDENTIFIED BY hunter2",
            "create user app identified by values 'S:hunter2'",
            "alter role app password 'hunter2'",
            "sent {\"user\": \"u\", \"password\": \"hunter2\"} to h",
            "sent {\\\"password\\\": \\\"hunter2\\\"}",
            "Authorization: Bearer hunter2",
            "Authorization: Basic hunter2",
            "bindpw hunter2",
            "prio_args \"password hunter2\"",
            "iscsid: CHAP secret hunter2 was refused",
            "GET /c/b?sv=1&sig=hunter2 HTTP/1.1",
            "GET /b/k?X-Amz-Signature=hunter2&x=1",
            "-----BEGIN RSA PRIVATE KEY-----\nhunter2\nhunter2==\n-----END RSA PRIVATE KEY-----",
            "//u:hunter2@s/share /mnt cifs",
            "sshfs#u:hunter2@h:/ /mnt fuse",
            "//s/x /mnt cifs user=dom/u%hunter2,rw 0 0",
            "h:/ /mnt fuse.sshfs ssh_command=sshpass\\040-p\\040hunter2 0 0",
        ] {
            for kept in [text(line), mount_options(line)] {
                assert!(!kept.contains("hunter2") && kept.contains(HIDDEN), "{line}: {kept}");
                assert_eq!(text(&kept), kept, "hiding twice changes nothing");
            }
        }
        assert_eq!(
            text("a\n-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\nb\n").lines().last(),
            Some("b")
        );
    }

    #[test]
    fn what_only_looks_like_it_stays() {
        for line in [
            "FATAL:  password authentication failed for user \"app\"",
            "psql -h db -p 5432 -U app",
            "ssh -p 2222 db2",
            "tank/data@daily 10G",
            "mysqld[12]: ready for connections",
            "mount -t nfs -o vers=3 f:/a /a",
            "curl -u app https://h",
            "rman target /",
            "Chain 1 Signature: 'log file parallel write'<='log file sync'",
            "scsi target2:0:0: target reset, I/O error",
            "failed to connect I/O path a/b",
            "mds@10.0.0.1:6789:/ /mnt ceph",
            "a % b user: 3 %",
        ] {
            assert_eq!(text(line), line);
        }
    }

    /// A word is looked through once: 64 KiB of colons took two minutes, and these would take longer than any test may.
    #[test]
    fn a_long_word_takes_no_longer_than_many() {
        for piece in ["a:", "//a:", "userid:", "user=a%", "user=a:", "user=user=", "password:"] {
            let long = piece.repeat(1 << 15);
            for kept in [text(&long), mount_options(&long)] {
                assert!(kept.len() <= long.len() + long.len());
            }
        }
    }
}
