//! The findings of a kept run as they are now: the rules are run anew on this host, and every command comes from there. A
//! kept run only says which findings are meant, and what was measured if nobody else can have written it.

use crate::ask;
use crate::session::store::Store;
use anyhow::{Context, Result, bail};
use fullwire_model::assessment::{Assessment, Finding};
use fullwire_model::{Run, Window, WindowKind};
use fullwire_observe::{CountersAsk, Root};
use jiff::Timestamp;

/// This host now, and what a kept run said of it.
pub(crate) struct Present {
    root: Root,
    /// The kept run.
    pub(crate) kept: Run,
    /// Why its figures do not count; `None`: they do, being this host's, measured here and kept where nobody else writes.
    pub(crate) void: Option<&'static str>,
}

/// Figures that are older than this, or of before a restart, may be those of another network or disk.
const FRESH_S: f64 = 24.0 * 3600.0;

impl Present {
    /// Refused where the run is of another machine, or was not made on this one. `name`: how the run was called for.
    pub(crate) fn of(kept: Run, store: &Store, name: &str) -> Result<Self> {
        let root = Root::live().context("open this host's /proc and /sys")?;
        let mut present = Self { root, kept, void: None };
        let now = present.run();
        same_machine(&present.kept, &now)?;
        let is_named = !name.is_empty() && present.kept.run_id.starts_with(name);
        present.void = void(&present.kept, now.host.os.uptime_s, store.is_own(), is_named, Timestamp::now());
        Ok(present)
    }

    /// The host as it is, with the figures of the kept run.
    pub(crate) fn run(&self) -> Run {
        let peers = self.kept.peers.iter().filter_map(|peer| peer.target.host().parse().ok()).collect();
        let mut host = fullwire_observe::host(&self.root, &ask::of_host(peers));
        let gaps = std::mem::take(&mut host.gaps);
        let mut run = Run { host, gaps, ..Run::default() };
        if self.void.is_none() {
            run.command = self.kept.command.clone();
            run.net.clone_from(&self.kept.net);
            run.mtu.clone_from(&self.kept.mtu);
            run.disk.clone_from(&self.kept.disk);
            run.windows.clone_from(&self.kept.windows);
            run.peers.clone_from(&self.kept.peers);
            run.demand.clone_from(&self.kept.demand);
        }
        if run.windows.is_empty() {
            let now = fullwire_observe::counters(&self.root, &CountersAsk::default());
            let window = Window { kind: WindowKind::Idle, from: now.clone(), to: now, ..Window::default() };
            run.windows.push(window);
        }
        run
    }

    /// What the rules say of it now.
    pub(crate) fn assessment(&self) -> Assessment {
        fullwire_rules::assess(&self.run())
    }
}

fn void(
    kept: &Run,
    uptime_s: Option<f64>,
    is_own: bool,
    is_named: bool,
    now: Timestamp,
) -> Option<&'static str> {
    let age_s = now.duration_since(kept.started).as_secs_f64();
    let limit_s = uptime_s.map_or(FRESH_S, |uptime_s| FRESH_S.min(uptime_s));
    match () {
        () if kept.command.name == "import" || !is_own => {
            Some("The run was not measured by this user on this host")
        }
        () if age_s > limit_s && !is_named => {
            Some("The run is of another day, or of before a restart, and was not named by its id")
        }
        () => None,
    }
}

/// The finding that is meant, as it is now; `None`: it does not fire any more.
pub(crate) fn again<'a>(now: &'a Assessment, meant: &Finding) -> Option<&'a Finding> {
    now.findings.iter().find(|finding| finding.code == meant.code && finding.subject_ref == meant.subject_ref)
}

/// Where the steps of a run that was read from files are done; `None`: it is of a machine.
pub(crate) fn done_elsewhere(kept: &Run) -> Option<String> {
    let (id, host) = (&kept.run_id, &kept.host);
    if host.captured {
        let name = if host.hostname.is_empty() { "the host" } else { &host.hostname };
        return Some(format!(
            "run {id} was read from a captured tree: on {name} run `fullwire check`, then `fullwire script last`"
        ));
    }
    let is_file = host.os.machine.is_none() && host.hostname.is_empty();
    is_file.then(|| format!("run {id} was read from files, not from a host: its steps are done by hand"))
}

fn same_machine(kept: &Run, now: &Run) -> Result<()> {
    let (was, is) = (&kept.host.os.machine, &now.host.os.machine);
    let id = &kept.run_id;
    if let Some(elsewhere) = done_elsewhere(kept) {
        bail!("{elsewhere}");
    }
    match (was, is) {
        (Some(was), Some(is)) if was == is && kept.host.hostname == now.host.hostname => Ok(()),
        (Some(was), Some(is)) if was == is => bail!(
            "run {id} is of a host called {}, this one is called {}: make a new run here",
            kept.host.hostname,
            now.host.hostname
        ),
        (Some(_), Some(_)) => {
            bail!("run {id} is of another machine ({}): nothing was changed", kept.host.hostname)
        }
        _ => bail!("run {id} does not say which machine it is of: make a new run here (`fullwire check`)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(machine: Option<&str>, hostname: &str) -> Run {
        let mut run = Run::default();
        run.host.os.machine = machine.map(str::to_owned);
        run.host.hostname = hostname.into();
        run
    }

    #[test]
    fn only_the_same_machine_under_the_same_name_is_changed() {
        let here = run(Some("1"), "db1");
        let said = |kept: &Run| same_machine(kept, &here).err().map(|error| error.to_string());
        assert_eq!(said(&run(Some("1"), "db1")), None);
        assert!(said(&run(Some("2"), "db1")).is_some_and(|text| text.contains("another machine")));
        assert!(said(&run(Some("1"), "db2")).is_some_and(|text| text.contains("called db2")), "a clone");
        assert!(said(&run(None, "db1")).is_some_and(|text| text.contains("does not say")));
        assert!(same_machine(&here, &run(None, "db1")).is_err());
    }

    #[test]
    fn what_was_read_from_a_captured_tree_changes_nothing() {
        let mut kept = run(Some("1"), "db1");
        kept.host.captured = true;
        let error = same_machine(&kept, &run(Some("1"), "db1")).unwrap_err().to_string();
        assert!(error.contains("captured tree"), "{error}");
    }

    #[test]
    fn figures_of_another_day_or_boot_count_only_where_the_run_is_named() {
        let kept = Run { started: "2026-01-01T00:00:00Z".parse().unwrap(), ..Run::default() };
        let after = |hours: i64, uptime_s, is_named| {
            let now = Timestamp::from_second(kept.started.as_second() + hours * 3600).unwrap();
            void(&kept, uptime_s, true, is_named, now).is_none()
        };
        assert!(after(23, Some(1e7), false) && after(23, None, false));
        assert!(!after(25, Some(1e7), false) && after(25, Some(1e7), true));
        assert!(!after(2, Some(3600.0), false), "a restart lies between");
        assert!(void(&kept, None, false, true, kept.started).is_some(), "who else wrote it");
    }
}
