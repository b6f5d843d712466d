//! Remedies that would hurt a production host if they were written down carelessly: each on the fixture of its rule, with
//! the facts that decide.

use crate::fixtures::{self, case};
use fullwire_model::Run;
use fullwire_model::assessment::{Advice, Finding, Phase, Risk, Step};
use fullwire_model::host::Database;
use fullwire_model::json::{of_tree, tree};
use fullwire_rules::{Facts, Outcome, assess, rule, rules};
use serde_json::{Value, json};

/// The first finding of a rule on its case `fires/plain` with these values at these places.
fn finding(code: &str, changes: &[(&str, Value)]) -> Finding {
    first(code, changes).unwrap_or_else(|| panic!("{code} does not fire"))
}

fn fires(code: &str, changes: &[(&str, Value)]) -> bool {
    first(code, changes).is_some()
}

fn first(code: &str, changes: &[(&str, Value)]) -> Option<Finding> {
    let mut run = tree(&case(code, "fires/plain").run).unwrap();
    for (place, value) in changes {
        *run.pointer_mut(place).unwrap_or_else(|| panic!("{code}: nothing at {place}")) = value.clone();
    }
    let run: Run = of_tree(&run).unwrap();
    let outcomes = (rule(code).unwrap().check)(&Facts::of(&run));
    outcomes.into_iter().find_map(|outcome| match outcome {
        Outcome::Fires(finding) => Some(*finding),
        _ => None,
    })
}

pub(crate) fn advice(code: &str, changes: &[(&str, Value)]) -> Advice {
    finding(code, changes).advice
}

pub(crate) fn runs(advice: &Advice, phase: Phase) -> Vec<&str> {
    advice.phase(phase).filter_map(|step| step.run.as_deref()).collect()
}

fn says(advice: &Advice, text: &str) -> bool {
    advice.steps.iter().any(|step| step.text.contains(text))
}

#[test]
fn huge_pages_beside_a_running_sga_need_room_or_downtime() {
    const PAGES: u64 = 16 << 30;
    let full = advice("huge-pages-absent", &[("/host/memory/available_bytes", json!(2u64 << 30))]);
    let reserve = |advice: &Advice| advice.steps.iter().find(|step| step.run.is_some()).unwrap().risk();
    assert_eq!(reserve(&full), Risk::Downtime);
    let roomy = advice("huge-pages-absent", &[("/host/memory/available_bytes", json!(PAGES * 2))]);
    assert_eq!(reserve(&roomy), Risk::Interrupts);
    // Two instances are two SGAs.
    let two = finding(
        "huge-pages-absent",
        &[
            ("/command/sga_bytes", Value::Null),
            (
                "/host/databases",
                json!([{ "kind": "oracle", "name": "A", "shared_memory_bytes": PAGES },
                       { "kind": "oracle", "name": "B", "shared_memory_bytes": PAGES }]),
            ),
        ],
    );
    assert_eq!(two.limit, Some(16_386.0), "two times 8192 pages and one more each");
}

#[test]
fn postgres_is_asked_while_it_runs_and_adds_to_what_others_reserved() {
    let advice = advice("postgres-huge-pages", &[]);
    assert!(
        says(&advice, "show shared_memory_size_in_huge_pages") && says(&advice, "raise vm.nr_hugepages by")
    );
    assert!(advice.steps.iter().all(|step| !step.text.contains("postgres -C") && step.run.is_none()));
}

#[test]
fn an_fstab_line_names_the_file_system_and_never_what_others_mount() {
    let disk = advice("fstab-missing", &[]);
    assert!(says(&disk, "UUID=... /u02 xfs defaults,nofail") && !says(&disk, "/dev/sdb1 /u02 xfs"));
    let of = |changes: &[(&str, Value)]| advice("fstab-missing", changes);
    for fs_type in ["zfs", "gfs2", "ocfs2", "acfs", "vxfs"] {
        assert!(!fires("fstab-missing", &[("/host/mounts/0/fs_type", json!(fs_type))]), "{fs_type}");
    }
    let subvolume = [
        ("/host/mounts/0/fs_type", json!("btrfs")),
        ("/host/mounts/0/options", json!(["rw", "subvol=/@u02"])),
    ];
    assert!(says(&of(&subvolume), "among them subvol=") && !says(&of(&subvolume), "UUID=..."));
    let nfs = [("/host/mounts/0/fs_type", json!("nfs")), ("/host/mounts/0/nfs", json!({}))];
    assert!(says(&of(&nfs), "nofail,_netdev"));
}

