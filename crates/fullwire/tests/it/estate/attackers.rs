//! What each who has taken something of an estate can do at most: the table in docs/security.md, line by line. Real NATS
//! with TLS and the permissions that `estate up` wrote, real PostgreSQL with real roles.

use super::client::{connect, runtime};
use super::place::{Bus, Place};
use crate::ports::free_port;
use crate::servers::wait_for;
use crate::skips::given;
use crate::tool::{PROGRAM, json, stderr};
use base64::Engine as _;
use futures_util::StreamExt as _;
use serde_json::{Value, json as value};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const SOON: Duration = Duration::from_secs(60);
/// What a host may send in the test of a compromised coordinator.
const BUDGET_BYTES: usize = 3_000_000;
/// Beside that each connection is sent a handshake or a token, and requests of a few hundred bytes each.
const WORDS_BYTES: usize = 8 << 10;
const ROUND: [&str; 4] = ["--duration", "1s", "--max-rate", "20MB"];

/// Every line of the table has its test, and no other line is there.
#[test]
fn the_table_of_what_each_can_do_is_held_line_by_line() {
    let document = std::fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/security.md"),
    )
    .unwrap();
    let table = document.split("## What each can do in an estate").nth(1).expect("the section");
    let table = table.split("\n## ").next().unwrap();
    let own = include_str!("attackers.rs");
    let mut lines = 0;
    for line in table.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| who |")) {
        let test = line.rsplit('`').nth(1).unwrap_or_else(|| panic!("no test: {line}"));
        assert!(own.contains(&format!("fn {test}()")), "{test} is no test of this file");
        lines += 1;
    }
    let tests = own.matches("\n#[test]\n").count() - 1;
    assert_eq!(lines, tests, "a line for each test");
}

fn place(hosts: usize) -> Option<Place> {
    Place::with(hosts, &Bus { tls: true, ..Bus::default() })
}

fn read(place: &Place, file: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(place.path(file)).unwrap()).unwrap()
}

pub(super) fn packed(message: &Value) -> Vec<u8> {
    zstd::encode_all(message.to_string().as_bytes(), 3).unwrap()
}

fn unpacked(message: &[u8]) -> Value {
    serde_json::from_slice(&zstd::decode_all(message).unwrap()).unwrap()
}

/// Everything that goes both ways between its port and the server's.
struct Tap {
    port: u16,
    seen: Arc<Mutex<Vec<u8>>>,
    /// Bytes that the server was sent.
    sent: Arc<AtomicUsize>,
    connections: Arc<AtomicUsize>,
}

impl Tap {
    fn before(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let tap = Self {
            port: listener.local_addr().unwrap().port(),
            seen: Arc::default(),
            sent: Arc::default(),
            connections: Arc::default(),
        };
        let (seen, sent) = (Arc::clone(&tap.seen), Arc::clone(&tap.sent));
        let connections = Arc::clone(&tap.connections);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else { continue };
                connections.fetch_add(1, Ordering::Relaxed);
                let up = (client.try_clone().unwrap(), server.try_clone().unwrap(), Arc::clone(&sent));
                for (mut from, mut to, count) in [up, (server, client, Arc::default())] {
                    let seen = Arc::clone(&seen);
                    std::thread::spawn(move || {
                        let mut buffer = vec![0; 1 << 16];
                        while let Ok(length @ 1..) = from.read(&mut buffer) {
                            seen.lock().unwrap().extend_from_slice(&buffer[..length]);
                            count.fetch_add(length, Ordering::Relaxed);
                            if to.write_all(&buffer[..length]).is_err() {
                                return;
                            }
                        }
                        let _ = to.shutdown(std::net::Shutdown::Write);
                    });
                }
            }
        });
        tap
    }

    fn has(&self, words: &str) -> bool {
        self.seen.lock().unwrap().windows(words.len()).any(|part| part == words.as_bytes())
    }
}

/// The port of the NATS server.
fn port_of(place: &Place) -> u16 {
    let server = read(place, "db1.json")["servers"][0].as_str().unwrap().to_owned();
    server.rsplit_once(':').unwrap().1.parse().unwrap()
}

