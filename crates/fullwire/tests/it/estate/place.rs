//! A whole estate on loopback: PostgreSQL, nats-server, agents that each have their own address.

use crate::ports::free_port;
use crate::servers::{Nats, Postgres, nats_server};
use crate::tool::{Desk, Running, stderr};
use fullwire_store::{Filter, Store};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// How the bus of an estate is made.
pub(super) struct Bus {
    /// More than one: a cluster.
    pub(super) servers: usize,
    pub(super) tls: bool,
    /// Where agents find it.
    pub(super) address: &'static str,
}

impl Default for Bus {
    fn default() -> Self {
        Self { servers: 1, tls: false, address: "127.0.0.1" }
    }
}

pub(super) struct Place {
    // Ended before what they speak to.
    pub(super) agents: Vec<Option<Running>>,
    pub(super) coordinator: Option<Running>,
    pub(super) nats: Nats,
    /// The other servers of a cluster.
    pub(super) more: Vec<Nats>,
    pub(super) postgres: Postgres,
    pub(super) desk: Desk,
    /// How long one round waits for agents.
    pub(super) gather: &'static str,
    /// More words for each agent.
    pub(super) limits: Vec<Vec<String>>,
}

impl Place {
    /// Sets one up with this many hosts, `db1` on 127.0.0.11 and so on, none of which runs yet. `None`: a server is
    /// missing here.
    pub(super) fn new(hosts: usize) -> Option<Self> {
        Self::with(hosts, &Bus::default())
    }

    /// The same over another bus.
    pub(super) fn with(hosts: usize, bus: &Bus) -> Option<Self> {
        nats_server()?;
        let postgres = Postgres::start(true)?;
        let desk = Desk::new();
        let ports: Vec<u16> = (0..bus.servers).map(|_| free_port()).collect();
        let scheme = if bus.tls { "tls" } else { "nats" };
        let url = postgres.url();
        let everywhere = if bus.address == "127.0.0.1" { "127.0.0.1" } else { "0.0.0.0" };
        let listen = format!("{everywhere}:{}", ports[0]);
        let mut words =
            ["estate", "up", "--name", "test", "--dir", "estate", "--jetstream", "jetstream"].to_vec();
        words.extend(["--database", &url, "--listen", &listen]);
        let servers: Vec<String> =
            ports.iter().map(|port| format!("{scheme}://{}:{port}", bus.address)).collect();
        words.extend(servers.iter().flat_map(|server| ["--server", server]));
        if bus.tls {
            certificates(desk.work.path(), "ca", bus.address);
            let folder = desk.work.path().display().to_string();
            let files = ["cert.pem", "key.pem", "ca.pem"].map(|name| format!("{folder}/{name}"));
            let up = desk.run(
                &[
                    words.as_slice(),
                    &["--tls-cert", &files[0], "--tls-key", &files[1], "--tls-ca", &files[2]],
                ]
                .concat(),
            );
            assert!(up.status.success(), "{}", stderr(&up));
        } else {
            if bus.address != "127.0.0.1" {
                words.push("--insecure");
            }
            let up = desk.run(&words);
            assert!(up.status.success(), "{}", stderr(&up));
        }
        for host in 1..=hosts {
            let (name, address) = (format!("db{host}"), format!("127.0.0.{}", host + 10));
            let enrolled = desk.run(&["estate", "enrol", &name, "--dir", "estate", "--address", &address]);
            assert!(enrolled.status.success(), "{}", stderr(&enrolled));
        }
        let started = ports.iter().enumerate().map(|(index, &port)| {
            let number = if bus.servers > 1 { format!("-{}", index + 1) } else { String::new() };
            let config = desk.work.path().join(format!("estate/nats-server{number}.conf"));
            // The server runs where the test does: its store is named from there.
            let text = std::fs::read_to_string(&config).unwrap();
            let store = desk.work.path().join(format!("jetstream{number}"));
            std::fs::write(&config, text.replace("\"jetstream\"", &format!("\"{}\"", store.display())))
                .unwrap();
            Nats::start(&config, port)
        });
        let mut started: Vec<Nats> = started.collect();
        let nats = started.remove(0);
        let agents = (0..hosts).map(|_| None).collect();
        let limits = vec![Vec::new(); hosts];
        Some(Self { agents, coordinator: None, nats, more: started, postgres, desk, gather: "3s", limits })
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.desk.work.path().join(name)
    }

