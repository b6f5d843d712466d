//! What a capture keeps of what was read: no command line but those of servers, no environment, no comment of a
//! settings file, no value whose name is a secret's (see [`crate::secrets`]).

use super::into_text;
use crate::{kept, secrets};
use serde_json::Value;

/// Settings files by the end of their path. Those of databases come with their readers' own lists.
const SETTINGS_FILES: &[&str] = &[".conf", ".cnf", ".ora", ".ini", "oranfstab", "fstab"];

/// Files that are lists of mounts with their options.
const MOUNTS: &[&str] = &["/mounts", "/mountinfo", "/mountstats", "/fstab", "/mount_-l", "/mount"];

/// A file's text as it may be kept. Bytes that are no UTF-8 are text all the same.
pub(super) fn file(path: &str, bytes: Vec<u8>) -> String {
    let text = into_text(bytes);
    let is = |end: &str| path.ends_with(end);
    match () {
        () if path == "/proc/cmdline" => secrets::kernel_command_line(&text),
        () if is("/cmdline") => kept::command_line::kept_of_file(&text),
        () if is("/environ") => kept::oracle::kept_of_environment(&text),
        () if SETTINGS_FILES.iter().any(|end| is(end)) => settings(&text),
        () if MOUNTS.iter().any(|end| is(end)) => secrets::mount_options(&text),
        () => secrets::text(&text),
    }
}

/// All strings of a JSON value.
pub(super) fn json(value: &mut Value) {
    match value {
        Value::String(text) => *text = secrets::text(text),
        Value::Array(values) => values.iter_mut().for_each(json),
        Value::Object(fields) => fields.values_mut().for_each(json),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Comments go (they hold anything), and so do the lines of secrets. The lines after them keep their numbers.
fn settings(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for line in text.lines() {
        let content = line.trim_start();
        let key = content.split(|c: char| c == '=' || c.is_whitespace()).next().unwrap_or_default();
        let is_comment =
            content.starts_with(['#', ';']) || (content.starts_with('!') && !key.starts_with("!include"));
        if !is_comment && !secrets::is_secret_name(key) {
            let end = [" #", "\t#"].iter().filter_map(|mark| line.find(mark)).min().unwrap_or(line.len());
            kept.push_str(&secrets::mount_options(&line[..end]));
        }
        kept.push('\n');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scrubbed(path: &str, text: &str) -> String {
        file(path, text.as_bytes().to_vec())
    }

    #[test]
    fn passwords_and_keys_do_not_leave() {
        let cases = [
            ("/proc/mounts", "//s/x /x cifs rw,username=u,password=hunter2,vers=3 0 0"),
            ("/proc/mounts", "//s/x /x cifs rw,pass=hunter2 0 0"),
            ("/etc/fstab", "//s/x /x cifs rw,pass=a,,hunter2 0 0"),
            ("/proc/cmdline", "ro rd.iscsi.password=hunter2 quiet"),
            (
                "/proc/cmdline",
                "netroot=iscsi:user:hunter2@10.0.0.1 inst.ks=https://u:hunter2@h rootpw=hunter2",
            ),
            ("/proc/7/cmdline", "mysqld\0--password\0hunter2\0--port=1"),
            ("/proc/7/cmdline", "sqlplus\0scott/hunter2"),
            ("/proc/7/environ", "TNS_ADMIN=/x\0ORACLE_PWD=hunter2\0X=hunter2\0"),
            ("/etc/my.cnf", "[client]\npassword = hunter2\nport=1\n# was hunter2"),
            ("/pg/postgresql.conf", "primary_conninfo = 'user=u password=hunter2'\nssl_key = hunter2"),
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
    fn a_byte_of_latin_1_lets_no_secret_through() {
        for (path, text) in [
            ("/etc/my.cnf", b"# Z\xfcrich\n[client]\npassword=hunter2\n".as_slice()),
            ("/etc/x.conf", b"\0\xffpassword=hunter2"),
            ("/proc/9/cmdline", b"mysql\0-phunter2\0\xe9\0"),
            ("/proc/mounts", b"//s/\xe9 /x cifs rw,password=hunter2 0 0"),
            ("/any", b"\xe9 token=hunter2"),
        ] {
            let kept = file(path, text.to_vec());
            assert!(!kept.contains("hunter2"), "{path}: {kept}");
        }
    }

    #[test]
    fn harmless_text_is_not_touched() {
        for (path, text) in [
            ("/proc/meminfo", "MemTotal: 16 kB\nKeyed: 4\n"),
            ("/etc/my.cnf", "[mysqld]\n!includedir /etc/mysql/conf.d\ninnodb_flush_method=O_DIRECT\n"),
            ("/proc/mounts", "f:/a /a nfs4 rw,sec=sys,clientaddr=10.0.0.1 0 0\n"),
        ] {
            assert_eq!(scrubbed(path, text), text);
        }
    }
}