/// Leads a member's connection through a tap.
fn through(place: &Place, file: &str, tap: &Tap) {
    let text = std::fs::read_to_string(place.path(file)).unwrap();
    let own = format!("127.0.0.1:{}", port_of(place));
    std::fs::write(place.path(file), text.replace(&own, &format!("127.0.0.1:{}", tap.port))).unwrap();
}

#[test]
fn a_listener_on_the_way_to_the_bus() {
    let mut place = given!(place(2));
    let tap = Tap::before(port_of(&place));
    through(&place, "estate/coordinator.json", &tap);
    through(&place, "db2.json", &tap);
    place.all_agents();
    wait_for("both are connected", SOON, || {
        ["db1", "db2"].iter().all(|name| place.said(name).contains("connected"))
    });
    let round = place.once(&ROUND);
    assert!(json(&round)["cells"].as_array().unwrap().iter().all(|cell| cell["state"] == "measured"));
    assert!(tap.seen.lock().unwrap().len() > 10_000, "the round went over the tap");
    for secret in ["fw.test", "_INBOX", "eyJ0eXAi", "db2", "session", "\"key\"", "PUB ", "SUB "] {
        assert!(!tap.has(secret), "{secret} was seen");
    }
}

#[test]
fn a_bus_in_clear_is_refused_beyond_this_host() {
    let place = given!(Place::new(1));
    let url = place.postgres.url();
    let up = |more: &[&str]| {
        let mut words = vec!["estate", "up", "--name", "far", "--dir", "far", "--database", &url];
        words.extend(["--server", "nats://192.0.2.7:4222"]);
        words.extend(more);
        place.desk.run(&words)
    };
    let refused = up(&[]);
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("nats://192.0.2.7:4222 is not encrypted"), "{}", stderr(&refused));
    assert!(!place.path("far").exists(), "nothing was written");
    assert!(up(&["--insecure"]).status.success());
    // A credential that somebody changed, or that leads through a name: the agent itself refuses.
    let file = place.path("db1.json");
    let text = std::fs::read_to_string(&file).unwrap();
    let changed = text.replace("nats://127.0.0.1:", "nats://localhost.example:");
    std::fs::write(&file, changed).unwrap();
    // One that does not refuse would try to connect for as long as it is left to.
    let words = ["20", PROGRAM, "agent", "--credential", "db1.json", "--store", "x.db"];
    let agent = place.desk.program("timeout").args(words).output().unwrap();
    assert!(stderr(&agent).contains("is not encrypted and beyond this host"), "{}", stderr(&agent));
}

/// A result as an agent's store would bring it, with what its thief wrote into it.
pub(super) fn delivery(run_id: &str, hostname: &str, started: jiff::Timestamp) -> Value {
    value!({"session": "s", "round": "r", "ticket": 1, "to": "db1", "network": "", "run": {
        "schema": "fullwire.run/1", "run_id": run_id, "tool_version": "9", "started": started, "finished": started,
        "command": {"name": "net", "arguments": []}, "host": {"hostname": hostname},
    }})
}

/// A host chooses where the answer to its result would go, and the server checks that for nobody: no answer is written, neither to
/// another host's subjects nor to JetStream's own, whether the stream takes the result or refuses it.
async fn the_stream_writes_to_nobody(place: &Place, thief: &async_nats::Client) {
    let (bus, _) = connect(place, "estate/coordinator.json").await;
    let mut here = bus.subscribe("fw.test.here.*").await.unwrap();
    let mut inbox = thief.subscribe("fw.test.call").await.unwrap();
    let mut refused = async_nats::HeaderMap::new();
    refused.insert("Nats-Expected-Last-Sequence", "99999999");
    let places =
        ["fw.test.call", "fw.test.plan.db1", "fw.test.here.db1", "$JS.API.STREAM.PURGE.fw_test_results"];
    for reply in places {
        for headers in [async_nats::HeaderMap::new(), refused.clone()] {
            let sent = thief.publish_with_reply_and_headers("fw.test.result.db2", reply, headers, "".into());
            sent.await.unwrap();
        }
    }
    thief.flush().await.unwrap();
    let second = Duration::from_secs(1);
    assert!(tokio::time::timeout(second, inbox.next()).await.is_err(), "it called all hosts");
    while let Ok(Some(word)) = tokio::time::timeout(second, here.next()).await {
        assert!(!word.payload.starts_with(b"{"), "the server spoke for {}", word.subject);
    }
}

