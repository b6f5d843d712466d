//! The files that members of an estate hold: who they are on the bus, and whose plans count.

use anyhow::{Context, Result, bail};
use nkeys::KeyPair;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// A credential is some kilobytes.
const FILE_BYTES: u64 = 1 << 20;

/// What an agent or a coordinator needs on the bus.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Credential {
    /// Which estate.
    pub(super) estate: String,
    /// The host's name, or `coordinator`.
    pub(super) member: String,
    /// `nats://HOST:PORT` or `tls://HOST:PORT`, any of them.
    pub(super) servers: Vec<String>,
    /// Certificates of who signed the servers', PEM; empty: the system's.
    pub(super) ca_pem: String,
    /// What the server lets this member do, signed by the estate's account.
    pub(super) jwt: String,
    /// The member's own key.
    pub(super) seed: String,
    /// Plans count when this key signed them.
    pub(super) plan_key: String,
    /// The host's addresses, where they were given: network to address.
    #[serde(default)]
    pub(super) addresses: std::collections::BTreeMap<String, String>,
    /// A bus in clear beyond loopback was asked for.
    #[serde(default)]
    pub(super) insecure: bool,
}

/// What a coordinator needs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Coordinator {
    /// On the bus.
    pub(super) credential: Credential,
    /// Signs plans.
    pub(super) plan_seed: String,
    /// The shared store, without a password.
    pub(super) database: String,
    /// Copies of the stream of results, on as many servers.
    #[serde(default = "one")]
    pub(super) replicas: usize,
}

fn one() -> usize {
    1
}

/// What the operator keeps: anyone who has it can enrol hosts.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "whose seed it is")]
pub(super) struct Operator {
    /// Which estate.
    pub(super) estate: String,
    /// Where the servers are.
    pub(super) servers: Vec<String>,
    /// As [`Credential::ca_pem`].
    pub(super) ca_pem: String,
    /// The shared store, without a password.
    pub(super) database: String,
    /// Signs the accounts.
    pub(super) operator_seed: String,
    /// The operator's own token: a server that runs takes no other one, however alike.
    pub(super) operator_jwt: String,
    /// Signs the members.
    pub(super) account_seed: String,
    /// JetStream wants its own account: its key and its token.
    pub(super) system_key: String,
    /// See there.
    pub(super) system_jwt: String,
    /// Signs plans.
    pub(super) plan_seed: String,
    /// Keys that count no longer, with the time of that in s since 1970.
    pub(super) revoked: std::collections::BTreeMap<String, i64>,
    /// The keys of each host: all that it was ever given.
    pub(super) hosts: std::collections::BTreeMap<String, Vec<String>>,
    /// What the server's configuration is made from.
    pub(super) server: Server,
    /// A bus in clear beyond loopback was asked for.
    #[serde(default)]
    pub(super) insecure: bool,
}

/// What the server's configuration is made from.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Server {
    /// `ADDRESS:PORT`.
    pub(super) listen: String,
    /// Where JetStream keeps its files.
    pub(super) store_dir: String,
    /// Certificate and key, where TLS is spoken.
    pub(super) tls: Option<(String, String)>,
    /// File of who signed the certificates, for servers that know each other by them.
    #[serde(default)]
    pub(super) tls_ca: Option<String>,
    /// Servers of a cluster know each other by it.
    #[serde(default)]
    pub(super) cluster_password: String,
}

/// Reads a file of ours. One that others can read has lost its point.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let shown = path.display();
    let meta = std::fs::metadata(path).with_context(|| format!("read the credential {shown}"))?;
    if meta.permissions().mode() & 0o077 != 0 {
        bail!("the credential {shown} can be read by others: chmod 600 {shown}");
    }
    if meta.len() > FILE_BYTES {
        bail!("{shown}: {} bytes are no credential", meta.len());
    }
    let text = std::fs::read(path).with_context(|| format!("read the credential {shown}"))?;
    // What is wrong with it may be a part of it.
    let Ok(value) = serde_json::from_slice(&text) else {
        bail!("{shown} is no credential of this kind; `fullwire estate enrol` and `estate up` write them");
    };
    Ok(value)
}

/// The key of a seed.
pub(super) fn key(seed: &str) -> Result<KeyPair> {
    KeyPair::from_seed(seed).map_err(|error| anyhow::anyhow!("a key of the credential is damaged: {error}"))
}

/// A new key as its seed.
pub(super) fn seed(pair: &KeyPair) -> Result<String> {
    pair.seed().map_err(|error| anyhow::anyhow!("make a key: {error}"))
}
