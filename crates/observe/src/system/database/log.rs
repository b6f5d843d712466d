//! Lines of databases' own logs that report trouble: of PostgreSQL, `PgBouncer`, MySQL, MariaDB, Oracle. They are read in
//! captured trees alone, whose makers cut logs to a size; of a live host's log only its beginning could be read.

use crate::{MAX_READ_BYTES, Root, secrets};
use fullwire_model::host::database_log::{CHECKPOINT, LONG_SYNC_S, STARTED, kind_of};
use fullwire_model::host::{Database, DatabaseLogLine};
use fullwire_model::{Gap, GapReason};
use jiff::civil::DateTime;

/// Logs that are looked at.
const FILES_LIMIT: usize = 64;
/// Characters of a line that are kept.
const TEXT_LIMIT: usize = 300;

/// Places of logs that packages choose; `*` is one name.
const PLACES: &[&str] = &[
    "/var/log/postgresql/*.log",
    "/var/lib/pgsql/data/log/*.log",
    "/var/lib/pgsql/data/pg_log/*.log",
    "/var/lib/pgsql/data/pg_log/*.csv",
    "/var/lib/pgsql/data/log/*.csv",
    "/var/lib/pgsql/*/data/log/*.log",
    "/var/lib/pgsql/*/data/pg_log/*.log",
    "/var/log/pgbouncer/*.log",
    "/var/log/mysqld.log",
    "/var/log/mysql/mysqld.log",
    "/var/log/mysql/error.log",
    "/var/log/mariadb/mariadb.log",
    "/u01/app/oracle/diag/rdbms/*/*/trace/alert_*.log",
    "/u01/app/grid/diag/asm/+asm/*/trace/alert_*.log",
];

/// How large the trouble of a line is, by the number in it: seconds of fsync, of a wait; none where it has none.
fn size_of(kind: &str, line: &str) -> Option<f64> {
    let after = |mark: &str| -> Option<f64> {
        let rest = line.split_once(mark)?.1;
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        rest[..end].parse().ok()
    };
    match kind {
        CHECKPOINT => after("sync="),
        "pst-wait" => after("Waited "),
        "page-cleaner" => after("intended loop took "),
        "log-write-slow" => after("elapsed time "),
        _ => None,
    }
}

/// Times of the capture: in the host's own time zone, and in UTC.
#[derive(Default)]
struct Now {
    local: Option<DateTime>,
    utc: Option<DateTime>,
}

impl Now {
    fn of(root: &Root) -> Self {
        let said = |name: &str| {
            root.attribute(&format!("/sos_commands/date/{name}")).and_then(|text| stamp_of(&text))
        };
        let utc = said("date_--utc").map(|(time, _)| time).or_else(|| booted(root));
        Self { local: said("date").map(|(time, _)| time).or(utc), utc }
    }

    /// Seconds since a stamp.
    fn age_s(&self, (time, is_utc): (DateTime, bool)) -> Option<f64> {
        let now = if is_utc { self.utc } else { self.local }?;
        Some(now.duration_since(time).as_secs_f64())
    }
}

/// The time of the reading by the kernel: that of the boot and how long the host has run.
fn booted(root: &Root) -> Option<DateTime> {
    let stat = root.attribute("/proc/stat")?;
    let boot: i64 = stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
    let up: i64 = root.attribute("/proc/uptime")?.split(['.', ' ']).next()?.parse().ok()?;
    let now = jiff::Timestamp::from_second(boot.checked_add(up)?).ok()?;
    Some(now.to_zoned(jiff::tz::TimeZone::UTC).datetime())
}

pub(super) fn read(
    root: &Root,
    databases: &[&Database],
    gaps: &mut Vec<Gap>,
) -> Option<Vec<DatabaseLogLine>> {
    let paths = if root.is_live() { Vec::new() } else { paths(root, databases) };
    if paths.is_empty() {
        return None;
    }
    let now = Now::of(root);
    let mut found = Vec::new();
    for path in paths {
        match root.try_read(&path, MAX_READ_BYTES) {
            Ok((text, cut)) => {
                if cut {
                    gaps.push(Gap::new(&path, GapReason::Skipped, "only the beginning of this log was read"));
                }
                found.extend(parse(&text, &path, &now));
            }
            Err(error) => gaps.push(crate::root::gap_of(&path, &error)),
        }
    }
    Some(found)
}

