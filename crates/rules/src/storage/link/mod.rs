//! Links to the storage: FC, SAS, iSCSI, `PCIe`.

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
