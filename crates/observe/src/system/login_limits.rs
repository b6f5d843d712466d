//! What `pam_limits` grants a user at login: `/etc/security/limits.conf` and `limits.d`. A process that was started without
//! a login has less.
//!
//! Source: limits.conf(5): files of limits.d come after limits.conf in the order of their names, a user's line wins over
//! `*`, `-` stands for both limits, and memlock counts in KiB.

use crate::Root;
use fullwire_model::host::LoginLimits;

const FILE: &str = "/etc/security/limits.conf";
const DIRECTORY: &str = "/etc/security/limits.d";
/// Longer files are none of limits.
const FILE_BYTES: usize = 1 << 17;

/// What a user gets at a login, as far as a line says so.
pub(super) fn read(root: &Root, user: &str) -> LoginLimits {
    let mut names = root.list(DIRECTORY);
    names.retain(|name| name.rsplit_once('.').is_some_and(|(_, end)| end == "conf"));
    names.sort();
    let paths =
        std::iter::once(FILE.to_owned()).chain(names.iter().map(|name| format!("{DIRECTORY}/{name}")));
    let texts: Vec<String> =
        paths.filter_map(|path| root.try_read(&path, FILE_BYTES).ok()).map(|(text, _)| text).collect();
    granted(&texts, user)
}

fn granted(texts: &[String], user: &str) -> LoginLimits {
    let lines: Vec<Line> = texts.iter().flat_map(|text| text.lines()).filter_map(Line::of).collect();
    let limit = |kind: &str, item: &str| {
        let own: Vec<&Line> =
            lines.iter().filter(|line| line.item == item && [kind, "-"].contains(&line.kind)).collect();
        let last = |domain: &str| own.iter().rfind(|line| line.domain == domain).map(|line| line.value);
        // Which groups the user is in is not known: a line of one may be his, and wins over that of all.
        let of_groups = own.iter().any(|line| line.domain.starts_with('@'));
        last(user).or_else(|| if of_groups { None } else { last("*") })
    };
    LoginLimits {
        memlock_soft_bytes: limit("soft", "memlock").map(|kib| kib.saturating_mul(1024)),
        nofile_hard: limit("hard", "nofile"),
        nproc_hard: limit("hard", "nproc"),
    }
}

/// `oracle soft memlock 527433728`.
struct Line<'a> {
    domain: &'a str,
    kind: &'a str,
    item: &'a str,
    value: u64,
}

impl<'a> Line<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let mut words = line.split('#').next()?.split_whitespace();
        let (domain, kind, item) = (words.next()?, words.next()?, words.next()?);
        let value = match words.next()? {
            "unlimited" | "infinity" | "-1" => u64::MAX,
            number => number.parse().ok()?,
        };
        Some(Self { domain, kind, item, value })
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
        let memlock = |user: &str| granted(&texts, user).memlock_soft_bytes;
        assert_eq!((memlock("oracle"), memlock("grid")), (Some(4 << 20), Some(64 << 10)));
        let more = [
            "oracle hard nproc 2047\n* hard nofile 65536\n@dba - nproc 16384\ngrid soft memlock unlimited\n"
                .to_owned(),
        ];
        let (oracle, grid) = (granted(&more, "oracle"), granted(&more, "grid"));
        assert_eq!((oracle.nproc_hard, oracle.nofile_hard), (Some(2047), Some(65_536)));
        assert_eq!(grid.nproc_hard, None, "the group may be his");
        assert_eq!(grid.memlock_soft_bytes, Some(u64::MAX));
        assert_eq!(name_of("ora:x:501:500:A. Person:/home/ora:/bin/sh", 501).as_deref(), Some("ora:x:501\n"));
        assert_eq!(name_of("ora:x:501:500::/:/bin/sh", 500), None);
    }
}