    /// Starts the agent of a host, or starts it again.
    pub(super) fn agent(&mut self, host: usize) {
        let name = format!("db{}", host + 1);
        self.agents[host] = None;
        let log = std::fs::File::options()
            .create(true)
            .append(true)
            .open(self.path(&format!("{name}.log")))
            .unwrap();
        let mut command = self.desk.command();
        command
            .args(["agent", "--credential", &format!("{name}.json"), "--store", &format!("{name}.db")])
            .args(["--listen", &format!("127.0.0.{}:0", host + 11)])
            .args(&self.limits[host])
            .stdout(Stdio::null())
            .stderr(log);
        self.agents[host] = Some(Running(command.spawn().unwrap()));
    }

    pub(super) fn all_agents(&mut self) {
        (0..self.agents.len()).for_each(|host| self.agent(host));
    }

    /// What an agent said on stderr.
    pub(super) fn said(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(&format!("{name}.log"))).unwrap_or_default()
    }

    /// Starts the coordinator, or starts it again.
    pub(super) fn coordinate(&mut self, words: &[&str]) {
        self.coordinator = None;
        let log =
            std::fs::File::options().create(true).append(true).open(self.path("coordinator.log")).unwrap();
        let mut command = self.desk.command();
        command.args(["coordinator", "--credential", "estate/coordinator.json"]).args(words);
        command.stdout(Stdio::null()).stderr(log);
        self.coordinator = Some(Running(command.spawn().unwrap()));
    }

    /// One round, now.
    pub(super) fn once(&self, words: &[&str]) -> Output {
        self.once_command(words).output().unwrap()
    }

    pub(super) fn once_command(&self, words: &[&str]) -> Command {
        let own = [
            "coordinator", "--credential", "estate/coordinator.json", "--once", "--gather", self.gather,
            "--json",
        ];
        let mut command = self.desk.command();
        command.args(own).args(words);
        command
    }

    pub(super) fn status(&self) -> Value {
        self.desk.json(&["estate", "status", "--dir", "estate", "--json"])
    }

    /// Ids of the runs that a host's own store has, and how many of them it still owes.
    pub(super) fn own_runs(&self, host: usize) -> (BTreeSet<String>, u64) {
        let file = self.path(&format!("db{}.db", host + 1));
        let Ok(store) = Store::open_existing(file) else { return (BTreeSet::new(), 0) };
        let runs = store.history(&Filter::default()).unwrap();
        (runs.into_iter().map(|entry| entry.run_id).collect(), store.count_owed().unwrap())
    }

    /// Ids of all runs that PostgreSQL has, each as often as it has it.
    pub(super) fn kept_runs(&self) -> Vec<String> {
        let answer = self.postgres.ask("select run_id from fullwire.run order by run_id");
        answer.lines().map(str::to_owned).collect()
    }

    /// Nothing is owed any more, on any host.
    pub(super) fn all_settled(&self) -> bool {
        (0..self.agents.len()).all(|host| self.own_runs(host).1 == 0)
    }

    /// What every host completed is in PostgreSQL, each once, and nothing else is.
    pub(super) fn check_each_once(&self) -> usize {
        let mut completed = BTreeSet::new();
        for host in 0..self.agents.len() {
            completed.extend(self.own_runs(host).0);
        }
        let kept = self.kept_runs();
        let distinct: BTreeSet<String> = kept.iter().cloned().collect();
        assert_eq!(kept.len(), distinct.len(), "a run is kept twice");
        assert_eq!(distinct, completed);
        kept.len()
    }
}

/// An authority's certificate in `NAME.pem`, and one for this address that it signed in `cert.pem` and `key.pem`.
pub(super) fn certificates(folder: &Path, authority: &str, address: &str) {
    let openssl = |words: &str| {
        let output = Command::new("openssl").current_dir(folder).args(words.split(' ')).output().unwrap();
        assert!(output.status.success(), "{words}: {}", stderr(&output));
    };
    let curve = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
    openssl(&format!("req -x509 {curve} -subj /CN={authority} -keyout {authority}.key -out {authority}.pem"));
    openssl(&format!("req {curve} -subj /CN=nats -keyout key.pem -out request.pem"));
    std::fs::write(folder.join("names"), format!("subjectAltName=IP:{address}\n")).unwrap();
    openssl(&format!(
        "x509 -req -in request.pem -CA {authority}.pem -CAkey {authority}.key -CAcreateserial -days 2 -extfile names \
         -out cert.pem"
    ));
}
