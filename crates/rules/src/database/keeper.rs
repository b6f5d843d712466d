//! What keeps a database's settings: a manager of a cluster has its own, and what is set beside it holds on one member and
//! only until the next failover.
//!
//! Sources: Patroni documentation, "Patroni configuration" (dynamic configuration is set with `patronictl edit-config`; local
//! ALTER SYSTEM takes precedence and is not known to Patroni) and "Replication modes" (`synchronous_mode`); `CloudNativePG`
//! documentation, "PostgreSQL Configuration"; `pg_auto_failover` documentation, "Replication settings".

use crate::facts;
use fullwire_model::assessment::{Advice, Finding, Layer, StepKind};
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

/// Whoever stops a database, unmounts what it uses or restarts the host is told of what would start it, mount it or move it
/// meanwhile.
pub(crate) fn with_managers(host: &Host, findings: &mut [Finding]) {
    let managers: Vec<&Manager> =
        MANAGERS.iter().filter(|manager| facts::is_managed_by(host, manager.name)).collect();
    for finding in findings {
        let of_database = finding.layer == Layer::Database;
        for step in finding.advice.steps.iter_mut().filter(|step| step.is_here()) {
            let names_it = step.interrupts.contains("database") || step.text.contains("database");
            let said = match step.kind {
                StepKind::Unmount => |manager: &Manager| manager.stop,
                StepKind::Restart if of_database || names_it => |manager: &Manager| manager.stop,
                StepKind::Reboot => |manager: &Manager| manager.reboot,
                _ => continue,
            };
            step.needs
                .extend(managers.iter().map(|manager| said(manager)).map(|text| in_words_of(host, text)));
        }
    }
}

/// What decides which server serves, and what it takes for a failure.
struct Manager {
    /// As the host's record calls it.
    name: &'static str,
    /// Before the database is stopped, or a file system that it uses is unmounted.
    stop: &'static str,
    /// Before the host is started again.
    reboot: &'static str,
}

/// Sources: Patroni documentation, "patronictl" (restart, pause, switchover); pcs(8), crm(8) (resource restart,
/// maintenance-mode, node standby); Oracle Clusterware Administration and Deployment Guide, srvctl and crsctl stop crs; Oracle
/// Data Guard Broker, "Disabling Fast-Start Failover"; MariaDB and MySQL documentation, rolling restart of Galera and Group
/// Replication; repmgr documentation, "repmgr service pause"; `pg_auto_failover` documentation, "Maintenance of a node";
/// `CloudNativePG` documentation, "Rolling Updates" (an annotation or `kubectl cnpg restart`).
const MANAGERS: [Manager; 9] = [
    Manager {
        name: "patroni",
        stop: "Patroni restarts it: `patronictl restart CLUSTER MEMBER`, the replicas before the leader. Where it must stay down: `patronictl pause` before, `patronictl resume` after",
        reboot: "of the leader, switch over first: `patronictl switchover`",
    },
    Manager {
        name: "pacemaker",
        stop: "Pacemaker runs it: `pcs resource restart NAME`, or `pcs property set maintenance-mode=true` before and false after. A stop or an umount that Pacemaker did not order counts as a failure: it may move the database or fence the host",
        reboot: "this node is on standby: `pcs node standby` before, `pcs node unstandby` after",
    },
    Manager {
        name: "clusterware",
        stop: "Clusterware or Oracle Restart runs it: `srvctl stop` and `srvctl start`, of a cluster one instance after the other",
        reboot: "`crsctl stop crs` first (Oracle Restart: `crsctl stop has`)",
    },
    Manager {
        name: "dataguard-broker",
        stop: "with fast-start failover: `DISABLE FAST_START FAILOVER` in dgmgrl before, ENABLE after, or the observer fails over",
        reboot: "with fast-start failover: `DISABLE FAST_START FAILOVER` in dgmgrl before, ENABLE after, or the observer fails over",
    },
    Manager { name: "galera", stop: ROLLING, reboot: ROLLING },
    Manager { name: "group-replication", stop: ROLLING, reboot: ROLLING },
    Manager {
        name: "repmgr",
        stop: "`repmgr service pause` before, `unpause` after: repmgrd promotes a standby when the primary stays away",
        reboot: "`repmgr service pause` before, `unpause` after: repmgrd promotes a standby when the primary stays away",
    },
    Manager {
        name: "pg_auto_failover",
        stop: "`pg_autoctl enable maintenance` before, `disable maintenance` after: the monitor fails over else",
        reboot: "`pg_autoctl enable maintenance` before, `disable maintenance` after: the monitor fails over else",
    },
    Manager {
        name: "cloudnative-pg",
        stop: "the operator restarts it: `kubectl cnpg restart CLUSTER`",
        reboot: "`kubectl drain` first: the operator moves the primary",
    },
];

