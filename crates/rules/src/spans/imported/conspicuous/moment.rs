//! What a file of one record says where nothing of it is conspicuous.

use super::super::{ms, nfs};
use super::{BUSY, CPUS, Figure, File, find};
use crate::answer::capital;
use crate::facts::percent;
use fullwire_model::format::counted;

/// What a file of one record says where nothing of it is conspicuous: no rule judges one, and its figures are what its reader
/// looks for.
pub(super) fn moment(file: &File<'_>) -> Option<Figure> {
    let one =
        |area: &str, subject: &str, metric: &str| match find(file, area, subject, metric)?.samples.as_slice()
        {
            [only] => Some(only.value),
            _ => None,
        };
    let database = |metric: &str| one("database", "", metric);
    let mut said: Vec<String> = Vec::new();
    if let (Some(per_s), Some(each)) = (database("transactions_per_s"), database("transaction_ns")) {
        let clients = database("clients")
            .map_or(String::new(), |count| format!("{}, ", counted(count.round(), "client")));
        said.push(format!("{clients}{per_s:.0} transactions a second, {} each", ms(each)));
    }
    let load = |metric: &str| one("system", "", metric);
    if let (Some(one), Some(five), Some(fifteen)) = (load("ldavg_1"), load("ldavg_5"), load("ldavg_15")) {
        said.push(format!("load average {one}, {five} and {fifteen} over 1, 5 and 15 minutes"));
    }
    let cpus = file.of.keys().filter(|(area, _)| *area == "cpu").take(CPUS);
    said.extend(cpus.filter_map(|(_, cpu)| {
        let name = if *cpu == "all" { "CPUs".to_owned() } else { format!("CPU {cpu}") };
        Some(format!("{name} {} idle", percent(one("cpu", cpu, "idle_ratio")?)))
    }));
    said.extend(["disk", "nic"].into_iter().filter_map(|area| busiest(file, area)));
    let nfs = nfs::slowest(file).filter(|_| file.series.iter().all(|one| one.samples.len() == 1));
    let told: Vec<String> =
        (!said.is_empty()).then(|| capital(&said.join("; "))).into_iter().chain(nfs).collect();
    (!told.is_empty()).then(|| Figure { weight: 0.0, text: format!("{}.", told.join("; ")) })
}

/// The disk or interface of one record that is busy for most of the time.
fn busiest(file: &File<'_>, area: &str) -> Option<String> {
    let only = |name: &str, metric: &str| match find(file, area, name, metric)?.samples.as_slice() {
        [only] => Some(only.value),
        _ => None,
    };
    let names = file.of.keys().filter(|(own, _)| *own == area).map(|(_, name)| *name);
    let busy = names.filter_map(|name| Some((name, only(name, "util_ratio")?)));
    let (name, ratio) = busy.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
    let waits =
        ["read_await_ns", "write_await_ns", "await_ns"].into_iter().filter_map(|wait| only(name, wait));
    let wait = waits.reduce(f64::max).map_or(String::new(), |ns| format!(", up to {} a request", ms(ns)));
    (ratio >= BUSY).then(|| format!("{name} is busy {} of the time{wait}", percent(ratio)))
}
