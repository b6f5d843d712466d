//! Listings of databases and of their tools: tables that are known by the names of their columns, whatever the query. Each
//! row becomes a line `v$asm_disk: name=DATA_0003; read_errs=17`; what it means is known by its words, as of any other line.

use super::results;
use crate::page;
use crate::sheet::{self, Sheet};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::LazyLock;

/// A listing of more rows is cut.
const MOST_ROWS: usize = 400;
/// A text of more bytes is a log.
const LARGEST_BYTES: usize = 1 << 20;
/// Rows that tell which of several listings with the same columns it is.
const MOST_LOOKED_AT: usize = 60;

/// A table, and what its heading has at least.
struct Listing {
    name: &'static str,
    columns: &'static [&'static str],
    /// Of names and values in the first and the last column, which are one record: it has one of these; empty: any.
    names: &'static [&'static str],
}

const fn rows(name: &'static str, columns: &'static [&'static str]) -> Listing {
    Listing { name, columns, names: &[] }
}

const fn pairs(
    name: &'static str,
    columns: &'static [&'static str],
    names: &'static [&'static str],
) -> Listing {
    Listing { name, columns, names }
}

/// Oracle Database Reference, Dynamic Performance Views; PostgreSQL documentation, The Cumulative Statistics System; the
/// more special before the more general.
const LISTINGS: &[Listing] = &[
    rows("v$asm_disk", &["name", "read_errs", "write_errs"]),
    rows("v$asm_disk", &["name", "mode_status", "mount_status"]),
    rows("v$asm_disk", &["name", "path", "mode_status"]),
    rows("v$asm_disk", &["name", "total_mb", "path"]),
    rows("v$asm_disk", &["failgroup", "name", "path"]),
    rows("v$asm_disk", &["group_number", "name", "total_mb", "free_mb"]),
    rows("v$asm_operation", &["operation", "state", "est_minutes"]),
    rows("v$archive_gap", &["thread#", "low_sequence#", "high_sequence#"]),
    rows("v$managed_standby", &["process", "status", "sequence#"]),
    rows("v$archive_dest_status", &["dest_id", "status", "synchronization_status"]),
    rows("v$archive_dest", &["dest_id", "net_timeout", "transmit_mode"]),
    rows("v$recovery_area_usage", &["file_type", "percent_space_used", "percent_space_reclaimable"]),
    rows("v$resource_limit", &["resource_name", "current_utilization", "limit_value"]),
    rows("v$filestat", &["file#", "phyrds", "readtim"]),
    rows(HISTOGRAM, &["wait_time_milli", "wait_count"]),
    rows("v$iostat_file", &["filetype_name", "small_read_reqs", "small_read_servicetime"]),
    rows("v$session_wait", &["event", "wait_time_micro"]),
    rows("v$session_wait", &["event", "seconds_in_wait"]),
    rows("ASH", &["event", "event class", "% activity"]),
    rows("v$cluster_interconnects", &["name", "ip_address", "is_public"]),
    rows("v$log", &["group#", "bytes"]),
    rows("v$log", &["thread#", "count(*)", "max(bytes)"]),
    rows("v$logfile", &["group#", "members"]),
    rows("v$logfile", &["group#", "member"]),
    rows("v$db_cache_advice", &["size_for_estimate", "estd_physical_reads"]),
    rows("v$database", &["protection_mode"]),
    pairs("v$sysstat", &["name", "value"], &["redo size", "redo writes", "physical reads", "user commits"]),
    pairs("v$sysmetric", &["metric_name", "value"], &[]),
    pairs(
        "v$parameter",
        &["name", "type", "value"],
        &["filesystemio_options", "disk_asynch_io", "dg_broker_start", "log_archive_dest_2", "log_buffer"],
    ),
    rows("pg_stat_bgwriter", &["checkpoints_timed", "checkpoints_req"]),
    rows("pg_stat_bgwriter", &["buffers_clean", "maxwritten_clean"]),
    rows("pg_stat_checkpointer", &["num_timed", "num_requested"]),
    rows("pg_stat_archiver", &["archived_count", "failed_count"]),
    rows("pg_stat_wal", &["wal_records", "wal_buffers_full"]),
    rows("pg_stat_database", &["datname", "temp_files"]),
    rows("pg_stat_database", &["datname", "deadlocks"]),
    rows("pg_stat_database_conflicts", &["datname", "confl_lock"]),
    rows("pg_stat_io", &["backend_type", "object", "reads"]),
    rows("pg_stat_io", &["backend_type", "object", "fsyncs"]),
    rows("pg_stat_replication", &["application_name", "state", "sync_state"]),
    rows("pg_stat_replication", &["write_lag", "flush_lag"]),
    rows("pg_stat_replication", &["client_addr", "replay_lag"]),
    // patronictl(1), list.
    rows("patroni", &["member", "role", "state"]),
    // repmgr's manual, cluster show; etcdctl(1), endpoint status -w table.
    rows("repmgr", &["id", "name", "role", "status", "upstream"]),
    rows("etcdctl", &["endpoint", "id", "is leader", "errors"]),
    rows("pg_replication_slots", &["slot_name", "active", "restart_lsn"]),
    rows("pg_stat_statements", &["calls", "query", "total_exec_time"]),
    rows("pg_stat_user_tables", &["relname", "n_live_tup", "n_dead_tup"]),
    rows("pg_statio_user_tables", &["relname", "heap_blks_read", "heap_blks_hit"]),
    rows("v$asm_diskgroup", &["name", "usable_file_mb"]),
    rows("v$asm_diskgroup", &["name", "use_mb"]),
    rows("v$dataguard_stats", &["name", "value", "time_computed"]),
    rows("v$dnfs_servers", &["svrname", "dirname"]),
    rows("v$dnfs_channels", &["svrname", "path", "sends"]),
    rows("v$dnfs_stats", &["pnum", "nfs_read", "nfs_write"]),
    rows("v$sgastat", &["pool", "name", "bytes"]),
    // top(1) without its head; ps(1), aux; strace(1), -c.
    rows("top", &["pid", "user", "s", "%cpu", "%mem", "command"]),
    rows("ps", &["user", "pid", "%cpu", "%mem", "stat", "command"]),
    rows("strace", &["% time", "seconds", "usecs/call", "calls", "syscall"]),
    // charbench of swingbench, -v.
    rows("charbench", &["users", "tpm", "tps"]),
    rows("iozone", &["kb", "reclen", "write", "rewrite", "read", "reread"]),
    // MySQL manual, SHOW ENGINE and the summary tables of waits; RMAN's `list backup summary`.
    rows("innodb mutex", &["type", "name", "status"]),
    rows("performance_schema", &["event_name", "count_star"]),
    // SQL Server.
    rows("sys.dm_os_wait_stats", &["wait_type", "waiting_tasks_count", "wait_time_ms"]),
    rows("rman", &["key", "ty", "lv", "s"]),
    // esxtop(1), disk adapters and devices, and ports of the network; `esxcli storage core device smart get`.
    rows("esxtop", &["davg/cmd", "kavg/cmd", "gavg/cmd"]),
    rows("esxtop network", &["used-by", "%drptx", "%drprx"]),
    rows("esxcli smart", &["parameter", "value", "threshold", "worst"]),
    // AWR, SQL ordered by Elapsed Time.
    rows("awr sql", &["%total", "%cpu", "%io"]),
    // storcli(8), /cx show all: BBU_Info and Cachevault_Info.
    rows("storcli battery", &["model", "state", "temp", "mode", "mfgdate"]),
];

