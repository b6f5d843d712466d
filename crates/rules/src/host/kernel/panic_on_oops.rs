rule! {
    /// # What it checks
    /// Passes when `kernel.panic_on_oops` is 1 on an Oracle host.
    /// # Why it matters
    /// After an oops a lock may never be released: a cluster node that hangs is worse than one that restarts.
    /// # Evidence
    /// `kernel.panic_on_oops`.
    /// # Remedy
    /// `kernel.panic_on_oops = 1`, and `kernel.panic` above 0: that many seconds after a panic the host restarts.
    /// # Source
    /// Oracle preinstallation requirements (`panic_on_oops` 1); Linux Documentation/admin-guide/sysctl/kernel.rst,
    /// `panic_on_oops`, `panic`.
    code: "panic-on-oops",
    title: "the kernel continues after an internal error",
    layer: Host, severity: Info, on: [Setting],
    setting: {
        name: "kernel.panic_on_oops",
        wanted: "1",
        says: "after an internal error the kernel continues with locks still held",
        why: "A restart is shorter than a hang.",
        expect: "after an oops the node restarts in kernel.panic seconds; with kernel.panic = 0 it stands still until someone resets it",
        applies: |run| facts::is_oracle(run),
        judge: |_, _, numbers| (numbers[0] == 0).then_some(Severity::Info),
    },
}
