//! What must not leave the host in a capture: passwords, keys, and (on wish) host names.
//!
//! A database's settings file is not taken as it is: of it only the settings that its reader keeps. Other
//! settings files lose comments and lines whose key sounds like a secret. Everything else is mostly the
//! kernel's own text, of which single words are left out.

use crate::system::database::{mysql, oracle, postgresql};
use serde_json::Value;
use std::hash::{BuildHasher, RandomState};

/// Put in the place of a secret.
const LEFT_OUT: &str = "(left out)";

/// A word with one of these in its name has its value left out.
const SECRET_NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "api_key",
    "private_key",
    "credential",
];

/// Options whose whole name is one of these, too (`pass=`, cifs; `pw=`).
const SECRET_WORDS: &[&str] = &["pass", "pw", "pwd", "key", "chap"];

/// Names that tell nothing of anybody.
const COMMON_NAMES: &[&str] =
    &["localhost", "localdomain", "linux", "debian", "ubuntu", "oracle", "server", "none"];

/// Shorter names are words of the kernel's language too often to be replaced everywhere.
const SHORTEST_NAME: usize = 4;

/// Settings files by the end of their path.
const SETTINGS_FILES: &[&str] = &[".conf", ".cnf", ".ora", ".ini", "oranfstab", "fstab"];

/// Leaves secrets out of what is recorded.
#[derive(Debug, Default)]
pub(crate) struct Scrubber {
    /// Names to hash wherever they stand, longest first, with what stands for each.
    names: Vec<(String, String)>,
    /// Names, short and common ones too, to hash where a text is nothing else.
    whole: Vec<(String, String)>,
}

impl Scrubber {
    /// Hashes these names with a key that is thrown away: the same within one capture, meaningless outside it.
    pub(crate) fn hiding(names: impl IntoIterator<Item = String>) -> Self {
        let key = RandomState::new();
        let whole: Vec<(String, String)> = names
            .into_iter()
            .filter(|name| !name.is_empty() && name != "localhost" && name != "(none)")
            .map(|name| {
                let stands_for = format!("host-{:08x}", key.hash_one(&name) & 0xffff_ffff);
                (name, stands_for)
            })
            .collect();
        let is_telling = |name: &str| name.len() >= SHORTEST_NAME && !COMMON_NAMES.contains(&name);
        let mut names: Vec<_> = whole.iter().filter(|(name, _)| is_telling(name)).cloned().collect();
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        names.dedup();
        Self { names, whole }
    }

    /// A file's bytes as they may be kept.
    pub(crate) fn file(&self, path: &str, bytes: Vec<u8>) -> Vec<u8> {
        match String::from_utf8(bytes) {
            Ok(text) if is_settings(path) => self.text(&harmless_settings(path, &text)).into_bytes(),
            Ok(text) if path.ends_with("/cmdline") => self.command_line(&text).into_bytes(),
            Ok(text) => self.text(&text).into_bytes(),
            Err(error) => error.into_bytes(), // a binary attribute (VPD page) holds no word
        }
    }