const HISTOGRAM: &str = "v$event_histogram";
/// Buckets that hold fewer of the waits, with all that are longer, tell of none that counts (own choice).
const RARE: f64 = 0.001;

/// A histogram of waits without the buckets of rare ones, but for the log writer's, where each is a commit's; the event may be
/// named by the statement alone (`where event = 'log file sync'`).
fn of_histogram(rows: &[String], before: &[String]) -> Vec<String> {
    let asked = before.iter().rev().take(8).find_map(|line| {
        let (_, quoted) =
            line.split_once('\'').filter(|(start, _)| start.to_lowercase().contains("event"))?;
        quoted.split('\'').next()
    });
    let cell =
        |row: &str, name: &str| cells(row).find(|(own, _)| *own == name).map(|(_, value)| value.to_owned());
    let event = |row: &str| cell(row, "event").or_else(|| asked.map(str::to_owned)).unwrap_or_default();
    let number =
        |row: &str, name: &str| cell(row, name).and_then(|value| value.parse::<f64>().ok()).unwrap_or(0.0);
    let at_least = |of: &str, least: f64| -> f64 {
        let own = rows.iter().filter(|row| event(row) == of && number(row, "wait_time_milli") >= least);
        own.map(|row| number(row, "wait_count")).sum()
    };
    let counts = |row: &&String| {
        let of = event(row);
        of.starts_with("log file parallel")
            || at_least(&of, number(row, "wait_time_milli")) >= RARE * at_least(&of, 0.0)
    };
    let named = |row: &String| match asked.filter(|_| cell(row, "event").is_none()) {
        Some(event) => row.replacen(": ", &format!(": event={event}; "), 1),
        None => row.clone(),
    };
    rows.iter().filter(counts).map(named).collect()
}

