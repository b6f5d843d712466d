//! What decides in outputs of our own making.

use super::figure::pairs;
use super::judge;

fn states(text: &str) -> Vec<String> {
    judge(text).bad.clone()
}

fn has_states(text: &str) -> bool {
    judge(text).told().is_some_and(|told| !told.contains("open="))
}

#[test]
fn what_is_bad_in_a_table_of_states_is_told() {
    let drives = "Id CagePos Type RPM State     Total  Free\n41 1:9:0   FC    15 failed   278528     0\n\
                  44 1:9:1   FC    15 normal   278528     0\n";
    assert_eq!(states(drives), ["state: thing=Id 41; is=failed"]);
    let controllers = "Name  Mode       Model   Version  Status\nCT0   primary    FA-420  6.1.10   ready\n\
                       CT1   secondary  FA-420  6.1.10   not ready\n";
    assert_eq!(states(controllers), ["state: thing=CT1; is=not ready"]);
    let named =
        "Enclosure Name  Slot Number  Drive Status  Size\nshelf1          7            Degraded (x)  1.2T\n";
    assert_eq!(states(named), ["state: thing=shelf1; is=degraded"]);
    assert!(has_states(&drives.replace("failed", "normal")));
    assert!(!has_states("the last state of it\n"));
    assert!(!has_states(&drives.replace("normal", "XYZ")), "what is not known is not well");
    let ports = "Index Port Speed  State    Proto\n1 1 N16  Mod_Inv  FC\n2 2 N16  Offline  FC\n";
    assert_eq!(states(ports), ["state: thing=Index 1; is=mod_inv"]);
    let pools = "id name  status   count\n1  pool7 degraded 6\n";
    assert_eq!(states(pools), ["state: thing=pool7; is=degraded"]);
    let bricks = "Process  TCP Port  Online  Pid\nBrick x7:/b  N/A  N  N/A\nBrick x8:/b  49152  Y  77\n";
    assert_eq!(states(bricks), ["state: thing=Brick x7:/b; is=not online"]);
    let shares = "PID  POLS  U(%) CAP\n007  POLN  41  7\n008  POLF  99  7\n";
    assert_eq!(states(shares), ["filled: thing=PID 008; is=99%; bound=97%; column=U(%)"]);
    for other in [
        "Port  Name  State\n1  a  offline\n",
        "the last state of it\nwas failed indeed\n",
        "NAME READY STATUS\npg-0 1/1 Running\n",
        "Name  Target  State\nora.x.y\n    OFFLINE OFFLINE n7\n",
    ] {
        assert_eq!(states(other), Vec::<String>::new(), "{other}");
    }
}

#[test]
fn a_row_that_goes_on_and_a_thing_that_is_full_are_told() {
    let text = "Pool   Size  Used%  State  Parity Status\n------ ----- ------ ------ ------\np7     9TB   97%    online raid6,\n\
                \u{20}                          degraded\np8     9TB   96%    online raid6\n";
    assert_eq!(
        states(text),
        ["filled: thing=p7; is=97%; bound=97%; column=Used%", "state: thing=p7; is=degraded"]
    );
}

#[test]
fn a_field_of_a_state_is_told_with_the_name_before_it() {
    let text = "1:    ID                  = spx\n      Health state        = Critical (25)\n";
    assert_eq!(states(text), ["state: thing=spx; is=critical"]);
    let well = text.replace("Critical (25)", "OK (5)");
    assert_eq!((states(&well).len(), has_states(&well)), (0, true));
    let peers = "Hostname: x7\nState: Peer in Cluster (Disconnected)\n\nHostname: x8\nState: Peer in Cluster (Connected)\n";
    assert_eq!(states(peers), ["state: thing=x7; is=disconnected"]);
    assert_eq!(states("Port state : failed\nExit code : 7\n"), Vec::<String>::new());
}

#[test]
fn a_row_that_goes_on_deeper_is_of_the_same_thing() {
    let text = "Source  Type  Health  Healthy\nx7:/a   DP    Mirrored\n                      true\n\
                x8:/a   DP    Broken-off\n                      Idle  -  false  -\n";
    assert_eq!(states(text), ["state: thing=x8:/a; is=broken-off", "state: thing=x8:/a; is=not healthy"]);
}

#[test]
fn an_alarm_is_told_until_it_is_over() {
    let text = "Alarm time               Class  Description\n2026-11-07 07:07:07 UTC  Major  Feed 7 Not OK\n\
                2026-11-07 07:07:08 UTC  Major  Feed 8 Not OK (cleared)\n2026-11-07 07:07:08 UTC  Minor  Lamp\n";
    assert_eq!(states(text), ["alarm: is=major; what=feed 7 not ok"]);
}

