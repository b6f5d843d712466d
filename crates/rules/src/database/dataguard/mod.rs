//! Data Guard and archiving, from a listing of its views.

rules! {
    archive_destination_error,
    dataguard_apply_lag,
    dataguard_net_timeout,
    dataguard_protection_lost,
    dataguard_standby_log_size,
    dataguard_standby_logs,
    dataguard_transport_lag,
    recovery_area_full,
}

use crate::Outcome;
use crate::database::views;
use fullwire_model::Run;
use fullwire_model::demand::{DataguardStat, OracleViews};

/// Data that is older when a lag is computed from it says nothing of now.
const STALE_S: f64 = 60.0;

/// A lag of `most_s` or more that a standby reports, with the line that says so; else what there is to say of it: nothing on a
/// primary, which lists the names without values.
fn late<'a>(
    run: &'a Run,
    name: &str,
    most_s: f64,
) -> Result<(f64, &'a DataguardStat, &'a OracleViews), Vec<Outcome>> {
    let views = views::standby(run).ok_or_else(Vec::new)?;
    let is_standby = views.database.as_ref().is_some_and(|database| database.role.contains("STANDBY"));
    let missing = |outcome| if is_standby { vec![outcome] } else { Vec::new() };
    let unknown = |why: String| Outcome::Unknown(format!("{} {why}", views.source()));
    let stats =
        views.dataguard.as_ref().ok_or_else(|| missing(views::missing(views, "v$dataguard_stats")))?;
    let stat = stats.iter().find(|stat| stat.name == name);
    let stat = stat.ok_or_else(|| missing(unknown(format!("lists no {name}"))))?;
    let seconds = stat.seconds.ok_or_else(|| missing(unknown(format!("lists no value of {name}"))))?;
    match stat.datum_age_s {
        Some(age) if age > STALE_S => Err(vec![unknown(format!(
            "computes the {name} from data that is {age:.0} s old: the primary does not reach the standby"
        ))]),
        _ if seconds < most_s => Err(vec![Outcome::Passes]),
        _ => Ok((seconds, stat, views)),
    }
}
