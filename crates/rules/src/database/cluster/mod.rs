//! Oracle clusters: the interconnect, LMS.

rules! {
    cssd_not_realtime,
    interconnect_blocks_lost,
    interconnect_management_port,
    interconnect_one_nic,
    interconnect_public,
    interconnect_slow,
    interconnect_waits_for_log,
    lms_not_realtime,
}
