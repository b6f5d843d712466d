//! A writer that is killed at any moment leaves a readable store.

use crate::keep::run;
use fullwire_store::{Filter, Store};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Names the store to a copy of this test that writes until it is killed.
const WRITER: &str = "FULLWIRE_STORE_TEST_WRITER";

/// The first kills fall while the store is made, later ones in and between transactions.
const KILLS: u64 = 16;

#[test]
fn a_writer_killed_at_any_moment_leaves_a_readable_store() {
    if let Some(path) = std::env::var_os(WRITER) {
        write_until_killed(Path::new(&path));
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("runs.db");
    let mut promised = Vec::new();
    for round in 0..KILLS {
        let mut writer = spawn(&path);
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        // The moment is random by nature: process start, file system and scheduler decide what it hits.
        if round % 4 != 0 {
            promised.extend(kept_ids(&mut lines).take(1));
        }
        std::thread::sleep(Duration::from_micros(round * 700));
        writer.kill().unwrap();
        writer.wait().unwrap();
        promised.extend(kept_ids(&mut lines));
    }
    let store = Store::open(&path).unwrap();
    store.verify().unwrap();
    let entries = store.history(&Filter::default()).unwrap();
    for entry in &entries {
        assert_eq!(store.load(&entry.run_id).unwrap().run_id, entry.run_id);
    }
    assert!(!promised.is_empty());
    for run_id in promised {
        assert!(entries.iter().any(|entry| entry.run_id == run_id), "{run_id} was kept and is lost");
    }
}

/// The ids that the writer says it has kept; the test harness prints around them.
fn kept_ids(lines: &mut impl Iterator<Item = std::io::Result<String>>) -> impl Iterator<Item = String> {
    lines.map_while(Result::ok).filter_map(|line| line.split_once("kept ").map(|(_, id)| id.to_owned()))
}

fn spawn(path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::a_writer_killed_at_any_moment_leaves_a_readable_store", "--nocapture"])
        .env(WRITER, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn write_until_killed(path: &Path) -> ! {
    let mut store = Store::open(path).unwrap();
    let process = std::process::id();
    for number in 0.. {
        let run_id = format!("{process}-{number}");
        store.keep(&run(&run_id, number)).unwrap();
        println!("kept {run_id}");
    }
    unreachable!("numbers do not end");
}
