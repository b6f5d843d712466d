//! The schema: made and brought up to date by a role that owns it, read and checked by everyone else.

use super::{SCHEMA, Shared, partition};
use crate::StoreError;

/// Schema changes in order; `migration` has a row for each that was made.
const MIGRATIONS: &[&str] =
    &[include_str!("../schema/postgres/001_estate.sql"), include_str!("../schema/postgres/002_lease.sql")];

/// The newest schema that this program knows.
#[expect(clippy::cast_possible_wrap, clippy::cast_possible_truncation, reason = "a handful")]
pub const KNOWN: i32 = MIGRATIONS.len() as i32;

/// The oldest server that has all that is used here.
const OLDEST_SERVER: i32 = 130_000;

/// Two that migrate at once wait for each other. "fullwire" in ASCII, but for the last letter.
const LOCK: i64 = 0x6675_6c6c_7769_7264;

/// Owners that are not trusted, from the catalog alone: its schema comes before any other of a search path.
const OWNERS: &str = "
    WITH owners AS (
        SELECT nspowner AS owner FROM pg_catalog.pg_namespace WHERE nspname = $1
        UNION SELECT relowner FROM pg_catalog.pg_class
            JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1)
    SELECT pg_catalog.pg_get_userbyid(owner)::text FROM owners, pg_catalog.pg_roles AS self
    WHERE self.rolname = current_user AND owner <> self.oid
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE oid = owner AND rolsuper)
        AND (self.rolsuper OR NOT pg_catalog.pg_has_role(owner, 'usage')
            AND owner <> (SELECT datdba FROM pg_catalog.pg_database WHERE datname = current_database()))
    LIMIT 1";

impl Shared {
    /// That nobody who is not trusted owns the schema or anything in it. Tables run code of their owner as whoever reads or
    /// writes them: triggers, rules, defaults, and a view in a table's place. A superuser trusts superusers alone; others also
    /// trust roles that they are members of, and whoever owns the database.
    fn check_owners(&self) -> Result<(), StoreError> {
        let rows = self.query("see whose the schema is", OWNERS, &[&SCHEMA])?;
        match rows.first() {
            None => Ok(()),
            Some(row) => Err(StoreError::ForeignSchema { place: self.place.clone(), owner: row.get(0) }),
        }
    }

    /// How many schema changes the store has; `None`: it is not there.
    pub fn schema_version(&self) -> Result<Option<i32>, StoreError> {
        self.check_owners()?;
        let table = format!("{SCHEMA}.migration");
        let there = self.query("read the schema", "SELECT to_regclass($1) IS NOT NULL", &[&table])?;
        if !there[0].get::<_, bool>(0) {
            return Ok(None);
        }
        let rows =
            self.query("read the schema", &format!("SELECT coalesce(max(number), 0) FROM {table}"), &[])?;
        Ok(Some(rows[0].get(0)))
    }

    /// Makes the schema or brings it up to date, with roles and the partitions of the next months. Of two that try, the
    /// second finds it done.
    pub fn migrate(&mut self) -> Result<(), StoreError> {
        const ACTION: &str = "change the schema";
        let server = self.query(ACTION, "SELECT current_setting('server_version_num')::int", &[])?;
        let server: i32 = server[0].get(0);
        if server < OLDEST_SERVER {
            return Err(StoreError::OldServer { place: self.place.clone(), found: server / 10_000 });
        }
        if let Some(found) = self.schema_version()?.filter(|&found| found > KNOWN) {
            return Err(self.newer(found));
        }
        let failed = self.failed(ACTION);
        let outcome = self.runtime.block_on(async {
            let transaction = self.client.transaction().await?;
            transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
            transaction.batch_execute("CREATE SCHEMA IF NOT EXISTS fullwire").await?;
            // It may have been made since it was looked at.
            if let Some(row) = transaction.query_opt(OWNERS, &[&SCHEMA]).await? {
                return Ok(Some(row.get(0)));
            }
            transaction
                .batch_execute(
                    "SET LOCAL search_path = fullwire;
                     CREATE TABLE IF NOT EXISTS migration (
                         number  int         NOT NULL PRIMARY KEY,
                         applied timestamptz NOT NULL DEFAULT now());",
                )
                .await?;
            let have = transaction.query_one("SELECT coalesce(max(number), 0) FROM migration", &[]).await?;
            let have: i32 = have.get(0);
            for (number, sql) in (1..).zip(MIGRATIONS).filter(|(number, _)| *number > have) {
                transaction.batch_execute(sql).await?;
                transaction.execute("INSERT INTO migration VALUES ($1)", &[&number]).await?;
            }
            transaction.batch_execute(&partition::ahead(jiff::Timestamp::now())).await?;
            transaction.batch_execute(include_str!("../schema/postgres/roles.sql")).await?;
            transaction.commit().await?;
            Ok(None)
        });
        match outcome.map_err(failed)? {
            None => Ok(()),
            Some(owner) => Err(StoreError::ForeignSchema { place: self.place.clone(), owner }),
        }
    }
}
