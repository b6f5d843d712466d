//! The estate end to end: real nats-server, real PostgreSQL, real agents and coordinators.

mod attackers;
mod bus;
mod client;
mod enrol;
mod faults;
mod hundred;
mod page;
mod place;
mod strangers;
mod swarm;
mod trouble;

use crate::servers::wait_for;
use crate::skips::given;
use crate::tool::{json, stderr, stdout, texts};
use place::Place;
use std::time::Duration;

#[test]
fn an_estate_measures_itself_with_a_host_and_without_it_and_the_database_has_each_run_once() {
    let mut place = given!(Place::new(3));
    place.all_agents();
    let round = json(&place.once(&["--duration", "1s", "--max-rate", "50MB"]));
    let cells = round["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 6, "{round:#}");
    assert!(cells.iter().all(|cell| cell["state"] == "measured"), "{:#}", round["cells"]);
    assert!(cells.iter().all(|cell| cell["p50_ns"].as_u64().is_some()));
    let status = place.status();
    assert_eq!(texts(&status["hosts"], "name"), ["db1", "db2", "db3"]);
    assert_eq!(status["rounds"][0]["state"], "done");
    assert_eq!(status["bad"].as_array().unwrap().len(), 0, "{:#}", status["bad"]);
    wait_for("every receipt is there", Duration::from_secs(60), || place.all_settled());
    assert!(place.check_each_once() >= 12);
    let points = "select kind || ' ' || count(*) from fullwire.path where state in ('measured', 'held') group by kind order by 1";
    let points = place.postgres.ask(points);
    assert!(points.starts_with("light 6\nstream "), "{points}");

    // Anyone who reads kept runs reads these.
    let url = place.postgres.url();
    let shared = |words: &[&str]| {
        let output = place.desk.command().env("FULLWIRE_STORE", &url).args(words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", stderr(&output));
        output
    };
    let label = round["mesh_id"].as_str().unwrap();
    let history = json(&shared(&["history", "--json", "--tag", label, "--last", "100"]));
    assert_eq!(history["runs"].as_array().unwrap().len(), place.kept_runs().len());
    let (a, b) = (cells[0]["run_id"].as_str().unwrap(), cells[1]["run_id"].as_str().unwrap());
    assert!(stdout(&shared(&["show", a])).contains("db"));
    assert_eq!(json(&shared(&["diff", a, b, "--json", "--force"]))["schema"], "fullwire.diff/1");
    shared(&["report", a, "-o", "run.html"]);
    assert!(std::fs::read_to_string(place.path("run.html")).unwrap().contains("<html"));
    shared(&["baseline", "set", a]);
    a_host_that_is_away_is_a_gap(&mut place);
}

/// The others go on without it.
fn a_host_that_is_away_is_a_gap(place: &mut Place) {
    place.agents[2] = None;
    // The coordinator of the next round has never heard of it: the database has.
    let round = json(&place.once(&["--duration", "1s", "--max-rate", "20MB"]));
    let state = |from: &str, to: &str| {
        let cells = round["cells"].as_array().unwrap();
        let cell = cells.iter().find(|cell| cell["from"] == from && cell["to"] == to);
        cell.map(|cell| cell["state"].as_str().unwrap().to_owned())
    };
    assert_eq!(state("db1", "db2").as_deref(), Some("measured"), "{:#}", round["cells"]);
    assert_eq!(state("db1", "db3").as_deref(), Some("absent"), "{:#}", round["cells"]);
    let gap = round["gaps"].as_array().unwrap().iter().find(|gap| gap["subject"] == "db3").cloned();
    assert!(gap.unwrap().to_string().contains("absent since 20"), "{:#}", round["gaps"]);
    let bad = place.status()["bad"].as_array().unwrap().len();
    assert_eq!(bad, 0, "an absent host is no bad path");
}

#[test]
fn a_host_obeys_its_own_limits_first() {
    let mut place = given!(Place::new(2));
    let minute = jiff::Zoned::now();
    let window = format!("{:02}:00-{:02}:30", (minute.hour() + 11) % 24, (minute.hour() + 12) % 24);
    place.limits[0] = ["--between", &window].map(str::to_owned).to_vec();
    place.limits[1] = ["--max-rate", "4MB"].map(str::to_owned).to_vec();
    place.all_agents();
    let dir = place.path("data");
    std::fs::create_dir(&dir).unwrap();
    let round =
        json(&place.once(&["--duration", "1s", "--disk", dir.to_str().unwrap(), "--disk-size", "1M"]));
    let cells = round["cells"].as_array().unwrap();
    assert!(cells.iter().all(|cell| cell["state"] == "refused"), "outside its window: {cells:#?}");
    assert!(
        round["storage"].as_array().unwrap().iter().all(|one| one["state"] == "refused"),
        "{:#}",
        round["storage"]
    );
    place.limits[0].clear();
    place.limits[1] =
        ["--max-rate", "4MB", "--allow-disk", dir.to_str().unwrap()].map(str::to_owned).to_vec();
    place.all_agents();
    let round = json(&place.once(&["--duration", "1s", "--max-rate", "50MB"]));
    for cell in round["cells"].as_array().unwrap() {
        let rate = cell["throughput_bytes_per_s"].as_f64().unwrap_or_else(|| panic!("{cell:#}"));
        // What db2 sends and what it receives: its responder lets in nothing faster.
        assert!(rate < 6e6, "{cell:#}");
    }
}