/// How many of its subscriptions the server grants a host: those that hear a call.
async fn subscriptions(place: &Place, thief: &async_nats::Client) -> usize {
    let mut held = Vec::new();
    for _ in 0..100 {
        held.push(thief.subscribe("fw.test.call").await.unwrap());
    }
    thief.flush().await.unwrap();
    let (bus, _) = connect(place, "estate/coordinator.json").await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    bus.publish("fw.test.call", "".into()).await.unwrap();
    bus.flush().await.unwrap();
    tokio::time::sleep(Duration::from_secs(2)).await;
    let mut hearing = 0;
    for words in &mut held {
        let word = tokio::time::timeout(Duration::from_millis(10), words.next()).await;
        hearing += usize::from(matches!(word, Ok(Some(_))));
    }
    hearing
}

#[test]
fn a_compromised_agent() {
    let mut place = given!(place(2));
    place.agent(0);
    place.coordinate(&["--every", "9999h", "--gather", "9999h"]);
    wait_for("it is connected", SOON, || place.said("db1").contains("connected"));
    wait_for("there is a stream", SOON, || super::strangers::has_stream(&place));
    let now = jiff::Timestamp::now();
    let day = Duration::from_secs(24 * 3600);
    runtime().block_on(async {
        let (thief, said) = connect(&place, "db2.json").await;
        let mut heard = Vec::new();
        let others =
            ["fw.test.plan.db1", "fw.test.said.*", "fw.test.result.*", "_INBOX.>", "_INBOX_test_db1.>", ">"];
        for subject in others {
            heard.push(thief.subscribe(subject).await.unwrap());
        }
        for subject in ["fw.test.plan.db1", "fw.test.said.db1", "fw.test.result.db1", "fw.test.call"] {
            thief.publish(subject, "x".into()).await.unwrap();
        }
        thief.flush().await.unwrap();
        // Its own results: under another host's name, of another time, and one that fills memory.
        let bomb = format!("{{\"run\":{{\"host\":{{\"disks\":[{}{{}}]}}}}}}", "{},".repeat(3_000_000));
        let messages = [
            packed(&delivery("honest", "db2", now)),
            packed(&delivery("impostor", "db1", now)),
            packed(&delivery("tomorrow", "db2", now + day * 400)),
            packed(&delivery("ancient", "db2", now - day * 400)),
            zstd::encode_all(bomb.as_bytes(), 3).unwrap(),
        ];
        for message in messages {
            thief.publish("fw.test.result.db2", message.into()).await.unwrap();
        }
        let mut count = 0;
        for words in &mut heard {
            while let Ok(Some(_)) = tokio::time::timeout(Duration::from_millis(100), words.next()).await {
                count += 1;
            }
        }
        assert_eq!(count, 0, "it heard nothing of others");
        let said = said.lock().unwrap().join("\n");
        assert!(said.matches("Permissions Violation").count() >= others.len() + 4, "{said}");
        the_stream_writes_to_nobody(&place, &thief).await;
        let (thief, _) = connect(&place, "db2.json").await;
        let granted = subscriptions(&place, &thief).await;
        assert!((1..=8).contains(&granted), "{granted} of 100: they take memory of the server");
    });
    assert!(!place.said("db1").contains("a plan is not obeyed"), "{}", place.said("db1"));
    wait_for("its results are kept", SOON, || place.kept_runs().len() == 2);
    wait_for("the others are refused", SOON, || {
        let log = std::fs::read_to_string(place.path("coordinator.log")).unwrap_or_default();
        log.matches("the clock of that host is wrong").count() >= 2
            && log.contains("cannot be read and is dropped")
    });
    let rows =
        place.postgres.ask("select run_id || ' ' || host || ' ' || agent from fullwire.run order by 1");
    assert_eq!(rows, "honest db2 db2\nimpostor db2 db2", "whatever it says, it is db2");
    let url = place.postgres.url();
    let mut command = place.desk.command();
    let history = json(&command.env("FULLWIRE_STORE", &url).args(["history", "--json"]).output().unwrap());
    let hosts: Vec<&str> =
        history["runs"].as_array().unwrap().iter().map(|run| run["host"].as_str().unwrap()).collect();
    assert_eq!(hosts, ["db2", "db2"]);
    // A bomb costs what one message may cost: the coordinator is there, and takes what comes next.
    let pid = place.coordinator.as_ref().unwrap().0.id();
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak_kib: u64 = peak.split_whitespace().next().unwrap().parse().unwrap();
    assert!(peak_kib < 600 << 10, "VmHWM {peak_kib} KiB");
}

