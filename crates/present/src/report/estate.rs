//! An estate as sentences and tables.

use super::Table;
use crate::format;
use fullwire_model::estate::{BadPath, Estate, EstateHost, PathKind};
use jiff::Timestamp;

/// More bad paths than this are only counted: with that many, look at hosts and uplinks.
const MOST_BAD: usize = 200;

/// What matters first, in sentences.
pub fn estate_summary(estate: &Estate) -> Vec<String> {
    let absent = estate.hosts.iter().filter(|host| !host.present).count();
    let heard = estate.coordinator.as_ref().is_some_and(|one| one.leading);
    let mut sentences = vec![match (estate.hosts.len(), absent) {
        (0, _) => "No host was ever heard: fullwire estate enrol HOST takes one in.".to_owned(),
        (hosts, _) if !heard => format!("{hosts} hosts; which are present is unknown without a coordinator."),
        (hosts, 0) => format!("{hosts} hosts, all present."),
        (hosts, absent) => format!("{hosts} hosts, {absent} absent."),
    }];
    sentences.push(match estate.bad.len() {
        0 => "No path is bad.".to_owned(),
        1 => "1 path is bad.".to_owned(),
        bad => format!("{bad} paths are bad."),
    });
    match &estate.coordinator {
        Some(one) if one.leading => {
            sentences.push(format!("{} coordinates since {}.", one.host, minute(one.since)));
        }
        Some(one) => sentences.push(format!("No coordinator is running: the last one was {}.", one.host)),
        None => sentences.push("No coordinator has ever run.".to_owned()),
    }
    let unsent: u64 = estate.hosts.iter().map(|host| host.unsent).fold(0, u64::saturating_add);
    if unsent > 0 {
        sentences.push(format!("{unsent} results wait on their hosts."));
    }
    sentences
}

/// Paths that are bad now, and since when.
pub fn bad_paths(estate: &Estate) -> Table {
    let mut table =
        Table::new("Bad paths", &["from", "to", "network", "since (UTC)", "#now", "#before", "why", "run"]);
    table.rows = estate.bad.iter().take(MOST_BAD).map(bad_row).collect();
    if estate.bad.len() > MOST_BAD {
        let mut more = vec![String::new(); 8];
        more[0] = format!("and {} more", estate.bad.len() - MOST_BAD);
        table.rows.push(more);
    }
    table
}

/// The hosts.
pub fn estate_hosts(estate: &Estate) -> Table {
    let columns = [
        "host", "state", "heard (UTC)", "#bad paths", "#sends", "#worst", "#round trip", "version", "trouble",
    ];
    let mut table = Table::new("Hosts", &columns);
    let heard = estate.coordinator.as_ref().is_some_and(|one| one.leading);
    table.rows = estate.hosts.iter().map(|host| host_row(host, estate.at, heard)).collect();
    table
}

/// The newest rounds.
pub fn estate_rounds(estate: &Estate) -> Table {
    let mut table = Table::new("Rounds", &["round", "began (UTC)", "#took", "state"]);
    let row = |round: &fullwire_model::estate::EstateRound| {
        let took = round.ended.map(|ended| ended.duration_since(round.started).as_secs_f64());
        vec![
            round.round_id.clone(),
            minute(round.started),
            took.map(format::duration).unwrap_or_default(),
            round.state.clone(),
        ]
    };
    table.rows = estate.rounds.iter().map(row).collect();
    table
}

fn bad_row(bad: &BadPath) -> Vec<String> {
    let figure = |value: Option<f64>| {
        value.map(|value| match bad.kind {
            PathKind::Stream => format::rate(value),
            PathKind::Light => format::time(value),
        })
    };
    let since = if bad.always { format!("{} or before", minute(bad.since)) } else { minute(bad.since) };
    vec![
        bad.from.clone(),
        bad.to.clone(),
        bad.network.clone(),
        since,
        figure(bad.value).unwrap_or_default(),
        figure(bad.before).unwrap_or_default(),
        bad.why.clone(),
        bad.run_id.clone(),
    ]
}

fn host_row(host: &EstateHost, at: Timestamp, heard: bool) -> Vec<String> {
    let rate = |value: Option<f64>| value.map(format::rate).unwrap_or_default();
    vec![
        host.name.clone(),
        match (host.present, heard) {
            (true, _) => "present",
            (false, true) => "absent",
            (false, false) => "unknown",
        }
        .to_owned(),
        host.last_seen.map(|seen| lately(seen, at)).unwrap_or_default(),
        host.bad_paths.to_string(),
        rate(host.throughput_median_bytes_per_s),
        rate(host.throughput_worst_bytes_per_s),
        host.round_trip_median_ns.map(format::time).unwrap_or_default(),
        host.version.clone(),
        host.trouble.clone(),
    ]
}

/// The day only where it is another one.
fn lately(time: Timestamp, now: Timestamp) -> String {
    let day = |time: Timestamp| time.strftime("%Y-%m-%d").to_string();
    let form = if day(time) == day(now) { "%H:%M" } else { "%m-%d %H:%M" };
    time.strftime(form).to_string()
}

fn minute(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M").to_string()
}
