//! What someone can do who has stolen a host's credential, or runs the bus: nothing to others.

use super::attackers::{delivery, packed};
use super::client::{connect, credential, runtime};
use super::place::Place;
use crate::servers::wait_for;
use crate::skips::given;
use base64::Engine as _;
use futures_util::StreamExt as _;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

const SOON: Duration = Duration::from_secs(60);

#[test]
fn a_stolen_credential_reads_and_orders_nothing_of_others() {
    let mut place = given!(Place::new(3));
    place.agent(0);
    place.agent(1);
    let heard = runtime().block_on(async {
        let (thief, said) = connect(&place, "db3.json").await;
        let mut heard = Vec::new();
        let wanted = [
            "fw.test.plan.db1", "fw.test.plan.*", "fw.test.said.>", "fw.test.result.*", "_INBOX.>",
            "_INBOX_test_db1.>", "$JS.>", ">",
        ];
        for subject in wanted {
            heard.push(thief.subscribe(subject).await.unwrap());
        }
        for subject in [
            "fw.test.plan.db1",
            "fw.test.here.db1",
            "fw.test.said.db1",
            "fw.test.result.db1",
            "$JS.API.STREAM.DELETE.fw_test_results",
        ] {
            thief.publish(subject, "x".into()).await.unwrap();
        }
        thief.flush().await.unwrap();
        let mut command = place.once_command(&["--duration", "1s", "--max-rate", "20MB"]);
        let round = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        assert!(round.status.success(), "{}", crate::tool::stderr(&round));
        let mut count = 0;
        for words in &mut heard {
            while let Ok(Some(_)) = tokio::time::timeout(Duration::from_millis(100), words.next()).await {
                count += 1;
            }
        }
        let said = said.lock().unwrap().join("\n");
        let denied = said.matches("Permissions Violation").count();
        assert!(denied >= wanted.len() + 5, "{denied} refusals:\n{said}");
        count
    });
    assert_eq!(heard, 0, "it heard nothing");
    wait_for("every receipt is there", Duration::from_secs(60), || place.all_settled());
    place.check_each_once();
}

/// Who runs the bus, or has the coordinator's token, but not the key that signs plans.
#[test]
fn a_plan_that_the_coordinator_did_not_sign_is_not_obeyed() {
    let mut place = given!(Place::new(1));
    place.agent(0);
    runtime().block_on(async {
        let (bus, _) = connect(&place, "estate/coordinator.json").await;
        let mut here = bus.subscribe("fw.test.here.db1").await.unwrap();
        let word = tokio::time::timeout(Duration::from_secs(20), here.next()).await.unwrap().unwrap();
        let word: Value = serde_json::from_slice(&zstd::decode_all(&word.payload[..]).unwrap()).unwrap();
        let session = word["here"]["session"].as_str().unwrap();
        let plan = serde_json::json!({
            "estate": "test", "host": "db1", "session": session, "term": 99, "number": 1, "round": "r",
            "instruction": {"order": {"begin": {"limits": {}, "peers": [], "storage": []}}},
        });
        let forged = nkeys::KeyPair::new_account();
        let text = plan.to_string();
        let signature = base64::Engine::encode(
            &base64::engine::general_purpose::STANDARD,
            forged.sign(text.as_bytes()).unwrap(),
        );
        let signed = serde_json::json!({"plan": text, "signature": signature}).to_string();
        let mut said = bus.subscribe("fw.test.said.db1").await.unwrap();
        bus.publish("fw.test.plan.db1", zstd::encode_all(signed.as_bytes(), 3).unwrap().into())
            .await
            .unwrap();
        bus.publish("fw.test.plan.db1", "rubbish".into()).await.unwrap();
        bus.flush().await.unwrap();
        let answer = tokio::time::timeout(Duration::from_secs(2), said.next()).await;
        assert!(answer.is_err(), "it began a round: {answer:?}");
    });
    let said = place.said("db1");
    assert!(said.contains("a plan is not obeyed: it is not signed by this estate's coordinator"), "{said}");
}

