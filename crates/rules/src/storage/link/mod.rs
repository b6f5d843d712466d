//! Links to the storage: FC, SAS, iSCSI, `PCIe`.

mod other_way;

rules! {
    fc_failover_slow,
    fc_port_down,
    fc_remote_port_lost,
    fc_speed_low,
    iscsi_digest,
    iscsi_no_ping,
    iscsi_replacement_timeout,
    iscsi_session_lost,
    iscsi_single_session,
    link_errors,
    nvme_controller_loss,
    pcie_downgrade,
    sas_link_slow,
}

use crate::advice::{AdviceExt, because};
use fullwire_model::assessment::Advice;
use fullwire_model::host::{Host, IscsiSession};
use other_way::OtherWays;

/// Have a session take over what is stored for its next login. Where it is the only way to its disks, a log-out takes
/// them from whoever uses them.
fn login_again(host: &Host, session: &IscsiSession) -> Advice {
    if OtherWays::of_session(host, session) == OtherWays::All {
        return because("")
            .now("Log out and in again, one session after the other, with multipath carrying the I/O")
            .pauses("the session")
            .needs("`multipath -ll` shows another active path of each map over another session");
    }
    because("")
        .now(format!(
            "It takes effect at the next login. {} is the only way to its disks, as far as was read: log out and in only \
             with the databases on them stopped and the file systems unmounted, or wait for the next boot",
            session.name
        ))
        .unmounts("everything on its disks")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::assessment::Risk;

    #[test]
    fn the_only_session_to_a_disk_is_not_logged_out_beside_its_users() {
        let map = |paths: &str| -> Host {
            let text = format!(
                r#"{{ "multipath": [ {{ "name": "mpatha", "groups": [ {{ "paths": [ {paths} ] }} ] }} ] }}"#
            );
            serde_json::from_str(&text).expect("a host")
        };
        let session = IscsiSession { disks: vec!["sdb".into()], ..IscsiSession::default() };
        let risk = |host: &Host| login_again(host, &session).steps[0].risk();
        assert_eq!(risk(&Host::default()), Risk::Downtime);
        assert_eq!(risk(&map(r#"{ "device": "sdb" }"#)), Risk::Downtime, "a map of one path");
        assert_eq!(risk(&map(r#"{ "device": "sdb" }, { "device": "sdc" }"#)), Risk::Interrupts);
    }
}
