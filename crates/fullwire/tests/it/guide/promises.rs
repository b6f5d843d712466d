//! The commands of the guide's pages give the answer that the page promises, in the first lines and in time. What a page
//! calls `standby` is a responder on loopback here, its paths are a directory, and loads are short.

use super::{commands, page};
use crate::skips::{given, shared};
use crate::tool::{Desk, calm, serve, stderr, stdout};
use std::time::{Duration, Instant};

/// What a command of a page must do.
enum Promise {
    /// One of these words is in so many of the first lines.
    Says(&'static [&'static str], usize),
    /// A test of this file does it.
    Elsewhere(&'static str),
}
use Promise::{Elsewhere, Says};

/// Beyond the time that the load takes.
const IN_TIME: Duration = Duration::from_secs(60);
const REACHES: Promise = Says(&[" reaches "], 4);
/// Beside a load of others its figures are not the device's, and only what was reached is said.
const COMMIT: Promise = Says(&["commit's durable write", " reaches "], 4);
/// A promise of a network is not held against loopback; beside a load of others no disk is said to miss its own.
const PROMISED: Promise = Says(&["romised", "own ceiling without", "can do is not known"], 8);
/// Beside a load of others it says so, and what would settle it.
const OWN_TERMS: Promise = Says(&["commit", "can do is not known"], 8);
const HEALTH: Promise = Says(&["In order", "Not in order", "critical"], 3);
const DIFFERS: Promise = Says(&["better", "worse", "no difference", "undecided"], 6);
/// Beside a load of others a step has no figure of the disk's own, and what has none is not compared.
const DISKS_DIFFER: Promise = Says(
    &[
        "better",
        "worse",
        "no difference",
        "undecided",
        "only one side measured",
        "No figure could be compared",
    ],
    6,
);
const FAR_END: Promise = Elsewhere("tool::serve");
const MESH: Promise = Elsewhere("mesh.rs");
const PROVE: Promise = Elsewhere("compare.rs");

