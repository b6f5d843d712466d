//! What drivers call the packets that they lose. Each has its own names, and some names only sound like a loss.

/// Names of counters that count lost or damaged packets, by driver. `*` stands for the number of a queue or priority.
///
/// Linux `drivers/net/ethernet/`: `intel/{e1000e,igb,igc,ixgbe,i40e,ice}/*_ethtool.c` and `ethtool.c`,
/// `mellanox/mlx5/core/en_stats.c`, `mellanox/mlx4/en_ethtool.c`, `broadcom/bnxt/bnxt_ethtool.c`,
/// `broadcom/bnx2x/bnx2x_ethtool.c`, `broadcom/tg3.c`, `amazon/ena/ena_ethtool.c`, `google/gve/gve_ethtool.c`,
/// `cisco/enic/enic_ethtool.c`, `emulex/benet/be_ethtool.c`, `sfc/`; `drivers/net/{virtio_net,hyperv/netvsc_drv}.c`,
/// `drivers/net/vmxnet3/vmxnet3_ethtool.c`. For mlx5 also `counters.rst`: what error correction put right
/// (`rx_err_lane_*_phy`, `rx_corrected_bits_phy`) is no loss; `rx_out_of_buffer` has its own rule.
const LOSSES: [(&[&str], &[&str]); 15] = [
    (
        &["e1000", "e1000e", "igb", "igc"],
        &["rx_crc_errors", "rx_missed_errors", "rx_no_buffer_count", "rx_fifo_errors", "tx_timeout_count"],
    ),
    (
        &["ixgbe", "ixgbevf"],
        &[
            "rx_crc_errors", "rx_missed_errors", "rx_no_buffer_count", "rx_no_dma_resources",
            "alloc_rx_buff_failed", "alloc_rx_buff_failed_count", "tx_timeout_count",
        ],
    ),
    (
        &["i40e", "iavf", "i40evf"],
        &[
            "port.rx_crc_errors", "port.illegal_bytes", "port.rx_dropped", "port.tx_dropped_link_down",
            "rx_alloc_fail", "rx_pg_alloc_fail", "tx_timeout_count",
        ],
    ),
    (
        &["ice", "idpf"],
        &[
            "rx_crc_errors.nic", "illegal_bytes.nic", "rx_dropped.nic", "tx_dropped_link_down.nic",
            "tx_timeout.nic",
        ],
    ),
    (
        &["mlx5_core", "mlx5e_rep"],
        &[
            "rx_discards_phy", "tx_discards_phy", "tx_errors_phy", "rx_crc_errors_phy", "rx_symbol_err_phy",
            "rx_oversize_pkts_buffer", "rx_wqe_err", "rx_buff_alloc_err", "tx_queue_dropped",
            "rx_prio*_discards",
        ],
    ),
    (
        &["mlx4_en", "mlx4_core"],
        &["rx_dropped", "tx_dropped", "rx_crc_errors", "rx_over_errors", "rx_fifo_errors", "rx*_dropped"],
    ),
    (
        &["bnxt_en"],
        &[
            "rx_fcs_err_frames", "rx_stat_discard", "rx_total_discard_pkts", "tx_total_discard_pkts",
            "rx_total_buf_errors", "rx_total_oom_discards", "rx_total_ring_discards",
            "tx_total_ring_discards", "[*]: rx_discards", "[*]: tx_discards",
        ],
    ),
    (
        &["bnx2x", "bnx2"],
        &[
            "rx_crc_errors", "rx_align_errors", "rx_discards", "rx_fw_discards", "rx_skb_alloc_discard",
            "[*]: rx_discards", "[*]: rx_skb_alloc_discard",
        ],
    ),
    (&["tg3"], &["rx_fcs_errors", "rx_align_errors", "rx_discards", "rxbds_empty", "tx_discards"]),
    (&["ena"], &["tx_timeout", "rx_drops", "queue_*_rx_bad_desc_num", "queue_*_rx_bad_req_id"]),
    (
        &["virtio_net", "net_failover"],
        &["rx_queue_*_drops", "rx*_drops", "tx_queue_*_tx_timeouts", "tx*_tx_timeouts"],
    ),
    (
        &["vmxnet3"],
        &[
            "drv dropped rx total", "drv dropped tx total", "pkts rx OOB", "pkts rx err", "pkts tx err",
            "pkts tx discard",
        ],
    ),
    (&["hv_netvsc"], &["tx_no_memory", "tx_no_space", "rx_no_memory", "tx_too_big", "vf_tx_dropped"]),
    (
        &["gve", "gvnic"],
        &[
            "rx_dropped_pkt", "rx_skb_alloc_fail", "rx_buf_alloc_fail", "rx_desc_err_dropped_pkt",
            "tx_dropped", "tx_timeouts",
        ],
    ),
    (
        &["enic", "be2net", "sfc"],
        &[
            "rx_no_bufs",
            "rx_drop",
            "tx_drops",
            "rx_crc_errors",
            "rx_drops_no_pbuf",
            "rx_drops_no_erx_descr",
            "rx_input_fifo_overflow_drop",
            "rxpp_fifo_overflow_drop",
            "port_rx_bad",
            "port_rx_overflow",
            "port_rx_nodesc_drops",
            "rx_nodesc_drop_cnt",
        ],
    ),
];

