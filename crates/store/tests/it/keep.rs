//! What is kept comes back: whole, by any of its names, in order.

use fullwire_model::disk::DiskResult;
use fullwire_model::mtu::MtuResult;
use fullwire_model::net::NetResult;
use fullwire_model::specimen::specimen;
use fullwire_model::{Command, Run};
use fullwire_store::{Filter, GOLDEN, Kept as _, Store, StoreError};
use proptest::prelude::*;
use tempfile::TempDir;

pub(crate) fn store() -> (TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path().join("state/fullwire/runs.db")).unwrap();
    (dir, store)
}

/// A run that began this many seconds after the epoch.
pub(crate) fn run(run_id: &str, second: i64) -> Run {
    let started = jiff::Timestamp::from_second(second).unwrap();
    let net = NetResult { target: "db2:5555".into(), ..NetResult::default() };
    let mtu = MtuResult { target: "db2:5555".into(), ..MtuResult::default() };
    let disk = DiskResult { target: "/u01".into(), ..DiskResult::default() };
    let mut run = Run { run_id: run_id.into(), started, finished: started, ..Run::default() };
    run.command = Command { name: "assess".into(), arguments: vec!["--quick".into()], ..Command::default() };
    run.host.hostname = "db1".into();
    (run.net, run.mtu, run.disk) = (vec![net], vec![mtu], vec![disk]);
    run
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn every_field_of_a_run_survives_the_store(seed: u64) {
        let kept = Run { run_id: format!("r{seed}"), ..specimen(seed) };
        let (_dir, mut store) = store();
        store.keep(&kept).unwrap();
        prop_assert_eq!(store.load("last").unwrap(), kept);
    }
}

#[test]
fn a_run_is_found_by_its_id_by_a_unique_beginning_and_as_the_last() {
    let (_dir, mut store) = store();
    for (run_id, second) in [("20261120-a1", 300), ("20261120-a2", 100), ("20261121-b1", 200)] {
        store.keep(&run(run_id, second)).unwrap();
    }
    assert_eq!(store.resolve("20261120-a2").unwrap(), "20261120-a2");
    assert_eq!(store.resolve("20261121").unwrap(), "20261121-b1");
    assert_eq!(store.resolve("last").unwrap(), "20261120-a1", "by time, not by name or order of keeping");
    let ambiguous = store.resolve("20261120").unwrap_err().to_string();
    assert_eq!(ambiguous, "20261120 matches 20261120-a1, 20261120-a2; give more characters");
    for absent in ["", "%", "2026112_", "x"] {
        assert!(matches!(store.resolve(absent), Err(StoreError::NotFound { .. })), "{absent:?}");
    }
}

#[test]
fn a_label_means_its_newest_run_where_no_id_begins_like_it() {
    let (_dir, mut store) = store();
    for (run_id, second, label) in
        [("r1", 30, "before"), ("r2", 40, "before"), ("r3", 50, "r1"), ("r4", 60, "")]
    {
        store
            .keep(&Run { tag: (!label.is_empty()).then(|| label.to_owned()), ..run(run_id, second) })
            .unwrap();
    }
    assert_eq!(store.resolve("before").unwrap(), "r2");
    assert_eq!(store.resolve("r1").unwrap(), "r1");
    assert!(matches!(store.resolve("befor"), Err(StoreError::NotFound { .. }))); // typos: as it is
}

#[test]
fn an_id_that_another_id_begins_with_means_itself() {
    let (_dir, mut store) = store();
    store.keep(&run("r1", 1)).unwrap();
    store.keep(&run("r12", 2)).unwrap();
    assert_eq!(store.load("r1").unwrap().run_id, "r1");
}

#[test]
fn the_history_is_newest_first_and_filtered() {
    let (_dir, mut store) = store();
    for (run_id, second) in [("r1", 10), ("r3", 30), ("r2", 20)] {
        let mut run = run(run_id, second);
        run.tag = (run_id == "r2").then(|| "after jumbo".to_owned());
        run.disk.clear();
        store.keep(&run).unwrap();
    }
    let ids = |filter: &Filter| -> Vec<String> {
        store.history(filter).unwrap().into_iter().map(|entry| entry.run_id).collect()
    };
    let none = Filter::default();
    assert_eq!(ids(&none), ["r3", "r2", "r1"]);
    assert_eq!(ids(&Filter { limit: Some(1), ..none.clone() }), ["r3"]);
    assert_eq!(ids(&Filter { tag: Some("after jumbo".into()), ..none.clone() }), ["r2"]);
    assert_eq!(ids(&Filter { target: Some("db2:5555".into()), ..none.clone() }).len(), 3);
    assert!(ids(&Filter { target: Some("/u01".into()), ..none.clone() }).is_empty());
    assert!(ids(&Filter { host: Some("db9".into()), ..none.clone() }).is_empty());
    assert!(ids(&Filter { command: Some("net".into()), ..none.clone() }).is_empty());
    let since = jiff::Timestamp::from_second(20).ok();
    assert_eq!(ids(&Filter { since, ..none.clone() }), ["r3", "r2"]);
    let newest = &store.history(&none).unwrap()[0];
    assert_eq!(
        (newest.arguments.as_slice(), newest.targets.as_slice()),
        (&["--quick".to_owned()][..], &["db2:5555".to_owned()][..])
    );
    assert!(newest.stored_bytes > 0 && !newest.baseline);
}

