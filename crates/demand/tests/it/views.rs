//! Listings of Oracle's views. No server can run here: the listings are composed after SQL*Plus's own forms (Oracle
//! SQL*Plus User's Guide, "SET MARKUP", headings cut at the width of the column) and `asmcmd lsdg`.

use fullwire_demand::views::{read, sql};

const CSV: &str = "\
fullwire: v$asm_diskgroup

GROUP_NUMBER,NAME,STATE,TYPE,TOTAL_MB,FREE_MB,REQUIRED_MIRROR_FREE_MB,USABLE_FILE_MB,OFFLINE_DISKS,ALLOCATION_UNIT_SIZE,VOTING_FILES
1,DATA,MOUNTED,NORMAL,4194304,307200,524288,-108544,1,4194304,N
2,OCR,MOUNTED,NORMAL,12282,3143,3614,-235,0,1048576,Y
fullwire: v$asm_disk

GROUP_NUMBER,NAME,PATH,FAILGROUP,FAILGROUP_TYPE,MOUNT_STATUS,HEADER_STATUS,MODE_STATUS,STATE,TOTAL_MB,FREE_MB,READ_ERRS,WRITE_ERRS,READS,READ_TIME
1,DATA_0000,/dev/mapper/asm0,FG1,REGULAR,CACHED,MEMBER,ONLINE,NORMAL,1048576,76800,0,0,120045,61.25
1,DATA_0001,,FG2,REGULAR,MISSING,UNKNOWN,OFFLINE,NORMAL,0,0,3,1,99,.5
fullwire: v$asm_operation
";

#[test]
fn the_output_of_the_query_is_read_and_an_empty_view_is_known_to_be_empty() {
    let views = read(CSV, "asm.csv").unwrap();
    assert_eq!(views.gaps, []);
    let groups = views.asm_groups.clone().unwrap();
    assert_eq!((groups[0].name.as_str(), groups[0].usable_file_bytes), ("DATA", Some(-108_544 << 20)));
    assert_eq!((groups[0].offline_disks, groups[1].voting_files), (Some(1), Some(true)));
    assert_eq!(groups[1].allocation_unit_bytes, Some(1 << 20));
    let disks = views.asm_disks.clone().unwrap();
    assert_eq!((disks[0].failure_group_kind.as_str(), disks[0].read_s), ("REGULAR", Some(61.25)));
    assert_eq!((disks[1].path.as_str(), disks[1].mount_status.as_str()), ("", "MISSING"));
    assert_eq!((disks[1].read_errors, disks[1].reads, disks[1].read_s), (Some(3), Some(99), Some(0.5)));
    assert_eq!(views.asm_operations, Some(Vec::new()));
    assert_eq!(views.destinations, None);
}

#[test]
fn a_pasted_session_with_cut_headings() {
    let text = "\
SQL> select group_number, name, path, failgroup, mount_status, mode_status, state, total_mb, free_mb
  2  from v$asm_disk order by 1;

GROUP_NUMBER NAME       PATH             FAILGROUP  MOUNT_S MODE_ST STATE      TOTAL_MB    FREE_MB
------------ ---------- ---------------- ---------- ------- ------- -------- ---------- ----------
           1 DATA_0000  /dev/mapper/asm0 FG1        CACHED  ONLINE  NORMAL      1048576     524288
           1 DATA_0001  /dev/mapper/asm1 FG2        CACHED  ONLINE  HUNG        1048576     524288

SQL> select * from v$asm_operation;

GROUP_NUMBER OPERA STAT      POWER     ACTUAL      SOFAR   EST_WORK   EST_RATE EST_MINUTES
------------ ----- ---- ---------- ---------- ---------- ---------- ---------- -----------
           1 REBAL RUN           4          4       1200      48000       1290          36

SQL> exit
";
    let views = read(text, "session.txt").unwrap();
    assert_eq!(views.gaps, []);
    let disks = views.asm_disks.unwrap();
    assert_eq!(disks.len(), 2);
    assert_eq!((disks[1].state.as_str(), disks[1].mode_status.as_str()), ("HUNG", "ONLINE"));
    assert_eq!((disks[0].failure_group.as_str(), disks[0].failure_group_kind.as_str()), ("FG1", ""));
    assert_eq!(disks[1].free_bytes, Some(524_288 << 20));
    let operations = views.asm_operations.unwrap();
    assert_eq!((operations[0].operation.as_str(), operations[0].state.as_str()), ("REBAL", "RUN"));
    assert_eq!((operations[0].power, operations[0].minutes_left), (Some(4), Some(36)));
}

#[test]
fn lsdg_of_asmcmd() {
    let text = "\
State    Type    Rebal  Sector  Block       AU  Total_MB  Free_MB  Req_mir_free_MB  Usable_file_MB  Offline_disks  Voting_files  Name
MOUNTED  EXTERN  N         512   4096  4194304   2097152   104857                0          104857              0             N  DATA/
MOUNTED  NORMAL  N         512   4096  1048576     12282     3143             3614            -235              0             Y  OCR/
";
    let groups = read(text, "lsdg.txt").unwrap().asm_groups.unwrap();
    assert_eq!((groups[0].name.as_str(), groups[0].redundancy.as_str()), ("DATA", "EXTERN"));
    assert_eq!(groups[0].allocation_unit_bytes, Some(4 << 20));
    assert_eq!((groups[1].usable_file_bytes, groups[1].number), (Some(-235 << 20), None));
}

