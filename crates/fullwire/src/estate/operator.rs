//! `fullwire estate`: sets an estate up, takes hosts in and out, shows how it is.

use super::coordinator::look;
use super::credential::{self, Coordinator, Credential, Operator, Server, seed};
use super::{files, jwt, link, units};
use crate::cli::{EnrolArgs, EstateStatusArgs, RemoveArgs, UpArgs};
use crate::output::Show;
use crate::{database, usage};
use anyhow::{Context, Result, bail};
use fullwire_mesh::estate::Subjects;
use fullwire_mesh::hosts::ONLY_NETWORK;
use fullwire_present::{json, terminal};
use jiff::Timestamp;
use nkeys::KeyPair;
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// The operator's file in the directory of an estate.
const OPERATOR: &str = "estate.json";
/// The member that plans.
const COORDINATOR: &str = "coordinator";

/// Makes keys, configuration, units and the schema. What is there already stays: keys that hosts rely on above all.
pub(crate) fn up(args: &UpArgs, show: &Show) -> Result<ExitCode> {
    Subjects::new(&args.name).or_else(|error| usage::wrong(error.to_string()))?;
    let path = args.dir.join(OPERATOR);
    let again = path.exists();
    let _held = again.then(|| held(&args.dir)).transpose()?;
    let operator = if again { changed(credential::read(&path)?, args)? } else { new_operator(args)? };
    // The database first: where it cannot be had nothing is written that looks finished.
    database::shared_unprepared(&operator.database)?.migrate()?;
    files::make_dir(&args.dir)?;
    files::write(&path, &serde_json::to_string_pretty(&operator)?, 0o600)?;
    let configurations = write_servers(&args.dir, &operator)?;
    let coordinator = args.dir.join("coordinator.json");
    files::write(&coordinator, &serde_json::to_string_pretty(&coordinator_of(&operator)?)?, 0o600)?;
    for (name, text) in units::all(&args.dir, &operator.server.store_dir) {
        files::write(&args.dir.join(name), &text, 0o644)?;
    }
    if rustix::process::geteuid().is_root() {
        let configurations = configurations.iter().map(|name| (args.dir.join(name), units::NATS_USER));
        give(std::iter::once((coordinator, units::USER)).chain(configurations))?;
    }
    let dir = args.dir.display();
    Show::text(&format!(
        "the estate {} is {} in {dir}; its schema is in {}\n\
         next:\n  \
         {}  \
         fullwire coordinator --credential {dir}/coordinator.json --listen 127.0.0.1:5556\n  \
         fullwire estate enrol HOST --dir {dir} --ssh root@HOST\n",
        operator.estate,
        if again { "up to date" } else { "set up" },
        operator.database,
        start_of_servers(&operator, &configurations, &args.dir),
    ))?;
    show.note(&format!("{dir}/{OPERATOR} enrols hosts: back it up and keep it secret"));
    Ok(ExitCode::SUCCESS)
}

/// Gives files to the users of the units; those that are missing are named.
fn give(files: impl Iterator<Item = (PathBuf, &'static str)>) -> Result<()> {
    let mut missing: Vec<&str> = Vec::new();
    for (path, user) in files {
        if !files::give(&path, user)? && !missing.contains(&user) {
            missing.push(user);
        }
    }
    if !missing.is_empty() {
        Show::warn(&format!(
            "the units run as users that are not here: {}, then estate up again",
            missing
                .iter()
                .map(|user| format!("useradd -r -s /usr/sbin/nologin {user}"))
                .collect::<Vec<String>>()
                .join("; ")
        ));
    }
    Ok(())
}

/// Writes each server's configuration; their names.
fn write_servers(dir: &Path, operator: &Operator) -> Result<Vec<String>> {
    let all = files::servers(operator)?;
    for (name, text) in &all {
        files::write(&dir.join(name), text, 0o640)?;
    }
    Ok(all.into_iter().map(|(name, _)| name).collect())
}

/// How the servers are started, a line each.
fn start_of_servers(operator: &Operator, configurations: &[String], dir: &Path) -> String {
    let dir = dir.display();
    if let [only] = configurations {
        return format!("nats-server -c {dir}/{only}        (or install {dir}/fullwire-nats.service)\n");
    }
    let line = |(server, name): (&String, &String)| {
        format!(
            "copy {dir}/{name} to {server} as /etc/fullwire/nats-server.conf, then there: nats-server -c …\n  "
        )
    };
    let lines: String = operator.servers.iter().zip(configurations).map(line).collect();
    format!("{}\n", lines.trim_end())
}

/// The estate's directory, held until this goes: two that change `estate.json` at once would forget each other's keys.
fn held(dir: &Path) -> Result<File> {
    set_up(dir)?;
    let waits = || format!("hold the directory of the estate, {}", dir.display());
    let file = File::open(dir).with_context(waits)?;
    rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive).with_context(waits)?;
    Ok(file)
}

