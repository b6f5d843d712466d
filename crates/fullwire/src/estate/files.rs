//! What `fullwire estate up` writes: the configuration of the servers.

use super::credential::{Operator, Server, key};
use super::jwt;
use super::link::{MOST_PAYLOAD, STREAM_BYTES};
use crate::output::write_file;
use crate::users;
use anyhow::{Context, Result, bail};
use fullwire_present::Printed;
use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, Uid, chownat, fstat, openat};
use std::fmt::Write as _;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

/// Where a NATS server listens when nothing else is said.
const PORT: u16 = 4222;
/// JetStream's share of the disk: the stream of results and room to spare.
const MOST_FILE: i64 = STREAM_BYTES + (64 << 20);

/// Where the servers of a cluster listen for each other: this far above their own port, as 6222 is above 4222.
const CLUSTER_PORT: u16 = 2000;
/// More copies of the stream protect from nothing more.
const MOST_REPLICAS: usize = 3;

/// The configurations of all servers, by file name; several servers are one cluster.
pub(super) fn servers(operator: &Operator) -> Result<Vec<(String, String)>> {
    let several = operator.servers.len() > 1;
    let numbers = 1..=operator.servers.len();
    let of = |number: usize| {
        let name = if several { format!("nats-server-{number}.conf") } else { "nats-server.conf".to_owned() };
        Ok((name, server(operator, number)?))
    };
    numbers.map(of).collect()
}

/// As many copies of the stream as can be had with a majority left when one server dies.
pub(super) fn replicas(servers: usize) -> usize {
    if servers < MOST_REPLICAS { 1 } else { MOST_REPLICAS }
}

/// Host and port of a server's address.
fn place(server: &str) -> Result<(&str, u16)> {
    let place = server.split_once("://").map_or(server, |(_, place)| place);
    match place.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => {
            Ok((host, port.parse().with_context(|| format!("{server}: expected a port number"))?))
        }
        _ => Ok((place, PORT)),
    }
}

/// What makes the servers one cluster: where each listens for the others, and where those are.
fn cluster(operator: &Operator, number: usize) -> Result<String> {
    let Server { listen, tls, tls_ca, cluster_password, .. } = &operator.server;
    let above =
        |port: u16| port.checked_add(CLUSTER_PORT).context("a port below 63536 is needed for a cluster");
    let mut routes = String::new();
    for (index, server) in operator.servers.iter().enumerate().filter(|(index, _)| index + 1 != number) {
        let (host, port) = place(server)?;
        let comma = if index + 1 < operator.servers.len() { "," } else { "" };
        let _ = writeln!(
            routes,
            "    \"nats-route://fullwire:{cluster_password}@{host}:{}\"{comma}",
            above(port)?
        );
    }
    let own = place(&operator.servers[number - 1])?.1;
    let address = listen.rsplit_once(':').map_or(listen.as_str(), |(address, _)| address);
    let mut text = format!(
        "cluster: {{\n  name: \"fullwire-{}\"\n  listen: \"{address}:{}\"\n  \
         authorization: {{ user: \"fullwire\", password: \"{cluster_password}\", timeout: 5 }}\n  \
         routes: [\n{routes}  ]\n",
        operator.estate,
        above(own)?,
    );
    if let Some((certificate, key)) = tls {
        let ca = tls_ca.as_ref().map(|ca| format!("\n    ca_file: \"{ca}\"")).unwrap_or_default();
        let _ = writeln!(
            text,
            "  tls: {{\n    cert_file: \"{certificate}\"\n    key_file: \"{key}\"{ca}\n    timeout: 5\n  }}"
        );
    }
    text.push_str("}\n");
    Ok(text)
}

