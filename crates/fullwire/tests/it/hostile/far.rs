//! Far ends that mean it ill: a responder, a host of a mesh. Small messages that are large records, words without end. What
//! they cost is bounded by the address space that the program is given (`ulimit -v`), not by a clock.

use crate::skips::installed;
use crate::tool::{Desk, PROGRAM, stderr};
use fullwire_probe::net::wire::{self, Reply, Verdict};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output};

/// The program, its threads' stacks and one document at its bound, KiB; the review's documents took 4 to 7 GB.
const MOST_KIB: &str = "1400000";

fn limited(desk: &Desk) -> Command {
    let mut command = desk.program("sh");
    command.args(["-c", "ulimit -v \"$0\"; exec \"$@\"", MOST_KIB, PROGRAM]);
    command
}

/// It ended in its own words: not by a signal, as one that gets no memory does.
fn ended_well(output: &Output) {
    assert!(output.status.code().is_some(), "{:?}: {}", output.status, stderr(output));
    assert!(!stderr(output).contains("memory allocation"), "{}", stderr(output));
}

/// A reply of a responder in its frames.
fn framed(message: &[u8]) -> Vec<u8> {
    let mut frames = Vec::new();
    for body in message.chunks(usize::from(u16::MAX)) {
        frames.extend(u16::try_from(body.len()).unwrap().to_be_bytes());
        frames.extend_from_slice(body);
    }
    frames
}

/// Answers whatever is asked with these facts.
fn answer(mut client: TcpStream, facts: &[u8]) {
    let _ = client.read_exact(&mut [0; wire::PREAMBLE_BYTES]);
    if client.write_all(&Verdict::Welcome.encode()).is_err() {
        return;
    }
    let mut length = u32::try_from(facts.len()).unwrap().to_be_bytes().to_vec();
    length.extend_from_slice(facts);
    let _ = client.write_all(&framed(&length));
    let _ = client.read(&mut [0; 4096]);
}

#[test]
fn a_responder_whose_facts_are_five_million_records_fills_no_memory() {
    assert!(wire::encode(&Reply::Refused(String::new())).is_ok(), "the forms below are the protocol's");
    for list in ["disks", "nics", "mounts", "routes", "gaps"] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let bomb = format!("{{\"facts\":{{\"host\":{{\"{list}\":[{}{{}}]}}}}}}", "{},".repeat(5_000_000));
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                answer(client, bomb.as_bytes());
            }
        });
        let desk = Desk::new();
        let words = ["net", &address, "--duration", "200ms", "--no-store", "--quiet", "--timeout", "3s"];
        let output = limited(&desk).args(words).output().unwrap();
        ended_well(&output);
        assert!(!output.status.success(), "{list}: {}", stderr(&output));
    }
}

/// In place of ssh: an honest host runs what is brought, a hostile one says what it likes.
const SSH: &str = r#"#!/usr/bin/python3
import os, subprocess, sys, tempfile
if '-G' in sys.argv:
    print('hostname 127.0.0.1')
    sys.exit()
host = sys.argv[sys.argv.index('--') + 1]
take = sys.stdin.buffer
size, port, key = int(take.readline()), take.readline(), take.readline()
program = take.read(size)
say = lambda text: (sys.stdout.write(text), sys.stdout.flush())
if host == 'good':
    folder = tempfile.mkdtemp(dir=os.getcwd())
    with open(folder + '/key', 'wb') as file:
        file.write(key)
    os.chmod(folder + '/key', 0o600)
    with open(folder + '/fullwire', 'wb') as file:
        file.write(program)
    os.chmod(folder + '/fullwire', 0o700)
    node = subprocess.Popen([folder + '/fullwire', 'node', '--listen', '127.0.0.1:0', '--key-file', folder + '/key'],
        stdin=subprocess.PIPE)
    for line in iter(take.readline, b''):
        node.stdin.write(line)
        node.stdin.flush()
    node.stdin.close()
    node.wait()
    sys.exit()
say('listening on 127.0.0.1:1\n')
take.readline()
kind, count = os.environ['EVIL'], 3000000
hello = lambda host: say('{"hello":{"version":"VERSION","protocol":2,"host":' + host + ',"storage":[]}}\n')
if kind == 'alive':
    hello('{}')
    while True:
        say('"alive"\n' * 10000)
elif kind == 'runs':
    hello('{}')
    while True:
        say('{"done":{"ticket":1,"run":{"tag":"' + 'x' * 1000000 + '"}}}\n')
elif kind == 'line':
    while True:
        say('x' * 1000000)
else:
    hello('{"' + kind + '":[' + '{},' * count + '{}]}')
    take.read()
"#;

#[test]
fn a_host_of_a_mesh_fills_no_memory_of_who_measures_it() {
    if !installed("python3") {
        return;
    }
    // Each of them is waited for as long as a host may take to answer.
    std::thread::scope(|scope| {
        for evil in ["disks", "alive", "runs", "line"] {
            scope.spawn(move || fills_no_memory(evil));
        }
    });
}

fn fills_no_memory(evil: &str) {
    let desk = Desk::new();
    let bin = desk.work.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let ssh = bin.join("ssh");
    std::fs::write(&ssh, SSH.replace("VERSION", env!("CARGO_PKG_VERSION"))).unwrap();
    std::fs::set_permissions(&ssh, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let words = ["mesh", "good", "evil", "--duration", "200ms", "--no-store", "--quiet", "--json"];
    let output = limited(&desk).env("PATH", path).env("EVIL", evil).args(words).output().unwrap();
    ended_well(&output);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    if evil != "line" {
        assert!(document["cells"].is_array(), "{evil}: {}", stderr(&output));
    }
    if ["alive", "runs"].contains(&evil) {
        let gaps = document["gaps"].to_string();
        assert!(gaps.contains("more than a node has to say"), "its flood ends it: {gaps}");
    }
    let measured = |cell: &serde_json::Value| cell["state"] == "measured";
    let cells = document["cells"].as_array().cloned().unwrap_or_default();
    assert!(!cells.iter().any(measured), "{evil}: nothing of it counts: {cells:?}");
}