/// Direct I/O passes the page cache by, and with it all read-ahead of the kernel.
#[test]
fn read_ahead_is_of_no_use_to_direct_io() {
    let of = |method: &str| {
        let database = json!({
            "kind": "mysql",
            "settings": { "innodb_flush_method": method },
            "locations": { "/data": "data" },
        });
        fires("queue-read-ahead", &[("/host/databases/0", database)])
    };
    assert!(of("fsync") && !of("O_DIRECT") && !of("O_DIRECT_NO_FSYNC"));
    let unset = json!({ "kind": "mysql", "locations": { "/data": "data" } });
    assert!(!fires("queue-read-ahead", &[("/host/databases/0", unset)]));
}

#[test]
fn a_ring_grows_to_its_own_maximum_and_no_further() {
    let of = |rx: u64, most: u64| {
        advice("nic-ring-drops", &[("/host/nics/0/rings", json!({ "rx": rx, "rx_max": most }))])
    };
    assert_eq!(runs(&of(511, 2047), Phase::Now), ["ethtool -G eth0 rx 2047"]);
    for full in [of(256, 256), of(0, 0)] {
        assert!(full.steps.iter().all(|step| !step.run.as_deref().unwrap_or("").contains("-G")));
    }
}

#[test]
fn flow_control_stays_on_where_storage_may_need_it() {
    let switched_off = |changes: &[(&str, Value)]| {
        let advice = advice("nic-pause-frames", changes);
        advice.steps.iter().any(|step| step.run.as_deref().is_some_and(|run| run.contains("ethtool -A")))
    };
    assert!(switched_off(&[]));
    assert!(!switched_off(&[("/host/nics/0/driver", json!("mlx5_core"))]));
    assert!(!switched_off(&[("/host/iscsi_sessions", json!([{ "name": "session1" }]))]));
    assert!(!switched_off(&[("/host/disks", json!([{ "name": "sda", "transport": "fcoe" }]))]));
}

#[test]
fn a_bond_changes_its_mode_after_the_switch_and_in_a_window() {
    let advice = advice("bond-balance-rr", &[]);
    assert!(advice.steps[0].text.contains("on the switch") && advice.steps[0].risk() == Risk::Downtime);
    assert!(says(&advice, "active-backup needs no switch configuration"));
}

#[test]
fn a_small_path_mtu_is_set_for_the_one_destination() {
    let routes =
        json!([{ "destination": "10.0.0.2", "gateway": "10.0.1.2", "interface": "eth0", "looked_up": true }]);
    let black_hole = advice("mtu-black-hole", &[("/host/routes", routes)]);
    assert_eq!(
        runs(&black_hole, Phase::Now),
        ["ip -4 route replace 10.0.0.2/32 via 10.0.1.2 dev eth0 mtu lock 1500"]
    );
    let replace = black_hole.phase(Phase::Now).find(|step| step.run.is_some()).unwrap();
    assert!(replace.checks[0].run.starts_with("ip -4 route show match 10.0.0.2 |"), "{replace:?}");
    assert_eq!(runs(&black_hole, Phase::Undo), ["ip -4 route del 10.0.0.2/32 dev eth0"]);
}

#[test]
fn no_end_of_a_path_changes_its_mtu_by_guess() {
    let advice = advice("mtu-peer-differs", &[]);
    assert!(advice.steps.iter().all(|step| step.run.is_none()));
    let jumbo = advice_of_jumbo();
    assert!(jumbo.steps[0].text.starts_with("First give every switch port"), "{jumbo:?}");
}

fn advice_of_jumbo() -> Advice {
    advice("mtu-not-jumbo", &[])
}

#[test]
fn redo_of_4096_bytes_is_no_remedy_for_a_512e_disk() {
    let emulated = advice("redo-sector-size", &[]);
    assert!(says(&emulated, "ORA-01378") && !says(&emulated, "alter database add logfile"));
}

