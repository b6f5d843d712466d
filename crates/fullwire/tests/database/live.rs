//! What is sampled must be what a real server, started here, itself says that it wrote.

use super::{Postgres, Process, open_dir, sampling, unprivileged};
use crate::database::postgres::tests::is_encrypted;
use crate::database::sample;
use crate::database::tls::tests::is_verified;
use fullwire_model::Run;
use fullwire_model::demand::RedoHistory;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What is found in what the server said.
fn codes(history: RedoHistory) -> Vec<String> {
    let run = Run { redo: Some(history), ..Run::default() };
    fullwire_rules::assess(&run).findings.into_iter().map(|finding| finding.code).collect()
}

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

/// Asks MariaDB on its private socket.
fn mariadb(socket: &Path, sql: &str) -> Option<String> {
    let mut command = unprivileged("mariadb");
    command.arg("--no-defaults").arg("-S").arg(socket).args(["-u", "fw", "-N", "-B", "-e", sql]);
    let output = command.output().expect("the mariadb client runs");
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Bytes of redo by the server's own word: its log sequence number.
fn innodb_lsn(socket: &Path) -> f64 {
    let row = mariadb(socket, "show global status like 'Innodb_lsn_current'").expect("MariaDB answers");
    row.split_whitespace().last().and_then(|value| value.parse().ok()).expect("a log sequence number")
}

#[test]
fn mariadb_redo_is_what_the_server_wrote() {
    let dir = open_dir("fwmy");
    let path = dir.path();
    let (data, socket) = (path.join("data"), path.join("s"));
    let data_option = format!("--datadir={}", data.display());
    let made = Command::new("mariadb-install-db").arg("--version").output();
    if made.is_err() {
        assert!(std::env::var_os("CI").is_none(), "install mariadb-server: mariadb-install-db is missing");
        println!("mariadb-install-db: absent: skipped");
        return;
    }
    let made = unprivileged("mariadb-install-db")
        .args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db", &data_option])
        .output()
        .expect("mariadb-install-db runs");
    assert!(made.status.success(), "mariadb-install-db: {}", String::from_utf8_lossy(&made.stderr));
    let server = unprivileged("mariadbd")
        .args(["--no-defaults", "--skip-networking", "--skip-grant-tables", &data_option])
        .args(["--innodb-flush-log-at-trx-commit=2", "--innodb-buffer-pool-size=64M"])
        .arg(format!("--socket={}", socket.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("mariadbd runs");
    let _server = Process(server);
    let start = Instant::now();
    while mariadb(&socket, "select 1").as_deref() != Some("1") {
        assert!(start.elapsed() < Duration::from_secs(30), "mariadbd does not answer");
        std::thread::sleep(Duration::from_millis(100));
    }
    mariadb(&socket, "create database fw; create table fw.t (x text) engine=innodb").expect("a table");
    let (started, done) = (AtomicBool::new(false), AtomicBool::new(false));
    let sampling = sampling(Duration::from_secs(60));
    let source =
        format!("mariadb://fw@localhost?socket={}", socket.display().to_string().replace('/', "%2F"));
    let before = innodb_lsn(&socket);
    // The load is between the first reading and the last.
    let stop = || {
        started.store(true, Ordering::SeqCst);
        done.load(Ordering::SeqCst)
    };
    let (history, demand) = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !started.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            for _ in 0..20 {
                mariadb(&socket, "use fw; insert into t select repeat('x', 1000) from seq_1_to_1000")
                    .expect("rows");
            }
            done.store(true, Ordering::SeqCst);
        });
        sample(&source, sampling, &stop).unwrap()
    });
    let wrote = innodb_lsn(&socket) - before;
    let bytes: f64 = history.logs.iter().map(|log| log.bytes).sum();
    assert!(wrote > 20e6 && (bytes / wrote - 1.0).abs() < 0.02, "{bytes} sampled, {wrote} written");
    assert!(demand.commits_per_s.is_some_and(|commits| commits > 0.0), "{demand:?}");
    // The server counts waits for its log buffer, and had none.
    assert_eq!(history.rates_per_s.get("innodb_log_waits"), Some(&0.0));
    assert!(codes(history).is_empty());
}

/// Its own certificate root for this name, as a DBA makes one.
fn certificate(folder: &Path, name: &str) -> bool {
    let run = |words: &str| {
        let done = Command::new("sh").arg("-c").arg(words).current_dir(folder).stderr(Stdio::null()).status();
        done.is_ok_and(|status| status.success())
    };
    run("openssl req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.crt -days 2 -subj /CN=root \
         -addext basicConstraints=critical,CA:TRUE")
        && run(&format!(
            "openssl req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN={name}"
        ))
        && run(&format!(
            "printf 'subjectAltName=DNS:{name},IP:127.0.0.1' > names && openssl x509 -req -in server.csr -CA root.crt \
             -CAkey root.key -CAcreateserial -days 2 -extfile names -out server.crt"
        ))
        && run(
            "chmod 644 root.crt server.crt && chmod 600 server.key && { chown 65534:65534 server.key || true; }",
        )
}

/// The server's own word on whether the session is encrypted, through the client that is tested.
#[test]
fn postgresql_is_asked_over_tls_where_it_offers_it() {
    let folder = open_dir("fwtls");
    if !certificate(folder.path(), "localhost") {
        assert!(std::env::var_os("CI").is_none(), "install openssl");
        println!("openssl: absent: skipped");
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
