//! # What it checks
//! Passes when `replacement_timeout` is 5 to 30 s where multipath is used above iSCSI, and long (120 s) where it
//! does not.
//!
//! # Why it matters
//! With multipath, I/O on a lost session should fail quickly to take the other path; 120 s of silence is
//! longer than most cluster timeouts. Without it, a short timeout turns a pause into an error.
//!
//! # Evidence
//! `recovery_tmo` of the session; multipath maps over its disks.
//!
//! # Remedy
//! `node.session.timeo.replacement_timeout = 15` under multipath.
//!
//! # Source
//! open-iscsi README, section 8.1 (`replacement_timeout` with dm-multipath: 5 to 15; default 120).

use crate::advice::{AdviceExt, because, sh};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Risk, Severity};
use fullwire_model::host::IscsiSession;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "iscsi-replacement-timeout",
    title: "a lost iSCSI path blocks I/O for two minutes",
    layer: Layer::Storage,
    severity: Severity::Info,
    check,
};

/// Under multipath a longer wait blocks every I/O (open-iscsi README: 5 to 15 s).
const LONG_S: u64 = 30;

fn check(run: &Facts) -> Vec<Outcome> {
    run.host.iscsi_sessions.iter().map(|session| judge(run, session)).collect()
}

fn judge(run: &Run, session: &IscsiSession) -> Outcome {
    let Some(timeout) = session.recovery_tmo_s else {
        return facts::unread(&format!("recovery_tmo of {}", session.name));
    };
    let mapped = run.host.multipath.iter().any(|map| {
        map.groups.iter().any(|group| group.paths.iter().any(|path| session.disks.contains(&path.device)))
    });
    let wanted = match (mapped, timeout) {
        (true, timeout) if timeout > LONG_S => 15,
        (false, timeout) if timeout < LONG_S => 120,
        _ => return Outcome::Passes,
    };
    RULE.finding(&session.name, format!("iSCSI session {} fails I/O {timeout} s after it is lost, {} multipath {wanted} s is recommended", session.name, if mapped { "under" } else { "without" }))
        .measured(timeout as f64, f64::from(wanted), Unit::S)
        .evidence(format!("recovery_tmo {timeout}"), format!("/sys/class/iscsi_session/{}/recovery_tmo", session.name))
        .advice(
            because("The timeout decides whether a lost path is a pause, a failover or an error.")
                .run(sh!("iscsiadm -m node -T {} -o update -n node.session.timeo.replacement_timeout -v {}", session.target, wanted), "Stored for the next login; a session that is logged in keeps its value")
.now("Log out and in again, one session after the other, with multipath carrying the I/O").risk(Risk::Interrupts)
                .persist(format!("For new targets, in /etc/iscsi/iscsid.conf: node.session.timeo.replacement_timeout = {wanted}"))
                .undo_run(sh!("iscsiadm -m node -T {} -o update -n node.session.timeo.replacement_timeout -v {}", session.target, timeout), "Stores the former value")
                .expecting("failover within seconds when a path is pulled"),
        )
        .into()
}
