//! Queues between socket and wire: disciplines, backlogs, connection tracking.

rules! {
    backlog_small,
    bufferbloat,
    conntrack_full,
    ingress_filter_drops,
    listen_backlog,
    listen_queue_full,
    qdisc_drops,
    qdisc_netem,
    qdisc_shaper,
    softnet_drops,
    softnet_squeezed,
    tcp_listen_overflows,
    tcp_syn_queue,
}
