//! Monthly partitions: made ahead, dropped when they are too old.

use super::Shared;
use crate::StoreError;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use std::fmt::Write as _;

/// The tables that grow.
const TABLES: [&str; 2] = ["run", "path"];
/// Months that have their partition before they begin.
const AHEAD: i64 = 2;

impl Shared {
    /// Makes the partitions of this month and the next ones. Needs the owner of the schema.
    pub fn make_partitions(&self, now: Timestamp) -> Result<(), StoreError> {
        self.batch("make the partitions of the next months", &ahead(now))
    }

    /// Months without their own partition, this one and the next: what comes then goes to the default one.
    pub fn missing_partitions(&self, now: Timestamp) -> Result<Vec<String>, StoreError> {
        let wanted = months(now).flat_map(|month| TABLES.map(|table| name(table, month)));
        let mut missing = Vec::new();
        for partition in wanted {
            let rows = self.query(
                "look for partitions",
                "SELECT to_regclass($1) IS NULL",
                &[&format!("fullwire.{partition}")],
            )?;
            if rows[0].get(0) {
                missing.push(partition);
            }
        }
        Ok(missing)
    }

    /// Drops whole months that ended before `before`; runs of a baseline are lost with their month, as every run of it.
    /// Needs the owner of the schema. The names of what was dropped.
    pub fn drop_partitions(&self, before: Timestamp) -> Result<Vec<String>, StoreError> {
        const ACTION: &str = "drop old partitions";
        let limit = first_of_month(before);
        let rows = self.query(
            ACTION,
            "SELECT child.relname::text FROM pg_inherits
             JOIN pg_class child ON child.oid = inhrelid
             JOIN pg_class parent ON parent.oid = inhparent
             JOIN pg_namespace ON pg_namespace.oid = parent.relnamespace
             WHERE nspname = 'fullwire' AND parent.relname = ANY ($1) ORDER BY 1",
            &[&TABLES.to_vec()],
        )?;
        let names = rows.iter().map(|row| row.get::<_, String>(0));
        let old: Vec<String> =
            names.filter(|name| month_of(name).is_some_and(|month| month < limit)).collect();
        for partition in &old {
            self.batch(ACTION, &format!("DROP TABLE fullwire.{partition}"))?;
        }
        if !old.is_empty() {
            self.batch(
                ACTION,
                "DELETE FROM baseline_run WHERE NOT EXISTS
                 (SELECT 1 FROM run WHERE run.run_id = baseline_run.run_id)",
            )?;
        }
        Ok(old)
    }
}

/// As SQL; what is there stays.
pub(super) fn ahead(now: Timestamp) -> String {
    let mut sql = String::new();
    for month in months(now) {
        let next = month.saturating_add(1.month());
        for table in TABLES {
            let _ = writeln!(
                sql,
                "CREATE TABLE IF NOT EXISTS fullwire.{} PARTITION OF fullwire.{table} \
                 FOR VALUES FROM ('{month} 00:00Z') TO ('{next} 00:00Z');",
                name(table, month)
            );
        }
    }
    sql
}

fn months(now: Timestamp) -> impl Iterator<Item = Date> {
    let first = first_of_month(now);
    (0..=AHEAD).map(move |month| first.saturating_add(month.months()))
}

fn first_of_month(time: Timestamp) -> Date {
    time.to_zoned(TimeZone::UTC).date().first_of_month()
}

fn name(table: &str, month: Date) -> String {
    format!("{table}_{:04}_{:02}", month.year(), month.month())
}

fn month_of(partition: &str) -> Option<Date> {
    let mut parts = partition.rsplitn(3, '_');
    let (month, year) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Date::new(year, month, 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_are_whole_months_across_a_year_end() {
        let sql = ahead("2026-12-31T23:59:59Z".parse().unwrap());
        assert!(sql.contains("run_2026_12 PARTITION OF fullwire.run FOR VALUES FROM ('2026-12-01 00:00Z') TO ('2027-01-01 00:00Z')"), "{sql}");
        assert!(sql.contains("path_2027_02 ") && !sql.contains("2027_03"), "{sql}");
        assert_eq!(month_of("run_2026_12"), Date::new(2026, 12, 1).ok());
        assert_eq!(month_of("run_default"), None);
    }
}
