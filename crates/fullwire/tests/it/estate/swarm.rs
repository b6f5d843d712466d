//! Many agents at once: what a coordinator needs when they are idle and in a round. Server, database and coordinator are
//! real; the agents speak the real words with real credentials, and answer with a kept run instead of measuring.

use super::client::options;
use super::place::Place;
use crate::ports::free_port;
use crate::servers::wait_for;
use crate::skips::{given, with_own_cpus};
use fullwire_mesh::estate::{Delivery, EstatePlan, Here, Instruction, Signed, Word};
use fullwire_mesh::message::{Order, PROTOCOL, Probe, Report};
use fullwire_model::Run;
use fullwire_model::host::{Disk, Host, Mount, Nic};
use futures_util::StreamExt as _;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Agents in an ordinary run of the tests; `FULLWIRE_SWARM=1000` is what the guide's figures are from.
const AGENTS: usize = 8;

/// One of them.
struct Member {
    name: String,
    session: String,
    client: async_nats::Client,
    run: Arc<Run>,
    receipts: Arc<AtomicUsize>,
}

fn packed(value: &impl Serialize) -> Vec<u8> {
    zstd::encode_all(serde_json::to_vec(value).unwrap().as_slice(), 3).unwrap()
}

impl Member {
    async fn say(&self, kind: &str, word: &Word) {
        self.client.publish(format!("fw.test.{kind}.{}", self.name), packed(word).into()).await.unwrap();
    }

    async fn report(&self, report: Report) {
        let word = Word::Report { session: self.session.clone(), report: Box::new(report) };
        self.say("said", &word).await;
    }

    async fn here(&self) {
        let here = Here {
            session: self.session.clone(),
            version: "1".into(),
            protocol: PROTOCOL,
            addresses: [("data".to_owned(), self.name.clone())].into(),
            ..Here::default()
        };
        self.say("here", &Word::Here(here)).await;
    }

    async fn obey(self: &Arc<Self>, plan: EstatePlan) {
        match plan.instruction {
            Instruction::Order(Order::Begin { .. }) => {
                let (session, key) = (self.session.clone(), "key".to_owned());
                self.say("said", &Word::Open { session, port: 1, key }).await;
                let host = Box::new(Host::default());
                self.report(Report::Hello {
                    version: "1".into(),
                    protocol: PROTOCOL,
                    host,
                    storage: Vec::new(),
                })
                .await;
            }
            Instruction::Order(Order::Prepare { ticket, .. }) => {
                self.report(Report::Prepared { ticket, rate_bytes_per_s: 0.0 }).await;
            }
            Instruction::Order(Order::Release { ticket }) => {
                self.report(Report::Released { ticket, served: Vec::new() }).await;
            }
            Instruction::Order(Order::Measure { ticket, probe, .. }) => {
                let member = Arc::clone(self);
                tokio::spawn(async move { member.measure(ticket, &plan.round, &probe).await });
            }
            Instruction::Receipt { kept, .. } => {
                self.receipts.fetch_add(kept.len(), Ordering::Relaxed);
            }
            _ => {}
        }
    }

    async fn measure(&self, ticket: u64, round: &str, probe: &Probe) {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let (peer, command) = match probe {
            Probe::Light { peer, .. } => (peer, "mtu"),
            Probe::Stream { peer, .. } => (peer, "net"),
            Probe::Disk { .. } => unreachable!("no disk was asked for"),
        };
        let mut run = Run::clone(&self.run);
        run.run_id = format!("{}-{ticket}", self.name);
        run.command.name = command.into();
        run.started = jiff::Timestamp::now();
        run.finished = run.started;
        let delivery = Delivery {
            session: self.session.clone(),
            round: round.into(),
            ticket,
            to: peer.name.clone(),
            network: peer.network.clone(),
            run: Box::new(run),
        };
        let subject = format!("fw.test.result.{}", self.name);
        self.client.publish(subject, packed(&delivery).into()).await.unwrap();
    }

