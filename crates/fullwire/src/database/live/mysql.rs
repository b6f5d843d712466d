//! The client for MySQL and MariaDB.

use super::listener::{Socket, at_port_is};
use super::mysql_tls::{self, Tls, Way};
use super::secret::{ClientGroup, mysql_client};
use super::{Sampling, readings, within};
use anyhow::{Context, Result, bail};
use fullwire_demand::redo::mysql::{BINARY_LOG_BYTES, BINARY_LOGS, STATUS, is_wanted, reckon_window};
use fullwire_model::demand::{Demand, RedoHistory};
use mysql::prelude::Queryable;
use mysql::{Conn, DriverError, Opts, OptsBuilder, SslOpts};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::IpAddr;
use std::path::Path;

/// As whom the packages of all distributions run the server.
const SERVER_USER: &str = "mysql";

/// Reads a server's status counters for a window.
pub(super) fn sample(
    source: &str,
    sampling: Sampling,
    stop: &dyn Fn() -> bool,
) -> Result<(RedoHistory, Demand)> {
    let limit = sampling.answer_within;
    let Source { options, tls, way, name, judged } = configure(source, mysql_client())?;
    let options = options
        .tcp_connect_timeout(Some(limit))
        .read_timeout(Some(limit))
        .write_timeout(Some(limit))
        .tcp_user_timeout_ms(Some(u32::try_from(limit.as_millis())?));
    let connect = move || {
        // It is there until the connection is.
        let _judged = judged;
        mysql_tls::connect(&options, &tls, way).map_err(plain)
    };
    let connection = within(limit, &name, connect).with_context(|| format!("cannot connect to {name}"))?;
    let mut free = Some(connection);
    let readings = readings(sampling, stop, || {
        let mut connection = free.take().context("the connection was lost")?;
        let (connection, values) = within(limit, &name, move || {
            let values = read(&mut connection)?;
            Ok((connection, values))
        })?;
        free = Some(connection);
        Ok(values)
    })?;
    Ok(reckon_window(&name, &readings, sampling.headroom))
}

/// The server's own sentence instead of the client's picture of it.
fn plain(error: mysql::Error) -> anyhow::Error {
    if let Some(explained) = mysql_tls::explain(&error) {
        return explained;
    }
    match error {
        mysql::Error::MySqlError(error) => anyhow::anyhow!("{} ({})", error.message, error.code),
        // Only the file of the server's key is opened by name.
        mysql::Error::IoError(error) if error.kind() == ErrorKind::NotFound => anyhow::anyhow!(REFUSED),
        mysql::Error::DriverError(
            DriverError::CleartextPluginDisabled | DriverError::OldMysqlPasswordDisabled,
        ) => anyhow::anyhow!(REFUSED),
        // What is inside, without the name of its kind.
        mysql::Error::IoError(inner) => inner.into(),
        mysql::Error::CodecError(inner) => inner.into(),
        mysql::Error::DriverError(inner) => inner.into(),
        other => other.into(),
    }
}

/// Why the connection ended, and what to do.
const REFUSED: &str = "the server asks for the password in clear text, which others on the network could read: give its \
     public key (mysql://USER@HOST?server_key_path=FILE), let it offer TLS, or run this on the database host";

/// No file has this name. `caching_sha2_password` encrypts the password with the server's key, and would take the key of
/// anyone who answers; with a file to take it from it does not ask.
const NO_KEY: &str = "/proc/self/fullwire-has-no-key-of-this-server";

/// What a data source name comes to.
struct Source {
    options: OptsBuilder,
    tls: Tls,
    way: Way,
    /// It may be shown and kept.
    name: String,
    /// The socket that the options lead to.
    judged: Option<Socket>,
}

/// The name without `ssl-mode`, which the client does not know, and `ssl-ca` under the name that it has there.
fn client_url(source: &str) -> (String, Option<String>) {
    let url = source.replacen("mariadb://", "mysql://", 1);
    let Some((base, query)) = url.split_once('?') else { return (url, None) };
    let (mut mode, mut kept) = (None, Vec::new());
    for part in query.split('&') {
        match part.split_once('=') {
            Some(("ssl-mode" | "ssl_mode", value)) => mode = Some(value.to_owned()),
            Some(("ssl-ca" | "ssl_ca", value)) => kept.push(format!("root_cert_path={value}")),
            _ => kept.push(part.to_owned()),
        }
    }
    let query = if kept.is_empty() { String::new() } else { format!("?{}", kept.join("&")) };
    (format!("{base}{query}"), mode)
}