    /// All strings of a JSON value.
    pub(crate) fn json(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.json(value)),
            Value::Object(fields) => fields.values_mut().for_each(|value| self.json(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Text with secrets left out and names hashed.
    pub(crate) fn text(&self, text: &str) -> String {
        if let Some((_, stands_for)) = self.whole.iter().find(|(name, _)| name == text.trim()) {
            return stands_for.clone();
        }
        let mut text = if may_hold_secret(text) { without_secret_values(text) } else { text.to_owned() };
        for (name, stands_for) in &self.names {
            text = replace_word(&text, name, stands_for);
        }
        text
    }

    /// Arguments, each ended by NUL; the one behind a secret's name goes, too (`--password hunter2`).
    fn command_line(&self, text: &str) -> String {
        let mut secret = false;
        let arguments: Vec<String> = text
            .split('\0')
            .map(|argument| {
                let hide = std::mem::replace(&mut secret, is_secret_name(argument.trim_start_matches('-')));
                if hide && !argument.is_empty() && !argument.starts_with('-') {
                    return LEFT_OUT.to_owned();
                }
                // scott/tiger@db: how Oracle's tools take a password.
                match argument.split_once('/') {
                    Some((user, rest)) if !user.is_empty() && is_word(user) && rest.contains('@') => {
                        format!("{user}/{LEFT_OUT}")
                    }
                    _ => self.text(argument),
                }
            })
            .collect();
        arguments.join("\0")
    }
}

fn is_word(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn is_settings(path: &str) -> bool {
    SETTINGS_FILES.iter().any(|end| path.ends_with(end))
}

/// The daemons' settings files that are read beside the databases'.
const OF_DAEMONS: &[&str] = &["/etc/multipath", "logind.conf"];

/// Whether a line with this key may be kept: for databases what their readers keep, else by its sound.
#[expect(
    clippy::case_sensitive_file_extension_comparisons,
    reason = "the databases' own names, as they read them"
)]
fn may_be_kept(path: &str, key: &str) -> bool {
    if path.ends_with(".cnf") {
        key.starts_with(['[', '!']) || mysql::wanted(&mysql::normal(key))
    } else if path.ends_with("sqlnet.ora") {
        oracle::wanted(&key.to_ascii_uppercase())
    } else if path.ends_with(".conf") && !OF_DAEMONS.iter().any(|daemon| path.contains(daemon)) {
        let name = key.to_ascii_lowercase();
        name.starts_with("include") || postgresql::wanted(&name)
    } else {
        !is_secret_name(key)
    }
}

/// Comments go (they hold anything), and so do lines that may not be kept.
fn harmless_settings(path: &str, text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for line in text.lines() {
        let content = line.trim_start();
        let key = content.split(|c: char| c == '=' || c.is_whitespace()).next().unwrap_or_default();
        if content.starts_with(['#', ';', '!']) || !may_be_kept(path, key) {
            kept.push('\n'); // the lines after it keep their numbers
        } else {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_WORDS.contains(&name.as_str()) || SECRET_NAMES.iter().any(|secret| name.contains(secret))
}

/// A quick look first: most files hold none.
fn may_hold_secret(text: &str) -> bool {
    text.contains('=') || text.contains(':')
}

/// `name=value` and `name: value` with a secret's name lose the value, wherever they stand in a line.
fn without_secret_values(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['=', ':']) {
        let (before, after) = rest.split_at(at + 1);
        out.push_str(before);
        rest = after;
        let name_start = before[..at].rfind(|c: char| !is_name_char(c)).map_or(0, |start| start + 1);
        let name = before.get(name_start..at).unwrap_or_default();
        if is_secret_name(name) {
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '"', '\'']).len();
            let value = &rest[blanks..];
            let end = value.find([',', ' ', '\t', '\n', '"', '\'', '\0', ')', ';']).unwrap_or(value.len());
            if end > 0 {
                out.push_str(&rest[..blanks]);
                out.push_str(LEFT_OUT);
                rest = &value[end..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-' || c == '.'
}

/// Replaces a name where it stands alone, not inside a longer word.
fn replace_word(text: &str, name: &str, stands_for: &str) -> String {
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let (before, from) = rest.split_at(at);
        let after = &from[name.len()..];
        let alone = !out.chars().next_back().filter(|_| before.is_empty()).is_some_and(inside)
            && !before.chars().next_back().is_some_and(inside)
            && !after.chars().next().is_some_and(inside);
        out.push_str(before);
        out.push_str(if alone { stands_for } else { name });
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scrubbed(path: &str, text: &str) -> String {
        let bytes = Scrubber::default().file(path, text.as_bytes().to_vec());
        String::from_utf8(bytes).expect("text stays text")
    }

    #[test]
    fn passwords_and_keys_do_not_leave() {
        let cases = [
            ("/proc/mounts", "//s/x /x cifs rw,username=u,password=hunter2,vers=3 0 0"),
            ("/proc/mounts", "//s/x /x cifs rw,pass=hunter2 0 0"),
            ("/proc/cmdline", "ro rd.iscsi.password=hunter2 quiet"),
            ("/proc/7/cmdline", "mysqld\0--password\0hunter2\0--port=1"),
            ("/proc/7/cmdline", "sqlplus\0scott/hunter2@db"),
            ("/etc/my.cnf", "[client]\npassword = hunter2\nport=1\n# was hunter2"),
            ("/pg/postgresql.conf", "primary_conninfo = 'user=u hunter2'\nssl_key = hunter2"),
            ("/etc/iscsi/iscsid.conf", "node.session.auth.password = hunter2"),
            ("/x/sqlnet.ora", "WALLET_PASSWORD=(hunter2)"),
            ("/any", "api_token: \"hunter2\""),
        ];
        for (path, text) in cases {
            let kept = scrubbed(path, text);
            assert!(!kept.contains("hunter2"), "{path}: {kept}");
        }
    }

    #[test]
    fn harmless_text_is_not_touched() {
        for (path, text) in [
            ("/proc/meminfo", "MemTotal: 16 kB\nKeyed: 4\n"),
            ("/etc/my.cnf", "[mysqld]\ninnodb_flush_method=O_DIRECT\n"),
            ("/proc/mounts", "f:/a /a nfs4 rw,sec=sys,clientaddr=10.0.0.1 0 0\n"),
        ] {
            assert_eq!(scrubbed(path, text), text);
        }
    }

    #[test]
    fn names_are_hashed_alike_within_one_capture() {
        let scrubber =
            Scrubber::hiding(["dbhost01".to_owned(), "dbhost01.example.com".to_owned(), "vm".to_owned()]);
        let text = scrubber.text("dbhost01 dbhost01.example.com:/x dbhost01-b vm.swappiness");
        assert!(!text.contains("dbhost01 ") && !text.contains("example"), "{text}");
        assert!(text.contains("dbhost01-b vm.swappiness"), "{text}");
        assert_eq!(scrubber.text("dbhost01"), scrubber.text("dbhost01"));
        // A short name is hashed where it stands alone, as in /etc/hostname.
        assert!(scrubber.text("vm\n").starts_with("host-"));
    }
}