#[test]
fn a_host_that_is_removed_is_not_let_in_again() {
    let mut place = given!(Place::new(2));
    place.agent(0);
    wait_for("the agent is connected", Duration::from_secs(60), || place.said("db1").contains("connected"));
    // Four at once: none forgets the others.
    let enrol = |name: &str, file: &str| {
        let mut command = place.desk.command();
        command.args(["estate", "enrol", name, "--dir", "estate", "--output", file]);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap()
    };
    let all: Vec<_> =
        ["p1", "p2", "p3", "p4"].map(|name| enrol(name, &format!("{name}.json"))).into_iter().collect();
    for mut one in all {
        assert!(one.wait().unwrap().success());
    }
    let known = std::fs::read_to_string(place.path("estate/estate.json")).unwrap();
    assert!(["p1", "p2", "p3", "p4"].iter().all(|name| known.contains(&format!("\"{name}\""))), "{known}");
    // It has a newer credential by now, and the older one counts until the host is removed.
    let again = place.desk.run(&["estate", "enrol", "db1", "--dir", "estate", "--output", "again.json"]);
    assert!(
        crate::tool::stderr(&again).contains("takes back all of them"),
        "{}",
        crate::tool::stderr(&again)
    );
    // A token is revoked when it is older than the revocation: by the second.
    std::thread::sleep(Duration::from_millis(1100));
    let removed = place.desk.run(&["estate", "remove", "db1", "--dir", "estate"]);
    assert!(removed.status.success(), "{}", crate::tool::stderr(&removed));
    let config = place.path("estate/nats-server.conf");
    let text = std::fs::read_to_string(&config).unwrap();
    let store = place.path("jetstream").display().to_string();
    std::fs::write(&config, text.replace("\"jetstream\"", &format!("\"{store}\""))).unwrap();
    place.nats.reload();
    wait_for("the agent is told", Duration::from_secs(60), || {
        place.said("db1").contains("refuses the credential")
    });
    place.agent(1);
    wait_for("the other is let in", Duration::from_secs(60), || place.said("db2").contains("connected"));
}

/// The coordinator's own connection to JetStream.
async fn jetstream(place: &Place) -> async_nats::jetstream::Context {
    async_nats::jetstream::new(connect(place, "estate/coordinator.json").await.0)
}

/// Lets the stream of results take at most this.
pub(super) fn shrink_stream(place: &Place, bytes: i64) {
    runtime().block_on(async {
        let jetstream = jetstream(place).await;
        let stream = jetstream.get_stream("fw_test_results").await.unwrap();
        let mut config = stream.cached_info().config.clone();
        config.max_bytes = bytes;
        jetstream.update_stream(config).await.unwrap();
    });
}

/// Whether the stream of results is there: what is said before is lost, as a word is.
pub(super) fn has_stream(place: &Place) -> bool {
    runtime().block_on(async { jetstream(place).await.get_stream("fw_test_results").await.is_ok() })
}

/// Copies of the stream of results that are up to date; `None`: it is not there.
pub(super) fn stream_replicas(place: &Place) -> Option<usize> {
    runtime().block_on(async {
        let stream = jetstream(place).await.get_stream("fw_test_results").await.ok()?;
        let cluster = stream.cached_info().cluster.clone()?;
        Some(1 + cluster.replicas.iter().filter(|one| one.current).count())
    })
}

/// More than a server keeps for one who does not hear it.
const FLOOD_BYTES: usize = 200 << 20;

/// Says words of one byte as fast as the server takes them.
fn flood(place: &Place, over: &AtomicBool, sent: &AtomicUsize) {
    let held = credential(place, "db2.json");
    let mut server =
        TcpStream::connect(held["servers"][0].as_str().unwrap().trim_start_matches("nats://")).unwrap();
    let mut greeting = String::new();
    BufReader::new(&server).read_line(&mut greeting).unwrap();
    let greeting: Value = serde_json::from_str(greeting.trim_start_matches("INFO ")).unwrap();
    let key = nkeys::KeyPair::from_seed(held["seed"].as_str().unwrap()).unwrap();
    let signature = key.sign(greeting["nonce"].as_str().unwrap().as_bytes()).unwrap();
    let signature = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(signature);
    let connect = serde_json::json!({"verbose": false, "jwt": held["jwt"], "sig": signature});
    write!(server, "CONNECT {connect}\r\n").unwrap();
    let words = "PUB fw.test.said.db2 1\r\nx\r\n".repeat(10_000);
    while !over.load(Ordering::Relaxed) {
        server.write_all(words.as_bytes()).unwrap();
        sent.fetch_add(words.len(), Ordering::Relaxed);
    }
}

/// Small words without end, of a host that may say them: what another host measured is kept meanwhile, and answered.
#[test]
fn a_host_that_floods_the_coordinator_with_words_keeps_no_result_from_coming() {
    let mut place = given!(Place::new(2));
    place.coordinate(&["--every", "9999h", "--gather", "9999h"]);
    wait_for("there is a stream", SOON, || has_stream(&place));
    let (place, over, sent) = (&place, AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| flood(place, &over, &sent));
        wait_for("more waits than is heard", SOON, || sent.load(Ordering::Relaxed) > FLOOD_BYTES);
        let answered = runtime().block_on(async {
            let (honest, _) = connect(place, "db1.json").await;
            let mut plans = honest.subscribe("fw.test.plan.db1").await.unwrap();
            let run = packed(&delivery("of-db1", "db1", jiff::Timestamp::now()));
            honest.publish("fw.test.result.db1", run.into()).await.unwrap();
            honest.flush().await.unwrap();
            tokio::time::timeout(Duration::from_secs(10), plans.next()).await
        });
        over.store(true, Ordering::Relaxed);
        assert!(matches!(answered, Ok(Some(_))), "no receipt came");
        assert_eq!(place.kept_runs(), ["of-db1"]);
    });
}
