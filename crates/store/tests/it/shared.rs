//! The shared store against a real PostgreSQL.

use crate::keep::run;
use crate::servers::Postgres;
use crate::skips::given;
use fullwire_store::postgres::{HostRow, Ingested, Item, KNOWN, Point, SESSION, Shared, Suspect};
use fullwire_store::{Filter, GOLDEN, Kept as _, Store, StoreError};
use tokio_postgres::NoTls;

const NOVEMBER: i64 = 1_794_000_000;

/// A connection of the test's own.
fn connect(server: &Postgres, user: &str) -> (tokio::runtime::Runtime, tokio_postgres::Client) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut config: tokio_postgres::Config = server.url_for(user).parse().unwrap();
    config.options(SESSION);
    let (client, connection) = runtime.block_on(config.connect(NoTls)).unwrap();
    runtime.spawn(connection);
    (runtime, client)
}

fn open_as(server: &Postgres, user: &str) -> Result<Shared, StoreError> {
    let (runtime, client) = connect(server, user);
    Shared::open(runtime, client, "test")
}

fn open(server: &Postgres) -> Shared {
    open_as(server, "fw").unwrap()
}

fn prepared() -> Option<Postgres> {
    let server = Postgres::start(false)?;
    let (runtime, client) = connect(&server, "fw");
    let mut store = Shared::connected(runtime, client, "test");
    store.migrate().unwrap();
    // Whatever month it is when this runs.
    store.make_partitions(jiff::Timestamp::from_second(NOVEMBER).unwrap()).unwrap();
    Some(server)
}

fn item(agent: &str, run_id: &str, second: i64) -> Item {
    let run = run(run_id, second);
    let point = Point {
        src: agent.into(),
        dst: "db2".into(),
        network: "data".into(),
        kind: "stream",
        at: run.started,
        state: "measured",
        value: Some(1e9),
        run_id: run_id.into(),
        ..Point::default()
    };
    Item { agent: agent.into(), run, point: Some(point) }
}

