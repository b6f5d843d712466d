//! A whole estate on loopback: PostgreSQL, nats-server, agents that each have their own address.

use crate::servers::{Nats, Postgres, free_port, nats_server};
use crate::tool::{Desk, Running, stderr};
use fullwire_store::{Filter, Store};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

pub(super) struct Place {
    // Ended before what they speak to.
    pub(super) agents: Vec<Option<Running>>,
    pub(super) coordinator: Option<Running>,
    pub(super) nats: Nats,
    pub(super) postgres: Postgres,
    pub(super) desk: Desk,
    /// More words for each agent.
    pub(super) limits: Vec<Vec<String>>,
}

impl Place {
    /// Sets one up with this many hosts, `db1` on 127.0.0.11 and so on, none of which runs yet. `None`: a server is
    /// missing here.
    pub(super) fn new(hosts: usize) -> Option<Self> {
        nats_server()?;
        let postgres = Postgres::start(true)?;
        let desk = Desk::new();
        let port = free_port();
        let url = format!("nats://127.0.0.1:{port}");
        let listen = format!("127.0.0.1:{port}");
        let up = desk.run(&[
            "estate",
            "up",
            "--name",
            "test",
            "--dir",
            "estate",
            "--jetstream",
            "jetstream",
            "--database",
            &postgres.url(),
            "--server",
            &url,
            "--listen",
            &listen,
        ]);
        assert!(up.status.success(), "{}", stderr(&up));
        for host in 1..=hosts {
            let (name, address) = (format!("db{host}"), format!("127.0.0.{}", host + 10));
            let enrolled = desk.run(&["estate", "enrol", &name, "--dir", "estate", "--address", &address]);
            assert!(enrolled.status.success(), "{}", stderr(&enrolled));
        }
        let config = desk.work.path().join("estate/nats-server.conf");
        // The server runs where the test does: its store is named from there.
        let text = std::fs::read_to_string(&config).unwrap();
        let store = desk.work.path().join("jetstream");
        std::fs::write(&config, text.replace("\"jetstream\"", &format!("\"{}\"", store.display()))).unwrap();
        let nats = Nats::start(&config, port);
        let agents = (0..hosts).map(|_| None).collect();
        Some(Self { agents, coordinator: None, nats, postgres, desk, limits: vec![Vec::new(); hosts] })
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
        let own =
            ["coordinator", "--credential", "estate/coordinator.json", "--once", "--gather", "3s", "--json"];
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
