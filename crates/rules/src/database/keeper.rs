//! What keeps a database's settings: a manager of a cluster has its own, and what is set beside it holds on one member and
//! only until the next failover.
//!
//! Sources: Patroni documentation, "Patroni configuration" (dynamic configuration is set with `patronictl edit-config`; local
//! ALTER SYSTEM takes precedence and is not known to Patroni) and "Replication modes" (`synchronous_mode`); `CloudNativePG`
//! documentation, "PostgreSQL Configuration"; `pg_auto_failover` documentation, "Replication settings".

use crate::facts;
use fullwire_model::assessment::{Advice, Finding, Step, StepKind};
use fullwire_model::host::Host;

/// What keeps the settings of a PostgreSQL server beside itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeper {
    /// Its own files alone.
    Itself,
    Patroni,
    CloudNativePg,
    AutoFailover,
    Repmgr,
}

pub(super) fn keeper(host: &Host) -> Keeper {
    let managed = |name: &str| facts::is_managed_by(host, name);
    match () {
        () if managed("patroni") => Keeper::Patroni,
        () if managed("cloudnative-pg") => Keeper::CloudNativePg,
        () if managed("pg_auto_failover") => Keeper::AutoFailover,
        () if managed("repmgr") => Keeper::Repmgr,
        () => Keeper::Itself,
    }
}

/// An advice for a single server, as what keeps the settings of the servers here wants it.
pub(super) fn adapted(host: &Host, mut advice: Advice) -> Advice {
    let keeper = keeper(host);
    for step in &mut advice.steps {
        if let Some(text) = keeper.instead(&step.text).filter(|_| step.text.contains("alter system ")) {
            step.text = text;
        }
    }
    advice
}

/// Whoever stops the database, or unmounts what it uses, is told of what would start or mount it again.
pub(crate) fn with_managers(host: &Host, findings: &mut [Finding]) {
    let Some(manager) = restart_by(host) else { return };
    let steps = findings.iter_mut().flat_map(|finding| &mut finding.advice.steps);
    let stops = |step: &&mut Step| match step.kind {
        StepKind::Unmount => true,
        StepKind::Restart => step.interrupts.contains("database") || step.text.contains("database"),
        _ => false,
    };
    for step in steps.filter(|step| step.is_here()).filter(stops) {
        step.needs.push(manager.to_owned());
    }
}

/// Who restarts a server here: a manager takes a restart behind its back for a failure.
fn restart_by(host: &Host) -> Option<&'static str> {
    let managed = |name: &str| facts::is_managed_by(host, name);
    match () {
        () if managed("patroni") => {
            Some("it is restarted by `patronictl restart`, the replicas before the leader")
        }
        () if managed("pacemaker") => Some(
            "it is restarted by Pacemaker (`pcs resource restart`, or in maintenance mode): a restart by systemctl counts as a failure and may move it",
        ),
        () if managed("clusterware") => Some("it is restarted by `srvctl`, one instance after the other"),
        () if managed("galera") || managed("group-replication") => {
            Some("one node after the other is restarted, the next once this one is in sync again")
        }
        () => None,
    }
}

/// The sentence that stands for a setting which the server itself keeps.
pub(super) const KEPT: &str = "alter system keeps it in postgresql.auto.conf";

impl Keeper {
    /// What to do in place of a text with `alter system`; `None`: it is right.
    fn instead(self, text: &str) -> Option<String> {
        let set = assignments(text).join(", ");
        // What stands behind the statements: when to do it, how to choose a number.
        let rest = text.rsplit_once(';').map_or("", |(_, rest)| rest.trim());
        let rest =
            if rest.is_empty() { String::new() } else { format!(" ({})", rest.trim_start_matches("-- ")) };
        match self {
            Self::Patroni if text == KEPT => {
                Some("Patroni keeps it in its configuration store and gives it to every member".into())
            }
            Self::Patroni if set.is_empty() => {
                Some("`patronictl edit-config`: the value that it had, or no line".into())
            }
            Self::Patroni => Some(format!(
                "`patronictl edit-config`, below postgresql: parameters: {set}{rest}. Not by alter system: this member alone would have it, and it would win over Patroni"
            )),
            Self::CloudNativePg if text == KEPT => {
                Some("The operator keeps it in the Cluster resource".into())
            }
            Self::CloudNativePg if set.is_empty() => Some("The value that the Cluster resource had".into()),
            Self::CloudNativePg => Some(format!(
                "In the Cluster resource, spec.postgresql.parameters: {set}{rest}. The operator refuses alter system and sets it on all instances"
            )),
            Self::AutoFailover | Self::Repmgr if text == KEPT => Some(format!(
                "{KEPT} of this server alone: set it on the other nodes too, or it is gone after a failover"
            )),
            Self::Itself | Self::AutoFailover | Self::Repmgr => None,
        }
    }
}

/// `NAME: VALUE` of each `alter system set NAME = VALUE` in a text.
fn assignments(statements: &str) -> Vec<String> {
    let each = statements.split("alter system set ").skip(1);
    let pairs = each.filter_map(|rest| rest.split([';', '\n']).next()?.split_once('='));
    pairs.map(|(name, value)| format!("{}: {}", name.trim(), value.trim())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::{AdviceExt, because};

    fn told(manager: &str, text: &str) -> String {
        let mut host = Host::default();
        host.management.availability.insert(manager.into(), "a process".into());
        adapted(&host, because("").now(text)).steps[0].text.clone()
    }

    #[test]
    fn what_patroni_keeps_is_set_in_patroni() {
        const SET: &str =
            "alter system set max_wal_size = 'N GB'; select pg_reload_conf(); where N is a little more";
        let set = told("patroni", SET);
        assert!(
            set.starts_with("`patronictl edit-config`") && set.contains("max_wal_size: 'N GB' (where N"),
            "{set}"
        );
        let undo = told("patroni", "alter system reset max_wal_size; select pg_reload_conf();");
        assert!(undo.contains("patronictl") && !undo.contains("alter system"), "{undo}");
        assert_eq!(told("repmgr", SET), SET);
        assert!(told("repmgr", KEPT).contains("the other nodes too"));
        assert_eq!(told("pacemaker", KEPT), KEPT);
        assert_eq!(told("patroni", "show max_wal_size;"), "show max_wal_size;");
    }

    #[test]
    fn a_managed_server_is_restarted_by_its_manager() {
        let needs = |manager: &str| {
            let mut host = Host::default();
            host.management.availability.insert(manager.into(), "a process".into());
            let mut finding: Finding = serde_json::from_str(
                r#"{ "code": "a-finding", "severity": "warning", "layer": "database", "subject": "it", "message": "",
                     "measured": null, "limit": null, "unit": null, "evidence": [],
                     "advice": { "why": "", "steps": [], "expect": "" } }"#,
            )
            .expect("a finding");
            let advice = because("")
                .now("Stop the database")
                .unmounts("/data")
                .run("umount /data", "")
                .unmounts("/data");
            finding.advice = advice.now("Restart the database").now("restart sshd");
            with_managers(&host, std::slice::from_mut(&mut finding));
            let needs: Vec<String> = finding.advice.steps.iter().map(|step| step.needs.join("")).collect();
            assert!(needs[..3].iter().all(|one| *one == needs[0]) && needs[3].is_empty(), "{needs:?}");
            needs[0].clone()
        };
        assert!(needs("pacemaker").contains("pcs resource restart"));
        assert!(needs("galera").contains("in sync again"));
        assert_eq!(needs("repmgr"), "");
    }
}