/// Where these servers of the host itself write: one in a container calls its own files so.
fn paths(root: &Root, databases: &[&Database]) -> Vec<String> {
    let of_postgres = databases.iter().filter(|database| database.kind == "postgresql");
    let own = of_postgres.flat_map(|database| {
        let data = database.name.trim_end_matches('/');
        ["log/*.log", "pg_log/*.log", "log/*.csv", "pg_log/*.csv"].map(|place| format!("{data}/{place}"))
    });
    let of_oracle = databases.iter().filter(|database| database.kind == "oracle").filter_map(|database| {
        let (base, _) = database.settings.get("oracle_home")?.split_once("/product/")?;
        Some(format!("{base}/diag/rdbms/*/{0}/trace/alert_{0}.log", database.name))
    });
    let places: Vec<String> =
        PLACES.iter().map(|&place| place.to_owned()).chain(own).chain(of_oracle).collect();
    let mut paths: Vec<String> = places.iter().flat_map(|place| matching(root, place)).collect();
    paths.sort();
    paths.dedup();
    paths.truncate(FILES_LIMIT);
    paths
}

/// The files that a place names: `*` stands for any part of one name.
fn matching(root: &Root, place: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for part in place.split('/').skip(1) {
        found = match part.split_once('*') {
            None => found.into_iter().map(|path| format!("{path}/{part}")).collect(),
            Some((start, end)) => {
                let fits = |name: &String| name.starts_with(start) && name.ends_with(end);
                let below = |path: String| {
                    let names = root.list(&path).into_iter().filter(fits).take(FILES_LIMIT);
                    names.map(|name| format!("{path}/{name}")).collect::<Vec<_>>()
                };
                found.into_iter().flat_map(below).take(FILES_LIMIT).collect()
            }
        };
    }
    found.retain(|path| root.exists(path));
    found
}

/// One entry for each kind, with its last line.
fn parse(text: &str, source: &str, now: &Now) -> Vec<DatabaseLogLine> {
    let mut found: Vec<DatabaseLogLine> = Vec::new();
    let mut stamp = None;
    for line in text.lines() {
        // Oracle writes the time on a line of its own, before what it is of.
        stamp = stamp_of(line).or(stamp);
        let Some(kind) = kind_of(line) else { continue };
        if kind == STARTED {
            found.retain(|entry| entry.kind != "native-aio");
            continue;
        }
        let message = secrets::text(without_stamp(line)).chars().take(TEXT_LIMIT).collect();
        let age_s = stamp.and_then(|stamp| now.age_s(stamp));
        let size = size_of(kind, line);
        if kind == CHECKPOINT && size.is_none_or(|seconds| seconds < LONG_SYNC_S) {
            continue;
        }
        if let Some(entry) = found.iter_mut().find(|entry| entry.kind == kind) {
            // The largest of them tells most; where none has a number, the last.
            if size.is_none() || size >= size_of(kind, &entry.text) {
                entry.text = message;
            }
            entry.age_s = age_s;
            entry.count += 1;
        } else {
            let (kind, source) = (kind.to_owned(), source.to_owned());
            found.push(DatabaseLogLine { kind, text: message, age_s, count: 1, source });
        }
    }
    found
}