impl Listing {
    fn is_pairs(&self) -> bool {
        self.columns.last() == Some(&"value")
    }
}

/// Whether a text is such a listing.
pub(crate) fn is_listing(text: &str) -> bool {
    !read(text).lines.is_empty()
}

/// A line is a row of one of them: its own words say nothing, what is known of the listing does.
pub(crate) fn is_row(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(name, rest)| {
        rest.contains('=')
            && (OTHERS.contains(&name)
                || results::tools().any(|tool| tool == name)
                || LISTINGS.iter().any(|one| one.name == name))
    })
}

/// The columns of a row with their values.
pub(crate) fn cells(row: &str) -> impl Iterator<Item = (&str, &str)> {
    let cells = row.split_once(": ").filter(|_| is_row(row)).map_or("", |(_, cells)| cells);
    cells.split("; ").filter_map(|cell| cell.split_once('='))
}

/// Those whose form is their own.
const OTHERS: [&str; 10] = [
    "oifcfg",
    "netperf",
    "slow query",
    "multipath.conf",
    "mtu",
    "recovery area",
    "ADDM",
    "perf sched",
    "cell",
    "log switches",
];

/// What is listed in a text.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    pub(crate) lines: Vec<String>,
    /// Where it stands, as numbers of the text's lines.
    pub(crate) at: BTreeSet<usize>,
}

/// All listings of a text.
pub(crate) fn read(text: &str) -> Listed {
    let mut listed = Listed::default();
    if text.len() > LARGEST_BYTES {
        return listed;
    }
    let lines: Vec<String> = text.lines().map(page::plain).collect();
    // A block ends at the next empty line. Only from its first line can all of it be one record.
    let (mut from, mut to) = (0, 0);
    while from < lines.len() {
        let begins = from >= to;
        if begins {
            let after = lines[from + 1..].iter().position(|line| line.trim().is_empty());
            to = after.map_or(lines.len(), |after| from + 1 + after);
        }
        let record = || begins.then(|| upright(&lines[from..to])).flatten();
        let found = table(&lines[..to], from).or_else(record);
        match found {
            Some(rows) => {
                listed.lines.extend(rows.into_iter().take(MOST_ROWS));
                listed.at.extend(from..to);
                from = to;
            }
            None => from += 1,
        }
    }
    for (at, line) in lines.iter().enumerate() {
        let row = interface(line).or_else(|| netperf(&lines, at)).or_else(|| results::row(line));
        let row = row.or_else(|| sleeper(line));
        if let Some(row) = row {
            listed.lines.push(row);
            listed.at.insert(at);
        }
    }
    listed.lines.truncate(MOST_ROWS);
    listed
}

fn reduce(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | ' ')).collect()
}

/// The columns of each listing, as headings are compared: every line of a file is held against them.
static COLUMNS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    LISTINGS.iter().map(|one| one.columns.iter().map(|column| reduce(column)).collect()).collect()
});

