//! # What it checks
//! Passes when every iSCSI session is `LOGGED_IN`.
//!
//! # Why it matters
//! Its disks wait for the recovery timeout and then fail.
//!
//! # Evidence
//! `/sys/class/iscsi_session/sessionN/state`.
//!
//! # Remedy
//! Network to the portal; `iscsiadm -m session -r N --rescan`, `iscsiadm -m node --login`.
//!
//! # Source
//! open-iscsi `usr/iscsi_sysfs.c` (session state); iscsiadm(8).

use crate::advice::{AdviceExt, because, sh};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Risk, Severity};
use fullwire_model::host::IscsiSession;

pub(super) const RULE: Rule = Rule {
    code: "iscsi-session-lost",
    title: "an iSCSI session is not logged in",
    layer: Layer::Storage,
    severity: Severity::Critical,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    run.host.iscsi_sessions.iter().map(judge).collect()
}

fn judge(session: &IscsiSession) -> Outcome {
    match session.state.as_str() {
        "" => facts::unread(&format!("the state of {}", session.name)),
        "LOGGED_IN" => Outcome::Passes,
        state => RULE
            .finding(
                &session.name,
                format!("iSCSI session {} to {} is {state}", session.name, session.portal),
            )
            .evidence(
                format!("{} {state}", session.target),
                format!("/sys/class/iscsi_session/{}/state", session.name),
            )
            .advice(
                because("I/O of its disks waits, then fails.")
                    .run(
                        sh!("ping -c 3 {}", session.portal.split(':').next().unwrap_or("")),
                        "Shows whether the portal answers",
                    )
                    .run("iscsiadm -m session -P 1", "Shows the state of the sessions")
                    .run(
                        sh!("iscsiadm -m node -T {} --login", session.target),
                        "Logs in again where the session is gone",
                    )
                    .persist("node.startup = automatic; a second portal over another network")
                    .undo_run(sh!("iscsiadm -m node -T {} --logout", session.target), "Logs out")
                    .risk(Risk::Downtime)
                    .expecting("LOGGED_IN in `iscsiadm -m session -P 1`"),
            )
            .into(),
    }
}