/// Signs with the coordinator's own key, as whoever has its credential file can.
struct Forger {
    key: nkeys::KeyPair,
    session: String,
    number: u64,
}

impl Forger {
    fn plan(&mut self, instruction: &Value) -> Vec<u8> {
        self.number += 1;
        let plan = value!({
            "estate": "test", "host": "db1", "session": self.session, "term": 99, "number": self.number,
            "round": "r", "instruction": instruction,
        })
        .to_string();
        let signature = self.key.sign(plan.as_bytes()).unwrap();
        let signature = base64::engine::general_purpose::STANDARD.encode(signature);
        packed(&value!({"plan": plan, "signature": signature}))
    }
}

/// A responder of the attacker's, and all that reaches it.
fn attackers_responder(place: &Place) -> (crate::tool::Running, Tap) {
    let mut serve = place.desk.command();
    serve.args(["serve", "--listen", "127.0.0.1:0"]).env("FULLWIRE_KEY", "a-key-of-the-test-alone");
    let mut serve =
        serve.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().unwrap();
    let mut first = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(serve.stdout.take().unwrap()), &mut first)
        .unwrap();
    let port = first.trim().rsplit_once(':').unwrap().1.parse().unwrap();
    (crate::tool::Running(serve), Tap::before(port))
}

#[test]
fn a_compromised_coordinator() {
    let mut place = given!(place(1));
    let secret = place.path("secret");
    std::fs::write(&secret, "root:$6$ROOTONLYSECRETMARKER:19000\n").unwrap();
    place.limits[0] =
        ["--budget", &BUDGET_BYTES.to_string(), "--max-rate", "50MB"].map(str::to_owned).to_vec();
    place.agent(0);
    let held = read(&place, "estate/coordinator.json");
    // What signs hosts and members is not in its file.
    assert!(held["plan_seed"].is_string());
    assert!(["operator_seed", "account_seed"].iter().all(|absent| !held.to_string().contains(absent)));
    let (serve, tap) = attackers_responder(&place);
    let peer = value!({"name": "evil", "address": format!("127.0.0.1:{}", tap.port),
        "key": "a-key-of-the-test-alone", "network": ""});
    let reports = runtime().block_on(async {
        let (bus, _) = connect(&place, "estate/coordinator.json").await;
        let mut here = bus.subscribe("fw.test.here.db1").await.unwrap();
        let word = tokio::time::timeout(SOON, here.next()).await.unwrap().unwrap();
        let session = unpacked(&word.payload)["here"]["session"].as_str().unwrap().to_owned();
        let key = nkeys::KeyPair::from_seed(held["plan_seed"].as_str().unwrap()).unwrap();
        let mut forger = Forger { key, session, number: 0 };
        let mut said = bus.subscribe("fw.test.said.db1").await.unwrap();
        let measure = |ticket: u64, probe: Value| {
            value!({"order": {"measure": {"ticket": ticket, "within_ns": 60_000_000_000_u64, "probe": probe}}})
        };
        let stream = |more: Value| {
            let mut fields = value!({"streams": 1, "duration_ns": 2_000_000_000_u64, "rate_bytes_per_s": 0.0});
            fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            value!({"stream": {"peer": peer, "stream": fields, "expect_bytes_per_s": null}})
        };
        let orders = [
            value!({"order": {"begin": {"limits": {}, "peers": [], "storage": ["/etc"]}}}),
            measure(1, stream(value!({"payload": {"file": secret}}))),
            measure(2, value!({"stream": {"peer": peer, "plan": {"payload": {"file": secret}}}})),
            measure(3, value!({"disk": {"disk": {"target": "/etc", "size_bytes": 1_000_000}}})),
            measure(4, value!({"disk": {"disk": {"target": "/dev/sda", "size_bytes": 1_000_000, "destroy": "x"}}})),
            measure(5, stream(value!({"duration_ns": u64::MAX}))),
            measure(6, stream(value!({}))),
        ];
        let mut reports: Vec<Value> = Vec::new();
        for order in orders {
            for word in [&value!({"order": "alive"}), &order] {
                bus.publish("fw.test.plan.db1", forger.plan(word).into()).await.unwrap();
            }
            bus.flush().await.unwrap();
            // A node that hears nothing for half a minute ends: what is no order has no answer that could be waited for.
            let answered = !order["order"]["begin"].is_null()
                || [3, 6].iter().any(|ticket| order["order"]["measure"]["ticket"] == *ticket);
            let wait = if answered { SOON } else { Duration::from_secs(3) };
            let until = |word: &Value| {
                let report = &word["report"]["report"];
                !report["hello"].is_null() || !report["refused"].is_null() || !report["failed"].is_null()
            };
            // Its node says every two seconds that it is there: that is no answer.
            let deadline = tokio::time::Instant::now() + wait;
            while let Ok(Some(word)) = tokio::time::timeout_at(deadline, said.next()).await {
                let word = unpacked(&word.payload);
                let done = until(&word);
                reports.push(word);
                if done {
                    break;
                }
            }
        }
        // A round that is broken off and begun again has no new budget.
        for order in [value!("rest"), value!({"order": {"begin": {"limits": {}, "peers": [], "storage": []}}})] {
            bus.publish("fw.test.plan.db1", forger.plan(&order).into()).await.unwrap();
        }
        bus.publish("fw.test.plan.db1", forger.plan(&measure(7, stream(value!({})))).into()).await.unwrap();
        bus.flush().await.unwrap();
        let deadline = tokio::time::Instant::now() + SOON;
        while let Ok(Some(word)) = tokio::time::timeout_at(deadline, said.next()).await {
            let word = unpacked(&word.payload);
            let last = word["report"]["report"]["refused"]["ticket"] == 7
                || word["report"]["report"]["failed"]["ticket"] == 7;
            reports.push(word);
            if last {
                break;
            }
        }
        reports
    });
    drop(serve);
    let of = |ticket: u64| -> Vec<&Value> {
        let reports = reports.iter().map(|word| &word["report"]["report"]);
        reports
            .filter(|report| {
                ["done", "refused", "failed"].iter().any(|kind| report[kind]["ticket"] == ticket)
            })
            .collect()
    };
    for ticket in [1, 2, 4, 5] {
        assert!(of(ticket).is_empty(), "order {ticket} is no order: {:?}", of(ticket));
    }
    assert!(of(3)[0]["refused"]["why"].as_str().unwrap().contains("--allow-disk"), "{:?}", of(3));
    assert!(of(6)[0]["failed"]["why"].as_str().unwrap().contains("budget"), "{:?}", of(6));
    assert!(of(7)[0].to_string().contains("budget"), "{:?}", of(7));
    assert!(place.said("db1").matches("a plan is not obeyed").count() >= 4, "{}", place.said("db1"));
    // What comes back, facts of the attacker's own machine, is no gain of the attacker's.
    let [sent, connections] = [&tap.sent, &tap.connections].map(|count| count.load(Ordering::Relaxed));
    assert!(
        (2_500_000..=BUDGET_BYTES + connections * WORDS_BYTES).contains(&sent),
        "{sent} over {connections}"
    );
    assert!(!tap.has("ROOTONLYSECRETMARKER"), "a file was sent");
}

