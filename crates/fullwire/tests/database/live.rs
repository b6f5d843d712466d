//! What is sampled must be what a real PostgreSQL, started here, itself says that it wrote.

use super::{Postgres, certificate, codes, open_dir, sampling};
use crate::database::postgres::tests::is_encrypted;
use crate::database::sample;
use crate::database::tls::tests::is_verified;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[test]
fn postgresql_redo_is_what_the_server_wrote() {
    let Some(server) = Postgres::start("local all all trust\n", &["wal_buffers=32kB"]) else { return };
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
    for (code, fires) in [
        ("postgres-wal-buffers-full", true),
        ("postgres-checkpoints-requested", true),
        ("postgres-archiver-failing", false),
    ] {
        assert_eq!(codes.iter().any(|found| found == code), fires, "{code}: {codes:?}");
    }
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
    let access = "local all all trust\nhost all all 127.0.0.1/32 trust\n";
    let Some(server) = Postgres::start(access, &["ssl=on", &certificate, &key]) else { return };
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
}