#[test]
fn a_standbys_listing() {
    let text = "\
fullwire: v$database
DB_UNIQUE_NAME,DATABASE_ROLE,PROTECTION_MODE,PROTECTION_LEVEL
shop_b,PHYSICAL STANDBY,MAXIMUM AVAILABILITY,MAXIMUM AVAILABILITY
fullwire: v$log
GROUP#,THREAD#,BYTES,MEMBERS
1,1,4294967296,2
2,1,4294967296,2
fullwire: v$standby_log
GROUP#,THREAD#,BYTES,USED
11,1,1073741824,0
fullwire: v$archive_dest
DEST_ID,STATUS,TARGET,DESTINATION,ERROR,TRANSMIT_MODE,AFFIRM,NET_TIMEOUT,DELAY_MINS
1,VALID,PRIMARY,USE_DB_RECOVERY_FILE_DEST,,SYNCHRONOUS,NO,0,0
2,ERROR,STANDBY,shop_a,\"ORA-12541: TNS:no listener\",PARALLELSYNC,YES,30,0
fullwire: v$dataguard_stats
NAME,VALUE,TIME_COMPUTED,DATUM_TIME
transport lag,+00 00:07:12,11/22/2026 10:00:30,11/22/2026 10:00:28
apply lag,+00 00:07:15,11/22/2026 10:00:30,11/22/2026 10:00:28
apply finish time,,11/22/2026 10:00:30,
fullwire: v$recovery_file_dest
NAME,SPACE_LIMIT,SPACE_USED,SPACE_RECLAIMABLE
+RECO,1099511627776,1000000000000,0
";
    let views = read(text, "standby.csv").unwrap();
    assert_eq!(views.gaps, []);
    assert_eq!(views.database.as_ref().unwrap().role, "PHYSICAL STANDBY");
    assert_eq!(
        (views.redo_groups.as_ref().unwrap().len(), views.standby_groups.as_ref().unwrap().len()),
        (2, 1)
    );
    let destinations = views.destinations.clone().unwrap();
    assert!(!destinations[0].is_synchronous() && destinations[1].is_synchronous());
    assert_eq!(
        (destinations[1].error.as_str(), destinations[1].affirm),
        ("ORA-12541: TNS:no listener", Some(true))
    );
    let stats = views.dataguard.clone().unwrap();
    assert_eq!((stats[0].seconds, stats[0].datum_age_s), (Some(432.0), Some(2.0)));
    assert_eq!((stats[2].seconds, stats[2].datum_age_s), (None, None));
    assert_eq!(views.recovery_areas.unwrap()[0].used_bytes, 1_000_000_000_000);
}

#[test]
fn what_the_database_refused_is_a_gap_and_the_rest_is_read() {
    let text = format!(
        "{CSV}\nORA-00942: table or view does not exist\nfullwire: v$log\nGROUP#,THREAD#,BYTES,MEMBERS\n1,1,x,2\n"
    );
    let views = read(&text, "asm.csv").unwrap();
    assert_eq!((views.asm_groups.unwrap().len(), views.asm_operations), (2, None));
    let said: Vec<&str> = views.gaps.iter().map(|gap| gap.subject.as_str()).collect();
    assert_eq!(said, ["v$asm_operation", "v$log"]);
    assert!(views.gaps[0].detail.contains("ORA-00942") && views.gaps[1].detail.contains("1 of 1 rows"));
}

#[test]
fn other_listings_are_foreign() {
    let archived =
        "THREAD#,SEQUENCE#,BYTES,FIRST_TIME,NEXT_TIME\n1,7,100,2026-11-22 10:00:00,2026-11-22 10:05:00\n";
    for text in [archived, "", "hello\nworld\n"] {
        assert!(read(text, "x").is_err(), "{text}");
    }
}

#[test]
fn every_view_that_is_queried_is_marked_with_its_name() {
    for query in [sql::ORACLE_ASM, sql::ORACLE_STANDBY] {
        let marks = query.lines().filter(|line| line.starts_with("prompt fullwire: v$")).count();
        assert_eq!(marks, query.matches("from v$").count(), "{query}");
        // Each mark is known to the reader: a listing of marks alone is one of empty views.
        let listing: String = query
            .lines()
            .filter_map(|line| line.strip_prefix("prompt "))
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!(read(&listing, "x").unwrap().gaps, []);
    }
}

/// As people type the query: without times, with the prompt. Other views have a name, a value and a unit too.
#[test]
fn standby_statistics_are_known_by_their_names() {
    let listing = |row: &str| {
        format!(
            "SQL> select name, value, unit from v$something;\n\nNAME                VALUE            UNIT\n\
             ------------------- ---------------- -----------------------------\n{row}\n"
        )
    };
    let lag =
        read(&listing("apply lag           +00 01:12:05     day(2) to second(0) interval"), "a").unwrap();
    let stats = lag.dataguard.unwrap();
    assert_eq!((stats[0].name.as_str(), stats[0].seconds), ("apply lag", Some(4325.0)));
    assert!(read(&listing("total PGA allocated 123456789        bytes"), "b").is_err());
}