#[test]
fn how_many_are_in_a_bad_state_is_told() {
    let text = "ACTIVE PVs:  7      STALE PVs:   2\nFAILED DISKS: 0\nOffline files: 77\n";
    assert_eq!(states(text), ["state: thing=2 PVs; is=stale"]);
}

#[test]
fn counts_of_what_should_not_be_are_told() {
    let pairs = "Ints:    88123    Loss_of_sync: 8812\nSuspended:  0     Frjt: 9\n";
    assert_eq!(states(pairs), ["counted: is=8812; what=loss of sync"]);
    let why = "Port  Name  Status  Vlan\nE7  a  linkFlapErrDisabled  7\n";
    assert_eq!(states(why), ["state: thing=E7; is=errdisabled"]);
    let port = "fc7 is up\n  98172311 frames input, 881231112 bytes\n   811233 discards, 12 errors\n";
    assert_eq!(states(port), ["counted: is=811233; what=discards"]);
    assert_eq!(states("| Tail Drop Pkts |  4412 |   0 |\n"), ["counted: is=4412; what=tail drop pkts"]);
    for few in ["  99817231123 frames input\n  8112 discards\n", "  812 discards\n", "  0 errors\n"] {
        assert_eq!(states(few), Vec::<String>::new(), "{few}");
    }
}

/// Each with its healthy twin: a form as some tool prints it, what is bad in it, and the same without.
#[test]
fn one_rule_reads_the_column_that_decides_whatever_the_tool() {
    for (text, bad, ill, well) in [
        (
            "Fan7 RPM   | 5880.000 | RPM       | ok | 360.000\nInlet Temp | 51.000   | degrees C | cr | 42.000\n",
            "state: thing=Inlet Temp; is=cr",
            "| cr |",
            "| ok |",
        ),
        (
            "NAME   USED_MB  MAX_MB  PCT_USED\nUSERS  32112    32768   12.1\n",
            "filled: thing=USERS; is=98%; bound=97%; column=USED_MB of MAX_MB; used=32112; of=32768",
            "32112",
            "3211",
        ),
        (
            "TABLESPACE  SIZE_MB  PCT_USED\nUSERS  1000  98.7\nSYSTEM  1000  40\n",
            "filled: thing=USERS; is=98.7%; bound=97%; column=PCT_USED",
            "98.7",
            "41",
        ),
        (
            "Page Space      Physical Volume   Volume Group    Size %Used   Active\nhd7             hdisk7            rootvg       32768MB    98     yes\n",
            "filled: thing=hd7; is=98%; bound=97%; column=%Used",
            "98 ",
            " 8 ",
        ),
        (
            "CLASS     SIZE    AVAIL  RAW USED  %RAW USED\nhdd    100 TiB   12 TiB    88 TiB      88.01\n",
            "filled: thing=hdd; is=88%; bound=85%; column=%RAW USED",
            "88.01",
            "41.01",
        ),
        (
            "        /dev/rdsk/c7t7d0s2\n                Total Path Count: 4\n                Operational Path Count: 2\n",
            "lacks: thing=/dev/rdsk/c7t7d0s2; up=2; of=4; column=Operational Path Count of Total Path Count",
            "Count: 2",
            "Count: 4",
        ),
        (
            "  Temperature   38.6 C   75.0 C   -5.0 C   70.0 C   0.0 C\n   High Alarm  Low Alarm  High Warning  Low Warning\n  Rx Power   -14.1 dBm --   1.9 dBm  -13.9 dBm   -1.0 dBm   -9.9 dBm\n",
            "beyond: what=Rx Power; is=-14.1 dBm; side=below; bound=-13.9 dBm",
            "-14.1",
            "-4.1",
        ),
        (
            "Package id 7:  +101.0\u{b0}C  (high = +80.0\u{b0}C, crit = +100.0\u{b0}C)\n",
            "beyond: what=reading of Package id 7; is=+101.0\u{b0}C; side=above; bound=+100.0\u{b0}C",
            "101.0",
            "51.0",
        ),
        (
            "Sensor   Location   Temp       Threshold\n#7       CPU#7      94C/201F   82C/179F\n",
            "beyond: what=Temp of Sensor #7; is=94C/201F; side=above; bound=82C/179F",
            "94C/201F",
            "40C/104F",
        ),
        (
            "Vserver     Interface  Admin/Oper Address/Mask       Node\n----------- ---------- ---------- ------------------ ----\nsv7\n            lif_n7     up/down    192.0.2.7/24       n7\n",
            "state: thing=sv7 lif_n7; is=down",
            "up/down",
            "up/up",
        ),
        (
            "LINK        PORT           SPEED DUPLEX   STATE\naggr7       --             10000Mb full   up\n            net7           0Mb   unknown  down\n",
            "state: thing=net7; is=down",
            "down",
            "up",
        ),
        (
            "id   Port   Status Consistency Reason    Active vlans\n--   ----   ------ ----------- ------    ------------\n7    Po7    down*  success     success   -\n",
            "state: thing=Po7; is=down",
            "down*",
            "up",
        ),
        (
            "Alarm time               Class  Description\n2026-11-07 07:07:07 UTC  Major  FPC 7 Major Errors\n",
            "alarm: is=major; what=fpc 7 major errors",
            "Major  FPC",
            "Minor  FPC",
        ),
        (
            " gid  |           prepared            | owner\n------+-------------------------------+------\n xa7  | 2026-11-03 08:11:12.412331+00 | app\n xa8  | 2026-11-03 11:11:12.412331+00 | app\n",
            "open: thing=xa7; is=3 h at least; bound=1 h; column=prepared",
            "11:11",
            "08:31",
        ),
        (
            "Sym   Physical      SA :P   Config   Sts   (GB)\n----- ------------- ------- ---------------------\n\n00042 /dev/sdq      ***:*** TDEV     NR    100.0\n",
            "state: thing=Sym 00042; is=nr",
            " NR ",
            " RW ",
        ),
    ] {
        assert!(states(text).contains(&bad.to_owned()), "{text}\n{:?}", judge(text));
        let twin = states(&text.replace(ill, well));
        assert!(twin.iter().all(|row| row != bad && row.starts_with("since: ")), "{text}\n{twin:?}");
    }
}

