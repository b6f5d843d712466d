//! SIGKILL at random moments: nothing is left but a note, and `clean` removes what the note names.

use super::{entries, example, output};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Of each kind of load: 200 in all.
const KILLS: u64 = 100;

/// Starts a probe, kills it after some milliseconds. True: it was still running.
fn kill_after(mode: &[&str], directory: &Path, state: &Path, after: Duration) -> bool {
    let mut child = Command::new(example())
        .arg(directory)
        .args(mode)
        .env("XDG_STATE_HOME", state)
        .env("FULLWIRE_TEST_SIZE", "16777216")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    let begin = Instant::now();
    while begin.elapsed() < after && child.try_wait().expect("known").is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("killed");
    child.wait().expect("ended").signal() == Some(9)
}

fn kill_and_clean(mode: &[&str]) {
    let directory = tempfile::tempdir().expect("temporary directory");
    let state = tempfile::tempdir().expect("temporary directory");
    std::fs::write(directory.path().join("users01.dbf"), "precious").expect("file");
    let mut killed = 0;
    for number in 0..KILLS {
        // From before the first call to the middle of the load, in an order without pattern; no two moments are alike.
        let after = Duration::from_micros(number * 7_919 % 100_000);
        killed += u64::from(kill_after(mode, directory.path(), state.path(), after));
        let own_state = state.path().join("fullwire").display().to_string();
        let report = output(&example().display().to_string(), &["clean", &own_state]);
        assert!(report.status.success());
        let left = entries(directory.path());
        assert_eq!(left, [directory.path().join("users01.dbf")], "after {after:?}: {report:?}");
        assert!(entries(&state.path().join("fullwire/manifests")).is_empty(), "after {after:?}: {report:?}");
    }
    assert!(killed > KILLS / 2, "only {killed} of {KILLS} were killed in time");
}

#[test]
fn a_killed_load_leaves_nothing() {
    kill_and_clean(&["write", "random", "8192", "4", "1", "5", "auto"]);
}

#[test]
fn killed_small_files_are_cleaned() {
    kill_and_clean(&["files"]);
}
