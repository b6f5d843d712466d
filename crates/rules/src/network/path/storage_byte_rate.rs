rule! {
    /// # What it checks
    /// Passes unless the characteristic of a file system or device that a network carries has one limit of bytes, far below
    /// the interface, that holds small reads at random as well as large ones in sequence; or large reads of NFS end at one rate
    /// at several depths, below that of any medium, and wait on the way to the server and back.
    /// # Why it matters
    /// A disk or a filer's CPU is limited in requests per second, or is faster in sequence than at random. The same byte
    /// rate for every kind of request is the mark of a link: a slow link on the way, a shaper, a cap on the volume.
    /// # Evidence
    /// Bytes per second of the random and the sequential reads; the speed of the interface that leads there.
    /// # Remedy
    /// Measure the same way without the storage (`fullwire net`, iperf3): if it ends at that rate as well, look for the
    /// slow port or the shaper; if not, for the filer's cap.
    /// # Source
    /// IEEE 802.3 frame and RFC 9293 header sizes for what a link of 100 Mbit/s, 1 Gbit/s and so on carries; NetApp
    /// ONTAP `QoS` policy groups with limits in MB/s. Seen in a lab: a filer behind a shaper of 100 Mbit/s.
    code: "storage-byte-rate",
    title: "all reads of a network storage stop at the same byte rate",
    layer: Network, severity: Warning, on: [Target], limits: [ProvisionedRate],

    /// The explanations in which this limit holds a step have this share of the weight at least (own choice).
    const SURE: f64 = 0.9;
    /// From this share of the interface on it is the interface.
    const OF_INTERFACE: f64 = 0.8;
    /// Up to this size a step is bound by requests, not by bytes.
    const SMALL_BLOCK_BYTES: u64 = 64 << 10;
    /// From this size on a step shows what the link carries.
    const LARGE_BLOCK_BYTES: u64 = 256 << 10;
    /// What TCP and NFS or iSCSI leave of a link's speed.
    const GOODPUT: std::ops::RangeInclusive<f64> = 0.88..=1.0;
    /// Of a request's time, on the way and at the server: it does not wait for a slot of this host.
    const ON_THE_WAY: f64 = 0.7;
    /// Rates that differ by no more are the same.
    const SAME: f64 = 0.05;
}

/// Speeds of links, Mbit/s, and the share of one that arrives as data: 94 % at an MTU of 1500, 99 % of jumbo frames.
const LINKS_MBIT_PER_S: [f64; 7] = [10.0, 100.0, 1_000.0, 2_500.0, 10_000.0, 25_000.0, 40_000.0];

fn check(run: &Facts) -> Vec<Outcome> {
    let targets = facts::targets(run);
    let trusted = targets.iter().filter(|target| !target.is_void());
    trusted.filter_map(|target| Some(judge(run, target, route::host_of(target.server(run)?)))).collect()
}

