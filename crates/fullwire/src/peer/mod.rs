//! A peer as the user wrote it: its host, its addresses, how to connect to it.

pub(crate) mod iperf;
pub(crate) mod key;
pub(crate) mod reached;
pub(crate) mod responder;

use crate::cli::KeyArgs;
use anyhow::Result;
use fullwire_probe::net::{self, ConnectOptions};
use key::given_key;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The host of a target; what is no target is left as it is.
pub(crate) fn host(target: &str) -> &str {
    net::split(target).map_or(target, |(host, _)| host)
}

/// The addresses of a target, as the resolver orders them.
pub(crate) fn addresses(target: &str) -> Result<Vec<IpAddr>> {
    Ok(net::resolve(target)?.into_iter().map(|address| address.ip()).collect())
}

/// How to reach a responder.
pub(crate) fn connect_options(
    key: &KeyArgs,
    timeout: Duration,
    stop: &Arc<AtomicBool>,
) -> Result<ConnectOptions> {
    Ok(ConnectOptions {
        key: given_key(key)?,
        timeout,
        facts: true,
        own_facts: Some(responder::facts()?),
        stop: Some(Arc::clone(stop)),
        allowance: None,
    })
}
