//! The bus with TLS, as a cluster, and of a version that is too old: real servers with the configuration that
//! `fullwire estate up` wrote.

use super::place::{Bus, Place, certificates};
use crate::ports::free_port;
use crate::servers::{Nats, old_nats_server, wait_for};
use crate::skips::given;
use crate::tool::{json, stderr};
use std::time::Duration;

const SOON: Duration = Duration::from_secs(60);
const ROUND: [&str; 4] = ["--duration", "1s", "--max-rate", "20MB"];

fn measured(place: &Place) -> usize {
    let round = place.once(&ROUND);
    assert!(round.status.success(), "{}", stderr(&round));
    let round = json(&round);
    let cells = round["cells"].as_array().unwrap();
    cells.iter().filter(|cell| cell["state"] == "measured").count()
}

#[test]
fn a_cluster_with_tls_loses_a_server_and_no_result() {
    let bus = Bus { servers: 3, tls: true, ..Bus::default() };
    let mut place = given!(Place::with(3, &bus));
    place.gather = "12s";
    place.all_agents();
    for name in ["db1", "db2", "db3"] {
        wait_for("it is connected", SOON, || place.said(name).contains("connected"));
    }
    // The first round makes the stream, with a copy on each server.
    place.coordinate(&["--every", "9999h", "--gather", "9999h"]);
    wait_for("the stream has its copies", SOON, || super::strangers::stream_replicas(&place) == Some(3));
    place.coordinator = None;
    assert_eq!(measured(&place), 6);
    // As the power goes; whoever spoke to this server speaks to another one.
    place.nats.kill();
    assert_eq!(measured(&place), 6);
    wait_for("every receipt is there", SOON, || place.all_settled());
    assert!(place.check_each_once() >= 24);
    // It comes back without what it had.
    std::fs::remove_dir_all(place.path("jetstream-1")).unwrap();
    place.nats.run();
    place.more[0].kill();
    wait_for("every receipt is there", SOON, || place.all_settled());
    let configuration = std::fs::read_to_string(place.path("estate/nats-server-1.conf")).unwrap();
    assert!(configuration.contains("cluster: {") && configuration.matches("nats-route://").count() == 2);
}

#[test]
fn a_server_whose_certificate_is_not_known_is_said_as_that() {
    let bus = Bus { tls: true, ..Bus::default() };
    let mut place = given!(Place::with(1, &bus));
    place.agent(0);
    wait_for("it is connected", SOON, || place.said("db1").contains("connected"));
    // The agent knows another authority.
    let folder = place.path("other");
    std::fs::create_dir(&folder).unwrap();
    certificates(&folder, "other", "127.0.0.1");
    let file = place.path("db1.json");
    let mut credential: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    credential["ca_pem"] = std::fs::read_to_string(folder.join("other.pem")).unwrap().into();
    std::fs::write(&file, credential.to_string()).unwrap();
    place.agent(0);
    wait_for("it is said", SOON, || {
        place.said("db1").contains(
            "the server's certificate is not accepted here (invalid peer certificate: UnknownIssuer)",
        )
    });
}

#[test]
fn a_server_that_is_too_old_is_said_by_its_version() {
    let old = given!(old_nats_server());
    let mut place = given!(Place::new(1));
    place.nats.kill();
    let port = free_port();
    // What it does not know of the configuration is left out, as someone would who wants it to start.
    let text = std::fs::read_to_string(place.path("estate/nats-server.conf")).unwrap();
    let lines = text.lines().filter(|line| !line.contains("sync_interval")).map(|line| match line {
        line if line.starts_with("listen:") => format!("listen: \"127.0.0.1:{port}\""),
        line => line.to_owned(),
    });
    let config = place.path("old.conf");
    std::fs::write(&config, lines.collect::<Vec<String>>().join("\n")).unwrap();
    place.nats = Nats::start_program(old, &config, port);
    for name in ["db1.json", "estate/coordinator.json"] {
        let file = place.path(name);
        let text = std::fs::read_to_string(&file).unwrap();
        let start = text.find("nats://127.0.0.1:").unwrap();
        let end = start + text[start..].find('"').unwrap();
        let url = &text[start..end];
        std::fs::write(&file, text.replace(url, &format!("nats://127.0.0.1:{port}"))).unwrap();
    }
    place.agent(0);
    place.coordinate(&[]);
    wait_for("it is said", SOON, || {
        place.said("coordinator").contains("the NATS server is 2.9.")
            && place.said("coordinator").contains("2.11 or later is needed")
    });
}
