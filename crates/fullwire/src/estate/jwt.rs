//! What the NATS server lets each member do, as tokens that are signed offline: the server knows the operator's key and
//! the estate's account alone, so that taking a host in changes nothing on it.
//!
//! The form is NATS' own (docs.nats.io, "JWT": claims of version 2, header `ed25519-nkey`).

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use fullwire_mesh::estate::Subjects;
use jiff::Timestamp;
use nkeys::KeyPair;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The operator's own token.
pub(super) fn operator(name: &str, system: &KeyPair, operator: &KeyPair) -> Result<String> {
    let nats = json!({"type": "operator", "version": 2, "system_account": system.public_key()});
    sign(name, &operator.public_key(), None, &nats, operator)
}

/// An account's token. A key in `revoked` is refused if its token is older than the given time.
pub(super) fn account(
    name: &str,
    account: &KeyPair,
    revoked: &BTreeMap<String, i64>,
    jetstream: bool,
    operator: &KeyPair,
) -> Result<String> {
    let storage = if jetstream { -1 } else { 0 };
    let nats = json!({
        "type": "account",
        "version": 2,
        "limits": {
            "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1,
            "leaf": -1, "mem_storage": storage, "disk_storage": storage, "streams": storage, "consumer": storage,
        },
        "revocations": revoked,
        "default_permissions": {"pub": {}, "sub": {}},
    });
    sign(name, &account.public_key(), None, &nats, operator)
}

/// A host hears two subjects. Each subscription takes a kilobyte of every server of a cluster (nats-server 2.15: a million of them
/// 1.8 GB), and without a limit a host may have as many as it likes.
const MOST_SUBSCRIPTIONS: i64 = 8;

/// A host's token: it speaks for itself, and hears what is said to it.
pub(super) fn host(
    subjects: &Subjects,
    name: &str,
    key: &str,
    expires: Option<Timestamp>,
    account: &KeyPair,
) -> Result<String> {
    let say = [subjects.here(name), subjects.said(name), subjects.result(name)];
    let hear = [subjects.plan(name), subjects.call()];
    sign(name, key, expires, &user(&say, &hear, MOST_SUBSCRIPTIONS), account)
}

/// The coordinator's token.
pub(super) fn coordinator(subjects: &Subjects, key: &str, account: &KeyPair) -> Result<String> {
    let say = [subjects.all("plan"), subjects.call(), "$JS.API.>".into(), "$JS.ACK.>".into()];
    let hear = [subjects.all("here"), subjects.all("said"), format!("{}.>", subjects.inbox("coordinator"))];
    sign("coordinator", key, None, &user(&say, &hear, -1), account)
}

fn user(say: &[String], hear: &[String], subscriptions: i64) -> Value {
    json!({
        "type": "user", "version": 2, "pub": {"allow": say}, "sub": {"allow": hear},
        "subs": subscriptions, "data": -1, "payload": -1,
    })
}

fn sign(name: &str, subject: &str, expires: Option<Timestamp>, nats: &Value, by: &KeyPair) -> Result<String> {
    let mut claims = json!({
        "jti": crate::session::new_id(),
        "iat": Timestamp::now().as_second(),
        "iss": by.public_key(),
        "name": name,
        "sub": subject,
        "nats": nats,
    });
    if let Some(expires) = expires {
        claims["exp"] = expires.as_second().into();
    }
    let head = BASE64.encode(r#"{"typ":"JWT","alg":"ed25519-nkey"}"#);
    let text = format!("{head}.{}", BASE64.encode(claims.to_string()));
    let signature = by.sign(text.as_bytes()).map_err(|error| anyhow::anyhow!("sign a token: {error}"))?;
    Ok(format!("{text}.{}", BASE64.encode(signature)))
}

/// When a token ends; `None`: never.
pub(super) fn expires(jwt: &str) -> Result<Option<Timestamp>> {
    let claims = jwt.split('.').nth(1).context("the token has no claims")?;
    let claims: Value = serde_json::from_slice(&BASE64.decode(claims).context("read the token")?)?;
    claims["exp"].as_i64().map(|second| Timestamp::from_second(second).context("read the token")).transpose()
}
