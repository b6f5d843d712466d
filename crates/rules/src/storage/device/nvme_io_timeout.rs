rule! {
    /// # What it checks
    /// Passes when the NVMe driver of a cloud host waits as long for a request to a remote volume as the cloud asks for: 255 s
    /// for volumes of Amazon EBS and Alibaba Cloud, 240 s for remote disks of Azure.
    /// # Why it matters
    /// By default the driver gives a request up after 30 s. A volume is reached over a network and may pause for longer
    /// and then go on; the file system sees an I/O error instead and may become read-only.
    /// # Evidence
    /// `io_timeout` of the module `nvme_core`, in seconds.
    /// # Remedy
    /// `nvme_core.io_timeout` on the kernel command line: 4294967295, 255 for Linux before 4.15, 240 on Azure.
    /// # Source
    /// Amazon EBS User Guide, "NVMe I/O operation timeout for Amazon EBS volumes" (default 30 s; the largest value is
    /// recommended, 4294967295, or 255 with old kernels); Alibaba Cloud ECS, "an NVMe disk is unavailable due to an invalid
    /// `io_timeout` parameter" (the same); Microsoft, SAP-on-Azure-Scripts, conversion of machines to NVMe (240), which Red Hat's
    /// images for Azure set (`osbuild/images`); azure-vm-utils (models of the disks).
    code: "nvme-io-timeout",
    title: "the NVMe driver gives up requests to a cloud's volumes early",
    layer: Storage, severity: Info, on: [Setting],

    /// What old kernels can be set to at most (Amazon EBS User Guide).
    const LONG_S: u64 = 255;
    /// What Microsoft sets.
    const AZURE_S: u64 = 240;
}

/// Beginnings of the models of remote volumes, what they are called, and the least time.
const VOLUMES: [(&str, &str, u64); 3] = [
    (super::ebs_limit_exceeded::MODEL, "EBS volume", LONG_S),
    ("Alibaba Cloud Elastic Block Storage", "volume of Alibaba Cloud", LONG_S),
    ("MSFT NVMe Accelerator", "remote disk of Azure", AZURE_S),
];

fn check(run: &Facts) -> Vec<Outcome> {
    let remote = |disk: &Disk| VOLUMES.iter().find(|(model, ..)| disk.model.starts_with(model));
    // One value for all: the first volume tells it.
    let Some((namespace, (_, volume, least_s))) =
        facts::whole_disks(&run.host).find_map(|disk| Some((disk.nvme.as_ref()?, remote(disk)?)))
    else {
        return Vec::new();
    };
    let Some(timeout_s) = namespace.io_timeout_s else {
        return vec![facts::unread("io_timeout of nvme_core")];
    };
    if timeout_s >= *least_s {
        return vec![Outcome::Passes];
    }
    vec![
        finding!(Kind::Setting.named("nvme_core.io_timeout"), "the NVMe driver reports an I/O error when the {volume} does not answer for {timeout_s} s")
            .measured(timeout_s as f64, *least_s as f64, Unit::S)
            .evidence(format!("io_timeout {timeout_s}"), "/sys/module/nvme_core/parameters/io_timeout")
            .advice(set_boot_parameter(
                &run.host,
                "nvme_core.io_timeout",
                if *least_s == AZURE_S { "240" } else { longest(&run.host) },
                "A volume that is reached over a network may pause and go on; after an I/O error a file system may become read-only and the database stops.",
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
