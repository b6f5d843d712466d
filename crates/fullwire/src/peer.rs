//! A peer as the user wrote it: its host, its key, its addresses.

use crate::cli::KeyArgs;
use crate::responder;
use anyhow::{Context, Result, bail};
use fullwire_probe::net::{self, ConnectOptions};
use std::net::IpAddr;
use std::path::Path;
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
        key: read_key(key)?,
        timeout,
        facts: true,
        own_facts: Some(responder::facts()?),
        stop: Some(Arc::clone(stop)),
    })
}

/// The key of `--key`, of the variable, or of the file's first line.
pub(crate) fn read_key(args: &KeyArgs) -> Result<Option<String>> {
    match (&args.key, &args.key_file) {
        (Some(key), _) => Ok(Some(key.clone())),
        (None, Some(path)) => key_of(path).map(Some),
        (None, None) => Ok(None),
    }
}

/// A new key: 128 random bits in base 32.
pub(crate) fn new_key() -> Result<String> {
    const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let mut random = [0_u8; 26];
    rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())
        .context("get random bytes")?;
    Ok(random.iter().map(|byte| char::from(DIGITS[usize::from(byte & 31)])).collect())
}

fn key_of(path: &Path) -> Result<String> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("read the key file {}", path.display()))?;
    let key = text.lines().next().unwrap_or("").trim();
    if key.is_empty() {
        bail!("the key file {} is empty: its first line is the key", path.display());
    }
    Ok(key.to_owned())
}
