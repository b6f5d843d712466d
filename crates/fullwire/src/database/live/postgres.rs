//! The client for PostgreSQL.

use super::guard::{Encrypted, Guarded};
use super::listener::Socket;
use super::secret::{Destination, postgres_password};
use super::tls::{self, Wire};
use super::{Sampling, readings, within};
use anyhow::{Context, Result, bail};
use fullwire_demand::redo::postgres::{VERSION, queries, reckon_window};
use fullwire_model::demand::{Demand, RedoHistory};
use fullwire_probe::net::lookup;
use rustix::net::sockopt;
use std::collections::BTreeMap;
use std::net::{IpAddr, TcpStream};
use std::path::PathBuf;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::config::{Host, SslMode, SslNegotiation};
use tokio_postgres::{Client, Config, SimpleQueryMessage, SimpleQueryRow};

/// What the session is set to: nothing that is asked takes long, nothing can be changed, and a view means the server's own: the
/// owner of a database may have put a schema of theirs before it.
pub(super) const SESSION: &str = "-c search_path=pg_catalog -c statement_timeout=10000 -c lock_timeout=10000 \
     -c default_transaction_read_only=on";

/// As whom the packages of all distributions run the server.
const SERVER_USER: &str = "postgres";

/// Reads a server's WAL counters for a window.
pub(super) fn sample(
    source: &str,
    sampling: Sampling,
    stop: &dyn Fn() -> bool,
) -> Result<(RedoHistory, Demand)> {
    let (config, place, name) = configure(source, SESSION)?;
    let limit = sampling.answer_within;
    let connect = move || {
        let server = Server::connect(&config, &place, limit)?;
        let version = server.version()?;
        Ok((server, version))
    };
    let (server, version) =
        within(limit, &name, connect).with_context(|| format!("cannot connect to {name}"))?;
    let queries = queries(u32::try_from(version).unwrap_or(0));
    let mut free = Some(server);
    let readings = readings(sampling, stop, || {
        let queries = queries.clone();
        let server = free.take().context("the connection was lost")?;
        let (server, values) = within(limit, &name, move || {
            let values = server.read(&queries)?;
            Ok((server, values))
        })?;
        free = Some(server);
        Ok(values)
    })?;
    Ok(reckon_window(&name, &readings, sampling.headroom))
}

/// A connection for a store: the runtime that drives it, the client, and the name that may be shown.
#[cfg(feature = "estate")]
pub(super) fn open(
    source: &str,
    limit: Duration,
    session: &'static str,
) -> Result<(Runtime, Client, String)> {
    let (config, place, name) = configure(source, session)?;
    let connect = move || Server::connect(&config, &place, limit);
    let Server { runtime, client } =
        within(limit, &name, connect).with_context(|| format!("cannot connect to {name}"))?;
    Ok((runtime, client, name))
}

/// Where the server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    Socket(PathBuf),
    Name(String, u16),
    Address(IpAddr, u16),
}

/// The connection, where it goes, and the name that may be shown and kept.
fn configure(source: &str, session: &str) -> Result<(Config, Place, String)> {
    // The parser's own error would repeat what it could not read, a password perhaps.
    let Ok(mut config) = source.parse::<Config>() else {
        bail!("cannot read the data source name: expected postgres://USER@HOST:PORT/DATABASE");
    };
    if config.get_password().is_some() {
        bail!(
            "a password on the command line is visible to every user: use PGPASSFILE, ~/.pgpass or PGPASSWORD"
        );
    }
    if config.get_hosts().len() > 1 || config.get_hostaddrs().len() > 1 {
        bail!("the data source name has several hosts: name one, so that the password is sent to no other");
    }
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(host)) => host.clone(),
        Some(Host::Unix(path)) => path.display().to_string(),
        None => bail!("no host in the data source name: expected postgres://USER@HOST:PORT/DATABASE"),
    };
    if config.get_user().is_none() {
        let user =
            std::env::var("PGUSER").or_else(|_| std::env::var("USER")).unwrap_or_else(|_| "postgres".into());
        config.user(&user);
    }
    let user = config.get_user().unwrap_or("postgres").to_owned();
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let database = config.get_dbname().unwrap_or(&user).to_owned();
    let target = Destination { host: &host, port, database: &database, user: &user };
    if let Some(password) = postgres_password(target) {
        config.password(password);
    }
    let options = format!("{} {session}", config.get_options().unwrap_or_default());
    config.application_name("fullwire").options(options.trim_start());
    let name = format!("postgres://{user}@{host}:{port}/{database}");
    let place = match (config.get_hosts().first(), config.get_hostaddrs().first()) {
        (Some(Host::Unix(path)), _) => Place::Socket(path.join(format!(".s.PGSQL.{port}"))),
        (_, Some(address)) => Place::Address(*address, port),
        _ => Place::Name(host, port),
    };
    Ok((config, place, name))
}

