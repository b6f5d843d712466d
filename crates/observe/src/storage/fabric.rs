//! Adapters and sessions that carry disks: Fibre Channel hosts, SAS phys, iSCSI sessions, and the errors that
//! they count.

mod captured;

use super::hexadecimal;
use crate::Root;
use crate::pci::{self, leading_number};
use fullwire_model::host::{Disk, FcHost, FcRemotePort, IscsiSession, SasPhy};
use std::collections::BTreeMap;

const FC_HOSTS: &str = "/sys/class/fc_host";
const FC_REMOTE_PORTS: &str = "/sys/class/fc_remote_ports";
const SAS_PHYS: &str = "/sys/class/sas_phy";
const ISCSI_SESSIONS: &str = "/sys/class/iscsi_session";
const ISCSI_CONNECTIONS: &str = "/sys/class/iscsi_connection";

/// Of a Fibre Channel host's statistics the ones that count errors (`scsi_transport_fc`).
const FC_ERRORS: &[&str] = &[
    "invalid_crc_count",
    "invalid_tx_word_count",
    "link_failure_count",
    "loss_of_signal_count",
    "loss_of_sync_count",
    "error_frames",
    "dumped_frames",
    "prim_seq_protocol_err_count",
];

/// A SAS phy's error counters (`scsi_transport_sas`).
const SAS_ERRORS: &[&str] = &[
    "invalid_dword_count",
    "loss_of_dword_sync_count",
    "phy_reset_problem_count",
    "running_disparity_error_count",
];

const RDMA: &str = "/sys/class/infiniband";

/// Of an RDMA port's counters those of lost packets, of congestion and of a bad link (Linux
/// Documentation/ABI/stable/sysfs-class-infiniband; NVIDIA, Understanding mlx5 Linux Counters).
const RDMA_ERRORS: &[&str] = &[
    "hw_counters/out_of_sequence",
    "hw_counters/packet_seq_err",
    "hw_counters/implied_nak_seq_err",
    "hw_counters/local_ack_timeout_err",
    "hw_counters/np_cnp_sent",
    "hw_counters/rp_cnp_handled",
    "counters/port_rcv_errors",
    "counters/symbol_error",
];

/// Reads Fibre Channel hosts.
pub(crate) fn read_fc_hosts(root: &Root) -> Vec<FcHost> {
    let names = root.list(FC_HOSTS);
    if names.is_empty() {
        let told = captured::read(root, "fc_host");
        return told.iter().map(|(name, told)| fc_host(name, |key| told.get(key).cloned())).collect();
    }
    let each = names.iter().map(|name| FcHost {
        // The class entry is …/PCI-DEVICE/hostN/fc_host/hostN.
        pcie: pci::link(root, &format!("{FC_HOSTS}/{name}/device/..")),
        ..fc_host(name, |attribute| root.attribute(&format!("{FC_HOSTS}/{name}/{attribute}")))
    });
    each.collect()
}

fn fc_host(name: &str, attribute: impl Fn(&str) -> Option<String>) -> FcHost {
    let text = |name: &str| attribute(name).unwrap_or_default();
    FcHost {
        name: name.to_owned(),
        port_state: text("port_state"),
        port_type: text("port_type"),
        speed_gbit_per_s: leading_number(&text("speed")),
        supported_gbit_per_s: fastest(&text("supported_speeds")),
        port_name: text("port_name"),
        pcie: None,
        gaps: Vec::new(),
    }
}

/// The fastest of `4 Gbit, 8 Gbit, 16 Gbit`.
fn fastest(speeds: &str) -> Option<f64> {
    speeds.split(',').filter_map(|speed| leading_number(speed.trim())).max_by(f64::total_cmp)
}

/// Reads the ports of arrays that the adapters see.
pub(crate) fn read_fc_remote_ports(root: &Root) -> Vec<FcRemotePort> {
    let names = root.list(FC_REMOTE_PORTS);
    if names.is_empty() {
        let told = captured::read(root, "fc_remote_ports");
        return told.iter().map(|(name, told)| fc_remote_port(name, |key| told.get(key).cloned())).collect();
    }
    let attribute = |name: &str, key: &str| root.attribute(&format!("{FC_REMOTE_PORTS}/{name}/{key}"));
    names.iter().map(|name| fc_remote_port(name, |key| attribute(name, key))).collect()
}

/// `rport-HOST:CHANNEL-NUMBER` (Linux `scsi_transport_fc.c`).
fn fc_remote_port(name: &str, attribute: impl Fn(&str) -> Option<String>) -> FcRemotePort {
    let text = |name: &str| attribute(name).unwrap_or_default();
    let number = name.strip_prefix("rport-").and_then(|rest| rest.split(':').next()).unwrap_or_default();
    let fast = text("fast_io_fail_tmo");
    FcRemotePort {
        name: name.to_owned(),
        host: format!("host{number}"),
        port_state: text("port_state"),
        roles: text("roles"),
        port_name: text("port_name"),
        node_name: text("node_name"),
        dev_loss_tmo_s: text("dev_loss_tmo").parse().ok(),
        fast_io_fail_tmo_s: fast.parse().ok(),
        fast_io_fail_off: fast == "off",
        // -1: no target.
        scsi_target_id: text("scsi_target_id").parse().ok(),
    }
}