/// Head and body of the answer.
pub(super) fn get(address: &str, host: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "{request} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

#[test]
fn whoever_reaches_the_page() {
    let mut place = given!(place(0));
    let address = format!("127.0.0.1:{}", free_port());
    place.coordinate(&[
        "--every", "9999h", "--gather", "9999h", "--listen", &address, "--name", "monitor.example",
    ]);
    wait_for("the page is there", SOON, || TcpStream::connect(&address).is_ok());
    for host in [address.as_str(), "localhost:1", "monitor.example"] {
        assert!(get(&address, host, "GET /").starts_with("HTTP/1.1 200"), "{host}");
    }
    // DNS rebinding: a stranger's page in somebody's browser asks by the stranger's name.
    for path in ["/", "/estate.json", "/metrics", "/run/x"] {
        let answer = get(&address, "evil.example", &format!("GET {path}"));
        assert!(answer.starts_with("HTTP/1.1 421") && !answer.contains("fullwire."), "{answer}");
    }
    for method in ["POST", "PUT", "DELETE"] {
        assert!(get(&address, &address, &format!("{method} /")).starts_with("HTTP/1.1 405"));
    }
    // It reads as fullwire_read and as nothing else: without that role's right it sees nothing, whatever the login may.
    place.postgres.ask("revoke select on all tables in schema fullwire from fullwire_read");
    place.coordinate(&["--every", "9999h", "--gather", "9999h", "--listen", &address]);
    wait_for("the page is there again", SOON, || TcpStream::connect(&address).is_ok());
    let answer = get(&address, &address, "GET /run/x");
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("permission denied"), "{answer}");
}