const UNBOUND_PLAIN: &str = "the server offers no TLS, so that anyone on the way could pose as it and have the session: let it offer \
     TLS, or say sslmode=disable to connect without";
const UNBOUND: &str = "the server's certificate is from no CA that is known here, and has a signature to which SCRAM cannot be bound: \
     anyone on the way could pose as it and have the session; give its CA (~/.postgresql/root.crt), or a certificate that is signed \
     by SHA-256";

/// A connection, and what drives it.
pub(super) struct Server {
    runtime: Runtime,
    client: Client,
}

impl Server {
    fn connect(config: &Config, place: &Place, limit: Duration) -> Result<Self> {
        let Place::Socket(path) = place else {
            return Self::secured(config, dial(place, limit)?);
        };
        let runtime = runtime()?;
        let entered = runtime.enter();
        let socket = Socket::open(path)?;
        let stream = socket.connect().with_context(|| format!("open {}", path.display()))?;
        stream.set_nonblocking(true)?;
        let trusted = socket.is_of(SERVER_USER, &stream)?;
        if !trusted && config.get_password().is_some() {
            // SCRAM does not tell it, and its proof is good for a session with the server, wherever that listens.
            bail!(
                "who listens at {} is neither root nor the user {SERVER_USER}, and could have the session: start the server as \
                 {SERVER_USER}, or let its socket be in a directory that only its own user writes to",
                path.display()
            );
        }
        let stream = Guarded::new(tokio::net::UnixStream::from_std(stream)?, trusted);
        drop(entered);
        let client = greet(&runtime, config, stream, SslMode::Disable)?;
        Ok(Self { runtime, client })
    }

    /// Over TLS where the server offers it. A server that was verified may ask for the password as it likes.
    fn secured(config: &Config, stream: TcpStream) -> Result<Self> {
        let host = match (config.get_hosts().first(), config.get_hostaddrs().first()) {
            (Some(Host::Tcp(host)), _) => host.clone(),
            (_, Some(address)) => address.to_string(),
            _ => String::new(),
        };
        let is_near = stream.peer_addr().is_ok_and(|peer| peer.ip().to_canonical().is_loopback());
        let (has_password, mode) = (config.get_password().is_some(), config.get_ssl_mode());
        let runtime = runtime()?;
        stream.set_nonblocking(true)?;
        let offered = runtime
            .block_on(async { tls::offer(tokio::net::TcpStream::from_std(stream)?, &host, mode).await });
        let client = match offered? {
            // Whoever answers chooses this, and hands on the proof of SCRAM to the server: to one that asks for TLS over TLS.
            Wire::Plain(_) if has_password && mode != SslMode::Disable && !is_near => bail!(UNBOUND_PLAIN),
            Wire::Encrypted(_, false, None) if has_password => bail!(UNBOUND),
            // On loopback too: any user of this host can listen at the port while the server is down.
            Wire::Plain(stream) => greet(&runtime, config, Guarded::new(stream, false), SslMode::Disable)?,
            Wire::Encrypted(stream, verified, bound) => {
                let mut stream = Guarded::new(*stream, verified);
                stream.bound = bound;
                greet(&runtime, config, stream, SslMode::Require)?
            }
        };
        Ok(Self { runtime, client })
    }

    /// Without TLS, over a connection to a server that may be told the password, or to one that may not.
    #[cfg(test)]
    pub(super) fn over(config: &Config, stream: TcpStream, trusted: bool) -> Result<Self> {
        let runtime = runtime()?;
        let entered = runtime.enter();
        stream.set_nonblocking(true)?;
        let stream = Guarded::new(tokio::net::TcpStream::from_std(stream)?, trusted);
        drop(entered);
        let client = greet(&runtime, config, stream, SslMode::Disable)?;
        Ok(Self { runtime, client })
    }

    pub(super) fn version(&self) -> Result<i32> {
        let row = self.row(VERSION).context("cannot ask for the server's version")?;
        // The row may have no column.
        let version = row.try_get(0).ok().flatten().and_then(|text| text.parse().ok());
        version.context("the server's version is no number")
    }

