//! # What it checks
//! Passes when `max_sectors_kb` of data disks is at least 1024 where `max_hw_sectors_kb` allows it. A stack of
//! devices, whose requests one remedy raises, is one finding.
//!
//! # Why it matters
//! A scan of 1 MiB, the largest read of a database, is split; on a high-latency link each piece costs its
//! own round trip.
//!
//! # Evidence
//! `queue/max_sectors_kb`, `queue/max_hw_sectors_kb`.
//!
//! # Remedy
//! `echo 1024 > /sys/block/X/queue/max_sectors_kb`, or multipath.conf.
//!
//! # Source
//! Linux Documentation/ABI/stable/sysfs-block, `max_sectors_kb`; NetApp ontap-apps-dbs, lvm-striping.adoc (1
//! MB I/O).

use crate::advice::{AdviceExt, set_max_request};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::{Disk, Host};
use fullwire_model::quantity::Unit;
use std::collections::BTreeMap;

pub(super) const RULE: Rule = Rule {
    code: "queue-max-request",
    title: "max_sectors_kb is below 1 MiB although the device accepts more",
    layer: Layer::Storage,
    severity: Severity::Info,
    check,
};

/// The largest I/O of the databases; see Source.
const WANTED_BYTES: u64 = 1 << 20;

fn check(run: &Facts) -> Vec<Outcome> {
    let data = facts::data_devices(run);
    let host = &run.host;
    let judged =
        host.disks.iter().filter(|disk| data.contains(disk.name.as_str()) && disk.partition.is_none());
    let mut outcomes = Vec::new();
    let mut low: Vec<Low> = Vec::new();
    for disk in judged {
        match judge(disk) {
            Ok(one) => low.extend(one),
            Err(unread) => outcomes.push(unread),
        }
    }
    if low.is_empty()
        && outcomes.is_empty()
        && host.disks.iter().any(|disk| data.contains(disk.name.as_str()))
    {
        outcomes.push(Outcome::Passes);
    }
    outcomes.extend(stacks(host, &low).iter().map(|stack| fires(host, stack)));
    outcomes
}

/// A device with its limit and its hardware's, bytes.
struct Low<'a> {
    disk: &'a Disk,
    set: u64,
    hardware: u64,
}

fn judge(disk: &Disk) -> Result<Option<Low<'_>>, Outcome> {
    let queue = disk.queue.as_ref();
    let (Some(set), Some(hardware)) =
        (queue.and_then(|queue| queue.max_request_bytes), queue.and_then(|queue| queue.max_hw_request_bytes))
    else {
        return Err(facts::unread(&format!("max_sectors_kb of {}", disk.name)));
    };
    Ok((set < WANTED_BYTES.min(hardware)).then_some(Low { disk, set, hardware }))
}

/// The devices of each stack, its top first: one remedy raises them all. Maps of one product have one line of
/// multipath.conf.
fn stacks<'l, 'a>(host: &'a Host, low: &'l [Low<'a>]) -> Vec<Vec<&'l Low<'a>>> {
    let of = |name: &str| low.iter().find(|one| one.disk.name == name);
    let is_top = |one: &&Low| !one.disk.holders.iter().any(|holder| of(holder).is_some());
    let mut stacks: Vec<Vec<&Low>> = Vec::new();
    let mut by_product: BTreeMap<&str, usize> = BTreeMap::new();
    for top in low.iter().filter(is_top) {
        let own = host.stack(&top.disk.name).into_iter().filter_map(|disk| of(&disk.name));
        let map = host.multipath.iter().find(|map| map.device == top.disk.name);
        match map.map(|map| map.product.as_str()).filter(|product| !product.is_empty()) {
            Some(product) => {
                let place = *by_product.entry(product).or_insert_with(|| {
                    stacks.push(Vec::new());
                    stacks.len() - 1
                });
                stacks[place].extend(own);
            }
            None => stacks.push(own.collect()),
        }
    }
    stacks
}

fn fires(host: &Host, stack: &[&Low]) -> Outcome {
    let names: Vec<&str> = stack.iter().map(|one| called(one.disk)).collect();
    let top = stack[0];
    let accept = if names.len() == 1 { "accepts" } else { "accept" };
    let finding = RULE
        .finding(
            &top.disk.name,
            format!(
                "{} {accept} requests of at most {} (max_sectors_kb {}), the hardware {}",
                facts::listed(&names),
                facts::size(top.set),
                top.set >> 10,
                facts::size(top.hardware)
            ),
        )
        .also(stack[1..].iter().map(|one| one.disk.name.as_str()))
        .measured(top.set as f64, WANTED_BYTES.min(top.hardware) as f64, Unit::Bytes)
        .evidence(
            format!("max_sectors_kb {}, max_hw_sectors_kb {}", top.set >> 10, top.hardware >> 10),
            format!("/sys/block/{}/queue", top.disk.name),
        );
    let wanted = WANTED_BYTES.min(top.hardware);
    let why = "Smaller requests mean more of them for the same bytes.";
    finding
        .advice(
            set_max_request(host, &top.disk.name, wanted, why).expecting(
                "one request for a 1 MiB read; `fullwire disk --sweep block` shows the plateau gone",
            ),
        )
        .into()
}

/// A map by its own name.
fn called(disk: &Disk) -> &str {
    disk.dm.as_ref().map(|map| map.name.as_str()).filter(|name| !name.is_empty()).unwrap_or(&disk.name)
}
