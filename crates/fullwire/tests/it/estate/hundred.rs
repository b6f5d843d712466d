//! A hundred hosts in virtual time over a bus that loses and repeats, into a real PostgreSQL: what was completed is
//! there once. Hosts die and come back, clocks are wrong by years, coordinators die between a commit and its receipts.

use crate::servers::Postgres;
use crate::skips::given;
use crate::tool::Desk;
use crate::world::{S, Sink, Trouble, run_into};
use fullwire_mesh::conduct::{HostId, TestOutcome, Ticket};
use fullwire_mesh::topology::Topology;
use fullwire_model::{Command, Run};
use fullwire_store::postgres::{Ingested, Item, Point, SESSION, Shared};
use std::collections::HashSet;
use std::sync::{Arc, Mutex};

const HOSTS: usize = 100;

/// Commits into PostgreSQL, as a coordinator does.
struct Database {
    store: Shared,
    /// What was brought, and how often it was known already.
    seen: Arc<Mutex<(HashSet<Ticket>, u64)>>,
}

impl Sink for Database {
    fn commit(&mut self, results: &[(HostId, Ticket)]) {
        let items: Vec<Item> = results.iter().map(|&(host, ticket)| item(host, ticket)).collect();
        for chunk in items.chunks(64).zip(results.chunks(64)) {
            for (outcome, (_, ticket)) in self.store.ingest(chunk.0).unwrap().into_iter().zip(chunk.1) {
                let mut seen = self.seen.lock().unwrap();
                match outcome {
                    Ingested::Added => assert!(seen.0.insert(*ticket), "{ticket} was added twice"),
                    Ingested::Known => seen.1 += 1,
                    Ingested::Rejected(why) => panic!("{why}"),
                }
            }
        }
    }
}

/// As its host would bring it, each time the same. Each seventh clock jumps by years.
fn item(host: HostId, ticket: Ticket) -> Item {
    let years = if host.is_multiple_of(7) { i64::try_from(host % 60).unwrap() - 30 } else { 0 };
    let second = 1_794_000_000 + years * 31_556_952 + i64::try_from(ticket).unwrap();
    let started = jiff::Timestamp::from_second(second).unwrap();
    let agent = format!("h{host}");
    let mut run = Run { run_id: format!("t{ticket}"), started, finished: started, ..Run::default() };
    run.command = Command { name: "net".into(), ..Command::default() };
    run.host.hostname.clone_from(&agent);
    let point = Point {
        src: agent.clone(),
        dst: format!("to{ticket}"),
        network: "data".into(),
        kind: "stream",
        at: started,
        state: "measured",
        value: Some(1e9),
        run_id: run.run_id.clone(),
        ..Point::default()
    };
    Item { agent, run, point: Some(point) }
}

#[test]
fn of_a_hundred_hosts_each_completed_run_is_in_postgresql_once() {
    let server = given!(Postgres::start(false));
    let desk = Desk::new();
    let up = desk.run(&[
        "estate",
        "up",
        "--dir",
        "e",
        "--database",
        &server.url(),
        "--server",
        "nats://127.0.0.1:1",
    ]);
    assert!(up.status.success(), "{}", crate::tool::stderr(&up));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut config: tokio_postgres::Config = server.url().parse().unwrap();
    config.options(SESSION);
    let (client, connection) = runtime.block_on(config.connect(tokio_postgres::NoTls)).unwrap();
    runtime.spawn(connection);
    let seen = Arc::new(Mutex::new((HashSet::new(), 0)));
    let database =
        Database { store: Shared::open(runtime, client, "test").unwrap(), seen: Arc::clone(&seen) };

    let names: Vec<String> = (0..HOSTS).map(|host| format!("h{host}")).collect();
    let racks = names.chunks(20).enumerate();
    let racks: Vec<String> =
        racks.map(|(index, rack)| format!("r{index} tests=4: {}", rack.join(" "))).collect();
    let topology = Topology::parse(&racks.join("\n"), &names).unwrap();
    let trouble = Trouble {
        deaths: (0..15).map(|index| (index * 6, (20 + index as u64 * 5) * S, index % 3 == 0)).collect(),
        lost_ppm: 5_000,
        hang_ppm: 500,
        skew: (0..14).map(|index| (index * 7, if index % 2 == 0 { 20 } else { -20 })).collect(),
    };
    let dead: HashSet<usize> = trouble.deaths.iter().map(|death| death.0).collect();
    let mut world = run_into(HOSTS, &topology, trouble, 7, false, Some(Box::new(database)));
    world.settle();

    let (added, repeated) = seen.lock().unwrap().clone();
    assert_eq!(added, world.completed, "what was completed is there, and nothing else");
    let count = |sql: &str| server.ask(sql).parse::<usize>().unwrap();
    assert_eq!(count("select count(*) from fullwire.run"), added.len());
    assert_eq!(count("select count(distinct run_id) from fullwire.run"), added.len());
    assert_eq!(count("select count(*) from fullwire.path"), added.len());
    assert!(added.len() > 800 && repeated > 40, "{} runs, {repeated} came again", added.len());
    assert!(count("select count(*) from fullwire.run_default") > 40, "clocks that are wrong by years");
    // A lost node costs only its own cells. Two lost messages in a row cost a cell of two healthy hosts.
    let healthy = world.tests.iter().enumerate().filter(|(_, test)| {
        !dead.contains(&test.client) && test.server.is_none_or(|server| !dead.contains(&server))
    });
    let healthy: Vec<usize> = healthy.map(|(test, _)| test).collect();
    let lost = healthy.iter().filter(|test| world.outcomes[test][0] != TestOutcome::Measured).count();
    assert!(lost * 200 <= healthy.len(), "{lost} of {} cells of healthy hosts", healthy.len());
}
