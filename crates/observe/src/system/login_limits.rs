//! What `pam_limits` grants a user at login: `/etc/security/limits.conf` and `limits.d`. A process that was started without
//! a login has less.
//!
//! Source: limits.conf(5): files of limits.d come after limits.conf in the order of their names, a user's line wins over
//! `*`, `-` stands for both limits, and memlock counts in KiB.

use crate::Root;

const FILE: &str = "/etc/security/limits.conf";
const DIRECTORY: &str = "/etc/security/limits.d";
/// Longer files are none of limits.
const FILE_BYTES: usize = 1 << 17;

/// Locked memory that a user may have after a login, soft limit, bytes; `None`: no line says.
pub(super) fn memlock_bytes(root: &Root, user: &str) -> Option<u64> {
    let mut names = root.list(DIRECTORY);
    names.retain(|name| name.rsplit_once('.').is_some_and(|(_, end)| end == "conf"));
    names.sort();
    let paths =
        std::iter::once(FILE.to_owned()).chain(names.iter().map(|name| format!("{DIRECTORY}/{name}")));
    let texts: Vec<String> =
        paths.filter_map(|path| root.try_read(&path, FILE_BYTES).ok()).map(|(text, _)| text).collect();
    last(&texts, user).or_else(|| last(&texts, "*"))
}

/// The line that counts for this domain.
fn last(texts: &[String], domain: &str) -> Option<u64> {
    let lines = texts.iter().flat_map(|text| text.lines());
    lines.filter_map(|line| value(line, domain)).next_back()
}

/// `oracle soft memlock 527433728`.
fn value(line: &str, domain: &str) -> Option<u64> {
    let mut words = line.split('#').next()?.split_whitespace();
    let (of, kind, item, value) = (words.next()?, words.next()?, words.next()?, words.next()?);
    if of != domain || !["soft", "-"].contains(&kind) || item != "memlock" {
        return None;
    }
    match value {
        "unlimited" | "infinity" | "-1" => Some(u64::MAX),
        kib => kib.parse::<u64>().ok().map(|kib| kib.saturating_mul(1024)),
    }
}

/// The user of Oracle's preinstallation packages, by the number that they give him.
const PREINSTALLED: (u32, &str) = (54_321, "oracle");

/// The name of a user, where the host's own list has it; nothing else of the list is kept.
pub(super) fn user_name(root: &Root, uid: u32) -> Option<String> {
    let kept = |text: &str| text.lines().find_map(|line| name_of(line, uid)).unwrap_or_default();
    let line = root.read_settings("/etc/passwd", 1 << 20, None, kept).ok();
    let name = line.and_then(|line| Some(line.split_once(':')?.0.to_owned()));
    name.or_else(|| (uid == PREINSTALLED.0).then(|| PREINSTALLED.1.to_owned()))
}

/// `NAME:x:UID` of the line of this user.
fn name_of(line: &str, uid: u32) -> Option<String> {
    let mut fields = line.split(':');
    let (name, own) = (fields.next()?, fields.nth(1)?);
    (own.parse() == Ok(uid)).then(|| format!("{name}:x:{uid}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_the_user_counts() {
        let texts = [
            "# oracle soft memlock 1\n* soft memlock 64\noracle soft memlock 1024 # old\n".to_owned(),
            "oracle hard memlock 9\noracle - memlock 4096\nmysql soft nofile 65536\n".to_owned(),
        ];
        assert_eq!(last(&texts, "oracle"), Some(4 << 20));
        assert_eq!(last(&texts, "*"), Some(64 << 10));
        assert_eq!(last(&texts, "mysql"), None);
        assert_eq!(value("grid soft memlock unlimited", "grid"), Some(u64::MAX));
        assert_eq!(name_of("ora:x:501:500:A. Person:/home/ora:/bin/sh", 501).as_deref(), Some("ora:x:501\n"));
        assert_eq!(name_of("ora:x:501:500::/:/bin/sh", 500), None);
    }
}
