//! An estate for Prometheus: by host, and single paths only while they are bad. A series for each pair would be n².

use super::value::{Family, FamilyKind, Point};
use fullwire_model::estate::{Estate, EstateHost, PathKind};

/// Of bad paths at most this many have a series each; the count says how many there are.
const MOST_PATHS: usize = 100;

/// All families of an estate.
pub fn estate(estate: &Estate) -> Vec<Family> {
    let by_host =
        |name: &str, unit: Option<&'static str>, help: &str, value: &dyn Fn(&EstateHost) -> Option<f64>| {
            let point = |host: &EstateHost| {
                let value = value(host).filter(|value| value.is_finite())?;
                Some(Point { labels: vec![("host".into(), crate::harmless(&host.name))], value })
            };
            family(name, unit, help, estate.hosts.iter().filter_map(point).collect())
        };
    let rate = Some("bytes_per_second");
    let leading = estate.coordinator.as_ref().is_some_and(|one| one.leading);
    let last = estate.rounds.iter().find_map(|round| round.ended);
    let mut families = vec![
        single(
            "fullwire_estate_coordinator_up",
            "1 while a coordinator plans rounds",
            f64::from(u8::from(leading)),
        ),
        by_host("fullwire_estate_host_up", None, "1 while the agent of the host is heard", &|host| {
            Some(f64::from(u8::from(host.present)))
        }),
        by_host(
            "fullwire_estate_host_last_seen_timestamp_seconds",
            Some("seconds"),
            "When the host was heard last",
            &|host| host.last_seen.map(|seen| seen.as_second() as f64),
        ),
        by_host("fullwire_estate_host_results_unsent", None, "Results that wait on the host", &|host| {
            Some(host.unsent as f64)
        }),
        by_host(
            "fullwire_estate_host_paths_bad",
            None,
            "Paths that begin or end at the host and are bad",
            &|host| Some(host.bad_paths as f64),
        ),
        by_host(
            "fullwire_estate_host_throughput_median_bytes_per_second",
            rate,
            "Median of the last streams that begin at the host",
            &|host| host.throughput_median_bytes_per_s,
        ),
        by_host(
            "fullwire_estate_host_throughput_worst_bytes_per_second",
            rate,
            "Slowest of the last streams that begin at the host",
            &|host| host.throughput_worst_bytes_per_s,
        ),
        by_host(
            "fullwire_estate_host_round_trip_worst_seconds",
            Some("seconds"),
            "Longest of the last median round trips that begin at the host",
            &|host| host.round_trip_worst_ns.map(|ns| ns * 1e-9),
        ),
        single("fullwire_estate_paths_bad", "Paths that are bad", estate.bad.len() as f64),
    ];
    if let Some(ended) = last {
        families.push(family(
            "fullwire_estate_round_ended_timestamp_seconds",
            Some("seconds"),
            "When the last round ended",
            vec![Point { labels: Vec::new(), value: ended.as_second() as f64 }],
        ));
    }
    families.push(bad(estate));
    families.retain(|family| !family.points.is_empty());
    families
}

fn bad(estate: &Estate) -> Family {
    let mut points: Vec<Point> = Vec::new();
    for path in estate.bad.iter().take(MOST_PATHS) {
        let kind = if path.kind == PathKind::Stream { "stream" } else { "light" };
        let labels =
            [("from", path.from.as_str()), ("to", &path.to), ("network", &path.network), ("kind", kind)];
        let labels = labels.map(|(name, value)| (name.to_owned(), crate::harmless(value))).to_vec();
        points.push(Point { labels, value: path.since.as_second() as f64 });
    }
    let help = "Since when the path is bad; there is no series while it is good";
    family("fullwire_estate_path_bad_since_timestamp_seconds", Some("seconds"), help, points)
}

fn single(name: &str, help: &str, value: f64) -> Family {
    family(name, None, help, vec![Point { labels: Vec::new(), value }])
}

fn family(name: &str, unit: Option<&'static str>, help: &str, points: Vec<Point>) -> Family {
    Family { name: name.into(), unit, kind: FamilyKind::Gauge, help: help.into(), points }
}
