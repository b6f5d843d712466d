//! Files of a host that a text has with their paths: `cat /sys/block/sda/queue/scheduler` at a prompt and what it printed,
//! `==> /etc/fstab <==` of head(1) and tail(1), `/proc/sys/vm/swappiness:60` of grep(1).

use super::{Kind, Piece, is_prompt};
use crate::page;
use std::collections::VecDeque;

/// Folders whose files are read by their place. Counters below `/statistics/` and of `cpu.stat` are told as counters, and what else `/proc` has
/// has a form of its own.
const FOLDERS: [&str; 3] = ["/sys/", "/proc/sys/", "/etc/"];
/// More are a host: `fullwire capture` packs it.
const MOST_FILES: usize = 2_000;

/// The files that are named, and the text without them.
pub(super) fn files(text: &str) -> (Vec<Piece>, String) {
    let mut found: Vec<Piece> = Vec::new();
    let mut rest = String::new();
    let mut open = false;
    // Of `cat A B` those whose line is still to come.
    let mut waiting: VecDeque<String> = VecDeque::new();
    for line in text.lines() {
        let plain = page::plain(line);
        let bare = plain.trim();
        if found.len() < MOST_FILES
            && let Some((path, value)) = value(bare)
        {
            found.push(Piece { kind: Kind::File(path.to_owned()), text: format!("{value}\n") });
            open = false;
        } else if let Some(counter) = counter(bare) {
            rest.push_str(&counter);
            open = false;
        } else if let Some(paths) = headings(&plain).filter(|_| found.len() < MOST_FILES) {
            waiting = paths[1..].iter().map(|path| (*path).to_owned()).collect();
            found.push(Piece { kind: Kind::File(paths[0].to_owned()), text: String::new() });
            open = true;
        } else if let Some(path) = (open && !is_prompt(&plain) && found.last().is_some_and(is_read))
            .then(|| waiting.pop_front())
            .flatten()
        {
            found.push(Piece { kind: Kind::File(path), text: format!("{plain}\n") });
        } else if let Some(last) = found.last_mut().filter(|_| open && !is_prompt(&plain)) {
            last.text.push_str(&plain);
            last.text.push('\n');
        } else {
            open = false;
            rest.push_str(line);
            rest.push('\n');
        }
    }
    let is_own = found.is_empty() && rest.len() == text.len();
    // What the next boot sets is judged as if it were set.
    found.extend(found.iter().filter_map(in_force).collect::<Vec<_>>());
    found.retain(|piece| {
        let rows = disk_rows(piece);
        rest.extend(rows.iter().map(String::as_str));
        rows.is_empty() && !piece.text.trim().is_empty()
    });
    if is_own { (found, text.to_owned()) } else { (found, rest) }
}

/// The counters of `/sys/block/NAME/stat` as `/proc/diskstats` has them, with the name (Linux Documentation/block/stat.rst).
fn disk_rows(piece: &Piece) -> Vec<String> {
    let Kind::File(path) = &piece.kind else { return Vec::new() };
    let name = path.strip_suffix("/stat").filter(|path| path.contains("/block/"));
    let name = name.and_then(|path| path.rsplit('/').next());
    let row = |name: &str| {
        piece.text.lines().map(|line| format!("   8       0 {name} {}\n", line.trim())).collect()
    };
    name.map_or_else(Vec::new, row)
}

/// Kernel parameters of a file (sysctl.d(5)) as `sysctl -a` has them.
fn in_force(piece: &Piece) -> Option<Piece> {
    let Kind::File(path) = &piece.kind else { return None };
    (path == "/etc/sysctl.conf" || path.starts_with("/etc/sysctl.d/"))
        .then(|| Piece { kind: Kind::Host("/sos_commands/kernel/sysctl_-a"), text: piece.text.clone() })
}

/// A counter below `/statistics/`, as a name and a number: those of Fibre Channel are hexadecimal, and all ones where the adapter
/// does not count it (Linux `drivers/scsi/scsi_transport_fc.c`).
fn counter(line: &str) -> Option<String> {
    let (path, value) = line.strip_prefix("/sys/").and_then(|rest| rest.rsplit_once(':'))?;
    let (_, name) = path.split_once("/statistics/")?;
    let value = value.trim();
    let number = match value.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None => value.parse().ok()?,
    };
    let number = if number == u64::MAX { 0 } else { number };
    Some(format!("{name}: {number}\n"))
}

/// A path that is one word and leads nowhere else.
fn is_path(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-:@".contains(c);
    FOLDERS.iter().any(|folder| word.starts_with(folder))
        && word.chars().all(is_plain)
        && !word.contains("/statistics/")
        && !word.ends_with("/cpu.stat")
        && !word.split('/').any(|part| part == "..")
}