fn configure(source: &str, group: ClientGroup) -> Result<Source> {
    let (url, mode) = client_url(source);
    let Ok(options) = Opts::from_url(&url) else {
        bail!("cannot read the data source name: expected mysql://USER@HOST:PORT");
    };
    let ca = options.get_ssl_opts().and_then(|ssl| ssl.root_cert_path());
    let tls = Tls::new(&group, ca, mode.as_deref())?;
    if options.get_pass().is_some() {
        bail!(
            "a password on the command line is visible to every user: use [client] in ~/.my.cnf, or MYSQL_PWD"
        );
    }
    let user = options.get_user().map(str::to_owned).or(group.user);
    let user = user.or_else(|| std::env::var("USER").ok()).unwrap_or_else(|| "root".into());
    let host = options.get_ip_or_hostname().to_string();
    let port = options.get_tcp_port();
    let socket = options.get_socket().map(str::to_owned);
    let socket = socket.or_else(|| group.socket.filter(|_| host == "localhost"));
    let name = match &socket {
        Some(socket) => format!("mysql://{user}@{host}?socket={socket}"),
        None => format!("mysql://{user}@{host}:{port}"),
    };
    let key = options.get_server_key_path().map(Path::to_path_buf);
    let judged = socket.as_ref().filter(|_| group.password.is_some()).map(|path| judged(Path::new(path)));
    let judged = judged.transpose()?;
    let way = match &socket {
        Some(_) => Way::Socket,
        None if is_local(&host) && !tls.verify && at_port_is(SERVER_USER, port) => Way::Loopback,
        None => Way::Network,
    };
    // Whatever the name says: no certificate is taken unseen.
    let builder = OptsBuilder::from_opts(options)
        .ssl_opts(None::<SslOpts>)
        .user(Some(user))
        .pass(group.password)
        // Whatever the name says: a password in clear, or in the form of before 2003, is not sent.
        .enable_cleartext_plugin(false)
        .secure_auth(true)
        .tcp_keepalive_time_ms(Some(5000))
        .max_allowed_packet(Some(PACKET_BYTES))
        // Whatever the server says of its socket: the path would be its own choice.
        .prefer_socket(false)
        .init(vec!["set session transaction read only"]);
    let options = match way {
        Way::Network => builder.server_key_path(key.or_else(|| Some(NO_KEY.into()))),
        _ => builder.socket(judged.as_ref().map(Socket::path).or(socket)),
    };
    Ok(Source { options, tls, way, name, judged })
}

/// Over a socket the client tells the password itself where the server asks for it.
fn judged(path: &Path) -> Result<Socket> {
    let socket = Socket::open(path)?;
    let stream = socket.connect().with_context(|| format!("open {}", path.display()))?;
    if !socket.is_of(SERVER_USER, &stream)? {
        bail!(
            "who listens at {} is neither root nor the user {SERVER_USER}, and could be told the password: start the server \
             as {SERVER_USER}, or let its socket be in a directory that only its own user writes to",
            path.display()
        );
    }
    Ok(socket)
}

/// What is said to this host is not heard by others.
fn is_local(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.to_canonical().is_loopback())
}

/// Of an answer that is longer no more rows are read: a server has some hundreds of counters, and rarely thousands of logs.
const ROWS: usize = 100_000;
/// The longest packet that is taken, bytes: a row of a name and a number.
const PACKET_BYTES: usize = 1 << 20;

fn read(connection: &mut Conn) -> Result<BTreeMap<String, f64>> {
    let mut values = BTreeMap::new();
    let answer = connection.query_iter(STATUS).context("the server did not answer show global status")?;
    for row in answer.take(ROWS) {
        let row = row.context("the server did not answer show global status")?;
        // A counter that is no text is none of those that are wanted.
        let Ok((name, value)) = mysql::from_row_opt::<(String, String)>(row) else { continue };
        if let (true, Ok(value)) = (is_wanted(&name), value.parse()) {
            values.insert(name.to_ascii_lowercase(), value);
        }
    }
    // Refused without the privilege, and when there is no binary log: the record has a gap then.
    if let Ok(logs) = connection.query_iter(BINARY_LOGS) {
        let sizes = logs.take(ROWS).map_while(Result::ok).map(|row| row.get_opt::<u64, _>(1)?.ok());
        let mut listed = sizes.peekable();
        if listed.peek().is_some() {
            let bytes = listed.flatten().fold(0, u64::saturating_add);
            values.insert(BINARY_LOG_BYTES.into(), bytes as f64);
        }
    }
    Ok(values)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The cipher of a session that is made as if the server were that far away; empty without TLS.
    pub(crate) fn cipher(source: &str, password: &str, way: Way) -> Result<String> {
        let group = ClientGroup { password: Some(password.into()), ..ClientGroup::default() };
        let made = configure(source, group)?;
        let options = made.options.prefer_socket(false);
        let mut connection = mysql_tls::connect(&options, &made.tls, way).map_err(plain)?;
        let row: Option<(String, String)> =
            connection.query_first("show session status like 'Ssl_cipher'")?;
        Ok(row.context("no status")?.1)
    }

    #[test]
    fn a_password_in_the_name_is_refused_and_not_repeated() {
        let error = configure("mysql://fw:s3cret@db1", ClientGroup::default()).err().unwrap().to_string();
        assert!(error.contains("my.cnf") && !error.contains("s3cret"), "{error}");
        let group = ClientGroup { password: Some("s3cret".into()), ..ClientGroup::default() };
        assert_eq!(configure("mysql://fw@db1:3307", group).unwrap().name, "mysql://fw@db1:3307");
    }

    #[test]
    fn beyond_this_host_no_key_is_taken_from_whoever_answers() {
        let key = |source: &str| {
            let options = Opts::from(configure(source, ClientGroup::default()).unwrap().options);
            assert!(options.get_ssl_opts().is_none(), "{source}");
            assert!(!options.get_enable_cleartext_plugin() && options.get_secure_auth(), "{source}");
            options.get_server_key_path().map(|path| path.display().to_string())
        };
        for far in [
            "mysql://fw@db1?enable_cleartext_plugin=true&secure_auth=false&danger_accept_invalid_certs=true",
            "mysql://fw@192.0.2.1",
        ] {
            assert_eq!(key(far).as_deref(), Some(NO_KEY), "{far}");
        }
        assert_eq!(key("mysql://fw@db1?server_key_path=%2Fk.pem").as_deref(), Some("/k.pem"));
        // At a port of this host neither, unless the server's own user listens there: this one is ours.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let near = format!("mysql://fw@127.0.0.1:{}", listener.local_addr().unwrap().port());
        for near in [near.clone(), format!("{near}?ssl-mode=verify_ca")] {
            assert_eq!(key(&near).as_deref(), Some(NO_KEY), "{near}");
        }
        assert_eq!(key("mysql://fw@db1?socket=%2Fs"), None);
    }
}
