//! What is sampled must be what a real PostgreSQL, started here, itself says that it wrote.

use super::{Postgres, certificate, codes, open_dir, sampling, watched};
use crate::database::live::postgres::tests::{connect, is_encrypted};
use crate::database::live::tls::tests::{handing_on, is_verified};
use crate::database::sample;
use crate::skips::given;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

#[test]
fn postgresql_redo_is_what_the_server_wrote() {
    let server = given!(Postgres::start("local all all trust\n", &["wal_buffers=32kB"]));
    server.ask("create table t(x text)");
    let lsn = "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')";
    let (started, done) = (AtomicBool::new(false), AtomicBool::new(false));
    let sampling = sampling(Duration::from_secs(60));
    let source = server.source();
    let before: f64 = server.ask(lsn).parse().unwrap();
    // The load is between the first reading and the last.
    let stop = || {
        started.store(true, Ordering::SeqCst);
        done.load(Ordering::SeqCst)
    };
    let history = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !started.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            for _ in 0..20 {
                server.ask("insert into t select repeat('x', 1000) from generate_series(1, 1000)");
            }
            // Ten and more are no checkpoint by hand. One is answered before it is counted; the next answer shows it.
            for _ in 0..12 {
                server.ask("checkpoint");
            }
            done.store(true, Ordering::SeqCst);
        });
        sample(&source, sampling, &stop).unwrap().0
    });
    let wrote = server.ask(lsn).parse::<f64>().unwrap() - before;
    let bytes: f64 = history.logs.iter().map(|log| log.bytes).sum();
    assert!(wrote > 20e6 && (bytes / wrote - 1.0).abs() < 0.02, "{bytes} sampled, {wrote} written");
    // Buffers of 32 kB, and a checkpoint by hand; nothing is archived, so nothing fails to be.
    let codes = codes(history);
    let counts_full_buffers = server.ask("show server_version_num").parse::<u32>().unwrap() >= 140_000;
    for (code, fires) in [
        ("postgres-wal-buffers-full", counts_full_buffers),
        ("postgres-checkpoints-requested", true),
        ("postgres-archiver-failing", false),
    ] {
        assert_eq!(codes.iter().any(|found| found == code), fires, "{code}: {codes:?}");
    }
}

/// A slot that nobody reads, a synchronous standby, sorts on disk: what the server says of each, to a superuser and to
/// a role that may not see the standbys.
#[test]
fn postgresql_tells_of_slots_standbys_and_temporary_files() {
    let access = "local all all trust\nlocal replication all trust\n";
    // New segments of WAL are holes: a gigabyte of it costs nothing.
    let Some(server) = Postgres::start(access, &["wal_init_zero=off", "wal_recycle=off", "max_wal_size=4GB"])
    else {
        return;
    };
    server.ask("select pg_create_physical_replication_slot('abandoned', true)");
    server.ask("create role plain login");
    server.ask(
        "do $$ begin for n in 1..66 loop perform txid_current(), pg_switch_wal(); commit; end loop; end $$",
    );
    let _standby = server.standby("near");
    let start = Instant::now();
    while server.ask("select count(*) from pg_stat_replication where state = 'streaming'") != "1" {
        assert!(start.elapsed() < Duration::from_secs(30), "the standby does not follow");
        std::thread::sleep(Duration::from_millis(100));
    }
    server.ask("alter system set synchronous_standby_names = 'near'");
    server.ask("select pg_reload_conf()");
    server.ask("create table t(x text)");
    let history = watched(&server.source(), || {
        server.ask(
            "set work_mem = '64kB'; create table sorted as \
             select repeat(md5(n::text), 20) as x from generate_series(1, 50000) n order by 1",
        );
        server.ask("insert into t select 'x' from generate_series(1, 1000)");
    });
    let total = |name: &str| history.totals.get(name).copied();
    let behind = server.ask(
        "select pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) from pg_replication_slots where not active",
    );
    let behind: f64 = behind.parse().unwrap();
    assert_eq!(total("slots_inactive"), Some(1.0));
    let seen = total("slots_inactive_bytes").unwrap();
    assert!(seen > 1e9 && seen <= behind, "{seen} of {behind}");
    assert_eq!(total("slot_keep_mb"), Some(-1.0));
    assert_eq!(total("sync_standbys"), Some(1.0));
    assert!(total("sync_flush_lag_ms").is_some_and(|lag| lag > 0.0), "{:?}", history.totals);
    let written: f64 = server.ask("select sum(temp_bytes) from pg_stat_database").parse().unwrap();
    assert!(written > 20e6 && total("temp_bytes") == Some(written), "{written}, {:?}", total("temp_bytes"));
    let codes = codes(history);
    assert!(codes.iter().any(|found| found == "postgres-slots-inactive"), "{codes:?}");
    let history = watched(&server.source().replace("//fw@", "//plain@"), || {
        server.ask("insert into t select 'x' from generate_series(1, 1000)");
    });
    let total = |name: &str| history.totals.get(name).copied();
    assert_eq!(
        (total("sync_standbys"), total("sync_flush_lag_ms")),
        (Some(1.0), None),
        "hidden is not absent"
    );
    assert_eq!(total("slots_inactive"), Some(1.0));
}