const ROLLING: &str = "this is done on one node after the other, the next once this one is in sync again";

/// Pacemaker is told by crm on SUSE's distributions (SUSE Linux Enterprise High Availability, Administration Guide, crmsh),
/// elsewhere by pcs.
fn in_words_of(host: &Host, text: &str) -> String {
    let is_suse = |name: &String| name.contains("sles") || name.contains("suse");
    if !std::iter::once(&host.os.distribution).chain(&host.os.like).any(is_suse) {
        return text.to_owned();
    }
    text.replace("pcs resource", "crm resource")
        .replace("pcs property set", "crm configure property")
        .replace("pcs node unstandby", "crm node online")
        .replace("pcs node standby", "crm node standby")
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

    /// What is asked before each step of a finding about storage, and one about a database.
    fn needs(manager: &str, distribution: &str, layer: &str) -> Vec<String> {
        let mut host = Host::default();
        host.os.distribution = distribution.into();
        host.management.availability.insert(manager.into(), "a process".into());
        let mut finding: Finding = serde_json::from_str(&format!(
            r#"{{ "code": "a-finding", "severity": "warning", "layer": "{layer}", "subject": "it", "message": "",
                 "measured": null, "limit": null, "unit": null, "evidence": [],
                 "advice": {{ "why": "", "steps": [], "expect": "" }} }}"#
        ))
        .expect("a finding");
        let advice =
            because("").now("Stop the database").unmounts("/data").run("umount /data", "").unmounts("/data");
        finding.advice = advice
            .now("Restart the database")
            .now("restart the server")
            .restarts("")
            .persist("With the next kernel")
            .reboots();
        with_managers(&host, std::slice::from_mut(&mut finding));
        finding.advice.steps.iter().map(|step| step.needs.join(" ")).collect()
    }

    #[test]
    fn a_managed_server_is_restarted_by_its_manager() {
        let pacemaker = needs("pacemaker", "rhel", "storage");
        assert!(pacemaker[..3].iter().all(|one| one.contains("pcs resource restart")), "{pacemaker:?}");
        assert!(pacemaker[3].is_empty(), "another server: {pacemaker:?}");
        assert!(pacemaker[4].contains("pcs node standby"), "{pacemaker:?}");
        let suse = needs("pacemaker", "sles", "storage").concat();
        assert!(
            suse.contains("crm resource restart")
                && suse.contains("crm node online")
                && !suse.contains("pcs"),
            "{suse}"
        );
        assert!(needs("galera", "debian", "database")[3].contains("in sync again"));
        assert!(needs("repmgr", "debian", "database")[0].contains("repmgr service pause"));
        assert_eq!(needs("nothing", "debian", "database").concat(), "");
    }

    /// Two managers may act on one server, each in its own way.
    #[test]
    fn each_manager_is_told() {
        let known: Vec<&str> = MANAGERS.iter().map(|manager| manager.name).collect();
        for name in [
            "patroni", "pacemaker", "clusterware", "galera", "group-replication", "repmgr",
            "pg_auto_failover", "cloudnative-pg", "dataguard-broker",
        ] {
            assert!(known.contains(&name), "{name}");
            assert!(!needs(name, "rhel", "database")[2].is_empty(), "{name}");
        }
    }
}