/// What was judged is named, with what is nearest to its bound, and what was not.
#[test]
fn where_nothing_is_bad_it_says_what_was_judged() {
    let told = |text: &str| judge(text).told();
    assert_eq!(
        told("NAME  STATE   PCT_USED\np7    online  41\np8    online  81\n").as_deref(),
        Some("judged: things=2; by=STATE, PCT_USED; highest=81% (p8)")
    );
    assert_eq!(
        told("No alarms currently active\n").as_deref(),
        Some("judged: things=1; by=No alarms currently active")
    );
    assert_eq!(
        told("id name  status   count\n1  pool7 zapped 6\n").as_deref(),
        Some("judged: things=0; by=status; open=status zapped")
    );
    assert_eq!(told("a letter, and no more\n"), None);
}

/// Flow control works as it should, and an image that is only read is always full.
#[test]
fn what_is_so_on_purpose_is_not_told() {
    for text in [
        "Port       RxPPP      TxPPP      RxDrops\nE7         4412331    8123345    0\n",
        "Source     Size  Used  Use%  Mounted on\n/dev/loop7  10M   10M   100%  /snap/x/7\n",
        "-- GROUP STATE\n-- Group   System   Probed  State\n\nB  sg7     n7       Y       ONLINE\nB  sg7     n8       Y       OFFLINE\n",
        "Interface   Admin Link Proto\nxe-0/0/7    up    down\n",
        // A port of a host that nobody uses, behind two other columns.
        "Name    Driver  Admin Status  Link Status  Speed\n------  ------  ------------  -----------  -----\nvmnic7  ntg3    Up            Down             0\n",
        // What may grow is full where its maximum is; what is read only or temporary is full on purpose.
        "NAME    USED_MB  MAX_MB  PCT_USED\nSYSTEM  1192     32768   99.33\n",
        "NAME    PCT_USED  PCT_OF_MAX\nSYSTEM  99.33     3.64\n",
        "NAME   STATUS     USED_MB  SIZE_MB  PCT_USED\n-----  ---------  -------  -------  --------\nARC19  READ ONLY  5110     5120     99.8\n",
        "NAME   CONTENTS   PCT_USED\nTEMP7  TEMPORARY  99.9\n",
        // Work that waits for its hour.
        "JOB_NAME  STATUS   ENABLED\nnightly   pending  Y\n",
    ] {
        assert_eq!(states(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_name_is_no_state() {
    let text = "NAME      STATE    OWNER\nfailed    running  x\ncritical  running  y\nz         failed   y\n";
    assert_eq!(states(text), ["state: thing=z; is=failed"]);
}

/// Every row counts something, and each count is held against those of its own thing alone.
#[test]
fn a_table_of_very_many_rows_is_judged_once_and_in_time_by_its_length() {
    let rows = (0..30_000).map(|row| format!("d{row}   offline  {row}     12\n"));
    let text = format!("NAME   STATE    PACKETS  ERRORS\n{}", rows.collect::<String>());
    let judged = judge(&text);
    assert_eq!((judged.things, judged.bad.len()), (30_000, super::MOST));
    assert!(std::rc::Rc::ptr_eq(&judged, &judge(&text)));
}

#[test]
fn of_a_text_that_is_too_long_the_beginning_is_judged_and_that_is_said() {
    let text = format!("NAME  STATE   SIZE\np7    online  41\n\n{}\n", "x".repeat(super::LARGEST_BYTES));
    assert_eq!(judge(&text).told().as_deref(), Some("judged: things=1; by=STATE; first=16 MiB"));
}

/// Whoever makes a container, a machine, a volume, a table or a process calls it what he likes.
#[test]
fn what_somebody_chose_beside_the_state_is_none() {
    for text in [
        "CONTAINER ID   IMAGE   COMMAND             STATUS       PORTS      NAMES\n\
         1a2b3c4d5e6f   db      \"entry\"             Up 2 hours   5432/tcp   x7\n\
         2a2b3c4d5e6f   dead    \"critical faulted\"  Up 2 hours              failed\n",
        " Id   Name     State\n-----------------------\n 1    failed   running\n",
        "USER  PID %CPU  TTY  STAT  TIME  COMMAND\nada   471  0.0  ?    S     0:00  sleep failed 99\n",
        "Vserver  Volume    Aggregate  State   Used%\n-------- --------- ---------- ------- -----\n\
         sv7      degraded  faulted    online    40%\n",
        "ID    Alias    Status  Size\n0001  offline  online  100G\n",
        " name   | kind  | state\n--------+-------+-------\n x      | state | idle\n failed | table | idle\n",
        " schema | name   | kind\n--------+--------+------\n public | state  | table\n public | failed | table\n",
    ] {
        assert_eq!(states(text), Vec::<String>::new(), "{text}");
    }
    let hidden = "NAME   STATE    OWNER\nused   running  x\nz      failed   y\n";
    assert_eq!(states(hidden), ["state: thing=z; is=failed"], "a row with a word of a heading is a row");
    let both = "ID    Alias    Status   Size\n0001  online   offline  100G\n0002  offline  failed   100G\n";
    assert_eq!(states(both), ["state: thing=ID 0001; is=offline", "state: thing=ID 0002; is=failed"]);
}

/// What a statement asked for may be orders: a row of them that failed is no part of this host.
#[test]
fn an_answer_that_names_no_part_of_a_system_is_only_told() {
    let orders = " order_id | amount | status\n----------+--------+---------\n       71 |  12.00 | paid\n       72 |  99.00 | failed\n";
    assert_eq!(states(orders), ["listed: thing=order_id 72; is=failed"]);
    let jobs = "JOB_NAME             STATUS     RUN_AT\n-------------------- ---------- ------\nINVOICE7             FAILED     02:00\n";
    assert_eq!(states(jobs), ["listed: thing=INVOICE7; is=failed"]);
    let hosts = orders.replace("order_id", "host_id ");
    assert_eq!(states(&hosts), ["state: thing=host_id 72; is=failed"]);
    let backup = jobs.replace("INVOICE7", "BACKUP_7");
    assert_eq!(states(&backup), ["state: thing=BACKUP_7; is=failed"], "its own name says what it is of");
}

#[test]
fn a_state_that_nobody_knows_is_not_judged() {
    let told =
        |state: &str| judge(&format!("Name  State  Size\na7    online 41\nb7    {state}    12\n")).told();
    assert_eq!(told("XYZ").as_deref(), Some("judged: things=1; by=State; open=State XYZ"));
    assert_eq!(told("up ").as_deref(), Some("judged: things=2; by=State"));
}

#[test]
fn a_mark_behind_a_name_is_no_cell() {
    let quotas = "User            used    soft    hard  grace    used  soft  hard  grace\n---------------------------------------------------\n\
                  ada       +- 10485760 8388608 10485760  6days   1211     0     0\n";
    assert_eq!(
        states(quotas),
        ["limit: thing=ada; is=100%; bound=97%; column=used of hard; used=10485760; of=10485760"]
    );
}

/// Each part of a line is looked at once.
#[test]
fn a_line_of_very_many_parts_is_read_in_time_by_its_length() {
    let fields = pairs(&"a  ".repeat(300_000));
    assert_eq!((fields.len(), fields[0].len()), (1, 599_999));
    assert_eq!(pairs("a:  b  c  d: e  f"), ["a: b", "c d: e", "f"]);
}

/// Whoever may describe an interface chooses the words beside its states.
#[test]
fn what_an_interface_is_described_as_is_no_state() {
    let heading = "Interface    Description   IP Address      Admin  Oper   Note\n";
    let bad = |row: &str| super::judge(&format!("{heading}{row}\n")).bad.clone();
    let well = "Ethernet7    up down       192.0.2.7       up     up     up down";
    assert!(bad(well).is_empty(), "{:?}", bad(well));
    let down = bad("Ethernet7    up up         192.0.2.7       up     down   up up");
    assert_eq!(down, ["state: thing=Ethernet7; is=down"]);
}
