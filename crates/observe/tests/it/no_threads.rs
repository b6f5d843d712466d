//! A host on which no process and no thread can be started: the very limit that is to be found there.

use fullwire_observe::{Ask, Root, host};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// Set in the child that has the limit.
const IN_CHILD: &str = "FULLWIRE_TEST_WITHOUT_THREADS";

#[test]
fn a_host_at_its_limit_of_processes_is_read_with_gaps() {
    if std::env::var_os(IN_CHILD).is_some() {
        assert!(std::thread::Builder::new().spawn(|| ()).is_err(), "the limit is in effect");
        let read = host(&Root::live().expect("the live root"), &Ask::default());
        let gap = read.gap_about("statfs").expect("nobody could be asked for room");
        assert!(gap.detail.contains("cannot start a thread"), "{gap:?}");
        assert!(!read.mounts.is_empty());
        return;
    }
    // A copy that another user may run; root itself has no such limit.
    let directory = tempfile::tempdir().expect("a temporary directory");
    std::fs::set_permissions(directory.path(), std::fs::Permissions::from_mode(0o755))
        .expect("opened to all");
    let copy = directory.path().join("it");
    std::fs::copy(std::env::current_exe().expect("ourselves"), &copy).expect("copied");
    let name = "no_threads::a_host_at_its_limit_of_processes_is_read_with_gaps";
    let mut child = if is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", "65533", "--regid", "65533", "--clear-groups", "prlimit", "--nproc=1"]);
        command
    } else {
        let mut command = Command::new("prlimit");
        command.arg("--nproc=1");
        command
    };
    child.arg(&copy).args([name, "--exact", "--test-threads=1", "--nocapture"]).env(IN_CHILD, "1");
    let output = child.current_dir("/").output().expect("util-linux is installed");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}
