//! The SQL that `fullwire redo --sql` prints: run it where the database is, give its output to `fullwire redo`.

/// Archived logs of the last week, one row for each log whatever the number of destinations. Needs SELECT on
/// `V$ARCHIVED_LOG` (Oracle Database Reference); CSV output since `SQL*Plus` 12.2 and in `SQLcl`.
pub const ORACLE_ARCHIVED_LOG: &str = "\
-- fullwire: redo of the last 7 days, from the archived logs
-- sqlplus -s / as sysdba @archived_log.sql > archived_log.csv ; fullwire redo archived_log.csv
set markup csv on quote off
set feedback off termout on pagesize 50000 linesize 32767
alter session set nls_date_format = 'YYYY-MM-DD HH24:MI:SS';
alter session set nls_numeric_characters = '.,';
select thread#, sequence#,
       max(blocks * block_size) bytes,
       min(first_time) first_time,
       max(next_time) next_time,
       max((next_time - first_time) * 86400) seconds
  from v$archived_log
 where standby_dest = 'NO'
   and first_time > sysdate - 7
   and next_time is not null
 group by resetlogs_id, thread#, sequence#
 order by first_time, thread#;
exit
";

/// For a database without archived logs: log switches, each log taken as full. An upper bound, for a switch may come
/// early (`V$LOG_HISTORY`, `V$LOG`: Oracle Database Reference).
pub const ORACLE_LOG_HISTORY: &str = "\
-- fullwire: redo of the last 7 days, from the log switches (upper bound: every log counts as full)
set markup csv on quote off
set feedback off termout on pagesize 50000 linesize 32767
alter session set nls_date_format = 'YYYY-MM-DD HH24:MI:SS';
alter session set nls_numeric_characters = '.,';
select h.thread#, h.sequence#,
       (select max(l.bytes) from v$log l where l.thread# = h.thread#) bytes,
       h.first_time,
       lead(h.first_time) over (partition by h.thread#, h.resetlogs_change# order by h.sequence#) next_time
  from v$log_history h
 where h.first_time > sysdate - 7
 order by h.first_time, h.thread#;
exit
";