/// The files whose content follows: of several each has one line, as settings of the kernel have.
fn headings(line: &str) -> Option<Vec<&str>> {
    if let Some(path) = line.trim().strip_prefix("==> ").and_then(|rest| rest.strip_suffix(" <==")) {
        return is_path(path).then(|| vec![path]);
    }
    let (_, paths) = line.split_once(" cat ").filter(|_| is_prompt(line))?;
    // What is repeated or filtered behind it is of the same file.
    let paths: Vec<&str> = paths.split([';', '|', '&']).next().unwrap_or(paths).split_whitespace().collect();
    let is_line = |path: &&str| is_path(path) && (paths.len() == 1 || !path.starts_with("/etc/"));
    (!paths.is_empty() && paths.iter().all(is_line)).then_some(paths)
}

fn is_read(piece: &Piece) -> bool {
    !piece.text.is_empty()
}

/// `PATH:VALUE`. A folder may have colons in its name (`2:0:0:1`), and a value too (`8:0`): the first one in the last part of
/// the path stands between them.
fn value(line: &str) -> Option<(&str, &str)> {
    let last = line.rfind('/')?;
    let (path, value) = line.split_at(last + line[last..].find(':')?);
    let value = value[1..].trim();
    let is_one = !path.starts_with("/etc/") && is_path(path);
    (is_one && !value.is_empty()).then_some((path, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<(String, String)> {
        let of = |piece: Piece| match piece.kind {
            Kind::File(path) => (path, piece.text),
            other => panic!("{other:?}"),
        };
        files(text).0.into_iter().map(of).collect()
    }

    #[test]
    fn a_file_is_named_by_cat_by_head_or_by_grep() {
        let depth = ("/sys/block/sda/device/queue_depth".to_owned(), "1\n".to_owned());
        let cat = "$ cat /sys/block/sda/device/queue_depth\n1\n$ uptime\n up 3 days\n";
        let head = "==> /sys/block/sda/device/queue_depth <==\n1\n";
        let grep = "/sys/block/sda/device/queue_depth:1\n";
        for text in [cat, head, grep] {
            assert_eq!(named(text), std::slice::from_ref(&depth), "{text}");
        }
        let both = "# cat /sys/block/sda/device/queue_depth /sys/block/sda/device/state\n1\noffline\n";
        assert_eq!(named(both)[0], depth);
        assert_eq!(named(both)[1], ("/sys/block/sda/device/state".to_owned(), "offline\n".to_owned()));
        let colons = "/sys/class/scsi_device/2:0:0:1/device/block/sda/dev:8:0\n";
        assert_eq!(named(colons)[0].0, "/sys/class/scsi_device/2:0:0:1/device/block/sda/dev");
        assert_eq!(named(colons)[0].1, "8:0\n");
        assert_eq!(files(cat).1, "$ uptime\n up 3 days\n");
        let two = "[root@db1 ~]# cat /etc/multipath.conf\ndefaults {\n}\n[root@db1 ~]# cat /proc/sys/vm/swappiness\n60\n";
        assert_eq!(named(two)[0].1, "defaults {\n}\n");
        assert_eq!(named(two)[1].0, "/proc/sys/vm/swappiness");
    }

    #[test]
    fn counters_become_a_listing_and_kernel_parameters_are_in_force() {
        let counted = "/sys/class/fc_host/host7/statistics/invalid_crc_count:0x1f\n/sys/class/fc_host/host7/statistics/error_frames:0xffffffffffffffff\n";
        assert_eq!(files(counted).1, "invalid_crc_count: 31\nerror_frames: 0\n");
        let set = files("# cat /etc/sysctl.conf\nvm.swappiness = 10\n").0;
        let kinds: Vec<&Kind> = set.iter().map(|piece| &piece.kind).collect();
        assert_eq!(
            kinds,
            [&Kind::File("/etc/sysctl.conf".into()), &Kind::Host("/sos_commands/kernel/sysctl_-a")]
        );
    }

    #[test]
    fn what_only_looks_like_one_stays_where_it_is() {
        for text in [
            "$ cat /var/log/messages\nkernel: x\n",
            "$ cat /sys/class/net/eth2/statistics/rx_dropped\n12\n",
            "# cat /etc/../root/.ssh/id\nx\n",
            "see /etc/fstab: it has no line\n",
            "cat /etc/passwd | head\n",
        ] {
            assert_eq!(files(text), (Vec::new(), text.to_owned()), "{text}");
        }
    }
}
