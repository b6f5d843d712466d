use crate::advice::set_boot_parameter;
use crate::prelude::*;

rule! {
    /// # What it checks
    /// Passes when the NVMe driver of an Amazon EC2 host waits at least 255 s for a request to an EBS volume.
    /// # Why it matters
    /// By default the driver gives a request up after 30 s. A volume is reached over a network and may pause for longer
    /// and then go on; the file system sees an I/O error instead and may become read-only.
    /// # Evidence
    /// `io_timeout` of the module `nvme_core`, in seconds.
    /// # Remedy
    /// `nvme_core.io_timeout=4294967295` on the kernel command line, 255 for Linux before 4.15.
    /// # Source
    /// Amazon EBS User Guide, "NVMe I/O operation timeout for Amazon EBS volumes" (default 30 s; the largest value is
    /// recommended, 4294967295, or 255 with old kernels).
    code: "nvme-io-timeout",
    title: "the NVMe driver gives up requests to EBS volumes early",
    layer: Storage, severity: Info, on: [Setting],

    /// What old kernels can be set to at most (Amazon EBS User Guide).
    const LONG_S: u64 = 255;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mut volumes =
        facts::whole_disks(&run.host).filter(|disk| disk.model == super::ebs_limit_exceeded::MODEL);
    // One value for all: the first volume tells it.
    let Some(namespace) = volumes.find_map(|disk| disk.nvme.as_ref()) else {
        return Vec::new();
    };
    let Some(timeout_s) = namespace.io_timeout_s else {
        return vec![facts::unread("io_timeout of nvme_core")];
    };
    if timeout_s >= LONG_S {
        return vec![Outcome::Passes];
    }
    vec![
        RULE.finding(Kind::Setting.named("nvme_core.io_timeout"), format!("the NVMe driver reports an I/O error when an EBS volume does not answer for {timeout_s} s"))
            .measured(timeout_s as f64, LONG_S as f64, Unit::S)
            .evidence(format!("io_timeout {timeout_s}"), "/sys/module/nvme_core/parameters/io_timeout")
            .advice(set_boot_parameter(
                &run.host,
                "nvme_core.io_timeout",
                longest(&run.host),
                "An EBS volume may pause and go on; after an I/O error a file system may become read-only and the database stops.",
                "`cat /sys/module/nvme_core/parameters/io_timeout` prints the value",
            ))
            .into(),
    ]
}

/// The largest value that a kernel accepts: the parameter was one byte before Linux 4.15, and a kernel whose release is not
/// known gets what every one takes.
fn longest(host: &Host) -> &'static str {
    if facts::kernel_is_at_least(host, (4, 15)) { "4294967295" } else { "255" }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One byte: 4294967295 is refused, and the root volume of the host with it.
    #[test]
    fn old_kernels_take_at_most_255() {
        let values =
            ["3.10.0-1160.el7.x86_64", "4.14.336-257.amzn2.x86_64", "", "5.14.0-427.el9"].map(|release| {
                let mut host = Host::default();
                host.os.kernel_release = release.into();
                longest(&host)
            });
        assert_eq!(values, ["255", "255", "255", "4294967295"]);
    }
}
