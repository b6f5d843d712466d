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

use crate::Rule;
use crate::database::views;
use crate::prelude::*;

/// Data that is older when a lag is computed from it says nothing of now.
const STALE_S: f64 = 60.0;

/// What a standby reports of one of its lags: a finding where it is `most_s` or more. Nothing on a primary, which lists the
/// names without values.
fn lag(
    run: &Run,
    rule: &Rule,
    name: &str,
    most_s: f64,
    message: fn(&str) -> String,
    advice: fn() -> Advice,
) -> Vec<Outcome> {
    let Some(views) = views::standby(run) else { return Vec::new() };
    let is_standby = views.database.as_ref().is_some_and(|database| database.role.contains("STANDBY"));
    let missing = |outcome| if is_standby { vec![outcome] } else { Vec::new() };
    let unknown = |why: String| unknown!("{} {why}", views.source());
    let Some(stats) = &views.dataguard else { return missing(views::missing(views, "v$dataguard_stats")) };
    let Some(stat) = stats.iter().find(|stat| stat.name == name) else {
        return missing(unknown(format!("lists no {name}")));
    };
    let Some(seconds) = stat.seconds else { return missing(unknown(format!("lists no value of {name}"))) };
    vec![match stat.datum_age_s {
        Some(age) if age > STALE_S => unknown(format!(
            "computes the {name} from data that is {age:.0} s old: the primary does not reach the standby"
        )),
        _ if seconds < most_s => Outcome::Passes,
        _ => {
            let database = Kind::Database.named(views::database_name(views));
            rule.finding(database, message(&words::duration(seconds)))
                .measured(seconds, most_s, Unit::S)
                .evidence(format!("{name} {}", stat.value), views.source())
                .advice(advice())
                .into()
        }
    }]
}
