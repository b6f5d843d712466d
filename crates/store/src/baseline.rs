//! Baselines, and names that stand for several runs.

use crate::store::{GOLDEN, Store};
use crate::{StoreError, sealed};
use rusqlite::{TransactionBehavior, params};

/// A label stands for at most this many runs, the newest.
pub(crate) const MOST_RUNS: u32 = 200;

/// A baseline: one or several runs of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Baseline {
    /// The host.
    pub host: String,
    /// Its name.
    pub name: String,
    /// Its runs, oldest first.
    pub run_ids: Vec<String>,
}

impl Store {
    /// Makes runs of one host that host's baseline of this name, in place of what it was.
    pub fn set_baseline(&mut self, name: &str, run_ids: &[String]) -> Result<(), StoreError> {
        let failed = self.failed("set the baseline");
        let set = |store: &mut Self| {
            let transaction = store.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for run_id in run_ids {
                transaction.execute(
                    "DELETE FROM baseline_run WHERE name = ?1 AND host = (SELECT host FROM run WHERE run_id = ?2)",
                    params![name, run_id],
                )?;
            }
            for run_id in run_ids {
                transaction.execute(
                    "INSERT OR IGNORE INTO baseline_run SELECT host, ?1, run_id FROM run WHERE run_id = ?2",
                    params![name, run_id],
                )?;
            }
            transaction.commit()
        };
        set(self).map_err(failed)
    }

    /// Every baseline, by host and name.
    pub fn baselines(&self) -> Result<Vec<Baseline>, StoreError> {
        let failed = || self.failed("read the baselines");
        let sql = "SELECT baseline_run.host, name, run_id FROM baseline_run JOIN run USING (run_id)
                   ORDER BY baseline_run.host, name, started_us, run.rowid";
        let mut statement = self.connection.prepare(sql).map_err(failed())?;
        let rows =
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).map_err(failed())?;
        let mut list: Vec<(String, String, String)> = Vec::new();
        let text_bytes =
            |(host, name, run_id): &(String, String, String)| host.len() + name.len() + run_id.len();
        sealed::gather(rows, &mut list, text_bytes).map_err(failed())?;
        Ok(grouped(list.into_iter()))
    }

    /// Forgets a host's baseline, not its runs; says whether there was one.
    pub fn clear_baseline(&mut self, host: &str, name: &str) -> Result<bool, StoreError> {
        let cleared = self
            .connection
            .execute("DELETE FROM baseline_run WHERE host = ?1 AND name = ?2", [host, name])
            .map_err(self.failed("clear the baseline"))?;
        Ok(cleared > 0)
    }
}

/// The name of a baseline in `baseline` or `baseline:NAME`.
pub(crate) fn wanted(name: &str) -> Option<&str> {
    let rest = name.strip_prefix("baseline")?;
    rest.strip_prefix(':').or(rest.is_empty().then_some(GOLDEN))
}

/// Rows of host, name and run id, in the order of host and name, by baseline.
pub(crate) fn grouped(rows: impl Iterator<Item = (String, String, String)>) -> Vec<Baseline> {
    let mut found: Vec<Baseline> = Vec::new();
    for (host, name, run_id) in rows {
        match found.last_mut().filter(|last| last.host == host && last.name == name) {
            Some(last) => last.run_ids.push(run_id),
            None => found.push(Baseline { host, name, run_ids: vec![run_id] }),
        }
    }
    found
}

/// The one baseline of this name: of this host, or the only one.
pub(crate) fn resolve_baseline(
    mut found: Vec<Baseline>,
    name: &str,
    host: Option<&str>,
) -> Result<Vec<String>, StoreError> {
    found.retain(|one| one.name == name && host.is_none_or(|host| one.host == host));
    match found.len() {
        1 => Ok(found.swap_remove(0).run_ids),
        0 => {
            Err(StoreError::NoBaseline { host: host.unwrap_or("any host").to_owned(), name: name.to_owned() })
        }
        _ => Err(StoreError::Ambiguous {
            prefix: format!("baseline {name}"),
            candidates: found.into_iter().map(|one| one.host).collect::<Vec<_>>().join(", "),
        }),
    }
}