/// The driver counts lost or damaged packets by this name; `None`: its names are not known here.
pub(crate) fn counts_a_loss(driver: &str, counter: &str) -> Option<bool> {
    let (_, names) = LOSSES.iter().find(|(drivers, _)| drivers.contains(&driver))?;
    Some(names.iter().any(|name| is(name, counter)))
}

/// The counter is of frames with a bad checksum, whose rule is `nic-crc-errors`: those that drivers call so in [`LOSSES`].
pub(crate) fn is_of_checksums(counter: &str) -> bool {
    let own = counter.strip_prefix("port.").unwrap_or(counter);
    let own = own.trim_end_matches(".nic").trim_end_matches("_phy");
    matches!(own, "rx_crc_errors" | "rx_fcs_err_frames" | "rx_fcs_errors")
}

/// The counter is of packets that found no free receive buffer or descriptor: a larger ring takes longer bursts.
pub(crate) fn is_of_the_ring(counter: &str) -> bool {
    const NAMES: [&str; 8] = [
        "pkts rx OOB", "rx_no_buffer_count", "rx_no_dma_resources", "rx_missed_errors", "rx_fifo_errors",
        "rx_over_errors", "port.rx_dropped", "rx_dropped.nic",
    ];
    NAMES.contains(&counter)
}

fn is(name: &str, counter: &str) -> bool {
    match name.split_once('*') {
        None => name == counter,
        Some((start, end)) => counter
            .strip_prefix(start)
            .and_then(|rest| rest.strip_suffix(end))
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_remedy_of_its_own_is_known_by_name() {
        let checksums = ["rx_crc_errors", "port.rx_crc_errors", "rx_crc_errors.nic", "rx_crc_errors_phy"];
        assert!(checksums.into_iter().all(is_of_checksums) && !is_of_checksums("rx_csum_errors"));
        assert!(is_of_the_ring("pkts rx OOB") && !is_of_the_ring("pkts rx err"));
    }

    #[test]
    fn each_driver_has_its_own_names() {
        assert_eq!(counts_a_loss("ixgbe", "rx_missed_errors"), Some(true));
        assert_eq!(counts_a_loss("mlx5_core", "rx_prio3_discards"), Some(true));
        assert_eq!(counts_a_loss("mlx5_core", "rx_err_lane_0_phy"), Some(false));
        assert_eq!(counts_a_loss("mlx5_core", "rx_steer_missed_packets"), Some(false));
        assert_eq!(counts_a_loss("bnxt_en", "[12]: rx_discards"), Some(true));
        assert_eq!(counts_a_loss("virtio_net", "rx_queue_0_xdp_drops"), Some(false));
        assert_eq!(counts_a_loss("i40e", "veb.rx_discards"), Some(false));
        assert_eq!(counts_a_loss("some_new_driver", "rx_errors"), None);
    }
}
