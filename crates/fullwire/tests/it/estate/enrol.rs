//! `fullwire estate enrol --ssh` on a machine of its own, once with its own systemd, once without one.

use super::place::{Bus, Place};
use crate::network::machine::{Machine, SOON, slim};
use crate::servers::wait_for;
use crate::skips::given;
use crate::tool::{Running, json, stderr, stdout};
use std::process::Stdio;

/// Enrols the machine as `db2`, in one command; what it said.
fn enrol(place: &Place, machine: &Machine) -> String {
    let mut command = place.desk.program(slim(place.desk.work.path()));
    let target = format!("root@{}", machine.address);
    command
        .args(["estate", "enrol", "db2", "--dir", "estate", "--ssh", &target, "--address", &machine.address]);
    let output = command.env("PATH", machine.path()).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    stderr(&output)
}

/// This machine as `db1`.
fn near(place: &Place, number: u8) -> Running {
    let address = format!("10.79.{number}.1");
    let enrolled = place.desk.run(&["estate", "enrol", "db1", "--dir", "estate", "--address", &address]);
    assert!(enrolled.status.success(), "{}", stderr(&enrolled));
    let listen = format!("{address}:0");
    let mut command = place.desk.command();
    command.args(["agent", "--credential", "db1.json", "--store", "db1.db", "--listen", &listen]);
    Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

/// A round over both measures both ways.
fn measures(place: &Place) {
    let round = place.once(&["--duration", "1s", "--max-rate", "20MB"]);
    let round = json(&round);
    let cells = round["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 2, "{round:#}");
    assert!(cells.iter().all(|cell| cell["state"] == "measured"), "{:#}", round["cells"]);
    assert_eq!(round["hosts"][1]["version"], env!("CARGO_PKG_VERSION"));
}

/// An audit and a measurement of storage in the agent's own unit, and the same by the same user outside of it.
const BOTH_WAYS: &str = r#"
set -eu
cd /var/lib/fullwire/agent
check="/usr/bin/fullwire check --window 300ms --no-store --quiet --fail-on never --json-file"
disk="/usr/bin/fullwire disk /var/lib/fullwire/agent --duration 300ms --size 16M --no-store --quiet --fail-on never --json-file"
for what in check disk; do
    eval "words=\$$what"
    sed -e "s|^ExecStart=.*|ExecStart=$words /var/lib/fullwire/agent/$what-in.json|" -e s/^Type=.*/Type=oneshot/ -e /^Restart/d \
        /etc/systemd/system/fullwire-agent.service >/run/systemd/system/both-ways.service
    systemctl daemon-reload
    systemctl start both-ways.service
    setpriv --reuid=fullwire --regid=fullwire --clear-groups $words /var/lib/fullwire/agent/$what-out.json >/dev/null
    cat $what-in.json
    echo
    echo ---
    cat $what-out.json
    echo
    echo ---
done
"#;

fn the_sandbox_hides_nothing(machine: &Machine) {
    let both = machine.ssh(BOTH_WAYS);
    let journal = || stdout(&machine.ssh("journalctl --no-pager -u both-ways"));
    assert!(both.status.success(), "{}{}", stderr(&both), journal());
    let documents: Vec<serde_json::Value> = stdout(&both)
        .split("\n---\n")
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(|text| serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}")))
        .collect();
    assert_eq!(documents.len(), 4);
    // Processes come and go: their numbers are no difference.
    let gaps = |document: &serde_json::Value| -> std::collections::BTreeSet<String> {
        let gaps = document["gaps"].as_array().unwrap().iter();
        let bare = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
        gaps.map(|gap| bare(&format!("{} {}", gap["subject"], gap["reason"]))).collect()
    };
    // Outside of the unit the kernel answers, or this would compare a refusal with a refusal.
    let synchronised = |document: &serde_json::Value| document["host"]["clock"]["synchronised"].clone();
    assert!(synchronised(&documents[1]).is_boolean(), "{}", documents[1]["host"]["clock"]);
    assert_eq!(synchronised(&documents[0]), synchronised(&documents[1]));
    for pair in documents.chunks(2) {
        let (inside, outside) = (gaps(&pair[0]), gaps(&pair[1]));
        let more: Vec<&String> = inside.difference(&outside).collect();
        assert!(more.is_empty(), "only in the unit: {more:#?}");
    }
    let engine = |document: &serde_json::Value| document["steps"][0]["engine"].clone();
    assert_eq!(engine(&documents[2]), engine(&documents[3]));
    assert!(documents[2]["steps"][0]["ios"].as_u64() > Some(0));
}

#[test]
fn one_command_installs_and_starts_the_agent_of_a_machine_with_systemd() {
    let mut place = given!(Place::with(0, &Bus { address: "10.79.1.1", ..Bus::default() }));
    place.gather = "8s";
    let machine = given!(Machine::begin(place.desk.work.path(), 1, true));
    let said = enrol(&place, &machine);
    assert!(!said.contains("does not run systemd"), "{said}");
    let state = machine.ssh("systemctl is-active fullwire-agent; systemctl is-enabled fullwire-agent; stat -c %a /etc/fullwire/agent.json");
    let journal =
        || stdout(&machine.ssh("journalctl --no-pager -u fullwire-agent; systemctl status fullwire-agent"));
    assert_eq!(stdout(&state), "active\nenabled\n600\n", "{}", journal());
    let owner = machine.ssh("ps -o user= -C fullwire | sort -u; stat -c %U /etc/fullwire/agent.json");
    assert_eq!(stdout(&owner), "fullwire\nfullwire\n");
    let _near = near(&place, 1);
    measures(&place);
    the_sandbox_hides_nothing(&machine);
    // Doing it again brings a new credential, and the agent runs with it.
    let said = enrol(&place, &machine);
    assert!(said.contains("had a credential before"), "{said}");
    measures(&place);
}

#[test]
fn a_machine_without_systemd_has_all_and_says_how_the_agent_is_started() {
    let mut place = given!(Place::with(0, &Bus { address: "10.79.2.1", ..Bus::default() }));
    place.gather = "8s";
    let machine = given!(Machine::begin(place.desk.work.path(), 2, false));
    let said = enrol(&place, &machine);
    let command = said.lines().find_map(|line| line.split_once("at each boot: ")).map(|(_, command)| command);
    let command = command.unwrap_or_else(|| panic!("{said}"));
    let started = machine.ssh(&format!("setsid {command} </dev/null >/var/log/agent.log 2>&1 &"));
    assert!(started.status.success(), "{}", stderr(&started));
    let log = || stdout(&machine.ssh("cat /var/log/agent.log"));
    wait_for("the agent is connected", SOON, || log().contains("connected"));
    let _near = near(&place, 2);
    measures(&place);
}
