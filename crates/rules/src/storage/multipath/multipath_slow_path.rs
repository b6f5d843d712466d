use crate::facts::residence;
use crate::prelude::*;
use fullwire_model::assessment::ShellCommand;
use fullwire_model::disk::{DiskStepResult, LayerStats};
use fullwire_model::host::{MultipathMap, PathGroup};

rule! {
    /// # What it checks
    /// Passes when no path of a map takes more than twice the time per request of its siblings, and at least 1 ms more,
    /// over 100 requests or more on each.
    ///
    /// # Why it matters
    /// The whole map is as slow as the share that takes the bad path: a degrading transceiver or a congested
    /// switch port shows here before it fails.
    ///
    /// # Evidence
    /// Mean time per request of each path during the probes (`/proc/diskstats`).
    ///
    /// # Remedy
    /// Compare the port's error counters, speed and route with its siblings'; take the path out (`offline` to the state of its
    /// SCSI device) until it is repaired. `multipathd fail path` holds until the next check only, which finds the path well.
    ///
    /// # Source
    /// Perseus (FAST '23): fail-slow is found by comparison with siblings, not by an absolute bound; Linux
    /// Documentation/admin-guide/iostats.rst. multipath-tools multipathd/main.c, `check_path` (a path whose checker says up is
    /// reinstated); Linux `drivers/scsi/scsi_sysfs.c` (`state`).
    code: "multipath-slow-path",
    title: "one path is slower than the others",
    layer: Storage, severity: Warning, on: [Disk], limits: [StoragePath],

    /// I/Os of which a mean time means something.
    const ENOUGH_IOS: u64 = 100;
    /// Times the usual path's time (own choice).
    const SLOWER: f64 = 2.0;
    /// And this much longer, ms; less is scatter (own choice).
    const SLOWER_MS: f64 = 1.0;
}

fn check(run: &Facts) -> Vec<Outcome> {
    run.host
        .multipath
        .iter()
        .flat_map(|map| {
            map.groups.iter().filter(|group| group.paths.len() > 1).map(|group| judge(run, map, group))
        })
        .collect()
}

fn judge(run: &Run, map: &MultipathMap, group: &PathGroup) -> Outcome {
    let windows = facts::probe_windows_on(run, &map.device);
    let timed: Vec<(&str, f64)> = group
        .paths
        .iter()
        .filter_map(|path| Some((path.device.as_str(), await_ms(&windows, &path.device)?)))
        .collect();
    if timed.len() < 2 {
        return Outcome::Unknown(format!(
            "too little I/O on the paths of {} to compare their times",
            map.name
        ));
    }
    let slowest =
        timed.iter().copied().fold(("", 0.0), |worst, path| if path.1 > worst.1 { path } else { worst });
    let others: Vec<f64> = timed.iter().filter(|path| path.0 != slowest.0).map(|path| path.1).collect();
    let usual = others.iter().sum::<f64>() / others.len() as f64;
    let (slowest, usual) = match in_same_steps(run, map, slowest.0) {
        Some((own, usual)) => ((slowest.0, own), usual),
        None => (slowest, usual),
    };
    if slowest.1 > SLOWER * usual && slowest.1 > usual + SLOWER_MS {
        fires(run, map, group, slowest, usual)
    } else {
        Outcome::Passes
    }
}

/// What a path and its siblings take in the steps in which it took part, ms: of a path that was not always there the mix
/// of requests is another one. `None`: no step counts its paths.
fn in_same_steps(run: &Run, map: &MultipathMap, path: &str) -> Option<(f64, f64)> {
    let (mut ios, mut own_ns, mut usual_ns) = (0.0, 0.0, 0.0);
    let targets = facts::targets(run).into_iter().filter(|target| target.stands_on(&map.device));
    for step in targets.flat_map(|target| &target.result.steps) {
        let parts = paths_in(map, step);
        let own = parts.iter().find(|part| part.name == path);
        if let Some((own, others_ns)) = own.zip(others_ns(&parts, path)) {
            let weight = own.iops * step.duration_s;
            ios += weight;
            own_ns += weight * own.await_ns;
            usual_ns += weight * others_ns;
        }
    }
    (ios > 0.0).then(|| (own_ns / ios / 1e6, usual_ns / ios / 1e6))
}

