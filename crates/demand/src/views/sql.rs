//! The SQL that `fullwire redo --sql` prints for storage and standbys: run it where the instance is, give its output to
//! `fullwire check --views`. Each table comes after a line with its name, so that a view without rows is known to be empty.

/// Disk groups, disks and long work of ASM. The `_STAT` views do not search for new disks, as the others do (Oracle
/// Database Reference, `V$ASM_DISK_STAT`): the query loads nothing.
pub const ORACLE_ASM: &str = "\
-- fullwire: disk groups, disks and rebalancing of ASM; reads only, starts no disk discovery
-- sqlplus -s / as sysasm @asm.sql > asm.csv ; fullwire check --views asm.csv
set markup csv on quote off
set feedback off termout on pagesize 50000 linesize 32767
alter session set nls_numeric_characters = '.,';
prompt fullwire: v$asm_diskgroup
select group_number, name, state, type, total_mb, free_mb, required_mirror_free_mb, usable_file_mb,
       offline_disks, allocation_unit_size, voting_files
  from v$asm_diskgroup_stat;
prompt fullwire: v$asm_disk
select group_number, name, path, failgroup, failgroup_type, mount_status, header_status, mode_status, state,
       total_mb, free_mb, read_errs, write_errs, reads, read_time
  from v$asm_disk_stat
 where group_number > 0;
prompt fullwire: v$asm_operation
select group_number, operation, state, power, est_minutes, error_code
  from v$asm_operation;
exit
";

/// Redo logs, standby redo logs, destinations, lag and the recovery area, on the primary or on the standby.
pub const ORACLE_STANDBY: &str = "\
-- fullwire: Data Guard and the archive destinations; run it on the primary and on each standby
-- sqlplus -s / as sysdba @standby.sql > standby.csv ; fullwire check --views standby.csv
set markup csv on quote off
set feedback off termout on pagesize 50000 linesize 32767
alter session set nls_numeric_characters = '.,';
prompt fullwire: v$database
select db_unique_name, database_role, protection_mode, protection_level from v$database;
prompt fullwire: v$log
select group#, thread#, bytes, members from v$log;
prompt fullwire: v$standby_log
select group#, thread#, bytes, used from v$standby_log;
prompt fullwire: v$archive_dest
select dest_id, status, target, destination, error, transmit_mode, affirm, net_timeout, delay_mins
  from v$archive_dest
 where status <> 'INACTIVE';
prompt fullwire: v$dataguard_stats
select name, value, time_computed, datum_time from v$dataguard_stats;
prompt fullwire: v$recovery_file_dest
select name, space_limit, space_used, space_reclaimable from v$recovery_file_dest;
exit
";
