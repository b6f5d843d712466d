//! # What it checks
//! Passes when the kernel failed no path of a multipath map within the last day that carries again now. What comes and
//! goes in the first five minutes after the boot is no fault.
//!
//! # Why it matters
//! A path that failed and came back leaves a healthy map. The I/O that was on it waited for its timeout, and a
//! path that comes and goes makes the whole map slow.
//!
//! # Evidence
//! Kernel log, `device-mapper: multipath: Failing path MAJOR:MINOR`; the paths of the maps.
//!
//! # Remedy
//! The port, cable and switch of that path; `marginal_path` options of multipath.conf for a path that comes and goes.
//!
//! # Source
//! Linux drivers/md/dm-mpath.c (`fail_path`); multipath.conf(5), `marginal_path_err_sample_time`.

use crate::advice::{AdviceExt, because};
use crate::explain;
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Mechanism, Severity};
use fullwire_model::host::{Disk, LogLine, MultipathMap, Path};

pub(super) const RULE: Rule = Rule {
    code: "multipath-path-lost",
    title: "the kernel failed a path of a multipath map",
    layer: Layer::Storage,
    severity: Severity::Warning,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    if run.host.multipath.is_empty() {
        return Vec::new();
    }
    if run.kernel_log_gap().is_some() && run.host.kernel_log.is_empty() {
        return vec![facts::unread("the kernel log")];
    }
    let lines = run.host.kernel_log.iter().filter(|line| line.pattern == "multipath-failed");
    let findings: Vec<Outcome> = lines.filter_map(|line| judge(run, line)).collect();
    if findings.is_empty() { vec![Outcome::Passes] } else { findings }
}

/// Until a host has found all its paths.
const BOOTING_S: f64 = 300.0;

/// The path that the line names by its number.
fn path_of<'a>(run: &'a Run, text: &str) -> Option<&'a Disk> {
    let number = text.split("Failing path ").nth(1)?.split_whitespace().next()?.trim_end_matches('.');
    run.host.disk_by_number(number)
}

fn judge(run: &Run, line: &LogLine) -> Option<Outcome> {
    // The daemon counts remaining paths also when one comes back.
    if !line.text.contains("Failing path") {
        return None;
    }
    // Paths come and go while drivers and fabric start; one that is still down then is named by its state.
    let at_boot = line.seconds.is_some_and(|seconds| seconds < BOOTING_S);
    let severity = match facts::log::age_s(run, line) {
        Some(_) if at_boot && !facts::log::is_of_the_run(run, line) => return None,
        Some(_) if facts::log::is_recent(run, line) => Severity::Warning,
        Some(_) => return None,
        None => Severity::Info,
    };
    let path = path_of(run, &line.text);
    let has_path = |map: &&MultipathMap| {
        let mut paths = map.groups.iter().flat_map(|group| &group.paths);
        path.is_some_and(|disk| paths.any(|path| path.device == disk.name))
    };
    let map = run.host.multipath.iter().find(has_path);
    // A path that is down now is said by `multipath-path-failed`.
    let state = map.into_iter().flat_map(|map| &map.groups).flat_map(|group| &group.paths);
    if state.filter(|one| path.is_some_and(|disk| disk.name == one.device)).any(Path::has_failed) {
        return None;
    }
    let subject = map.map_or("multipath", |map| map.name.as_str());
    let name = path.map_or("a path", |disk| disk.name.as_str());
    let ago = facts::log::ago(run, line);
    let acted = map.filter(|_| facts::log::is_of_the_run(run, line));
    let finding = RULE
        .finding(subject, format!("the kernel failed {name} of {subject}{ago}: {}", line.text))
        .severity(severity)
        .evidence(facts::log::quoted(line), "kernel log")
        .explains(
            acted.into_iter().flat_map(|map| explain::targets_on(run, &map.device, Mechanism::StoragePath)),
        )
        .advice(
            because("Requests on the path waited for a timeout and then took another path.")
                .now("dmesg -T | grep -i multipath; multipath -ll")
                .persist("fix what the path's port, cable or switch reported at that time")
                .expecting("no further line, and all paths active in `multipath -ll`"),
        );
    Some(finding.into())
}
