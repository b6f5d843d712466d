//! `fullwire mesh` over real sshds: hosts as namespaces of this machine, faults that are set, and what the matrix says.

pub(crate) mod cluster;
mod door;

use crate::skips::given;
use crate::tool::{Running, alone, json, stderr, stdout, texts};
use cluster::Cluster;
use jiff::Timestamp;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

/// Code and subject of each finding, sorted.
fn named(document: &Value) -> Vec<String> {
    let findings = document["findings"].as_array().unwrap();
    let mut named: Vec<String> = findings
        .iter()
        .map(|finding| {
            format!("{} {}", finding["code"].as_str().unwrap(), finding["subject"].as_str().unwrap())
        })
        .collect();
    named.sort();
    named
}

fn cell<'a>(document: &'a Value, from: &str, to: &str) -> &'a Value {
    let cells = document["cells"].as_array().unwrap();
    cells.iter().find(|cell| cell["from"] == from && cell["to"] == to).unwrap()
}

/// When each host was busy with a stream, by its own log: as the sender, or as the responder.
fn busy(document: &Value) -> BTreeMap<String, Vec<(Timestamp, Timestamp, String)>> {
    let time = |value: &Value| value.as_str().and_then(|text| text.parse::<Timestamp>().ok());
    let mut busy: BTreeMap<String, Vec<(Timestamp, Timestamp, String)>> = BTreeMap::new();
    for cell in document["cells"].as_array().unwrap() {
        let (from, to) = (cell["from"].as_str().unwrap(), cell["to"].as_str().unwrap());
        for stream in cell["streams"].as_array().unwrap() {
            let path = format!("{from} to {to}");
            let sender = time(&stream["started"]).zip(time(&stream["finished"])).expect("the sender's times");
            let receiver = time(&stream["served_from"]).zip(time(&stream["served_to"]));
            let receiver = receiver.unwrap_or_else(|| panic!("the receiver's times of {path}: {stream}"));
            busy.entry(from.to_owned()).or_default().push((sender.0, sender.1, path.clone()));
            busy.entry(to.to_owned()).or_default().push((receiver.0, receiver.1, path));
        }
    }
    busy
}

/// No stream ran on a host while another one did, by the logs of both ends (the namespaces share one clock).
fn assert_no_collision(document: &Value) {
    for (host, mut spans) in busy(document) {
        spans.sort();
        for pair in spans.windows(2) {
            let ((_, end, one), (begin, _, other)) = (&pair[0], &pair[1]);
            assert!(end <= begin, "{host}: {one} until {end}, {other} from {begin}");
        }
    }
}