/// `2026-11-12 13:53:53.113 CET`, `2026-11-12T09:06:59.412312Z`, `Thu Nov 12 14:05:33 2026` or with a zone before the
/// year, at the start of a line, and whether it is of UTC.
fn stamp_of(line: &str) -> Option<(DateTime, bool)> {
    if let Some(time) = line.get(..19).filter(|text| text.as_bytes()[4] == b'-') {
        // MariaDB has a blank in place of the hour's leading zero.
        let time = time.replace('T', " ").replace("  ", " 0").parse().ok()?;
        let mut after = line.get(19..)?.split([' ', '[']).take(2);
        return Some((time, after.any(|word| word.ends_with('Z') || ["UTC", "GMT"].contains(&word))));
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let (zone, year) = match words.as_slice() {
        [_, _, _, _, year] => ("", *year),
        [_, _, _, _, zone, year] => (*zone, *year),
        _ => return None,
    };
    let text = format!("{} {} {} {year}", words[1], words[2], words[3]);
    let time = DateTime::strptime("%b %d %H:%M:%S %Y", text).ok()?;
    Some((time, zone == "UTC"))
}

/// A line without the time at its start.
fn without_stamp(line: &str) -> &str {
    let Some(rest) = stamp_of(line).and_then(|_| line.get(19..)) else { return line.trim() };
    let message = rest.split_once(' ').map_or(rest, |(_, message)| message).trim();
    // PostgreSQL names the time zone.
    match message.split_once(' ') {
        Some((zone, rest))
            if zone.len() <= 5
                && zone.bytes().all(|byte| byte.is_ascii_uppercase())
                && rest.starts_with('[') =>
        {
            rest
        }
        _ => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rooted;

    fn now() -> Now {
        let time = |text: &str| stamp_of(text).map(|(time, _)| time);
        Now { local: time("Thu Nov 12 14:05:33 CET 2026"), utc: time("Thu Nov 12 13:05:33 UTC 2026") }
    }

    fn kinds(text: &str) -> Vec<String> {
        let told =
            |line: DatabaseLogLine| format!("{} {} {:.0}", line.kind, line.count, line.age_s.unwrap_or(-1.0));
        parse(text, "/log", &now()).into_iter().map(told).collect()
    }

    #[test]
    fn tells_troubles_with_their_age() {
        let postgres = "2026-11-12 13:04:33.113 CET [1] WARNING:  database \"app\" must be vacuumed within 8311211 transactions\n\
                        2026-11-12 14:04:33.113 CET [1] WARNING:  database \"app\" must be vacuumed within 8307211 transactions\n\
                        2026-11-12 13:05:33.113 UTC [2] LOG:  archive command failed with exit code 82\n\
                        2026-11-12 13:05:33.113 UTC [2] LOG:  statement: select 'No space left on device'\n\
                        2026-11-12 13:05:33.113 UTC [2] LOG:  checkpoint complete\n";
        assert_eq!(kinds(postgres), ["wraparound 2 60", "archiving 1 0"]);
        let mysql = "2026-11-12T12:05:33.412312Z 812 [ERROR] [MY-000035] [Server] Disk is full writing './b.1' (OS errno 28)\n";
        assert_eq!(kinds(mysql), ["disk-full 1 3600"]);
        let oracle = "2026-11-12T14:05:23.000000+01:00\nErrors in file /u01/x.trc:\nORA-00600: internal error code\n\
                      Wed Nov 11 14:05:33 2026\nThread 1 cannot allocate new log\nCheckpoint not complete\n";
        assert_eq!(kinds(oracle), ["internal 1 10", "redo-small 1 86400"]);
    }

    /// The largest of many tells most, and a short fsync is none.
    #[test]
    fn the_longest_wait_is_the_one_that_is_told() {
        let sync = |seconds: &str| {
            format!(
                "2026-11-12 14:00:00.1 CET [9] LOG:  checkpoint complete: wrote 15047 buffers (1.4%); write=68.980 s, sync={seconds} s, total=70.548 s\n"
            )
        };
        let text = format!("{}{}{}", sync("1.542"), sync("17.164"), sync("5.212"));
        let told = parse(&text, "/log", &now());
        assert_eq!((told.len(), told[0].count), (1, 2));
        assert!(told[0].text.contains("sync=17.164 s"), "{}", told[0].text);
        let pst = "WARNING: Waited 15 secs for write IO to PST disk 1 in group 2.\nWARNING: Waited 36 secs for write IO to PST disk 1 in group 2.\nWARNING: Waited 18 secs for write IO to PST disk 1 in group 2.\n";
        assert!(parse(pst, "/log", &now())[0].text.contains("36 secs"));
    }

    #[test]
    fn what_no_pattern_knows_is_kept_and_what_clients_do_is_not() {
        let odd = "2026-11-12T12:05:33.412312Z 812 [ERROR] [MY-012345] [InnoDB] Something new is wrong\n";
        assert_eq!(kinds(odd), ["unknown 1 3600"]);
        let client = "2026-11-12 13:05:33.113 UTC [2] FATAL:  password authentication failed for user \"app\"\n\
                      2026-11-12 13:05:33.113 UTC [2] ERROR:  relation \"x\" does not exist\n";
        assert_eq!(kinds(client), Vec::<String>::new());
    }

    #[test]
    fn what_was_said_before_the_last_start_is_over() {
        let start = "2026-11-12 10:00:00 0 [Note] Starting MariaDB 10.11.11 source revision e server_uid k as process 24\n";
        let failed = "2026-11-12 10:00:01 0 [Warning] mariadbd: io_uring_queue_init() failed with ENOMEM\n";
        assert_eq!(kinds(&format!("{start}{failed}{start}")), Vec::<String>::new());
        assert_eq!(kinds(&format!("{start}{failed}")), ["native-aio 1 14732"]);
    }

    #[test]
    fn finds_logs_where_packages_and_servers_keep_them() {
        let (_tree, root) = rooted(&[
            ("var/lib/pgsql/16/data/log/postgresql-Thu.log", "ORA-00600: x\n"),
            ("o/diag/rdbms/prod/PROD1/trace/alert_PROD1.log", "ORA-00600: x\n"),
        ]);
        let mut database = Database { kind: "oracle".into(), name: "PROD1".into(), ..Database::default() };
        database.settings.insert("oracle_home".into(), "/o/product/19/db".into());
        let sources: Vec<String> = read(&root, &[&database], &mut Vec::new())
            .into_iter()
            .flatten()
            .map(|line| line.source)
            .collect();
        assert_eq!(
            sources,
            [
                "/o/diag/rdbms/prod/PROD1/trace/alert_PROD1.log",
                "/var/lib/pgsql/16/data/log/postgresql-Thu.log"
            ]
        );
    }
}