#[test]
fn leaving_sync_transport_says_what_may_be_lost() {
    let advice = advice("dataguard-sync-far", &[]);
    let at = |text: &str| advice.steps.iter().position(|step| step.text.contains(text));
    assert!(at("RPO 0").is_some() && at("FASTSYNC") < at("LogXptMode='ASYNC'"), "{advice:?}");
    let asynchronous = &advice.steps[at("LogXptMode='ASYNC'").unwrap()];
    assert!(asynchronous.needs[0].contains("RPO above 0"));
}

#[test]
fn each_file_system_is_repaired_in_its_own_way_and_looked_at_first() {
    let of = |fs_type: &str| {
        advice(
            "file-system-read-only",
            &[("/host/mounts/0/fs_type", json!(fs_type)), ("/host/mounts/0/options", json!(["ro"]))],
        )
    };
    let (ext4, xfs, btrfs, nfs) = (of("ext4"), of("xfs"), of("btrfs"), of("nfs"));
    assert!(says(&ext4, "e2fsck -n") && !says(&ext4, "xfs_repair"));
    assert!(says(&xfs, "xfs_repair -n") && says(&xfs, "log is replayed") && says(&xfs, "Never -L"));
    assert!(says(&btrfs, "btrfs scrub") && !says(&btrfs, "e2fsck"));
    assert!(says(&nfs, "comes from a server"));
    for advice in [ext4, xfs, btrfs, nfs] {
        assert!(says(&advice, "Repair the disk or the path first"));
    }
}

#[test]
fn every_disk_gets_a_scheduler_that_its_kernel_offers() {
    let disks = json!([
        { "name": "sda", "kind": "disk", "queue": { "scheduler": "bfq", "schedulers": ["none", "mq-deadline", "bfq"] } },
        { "name": "sdb", "kind": "disk", "queue": { "scheduler": "cfq", "schedulers": ["noop", "deadline", "cfq"] } }
    ]);
    let advice = advice("queue-scheduler", &[("/host/disks", disks)]);
    assert_eq!(
        runs(&advice, Phase::Now),
        ["echo none > /sys/block/sda/queue/scheduler", "echo noop > /sys/block/sdb/queue/scheduler"]
    );
}

#[test]
fn a_card_with_several_queues_keeps_one_discipline_for_each() {
    let qdiscs =
        json!([{ "kind": "mq", "parent": "root", "handle": "0:" }, { "kind": "pfifo_fast", "parent": ":1" }]);
    let several = advice("qdisc-drops", &[("/host/nics/0/qdiscs", qdiscs)]);
    let now = runs(&several, Phase::Now);
    assert!(
        now.iter().any(|run| run.ends_with(" mq")) && !now.iter().any(|run| run.ends_with("root fq")),
        "{now:?}"
    );
    assert_eq!(runs(&advice("qdisc-drops", &[]), Phase::Now), ["tc qdisc replace dev eth0 root fq"]);
}

#[test]
fn a_shaper_is_written_down_before_it_is_removed() {
    let known = json!([{ "kind": "tbf", "parent": "root", "handle": "8001:", "rate_bytes_per_s": 25e6,
                         "burst_bytes": 262_144, "limit": 500_000 }]);
    let advice = advice("qdisc-shaper", &[("/host/nics/0/qdiscs", known)]);
    assert!(runs(&advice, Phase::Now)[0].contains("> /root/fullwire-tc-eth0.txt"));
    assert_eq!(
        runs(&advice, Phase::Undo),
        ["tc qdisc replace dev eth0 root tbf rate 200000000bit burst 262144b limit 500000b"]
    );
}

#[test]
fn buffers_keep_their_first_sizes_and_are_never_lowered() {
    let window = advice(
        "receive-window",
        &[(
            "/peers/0/host/sysctls",
            json!({ "net.ipv4.tcp_rmem": "8192 65536 65536", "net.core.rmem_max": "67108864" }),
        )],
    );
    assert_eq!(runs(&window, Phase::Now), ["sysctl -w net.ipv4.tcp_rmem='8192 65536 6291456'"]);
    assert!(window.steps.iter().all(|step| step.on == "10.0.0.2:5555"), "{window:?}");
    let small = advice("tcp-receive-buffer", &[]);
    assert_eq!(runs(&small, Phase::Now), ["sysctl -w net.ipv4.tcp_rmem='4096 87380 6291456'"]);
}

