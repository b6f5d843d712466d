//! # What it checks
//! Every iSCSI session is `LOGGED_IN`.
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

use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::IscsiSession;

pub(super) const RULE: Rule = Rule {
    code: "iscsi-session-lost",
    title: "an iSCSI session is not logged in",
    layer: Layer::Storage,
    severity: Severity::Critical,
    text: include_str!("iscsi_session_lost.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
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
                    .now(format!(
                        "ping {}; iscsiadm -m session -P 1",
                        session.portal.split(':').next().unwrap_or("")
                    ))
                    .now(format!("iscsiadm -m node -T {} --login", session.target))
                    .persist("node.startup = automatic; a second portal over another network")
                    .expecting("LOGGED_IN in `iscsiadm -m session -P 1`"),
            )
            .into(),
    }
}
