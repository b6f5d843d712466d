//! # What it checks
//! No more checkpoints are requested than come by the clock while the server is watched.
//!
//! # Why it matters
//! A checkpoint is requested when the WAL since the last one nears `max_wal_size`. Each writes all dirty buffers within a
//! shorter time, and the first change of each page thereafter writes the whole page into the WAL: more WAL, sooner the next.
//!
//! # Evidence
//! The growth of both counters over the window. A `CHECKPOINT` by hand and a base backup are requests as well.
//!
//! # Remedy
//! `max_wal_size` as large as the WAL of one `checkpoint_timeout`.
//!
//! # Source
//! PostgreSQL documentation, WAL Configuration (checkpoints that come too close together, `checkpoint_warning`),
//! `pg_stat_checkpointer` (since 17) and `pg_stat_bgwriter` (before).

use crate::advice::{AdviceExt, because};
use crate::database::live;
use crate::{Facts, FindingExt, Outcome, Rule};
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::demand::RedoHistory;

pub(super) const RULE: Rule = Rule {
    code: "postgres-checkpoints-requested",
    title: "PostgreSQL checkpoints for want of WAL space while it is watched",
    layer: Layer::Database,
    severity: Severity::Warning,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    live::watched(run, "postgresql").map(judge).into_iter().collect()
}

fn judge(history: &RedoHistory) -> Outcome {
    let rate = |name: &str| history.rates_per_s.get(name).copied();
    let (Some(requested), Some(timed)) = (rate("checkpoints_requested"), rate("checkpoints_timed")) else {
        return Outcome::Unknown(format!("{} does not tell its checkpoints", history.source));
    };
    if requested <= timed {
        return Outcome::Passes;
    }
    let an_hour = |rate: f64| live::rounded(rate * 3600.0);
    let says = format!(
        "{} checkpoints an hour are requested, {} come by the clock",
        an_hour(requested),
        an_hour(timed)
    );
    RULE.finding(&history.source, says)
        .evidence(
            format!("checkpoints an hour: {} requested, {} timed", an_hour(requested), an_hour(timed)),
            &history.source,
        )
        .advice(
            because("After each checkpoint the first change of every page writes the whole page into the WAL.")
                .now("show max_wal_size; show checkpoint_timeout;")
                .persist("alter system set max_wal_size = '16GB'; select pg_reload_conf();  -- the WAL of one checkpoint_timeout, where the disk has room")
                .undo("alter system reset max_wal_size; select pg_reload_conf();")
                .expecting("checkpoints by the clock, less WAL for the same work"),
        )
        .into()
}