#[test]
fn the_roles_of_the_database() {
    let place = given!(place(0));
    for (login, role) in
        [("taker", "fullwire_ingest"), ("shower", "fullwire_read"), ("planner", "fullwire_write")]
    {
        place.postgres.ask(&format!("create role {login} login in role {role}"));
    }
    let as_login = |login: &str, sql: &str| {
        let sql = format!(
            "set session authorization {login}; do $$ begin execute $q${sql}$q$; raise notice 'allowed'; end $$; select 'allowed'"
        );
        place.postgres.ask(&sql) == "allowed"
    };
    let insert = "insert into fullwire.run (run_id, started, finished, command, arguments, host, tool_version, targets, body)
        values (md5(random()::text), now(), now(), 'net', '[]', 'x', '1', '{}', '')";
    for (sql, allowed) in [
        // What comes from hosts is added, and cannot be read back, changed or removed.
        ("insert", ["taker", "planner"].as_slice()),
        ("select body from fullwire.run", &["shower", "planner"]),
        ("select host from fullwire.run", &["shower", "planner"]),
        ("select * from fullwire.host", &["shower", "planner"]),
        ("select * from fullwire.round", &["shower", "planner"]),
        ("update fullwire.run set body = ''", &["planner"]),
        ("delete from fullwire.run", &["planner"]),
        ("insert into fullwire.round values ('r', 1, 'mesh', now(), null, 'running', null)", &["planner"]),
        ("insert into fullwire.host (name) values ('h')", &["planner"]),
        ("update fullwire.coordinator set until = 'infinity'", &["planner"]),
        ("truncate fullwire.run", &[]),
        ("drop table fullwire.run", &[]),
        ("update fullwire.migration set number = 1", &[]),
        ("create table fullwire.x (a int)", &[]),
        ("copy fullwire.run to program 'id'", &[]),
    ] {
        let statement = if sql == "insert" { insert } else { sql };
        for login in ["taker", "shower", "planner"] {
            assert_eq!(as_login(login, statement), allowed.contains(&login), "{login}: {statement}");
        }
    }
    // The coordinator's login acts as each of the two for what it does; the two act as nobody else.
    assert!(as_login("planner", "set local role fullwire_ingest"));
    assert!(
        !as_login("taker", "set local role fullwire_write")
            && !as_login("shower", "set local role fullwire_write")
    );
}

#[test]
fn the_units_of_an_estate() {
    let place = given!(place(0));
    for unit in ["fullwire-agent.service", "fullwire-coordinator.service", "fullwire-nats.service"] {
        let text = std::fs::read_to_string(place.path("estate").join(unit)).unwrap();
        crate::unit::is_tight(unit, &text);
        crate::unit::starts_on_219(&text);
    }
}