#[test]
fn another_congestion_control_is_for_the_one_path() {
    let routes = json!([{ "destination": "default", "gateway": "10.0.1.2", "interface": "eth0" }]);
    let advice = advice("congestion-window", &[("/host/routes", routes)]);
    assert_eq!(
        runs(&advice, Phase::Now),
        ["modprobe tcp_bbr", "ip -4 route replace 10.0.2.1/32 via 10.0.1.2 dev eth0 congctl bbr"]
    );
    assert!(advice.steps.iter().all(|step| !step.text.contains("tcp_congestion_control")));
}

#[test]
fn noac_goes_before_sync() {
    let options = json!(["rw", "sync", "noac"]);
    let advice = advice("nfs-sync", &[("/host/mounts/0/options", options)]);
    assert!(runs(&advice, Phase::Now).iter().all(|run| !run.contains("remount")), "{advice:?}");
    assert!(says(&advice, "replace noac by ac,async"));
}

#[test]
fn xfs_is_mounted_anew_without_discard() {
    let advice = advice("mount-discard", &[("/host/mounts/0/fs_type", json!("xfs"))]);
    assert!(advice.phase(Phase::Now).all(|step| step.risk() == Risk::Downtime), "{advice:?}");
}

#[test]
fn the_governor_goes_back_to_what_it_was() {
    let advice = advice("cpu-governor", &[("/host/cpu/governors", json!({ "conservative": 14 }))]);
    assert!(runs(&advice, Phase::Undo)[0].contains("echo conservative >"), "{advice:?}");
    // Where they differ each CPU gets its own back.
    let mixed =
        self::advice("cpu-governor", &[("/host/cpu/governors", json!({ "performance": 14, "ondemand": 2 }))]);
    assert!(runs(&mixed, Phase::Now)[0].contains("> /root/fullwire-governors"), "{mixed:?}");
    assert_eq!(
        runs(&mixed, Phase::Undo),
        ["while read g f; do echo $g > $f; done < /root/fullwire-governors"]
    );
    assert!(advice.steps.iter().all(|step| !step.run.as_deref().unwrap_or("").contains("cpupower")));
}

/// Huge pages that a database is to use are not given back, and each database has its own way to them.
#[test]
fn idle_huge_pages_of_a_database_stay() {
    let of = |kind: &str| {
        let advice = advice("huge-pages-unused", &[("/host/databases/0/kind", json!(kind))]);
        assert!(runs(&advice, Phase::Now).is_empty() && runs(&advice, Phase::Undo).is_empty(), "{kind}");
        assert!(!says(&advice, "nr_hugepages=0"), "{kind}");
        advice
    };
    assert!(says(&of("oracle"), "memory_target=0"));
    let postgres = of("postgresql");
    assert!(says(&postgres, "shared_memory_size_in_huge_pages") && says(&postgres, "huge_pages = try"));
    for word in ["memory_target", "use_large_pages", "ulimit"] {
        assert!(!says(&postgres, word), "{word}");
    }
    let none = advice("huge-pages-unused", &[("/host/databases", json!([]))]);
    assert!(says(&none, "nr_hugepages=0") && !runs(&none, Phase::Undo).is_empty());
}

/// Files of a database go by its own means alone.
#[test]
fn no_file_of_a_database_is_deleted_by_hand() {
    for (fixture, means) in [
        ("fires/wal", "pg_replication_slots"),
        ("fires/binlog", "PURGE BINARY LOGS"),
        ("fires/arch", "delete archivelog"),
        ("fires/data", "no file of the database by hand"),
    ] {
        let run = &case("file-system-full", fixture).run;
        let outcomes = (rule("file-system-full").unwrap().check)(&Facts::of(run));
        let found = outcomes.into_iter().find_map(|outcome| match outcome {
            Outcome::Fires(finding) => Some(*finding),
            _ => None,
        });
        let advice = found.unwrap_or_else(|| panic!("{fixture}: nothing fires")).advice;
        assert!(says(&advice, means) && !says(&advice, "move old logs"), "{fixture}: {advice:?}");
    }
}

