//! Servers that say nothing, and servers that ask for the password: real sockets, a real PostgreSQL.

use super::{Postgres, sampling};
use crate::database::live::postgres::{SESSION, Server};
use crate::database::{Sampling, sample};
use crate::skips::given;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};
use tokio_postgres::Config;

#[test]
fn a_server_that_accepts_and_says_nothing_is_given_up_in_time() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    // One that answers and then falls silent: the version is never told.
    let half = TcpListener::bind("127.0.0.1:0").unwrap();
    let half_address = half.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = half.accept().unwrap();
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I");
        std::thread::sleep(Duration::from_secs(60));
    });
    let sampling = Sampling { answer_within: Duration::from_secs(2), ..sampling(Duration::from_secs(1)) };
    for source in [
        format!("postgres://fw@{address}/x"),
        format!("postgres://fw@{half_address}/x"),
        format!("mysql://fw@{address}"),
    ] {
        let begun = Instant::now();
        let error = format!("{:#}", sample(&source, sampling, &|| false).unwrap_err());
        assert!(begun.elapsed() < Duration::from_secs(6), "{source}: {:?}", begun.elapsed());
        assert!(error.contains("cannot connect to"), "{source}: {error}");
        assert!(!error.contains("Error {"), "{source}: {error}");
    }
}

/// What a server that asks for the password like this gets from a client with the password `hunter2-dba`.
fn told(question: &'static [u8], trusted: bool) -> (Vec<u8>, String) {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let stream = TcpStream::connect(server.local_addr().unwrap()).unwrap();
    let listener = std::thread::spawn(move || {
        let (mut stream, _) = server.accept().unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let _ = stream.read(&mut [0; 4096]);
        stream.write_all(question).unwrap();
        let mut answer = [0; 4096];
        // Refused: the client hangs up, which may reset the connection.
        let length = stream.read(&mut answer).unwrap_or(0);
        answer[..length].to_vec()
    });
    let mut config = Config::new();
    config.user("fw").password("hunter2-dba");
    let error = Server::over(&config, stream, trusted).err().map(|error| format!("{error:#}"));
    (listener.join().unwrap(), error.unwrap_or_default())
}

#[test]
fn a_password_is_told_to_no_stranger_in_clear_or_by_md5() {
    for question in [&b"R\0\0\0\x08\0\0\0\x03"[..], b"R\0\0\0\x0c\0\0\0\x05salt"] {
        let (answer, error) = told(question, false);
        assert!(answer.is_empty(), "{}", String::from_utf8_lossy(&answer));
        assert!(error.contains("scram-sha-256"), "{error}");
    }
    // A server that is known is told: the question itself works.
    let (answer, _) = told(b"R\0\0\0\x08\0\0\0\x03", true);
    assert!(String::from_utf8_lossy(&answer).contains("hunter2-dba"));
}

#[test]
fn a_real_server_lets_in_by_scram_and_the_session_cannot_write() {
    let access = "local all all trust\nhost all scram 127.0.0.1/32 scram-sha-256\n\
                  host all md5 127.0.0.1/32 md5\nhost all clear 127.0.0.1/32 password\n";
    let running = given!(Postgres::start(access, &[]));
    running.ask("create role scram login superuser password 'pw'");
    running.ask("create role clear login password 'pw'");
    running.ask("set password_encryption = 'md5'; create role md5 login password 'pw'");
    let connect = |user: &str| {
        let mut config = Config::new();
        config.user(user).password("pw").dbname("postgres").options(SESSION);
        Server::over(&config, TcpStream::connect(running.address()).unwrap(), false)
    };
    let server = connect("scram").unwrap_or_else(|error| panic!("{error:#}"));
    assert!(server.version().unwrap() > 90_000);
    let error = format!("{:#}", server.read(&["create table t()"]).unwrap_err());
    assert!(error.contains("read-only"), "{error}");
    let values =
        server.read(&["select 10000::float8 as t where current_setting('statement_timeout') = '10s'"]);
    assert_eq!(values.unwrap().get("t"), Some(&10_000.0));
    // The owner of a database chooses where others look for a view, and what a view of theirs runs.
    running.ask("create schema own; create view own.pg_stat_archiver as select 1 union all select 2");
    running.ask("alter database postgres set search_path = own, pg_catalog");
    let rows = "select count(*)::float8 as rows from pg_stat_archiver";
    assert_eq!(running.ask(rows), "2", "so it is for whoever connects");
    let server = connect("scram").unwrap_or_else(|error| panic!("{error:#}"));
    assert_eq!(server.read(&[rows]).unwrap().get("rows"), Some(&1.0));
    for user in ["md5", "clear"] {
        let error = format!("{:#}", connect(user).err().expect("refused"));
        assert!(error.contains("in clear text or as MD5"), "{user}: {error}");
    }
}

/// The whole client, on loopback: the server is down, and another user of this host listens at its port.
#[test]
fn a_listener_on_loopback_gets_no_password() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let listener = std::thread::spawn(move || {
        let (mut stream, _) = server.accept().unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut said = Vec::new();
        let mut piece = [0; 4096];
        // TLS is asked for first: none; then the password in clear.
        for answer in [&b"N"[..], b"R\0\0\0\x08\0\0\0\x03"] {
            let length = stream.read(&mut piece).unwrap_or(0);
            said.extend_from_slice(&piece[..length]);
            let _ = stream.write_all(answer);
        }
        while let Ok(length @ 1..) = stream.read(&mut piece) {
            said.extend_from_slice(&piece[..length]);
        }
        said
    });
    let mut config: Config = format!("postgres://fw@127.0.0.1:{port}/db").parse().unwrap();
    config.password("hunter2-dba");
    let error = crate::database::live::postgres::tests::connect(&config, port).unwrap_err();
    let said = String::from_utf8_lossy(&listener.join().unwrap()).into_owned();
    assert!(said.contains("user") && !said.contains("hunter2-dba"), "{said}");
    assert!(format!("{error:#}").contains("scram-sha-256"), "{error:#}");
}
