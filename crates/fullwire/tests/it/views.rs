//! `check --views`: what SQL*Plus prints for the query of `redo --sql`, judged by the program.

use crate::tool::{Desk, stderr};

/// As SQL*Plus prints it with `set markup csv on`: a blank line before each heading, none where no row is found.
const HEALTHY: &str = "\
fullwire: v$asm_diskgroup

GROUP_NUMBER,NAME,STATE,TYPE,TOTAL_MB,FREE_MB,REQUIRED_MIRROR_FREE_MB,USABLE_FILE_MB,OFFLINE_DISKS,ALLOCATION_UNIT_SIZE,VOTING_FILES
1,DATA,MOUNTED,NORMAL,4194304,1887436,1048576,419430,0,4194304,N
2,RECO,MOUNTED,EXTERN,2097152,1048576,0,1048576,0,4194304,N
fullwire: v$asm_disk

GROUP_NUMBER,NAME,PATH,FAILGROUP,FAILGROUP_TYPE,MOUNT_STATUS,HEADER_STATUS,MODE_STATUS,STATE,TOTAL_MB,FREE_MB,READ_ERRS,WRITE_ERRS,READS,READ_TIME
1,DATA_0000,/dev/mapper/mpatha,FG1,REGULAR,CACHED,MEMBER,ONLINE,NORMAL,1048576,471859,0,0,1000000,500
1,DATA_0001,/dev/mapper/mpathb,FG1,REGULAR,CACHED,MEMBER,ONLINE,NORMAL,1048576,471859,0,0,1000000,510
1,DATA_0002,/dev/mapper/mpathc,FG2,REGULAR,CACHED,MEMBER,ONLINE,NORMAL,1048576,471859,0,0,1000000,505
1,DATA_0003,/dev/mapper/mpathd,FG2,REGULAR,CACHED,MEMBER,ONLINE,NORMAL,1048576,471859,0,0,1000000,495
2,RECO_0000,/dev/mapper/mpathe,RECO_0000,REGULAR,CACHED,MEMBER,ONLINE,NORMAL,2097152,1048576,0,0,50000,60
fullwire: v$asm_operation

";

/// Codes of the findings of the layer database, and how many rules about ASM passed.
fn judged(listing: &str) -> (Vec<String>, usize) {
    let desk = Desk::new();
    std::fs::write(desk.work.path().join("asm.csv"), listing).expect("written");
    let check =
        ["check", "--json", "--no-store", "--fail-on", "never", "--only", "database", "--window", "0s"];
    let document = desk.json(&[&check[..], &["--views", "asm.csv"]].concat());
    let findings = document["findings"].as_array().expect("a list").iter();
    let codes = findings.filter_map(|finding| finding["code"].as_str());
    let codes = codes.filter(|code| code.starts_with("asm-")).map(str::to_owned).collect();
    let passed = document["passed"].as_array().expect("a list").iter();
    (codes, passed.filter(|code| code.as_str().is_some_and(|code| code.starts_with("asm-"))).count())
}

#[test]
fn a_listing_of_asm_is_judged_with_the_host() {
    let (codes, passed) = judged(HEALTHY);
    assert!(codes.is_empty() && passed >= 10, "{codes:?}, {passed} passed");
    let lost = HEALTHY
        .replace("1048576,419430,0,", "1048576,-52428,1,")
        .replace("4194304,1887436", "4194304,943718")
        .replace(
            "/dev/mapper/mpathd,FG2,REGULAR,CACHED,MEMBER,ONLINE",
            ",FG2,REGULAR,MISSING,UNKNOWN,OFFLINE",
        );
    let (codes, _) = judged(&lost);
    assert_eq!(codes, ["asm-disk-offline", "asm-mirror-space"]);
}

#[test]
fn the_query_is_printed_and_anything_else_is_refused() {
    let desk = Desk::new();
    let query = desk.run(&["redo", "--sql", "oracle-asm"]);
    let query = String::from_utf8(query.stdout).expect("UTF-8");
    for heading in HEALTHY.lines().filter(|line| line.starts_with("fullwire: ")) {
        assert!(query.contains(&format!("prompt {heading}")), "{heading}");
    }
    std::fs::write(desk.work.path().join("x.csv"), "NAME,SIZE\nx,1\n").expect("written");
    let refused = desk.run(&["check", "--views", "x.csv", "--window", "0s", "--no-store"]);
    assert!(!refused.status.success());
    assert!(stderr(&refused).contains("redo --sql oracle-asm"), "{}", stderr(&refused));
}
