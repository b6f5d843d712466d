//! The kernel: its log, its switches.

rules! {
    kernel_log_trouble,
    panic_on_oops,
    pressure_off,
    rt_throttled,
    sysctl_not_kept,
}