/// Where no estate was set up, the file that is missing would tell nobody what to do.
fn set_up(dir: &Path) -> Result<()> {
    if !dir.join(OPERATOR).try_exists().unwrap_or(true) {
        bail!(
            "no estate is kept in {}: `fullwire estate up` sets one up, and --dir names another directory on the host where it was",
            dir.display()
        );
    }
    Ok(())
}

fn new_operator(args: &UpArgs) -> Result<Operator> {
    let Some(database) = args.database.clone() else {
        return usage::wrong("a new estate needs --database postgres://USER@HOST/DATABASE");
    };
    if args.server.is_empty() {
        return usage::wrong("a new estate needs --server: where agents find the NATS server");
    }
    let (signer, system) = (KeyPair::new_operator(), KeyPair::new_account());
    let operator = Operator {
        estate: args.name.clone(),
        servers: Vec::new(),
        ca_pem: String::new(),
        database,
        operator_seed: seed(&signer)?,
        operator_jwt: jwt::operator(&args.name, &system, &signer)?,
        account_seed: seed(&KeyPair::new_account())?,
        system_key: system.public_key(),
        system_jwt: jwt::account("system", &system, &BTreeMap::new(), false, &signer)?,
        plan_seed: seed(&KeyPair::new_account())?,
        revoked: BTreeMap::new(),
        hosts: BTreeMap::new(),
        server: Server::default(),
        insecure: false,
    };
    changed(operator, args)
}

/// With what was said this time.
fn changed(mut operator: Operator, args: &UpArgs) -> Result<Operator> {
    if operator.estate != args.name {
        bail!("{} is the estate {}, not {}", args.dir.display(), operator.estate, args.name);
    }
    if !args.server.is_empty() {
        operator.servers.clone_from(&args.server);
    }
    operator.database = args.database.clone().unwrap_or(operator.database);
    if let Some(ca) = &args.tls_ca {
        operator.ca_pem = std::fs::read_to_string(ca).with_context(|| format!("read {}", ca.display()))?;
    }
    if let Some(ca) = &args.tls_ca {
        operator.server.tls_ca = Some(usage::utf8(ca)?);
    }
    if operator.server.cluster_password.is_empty() {
        operator.server.cluster_password = crate::peer::key::new_key()?;
    }
    if let (Some(certificate), Some(key)) = (&args.tls_cert, &args.tls_key) {
        operator.server.tls = Some((usage::utf8(certificate)?, usage::utf8(key)?));
    }
    if let Some(listen) = &args.listen {
        operator.server.listen.clone_from(listen);
    }
    if operator.server.listen.is_empty() {
        operator.server.listen = "0.0.0.0:4222".into();
    }
    operator.server.store_dir = match &args.jetstream {
        Some(dir) => usage::utf8(dir)?,
        None if operator.server.store_dir.is_empty() => "/var/lib/nats/fullwire".into(),
        None => operator.server.store_dir,
    };
    operator.insecure |= args.insecure;
    check_wire(&operator)?;
    Ok(operator)
}

/// Tokens and keys of responders go over this wire.
fn check_wire(operator: &Operator) -> Result<()> {
    for server in &operator.servers {
        let Some((scheme, place)) = server.split_once("://") else {
            return usage::wrong(format!("{server}: expected tls://HOST:PORT or nats://HOST:PORT"));
        };
        let local = link::is_loopback(place);
        match scheme {
            "tls" if operator.server.tls.is_none() => {
                return usage::wrong(format!("{server}: TLS needs --tls-cert and --tls-key of the server"));
            }
            "nats" if operator.server.tls.is_some() => {
                return usage::wrong(format!("{server}: the server speaks TLS: say tls://"));
            }
            "nats" if !local && !operator.insecure => {
                return usage::wrong(format!(
                    "{server} is not encrypted: others on the network would read addresses, figures and the keys of \
                     responders; use tls:// with --tls-cert, --tls-key and --tls-ca (or --insecure)"
                ));
            }
            "tls" | "nats" => {}
            _ => return usage::wrong(format!("{server}: expected tls://HOST:PORT or nats://HOST:PORT")),
        }
    }
    Ok(())
}