/// What a step counted of the paths of a map that it used.
fn paths_in<'a>(map: &MultipathMap, step: &'a DiskStepResult) -> Vec<&'a LayerStats> {
    let is_path =
        |name: &str| map.groups.iter().flat_map(|group| &group.paths).any(|path| path.device == name);
    step.layers.iter().filter(|layer| layer.iops > 0.0 && is_path(&layer.name)).collect()
}

fn await_ms(windows: &[&Window], device: &str) -> Option<f64> {
    let work: Vec<facts::Activity> =
        windows.iter().filter_map(|window| facts::disk_activity(window, device)).collect();
    let ios: u64 = work.iter().map(|activity| activity.ios).fold(0, u64::saturating_add);
    let time_ms: f64 = work.iter().map(|activity| activity.await_ms * activity.ios as f64).sum();
    (ios >= ENOUGH_IOS).then(|| time_ms / ios as f64)
}

/// What the slow path costs each step, by how much of it goes that way.
fn explanations(run: &Run, map: &MultipathMap, slow: &str) -> Vec<Explanation> {
    let targets = facts::targets(run).into_iter().filter(|target| target.stands_on(&map.device));
    let of_steps = targets.flat_map(|target| {
        let each = target.result.steps.iter().filter_map(|step| {
            let explanation = explain::step(target.result, step, Mechanism::StoragePath);
            let parts = paths_in(map, step);
            let usual_ns = others_ns(&parts, slow);
            match usual_ns.and_then(|usual_ns| residence::lost_to(&target, step, &parts, slow, usual_ns)) {
                Some(share) => Some(explanation.active(share).without(
                    step.iops / (1.0 - share),
                    Unit::IoPerS,
                    "device-latency",
                )),
                None => parts.is_empty().then_some(explanation),
            }
        });
        each.collect::<Vec<_>>()
    });
    of_steps.collect()
}

/// What a request takes on the other paths of a step; `None`: there was none.
fn others_ns(parts: &[&LayerStats], slow: &str) -> Option<f64> {
    let others = parts.iter().filter(|part| part.name != slow);
    let rate: f64 = others.clone().map(|part| part.iops).sum();
    (rate > 0.0).then(|| others.map(|part| part.iops * part.await_ns).sum::<f64>() / rate)
}

/// Takes a path out so that it stays out, while another one of its group works: a group of lower priority would have the
/// array move the unit to its other controller.
fn take_out(group: &PathGroup, path: &str) -> Advice {
    let why = because("Every request on this path waits for it and slows down the whole map.");
    if !path.starts_with("sd") {
        return why.now(format!(
            "Take {path} out of the map (marginal_path_* of multipath.conf does so by itself)"
        ));
    }
    let others = group.paths.iter().filter(|other| other.device != path);
    let ready = others.map(|other| {
        sh!("multipathd show paths raw format '%d %T' | grep -qxF {}", format!("{} ready", other.device))
    });
    let set = |state: &str| sh!("echo {} > /sys/block/{}/device/state", state, path);
    why.run(set("offline"), "Takes the path out; measure again without it")
        .check(ShellCommand::joined(ready, " || "), "another path of its group works")
        .undo_run(set("running"), "Uses it again; multipathd reinstates it at its next check")
}

fn fires(
    run: &Run,
    map: &MultipathMap,
    group: &PathGroup,
    (path, await_ms): (&str, f64),
    usual: f64,
) -> Outcome {
    RULE.finding(Kind::Disk.named(path), format!("path {path} of {} is slow: {await_ms:.1} ms a request against {usual:.1} ms on its siblings", map.name))
        .measured(await_ms * 1e6, SLOWER * usual * 1e6, Unit::Ns)
        .evidence(format!("{path} await {await_ms:.2} ms, siblings {usual:.2} ms"), "/proc/diskstats over the probes")
        .explains(explanations(run, map, path))
        .advice(
            take_out(group, path)
                .now("Compare error counters and speed of its port: /sys/class/fc_host/*/statistics, switch port, array port")
                .persist("Replace the transceiver or cable, then use the path again. A state that is set by hand is gone after a reboot")
                .expecting("without the path the map's latency falls to its siblings'"),
        )
        .into()
}
