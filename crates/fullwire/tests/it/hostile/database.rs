//! A server of MySQL that announces more than it sends.

use crate::tool::{Desk, stderr};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

/// Packets of MySQL, numbered on (MySQL's internals, "Protocol Basics").
fn packet(number: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap().to_le_bytes();
    [&length[..3], &[number], body].concat()
}

const DONE: &[u8] = b"\0\0\0\x02\0\0\0";

/// Lets anyone in, and answers what is wanted of its counters with this many columns, of which none comes.
fn serve(mut client: TcpStream, columns: u64) -> std::io::Result<()> {
    let mut greeting = b"\x0a8.0.30\0\x07\0\0\0abcdefgh\0\xff\xf7\x21\x02\0\xff\x80\x15".to_vec();
    greeting.extend([0; 10]);
    greeting.extend(b"ijklmnopqrst\0mysql_native_password\0");
    client.write_all(&packet(0, &greeting))?;
    let mut asked = vec![0; 4096];
    client.read(&mut asked).map(drop)?;
    client.write_all(&packet(2, DONE))?;
    loop {
        let length = client.read(&mut asked)?;
        if length == 0 {
            return Ok(());
        }
        let question = String::from_utf8_lossy(&asked[..length]).to_lowercase();
        client.write_all(&if question.contains("show global status") {
            // A number of eight bytes ("Length-Encoded Integer").
            packet(1, &[&[0xfe], &columns.to_le_bytes()[..]].concat())
        } else {
            packet(1, DONE)
        })?;
    }
}

#[test]
fn a_server_that_announces_more_columns_than_there_is_memory_ends_no_command() {
    // Refused by the allocator: the client's process is ended. More than a number of bytes: it panics.
    for (columns, said) in [(1 << 33, "was ended by it"), (u64::MAX >> 1, "panic")] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let source = format!("mysql://fw@{}?ssl-mode=disabled", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                // It hangs up.
                let _ = serve(client, columns);
            }
        });
        let output = Desk::new().run(&["redo", &source, "--window", "1s", "--no-store"]);
        assert_eq!(output.status.code(), Some(3), "{:?}: {}", output.status, stderr(&output));
        assert!(stderr(&output).contains(said), "{columns}: {}", stderr(&output));
    }
}
