//! Servers that answer what no server answers: messages without end, values of another kind, sums beyond a number.

use super::sampling;
use crate::database::live::guard::ANSWER_BYTES;
use crate::database::sample;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Serves each client on a port of loopback.
fn serving(serve: impl Fn(TcpStream) -> std::io::Result<()> + Send + 'static) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            // It hangs up when it has enough.
            let _ = serve(client);
        }
    });
    address
}

/// A server of PostgreSQL lets in, and hears the first question.
fn asked(client: &mut TcpStream) -> std::io::Result<()> {
    let mut first = [0; 4096];
    // The question whether TLS is offered, eight bytes, comes before all else.
    if client.read(&mut first)? == 8 {
        client.write_all(b"N")?;
        let _ = client.read(&mut first)?;
    }
    client.write_all(b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I")?;
    client.read(&mut first).map(drop)
}

fn error(source: &str) -> String {
    let outcome = sample(source, sampling(Duration::from_secs(1)), &|| false);
    format!("{:#}", outcome.unwrap_err())
}

#[test]
fn an_answer_without_end_is_not_held() {
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sent);
    let address = serving(move |mut client| {
        asked(&mut client)?;
        client.write_all(b"D\x7f\xff\xff\xff")?;
        let part = vec![0; 1 << 16];
        loop {
            client.write_all(&part)?;
            counted.fetch_add(part.len(), Ordering::Relaxed);
        }
    });
    let error = error(&format!("postgres://fw@{address}/x"));
    assert!(error.contains("connection closed"), "{error}");
    // Beside it lies what the sockets hold.
    let sent = sent.load(Ordering::Relaxed);
    assert!((ANSWER_BYTES / 2..ANSWER_BYTES + (32 << 20)).contains(&sent), "{sent}");
}

/// The client is not to ask what a type is: each answer could have another that it does not know.
#[test]
fn a_version_that_is_no_number_or_of_no_known_type_is_said() {
    for (oid, why) in [([0, 25], "the server's version is no number"), ([0x3e, 0x8f], "connection closed")] {
        let (error, questions) = odd_version(oid);
        assert!(error.contains(why) && !error.contains("panic"), "{error}");
        assert_eq!(questions, 1);
    }
}

/// What is said of a version "xy" of this type, and how many questions were heard.
fn odd_version(oid: [u8; 2]) -> (String, usize) {
    let questions = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&questions);
    let address = serving(move |mut client| {
        asked(&mut client)?;
        counted.fetch_add(1, Ordering::Relaxed);
        // One column, and its row.
        client.write_all(b"T\0\0\0\x1a\0\x01v\0\0\0\0\0\0\0\0\0")?;
        client.write_all(&oid)?;
        client.write_all(b"\xff\xff\xff\xff\xff\xff\0\0")?;
        client.write_all(b"D\0\0\0\x0c\0\x01\0\0\0\x02xyC\0\0\0\x0dSELECT 1\0Z\0\0\0\x05I")?;
        // Its farewell is no question.
        let mut more = [0; 4096];
        if client.read(&mut more)? > 0 && more[0] != b'X' {
            counted.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    });
    let error = error(&format!("postgres://fw@{address}/x"));
    (error, questions.load(Ordering::Relaxed))
}

/// Packets of MySQL, numbered on.
fn packets(first: u8, bodies: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, body) in (first..).zip(bodies) {
        bytes.extend(&u32::try_from(body.len()).unwrap().to_le_bytes()[..3]);
        bytes.push(number);
        bytes.extend(body);
    }
    bytes
}

const DONE: &[u8] = b"\0\0\0\x02\0\0\0";

/// An answer with these rows (MySQL's internals, "Text Resultset").
fn answer(rows: &[&[&[u8]]]) -> Vec<u8> {
    let text = |text: &[u8]| [&[u8::try_from(text.len()).unwrap()], text].concat();
    let width = rows.first().map_or(1, |row| row.len());
    let column = [text(b"def"), vec![0; 5], b"\x0c\x21\0\xff\0\0\0\xfd\0\0\0\0\0".to_vec()].concat();
    let end = b"\xfe\0\0\x02\0".to_vec();
    let mut bodies = vec![vec![u8::try_from(width).unwrap()]];
    bodies.extend(std::iter::repeat_n(column, width));
    bodies.push(end.clone());
    bodies.extend(rows.iter().map(|row| row.iter().flat_map(|value| text(value)).collect()));
    bodies.push(end);
    packets(1, &bodies)
}

/// A server of MySQL that lets anyone in, and answers with these rows.
fn mysql(counters: &'static [&'static [&'static [u8]]]) -> String {
    let address = serving(move |mut client| {
        let mut greeting = b"\x0a8.0.30\0\x07\0\0\0abcdefgh\0\xff\xf7\x21\x02\0\xff\x80\x15".to_vec();
        greeting.extend([0; 10]);
        greeting.extend(b"ijklmnopqrst\0mysql_native_password\0");
        client.write_all(&packets(0, &[greeting]))?;
        let mut asked = vec![0; 4096];
        client.read(&mut asked).map(drop)?;
        client.write_all(&packets(2, &[DONE.to_vec()]))?;
        loop {
            let length = client.read(&mut asked)?;
            let question = String::from_utf8_lossy(&asked[..length]).to_lowercase();
            let logs: &[&[u8]] = &[b"binlog.1", b"18446744073709551615", b"No"];
            client.write_all(&match () {
                () if length == 0 => return Ok(()),
                () if question.contains("show global status") => answer(counters),
                () if question.contains("show binary logs") => answer(&[logs; 3]),
                () if question.contains("select @@") => answer(&[&[b"1"]]),
                () => packets(1, &[DONE.to_vec()]),
            })?;
        }
    });
    format!("mysql://fw@{address}?ssl-mode=disabled")
}

#[test]
fn counters_of_another_kind_count_for_nothing() {
    const NUMBERS: &[&[&[u8]]] = &[
        &[b"Uptime", b"-5"],
        &[b"\xff\xfe", b"\xff"],
        &[b"Innodb_os_log_written", b"nan"],
        &[b"Com_commit", b"inf"],
        &[b"Questions", b"7"],
    ];
    const ONE_COLUMN: &[&[&[u8]]] = &[&[b"x"]];
    for (counters, questions) in [(NUMBERS, Some(7.0)), (ONE_COLUMN, None)] {
        let read = sample(&mysql(counters), sampling(Duration::from_secs(1)), &|| false);
        let (history, _) = read.unwrap();
        assert_eq!(history.totals.get("questions").copied(), questions, "{history:?}");
        assert!(history.totals.values().chain(history.rates_per_s.values()).all(|value| value.is_finite()));
        assert!(!history.totals.contains_key("com_commit"), "{history:?}");
    }
}
