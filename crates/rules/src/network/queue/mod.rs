//! Queues between socket and wire: disciplines, backlogs, connection tracking.

rules! {
    backlog_small,
    bufferbloat,
    conntrack_full,
    ingress_filter_drops,
    listen_backlog,
    listen_queue_full,
    nic_channels_few,
    nic_irq_on_isolated_cpu,
    qdisc_drops,
    qdisc_netem,
    qdisc_shaper,
    softnet_drops,
    softnet_squeezed,
    tcp_listen_overflows,
    tcp_syn_queue,
}
