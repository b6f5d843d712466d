rule! {
    /// # What it checks
    /// Passes unless the characteristic of a file system or device that a network carries has one limit of bytes, far below
    /// the interface, that holds small reads at random as well as large ones in sequence.
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
    let held: Vec<_> = reads.into_iter().filter(|(id, _)| is_held(id)).collect();
    let rate_of = |wanted: fn(&DiskStepResult) -> bool| {
        let rates = held.iter().filter(|(_, step)| wanted(step)).map(|(_, step)| step.throughput_bytes_per_s);
        median(&rates.collect::<Vec<f64>>())
    };
    let (Some(small), Some(large)) = (rate_of(both[0]), rate_of(both[1])) else { return Outcome::Passes };
    let nic = route::nic_to(run, host);
    let interface = nic.and_then(|nic| nic.speed_mbit_per_s).map(|mbit| mbit as f64 * 1e6 / 8.0);
    if interface.is_some_and(|speed| large >= OF_INTERFACE * speed) {
        return Outcome::Passes;
    }
    let alike = LINKS_MBIT_PER_S.iter().find(|mbit| GOODPUT.contains(&(large * 8.0 / (*mbit * 1e6))));
    let alike = alike.map_or(String::new(), |mbit| format!(", what a link of {mbit:.0} Mbit/s carries"));
    let finding = finding!(
        Kind::Target.named(target.name()),
        "all reads of {} stop at {}{alike}, small random ones and large sequential ones alike: a slow link, a shaper or a volume limit on the way to {host} sets the rate, not a disk",
        target.name(),
        words::rate(large),
    )
        .measured(large, interface.unwrap_or(large), Unit::BytesPerS)
        .evidence(format!("random {}, sequential {}", words::rate(small), words::rate(large)), "probe")
        .explains(held.iter().map(|(_, step)| {
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
