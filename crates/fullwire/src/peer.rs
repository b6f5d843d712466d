//! A peer as the user wrote it: its name, its port, its key, its addresses.

use crate::cli::KeyArgs;
use crate::responder;
use anyhow::{Context, Result, bail};
use fullwire_probe::net::{ConnectOptions, DEFAULT_PORT};
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// `HOST`, `HOST:PORT`, `[IPV6]:PORT`, a bare IPv6 address: host and port apart.
pub(crate) fn split(target: &str) -> (String, u16) {
    if let Ok(address) = target.parse::<SocketAddr>() {
        return (address.ip().to_string(), address.port());
    }
    let bare = target.trim_start_matches('[').trim_end_matches(']');
    if bare.parse::<IpAddr>().is_ok() {
        return (bare.to_owned(), DEFAULT_PORT);
    }
    match target.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?))) {
        Some((host, port)) => (host.to_owned(), port),
        None => (target.to_owned(), DEFAULT_PORT),
    }
}

/// The addresses of a target, as the resolver orders them.
pub(crate) fn addresses(target: &str) -> Result<Vec<IpAddr>> {
    let (host, port) = split(target);
    let found = (host.as_str(), port).to_socket_addrs().with_context(|| format!("resolve {host}"))?;
    Ok(found.map(|address| address.ip()).collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_of_every_form() {
        let cases = [
            ("standby", "standby", 5555),
            ("standby:1521", "standby", 1521),
            ("10.0.0.2:7", "10.0.0.2", 7),
            ("fe80::1", "fe80::1", 5555),
            ("[fe80::1]:9", "fe80::1", 9),
            ("[fe80::1]", "fe80::1", 5555),
        ];
        for (target, host, port) in cases {
            assert_eq!(split(target), (host.to_owned(), port), "{target}");
        }
    }
}
