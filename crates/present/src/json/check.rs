//! `fullwire.check/1`: what the host says of itself, and what is wrong with it.

use fullwire_model::assessment::{Answer, Assessment, Finding, Unknown};
use fullwire_model::counters::{ProcessIo, SocketCounters, ThreadCounters};
use fullwire_model::host::{
    Bond, Cgroup, Clock, Cpu, Database, Disk, FcHost, FstabEntry, Ipc, IscsiSession, LogLine, LogicalVolume,
    Management, Memory, Mount, MultipathConfig, MultipathMap, Nic, Os, Process, Route, SasPhy, Swap,
};
use fullwire_model::{Gap, Run};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;

/// The host itself, without the lists of its parts.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostFacts<'a> {
    /// Its name.
    pub hostname: &'a str,
    /// The facts were read from a captured tree, not from the live host.
    pub captured: bool,
    /// Kernel and distribution.
    pub os: &'a Os,
    /// Processors.
    pub cpu: &'a Cpu,
    /// Memory.
    pub memory: &'a Memory,
    /// System V IPC.
    pub ipc: &'a Ipc,
    /// Clock and its synchronisation.
    pub clock: &'a Clock,
    /// The active tuned profile.
    pub tuned_profile: Option<&'a str>,
    /// What manages its settings.
    pub management: &'a Management,
}

/// What the host says of itself.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Facts<'a> {
    /// The host itself.
    pub host: HostFacts<'a>,
    /// Interfaces.
    pub nics: &'a [Nic],
    /// Bonds and teams.
    pub bonds: &'a [Bond],
    /// Routes.
    pub routes: &'a [Route],
    /// Block devices of every kind.
    pub disks: &'a [Disk],
    /// Multipath maps.
    pub multipath: &'a [MultipathMap],
    /// Multipath configuration.
    pub multipath_config: Option<&'a MultipathConfig>,
    /// Logical volumes.
    pub logical_volumes: &'a [LogicalVolume],
    /// Fibre Channel host ports.
    pub fc_hosts: &'a [FcHost],
    /// SAS phys.
    pub sas_phys: &'a [SasPhy],
    /// iSCSI sessions.
    pub iscsi_sessions: &'a [IscsiSession],
    /// Mounted file systems.
    pub mounts: &'a [Mount],
    /// What `/etc/fstab` says.
    pub fstab: Option<&'a [FstabEntry]>,
    /// Swap areas.
    pub swaps: &'a [Swap],
    /// Own control group and its parents.
    pub cgroups: &'a [Cgroup],
    /// Databases that run here.
    pub databases: &'a [Database],
    /// Processes that matter to the I/O path.
    pub processes: &'a [Process],
    /// Settings below `/proc/sys`.
    pub sysctls: &'a BTreeMap<String, String>,
    /// Kernel-log lines that tell of trouble.
    pub kernel_log: &'a [LogLine],
}

/// `fullwire.check/1`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckDocument<'a> {
    /// `fullwire.check/1`.
    pub schema: &'static str,
    /// The run that it is part of.
    pub run_id: &'a str,
    /// When it began.
    pub started: Timestamp,
    /// Is the host in order?
    pub answers: &'a [Answer],
    /// What the host says of itself.
    #[serde(flatten)]
    pub facts: Facts<'a>,
    /// The threads that used most CPU over the window, with state and wait channel.
    pub threads: &'a [ThreadCounters],
    /// The processes that read and wrote storage over the window.
    pub processes_io: &'a [ProcessIo],
    /// TCP sockets: listeners, and the connections that moved most.
    pub sockets: &'a [SocketCounters],
    /// What is wrong or worth knowing, worst first.
    pub findings: &'a [Finding],
    /// Rules that could not be decided, and why.
    pub unknowns: &'a [Unknown],
    /// Codes of the rules that applied and found nothing.
    pub passed: &'a [String],
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// The document of an audit.
pub fn check<'a>(run: &'a Run, assessment: &'a Assessment) -> CheckDocument<'a> {
    CheckDocument {
        schema: "fullwire.check/1",
        run_id: &run.run_id,
        started: run.started,
        answers: &assessment.answers,
        facts: facts(run),
        threads: run.idle().map_or(&[], |window| &window.to.threads),
        processes_io: run.idle().map_or(&[], |window| &window.to.processes),
        sockets: run.idle().map_or(&[], |window| &window.to.sockets),
        findings: &assessment.findings,
        unknowns: &assessment.unknowns,
        passed: &assessment.passed,
        gaps: crate::gaps(run),
    }
}

pub(super) fn facts(run: &Run) -> Facts<'_> {
    let host = &run.host;
    Facts {
        host: HostFacts {
            hostname: &host.hostname,
            captured: host.captured,
            os: &host.os,
            cpu: &host.cpu,
            memory: &host.memory,
            ipc: &host.ipc,
            clock: &host.clock,
            tuned_profile: host.tuned_profile.as_deref(),
            management: &host.management,
        },
        nics: &host.nics,
        bonds: &host.bonds,
        routes: &host.routes,
        disks: &host.disks,
        multipath: &host.multipath,
        multipath_config: host.multipath_config.as_ref(),
        logical_volumes: &host.logical_volumes,
        fc_hosts: &host.fc_hosts,
        sas_phys: &host.sas_phys,
        iscsi_sessions: &host.iscsi_sessions,
        mounts: &host.mounts,
        fstab: host.fstab.as_deref(),
        swaps: &host.swaps,
        cgroups: &host.cgroups,
        databases: &host.databases,
        processes: &host.processes,
        sysctls: &host.sysctls,
        kernel_log: &host.kernel_log,
    }
}
