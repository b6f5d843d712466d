//! The names of a run's measurements, and numbers for what an earlier version, or another tool, did not number.

use crate::net::NetResult;
use crate::{Asked, MeasurementId, PathName, ProbeId, Run, WindowKind};
use std::borrow::Cow;
use std::collections::BTreeSet;

impl Run {
    /// The network results in their order, each with its name.
    pub fn net_measurements(&self) -> impl Iterator<Item = (MeasurementId, &NetResult)> {
        let mut asked = Asked::default();
        self.net.iter().map(move |result| (asked.again(&result.target, &result.question()), result))
    }

    /// The name of one of its network results.
    pub fn name_of(&self, result: &NetResult) -> MeasurementId {
        let question = result.question();
        let same = self.net.iter().filter(|one| one.target == result.target && one.question() == question);
        MeasurementId::numbered(&question, same.take_while(|other| other.probe != result.probe).count())
    }
}

impl Run {
    /// The run with a number for each result and step, and for those of their windows of which it is certain whose they
    /// are: where a path has as many as results, or repeats of its steps. Itself where nothing is missing.
    pub fn with_probe_ids(&self) -> Cow<'_, Self> {
        let lacks = self.net.iter().any(|one| one.probe.is_none())
            || self.disk.iter().flat_map(|one| &one.steps).any(|step| step.probe.is_none());
        if !lacks {
            return Cow::Borrowed(self);
        }
        let mut run = self.clone();
        let mut last = run.last_probe();
        run.number_results(&mut last);
        run.number_steps(&mut last);
        Cow::Owned(run)
    }

    fn last_probe(&self) -> ProbeId {
        let steps = self.disk.iter().flat_map(|one| &one.steps).map(|step| step.probe);
        let windows = self.windows.iter().chain(self.peers.iter().flat_map(|peer| &peer.windows));
        let all = steps.chain(self.net.iter().map(|one| one.probe)).chain(windows.map(|window| window.probe));
        all.max().unwrap_or_default()
    }

    fn number_results(&mut self, last: &mut ProbeId) {
        let lacks = self.net.iter().filter(|one| one.probe.is_none());
        let targets: BTreeSet<PathName> = lacks.map(|one| one.target.clone()).collect();
        for target in targets {
            let mut given = Vec::new();
            for result in self.net.iter_mut().filter(|one| one.target == target && one.probe.is_none()) {
                *last = last.next();
                result.probe = *last;
                given.push(*last);
            }
            let of_peer = self.peers.iter_mut().filter(|peer| peer.target == target);
            for windows in std::iter::once(&mut self.windows).chain(of_peer.map(|peer| &mut peer.windows)) {
                let own = windows
                    .iter_mut()
                    .filter(|window| window.is_of(WindowKind::Net, &target) && window.probe.is_none());
                match_windows(own.map(|window| &mut window.probe).collect(), &given);
            }
        }
    }

    fn number_steps(&mut self, last: &mut ProbeId) {
        let targets: BTreeSet<PathName> = self.disk.iter().map(|one| one.target.clone()).collect();
        for target in targets {
            let mut given = Vec::new();
            for result in self.disk.iter_mut().filter(|one| one.target == target) {
                let mut before = None;
                for step in result.steps.iter_mut().filter(|step| step.probe.is_none()) {
                    // Neighbours that ran at the same time share their windows.
                    let member = before.filter(|_| step.concurrent).map_or(0, |member: u32| member + 1);
                    before = step.concurrent.then_some(member);
                    if member == 0 {
                        *last = last.next();
                        given.extend(vec![*last; step.repeats_bytes_per_s.len().max(1)]);
                    }
                    (step.probe, step.member) = (*last, member);
                }
            }
            let own = self
                .windows
                .iter_mut()
                .filter(|window| window.is_of(WindowKind::Disk, &target) && window.probe.is_none());
            match_windows(own.map(|window| &mut window.probe).collect(), &given);
        }
    }
}

/// One probe has all windows; several have them in their order where there are as many.
fn match_windows(windows: Vec<&mut ProbeId>, given: &[ProbeId]) {
    let one = given.first().filter(|first| given.iter().all(|other| other == *first));
    if let Some(one) = one {
        for window in windows {
            *window = *one;
        }
    } else if windows.len() == given.len() {
        windows.into_iter().zip(given).for_each(|(window, probe)| *window = *probe);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Window;
    use crate::disk::{DiskResult, DiskStepResult};

    fn window(kind: WindowKind, target: &str) -> Window {
        Window { kind, target: target.into(), ..Window::default() }
    }

    #[test]
    fn disk_windows_of_an_earlier_run_are_matched_by_their_count() {
        let step = |repeats: usize, concurrent| DiskStepResult {
            repeats_bytes_per_s: vec![1.0; repeats],
            concurrent,
            ..DiskStepResult::default()
        };
        let steps = vec![step(2, false), step(2, true), step(2, true), step(1, false)];
        let of_u02 = vec![step(1, false), step(1, false)];
        let result =
            |target: &str, steps| DiskResult { target: target.into(), steps, ..DiskResult::default() };
        let windows = ["/u01", "/u01", "/u01", "/u01", "/u02", "/u01"].map(|on| window(WindowKind::Disk, on));
        let old = Run {
            disk: vec![result("/u01", steps), result("/u02", of_u02)],
            windows: [window(WindowKind::Idle, "/u01")].into_iter().chain(windows).collect(),
            ..Run::default()
        };
        let run = old.with_probe_ids();
        let numbers =
            |of: &DiskResult| of.steps.iter().map(|step| (step.probe, step.member)).collect::<Vec<_>>();
        let [one, two, three, four, five] = [1, 2, 3, 4, 5].map(ProbeId::new);
        assert_eq!(numbers(&run.disk[0]), [(one, 0), (two, 0), (two, 1), (three, 0)]);
        assert_eq!(numbers(&run.disk[1]), [(four, 0), (five, 0)]);
        let probes: Vec<ProbeId> = run.windows.iter().map(|window| window.probe).collect();
        // Two steps and one window of /u02: whose it is is not known.
        let none = ProbeId::NONE;
        assert_eq!(probes, [none, one, one, two, two, none, three]);
        assert!(matches!(run.with_probe_ids(), Cow::Borrowed(_)), "numbered once");
    }

    #[test]
    fn a_single_result_has_all_windows_of_its_path() {
        let result = |probe| NetResult { target: "db2".into(), probe, ..NetResult::default() };
        let windows = ["db2", "db3", "db2"].map(|to| window(WindowKind::Net, to));
        let old = Run { net: vec![result(ProbeId::NONE)], windows: windows.into(), ..Run::default() };
        let run = old.with_probe_ids();
        let probes: Vec<ProbeId> = run.windows.iter().map(|window| window.probe).collect();
        assert_eq!(probes, [ProbeId::new(1), ProbeId::NONE, ProbeId::new(1)]);
        assert_eq!(run.net[0].probe, ProbeId::new(1));
    }
}