    /// One row of numbers for each query. What this user may not see is left out; the others answer.
    pub(super) fn read(&self, queries: &[&str]) -> Result<BTreeMap<String, f64>> {
        let mut values = BTreeMap::new();
        let mut failure = None;
        for query in queries {
            match self.row(query) {
                Ok(row) => {
                    for (index, column) in row.columns().iter().enumerate() {
                        if let Some(value) = row.get(index).and_then(|text| text.parse().ok()) {
                            values.insert(column.name().to_owned(), value);
                        }
                    }
                }
                Err(error) => failure = Some(error),
            }
        }
        match failure {
            Some(error) if values.is_empty() => Err(error).context("the server answered none of the queries"),
            _ => Ok(values),
        }
    }

    /// As text: for a type that it does not know the client asks the server, and for each unknown one in the answer again,
    /// without an end.
    fn row(&self, sql: &str) -> Result<SimpleQueryRow> {
        let answer = self.runtime.block_on(self.client.simple_query(sql))?;
        let mut rows = answer.into_iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        rows.next().context("the server answered without a row")
    }
}

/// It runs on the caller's thread, while the caller waits.
fn runtime() -> Result<Runtime> {
    Builder::new_current_thread().enable_all().build().context("start the client")
}

/// Logs in, and leaves the connection to the runtime. What is to be encrypted is encrypted already: the client itself is not to ask.
fn greet<S>(runtime: &Runtime, config: &Config, stream: Guarded<S>, mode: SslMode) -> Result<Client>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut config = config.clone();
    config.ssl_mode(mode).ssl_negotiation(SslNegotiation::Direct);
    let (client, connection) = runtime.block_on(config.connect_raw(stream, Encrypted))?;
    // How it ends is the next query's answer.
    runtime.spawn(async move {
        let _ = connection.await;
    });
    Ok(client)
}

/// The first address that answers.
fn dial(place: &Place, limit: Duration) -> Result<TcpStream> {
    let addresses = match place {
        Place::Name(host, port) => lookup(host, *port).with_context(|| format!("look up {host}"))?,
        Place::Address(address, port) => vec![(*address, *port).into()],
        Place::Socket(_) => Vec::new(),
    };
    let mut last = None;
    for address in &addresses {
        match TcpStream::connect_timeout(address, limit) {
            Ok(stream) => {
                sockopt::set_socket_keepalive(&stream, true)?;
                sockopt::set_tcp_user_timeout(&stream, u32::try_from(limit.as_millis())?)?;
                return Ok(stream);
            }
            Err(error) => last = Some((address, error)),
        }
    }
    match last {
        Some((address, error)) => Err(error).with_context(|| format!("open a connection to {address}")),
        None => bail!("the host has no address"),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Logs in at a port of loopback.
    pub(crate) fn connect(config: &Config, port: u16) -> Result<()> {
        let place = Place::Address(std::net::Ipv4Addr::LOCALHOST.into(), port);
        Server::connect(config, &place, Duration::from_secs(5)).map(drop)
    }

    /// Whether the server says that this session is encrypted.
    pub(crate) fn is_encrypted(source: &str) -> Result<bool> {
        let (config, place, _) = configure(source, SESSION)?;
        let server = Server::connect(&config, &place, Duration::from_secs(5))?;
        let sql = "select ssl from pg_stat_ssl where pid = pg_backend_pid()";
        Ok(server.row(sql)?.get(0) == Some("t"))
    }

    #[test]
    fn a_password_in_the_name_is_refused_and_not_repeated() {
        let error = configure("postgres://fw:s3cret@db1/shop", SESSION).unwrap_err().to_string();
        assert!(error.contains("PGPASSFILE") && !error.contains("s3cret"), "{error}");
        let error = configure("postgres://fw:s3cret@db1:notaport/shop", SESSION).unwrap_err().to_string();
        assert!(!error.contains("s3cret"), "{error}");
        let (_, place, name) = configure("postgres://fw@db1:5433/shop", SESSION).unwrap();
        assert_eq!(name, "postgres://fw@db1:5433/shop");
        assert_eq!(place, Place::Name("db1".into(), 5433));
    }

    #[test]
    fn a_password_is_for_one_host() {
        for several in
            ["postgres://fw@db1,db2/shop", "host=db1,db2 user=fw", "host=db1 hostaddr=::1,::2 user=fw"]
        {
            let error = configure(several, SESSION).unwrap_err().to_string();
            assert!(error.contains("name one"), "{several}: {error}");
        }
    }

    #[test]
    fn the_session_is_read_only_and_the_users_own_options_stay() {
        let (config, ..) = configure("postgres://fw@db1/shop?options=-c%20geqo%3Doff", SESSION).unwrap();
        let options = config.get_options().unwrap();
        assert!(options.starts_with("-c geqo=off ") && options.ends_with("read_only=on"), "{options}");
    }
}
