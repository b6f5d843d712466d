use crate::advice::set_ethtool;
use crate::facts::cpu;
use crate::network::each;
use crate::prelude::*;
use fullwire_model::assessment::ShellCommand;

rule! {
    /// # What it checks
    /// Passes when segmentation and receive offloads and checksums are on for physical interfaces in use, members of a
    /// bond among them.
    ///
    /// # Why it matters
    /// Without them the CPU builds and takes apart every frame: 81,000 a second for each Gbit/s; one stream
    /// then ends at one CPU long before the wire.
    ///
    /// # Evidence
    /// Features of the interface (`ethtool -k`): tcp-segmentation-offload, generic-segmentation-offload,
    /// generic-receive-offload, rx- and tx-checksumming.
    ///
    /// # Remedy
    /// `ethtool -K X tso on gso on gro on rx on tx on`, unless the driver's documentation says otherwise.
    ///
    /// # Source
    /// Linux Documentation/networking/segmentation-offloads.rst, checksum-offloads.rst.
    code: "nic-offload-off",
    title: "an offload is off",
    layer: Network, severity: Warning, on: [Nic], limits: [InterruptCpu],
}

fn check(run: &Facts) -> Vec<Outcome> {
    // A guest's interfaces have them too, and are felt more: each frame costs an exit.
    let has = |side: &side::Side, nic: &Nic| {
        each::in_use(side, nic) || nic.kind == "virtual" && each::is_adapter(side, nic)
    };
    each::nic(run, has, |side, nic| judge(run, side, nic))
}

const OFFLOADS: [(&str, &str); 5] = [
    ("tcp-segmentation-offload", "tso"),
    ("generic-segmentation-offload", "gso"),
    ("generic-receive-offload", "gro"),
    ("rx-checksumming", "rx"),
    ("tx-checksumming", "tx"),
];

fn judge(run: &Run, side: &side::Side, nic: &Nic) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    if nic.features.is_empty() {
        return Outcome::Unknown(format!("the features of {at} could not be read"));
    }
    let off: Vec<&(&str, &str)> =
        OFFLOADS.iter().filter(|(long, _)| nic.features.get(*long) == Some(&false)).collect();
    if off.is_empty() {
        return Outcome::Passes;
    }
    let paths = side.paths_over(run, &nic.name);
    let over = || run.net.iter().filter(|result| paths.contains(&result.target));
    let felt = over().any(|result| cpu::cpu_bound(run, result));
    let names: Vec<&str> = off.iter().map(|(long, _)| *long).collect();
    let arguments = |value: &'static str| {
        ShellCommand::joined(off.iter().map(|(_, short)| sh!("{} {}", *short, value)), " ")
    };
    let finding = RULE
        .finding(
            &at,
            format!("{} off on {at}{}", names.join(", "), if felt { ", and one CPU is used up" } else { "" }),
        )
        .severity(if felt { Severity::Warning } else { Severity::Info })
        .evidence(
            names.iter().map(|name| format!("{name}: off")).collect::<Vec<_>>().join(", "),
            side.source(&format!("ethtool -k {}", nic.name)),
        )
        .advice(
            set_ethtool(
                side.host,
                &nic.name,
                "-K",
                ["on", "off"].map(arguments),
                "The CPU handles every frame itself; one stream is limited to one CPU.",
                "less CPU for each GB, and more throughput where one CPU was the limit",
            )
            .on(side.peer),
        );
    let explained = over().filter(|result| cpu::cpu_bound(run, result)).map(|result| {
        explain::result(run, result, Mechanism::InterruptCpu).active(cpu::cpu_peak(run, result))
    });
    finding.explains(explained).into()
}
