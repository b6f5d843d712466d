//! What cannot be used is refused with a reason and a way out, and is left as it was.

use crate::keep::{run, store};
use fullwire_store::{Filter, Store, StoreError};
use rusqlite::Connection;
use std::os::unix::process::CommandExt;
use std::path::Path;

fn edit(path: &Path, sql: &str) {
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn a_later_schema_is_left_alone() {
    let (dir, store) = store();
    let path = store.path().to_path_buf();
    drop(store);
    edit(&path, "PRAGMA user_version = 99");
    let error = Store::open(&path).unwrap_err();
    assert!(matches!(error, StoreError::Newer { found: 99, known: 3, .. }), "{error}");
    assert!(error.to_string().contains("use a newer fullwire"), "{error}");
    drop(dir);
}

#[test]
fn another_programs_database_and_a_text_file_are_not_stores() {
    let dir = tempfile::tempdir().unwrap();
    let (database, text) = (dir.path().join("other.db"), dir.path().join("notes.txt"));
    edit(&database, "CREATE TABLE bookmark (url TEXT)");
    std::fs::write(
        &text,
        "not a database, but long enough to have a header that SQLite looks at ".repeat(20),
    )
    .unwrap();
    for path in [&database, &text] {
        let before = std::fs::read(path).unwrap();
        let error = Store::open(path).unwrap_err();
        assert!(matches!(error, StoreError::NotAStore { .. }), "{error}");
        assert_eq!(std::fs::read(path).unwrap(), before, "it was touched");
    }
}

#[test]
fn a_store_with_a_schema_that_is_not_ours_is_none() {
    for (sql, name) in [
        ("CREATE TABLE more (x)", "table more"),
        ("CREATE VIEW v AS SELECT 1", "view v"),
        ("CREATE TRIGGER t AFTER DELETE ON run BEGIN SELECT 1; END", "trigger t"),
        ("DROP INDEX run_started", "index run_started"),
    ] {
        let (dir, store) = store();
        let path = store.path().to_path_buf();
        drop(store);
        edit(&path, sql);
        let error = Store::open(&path).unwrap_err();
        assert!(
            matches!(error, StoreError::NotAStore { .. }) && error.to_string().contains(name),
            "{sql}: {error}"
        );
        drop(dir);
    }
}

/// SQLite would wait in `open` until somebody writes to the pipe.
#[test]
fn a_pipe_in_place_of_a_store_or_beside_it_is_not_waited_for() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use std::os::unix::fs::PermissionsExt as _;
    for (end, open_to_others) in
        [("", false), ("-journal", false), ("-journal", true), ("-wal", true), ("-shm", true)]
    {
        let (dir, store) = store();
        let path = store.path().to_path_buf();
        drop(store);
        let folder = path.parent().unwrap();
        let mode = if open_to_others { 0o777 } else { 0o700 };
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode)).unwrap();
        let pipe = format!("{}{end}", path.display());
        let _ = std::fs::remove_file(&pipe);
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let (told, heard) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let _ = told.send((Store::open_existing(&path).is_err(), Store::open(&path).is_err()));
        });
        let refused = heard.recv_timeout(std::time::Duration::from_secs(20));
        assert_eq!(refused, Ok((true, true)), "{end}");
        assert!(std::fs::symlink_metadata(&pipe).is_ok(), "{end} was removed");
        drop(dir);
    }
}

#[test]
fn damage_is_named() {
    let (dir, mut store) = store();
    for number in 0..40 {
        store.keep(&run(&format!("r{number}"), number)).unwrap();
    }
    let path = store.path().to_path_buf();
    drop(store);
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[4096..middle].fill(0xa5);
    std::fs::write(&path, bytes).unwrap();
    let outcome = Store::open(&path).and_then(|store| store.verify());
    let error = outcome.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
    assert!(error.to_string().contains(".recover"), "{error}");
    drop(dir);
}

#[test]
fn a_store_that_another_process_holds_is_waited_for_and_then_named() {
    let (_dir, mut store) = store();
    let holder = Connection::open(store.path()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(store.history(&Filter::default()).unwrap().is_empty(), "a writer does not stop readers");
    let error = store.keep(&run("r1", 1)).unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    holder.execute_batch("ROLLBACK").unwrap();
    store.keep(&run("r1", 1)).unwrap();
}

#[test]
fn an_empty_store_and_an_impossible_directory_say_so() {
    let (dir, store) = store();
    assert!(store.load("last").unwrap_err().to_string().contains("`fullwire assess` keeps a run"));
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = Store::open(file.join("runs.db")).unwrap_err();
    assert!(matches!(error, StoreError::Directory { .. }), "{error}");
}

/// What is below a directory, with modes.
fn modes(dir: &Path) -> Vec<(String, u32)> {
    use std::os::unix::fs::PermissionsExt;
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        found.push((entry.file_name().into_string().unwrap(), mode));
    }
    found.sort();
    found
}

