//! Where both ends of a measurement run: on this host's loopback, or in two namespaces with a cable between them.

use super::process::{installed, output};
use anyhow::{Result, bail};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Where both ends run: the words before each command, and the server's address.
pub(super) struct Place {
    pub(super) name: &'static str,
    server: Vec<String>,
    client: Vec<String>,
    pub(super) address: &'static str,
}

impl Place {
    pub(super) fn loopback() -> Self {
        Self { name: "loopback", server: Vec::new(), client: Vec::new(), address: "127.0.0.1" }
    }

    pub(super) fn server(&self, program: impl AsRef<Path>) -> Command {
        prefixed(&self.server, program.as_ref())
    }

    pub(super) fn client(&self, program: impl AsRef<Path>) -> Command {
        prefixed(&self.client, program.as_ref())
    }

    pub(super) fn listen(&self) -> String {
        format!("{}:0", self.address)
    }
}

fn prefixed(prefix: &[String], program: &Path) -> Command {
    let Some((first, rest)) = prefix.split_first() else { return Command::new(program) };
    let mut command = Command::new(first);
    command.args(rest).arg(program);
    command
}

/// Two network namespaces and the link between them, gone when this is dropped.
pub(super) struct VethPair {
    namespaces: [String; 2],
}

const SERVER_ADDRESS: &str = "10.198.51.1";
const CLIENT_ADDRESS: &str = "10.198.51.2";

impl VethPair {
    pub(super) fn make() -> Result<Self> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        if !installed("ip") {
            bail!("ip (iproute2) is not installed");
        }
        let id = format!("{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let pair = Self { namespaces: [format!("fwbench{id}s"), format!("fwbench{id}c")] };
        let [server, client] = &pair.namespaces;
        for namespace in &pair.namespaces {
            ip(&["netns", "add", namespace])?;
        }
        let (here, there) = (["name", "veth0", "netns", server], ["peer", "name", "veth0", "netns", client]);
        ip(&[&["link", "add"], &here[..], &["type", "veth"], &there[..]].concat())?;
        for (namespace, address) in [(server, SERVER_ADDRESS), (client, CLIENT_ADDRESS)] {
            ip(&["-n", namespace, "address", "add", &format!("{address}/30"), "dev", "veth0"])?;
            // An additional address that comes up later would be a change of the host.
            ip(&["-n", namespace, "link", "set", "veth0", "addrgenmode", "none", "up"])?;
        }
        Ok(pair)
    }

    pub(super) fn place(&self) -> Place {
        let within = |namespace: &String| ["ip", "netns", "exec", namespace].map(str::to_owned).to_vec();
        let [server, client] = &self.namespaces;
        Place { name: "veth", server: within(server), client: within(client), address: SERVER_ADDRESS }
    }
}

impl VethPair {
    /// The namespace of the server.
    pub(super) fn server(&self) -> &str {
        &self.namespaces[0]
    }
}

impl Drop for VethPair {
    fn drop(&mut self) {
        for namespace in &self.namespaces {
            let _ = ip(&["netns", "delete", namespace]);
        }
    }
}

pub(super) fn ip(words: &[&str]) -> Result<()> {
    output(Command::new("ip").args(words)).map(drop)
}
