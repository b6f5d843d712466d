//! Baselines in the shared store.

use super::Shared;
use crate::{Baseline, StoreError};

impl Shared {
    /// As [`crate::Store::set_baseline`].
    pub fn set_baseline(&mut self, name: &str, run_ids: &[String]) -> Result<(), StoreError> {
        let failed = self.failed("set the baseline");
        let run_ids = run_ids.to_vec();
        let outcome = self.runtime.block_on(async {
            let transaction = self.client.transaction().await?;
            transaction
                .execute(
                    "DELETE FROM baseline_run WHERE name = $1
                     AND host IN (SELECT host FROM run WHERE run_id = ANY ($2))",
                    &[&name, &run_ids],
                )
                .await?;
            transaction
                .execute(
                    "INSERT INTO baseline_run SELECT DISTINCT host, $1::text, run_id FROM run WHERE run_id = ANY ($2)
                     ON CONFLICT DO NOTHING",
                    &[&name, &run_ids],
                )
                .await?;
            transaction.commit().await
        });
        outcome.map_err(failed)
    }

    /// As [`crate::Store::baselines`].
    pub fn baselines(&self) -> Result<Vec<Baseline>, StoreError> {
        let rows = self.query(
            "read the baselines",
            "SELECT baseline_run.host, name, run_id FROM baseline_run JOIN run USING (run_id)
             ORDER BY baseline_run.host, name, started, run_id",
            &[],
        )?;
        Ok(crate::baseline::grouped(rows.iter().map(|row| (row.get(0), row.get(1), row.get(2)))))
    }

    /// As [`crate::Store::clear_baseline`].
    pub fn clear_baseline(&mut self, host: &str, name: &str) -> Result<bool, StoreError> {
        let sql = "DELETE FROM baseline_run WHERE host = $1 AND name = $2";
        Ok(self.execute("clear the baseline", sql, &[&host, &name])? > 0)
    }
}
