//! The kernel: its log, its switches.

rules! {
    kernel_log_trouble,
    on_access_scanner,
    panic_on_oops,
    pressure_off,
    rt_throttled,
    sysctl_not_kept,
}
