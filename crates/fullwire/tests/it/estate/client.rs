//! Connections to the bus with someone's credential.

use super::place::Place;
use serde_json::Value;
use std::sync::{Arc, Mutex};

/// What is in a credential's file, a host's or the coordinator's.
pub(super) fn credential(place: &Place, file: &str) -> Value {
    let held: Value = serde_json::from_str(&std::fs::read_to_string(place.path(file)).unwrap()).unwrap();
    if held["jwt"].is_null() { held["credential"].clone() } else { held }
}

/// How its holder connects: by the key's signature, with replies to an inbox of its own.
pub(super) fn options(credential: &Value) -> async_nats::ConnectOptions {
    let word = |name: &str| credential[name].as_str().unwrap().to_owned();
    let key = Arc::new(nkeys::KeyPair::from_seed(&word("seed")).unwrap());
    let options = async_nats::ConnectOptions::with_jwt(word("jwt"), move |nonce| {
        let key = Arc::clone(&key);
        async move { key.sign(&nonce).map_err(async_nats::AuthError::new) }
    });
    options.custom_inbox_prefix(format!("_INBOX_test_{}", word("member")))
}

/// A connection with the credential of a file, and what the server says against it.
pub(super) async fn connect(place: &Place, file: &str) -> (async_nats::Client, Arc<Mutex<Vec<String>>>) {
    let credential = credential(place, file);
    let said = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&said);
    let mut options = options(&credential).event_callback(move |event| {
        heard.lock().unwrap().push(event.to_string());
        async {}
    });
    if credential["ca_pem"].as_str().is_some_and(|authority| !authority.is_empty()) {
        options = options.add_root_certificates(place.path("ca.pem"));
    }
    (options.connect(credential["servers"][0].as_str().unwrap()).await.unwrap(), said)
}

pub(super) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}