#[test]
fn a_store_is_its_users_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state/fullwire/runs.db");
    let mut store = Store::open(&path).unwrap();
    store.keep(&run("r1", 1)).unwrap();
    assert_eq!(modes(dir.path()), [("state".to_owned(), 0o700)]);
    assert_eq!(modes(&dir.path().join("state")), [("fullwire".to_owned(), 0o700)]);
    // The log and the shared memory next to it too, while it is open.
    let files = modes(path.parent().unwrap());
    assert!(files.len() == 3 && files.iter().all(|(_, mode)| *mode == 0o600), "{files:?}");
}

#[test]
fn reading_makes_neither_a_store_nor_its_directory() {
    let dir = tempfile::tempdir().unwrap();
    let (path, empty) = (dir.path().join("absent/runs.db"), dir.path().join("empty.db"));
    std::fs::write(&empty, "").unwrap();
    for path in [&path, &empty] {
        let error = Store::open_existing(path).unwrap_err();
        assert!(matches!(error, StoreError::Missing { .. }), "{error}");
    }
    let error = Store::open_existing(dir.path()).unwrap_err();
    assert!(matches!(error, StoreError::NotAStore { .. }), "{error}");
    assert_eq!(modes(dir.path()).len(), 1);
    assert_eq!(std::fs::metadata(&empty).unwrap().len(), 0);
}

#[test]
fn many_that_open_a_new_store_at_once_all_keep_their_run() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state/runs.db");
    std::thread::scope(|scope| {
        for number in 0..20 {
            let path = &path;
            scope.spawn(move || {
                Store::open(path).unwrap().keep(&run(&format!("r{number}"), number)).unwrap();
            });
        }
    });
    let store = Store::open_existing(&path).unwrap();
    assert_eq!(store.history(&Filter::default()).unwrap().len(), 20);
    store.verify().unwrap();
}

/// Names a store to a copy of this test that runs as nobody.
const READER: &str = "FULLWIRE_STORE_TEST_READER";

#[test]
fn a_read_only_directory_can_be_read_and_says_that_nothing_can_be_kept() {
    if let Some(path) = std::env::var_os(READER) {
        return read_only(Path::new(&path));
    }
    if !rustix::process::geteuid().is_root() {
        let (_dir, path) = read_only_store();
        return read_only(&path);
    }
    // Root may write anywhere, so the test is repeated as nobody.
    let (_dir, path) = read_only_store();
    let name = "refuse::a_read_only_directory_can_be_read_and_says_that_nothing_can_be_kept";
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name])
        .env(READER, &path)
        .uid(65534)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

fn read_only_store() -> (tempfile::TempDir, std::path::PathBuf) {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("runs.db");
    Store::open(&path).unwrap().keep(&run("r1", 1)).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o555)).unwrap();
    (dir, path)
}

fn read_only(path: &Path) {
    let mut store = Store::open(path).unwrap();
    assert_eq!(store.load("last").unwrap().run_id, "r1");
    let error = store.keep(&run("r2", 2)).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
}

/// A kept run of some bytes that would be gigabytes of records.
#[test]
fn a_kept_run_of_too_many_records_is_not_read() {
    let (dir, mut store) = store();
    store.keep(&run("bomb", 1)).unwrap();
    let path = store.path().to_path_buf();
    drop(store);
    for list in ["disks", "mounts", "gaps"] {
        let bomb = format!("{{\"host\":{{\"{list}\":[{}{{}}]}}}}", "{},".repeat(3_000_000));
        let body = zstd::encode_all(bomb.as_bytes(), 3).unwrap();
        assert!(body.len() < 4096, "{} bytes", body.len());
        Connection::open(&path).unwrap().execute("UPDATE run SET body = ?1", [body]).unwrap();
        let error = Store::open(&path).unwrap().load("bomb").unwrap_err();
        assert!(matches!(error, StoreError::Malformed { .. }), "{error}");
    }
    drop(dir);
}

/// SQLite plays back a journal that lies beside a database, and removes the file that the journal names.
#[test]
fn where_others_can_put_a_file_beside_it_a_store_is_only_read() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("runs.db");
    Store::open(&path).unwrap().keep(&run("r1", 1)).unwrap();
    let journal = dir.path().join("runs.db-journal");
    // A hot journal's mark (sqlite.org/fileformat2.html, section 3.1): whoever may write plays it back and removes it.
    let hot = [&[0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7][..], &[0; 504]].concat();
    std::fs::write(&journal, &hot).unwrap();
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    let refused = Store::open(&path).unwrap_err().to_string();
    assert!(refused.contains("another user can write to it"), "{refused}");
    let _ = Store::open_existing(&path);
    assert_eq!(std::fs::read(&journal).unwrap(), hot, "nobody played it back");
    std::fs::remove_file(&journal).unwrap();
    let mut store = Store::open_existing(&path).unwrap();
    assert_eq!(store.load("last").unwrap().run_id, "r1");
    assert!(matches!(store.keep(&run("r2", 2)).unwrap_err(), StoreError::ReadOnly { .. }));
}