const ARRAY: [(&str, Promise); 3] = [
    ("disk /u01/oradata --profile ora-seqread --duration 60s --repeats 3", REACHES),
    ("disk /u01/oradata --sweep depth", Says(&["in flight"], 4)),
    ("assess --path /u01/oradata --expect-disk iops=20000,rate=800MB", PROMISED),
];
const BEFORE: [(&str, Promise); 17] = [
    ("prove --finding slow-start-after-idle --dry-run", PROVE),
    ("prove --finding slow-start-after-idle", PROVE),
    ("prove --a sysctl -w net.ipv4.tcp_slow_start_after_idle=1", PROVE),
    ("net standby --tag before", REACHES),
    ("net standby --tag after", REACHES),
    ("diff before after", DIFFERS),
    ("assess --peer standby --path /u02 --tag before", OWN_TERMS),
    ("diff before after --control /u02", PROVE),
    ("net host01 --tag public", REACHES),
    ("net host01-priv --tag private", REACHES),
    ("diff public private", DIFFERS),
    ("disk /dev/sdj --tag lun", REACHES),
    ("disk /u02 --tag volume", REACHES),
    ("diff lun volume", DISKS_DIFFER),
    ("baseline set nightly", Elsewhere("kept.rs")),
    ("diff baseline last --fail-on worse", Elsewhere("kept.rs")),
    ("history --changes", Says(&["o permanent change", "changed, the last", "no plan was run"], 2)),
];
const CLOUD: [(&str, Promise); 3] = [
    ("check", HEALTH),
    (
        "disk /u01/oradata --profile ora-seqread --duration 10m --repeats 1 --expect-disk iops=12000,rate=250MB",
        PROMISED,
    ),
    ("assess --peer other-instance --expect 10Gbit", PROMISED),
];
const CLUSTER: [(&str, Promise); 5] = [
    ("mesh root@db1 root@db2 root@db3 root@db4 --html mesh.html", MESH),
    ("mesh @cluster.txt --topology racks.txt --between 22:00-05:00 --max-rate 1Gbit", MESH),
    ("show RUN", MESH),
    ("mesh @cluster.txt --json-file today.json", MESH),
    ("diff monday.json today.json", MESH),
];
const RAC: [(&str, Promise); 6] = [
    ("check --sga 64G", HEALTH),
    ("serve --listen 192.168.10.2:5555", FAR_END),
    ("mtu 192.168.10.2 --key-file ~/fw.key", Says(&["path MTU"], 2)),
    ("net 192.168.10.2 --mode interconnect --length 8k --key-file ~/fw.key", Says(&["exchanges"], 4)),
    ("net 192.168.10.2 --mode rtt --key-file ~/fw.key", Says(&["round trip"], 3)),
    ("disk /dev/mapper/data01 --profile ora-seqread", REACHES),
];
const COMMITS: [(&str, Promise); 5] = [
    ("awr awr_before.html awr_during.html", Says(&["DB time"], 6)),
    ("import sar.txt iostat.txt", Says(&["trouble", "is full", "wait for I/O", "CPUs are fully busy"], 8)),
    ("check", HEALTH),
    ("net STANDBY --mode sync --write", Says(&["acknowledged in"], 3)),
    ("disk REDO_DIRECTORY --profile ora-lgwr", COMMIT),
];
const STANDBY: [(&str, Promise); 6] = [
    ("serve", FAR_END),
    ("mtu", Elsewhere("rac-go-live.md")),
    ("redo --sql oracle", Says(&["archived_log"], 40)),
    ("serve --write-dir /u02/standby_redo", FAR_END),
    ("redo awr_peak.html --peer standby --key-file ~/fw.key", Says(&["enough", "not enough"], 4)),
    ("net standby --mode sync --length 8k --write --key-file ~/fw.key", Says(&["acknowledged in"], 3)),
];
const TOUR: [(&str, Promise); 10] = [
    ("assess", OWN_TERMS),
    ("serve", FAR_END),
    ("assess --peer standby --expect 1Gbit", PROMISED),
    ("explain receive-window", Says(&["receive"], 4)),
    ("disk /u01/oradata --profile ora-lgwr", COMMIT),
    ("disk --profile list", Says(&["ora-lgwr"], 40)),
    // No demand is held against loopback, and that is what it says here.
    ("assess --peer standby --demand awr_1234.html", Says(&["enough", "was not compared"], 8)),
    ("history", Says(&["began"], 2)),
    ("show last", Says(&["fullwire assess"], 1)),
    ("report last -o page.html", Says(&[""], 1)),
];
const MONITORING: [(&str, Promise); 12] = [
    ("check", HEALTH),
    ("net standby --duration 5s --rate 1Gbit", REACHES),
    ("export --openmetrics -o /var/lib/prometheus/node-exporter/fullwire.prom", Elsewhere("export")),
    ("serve --metrics-listen", Elsewhere("scrape.rs")),
    ("export --nagios --max-age 26h", Says(&["FULLWIRE "], 1)),
    ("export --checkmk", Says(&["\"fullwire"], 1)),
    ("export --zabbix", Says(&["fullwire"], 1)),
    ("export --otlp-json", Says(&["resourceMetrics"], 5)),
    ("export --junit", Says(&["<testsuites"], 2)),
    ("export --sarif", Says(&["sarif"], 5)),
    ("record", Elsewhere("live.rs")),
    ("replay FILE --judge", Elsewhere("live.rs")),
];

