//! # What it checks
//! Passes when the kernel's IPv4 neighbour (ARP) table contains less than nine tenths of `gc_thresh3`, and did not
//! overflow during a window.
//!
//! # Why it matters
//! Packets to a neighbour that finds no room are dropped: "Neighbour table overflow" in the kernel log,
//! connections within a large subnet that hang at random.
//!
//! # Evidence
//! `entries` and `table_fulls` of `/proc/net/stat/arp_cache`; `net.ipv4.neigh.default.gc_thresh3`.
//!
//! # Remedy
//! Raise `gc_thresh1`, `gc_thresh2` and `gc_thresh3` together.
//!
//! # Source
//! Linux Documentation/networking/ip-sysctl.rst, `neigh/default/gc_thresh1` to `gc_thresh3` (default 1024);
//! net/core/neighbour.c, `table_fulls`.

use crate::advice::set_sysctls;
use crate::facts::{side, words};
use crate::{Facts, FindingExt, Outcome, Rule};
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "neighbour-table-full",
    title: "the neighbour table is nearly full or overflowed",
    layer: Layer::Network,
    severity: Severity::Warning,
    check,
};

const NAME: &str = "net.ipv4.neigh.default.gc_thresh3";
/// Share of the table from which it is about to overflow.
const NEARLY: f64 = 0.9;

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(own) = side::sides(run).into_iter().next() else { return Vec::new() };
    let most = own.windows.iter().filter_map(|window| window.to.neighbours).max();
    let overflows = own.growth(|counters| counters.neighbour_overflows).map_or(0, |growth| growth.count);
    let (Some(entries), Some(room)) = (most, run.host.sysctl_number(NAME)) else {
        return vec![Outcome::Unknown("the neighbour table was not counted".into())];
    };
    if overflows == 0 && (entries as f64) < NEARLY * room as f64 {
        return vec![Outcome::Passes];
    }
    let wanted = (room * 4).max(4096);
    let text = if overflows > 0 {
        format!(
            "the neighbour table overflowed {}: {entries} entries, room for {room}",
            words::times(overflows)
        )
    } else {
        format!("the neighbour table has {entries} of {room} entries in use")
    };
    vec![
        RULE.finding(NAME, text)
            .measured(entries as f64, room as f64, Unit::Count)
            .evidence(
                format!("entries {entries}, table_fulls +{overflows}, {NAME} = {room}"),
                "/proc/net/stat/arp_cache",
            )
            .advice(set_sysctls(
                &run.host,
                &[
                    (NAME, wanted.to_string()),
                    ("net.ipv4.neigh.default.gc_thresh2", (wanted / 2).to_string()),
                    ("net.ipv4.neigh.default.gc_thresh1", (wanted / 4).to_string()),
                ],
                "A neighbour that does not fit into the table cannot be reached.",
                "no \"Neighbour table overflow\" in the kernel log",
            ))
            .into(),
    ]
}
