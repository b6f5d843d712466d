//! Lines as servers write them, and as their clients choose them.

use super::*;

/// Whoever sends a statement or names a table, a user or a host chooses what is repeated.
#[test]
fn what_a_client_chose_is_no_trouble() {
    for line in [
        "ERROR:  relation \"PANIC:  could not write to file x: No space left on device\" does not exist",
        "FATAL:  password authentication failed for user \"could not fsync file: Input/output error\"",
        "STATEMENT:  select 1 -- PANIC:  could not write to file x: No space left on device",
        "DETAIL:  Key (a)=(PANIC:  could not fsync file \"x\": Input/output error) already exists.",
        "HINT:  could not write to file: No space left on device",
        "x@db [PANIC:  could not locate a valid checkpoint record] LOG:  duration: 1 ms",
        "x@db [could not fsync file: Input/output error] LOG:  duration: 1 ms",
        "CONTEXT:  SQL statement \"x PANIC:  could not fsync file y: Input/output error\"",
        "[Note] Access denied for user 'InnoDB: Database page corruption on disk'@'x'",
        "[Note] Aborted connection 7 to db: 'x' user: 'InnoDB: Database page corruption on disk' host: 'y'",
    ] {
        let kind = kind_of(line);
        assert!(kind.is_none_or(|kind| ["client-gone", UNKNOWN].contains(&kind)), "{line}: {kind:?}");
    }
    let own = "PANIC:  could not write to file \"pg_wal/xlogtemp.77\": No space left on device";
    assert_eq!(kind_of(own), Some("disk-full"));
}

/// The server prints it with every assertion: nothing is known to be damaged.
#[test]
fn what_every_assertion_prints_is_no_damage() {
    for line in [
        "InnoDB: immediately after the mysqld startup, there may be",
        "InnoDB: corruption in the InnoDB tablespace. Please refer to the manual",
        "or one of the libraries it was linked against is corrupt, improperly built,",
    ] {
        assert_eq!(kind_of(line), None, "{line}");
    }
    assert_eq!(kind_of("InnoDB: Database page corruption on disk or a failed file read"), Some("corruption"));
    assert_eq!(kind_of("ARC3: Archive log rejected (thread 1 sequence 812)"), Some("standby-rejected"));
}

/// What no pattern knows is known by its number, in the language of its server, or is shown as unknown.
#[test]
fn lines_are_known_by_number_and_by_language() {
    for (kind, line) in [
        ("asm-refused", "ORA-15031: disk specification '/dev/mapper/data09' matches no disks"),
        ("redo-transport", "ORA-16778: redo transport error for one or more members"),
        ("asm-damaged", "ORA-15196: invalid ASM block header"),
        ("membership", "CRS-1662: Member kill requested by node db2 for member number 1"),
        ("ipc-limits", "FATAL:  could not create semaphores: No space left on device"),
        (
            "disk-full",
            "FATAL:  konnte Datei nicht schreiben: Auf dem Gerät ist kein Speicherplatz mehr verfügbar", // typos: as it is
        ),
        (UNKNOWN, "ORA-98765: something new"),
        ("needs-recovery", "ORA-01113: file 5 needs media recovery"),
        ("wal-missing", "PANIC:  could not locate a valid checkpoint record"),
        // The applier tries again after the first, and has stopped after the second.
        (
            "replica-retries",
            "[Warning] [MY-010584] [Repl] Replica SQL for channel '': Worker 1 failed executing transaction 'x:1'; Deadlock found when trying to get lock; try restarting transaction, Error_code: MY-001213",
        ),
        ("replica", "[MY-013132] [Repl] The replica SQL thread stopped: Error 'Duplicate entry'"),
    ] {
        assert_eq!(kind_of(line), Some(kind), "{line}");
    }
    for line in [
        "ORA-00312: online log 3 thread 1: '/u01/oradata/prd/redo03.log'",
        "CRS-1605: CSSD voting file is online: /dev/mapper/vote1",
        "CRS-2772: Server 'db1' has been assigned to pool 'ora.orcl'.",
        "FATAL:  password authentication failed for user \"app\"",
    ] {
        assert_eq!(kind_of(line), None, "{line}");
    }
}

/// Of the other part of the pattern the line would be searched for each of them, for minutes.
#[test]
fn a_part_that_is_repeated_is_asked_about_once() {
    assert_eq!(kind_of(&" is in the future!".repeat(400_000)), None);
    assert_eq!(kind_of("InnoDB: page 7 log sequence number is in the future!"), Some("redo-mismatch"));
}
