use crate::prelude::*;
use crate::setting::{self, Setting};

rule! {
    /// # What it checks
    /// Passes when `kernel.panic_on_oops` is 1 on an Oracle host.
    ///
    /// # Why it matters
    /// After an oops a lock may never be released: a cluster node that hangs is worse than one that restarts.
    ///
    /// # Evidence
    /// `kernel.panic_on_oops`.
    ///
    /// # Remedy
    /// `kernel.panic_on_oops = 1`, and `kernel.panic` above 0: that many seconds after a panic the host restarts.
    ///
    /// # Source
    /// Oracle preinstallation requirements (`panic_on_oops` 1); Linux Documentation/admin-guide/sysctl/kernel.rst,
    /// `panic_on_oops`, `panic`.
    code: "panic-on-oops",
    title: "the kernel continues after an internal error",
    layer: Host, severity: Info, on: [Setting],
    check: setting::check::<PanicOnOops>,
}

struct PanicOnOops;

impl Setting for PanicOnOops {
    const RULE: Rule = RULE;
    const NAME: &'static str = "kernel.panic_on_oops";
    const WANTED: &'static str = "1";
    const SAYS: &'static str = "after an internal error the kernel continues with locks still held";
    const WHY: &'static str = "A restart is shorter than a hang.";
    const EXPECT: &'static str = "after an oops the node restarts in kernel.panic seconds; with kernel.panic = 0 it stands still until someone resets it";

    fn applies(run: &Run) -> bool {
        facts::is_oracle(run)
    }

    fn judge(_run: &Run, _host: &Host, numbers: &[u64]) -> Option<Severity> {
        (numbers[0] == 0).then_some(Severity::Info)
    }
}