#[test]
fn a_run_is_kept_once_however_often_and_by_whomever_it_is_brought() {
    let server = given!(prepared());
    let mut store = open(&server);
    let items = [item("db1", "r1", NOVEMBER), item("db1", "r1", NOVEMBER), item("db1", "r2", NOVEMBER)];
    assert_eq!(store.ingest(&items).unwrap(), [Ingested::Added, Ingested::Known, Ingested::Added]);
    assert_eq!(store.ingest(&items[..1]).unwrap(), [Ingested::Known]);
    // Another host with this id, and the same id with another time, are no new run.
    let stolen = store.ingest(&[item("db9", "r1", NOVEMBER + 40 * 86_400)]).unwrap();
    assert!(matches!(&stolen[..], [Ingested::Rejected(why)] if why.contains("another host")), "{stolen:?}");
    assert_eq!(store.ingest(&[item("db1", "r1", NOVEMBER + 1)]).unwrap(), [Ingested::Known]);
    assert_eq!(server.ask("select count(*) || ' ' || count(distinct run_id) from fullwire.run"), "2 2");
    assert_eq!(
        server.ask("select count(*) from fullwire.path"),
        "1",
        "two readings of one path at one time are one"
    );
    // Two coordinators that do not know of each other.
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let mut store = open(&server);
            std::thread::spawn(move || {
                for index in 0..50 {
                    store.ingest(&[item("db1", &format!("c{index}"), NOVEMBER + index)]).unwrap();
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(server.ask("select count(*) from fullwire.run where run_id like 'c%'"), "50");
}

#[test]
fn what_cannot_be_kept_holds_up_nothing_else() {
    let server = given!(prepared());
    let mut store = open(&server);
    let mut zero = item("db1", "bad", NOVEMBER);
    zero.run.host.hostname = "a\0b".into();
    let mut nan = item("db1", "nan", NOVEMBER);
    nan.run.net[0].duration_s = f64::NAN;
    let mut odd = item("db1", "odd", -9_999_999_999);
    odd.run.host.hostname = "naïve \u{1f4be}'; drop table run; --".into();
    let items = vec![zero, nan, odd, item("db1", "good", NOVEMBER)].into_boxed_slice();
    let outcomes = store.ingest(&items).unwrap();
    assert!(matches!(
        &outcomes[..],
        [Ingested::Rejected(_), Ingested::Rejected(_), Ingested::Added, Ingested::Added]
    ));
    // A clock that is wrong by centuries has a partition too.
    assert_eq!(
        server.ask("select tableoid::regclass from fullwire.run where run_id = 'odd'"),
        "fullwire.run_default"
    );
    assert_eq!(
        server.ask("select tableoid::regclass from fullwire.run where run_id = 'good'"),
        "fullwire.run_2026_11"
    );
}

/// The same questions to a file and to the server have the same answers.
#[test]
fn both_stores_answer_alike() {
    let server = given!(prepared());
    let dir = tempfile::tempdir().unwrap();
    let mut shared = open(&server);
    let mut file = Store::open(dir.path().join("runs.db")).unwrap();
    for (index, run_id) in ["0kx1a", "0kx1b", "0kx2"].iter().enumerate() {
        let mut run = run(run_id, NOVEMBER + i64::try_from(index).unwrap());
        run.tag = (index > 0).then(|| "night".to_owned());
        file.keep(&run).unwrap();
        shared.keep(&run).unwrap();
        assert!(matches!(shared.keep(&run), Err(StoreError::Duplicate { .. })));
    }
    for name in ["last", "0kx2", "0kx1a", "night"] {
        assert_eq!(shared.load(name).unwrap(), file.load(name).unwrap(), "{name}");
    }
    for wrong in ["0kx1", "nothing", "", "baseline", "%"] {
        let (one, two) = (shared.load(wrong).unwrap_err(), file.load(wrong).unwrap_err());
        assert_eq!(std::mem::discriminant(&one), std::mem::discriminant(&two), "{wrong}: {one} / {two}");
    }
    let filters = [
        Filter::default(),
        Filter { limit: Some(2), ..Filter::default() },
        Filter { tag: Some("night".into()), ..Filter::default() },
        Filter { target: Some("/u01".into()), host: Some("db1".into()), ..Filter::default() },
        Filter { target: Some("/u02".into()), ..Filter::default() },
        Filter { since: jiff::Timestamp::from_second(NOVEMBER + 1).ok(), ..Filter::default() },
    ];
    for filter in filters {
        let mut own = file.history(&filter).unwrap();
        let shared = shared.history(&filter).unwrap();
        own.iter_mut().zip(&shared).for_each(|(own, shared)| own.stored_bytes = shared.stored_bytes);
        assert_eq!(shared, own, "{filter:?}");
    }
    let ids = ["0kx1a".to_owned(), "0kx2".to_owned()];
    shared.set_baseline(GOLDEN, &ids).unwrap();
    file.set_baseline(GOLDEN, &ids).unwrap();
    assert_eq!(shared.baselines().unwrap(), file.baselines().unwrap());
    assert_eq!(
        shared.resolve_all("baseline", Some("db1")).unwrap(),
        file.resolve_all("baseline", Some("db1")).unwrap()
    );
    assert_eq!(shared.resolve_all("night", None).unwrap(), file.resolve_all("night", None).unwrap());
    assert_eq!(shared.delete("0kx2").unwrap(), "0kx2");
    file.delete("0kx2").unwrap();
    assert_eq!(shared.baselines().unwrap(), file.baselines().unwrap());
    assert!(shared.clear_baseline("db1", GOLDEN).unwrap() && !shared.clear_baseline("db1", GOLDEN).unwrap());
}

#[test]
fn one_leads_and_its_term_is_above_all_before_it() {
    let server = given!(prepared());
    let (mut one, mut two, mut other) = (open(&server), open(&server), open(&server));
    let first = one.lead("one").unwrap().unwrap();
    assert_eq!(two.lead("two").unwrap(), None);
    assert!(one.leads(first).unwrap());
    assert!(one.begin_round(first, "r1", "mesh").unwrap());
    assert_eq!(
        other.coordinator().unwrap().map(|(name, _, term, there)| (name, term, there)),
        Some(("one".into(), first, true))
    );
    // It dies: nobody renews the lease.
    drop(one);
    assert_eq!(two.lead("two").unwrap(), None, "it may still be there");
    server.ask("update fullwire.coordinator set until = now()");
    let second = two.lead("two").unwrap().unwrap();
    assert!(second > first);
    assert_eq!(server.ask("select state from fullwire.round"), "interrupted", "what it left behind is over");
    // What an old coordinator still wants to write is refused.
    assert!(!other.begin_round(first, "r2", "mesh").unwrap());
    assert!(!other.end_round(first, "r1", false, b"{}").unwrap());
    assert!(two.begin_round(second, "r3", "mesh").unwrap());
    assert!(two.end_round(second, "r3", false, b"{\"mesh_id\":\"r3\"}").unwrap());
    assert_eq!(other.round_mesh("r3").unwrap().unwrap(), b"{\"mesh_id\":\"r3\"}");
    assert_eq!(other.round_mesh("r1").unwrap(), None);
    // Who has led before does not come back by renewing, and who resigns makes room at once.
    assert!(!other.leads(first).unwrap() && two.leads(second).unwrap());
    two.resign(second).unwrap();
    assert!(other.lead("other").unwrap().unwrap() > second);
    assert!(!two.leads(second).unwrap());
}

/// Of many that try at the same moment one leads, and no login without the rights keeps it from that.
#[test]
fn only_whoever_may_change_its_row_leads_or_is_in_the_way() {
    let server = given!(prepared());
    server.ask(
        "create role taker login in role fullwire_ingest; create role reader login in role fullwire_read",
    );
    let taker = connect(&server, "taker");
    // What the advisory lock of a coordinator was; whoever wants it may have it.
    taker.0.block_on(taker.1.batch_execute("SELECT pg_advisory_lock(7382926377259463269)")).unwrap();
    let results = std::thread::scope(|scope| {
        let mut all: Vec<Shared> = (0..6).map(|_| open(&server)).collect();
        let tries: Vec<_> =
            all.drain(..).map(|mut one| scope.spawn(move || one.lead("one").unwrap())).collect();
        tries.into_iter().filter_map(|one| one.join().unwrap()).count()
    });
    assert_eq!(results, 1);
    for login in ["taker", "reader"] {
        let (runtime, client) = connect(&server, login);
        let taken = client.batch_execute("UPDATE fullwire.coordinator SET until = 'infinity'");
        assert!(runtime.block_on(taken).is_err(), "{login}");
        let locked = client.batch_execute("SELECT * FROM fullwire.coordinator FOR UPDATE");
        assert!(runtime.block_on(locked).is_err(), "{login}");
    }
}

#[test]
fn whole_months_are_made_ahead_and_dropped_when_they_are_old() {
    let server = given!(prepared());
    let mut store = open(&server);
    let later: jiff::Timestamp = "2031-05-20T00:00:00Z".parse().unwrap();
    assert_eq!(store.missing_partitions(later).unwrap().len(), 6);
    store.make_partitions(later).unwrap();
    store.make_partitions(later).unwrap();
    assert_eq!(store.missing_partitions(later).unwrap(), Vec::<String>::new());
    store
        .ingest(&[item("db1", "old", later.as_second()), item("db1", "new", later.as_second() + 40 * 86_400)])
        .unwrap();
    store.set_baseline(GOLDEN, &["old".into()]).unwrap();
    let dropped = store.drop_partitions("2031-06-15T00:00:00Z".parse().unwrap()).unwrap();
    assert!(
        dropped.contains(&"run_2031_05".into()) && dropped.contains(&"path_2031_05".into()),
        "{dropped:?}"
    );
    assert!(!dropped.iter().any(|name| name.ends_with("2031_06") || name.contains("default")), "{dropped:?}");
    assert_eq!(server.ask("select string_agg(run_id, ' ') from fullwire.run"), "new");
    assert_eq!(store.baselines().unwrap(), []);
}

#[test]
fn a_newer_schema_a_missing_one_and_a_role_without_rights_are_said() {
    let server = given!(Postgres::start(false));
    let error = open_as(&server, "fw").unwrap_err().to_string();
    assert!(error.contains("no fullwire schema") && error.contains("estate up"), "{error}");
    let (runtime, client) = connect(&server, "fw");
    let mut owner = Shared::connected(runtime, client, "test");
    owner.migrate().unwrap();
    owner.migrate().unwrap();
    server.ask("create role reader login in role fullwire_read; create role writer login in role fullwire_write; create role nobody login");
    let mut writer = open_as(&server, "writer").unwrap();
    assert_eq!(writer.ingest(&[item("db1", "r1", NOVEMBER)]).unwrap(), [Ingested::Added]);
    writer.lead("writer").unwrap().unwrap();
    let mut reader = open_as(&server, "reader").unwrap();
    assert_eq!(reader.history(&Filter::default()).unwrap().len(), 1);
    let error = reader.ingest(&[item("db1", "r2", NOVEMBER)]).unwrap_err();
    assert!(matches!(error, StoreError::SharedDenied { .. }), "{error}");
    assert!(error.to_string().contains("fullwire_write"), "{error}");
    let error = open_as(&server, "nobody").unwrap_err();
    assert!(matches!(error, StoreError::SharedDenied { .. }), "{error}");
    server.ask(&format!("insert into fullwire.migration values ({})", KNOWN + 1));
    let error = open_as(&server, "fw").unwrap_err().to_string();
    assert!(
        error.contains(&format!("has schema {}", KNOWN + 1)) && error.contains("use the newer"),
        "{error}"
    );
    assert!(matches!(owner.migrate(), Err(StoreError::NewerShared { .. })));
}

/// Tables run code of their owner as whoever reads them.
#[test]
fn a_schema_that_somebody_else_has_made_is_refused_before_anything_of_it_runs() {
    let server = given!(Postgres::start(false));
    server.ask(
        "create role app login; create role clerk login;
         grant create on database postgres to app; create table public.mark (run int); grant all on public.mark to public",
    );
    server.ask(
        "set role app; create schema fullwire;
         create function fullwire.evil() returns int language sql as 'insert into public.mark values (1) returning run';
         create view fullwire.migration as select fullwire.evil() as number, now() as applied;
         grant usage on schema fullwire to public; grant select on fullwire.migration to public",
    );
    for login in ["fw", "clerk"] {
        let error = open_as(&server, login).unwrap_err();
        assert!(
            matches!(&error, StoreError::ForeignSchema { owner, .. } if owner == "app"),
            "{login}: {error}"
        );
        let (runtime, client) = connect(&server, login);
        let error = Shared::connected(runtime, client, "test").migrate().unwrap_err();
        assert!(matches!(error, StoreError::ForeignSchema { .. }), "{login}: {error}");
    }
    assert_eq!(server.ask("select count(*) from public.mark"), "0");
    // What it made is its own.
    assert!(!matches!(open_as(&server, "app"), Err(StoreError::ForeignSchema { .. })));
}

#[test]
fn a_server_that_goes_away_is_said_and_what_was_committed_is_there_again() {
    let mut server = given!(Postgres::start(true));
    let (runtime, client) = connect(&server, "fw");
    Shared::connected(runtime, client, "test").migrate().unwrap();
    let mut store = open(&server);
    store.ingest(&[item("db1", "r1", NOVEMBER)]).unwrap();
    server.kill();
    let error = store.ingest(&[item("db1", "r2", NOVEMBER)]).unwrap_err();
    assert!(matches!(error, StoreError::SharedGone { .. }), "{error}");
    assert!(error.to_string().contains("is the server there?"), "{error}");
    server.run();
    let mut store = open(&server);
    assert_eq!(
        store.ingest(&[item("db1", "r1", NOVEMBER), item("db1", "r2", NOVEMBER)]).unwrap(),
        [Ingested::Known, Ingested::Added]
    );
}

#[test]
fn hosts_come_back() {
    let server = given!(prepared());
    let mut store = open(&server);
    let seen = jiff::Timestamp::from_second(NOVEMBER).unwrap();
    let host = HostRow {
        name: "db1".into(),
        version: "1".into(),
        addresses: "{}".into(),
        last_seen: Some(seen),
        unsent: 3,
        ..HostRow::default()
    };
    store.saw(std::slice::from_ref(&host)).unwrap();
    let later = jiff::Timestamp::from_second(NOVEMBER + 60).unwrap();
    store.saw(&[HostRow { last_seen: Some(later), unsent: 0, ..host }]).unwrap();
    let hosts = store.hosts().unwrap();
    assert_eq!((hosts[0].first_seen, hosts[0].last_seen, hosts[0].unsent), (Some(seen), Some(later), 0));
    let items: Vec<Item> =
        (0..9).map(|index| item("db1", &format!("r{index}"), NOVEMBER + index * 60)).collect();
    store.ingest(&items).unwrap();
    let (runs, count, bytes) = store.size().unwrap();
    assert!(runs == 9 && count == 9 && bytes > 100_000, "{runs} {count} {bytes}");
    assert!(store.dismiss("db1").unwrap() && store.hosts().unwrap().is_empty());
}

#[test]
fn a_healthy_path_costs_one_point_and_a_suspect_one_shows_its_last() {
    let server = given!(prepared());
    let mut store = open(&server);
    let since = jiff::Timestamp::from_second(NOVEMBER).unwrap();
    let mut bring = |host: &str, kind: &'static str, values: [f64; 5], change: fn(&mut Point)| {
        let items = (0..).zip(values).map(|(index, value)| {
            let mut item = item(host, &format!("{host}-{index}"), NOVEMBER + index * 60);
            let point = item.point.as_mut().unwrap();
            (point.kind, point.value) = (kind, Some(value));
            change(point);
            item
        });
        store.ingest(&items.collect::<Vec<_>>()).unwrap();
    };
    bring("healthy", "stream", [9.0, 6.0, 8.0, 7.0, 9.0], |_| ());
    bring("once", "stream", [9.0, 4.0, 8.0, 7.0, 9.0], |_| ());
    bring("fell", "stream", [9.0, 9.0, 9.0, 4.0, 4.0], |_| ());
    bring("poor", "stream", [6.0; 5], |point| point.ceiling = Some(9.0));
    bring("slower", "light", [1.0, 1.0, 1.0, 5.0, 5.0], |_| ());
    bring("steady", "light", [1.0, 1.0, 3.0, 3.0, 3.0], |_| ());
    bring("failed", "stream", [0.0; 5], |point| (point.state, point.value) = ("failed", None));
    let suspect = Suspect { share_of_ceiling: 0.7, share_of_most: 0.5, multiple_of_least: 4.0, readings: 2 };
    let points = store.points(since, 4, &suspect).unwrap();
    let ids: Vec<&str> = points.iter().map(|point| point.run_id.as_str()).collect();
    let all = |host: &str| (1..5).map(|index| format!("{host}-{index}")).collect::<Vec<_>>();
    let expected = [
        all("slower"),
        vec!["steady-4".into()],
        all("failed"),
        all("fell"),
        vec!["healthy-4".into(), "once-4".into()],
        all("poor"),
    ];
    assert_eq!(ids, expected.concat(), "the newest, oldest first");
}