/// The configuration of one server: it knows the operator and the account; members come with their own tokens.
fn server(operator: &Operator, number: usize) -> Result<String> {
    let (signer, account) = (key(&operator.operator_seed)?, key(&operator.account_seed)?);
    let Operator { estate, operator_jwt, system_key, system_jwt, .. } = operator;
    let account_jwt = jwt::account(estate, &account, &operator.revoked, true, &signer)?;
    let Server { listen, store_dir, tls, .. } = &operator.server;
    let several = operator.servers.len() > 1;
    let (name, where_to, listen) = if several {
        let address = listen.rsplit_once(':').map_or(listen.as_str(), |(address, _)| address);
        let own = &operator.servers[number - 1];
        (format!("{estate}-{number}"), format!(", for {own}"), format!("{address}:{}", place(own)?.1))
    } else {
        (estate.clone(), String::new(), listen.clone())
    };
    let mut text = format!(
        "# nats-server for the fullwire estate {estate}{where_to}, written by fullwire estate up: it is written again\n\
         # when a host is removed. Version 2.11 or later:\n\
         #   go install github.com/nats-io/nats-server/v2@v2.15.2\n\
         server_name: \"fullwire-{name}\"\n\
         listen: \"{listen}\"\n\
         max_payload: {MOST_PAYLOAD}\n\
         operator: \"{operator_jwt}\"\n\
         system_account: \"{}\"\n\
         resolver: MEMORY\n\
         resolver_preload: {{\n  {}: \"{account_jwt}\"\n  {}: \"{system_jwt}\"\n}}\n\
         # A result is acknowledged to its host only when PostgreSQL has it: nothing here must survive. Writing through\n\
         # is cheap at this rate all the same.\n\
         jetstream: {{\n  store_dir: \"{store_dir}\"\n  max_memory_store: 67108864\n  max_file_store: {MOST_FILE}\n  \
         sync_interval: always\n}}\n",
        system_key,
        account.public_key(),
        system_key,
    );
    if let Some((certificate, key)) = tls {
        let _ = write!(
            text,
            "tls: {{\n  cert_file: \"{certificate}\"\n  key_file: \"{key}\"\n  timeout: 5\n}}\n"
        );
    }
    if several {
        text.push_str(&cluster(operator, number)?);
    }
    Ok(text)
}

/// A directory that its owner alone can list: the services find their own files in it by name.
pub(super) fn make_dir(dir: &Path) -> Result<()> {
    let made =
        fullwire_way::real(dir).and_then(|dir| DirBuilder::new().recursive(true).mode(0o711).create(dir));
    made.with_context(|| format!("make the directory {}", dir.display()))
}

/// Gives a file to the user as whom its service runs. False: there is no such user here.
pub(super) fn give(path: &Path, user: &str) -> Result<bool> {
    let users = users::all().context("read /etc/passwd")?;
    let Some((uid, gid)) = users::ids(&users, user) else { return Ok(false) };
    give_own(path, uid, gid).with_context(|| format!("give {} to {user}", path.display()))?;
    Ok(true)
}

/// By descriptor, and only a file that we made: whoever owns the directory may have put a link in its place meanwhile.
fn give_own(path: &Path, uid: u32, gid: u32) -> Result<()> {
    let spot = fullwire_way::spot(path)?;
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = openat(&spot.directory, &spot.name, flags, Mode::empty())?;
    let status = fstat(&file)?;
    let is_file = FileType::from_raw_mode(status.st_mode) == FileType::RegularFile && status.st_nlink == 1;
    // Made anew it is ours; written again by someone who may not give it away it is the service's already.
    if !is_file || ![rustix::process::geteuid().as_raw(), uid].contains(&status.st_uid) {
        bail!("another file is in its place");
    }
    chownat(&file, "", Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)), AtFlags::EMPTY_PATH)?;
    Ok(())
}

/// Writes a file completely or not at all.
pub(super) fn write(path: &Path, text: &str, mode: u32) -> Result<()> {
    write_file(path, &Printed::lines(text), mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_of_our_own_is_given_away() {
        if !rustix::process::geteuid().is_root() {
            return crate::skips::skipped("needs root");
        }
        let place = tempfile::tempdir().unwrap();
        let file = |name: &str| place.path().join(name);
        std::fs::write(file("own"), "").unwrap();
        give_own(&file("own"), 65_534, 65_534).unwrap();
        give_own(&file("own"), 65_534, 65_534).unwrap();
        assert!(give_own(&file("own"), 65_533, 65_533).is_err(), "it is another's by now");
        std::fs::write(file("roots"), "").unwrap();
        std::os::unix::fs::symlink(file("roots"), file("link")).unwrap();
        std::fs::hard_link(file("roots"), file("twin")).unwrap();
        assert!(
            give_own(&file("link"), 65_534, 65_534).is_err()
                && give_own(&file("twin"), 65_534, 65_534).is_err()
        );
    }

    #[test]
    fn a_servers_address_has_a_port_of_its_own_or_the_usual_one() {
        assert_eq!(place("tls://nats1:4223").unwrap(), ("nats1", 4223));
        assert_eq!(place("nats://[::1]:4224").unwrap(), ("[::1]", 4224));
        assert_eq!(place("tls://nats1").unwrap(), ("nats1", 4222));
        assert_eq!(place("tls://[::1]").unwrap(), ("[::1]", 4222));
        assert!(place("tls://nats1:x").is_err());
    }

    #[test]
    fn copies_of_the_stream_are_an_odd_number() {
        assert_eq!([1, 2, 3, 5].map(replicas), [1, 1, 3, 3]);
    }
}
