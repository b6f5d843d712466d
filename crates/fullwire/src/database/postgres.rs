//! The client for PostgreSQL.

use super::secret::{Target, postgres_password};
use super::{CONNECT_TIMEOUT, Sampling, readings};
use anyhow::{Context, Result, bail};
use fullwire_demand::redo::postgres::{VERSION, queries, reckon_window};
use fullwire_model::demand::{Demand, RedoHistory};
use postgres::config::Host;
use postgres::{Client, Config, NoTls};
use std::collections::BTreeMap;

/// Reads a server's WAL counters for a window.
pub(super) fn sample(
    source: &str,
    sampling: Sampling,
    stop: &dyn Fn() -> bool,
) -> Result<(RedoHistory, Demand)> {
    let (config, name) = configure(source)?;
    let mut client = config.connect(NoTls).with_context(|| format!("cannot connect to {name}"))?;
    let version: i32 = client.query_one(VERSION, &[]).context("cannot ask for the server's version")?.get(0);
    let queries = queries(u32::try_from(version).unwrap_or(0));
    let readings = readings(sampling, stop, || read(&mut client, &queries))?;
    Ok(reckon_window(&name, &readings, sampling.headroom))
}

/// The connection, and the name that may be shown and kept.
fn configure(source: &str) -> Result<(Config, String)> {
    // The parser's own error would repeat what it could not read, a password perhaps.
    let Ok(mut config) = source.parse::<Config>() else {
        bail!("cannot read the data source name: expected postgres://USER@HOST:PORT/DATABASE");
    };
    if config.get_password().is_some() {
        bail!(
            "a password on the command line is seen by every user: use PGPASSFILE, ~/.pgpass or PGPASSWORD"
        );
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
    let target = Target { host: &host, port, database: &database, user: &user };
    if let Some(password) = postgres_password(target) {
        config.password(password);
    }
    config.application_name("fullwire").connect_timeout(CONNECT_TIMEOUT);
    let name = format!("postgres://{user}@{host}:{port}/{database}");
    Ok((config, name))
}

/// One row of numbers for each query. What this user may not see is left out; the others answer.
fn read(client: &mut Client, queries: &[&str]) -> Result<BTreeMap<String, f64>> {
    let mut values = BTreeMap::new();
    let mut failure = None;
    for query in queries {
        match client.query_one(*query, &[]) {
            Ok(row) => {
                for (index, column) in row.columns().iter().enumerate() {
                    if let Ok(Some(value)) = row.try_get::<_, Option<f64>>(index) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_in_the_name_is_refused_and_not_repeated() {
        let error = configure("postgres://fw:s3cret@db1/shop").unwrap_err().to_string();
        assert!(error.contains("PGPASSFILE") && !error.contains("s3cret"), "{error}");
        let error = configure("postgres://fw:s3cret@db1:notaport/shop").unwrap_err().to_string();
        assert!(!error.contains("s3cret"), "{error}");
        let (_, name) = configure("postgres://fw@db1:5433/shop").unwrap();
        assert_eq!(name, "postgres://fw@db1:5433/shop");
    }
}