#[test]
fn a_baseline_is_one_or_several_runs_under_a_name() {
    let (_dir, mut store) = store();
    assert!(matches!(store.load("baseline"), Err(StoreError::NoBaseline { .. })));
    for (run_id, second) in [("r1", 10), ("r2", 20), ("r3", 30)] {
        let mut run = run(run_id, second);
        run.tag = Some("nightly".into());
        store.keep(&run).unwrap();
    }
    let ids = |list: &[&str]| -> Vec<String> { list.iter().map(|id| (*id).to_owned()).collect() };
    store.set_baseline(GOLDEN, &ids(&["r1"])).unwrap();
    store.set_baseline(GOLDEN, &ids(&["r3", "r2"])).unwrap();
    store.set_baseline("jumbo", &ids(&["r1"])).unwrap();
    assert_eq!(store.baseline("db1", GOLDEN).unwrap(), ["r2", "r3"]);
    assert_eq!(store.load("baseline").unwrap().run_id, "r3");
    assert_eq!(store.resolve_all("baseline", Some("db1")).unwrap(), ["r2", "r3"]);
    assert_eq!(store.resolve_all("baseline:jumbo", None).unwrap(), ["r1"]);
    assert!(matches!(store.resolve_all("baseline", Some("db9")), Err(StoreError::NoBaseline { .. })));
    assert_eq!(store.resolve_all("nightly", None).unwrap(), ["r1", "r2", "r3"]);
    assert_eq!(store.resolve_all("r2", None).unwrap(), ["r2"]);
    assert!(matches!(store.resolve_all("none", None), Err(StoreError::NotFound { .. })));
    let marked: Vec<bool> = store.history(&Filter::default()).unwrap().iter().map(|e| e.baseline).collect();
    assert_eq!(marked, [true, true, true]);
    assert!(store.clear_baseline("db1", GOLDEN).unwrap() && !store.clear_baseline("db1", GOLDEN).unwrap());
    assert_eq!(store.baselines().unwrap().len(), 1);
}

#[test]
fn a_baseline_of_the_first_schema_is_kept() {
    let (dir, mut store) = store();
    store.keep(&run("r1", 10)).unwrap();
    let path = store.path().to_path_buf();
    drop(store);
    let old = rusqlite::Connection::open(&path).unwrap();
    old.execute_batch(
        "DROP TABLE baseline_run;
         DROP TABLE outbox;
         DROP TABLE note;
         CREATE TABLE baseline (
    host   TEXT NOT NULL PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES run (run_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
         INSERT INTO baseline VALUES ('db1', 'r1');
         PRAGMA user_version = 1;",
    )
    .unwrap();
    drop(old);
    let store = Store::open(&path).unwrap();
    assert_eq!(store.baseline("db1", GOLDEN).unwrap(), ["r1"]);
    drop(dir);
}

#[test]
fn a_run_is_kept_once() {
    let (_dir, mut store) = store();
    store.keep(&run("r1", 1)).unwrap();
    assert_eq!(store.keep(&run("r1", 1)).unwrap_err().to_string(), "run r1 is already kept");
    assert!(store.keep(&Run::default()).is_err(), "a run without an id could never be found");
}

#[test]
fn a_deleted_run_is_gone_with_its_targets_and_its_baseline() {
    let (_dir, mut store) = store();
    for (run_id, second) in [("20261120-a1", 100), ("20261121-b1", 200)] {
        store.keep(&run(run_id, second)).unwrap();
    }
    store.set_baseline(GOLDEN, &["20261120-a1".to_owned()]).unwrap();
    assert_eq!(store.delete("20261120").unwrap(), "20261120-a1");
    assert!(matches!(store.load("20261120-a1"), Err(StoreError::NotFound { .. })));
    assert!(store.baseline("db1", GOLDEN).unwrap().is_empty());
    assert!(matches!(store.delete("20261120"), Err(StoreError::NotFound { .. })), "it is gone");
    store.shrink().unwrap();
    store.verify().unwrap();
    let left: Vec<String> =
        store.history(&Filter::default()).unwrap().into_iter().map(|entry| entry.run_id).collect();
    assert_eq!(left, ["20261121-b1"]);
}

#[test]
fn a_result_that_is_owed_stays_until_it_is_settled() {
    let (_dir, mut store) = store();
    store.keep_owed(&run("r1", 100), "{\"to\":\"db2\"}").unwrap();
    store.keep_owed(&run("r2", 200), "{}").unwrap();
    assert!(matches!(store.keep_owed(&run("r1", 100), "{}"), Err(StoreError::Duplicate { .. })));
    assert_eq!(store.count_owed().unwrap(), 2);
    assert_eq!(store.owed(1).unwrap()[0].about, "{\"to\":\"db2\"}");
    assert!(matches!(store.delete("r1"), Err(StoreError::Owed { .. })));
    assert!(store.settle("r1").unwrap() && !store.settle("r1").unwrap());
    // Old and owed, old and not owed.
    assert_eq!(store.forget_before(jiff::Timestamp::from_second(300).unwrap()).unwrap(), 1);
    assert_eq!(store.load("last").unwrap().run_id, "r2");
    store.set_note("term", "7").unwrap();
    store.set_note("term", "8").unwrap();
    assert_eq!((store.note("term").unwrap().as_deref(), store.note("x").unwrap()), (Some("8"), None));
}
