rule! {
    /// # What it checks
    /// Passes when segmentation and receive offloads and checksums are on for physical interfaces in use, members of a
    /// bond among them, and what a sender needs of them for the virtual cable (veth) that a measured stream leaves by. One is
    /// felt where a CPU is used up, or where the other way, whose sender has them, carries twice as much and more.
    /// # Why it matters
    /// Without them the CPU builds and takes apart every frame: 81,000 a second for each Gbit/s; one stream
    /// then ends at one CPU long before the wire.
    /// # Evidence
    /// Features of the interface (`ethtool -k`): tcp-segmentation-offload, generic-segmentation-offload,
    /// generic-receive-offload, rx- and tx-checksumming.
    /// # Remedy
    /// `ethtool -K X tso on gso on gro on rx on tx on`, unless the driver's documentation says otherwise.
    /// # Source
    /// Linux Documentation/networking/segmentation-offloads.rst, checksum-offloads.rst; net/core/dev.c,
    /// `netdev_fix_features` (no segmentation without scatter-gather, and none of that without checksums).
    code: "nic-offload-off",
    title: "an offload is off",
    layer: Network, severity: Warning, on: [Nic], limits: [InterruptCpu],

    /// Of the other way: two directions of one path differ by less (own choice).
    const CONTRAST: f64 = 2.0;
}

fn check(run: &Facts) -> Vec<Outcome> {
    // A guest's interfaces have them too, and are felt more: each frame costs an exit.
    let has = |side: &side::Side, nic: &Nic| {
        let carries =
            || nic.kind == "veth" && nic.up != Some(false) && !side.paths_over(run, &nic.name).is_empty();
        each::in_use(side, nic) || nic.kind == "virtual" && each::is_adapter(side, nic) || carries()
    };
    each::nic(run, has, |side, nic| judge(run, side, nic))
}

const OF_SENDER: [(&str, &str); 3] =
    [("tcp-segmentation-offload", "tso"), ("generic-segmentation-offload", "gso"), ("tx-checksumming", "tx")];
const SEGMENTS: [&str; 2] = ["tso", "gso"];
/// A virtual cable has none of these to take over.
const OF_RECEIVER: [(&str, &str); 2] = [("generic-receive-offload", "gro"), ("rx-checksumming", "rx")];

fn judge(run: &Run, side: &side::Side, nic: &Nic) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    if nic.features.is_empty() {
        return unknown!("the features of {at} could not be read");
    }
    let of_receiver = if nic.kind == "veth" { [].as_slice() } else { &OF_RECEIVER };
    // The features hold what the device has: segments are gathered and their checksums left to it, or they are not made.
    let can_segment = ["scatter-gather", "tx-checksumming"].iter().any(|one| nic.features.contains_key(*one));
    let is_off = |(long, short): &&(&str, &str)| {
        nic.features.get(*long) == Some(&false) && (can_segment || !SEGMENTS.contains(short))
    };
    let off: Vec<&(&str, &str)> = OF_SENDER.iter().chain(of_receiver).filter(is_off).collect();
    if off.is_empty() {
        return Outcome::Passes;
    }
    let paths = side.paths_over(run, &nic.name);
    let over = || run.net.iter().filter(|result| paths.contains(&result.target));
    let sends = OF_SENDER.iter().any(|one| is_off(&one));
    let lost = |result: &NetResult| {
        let share = lost_to_other_way(run, result)?;
        (sends && explain::leaves_by(side, result)).then_some(share)
    };
    let used_up = over().any(|result| cpu::cpu_bound(run, result));
    let contrast = over().any(|result| lost(result).is_some());
    let felt = if used_up {
        ", and one CPU is used up"
    } else if contrast {
        ", and the other way carries far more"
    } else {
        ""
    };
    let names: Vec<&str> = off.iter().map(|(long, _)| *long).collect();
    // Segments are sent from scattered memory: the kernel refuses tso without it.
    let scattered = nic.features.get("scatter-gather") == Some(&false)
        && off.iter().any(|(_, short)| SEGMENTS.contains(short));
    let shorts: Vec<&'static str> =
        scattered.then_some("sg").into_iter().chain(off.iter().map(|(_, short)| *short)).collect();
    let arguments = |value: &'static str| {
        ShellCommand::joined(shorts.iter().map(|short| sh!("{} {}", *short, value)), " ")
    };
    let finding = finding!(&at, "{} off on {at}{felt}", names.join(", "))
        .severity(if felt.is_empty() { Severity::Info } else { Severity::Warning })
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
    let explained = over().filter_map(|result| {
        let busy = cpu::cpu_bound(run, result).then(|| cpu::cpu_peak(run, result));
        Some(explain::result(run, result, Mechanism::InterruptCpu).active(busy.or_else(|| lost(result))?))
    });
    finding.explains(explained).into()
}

/// The share of what the same streams carry the other way that is missing this way, where that is most of it.
fn lost_to_other_way(run: &Run, result: &NetResult) -> Option<f64> {
    let back = stream::results(run, NetMode::Async).filter(|other| {
        other.target == result.target
            && other.reverse != result.reverse
            && other.streams == result.streams
            && stream::is_flat_out(other)
    });
    let best = back.map(stream::steady_bytes_per_s).reduce(f64::max)?;
    let own = stream::steady_bytes_per_s(result);
    (stream::is_flat_out(result) && best >= CONTRAST * own).then(|| 1.0 - own / best)
}