/// The rows below a heading that is known.
fn table(lines: &[String], heading: usize) -> Option<Vec<String>> {
    let line = &lines[heading];
    // A statement names columns, too.
    if line.to_lowercase().contains("select ") || !line.contains(char::is_alphabetic) {
        return None;
    }
    let names: Vec<String> = sheet::heading_names(line);
    let words: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let joined: String = names.concat();
    let is_ruled = lines.get(heading + 1).is_some_and(|line| sheet::is_rule(line));
    let has = |column: &String| {
        words.contains(&**column)
            || (column.contains('%') || column == "eventclass") && joined.contains(&**column)
            // `SQL*Plus` cuts a name to the width of its column, which its ruler shows.
            || is_ruled && words.iter().any(|name| sheet::is_cut_from(name, column))
    };
    let mut known = LISTINGS.iter().zip(&*COLUMNS).filter(|(_, columns)| columns.iter().all(has)).peekable();
    known.peek()?;
    let sheet = sheet::all_rows(lines, heading);
    let (listing, rows) = known.find_map(|(listing, _)| Some((listing, told(listing, &sheet)?)))?;
    // Each row asks for all.
    let rows = if listing.name == HISTOGRAM && rows.len() <= MOST_LOOKED_AT {
        of_histogram(&rows, &lines[..heading])
    } else {
        rows
    };
    (!rows.is_empty()).then_some(rows)
}

fn told(listing: &Listing, sheet: &Sheet) -> Option<Vec<String>> {
    let full = |name: &str| {
        let bare = name.trim().to_lowercase();
        let whole = listing.columns.contains(&bare.as_str());
        let cut = |column: &&&str| !whole && sheet::is_cut_from(&reduce(&bare), &reduce(column));
        let cut = listing.columns.iter().find(cut).map(|column| (*column).to_owned());
        cut.unwrap_or(bare)
    };
    if listing.is_pairs() {
        let name = sheet.column_or_cut(&reduce(listing.columns[0]))?;
        let value = sheet.column_or_cut("value")?;
        let rows = sheet.rows.iter().map(|row| (row.cell(name).to_lowercase(), row.cell(value)));
        let rows: Vec<(String, &str)> = rows.collect();
        let own = |(name, _): &(String, &str)| listing.names.contains(&name.as_str());
        let is_own = listing.names.is_empty() || rows.iter().take(MOST_LOOKED_AT).any(own);
        return is_own.then(|| vec![line(listing.name, rows.into_iter(), sheet)]);
    }
    let names: Vec<String> = sheet.columns().iter().map(|name| full(name)).collect();
    let of = |row: &sheet::Row| {
        let cells = names.iter().enumerate().map(|(column, name)| (name.clone(), row.cell(column)));
        line(listing.name, cells, sheet)
    };
    Some(sheet.rows.iter().map(of).collect())
}

fn line<'a>(name: &str, cells: impl Iterator<Item = (String, &'a str)>, sheet: &Sheet) -> String {
    let mut line = format!("{name}:");
    for (name, cell) in cells.filter(|(name, cell)| !name.is_empty() && !cell.is_empty()) {
        let is_number = cell.ends_with(|c: char| c.is_ascii_digit()) && !cell.contains(['-', ':', ' ']);
        match sheet.number(cell).filter(|_| is_number) {
            Some(number) => {
                let _ = write!(line, " {name}={number};");
            }
            None => {
                let _ = write!(line, " {name}={};", cell.replace(';', ","));
            }
        }
    }
    line.trim_end_matches(';').to_owned()
}

/// `psql`'s expanded form: a column and its value in each line.
fn upright(lines: &[String]) -> Option<Vec<String>> {
    let pair = |line: &String| {
        let (name, value) = line.split_once('|')?;
        let name = name.trim();
        (!name.is_empty() && !name.contains(' ')).then(|| (name.to_lowercase(), value.trim().to_owned()))
    };
    let pairs: Vec<(String, String)> = lines.iter().filter_map(pair).collect();
    let has = |column: &&str| pairs.iter().any(|(name, _)| name == column);
    let known = LISTINGS.iter().find(|one| !one.is_pairs() && one.columns.iter().all(has))?;
    let cells = pairs.iter().map(|(name, value)| (name.clone(), value.as_str()));
    Some(vec![line(known.name, cells, &Sheet::default())])
}

/// `eth1  192.168.10.0  global  cluster_interconnect` of `oifcfg getif`.
fn interface(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, network, scope, uses @ ..] = words.as_slice() else { return None };
    let used = ["public", "cluster_interconnect", "asm"];
    let is_use = |word: &&str| word.split(',').all(|one| used.contains(&one));
    let is_network = network.split('.').count() == 4 || network.contains("::");
    (*scope == "global" && is_network && !uses.is_empty() && uses.iter().all(is_use))
        .then(|| format!("oifcfg: interface={name}; network={network}; use={}", uses.join(",")))
}