/// Waits as long as a loaded machine may take until streams are in progress.
fn wait_for_streams(cluster: &Cluster) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while (1..=cluster.hosts).all(|host| cluster.sent_bytes(host) < 4_000_000) {
        assert!(Instant::now() < deadline, "no stream within 120 s");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn documented(output: &Output) -> Value {
    let document = json(output);
    assert_eq!(document["schema"], "fullwire.mesh/1", "{}", stderr(output));
    document
}

/// A line for each cell: what a person needs who asks why a path was named or was not.
fn cells(document: &Value) -> String {
    let line = |cell: &Value| {
        let rates: Vec<String> = cell["streams"].as_array().map_or(Vec::new(), |streams| {
            streams.iter().map(|one| format!("{}/{}", one["throughput_bytes_per_s"], one["alone"])).collect()
        });
        format!(
            "{} -> {} {} {} resent {} [{}] {}\n",
            cell["from"],
            cell["to"],
            cell["state"],
            cell["throughput_bytes_per_s"],
            cell["retransmitted_share"],
            rates.join(" "),
            cell["detail"]
        )
    };
    document["cells"].as_array().unwrap().iter().map(line).collect()
}

/// The faults of the seven hosts below, and nothing else.
const FAULTS: [&str; 6] = [
    "mesh-host-absent h7", "mesh-host-slow h2", "mesh-mtu h6 -> h3", "mesh-path-slow h3 -> h4",
    "mesh-path-slow h5 -> h1", "mesh-version h4",
];

fn spoil(cluster: &Cluster) {
    // All that h2 sends goes through a narrow cable.
    cluster.shape(2, "20mbit");
    // h3 to h4 alone is shaped: this path is asymmetric.
    cluster.run(3, "tc qdisc replace dev eth1 root handle 1: htb default 10 r2q 100");
    cluster.run(3, &format!("tc class add dev eth1 parent 1: classid 1:10 htb rate {}", cluster::CABLE));
    cluster.run(3, "tc class add dev eth1 parent 1: classid 1:20 htb rate 20mbit");
    cluster.run(
        3,
        "tc filter add dev eth1 parent 1: protocol ip prio 1 u32 match ip dst 10.78.0.4/32 flowid 1:20",
    );
    // h5 to h1 loses segments. BBR, which some hosts have, would keep half of the rate, and two seconds of that are within the
    // scatter of a machine that does other things.
    cluster.run(5, "sysctl -q -w net.ipv4.tcp_congestion_control=reno");
    cluster.run(1, "iptables -t raw -A PREROUTING -i eth1 -s 10.78.0.5 -p tcp -m length --length 500:65535 -m statistic --mode random --probability 0.15 -j DROP");
    // h6 to h3 loses large packets, and no one says so. Each packet crosses the cable on its own, as on a wire: else the small
    // segments of a control connection come as one large packet and are lost with the others.
    cluster.run(6, "ip link set eth1 gso_max_segs 1");
    cluster
        .run(3, "iptables -t raw -A PREROUTING -i eth1 -s 10.78.0.6 -m length --length 1401:65535 -j DROP");
}

/// Each cell's run is kept and can be shown; the page leads to it.
fn check_kept(cluster: &Cluster, document: &Value, store: &str, html: &Path) {
    let run = cell(document, "h3", "h4")["run_id"].as_str().unwrap();
    let shown = json(&cluster.command().args(["show", run, "--json", "--store", store]).output().unwrap());
    assert_eq!(shown["net"][0]["target"], "h4", "{shown}");
    let page = std::fs::read_to_string(html).unwrap();
    assert!(page.contains(&format!("fullwire show {run}")) && page.contains("href=\"#path-0-2-3\""));
}

/// Seven hosts: one shaped, one path asymmetric, one lossy, one with an MTU hole, one that runs another version, one that
/// dies in the middle of the streams. A bond with a dead member needs a driver that not every kernel has: `lab/mesh` has it.
#[test]
fn each_fault_of_a_cluster_is_named_and_nothing_else() {
    let _alone = alone();
    let mut cluster = given!(Cluster::start_with("f", 7, Some(4)));
    spoil(&cluster);
    let html = cluster.desk.work.path().join("mesh.html");
    let store = cluster.desk.work.path().join("runs.db").display().to_string();
    let options = ["--duration", "2s", "--json", "--store", &store, "--html", html.to_str().unwrap()];
    let mut mesh = cluster.mesh(&options);
    let child = mesh.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_streams(&cluster);
    cluster.power_off(7);
    let output = child.wait_with_output().unwrap();
    let document = documented(&output);
    assert_eq!(named(&document), FAULTS, "{}", cells(&document));
    let finding = |subject: &str| {
        let findings = document["findings"].as_array().unwrap();
        findings.iter().find(|one| one["subject"] == subject).unwrap()
    };
    let message = |subject: &str| finding(subject)["message"].as_str().unwrap();
    assert!(message("h2").starts_with("Everything that h2 sends reaches"), "{}", message("h2"));
    assert_eq!(
        message("h4"),
        format!("h4 runs fullwire {}; this is {}", cluster::OTHER_VERSION, env!("CARGO_PKG_VERSION"))
    );
    assert!(finding("h3 -> h4")["evidence"].to_string().contains("the reverse direction"));

    assert_eq!(document["cells"].as_array().unwrap().len(), 42);
    let hole = cell(&document, "h6", "h3");
    assert_eq!((&hole["mtu_bytes"], &hole["state"]), (&Value::from(1400), &Value::from("partial")), "{hole}");
    assert_eq!(cell(&document, "h3", "h6")["mtu_bytes"], 1500);
    assert!(cell(&document, "h5", "h1")["retransmitted_share"].as_f64() > Some(0.02));
    // The host that died is a gap, and the stream through the hole; all other paths have a figure.
    let gaps = texts(&document["gaps"], "subject");
    assert_eq!(gaps, ["h7", "h6 -> h3"], "{:#}", document["gaps"]);
    let unmeasured: Vec<&Value> = document["cells"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|cell| cell["from"] != "h7" && cell["to"] != "h7" && cell["state"] != "measured")
        .collect();
    assert_eq!(unmeasured, [hole]);
    for (host, state) in texts(&document["hosts"], "state").into_iter().enumerate() {
        assert_eq!(state, if host == 6 { "lost" } else { "present" }, "h{}", host + 1);
    }
    assert_no_collision(&document);
    check_kept(&cluster, &document, &store, &html);
    for host in 1..=6 {
        assert!(cluster.is_clean(host), "h{host}");
    }
    compared_with_itself(&cluster, &document);
    // No one can tell the node that is cut off: it ends by its own clock.
    let ended = Instant::now() + Duration::from_secs(60);
    while !cluster.is_clean(7) {
        assert!(Instant::now() < ended, "h7 still runs what nobody ordered any more");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// `fullwire diff` of two meshes: nothing changed, and a path that became slower.
fn compared_with_itself(cluster: &Cluster, document: &Value) {
    let file = |name: &str, document: &Value| {
        let path = cluster.desk.work.path().join(name);
        std::fs::write(&path, document.to_string()).unwrap();
    };
    let mut slower = document.clone();
    let cells = slower["cells"].as_array_mut().unwrap();
    let cell = cells.iter_mut().find(|cell| cell["from"] == "h1" && cell["to"] == "h4").unwrap();
    cell["throughput_bytes_per_s"] = (cell["throughput_bytes_per_s"].as_f64().unwrap() / 4.0).into();
    file("before.json", document);
    file("after.json", &slower);
    let diff = |words: &[&str]| cluster.desk.command().arg("diff").args(words).output().unwrap();
    let same = documented(&diff(&["before.json", "before.json", "--json", "--fail-on", "worse"]));
    assert_eq!(named(&same), [""; 0]);
    let output = diff(&["before.json", "after.json", "--json", "--fail-on", "worse"]);
    assert_eq!(named(&documented(&output)), ["mesh-changed h1 -> h4"]);
    assert_eq!(output.status.code(), Some(1));
    // The same answer on the terminal, in the page and in the document.
    let text = stdout(&diff(&["before.json", "before.json", "--html", "same.html"]));
    assert!(text.contains("Nothing changed."), "{text}");
    let page = std::fs::read_to_string(cluster.desk.work.path().join("same.html")).unwrap();
    assert!(page.contains("<h1>Nothing changed.</h1>"));
    let answer = &same["answers"][0];
    assert_eq!((&answer["question"], &answer["answer"]), (&"better".into(), &"same".into()), "{answer}");
    let mixed = diff(&["before.json", "last"]);
    assert!(stderr(&mixed).contains("before.json is a mesh run and last is not"), "{}", stderr(&mixed));
}

#[test]
fn an_interrupt_leaves_nothing_running_anywhere() {
    let _alone = alone();
    let cluster = given!(Cluster::start("i", 3));
    let mut mesh = cluster.mesh(&["--duration", "20s", "--json", "--no-store"]);
    let mut mesh = Running(mesh.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    wait_for_streams(&cluster);
    mesh.signal("-INT");
    let mut stdout = mesh.0.stdout.take().unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut stdout, &mut text).unwrap();
    let status = mesh.ends_within(Duration::from_secs(20)).expect("it ends");
    assert_eq!(status.code(), Some(130));
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["interrupted"], true);
    assert!(cell(&document, "h1", "h2")["p50_ns"].as_u64() > Some(0), "what was measured is shown");
    for host in 1..=3 {
        assert!(cluster.is_clean(host), "h{host}");
    }
}

#[test]
fn limits_are_kept_by_the_hosts_themselves() {
    let _alone = alone();
    let mut cluster = given!(Cluster::start("l", 2));
    // Each network is measured apart, no faster than requested.
    cluster.networks = 2;
    let options = ["--duration", "1s", "--json", "--no-store", "--max-rate", "8Mbit"];
    let document = documented(&cluster.mesh(&options).output().unwrap());
    assert_eq!(document["networks"], serde_json::json!(["data", "ssh"]));
    let cells = document["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 4);
    for cell in cells {
        let rate = cell["throughput_bytes_per_s"].as_f64().unwrap_or_else(|| panic!("{cell}"));
        assert!(rate < 1.2e6, "{cell}");
    }

    // A window of time that is closed: nothing is loaded, and each cell says why.
    cluster.networks = 1;
    let now = jiff::Zoned::now();
    let hour = |add: i8| (now.hour() + add).rem_euclid(24);
    let window = format!("{:02}:00-{:02}:00", hour(3), hour(5));
    let before = cluster.sent_bytes(1);
    let options = ["--duration", "1s", "--json", "--no-store", "--between", &window];
    let output = cluster.mesh(&options).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let document = documented(&output);
    assert_eq!(cell(&document, "h1", "h2")["state"], "refused");
    assert!(document["gaps"][0]["detail"].as_str().unwrap().contains(&window), "{}", document["gaps"]);
    assert!(cluster.sent_bytes(1) - before < 10_000);

    // A budget: the stream is cut when it is used up, and no other one begins. Over a host in between, as with a bastion.
    let jump = "root@10.77.0.1";
    let options = ["--duration", "5s", "--json", "--no-store", "--budget", "3M", "--jump", jump];
    let before = [cluster.sent_bytes(1), cluster.sent_bytes(2)];
    let document = documented(&cluster.mesh(&options).output().unwrap());
    let moved = cluster.sent_bytes(1) - before[0] + cluster.sent_bytes(2) - before[1];
    // Without the budget four streams would have moved 100 MB and more.
    assert!(moved < 12 << 20, "{moved}");
    assert!(document["gaps"].to_string().contains("budget"), "{}", document["gaps"]);
}

#[test]
fn storage_that_hosts_share_is_loaded_by_one_at_a_time_unless_asked() {
    let _alone = alone();
    let cluster = given!(Cluster::start("s", 2));
    let folder = cluster.desk.work.path().join("shared");
    std::fs::create_dir(&folder).unwrap();
    let target = folder.to_str().unwrap();
    let words = ["--no-network", "--disk", target, "--disk-size", "16M", "--json", "--no-store"];
    for together in [false, true] {
        let mut options = words.to_vec();
        options.extend(together.then_some("--together"));
        let document = documented(&cluster.mesh(&options).output().unwrap());
        let storage = document["storage"].as_array().unwrap();
        assert_eq!(storage.len(), 2);
        assert_eq!(
            storage[0]["identities"], storage[1]["identities"],
            "the namespaces share this machine's disk"
        );
        let time = |one: &Value, key: &str| {
            one[key].as_str().unwrap_or_else(|| panic!("{one}")).parse::<Timestamp>()
        };
        let mut spans: Vec<(Timestamp, Timestamp)> = storage
            .iter()
            .map(|one| (time(one, "started").unwrap(), time(one, "finished").unwrap()))
            .collect();
        spans.sort();
        let apart = spans.windows(2).all(|pair| pair[0].1 <= pair[1].0);
        assert_eq!(apart, !together, "{spans:?}");
        assert!(
            storage.iter().all(|one| one["steps"][0]["throughput_bytes_per_s"].as_f64() > Some(0.0)),
            "{storage:?}"
        );
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "nothing is left there");
    }
}
