use crate::prelude::*;
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
    /// Compare the port's error counters, speed and route with its siblings'; take the path out (`multipathd
    /// fail path sdX`) until it is repaired.
    ///
    /// # Source
    /// Perseus (FAST '23): fail-slow is found by comparison with siblings, not by an absolute bound; Linux
    /// Documentation/admin-guide/iostats.rst.
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
    if slowest.1 > SLOWER * usual && slowest.1 > usual + SLOWER_MS {
        fires(run, map, slowest, usual)
    } else {
        Outcome::Passes
    }
}

fn await_ms(windows: &[&Window], device: &str) -> Option<f64> {
    let work: Vec<facts::Activity> =
        windows.iter().filter_map(|window| facts::disk_activity(window, device)).collect();
    let ios: u64 = work.iter().map(|activity| activity.ios).fold(0, u64::saturating_add);
    let time_ms: f64 = work.iter().map(|activity| activity.await_ms * activity.ios as f64).sum();
    (ios >= ENOUGH_IOS).then(|| time_ms / ios as f64)
}

fn fires(run: &Run, map: &MultipathMap, (path, await_ms): (&str, f64), usual: f64) -> Outcome {
    RULE.finding(Kind::Disk.named(path), format!("path {path} of {} is slow: {await_ms:.1} ms a request against {usual:.1} ms on its siblings", map.name))
        .measured(await_ms * 1e6, SLOWER * usual * 1e6, Unit::Ns)
        .evidence(format!("{path} await {await_ms:.2} ms, siblings {usual:.2} ms"), "/proc/diskstats over the probes")
        .explains(explain::targets_on(run, &map.device, Mechanism::StoragePath))
        .advice(
            because("Every request on this path waits for it and slows down the whole map.")
                .run(sh!("multipathd fail path {}", path), "Fails the path; measure again without it")
                .check(
                    sh!(
                        "test \"$(multipathd show paths raw format '%m %T' | awk -v map={} '$1 == map && /ready/ {{ n++ }} END {{ print n + 0 }}')\" -ge 2",
                        map.name
                    ),
                    "another path of the map works",
                )
                .now("Compare error counters and speed of its port: /sys/class/fc_host/*/statistics, switch port, array port")
                .persist("Replace the transceiver or cable, then `multipathd reinstate path`")
                .undo_run(sh!("multipathd reinstate path {}", path), "Uses it again")
                .expecting("without the path the map's latency falls to its siblings'"),
        )
        .into()
}