/// The words of the page as they are typed here.
fn here(words: &[String], address: &str) -> Option<Vec<String>> {
    let sample = |path: &str| shared(path).map(|path| path.display().to_string());
    let mut typed = Vec::new();
    for word in words {
        typed.push(match word.as_str() {
            "standby" | "STANDBY" | "192.168.10.2" | "other-instance" | "host01" | "host01-priv" => {
                address.to_owned()
            }
            "/u01/oradata" | "/u02" | "REDO_DIRECTORY" => ".".to_owned(),
            "/dev/mapper/data01" | "/dev/sdj" => "volume".to_owned(),
            "awr_before.html" => sample("samples/awr/awr-11.2.0.4-rac-inst1.html")?,
            "awr_during.html" | "awr_peak.html" | "awr_1234.html" => {
                sample("samples/awr/awr-19c-single.html")?
            }
            "sar.txt" => sample("samples/sar/sar-A-1cpu-pbench.txt")?,
            "iostat.txt" => sample("samples/iostat/iostat-x-sysstat9.txt")?,
            "60s" | "10m" | "5s" => "300ms".to_owned(),
            other => other.to_owned(),
        });
    }
    let mut add = |option: &str, value: &str| {
        if !typed.iter().any(|word| word == option) {
            typed.extend([option.to_owned(), value.to_owned()]);
        }
    };
    match words[0].as_str() {
        "net" => add("--duration", "300ms"),
        "disk" if words[1] != "--profile" => {
            add("--duration", "200ms");
            add("--repeats", "1");
            if !words.iter().any(|word| word.starts_with("/dev/")) {
                add("--size", "16M");
            }
        }
        "assess" => {
            add("--duration", "200ms");
            add("--budget", "0s");
        }
        _ => {}
    }
    if !matches!(words[0].as_str(), "diff" | "history" | "show" | "report" | "export" | "explain")
        && words[1..] != ["--profile", "list"]
        && words[1..] != ["--sql", "oracle"]
    {
        typed.extend(["--fail-on".to_owned(), "never".to_owned()]);
    }
    Some(typed)
}

/// Every command of a page is one of the list, and keeps its promise.
fn kept(name: &str, promises: &[(&str, Promise)]) {
    calm();
    let desk = Desk::new();
    std::fs::write(desk.work.path().join("volume"), vec![7_u8; 16 << 20]).unwrap();
    let (_responder, address) = serve(&desk, &["--open", "--write-dir", "."]);
    for words in commands(&page(name)) {
        let typed = words.join(" ");
        let promise = promises.iter().find(|(command, _)| *command == typed);
        let (_, promise) = promise.unwrap_or_else(|| panic!("{name}: \"{typed}\" has no promise here"));
        let (answers, within) = match promise {
            Says(answers, within) => (answers, within),
            Elsewhere(test) => {
                assert!(!test.is_empty(), "{typed}");
                continue;
            }
        };
        // A responder without a key asks for none.
        let own = |word: &&String| !matches!(word.as_str(), "--key-file" | "~/fw.key");
        let words: Vec<String> = words.iter().filter(own).cloned().collect();
        let arguments = given!(here(&words, &address));
        let begin = Instant::now();
        let output = desk.command().args(&arguments).output().unwrap();
        let took = begin.elapsed();
        let text = stdout(&output);
        let head = text.lines().take(*within).collect::<Vec<_>>().join(" ");
        assert!(
            answers.iter().any(|answer| head.contains(answer)),
            "{name}: {arguments:?}: {text}{}",
            stderr(&output)
        );
        assert!(took < IN_TIME, "{name}: {typed} took {took:?}");
    }
}

#[test]
fn the_page_on_arrays() {
    kept("array-speed.md", &ARRAY);
}

#[test]
fn the_page_on_changes() {
    kept("before-after.md", &BEFORE);
}

#[test]
fn the_page_on_clouds() {
    kept("cloud.md", &CLOUD);
}

#[test]
fn the_page_on_clusters() {
    kept("cluster.md", &CLUSTER);
}

#[test]
fn the_page_on_rac() {
    kept("rac-go-live.md", &RAC);
}

#[test]
fn the_page_on_slow_commits() {
    kept("slow-commits.md", &COMMITS);
}

#[test]
fn the_page_on_a_standby() {
    kept("standby-link.md", &STANDBY);
}

#[test]
fn the_tour() {
    kept("tour.md", &TOUR);
}

#[test]
fn the_page_on_monitoring() {
    kept("monitoring.md", &MONITORING);
}

/// A new page of questions is one of these.
#[test]
fn every_page_of_questions_has_its_promises() {
    let known =
        ["array-speed", "before-after", "cloud", "cluster", "rac-go-live", "slow-commits", "standby-link"];
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/questions");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        assert!(known.contains(&name.as_str()), "{name}");
    }
}