/// Reads SAS phys.
pub(crate) fn read_sas_phys(root: &Root) -> Vec<SasPhy> {
    let phy = |name: String| {
        let speed =
            |attribute: &str| leading_number(&root.attribute(&format!("{SAS_PHYS}/{name}/{attribute}"))?);
        SasPhy {
            negotiated_gbit_per_s: speed("negotiated_linkrate"),
            maximum_gbit_per_s: speed("maximum_linkrate"),
            name,
        }
    };
    root.list(SAS_PHYS).into_iter().map(phy).collect()
}

/// Error counters by adapter and kernel name (`host5/invalid_crc_count`).
pub(crate) fn read_errors(root: &Root, errors: &mut BTreeMap<String, u64>) {
    let mut read = |class: &str, below: &str, names: &[&str]| {
        for adapter in root.list(class) {
            for name in names {
                let value = hexadecimal(root, &format!("{class}/{adapter}/{below}{name}"));
                errors.extend(value.map(|value| (format!("{adapter}/{name}"), value)));
            }
        }
    };
    read(FC_HOSTS, "statistics/", FC_ERRORS);
    read(SAS_PHYS, "", SAS_ERRORS);
    read_rdma(root, errors);
}

/// What the ports of RDMA adapters count of losses and congestion: `mlx5_0/1/out_of_sequence`.
fn read_rdma(root: &Root, errors: &mut BTreeMap<String, u64>) {
    for adapter in root.list(RDMA) {
        for port in root.list(&format!("{RDMA}/{adapter}/ports")) {
            for (file, name) in RDMA_ERRORS.iter().filter_map(|file| Some((file, file.rsplit_once('/')?.1))) {
                let value = root.number(&format!("{RDMA}/{adapter}/ports/{port}/{file}"));
                errors.extend(value.map(|value| (format!("{adapter}/{port}/{name}"), value)));
            }
        }
    }
}

/// Reads iSCSI sessions. Names and passwords of CHAP are next to what is read, and are not.
pub(crate) fn read_iscsi_sessions(
    root: &Root,
    disks: &[Disk],
    places: &BTreeMap<String, String>,
) -> Vec<IscsiSession> {
    let connections = root.list(ISCSI_CONNECTIONS);
    let session = |name: String| {
        let path = format!("{ISCSI_SESSIONS}/{name}");
        let number = name.trim_start_matches("session");
        let connection = connections.iter().find(|connection| {
            connection
                .strip_prefix("connection")
                .and_then(|rest| rest.split_once(':'))
                .is_some_and(|own| own.0 == number)
        });
        let own_part = format!("/{name}/");
        let own_disks: Vec<&Disk> = disks
            .iter()
            .filter(|disk| places.get(&disk.name).is_some_and(|place| place.contains(&own_part)))
            .collect();
        let connection = connection.map(|connection| format!("{ISCSI_CONNECTIONS}/{connection}"));
        let of_connection =
            |attribute: &str| root.attribute(&format!("{}/{attribute}", connection.as_ref()?));
        let address = of_connection("persistent_address").or_else(|| of_connection("address"));
        let port = of_connection("persistent_port").or_else(|| of_connection("port"));
        IscsiSession {
            target: root.attribute(&format!("{path}/targetname")).unwrap_or_default(),
            portal: format!("{}:{}", address.unwrap_or_default(), port.unwrap_or_default()),
            state: root.attribute(&format!("{path}/state")).unwrap_or_default(),
            recovery_tmo_s: root.number(&format!("{path}/recovery_tmo")),
            max_receive_bytes: of_connection("max_recv_dlength").and_then(|bytes| bytes.parse().ok()),
            data_digest: of_connection("data_digest").map(|text| digest(&text)).unwrap_or_default(),
            ping_interval_s: of_connection("recv_tmo").and_then(|seconds| seconds.parse().ok()),
            // The session's commands are its host adapter's.
            cmds_max: own_disks.iter().find_map(|disk| disk.scsi.as_ref()?.host_can_queue),
            disks: own_disks.iter().map(|disk| disk.name.clone()).collect(),
            name,
        }
    };
    let sessions: Vec<IscsiSession> = root.list(ISCSI_SESSIONS).into_iter().map(session).collect();
    if sessions.is_empty() && !root.is_live() { super::iscsiadm::read(root) } else { sessions }
}

/// The kernel prints 0 or 1, whether the checksum is used (`scsi_transport_iscsi.c`, `iscsi_tcp`'s `datadgst_en`).
fn digest(text: &str) -> String {
    match text {
        "0" => "None".to_owned(),
        "1" => "CRC32C".to_owned(),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rooted;

    #[test]
    fn the_fastest_supported_speed() {
        assert_eq!(fastest("4 Gbit, 8 Gbit, 16 Gbit"), Some(16.0));
        assert_eq!(fastest("unknown"), None);
    }

    #[test]
    fn an_rdma_port_is_known_by_adapter_and_number() {
        let (_tree, root) = rooted(&[
            ("sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence", "4711\n"),
            ("sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error", "9\n"),
        ]);
        let mut errors = BTreeMap::new();
        read_errors(&root, &mut errors);
        let told = [("mlx5_0/1/out_of_sequence".to_owned(), 4711), ("mlx5_0/1/symbol_error".to_owned(), 9)];
        assert_eq!(errors, BTreeMap::from(told));
    }
}