    async fn live(self: Arc<Self>) {
        let mut plans = self.client.subscribe(format!("fw.test.plan.{}", self.name)).await.unwrap();
        let mut calls = self.client.subscribe("fw.test.call").await.unwrap();
        let mut beat = tokio::time::interval(Duration::from_secs(10));
        loop {
            tokio::select! {
                Some(word) = plans.next() => {
                    let json = zstd::decode_all(&word.payload[..]).unwrap();
                    let signed: Signed = serde_json::from_slice(&json).unwrap();
                    self.obey(serde_json::from_str(&signed.plan).unwrap()).await;
                }
                Some(_) = calls.next() => self.here().await,
                _ = beat.tick() => self.here().await,
                else => return,
            }
        }
    }
}

/// A run of a full wire, on a host of which nothing is told.
fn short() -> Run {
    let sample: Run = serde_json::from_str(include_str!("../../runs/full-wire.json")).unwrap();
    Run { net: sample.net, ..Run::default() }
}

/// Connects one agent for each of the runs that they answer with, and lets them live on a thread of their own.
fn start(place: &Place, runs: Vec<Arc<Run>>, receipts: &Arc<AtomicUsize>) {
    let credential = |host| -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(place.path(&format!("db{host}.json"))).unwrap()).unwrap()
    };
    let members: Vec<_> = (1..).map(credential).zip(runs).collect();
    let receipts = Arc::clone(receipts);
    let work = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            for (credential, run) in members {
                let name = credential["member"].as_str().unwrap().to_owned();
                let client =
                    options(&credential).connect(credential["servers"][0].as_str().unwrap()).await.unwrap();
                let session = format!("life-{name}");
                let receipts = Arc::clone(&receipts);
                tokio::spawn(Arc::new(Member { name, session, client, run, receipts }).live());
            }
            std::future::pending::<()>().await;
        });
    };
    std::thread::spawn(work);
}

/// CPU seconds so far, and resident and highest resident megabytes.
fn cost(pid: u32) -> (f64, u64, u64) {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
    let status = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("status")).unwrap();
    let kb = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    (ticks / 100.0, kb("VmRSS:") / 1024, kb("VmHWM:") / 1024)
}

#[test]
fn a_coordinator_conducts_many_agents_and_needs_little() {
    let agents = std::env::var("FULLWIRE_SWARM").ok().and_then(|text| text.parse().ok()).unwrap_or(AGENTS);
    let mut place = given!(Place::new(agents));
    let receipts = Arc::new(AtomicUsize::new(0));
    // What is conducted counts here, not how long a run is.
    let run = Arc::new(short());
    start(&place, vec![run; agents], &receipts);
    // The first round waits until a minute of idleness has been measured, or a few seconds of it.
    let idle = if agents > AGENTS { 60 } else { 8 };
    place.coordinate(&["--every", "99h", "--gather", &format!("{idle}s"), "--duration", "1s"]);
    let pid = place.coordinator.as_ref().unwrap().0.id();
    wait_for("it leads", Duration::from_secs(60), || place.said("coordinator").contains("term 1"));
    let begun = cost(pid).0;
    std::thread::sleep(Duration::from_secs(idle - 4));
    let (cpu, resident, _) = cost(pid);
    println!(
        "{agents} agents idle: {:.2} % of a CPU, {resident} MB",
        (cpu - begun) / (idle - 4) as f64 * 100.0
    );
    let begun = std::time::Instant::now();
    wait_for("the round is over", Duration::from_secs(1200), || {
        place.postgres.ask("select count(*) from fullwire.round where state = 'done'") == "1"
    });
    let (after, _, highest) = cost(pid);
    let runs = place.kept_runs();
    wait_for("every receipt has come", Duration::from_secs(60), || {
        receipts.load(Ordering::Relaxed) >= runs.len()
    });
    let bytes = place.postgres.ask("select sum(pg_total_relation_size(c.oid)) from pg_class c join pg_namespace n on n.oid = relnamespace where nspname = 'fullwire' and relkind = 'r'");
    println!(
        "round: {} runs in {:.0} s, {:.1} CPU s, {highest} MB at most, {bytes} bytes in PostgreSQL",
        runs.len(),
        begun.elapsed().as_secs_f64(),
        after - cpu,
    );
    let state = "select string_agg(state || ' ' || n, ', ') from (select state, count(*) n from fullwire.path group by 1 order by 1) s";
    println!("points: {}", place.postgres.ask(state));
    let distinct = place.postgres.ask("select count(distinct run_id) from fullwire.run");
    assert_eq!(distinct, runs.len().to_string());
    let unmeasured =
        place.postgres.ask("select count(*) from fullwire.path where state not in ('measured', 'held')");
    assert_eq!(unmeasured, "0", "{}", place.said("coordinator"));
    assert!(highest < 1024, "{highest} MB");
}

