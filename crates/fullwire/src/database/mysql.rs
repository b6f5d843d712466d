//! The client for MySQL and MariaDB.

use super::secret::{ClientGroup, mysql_client};
use super::{CONNECT_TIMEOUT, Sampling, readings};
use anyhow::{Context, Result, bail};
use fullwire_demand::redo::mysql::{STATUS, is_wanted, reckon_window};
use fullwire_model::demand::{Demand, RedoHistory};
use mysql::prelude::Queryable;
use mysql::{Conn, Opts, OptsBuilder};
use std::collections::BTreeMap;

/// Reads a server's status counters for a window.
pub(super) fn sample(
    source: &str,
    sampling: Sampling,
    stop: &dyn Fn() -> bool,
) -> Result<(RedoHistory, Demand)> {
    let (options, name) = configure(source, mysql_client())?;
    let mut connection =
        Conn::new(options).map_err(plain).with_context(|| format!("cannot connect to {name}"))?;
    let readings = readings(sampling, stop, || read(&mut connection))?;
    Ok(reckon_window(&name, &readings, sampling.headroom))
}

/// The server's own sentence instead of the client's picture of it.
fn plain(error: mysql::Error) -> anyhow::Error {
    match error {
        mysql::Error::MySqlError(error) => anyhow::anyhow!("{} ({})", error.message, error.code),
        other => other.into(),
    }
}

/// The connection, and the name that may be shown and kept.
fn configure(source: &str, group: ClientGroup) -> Result<(OptsBuilder, String)> {
    let url = source.replacen("mariadb://", "mysql://", 1);
    let Ok(options) = Opts::from_url(&url) else {
        bail!("cannot read the data source name: expected mysql://USER@HOST:PORT");
    };
    if options.get_pass().is_some() {
        bail!(
            "a password on the command line is seen by every user: use [client] of ~/.my.cnf, or MYSQL_PWD"
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
    let builder = OptsBuilder::from_opts(options)
        .user(Some(user))
        .pass(group.password)
        .socket(socket)
        .tcp_connect_timeout(Some(CONNECT_TIMEOUT))
        .read_timeout(Some(CONNECT_TIMEOUT))
        .write_timeout(Some(CONNECT_TIMEOUT));
    Ok((builder, name))
}

fn read(connection: &mut Conn) -> Result<BTreeMap<String, f64>> {
    let rows: Vec<(String, String)> =
        connection.query(STATUS).context("the server did not answer show global status")?;
    let wanted = rows.into_iter().filter(|(name, _)| is_wanted(name));
    Ok(wanted.filter_map(|(name, value)| Some((name.to_ascii_lowercase(), value.parse().ok()?))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_in_the_name_is_refused_and_not_repeated() {
        let error = configure("mysql://fw:s3cret@db1", ClientGroup::default()).unwrap_err().to_string();
        assert!(error.contains("my.cnf") && !error.contains("s3cret"), "{error}");
        let group = ClientGroup { password: Some("s3cret".into()), ..ClientGroup::default() };
        let (_, name) = configure("mysql://fw@db1:3307", group).unwrap();
        assert_eq!(name, "mysql://fw@db1:3307");
    }
}