#[test]
fn the_key_of_a_vlan_has_a_slash_for_its_dot() {
    let changes = [
        ("/host/nics/0/name", json!("bond0.100")),
        (
            "/host/sysctls",
            json!({ "net.ipv4.conf.all.rp_filter": "0", "net.ipv4.conf.bond0/100.rp_filter": "1",
                    "net.ipv4.conf.eth2.rp_filter": "0" }),
        ),
    ];
    let advice = advice("rp-filter-strict", &changes);
    assert_eq!(runs(&advice, Phase::Now), ["sysctl -w net.ipv4.conf.bond0/100.rp_filter=2"]);
}

#[test]
fn multipath_options_stand_where_they_win() {
    for code in ["multipath-no-retry", "multipath-ghost-io"] {
        let advice = advice(code, &[]);
        assert!(says(&advice, "section devices") && !says(&advice, "overrides"), "{code}");
        assert!(runs(&advice, Phase::Now).contains(&"multipath -t > /dev/null"), "{code}");
    }
}

/// A larger MTU on one host before its switches and neighbours have it drops every large packet.
#[test]
fn jumbo_frames_begin_at_the_switches_and_not_at_this_host() {
    let advice = advice("mtu-not-jumbo", &[]);
    let now: Vec<_> = advice.phase(Phase::Now).collect();
    let first = now.first().expect("a step");
    assert!(first.run.is_none() && first.text.starts_with("First give every switch port"), "{first:?}");
    let set = now.iter().position(|step| step.run.as_deref().is_some_and(|run| run.contains("mtu 9000")));
    let set = set.expect("the command itself");
    assert!(set > 0, "the command comes after what it needs");
    assert!(now[set].needs.iter().any(|need| need.contains("every switch port")), "{:?}", now[set]);
    assert_ne!(now[set].risk(), Risk::Online);
}

