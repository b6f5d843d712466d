//! Links to the storage: FC, SAS, iSCSI, `PCIe`.

rules! {
    fc_port_down,
    fc_speed_low,
    iscsi_replacement_timeout,
    iscsi_session_lost,
    iscsi_single_session,
    link_errors,
    pcie_downgrade,
    sas_link_slow,
}
