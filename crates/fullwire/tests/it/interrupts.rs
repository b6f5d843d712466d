//! Interrupts at random moments: nothing is left behind, and every exit status is right.

use crate::contract::LISTING;
use crate::tool::{Desk, Running, calm, serve};
use serde_json::Value;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Interrupts of one run of this test; `FULLWIRE_INTERRUPTS=200` makes more of them.
const INTERRUPTS: u64 = 26;
/// After a signal a command ends within this time: a probe's own patience and the way back from the peer.
const ENDS_WITHIN: Duration = Duration::from_secs(15);

/// Moments that come out the same for one seed (xorshift, Marsaglia 2003).
struct Moments(u64);

impl Moments {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// Processes of this desk that are still there: its state directory is in their environment.
fn left_running(desk: &Desk) -> Vec<String> {
    let mark = desk.state().display().to_string();
    let of_desk = |entry: std::fs::DirEntry| {
        let process = entry.path();
        let environment = std::fs::read(process.join("environ")).ok()?;
        String::from_utf8_lossy(&environment).contains(&mark).then_some(())?;
        let line = std::fs::read(process.join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&line).replace('\0', " "))
    };
    std::fs::read_dir("/proc").unwrap().filter_map(|entry| of_desk(entry.ok()?)).collect()
}

/// All that a pipe brings, read next to the wait: a full one would hold the command up.
fn read(mut pipe: impl std::io::Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Lets a command run for a while, interrupts it, and looks at what it leaves.
fn interrupt(words: &[&str], after: Duration, signal: &str) {
    let desk = Desk::new();
    std::fs::write(desk.work.path().join("logs.csv"), LISTING).unwrap();
    let told = format!("{words:?} after {after:?} by {signal}");
    let mut command = desk.command();
    command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running(command.spawn().unwrap());
    let (out, err) = (read(running.0.stdout.take().unwrap()), read(running.0.stderr.take().unwrap()));
    let early = running.ends_within(after);
    if early.is_none() {
        running.signal(signal);
    }
    let status = early.or_else(|| running.ends_within(ENDS_WITHIN));
    let status = status.unwrap_or_else(|| panic!("{told}: goes on"));
    let (text, said) = (out.join().unwrap(), err.join().unwrap());
    match status.code() {
        // Before anyone listened for signals, and of commands that have nothing to clean up: as any program.
        None => assert!(status.signal().is_some() && text.is_empty(), "{told}: {text}{said}"),
        Some(130) => {
            assert!(text.contains("interrupted") || said.contains("interrupted"), "{told}: {text}{said}");
        }
        // A responder is told to end by a signal; other commands were done before it came.
        Some(0) => {}
        Some(other) => panic!("{told}: status {other}: {text}{said}"),
    }
    // The interrupt was ours and not the peer's: nothing that did not come is blamed on it. That it is not known is fine.
    let document: Option<Value> = serde_json::from_str(&text).ok();
    let blamed = document.as_ref().map_or(text.contains("peer-unreachable"), |document| {
        let findings = document["findings"].as_array().map_or(&[][..], Vec::as_slice);
        findings.iter().any(|finding| finding["code"] == "peer-unreachable")
    });
    assert!(!blamed, "{told}: {text}");
    if status.code() == Some(130) && words.contains(&"--json") && !text.is_empty() {
        let document: Value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{told}: {error}: {text}"));
        assert_eq!(document["interrupted"], true, "{told}: {text}");
    }
    let gone = |processes: &mut Vec<String>| {
        *processes = left_running(&desk);
        processes.is_empty()
    };
    let (mut processes, deadline) = (Vec::new(), Instant::now() + Duration::from_secs(3));
    while !gone(&mut processes) {
        assert!(Instant::now() < deadline, "{told}: still running: {processes:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
    let finished = |name: &String| name == "logs.csv" || (status.code() == Some(0) && name == "host.tar.zst");
    let left: Vec<String> = desk.files().into_iter().filter(|name| !finished(name)).collect();
    assert!(left.is_empty(), "{told}: {left:?}");
    let cleaned = desk.json(&["clean", "--json"]);
    assert_eq!(cleaned["removed"], serde_json::json!([]), "{told}");
}

#[test]
fn an_interrupt_at_any_moment_leaves_nothing_behind() {
    calm();
    let peers = Desk::new();
    let (_responder, address) = serve(&peers, &["--open"]);
    let fast = ["--no-store", "--fail-on", "never"];
    let commands: [Vec<&str>; 15] = [
        vec!["assess", "--quick", "--json"],
        vec!["assess", "--quick", "--peer", &address, "--path", "."],
        vec!["check", "--window", "5s", "--json"],
        vec!["capture", "-o", "host.tar.zst"],
        vec!["net", &address, "--duration", "5s", "--json"],
        vec!["net", &address, "--duration", "5s", "--mode", "sync"],
        vec!["net", &address, "--duration", "5s", "--mode", "udp", "--rate", "100Mbit"],
        vec!["net", &address, "--duration", "1s", "--window-sweep", "--json"],
        vec!["net", &address, "--duration", "200ms", "--freq", "1s/10s"],
        vec!["mtu", &address],
        vec!["disk", ".", "--size", "64M", "--duration", "1s", "--json"],
        vec!["disk", ".", "--size", "64M", "--sweep", "depth"],
        vec!["disk", ".", "--profile", "bonnie", "--size", "64M"],
        vec!["redo", "logs.csv", "--peer", &address],
        vec!["serve", "--open", "--listen", "127.0.0.1:0", "--write-dir", "."],
    ];
    let seed = std::env::var("FULLWIRE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_261_122);
    let most =
        std::env::var("FULLWIRE_INTERRUPTS").ok().and_then(|most| most.parse().ok()).unwrap_or(INTERRUPTS);
    let mut moments = Moments(seed);
    for turn in 0..most {
        let words = &commands[usize::try_from(turn).unwrap() % commands.len()];
        let words = match words[0] {
            "capture" | "serve" => words.clone(),
            _ => [&words[..], &fast].concat(),
        };
        let signal = if moments.below(2) == 0 { "-INT" } else { "-TERM" };
        interrupt(&words, Duration::from_millis(moments.below(3500)), signal);
    }
}