/// What a finding of this case advises.
fn of(code: &str, name: &str) -> Advice {
    let outcomes = (rule(code).unwrap().check)(&Facts::of(&case(code, name).run));
    let found = outcomes.into_iter().find_map(|outcome| match outcome {
        Outcome::Fires(finding) => Some(finding.advice),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("{code} {name} does not fire"))
}

/// A remount does not change a property of a dataset.
#[test]
fn access_times_of_zfs_are_set_on_the_dataset() {
    let zfs = of("mount-atime", "fires/zfs");
    assert_eq!(runs(&zfs, Phase::Now), ["zfs set atime=off tank/pg"]);
}

/// MySQL Reference Manual: above 20,000 it is generally not recommended, and `_max` comes back too.
#[test]
fn the_io_capacity_stays_far_below_the_device() {
    let advice = of("mysql-io-capacity", "fires/plain");
    let asked = advice.steps.iter().find(|step| step.phase == Phase::Now).expect("a statement");
    let number = asked.text.rsplit_once("innodb_io_capacity = ").and_then(|(_, rest)| rest.split(';').next());
    assert!(
        number.and_then(|text| text.parse::<u64>().ok()).is_some_and(|number| number <= 20_000),
        "{}",
        asked.text
    );
    assert!(advice.phase(Phase::Undo).any(|step| step.text.contains("innodb_io_capacity_max = ")));
}

/// The peer's may be the wrong one, and other connections suffer.
#[test]
fn no_congestion_control_is_set_for_the_whole_host() {
    let advice = of("tcp-congestion", "fires/plain");
    assert!(advice.steps.iter().all(|step| step.run.is_none()));
}

/// The array that the host has, not all of them.
#[test]
fn retries_are_set_for_the_array_at_hand() {
    let advice = advice("multipath-no-retry", &[("/host/multipath/0/no_path_retry", json!("fail"))]);
    assert!(says(&advice, "section devices") && !says(&advice, "overrides"));
}

/// A path called `-` is no path: nothing is read of it or written to it.
#[test]
fn a_map_without_paths_gets_no_command_on_a_path() {
    let left = of("multipath-path-failed", "info/left-over");
    assert_eq!(runs(&left, Phase::Now), ["multipath -f mpathx"]);
    let used = of("multipath-path-failed", "fires/unmapped-in-use");
    assert_eq!(runs(&used, Phase::Now), ["multipath -ll || true"]);
    assert!(!says(&used, "running"));
}

/// `arp_ignore` changes who answers; what is sent still leaves by one interface.
#[test]
fn one_subnet_on_two_interfaces_is_a_choice_and_no_command() {
    assert!(of("subnet-shared", "fires/plain").phase(Phase::Persist).all(|step| step.run.is_none()));
}

/// irqbalance would place them anew within seconds, and each goes back to where it was.
#[test]
fn interrupts_go_back_to_where_they_were() {
    for code in ["nic-irq-remote-node", "nic-irqs-one-cpu"] {
        let advice = advice(code, &[]);
        let saved = runs(&advice, Phase::Now)[0].rsplit_once("> ").expect("a save").1;
        let back = format!("test -s {saved} && cat {saved} |");
        assert!(runs(&advice, Phase::Undo)[0].starts_with(&back), "{code}: {advice:?}");
        let moves = advice.steps.iter().find(|step| !step.checks.is_empty()).expect("a check");
        assert!(moves.checks[0].run.starts_with("pgrep -x irqbalance"), "{code}");
        assert!(advice.steps.iter().all(|step| !step.run.as_deref().unwrap_or("").contains("systemctl")));
    }
    // What irqbalance moves is every device's, so all are written down.
    let all = advice("softirq-one-cpu", &[]);
    assert!(runs(&all, Phase::Now)[0].contains("/proc/irq/[0-9]*/"));
    assert!(runs(&all, Phase::Undo)[0].contains("fullwire-irqs.txt"));
}

/// It may be the rate of a contract; a test tool that was left is nobody's wish.
#[test]
fn a_shaper_is_lifted_only_if_whoever_set_it_agrees() {
    let asked = |code: &str| {
        let advice = advice(code, &[]);
        let removes = |step: &&Step| step.run.as_deref().is_some_and(|run| run.starts_with("tc qdisc del"));
        advice.phase(Phase::Now).find(removes).map(|step| step.needs.len())
    };
    assert_eq!(asked("qdisc-shaper"), Some(1));
    assert_eq!(asked("qdisc-netem"), Some(0));
}

/// A clock that goes back confuses a running database.
#[test]
fn chrony_is_started_where_it_will_not_step_the_clock() {
    let advice = advice("clock-unsynchronised", &[]);
    let start = advice.steps.iter().find(|step| step.run.is_some()).expect("a command");
    assert!(start.checks.iter().any(|check| check.run.contains("chronyd -Q")), "{start:?}");
    assert_eq!((start.risk(), start.interrupts.as_str()), (Risk::Interrupts, "the clock"));
}

/// multipathd would use it again at its next check; and without another path of its group the unit changes its controller.
#[test]
fn a_slow_path_stays_out_and_its_group_stays_in_use() {
    let advice = advice("multipath-slow-path", &[]);
    assert_eq!(runs(&advice, Phase::Now)[0], "echo offline > /sys/block/sdb/device/state");
    assert_eq!(runs(&advice, Phase::Undo), ["echo running > /sys/block/sdb/device/state"]);
    assert!(advice.steps[0].checks[0].run.ends_with("grep -qxF 'sda ready'"), "{advice:?}");
}

/// A session that fails sooner must have somewhere to fail over to, also at the time of the change.
#[test]
fn a_timeout_is_shortened_while_two_paths_work() {
    let advice = advice("iscsi-replacement-timeout", &[]);
    assert!(advice.steps[0].checks[0].run.contains("map=mpatha awk"), "{advice:?}");
}

/// The attribute is for the database's directory, wherever it is mounted.
#[test]
fn files_that_are_written_in_place_get_a_directory_beside_their_own() {
    let changes = [("/host/mounts/0/target", json!("/")), ("/disk/0/mount_point", json!("/"))];
    let of_root = advice("file-system-copy-on-write", &changes);
    assert!(of_root.steps.iter().all(|step| !step.text.contains("//")), "{of_root:?}");
    let run = &case("file-system-copy-on-write", "info/of-root").run;
    let outcomes = (rule("file-system-copy-on-write").unwrap().check)(&Facts::of(run));
    let Some(Outcome::Fires(found)) = outcomes.into_iter().next() else { panic!("it does not fire") };
    assert!(says(&found.advice, "chattr +C /var/lib/mysql.new"), "{:?}", found.advice);
}

/// A server that may never be killed has the kernel kill all else; sessions of PostgreSQL inherit it.
#[test]
fn no_database_is_made_unkillable() {
    let advice =
        advice("out-of-memory", &[("/host/databases", json!([{ "kind": "postgresql", "name": "/db" }]))]);
    assert!(!says(&advice, "OOMScoreAdjust=-1000"), "{advice:?}");
    assert!(says(&advice, "PG_OOM_ADJUST_VALUE=0"), "{advice:?}");
}

/// A package may have installed systemctl; without a running systemd it fails (`sd_booted(3)`).
#[test]
fn a_host_without_systemd_is_given_no_command_of_it() {
    let names = |step: &Step| {
        let read = step.checks.iter().map(|check| &check.run).chain(&step.read_back).chain(&step.run);
        read.into_iter().any(|command| command.contains("systemctl"))
    };
    let mut seen = Vec::new();
    for rule in rules() {
        let Some(case) = fixtures::fires(rule).next() else { continue };
        let said = |run: &Run| -> Vec<Step> {
            let found = assess(run).findings.into_iter().filter(|finding| finding.code == rule.code);
            found.flat_map(|finding| finding.advice.steps).filter(Step::is_here).collect()
        };
        let mut run = case.run.clone();
        run.host.os.systemd = Some(true);
        if !said(&run).iter().any(|step| names(step) || step.text.contains("systemctl")) {
            continue;
        }
        run.host.os.systemd = Some(false);
        for step in said(&run) {
            assert!(!names(&step), "{}: {:?}", rule.code, step.run);
            let text = &step.text;
            assert!(!text.contains("systemctl") || text.contains("systemd"), "{}: {text}", rule.code);
        }
        seen.push(rule.code);
    }
    let known = ["clock-unsynchronised", "mount-discard", "multipath-daemon-missing", "tuned-profile"];
    assert!(known.iter().all(|code| seen.contains(code)), "{seen:?}");
    let mut run = case("mount-discard", "fires/plain").run.clone();
    run.host.os.systemd = Some(false);
    let found = assess(&run).findings.into_iter().find(|finding| finding.code == "mount-discard");
    assert!(says(&found.unwrap().advice, "`fstrim -a` in root's crontab"));
    let mut run = case("clock-unsynchronised", "fires/plain").run.clone();
    run.host.os.systemd = Some(false);
    let found = assess(&run).findings.into_iter().find(|finding| finding.code == "clock-unsynchronised");
    let steps = found.unwrap().advice.steps;
    let says_so = steps.iter().filter(|step| step.text.contains("does not run here")).count();
    assert_eq!(says_so, 1, "{steps:#?}");
}

/// Where a settings file could not be read, a setting that is not known is not the default.
#[test]
fn what_a_settings_file_may_say_is_unknown_while_it_is_unread() {
    let of = |kind: &str, codes: &[&str]| {
        let mut run = Run::default();
        run.host.databases.push(Database {
            kind: kind.to_owned(),
            name: "db".to_owned(),
            settings: [("port".to_owned(), "1".to_owned()), ("shared_buffers".to_owned(), "64GB".to_owned())]
                .into(),
            settings_partial: true,
            ..Database::default()
        });
        for code in codes {
            let outcomes = (rule(code).unwrap().check)(&Facts::of(&run));
            let unknown = |outcome: &Outcome| matches!(outcome, Outcome::Unknown(_));
            assert!(!outcomes.is_empty() && outcomes.iter().all(unknown), "{code}");
        }
    };
    let postgresql = [
        "postgres-autovacuum-off",
        "postgres-checkpoint-spread",
        "postgres-io-timing",
        "postgres-sync-standby-absent",
        "postgres-wal-size",
    ];
    of("postgresql", &postgresql);
    of("mariadb", &["mysql-commit-unsafe", "mysql-flush-method", "mysql-native-aio", "mysql-redo-small"]);
    // What the command line says wins over every file.
    let mut run = case("postgres-durability", "fires/plain").run.clone();
    run.host.databases[0].settings_partial = true;
    let outcomes = (rule("postgres-durability").unwrap().check)(&Facts::of(&run));
    assert!(outcomes.iter().any(|outcome| matches!(outcome, Outcome::Fires(_))));
}
