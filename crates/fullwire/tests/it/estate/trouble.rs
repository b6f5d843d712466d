//! What can go wrong between an agent and its servers: a clear sentence each, and nothing is lost meanwhile.

use super::place::Place;
use crate::servers::wait_for;
use crate::skips::given;
use crate::tool::stderr;
use std::time::Duration;

const SOON: Duration = Duration::from_secs(60);

#[test]
fn a_server_that_is_away_is_said_once_and_results_wait() {
    let mut place = given!(Place::new(2));
    place.nats.kill();
    place.all_agents();
    wait_for("it is said", SOON, || {
        place.said("db1").contains("no NATS server answers at nats://127.0.0.1:")
    });
    std::thread::sleep(Duration::from_secs(2));
    let said = place.said("db1");
    assert_eq!(said.matches("no NATS server answers").count(), 1, "{said}");
    place.nats.run();
    wait_for("it is said", SOON, || place.said("db1").contains("connected"));
    place.postgres.kill();
    place.coordinate(&[]);
    wait_for("it is said", SOON, || place.said("coordinator").contains("cannot connect to postgres://fw@"));
}

#[test]
fn an_expired_credential_is_said_as_that() {
    let mut place = given!(Place::new(1));
    let enrolled = place.desk.run(&["estate", "enrol", "db1", "--dir", "estate", "--valid", "3s"]);
    assert!(enrolled.status.success(), "{}", stderr(&enrolled));
    place.agent(0);
    wait_for("it is let in", SOON, || place.said("db1").contains("connected"));
    wait_for("it is said", SOON, || place.said("db1").contains("the credential expired at 20"));
    // One that starts with it hears the same.
    place.agent(0);
    wait_for("it is said again", SOON, || {
        place.said("db1").matches("the credential expired at 20").count() == 2
    });
}

#[test]
fn a_full_stream_is_said_and_results_wait_on_their_hosts() {
    let mut place = given!(Place::new(2));
    place.all_agents();
    let round = place.once(&["--duration", "1s", "--max-rate", "20MB"]);
    assert!(round.status.success(), "{}", stderr(&round));
    wait_for("every receipt is there", SOON, || place.all_settled());
    let before = place.kept_runs().len();
    // The stream takes one byte: as when no one has taken results for weeks.
    super::strangers::shrink_stream(&place, 1);
    place.coordinate(&["--every", "1s", "--gather", "2s", "--duration", "1s", "--max-rate", "20MB"]);
    wait_for("it is said", SOON, || place.said("db1").contains("the stream of results is full"));
    place.coordinator = None;
    assert!(!place.all_settled() && place.kept_runs().len() == before);
    super::strangers::shrink_stream(&place, 1 << 30);
    place.coordinate(&["--every", "1h"]);
    wait_for("what waited has come", SOON, || place.all_settled());
    place.check_each_once();
}

#[test]
fn a_newer_schema_and_none_are_said() {
    let place = given!(Place::new(1));
    place.postgres.ask("insert into fullwire.migration values (99)");
    let history =
        place.desk.command().env("FULLWIRE_STORE", place.postgres.url()).arg("history").output().unwrap();
    assert!(!history.status.success());
    assert!(stderr(&history).contains("has schema 99, this fullwire knows up to"), "{}", stderr(&history));
    let status = place.desk.run(&["estate", "status", "--dir", "estate"]);
    assert!(stderr(&status).contains("use the newer fullwire"), "{}", stderr(&status));
    place.postgres.ask("drop schema fullwire cascade");
    let status = place.desk.run(&["estate", "status", "--dir", "estate"]);
    assert!(
        stderr(&status).contains("no fullwire schema; `fullwire estate up` makes it"),
        "{}",
        stderr(&status)
    );
}

#[test]
fn what_is_typed_wrongly_is_said_before_anything_is_written() {
    let place = given!(Place::new(1));
    let up = |words: &[&str]| {
        let output = place.desk.run(&[&["estate", "up", "--dir", "other"], words].concat());
        assert!(!output.status.success() && !place.path("other").exists(), "{words:?}");
        stderr(&output)
    };
    let url = place.postgres.url();
    assert!(up(&[]).contains("--database"));
    assert!(up(&["--database", &url]).contains("--server"));
    assert!(up(&["--database", &url, "--server", "tls://nats1:4222"]).contains("--tls-cert"));
    assert!(up(&["--database", &url, "--server", "nats1:4222"]).contains("tls://HOST:PORT"));
    assert!(
        up(&["--database", "postgres://fw@127.0.0.1:1/x", "--server", "nats://127.0.0.1:1"])
            .contains("cannot connect")
    );
    assert!(
        up(&["--name", "a b", "--database", &url, "--server", "nats://127.0.0.1:1"])
            .contains("letters, digits")
    );
    let enrol = place.desk.run(&["estate", "enrol", "coordinator", "--dir", "estate"]);
    assert!(stderr(&enrol).contains("choose another"), "{}", stderr(&enrol));
    // Doing it again keeps what hosts rely on.
    let before = json_file(&place, "estate/estate.json");
    let again = place.desk.run(&["estate", "up", "--name", "test", "--dir", "estate"]);
    assert!(again.status.success(), "{}", stderr(&again));
    let after = json_file(&place, "estate/estate.json");
    assert_eq!(before["plan_seed"], after["plan_seed"]);
    assert_eq!(before["hosts"], after["hosts"]);
    // A file that others can read is no credential any more.
    assert!(
        std::process::Command::new("chmod")
            .arg("644")
            .arg(place.path("db1.json"))
            .status()
            .unwrap()
            .success()
    );
    let agent = place.desk.run(&["agent", "--credential", "db1.json"]);
    assert!(stderr(&agent).contains("can be read by others: chmod 600"), "{}", stderr(&agent));
}

fn json_file(place: &Place, name: &str) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(place.path(name)).unwrap()).unwrap()
}

#[test]
fn a_second_coordinator_waits_and_takes_over() {
    let mut place = given!(Place::new(2));
    place.all_agents();
    let words = ["--every", "2s", "--gather", "2s", "--duration", "1s", "--max-rate", "10MB"];
    place.coordinate(&words);
    wait_for("the first leads", SOON, || place.said("coordinator").contains("term 1"));
    let first = place.coordinator.take();
    place.coordinate(&words);
    wait_for("the second waits", SOON, || {
        place.said("coordinator").contains("another coordinator leads, on ")
    });
    assert_eq!(place.status()["coordinator"]["term"], 1);
    drop(first);
    wait_for("the second leads", SOON, || place.said("coordinator").contains("term 2"));
    wait_for("and has made a round", SOON * 2, || {
        place.postgres.ask("select count(*) from fullwire.round where term = 2 and state = 'done'") != "0"
    });
}