/// A process in state D and the function of the kernel that it waits in, as `ps -eo pid,stat,wchan,comm` lists it, whether or not
/// grep left its heading: `4120 Ds rpc_wait_bit_killable ora_dbw0_db7`.
fn sleeper(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_state = |word: &&str| word.starts_with('D') && word[1..].chars().all(|c| "sl<N+L".contains(c));
    let is_function = |word: &str| {
        word.contains('_') && word.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_')
    };
    let state = words.iter().position(is_state).filter(|at| *at > 0)?;
    let pid = words[..state].iter().find(|word| word.parse::<u32>().is_ok())?;
    let (wchan, command) = (words.get(state + 1)?, words.get(state + 2..)?.first()?);
    is_function(wchan).then(|| format!("ps: pid={pid}; state=D; wchan={wchan}; command={command}"))
}

/// The figure of netperf stands last in the first row of numbers below its units.
fn netperf(lines: &[String], at: usize) -> Option<String> {
    const HEADING: usize = 3;
    let words: Vec<&str> = lines[at].split_whitespace().collect();
    let is_row = words.len() >= 5 && words.iter().all(|word| word.parse::<f64>().is_ok());
    let units = lines[at.saturating_sub(HEADING)..at].iter().rev().find(|line| line.contains("secs."))?;
    let name = if units.contains("bits/sec") {
        "throughput_mbit"
    } else if units.contains("per sec") {
        "transactions_per_s"
    } else {
        return None;
    };
    is_row.then(|| format!("netperf: {name}={}", words.last().unwrap_or(&"0")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        read(text).lines
    }

    #[test]
    fn a_row_has_its_columns_by_name_however_it_is_printed() {
        let ruled = "NAME                            READ_ERRS WRITE_ERRS\n------------------------------ ---------- ----------\n\
                     DATA_0000                               0          0\nDATA_0003                              17          4\n";
        let csv = "\"NAME\",\"READ_ERRS\",\"WRITE_ERRS\"\n\"DATA_0000\",0,0\n\"DATA_0003\",17,4\n";
        for text in [ruled, csv] {
            assert_eq!(lines(text)[1], "v$asm_disk: name=DATA_0003; read_errs=17; write_errs=4", "{text}");
        }
        let standby = "PROCESS   STATUS        SEQUENCE#\n--------- ------------ ----------\nARCH      CLOSING           8412\nMRP0      WAIT_FOR_GAP      8399\n";
        assert_eq!(lines(standby)[1], "v$managed_standby: process=MRP0; status=WAIT_FOR_GAP; sequence#=8399");
        let psql = "-[ RECORD 1 ]---------+------\ncheckpoints_timed     | 12\ncheckpoints_req       | 340\nbuffers_backend_fsync | 7\n";
        assert_eq!(
            lines(psql),
            ["pg_stat_bgwriter: checkpoints_timed=12; checkpoints_req=340; buffers_backend_fsync=7"]
        );
    }

    #[test]
    fn names_and_values_are_one_record() {
        let sysstat = "NAME                                     VALUE\n----------------------------------- ----------\n\
                       redo size                           3418477080\nredo writes                             426201\n";
        assert_eq!(lines(sysstat), ["v$sysstat: redo size=3418477080; redo writes=426201"]);
        let shown = "NAME                                 TYPE        VALUE\n------------------------------------ ----------- ------------------------------\n\
                     filesystemio_options                 string      none\n";
        assert_eq!(lines(shown), ["v$parameter: filesystemio_options=none"]);
    }

    #[test]
    fn tools_with_a_form_of_their_own() {
        let getif = "eth0  10.1.0.0  global  public\neth1  192.168.10.0  global  cluster_interconnect\n";
        assert_eq!(lines(getif)[1], "oifcfg: interface=eth1; network=192.168.10.0; use=cluster_interconnect");
        let stream = "Recv   Send    Send\nSocket Socket  Message  Elapsed\nSize   Size    Size     Time     Throughput\n\
                      bytes  bytes   bytes    secs.    10^6bits/sec\n\n 87380  16384  16384    10.02     941.38\n";
        assert_eq!(lines(stream), ["netperf: throughput_mbit=941.38"]);
        let wall = "the switch cluster_interconnect is global\nselect name, read_errs, write_errs from v$asm_disk;\n";
        assert_eq!(lines(wall), Vec::<String>::new());
    }
}