/// As many of a kind as a document may hold, or as its reader takes; each with what makes rules speak.
fn large() -> Vec<Host> {
    let long = "n".repeat(200);
    let mount = |number: u32| Mount {
        source: format!("/dev/sd{number}"),
        target: format!("/{long}/{number}"),
        fs_type: "ext4".into(),
        options: ["sync", "data=journal", "discard", "atime"].map(str::to_owned).into(),
        errors: Some(7),
        ..Mount::default()
    };
    let disk = |number: u32| Disk { name: format!("sd{number}"), ..Disk::default() };
    let nic = |number: u32| Nic {
        name: format!("eth{number}"),
        addresses: vec![format!("10.0.{}.{}/8", number / 250, number % 250 + 1)],
        ..Nic::default()
    };
    vec![
        Host { mounts: (0..8_192).map(mount).collect(), ..Host::default() },
        Host { disks: (0..20_000).map(disk).collect(), ..Host::default() },
        Host { nics: (0..2_000).map(nic).collect(), ..Host::default() },
    ]
}

/// Hosts that tell of more than any host has, through the coordinator as it runs: its memory, its page, and the others.
#[test]
fn hosts_that_tell_of_too_much_fill_no_memory_of_a_coordinator() {
    with_own_cpus(|| {
        let hosts = large();
        let agents = hosts.len() + 1;
        let mut place = given!(Place::new(agents));
        let receipts = Arc::new(AtomicUsize::new(0));
        let of = |host| Arc::new(Run { host, ..short() });
        start(&place, hosts.into_iter().map(of).chain([Arc::new(short())]).collect(), &receipts);
        let address = format!("127.0.0.1:{}", free_port());
        place.coordinate(&["--every", "99h", "--gather", "4s", "--duration", "1s", "--listen", &address]);
        let pid = place.coordinator.as_ref().unwrap().0.id();
        wait_for("the round is over", Duration::from_secs(400), || {
            place.postgres.ask("select count(*) from fullwire.round where state = 'done'") == "1"
        });
        let (cpu, _, ingested) = cost(pid);
        let kept = place.postgres.ask("select count(distinct run_id) from fullwire.run");
        let open = "select count(*) from fullwire.path where state not in ('measured', 'held')";
        assert_eq!(place.postgres.ask(open), "0", "{}", place.said("coordinator"));
        let mut lengths = Vec::new();
        for path in ["/", "/estate.json", "/metrics"] {
            lengths.push(super::attackers::get(&address, &address, &format!("GET {path}")).len());
        }
        let one_of_each = "select min(run_id) from fullwire.run group by split_part(run_id, '-', 1)";
        for run in place.postgres.ask(one_of_each).lines() {
            let page = super::attackers::get(&address, &address, &format!("GET /run/{run}"));
            assert!(page.starts_with("HTTP/1.1 200"), "{run}: {}", &page[..page.len().min(300)]);
            lengths.push(page.len());
        }
        let (after, _, highest) = cost(pid);
        println!(
            "{kept} runs: {cpu:.1} CPU s, {ingested} MB; then pages: {:.1} s, {highest} MB",
            after - cpu
        );
        println!("lengths: {lengths:?}");
        // Of 8,192 mounts each rule shows its thousand worst findings.
        assert!(lengths.iter().all(|&length| length < 24 << 20), "{lengths:?}");
        assert_eq!(lengths.len(), 3 + agents);
        assert!(ingested < 512 && highest < 1024, "{ingested} MB, {highest} MB");
    });
}