fn coordinator_of(operator: &Operator) -> Result<Coordinator> {
    let own = KeyPair::new_user();
    let account = credential::key(&operator.account_seed)?;
    let subjects = Subjects::new(&operator.estate)?;
    let token = jwt::coordinator(&subjects, &own.public_key(), &account)?;
    Ok(Coordinator {
        credential: member(operator, COORDINATOR, token, &own)?,
        plan_seed: operator.plan_seed.clone(),
        database: operator.database.clone(),
        replicas: files::replicas(operator.servers.len()),
    })
}

fn member(operator: &Operator, name: &str, jwt: String, own: &KeyPair) -> Result<Credential> {
    Ok(Credential {
        estate: operator.estate.clone(),
        member: name.to_owned(),
        servers: operator.servers.clone(),
        ca_pem: operator.ca_pem.clone(),
        jwt,
        seed: seed(own)?,
        plan_key: credential::key(&operator.plan_seed)?.public_key(),
        insecure: operator.insecure,
        addresses: BTreeMap::new(),
    })
}

/// Takes a host in: its own credential, written here or brought there.
pub(crate) fn enrol(args: &EnrolArgs, show: &Show) -> Result<ExitCode> {
    Subjects::check_host(&args.host).or_else(|error| usage::wrong(error.to_string()))?;
    if args.host == COORDINATOR {
        return usage::wrong(format!("{COORDINATOR} is the name of the member that plans: choose another"));
    }
    let _held = held(&args.dir)?;
    let path = args.dir.join(OPERATOR);
    let mut operator: Operator = credential::read(&path)?;
    let own = KeyPair::new_user();
    let subjects = Subjects::new(&operator.estate)?;
    let expires = args.valid.map(|valid| Timestamp::now() + valid);
    let account = credential::key(&operator.account_seed)?;
    let token = jwt::host(&subjects, &args.host, &own.public_key(), expires, &account)?;
    let mut credential = member(&operator, &args.host, token, &own)?;
    for given in &args.address {
        let (network, address) = given.split_once('=').unwrap_or((ONLY_NETWORK, given));
        credential.addresses.insert(network.to_owned(), address.to_owned());
    }
    let text = serde_json::to_string_pretty(&credential)?;
    // Before the credential is: one that this file does not know could never be taken back.
    let keys = operator.hosts.entry(args.host.clone()).or_default();
    keys.push(own.public_key());
    let before = keys.len() - 1;
    files::write(&path, &serde_json::to_string_pretty(&operator)?, 0o600)?;
    if let Some(target) = &args.ssh {
        install(target, &text)?;
    } else {
        let file = args.output.clone().unwrap_or_else(|| PathBuf::from(format!("{}.json", args.host)));
        files::write(&file, &text, 0o600)?;
        let file = file.display();
        Show::text(&format!("wrote {file}; on {}: fullwire agent --credential FILE\n", args.host))?;
    }
    if before > 0 {
        show.note(
            "the host had a credential before, which still counts: fullwire estate remove takes back all of them",
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Brings this program, the credential and the unit, and starts the agent.
fn install(target: &str, credential: &str) -> Result<()> {
    if target.starts_with('-') {
        return usage::wrong(format!("{target}: expected [USER@]HOST"));
    }
    let program = std::env::current_exe().context("find this program's own file")?;
    let program = std::fs::read(&program).with_context(|| format!("read {}", program.display()))?;
    over_ssh(target, BRING_PROGRAM, &program)?;
    over_ssh(target, BRING_CREDENTIAL, credential.as_bytes())?;
    let told = over_ssh(target, BRING_UNIT, units::agent().as_bytes())?;
    if told.contains(NO_SYSTEMD) {
        Show::warn(&format!(
            "{target} does not run systemd, so the agent was not started. Start it there, and at each boot: {}",
            as_user(&units::agent_command())
        ));
    }
    Ok(())
}

/// The scripts say a word.
const TOLD_BYTES: u64 = 64 << 10;
/// A program of this size comes over 1 Mbit/s in this time.
const BROUGHT_WITHIN: Duration = Duration::from_secs(600);

/// Runs a script there with this input, and hears what it says. A far end that says more than a word, or does not end, is left.
fn over_ssh(target: &str, script: &str, input: &[u8]) -> Result<String> {
    let mut child = Command::new("ssh")
        .args(["-o", "BatchMode=yes", "-o", "ConnectTimeout=8", target, script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("start ssh")?;
    let mut stdin = child.stdin.take().context("ssh takes no input")?;
    let stdout = child.stdout.take().context("ssh says nothing")?;
    let pid = Pid::from_child(&child);
    let (done, waits) = mpsc::channel::<()>();
    let (sent, told, ended, late) = std::thread::scope(|scope| {
        let late = scope.spawn(move || {
            let late = waits.recv_timeout(BROUGHT_WITHIN) == Err(RecvTimeoutError::Timeout);
            late.then(|| kill_process(pid, Signal::KILL)).is_some()
        });
        // What it says comes after all of its input.
        let sent = stdin.write_all(input);
        drop(stdin);
        let mut told = Vec::new();
        let heard = stdout.take(TOLD_BYTES + 1).read_to_end(&mut told);
        if heard.is_err() || told.len() as u64 > TOLD_BYTES {
            let _ = child.kill();
        }
        let ended = child.wait();
        drop(done);
        (sent, told, ended, late.join().unwrap_or(false))
    });
    let ended = ended.context("wait for ssh")?;
    if late {
        bail!("{target} did not end within {} s", BROUGHT_WITHIN.as_secs());
    }
    if told.len() as u64 > TOLD_BYTES {
        bail!("{target} says more than its script does");
    }
    if !ended.success() {
        bail!("{target} could not be set up: ssh or what it ran there ended with {ended}");
    }
    sent.context("send over ssh")?;
    Ok(String::from_utf8_lossy(&told).into_owned())
}

const BRING_PROGRAM: &str = "set -e; umask 022; cat > /usr/bin/.fullwire.new; chmod 755 /usr/bin/.fullwire.new; \
    /usr/bin/.fullwire.new --version > /dev/null; mv /usr/bin/.fullwire.new /usr/bin/fullwire";
const BRING_CREDENTIAL: &str = "set -e; umask 077; \
    getent passwd fullwire > /dev/null || useradd -r -U -d /var/lib/fullwire -s /usr/sbin/nologin fullwire; \
    mkdir -p -m 0755 /etc/fullwire; cat > /etc/fullwire/agent.json.new; chown fullwire: /etc/fullwire/agent.json.new; \
    mv /etc/fullwire/agent.json.new /etc/fullwire/agent.json";
/// How the script says that no systemd runs there: the agent is started by other means.
const NO_SYSTEMD: &str = "no systemd";
const BRING_UNIT: &str = "set -e; umask 022; mkdir -p /etc/systemd/system; install -d -m 0755 /var/lib/fullwire; \
    install -d -m 0700 -o fullwire -g fullwire /var/lib/fullwire/agent; cat > /etc/systemd/system/fullwire-agent.service; \
    if ! [ -d /run/systemd/system ]; then echo no systemd; exit 0; fi; systemctl daemon-reload; \
    systemctl enable --now fullwire-agent.service; systemctl restart fullwire-agent.service";

/// A command as the agent's user, for a host without systemd.
fn as_user(command: &str) -> String {
    format!("setpriv --reuid={0} --regid={0} --clear-groups {command}", units::USER)
}

/// Takes a host out: its credential counts no longer once the server has read its configuration again.
pub(crate) fn dismiss(args: &RemoveArgs, show: &Show) -> Result<ExitCode> {
    let _held = held(&args.dir)?;
    let path = args.dir.join(OPERATOR);
    let mut operator: Operator = credential::read(&path)?;
    let Some(keys) = operator.hosts.remove(&args.host) else {
        bail!("no host {} in the estate {}", args.host, operator.estate);
    };
    let now_s = Timestamp::now().as_second();
    operator.revoked.extend(keys.into_iter().map(|key| (key, now_s)));
    files::write(&path, &serde_json::to_string_pretty(&operator)?, 0o600)?;
    let configurations = write_servers(&args.dir, &operator)?;
    if rustix::process::geteuid().is_root() {
        give(configurations.iter().map(|name| (args.dir.join(name), units::NATS_USER)))?;
    }
    let configurations = configurations.join(", ");
    // Its runs stay; the row is what the page lists.
    if let Err(error) = database::shared(&operator.database).and_then(|store| Ok(store.dismiss(&args.host)?))
    {
        Show::warn(&format!("the host is still listed: {}", crate::sentence(&error)));
    }
    show.note(&format!(
        "now the server must read {configurations} in {} again: systemctl reload fullwire-nats, or nats-server --signal \
         reload",
        args.dir.display()
    ));
    Ok(ExitCode::SUCCESS)
}

/// How the estate is.
pub(crate) fn status(args: &EstateStatusArgs, show: &Show) -> Result<ExitCode> {
    let source = match &args.database {
        Some(source) => source.clone(),
        None => database_of(&args.dir)?,
    };
    let estate = look(&database::shared(&source)?)?;
    show.result(&json::estate(&estate), || terminal::estate(&estate).render(true))?;
    Ok(ExitCode::SUCCESS)
}

fn database_of(dir: &Path) -> Result<String> {
    set_up(dir)?;
    let operator: Operator = credential::read(&dir.join(OPERATOR))?;
    Ok(operator.database)
}