fn judge(run: &Facts, target: &facts::Target<'_>, host: &str) -> Outcome {
    let small =
        |step: &DiskStepResult| step.pattern == Pattern::Random && step.block_bytes <= SMALL_BLOCK_BYTES;
    let large =
        |step: &DiskStepResult| step.pattern == Pattern::Sequential && step.block_bytes >= LARGE_BLOCK_BYTES;
    let reads = target.result.measurements();
    let reads: Vec<_> = reads.filter(|(_, step)| step.operation == Operation::Read && step.ios > 0).collect();
    let both = [small as fn(&DiskStepResult) -> bool, large];
    if both.iter().any(|wanted| !reads.iter().any(|(_, step)| wanted(step))) {
        return unknown!("{} was not read both at random and in sequence", target.name());
    }
    let known = run.characteristics.get(target.name());
    let is_held =
        |id: &MeasurementId| known.is_some_and(|known| known.share_of(id, &[Quantity::ByteRate]) >= SURE);
    let mut held: Vec<_> = reads.iter().filter(|(id, _)| is_held(id)).map(|(_, step)| *step).collect();
    if !both.iter().all(|wanted| held.iter().any(|step| wanted(step))) {
        held = flat_on_the_way(run, target, &reads).unwrap_or_default();
    }
    let [small, large] =
        both.map(|wanted| rate(held.iter().copied().filter(|step: &&DiskStepResult| wanted(step))));
    let Some(large) = large else { return Outcome::Passes };
    let nic = route::nic_to(run, host);
    let interface = nic.and_then(|nic| nic.speed_mbit_per_s).map(|mbit| mbit as f64 * 1e6 / 8.0);
    if interface.is_some_and(|speed| large >= OF_INTERFACE * speed) {
        return Outcome::Passes;
    }
    let alike = LINKS_MBIT_PER_S.iter().find(|mbit| GOODPUT.contains(&(large * 8.0 / (*mbit * 1e6))));
    let alike = alike.map_or(String::new(), |mbit| format!(", what a link of {mbit:.0} Mbit/s carries"));
    let reads = if small.is_some() { "all reads" } else { "large reads" };
    let whatever = match small {
        Some(_) => "small random ones and large sequential ones alike",
        None => "at several depths",
    };
    let seen = match small {
        Some(small) => format!("random {}, sequential {}", words::rate(small), words::rate(large)),
        None => "the more requests, the longer each takes between this host and the server's answer".into(),
    };
    let finding = finding!(
        Kind::Target.named(target.name()),
        "{reads} of {} stop at {}{alike}, {whatever}: a slow link, a shaper or a volume limit on the way to {host} sets the rate, not a disk",
        target.name(),
        words::rate(large)
    )
        .measured(large, interface.unwrap_or(large), Unit::BytesPerS)
        .evidence(seen, "probe")
        .explains(held.iter().map(|step| {
            explain::step(target.result, step, Mechanism::ProvisionedRate).inferred(step.throughput_bytes_per_s, Unit::BytesPerS)
        }));
    let by = nic.map_or(String::new(), |nic| format!(" through {}", nic.name));
    finding
        .because("Only a network treats all sizes alike; the filer's disks would not.")
        .now(format!("`fullwire net {host}` (with `fullwire serve` there), or iperf3 -R -c {host}: the same rate{by}?", host = as_word(host)))
        .now("if so: speed and duplex of every port between, and shapers; if not: the filer's QoS policy of this volume")
        .persist("fix the slow port, or raise the shaper or the policy")
        .expecting("large reads become faster than small ones")
        .into()
}

fn rate<'a>(steps: impl Iterator<Item = &'a DiskStepResult>) -> Option<f64> {
    median(&steps.map(|step| step.throughput_bytes_per_s).collect::<Vec<f64>>())
}

/// Large reads of an NFS mount that end at one rate at several depths, slower than any medium, while their requests wait on the
/// way to the server and back; `None`: not at one rate, or they wait for slots of this host.
fn flat_on_the_way<'a>(
    run: &Facts,
    target: &facts::Target<'_>,
    reads: &[(MeasurementId, &'a DiskStepResult)],
) -> Option<Vec<&'a DiskStepResult>> {
    const AT_DEPTH: [Quantity; 3] = [Quantity::ServedAtOnce, Quantity::RequestRate, Quantity::ByteRate];
    let known = run.characteristics.get(target.name())?;
    let on_the_way = |step: &DiskStepResult| {
        let nfs = step.layers.iter().find(|layer| layer.kind == "nfs")?;
        Some(nfs.rtt_ns? >= ON_THE_WAY * nfs.await_ns)
    };
    let flat = reads.iter().filter(|(id, step)| {
        facts::in_flight(step) > 1
            && step.block_bytes >= LARGE_BLOCK_BYTES
            && known.course(id).is_some_and(|course| course.set)
            && known.share_of(id, &AT_DEPTH) >= SURE
            && on_the_way(step) == Some(true)
    });
    let flat: Vec<&DiskStepResult> = flat.map(|(_, step)| *step).collect();
    let all = rate(flat.iter().copied())?;
    let same = flat.iter().all(|step| (step.throughput_bytes_per_s - all).abs() <= SAME * all);
    (flat.len() > 1 && same).then_some(flat)
}