/// The server's own word on whether the session is encrypted, through the client that is tested.
#[test]
fn postgresql_is_asked_over_tls_where_it_offers_it() {
    let folder = open_dir("fwtls");
    if !certificate(folder.path(), "localhost") {
        return;
    }
    let file = |name: &str| folder.path().join(name).display().to_string();
    let certificate = format!("ssl_cert_file={}", file("server.crt"));
    let key = format!("ssl_key_file={}", file("server.key"));
    let access = "local all all trust\nhost all clear 127.0.0.1/32 password\nhost all bound 127.0.0.1/32 scram-sha-256\n\
                  host all all 127.0.0.1/32 trust\n";
    let server = given!(Postgres::start(access, &["ssl=on", &certificate, &key]));
    let port = server.address().port();
    for (mode, wanted) in [("disable", false), ("prefer", true), ("require", true)] {
        let source = format!("postgres://fw@localhost:{port}/postgres?hostaddr=127.0.0.1&sslmode={mode}");
        assert_eq!(is_encrypted(&source).unwrap(), wanted, "{mode}");
    }
    // Its certificate is of a root that this host knows only when it is named.
    let root = folder.path().join("root.crt");
    assert!(!is_verified(port, "localhost", None));
    assert!(is_verified(port, "localhost", Some(&root)));
    assert!(!is_verified(port, "otherhost", Some(&root)));
    // Encrypted is not verified: whoever answers there may be another, and gets no password.
    server.ask("create role clear login password 'w'");
    let source = format!("postgres://clear@localhost:{port}/postgres?hostaddr=127.0.0.1&sslmode=require");
    let error = format!("{:#}", is_encrypted(&source).unwrap_err());
    assert!(error.contains("asks for the password in clear text"), "{error}");
    // Nor can it hand what proves the password on to the server: the proof names the certificate that was shown here.
    server.ask("set password_encryption = 'scram-sha-256'; create role bound login password 'w'");
    let config = |port: u16| {
        let source =
            format!("host=localhost hostaddr=127.0.0.1 port={port} user=bound dbname=postgres password=w");
        format!("{source} sslmode=require").parse::<tokio_postgres::Config>().unwrap()
    };
    connect(&config(port), port).unwrap();
    let another = open_dir("fwtls");
    assert!(super::certificate(another.path(), "localhost"));
    let between = handing_on(another.path(), port);
    let error = format!("{:#}", connect(&config(between), between).unwrap_err());
    assert!(error.contains("SCRAM channel binding check failed"), "{error}");
    // Nor does it choose a certificate that the proof cannot name.
    let sign = "openssl x509 -req -sha512 -in server.csr -CA root.crt -CAkey root.key -days 2 -extfile names -out server.crt";
    let mut sign =
        std::process::Command::new("sh").args(["-c", sign]).current_dir(another.path()).spawn().unwrap();
    assert!(sign.wait().unwrap().success());
    let between = handing_on(another.path(), port);
    let error = format!("{:#}", connect(&config(between), between).unwrap_err());
    assert!(error.contains("SCRAM cannot be bound"), "{error}");
}
