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
use fullwire_model::demand::{DataguardStat, OracleViews};

/// Data that is older when a lag is computed from it says nothing of now.
const STALE_S: f64 = 60.0;

/// A lag that a standby reports; the outcome when it reports none that can be believed, `None` on a primary.
fn lag<'a>(views: &'a OracleViews, name: &str) -> Option<Result<(f64, &'a DataguardStat), Outcome>> {
    let is_standby = views.database.as_ref().is_some_and(|database| database.role.contains("STANDBY"));
    let Some(stats) = &views.dataguard else {
        return is_standby.then(|| Err(views::missing(views, "v$dataguard_stats")));
    };
    let Some(stat) = stats.iter().find(|stat| stat.name == name) else {
        return is_standby.then(|| Err(Outcome::Unknown(format!("{} lists no {name}", views.source()))));
    };
    let Some(seconds) = stat.seconds else {
        // A primary lists the names without values.
        return is_standby
            .then(|| Err(Outcome::Unknown(format!("{} lists no value of {name}", views.source()))));
    };
    match stat.datum_age_s {
        Some(age) if age > STALE_S => Some(Err(Outcome::Unknown(format!(
            "{} computes the {name} from data that is {age:.0} s old: the primary does not reach the standby",
            views.source()
        )))),
        _ => Some(Ok((seconds, stat))),
    }
}
