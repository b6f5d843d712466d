use crate::advice;
use crate::ceiling::storage::queue::{depth_bound_io_per_s, requests_for};

rule! {
    /// # What it checks
    /// Passes unless the I/Os of a step were larger than the largest request that a device under the target is set to
    /// accept, or than the stripe of a volume, and were split, or reached the uppermost device in much smaller pieces than any
    /// of these asks for: then the file lies in pieces.
    /// # Why it matters
    /// Every piece costs a round trip, an interrupt and a slot of the queue; a scan or a backup then runs at a
    /// fraction of what the link carries.
    /// # Evidence
    /// `requests_per_io` of the step (program I/Os against diskstats), and `max_sectors_kb`,
    /// `max_hw_sectors_kb` and `max_segments` of each device below; the stripe of an LVM volume and the chunk of an md array.
    /// # Remedy
    /// Set `max_sectors_kb` to `max_hw_sectors_kb`, at most 1024 or what the array's vendor names (multipath:
    /// `max_sectors_kb` in multipath.conf). A volume with stripes of 64 KiB or more. Files in pieces: counted by filefrag.
    /// # Source
    /// Linux Documentation/ABI/stable/sysfs-block, `max_sectors_kb` and `max_hw_sectors_kb`; multipath.conf(5),
    /// `max_sectors_kb`. The founding figures: 1027 sectors a request, a 1 MiB read split in two at 512 KiB; a stripe
    /// of 16 KiB over two LUNs. [M] 512 KiB reads of such a stripe: 1,364 MB/s, of one LUN of the same disks 3,146; of an
    /// ext4 file in extents of 16 KiB: requests of 18 KiB, 33.6 MB/s, in one piece
    /// 902 (`lab/walk/7-layout.sh`: one request at a time, 0.5 ms each). filefrag(8).
    code: "request-split",
    title: "large I/Os are split into small requests",
    layer: Storage, severity: Warning, on: [Disk], limits: [RequestSize],

    /// More requests than this for one I/O are a split (a stray journal write makes no more).
    const SPLIT: f64 = 1.05;
    /// A fifth of the kernel's own default of 1280 KiB (`BLK_DEF_MAX_SECTORS_CAP`, 2560 sectors): so low a limit was set.
    const SMALL_REQUEST_BYTES: u64 = 256 << 10;
    /// A smaller stripe cuts even single blocks of a database (own choice, as `lvm-stripe-size`).
    const SMALL_STRIPE_BYTES: u64 = 64 << 10;
    /// No chunk of a thin pool (64 KiB at least, lvmthin(7)) and no limit of segments makes requests this small of large ones.
    const PIECE_BYTES: f64 = 49_152.0;
    /// Pieces of one I/O on average, from which a file is told to be fragmented (own choice).
    const PIECES: f64 = 4.0;
    /// Others' share of the bytes up to which the mean request is the file's. The smallest requests, 4 KiB, must move 8 % of
    /// the bytes before they alone lower the mean of large ones to a piece's 48 KiB.
    const OTHERS: f64 = 0.05;
}

fn check(run: &Facts) -> Vec<Outcome> {
    facts::targets(run)
        .iter()
        .filter(|target| !target.stack.is_empty())
        .map(|target| judge(&run.host, target))
        .collect()
}

fn judge(host: &Host, target: &facts::Target<'_>) -> Outcome {
    let largest = target.result.steps.iter().filter(|step| step.ios > 0).max_by_key(|step| step.block_bytes);
    let Some(step) = largest else { return facts::unread(&format!("a step on {}", target.name())) };
    let limits = target.stack.iter().filter_map(|disk| {
        let queue = disk.queue.as_ref()?;
        Some((*disk, queue, queue.max_request_bytes.filter(|bytes| *bytes > 0)?))
    });
    let by_queue = limits.min_by_key(|(_, _, bytes)| *bytes);
    let by_stripe =
        target.stack.iter().filter_map(|disk| stripe_of(host, disk)).min_by_key(|stripe| stripe.bytes);
    let Some(most) =
        by_queue.map(|(.., bytes)| bytes).into_iter().chain(by_stripe.as_ref().map(|one| one.bytes)).min()
    else {
        return facts::unread(&format!("max_sectors_kb of {}", target.result.device));
    };
    let split = match requests_per_io(step) {
        Some(requests) => requests > SPLIT,
        None => return facts::unread(&format!("requests per I/O on {}", target.name())),
    };
    match (by_stripe, by_queue) {
        _ if !split => Outcome::Passes,
        _ if step.block_bytes <= most => in_pieces(target, step),
        (Some(stripe), _) if stripe.bytes == most => by_layout(target, step, &stripe),
        (_, Some((disk, queue, bytes))) => fires(host, target, step, disk, queue, bytes),
        (_, None) => Outcome::Passes,
    }
}

/// How a volume spreads its data.
struct Stripe<'a> {
    device: &'a str,
    name: &'a str,
    bytes: u64,
    disks: u64,
    volume: Option<&'a LogicalVolume>,
}

fn stripe_of<'a>(host: &'a Host, disk: &'a Disk) -> Option<Stripe<'a>> {
    let volume = host.logical_volumes.iter().find(|volume| volume.device == disk.name && volume.stripes > 1);
    if let Some(volume) = volume {
        let bytes = volume.stripe_bytes.filter(|bytes| *bytes > 0)?;
        let disks = u64::from(volume.stripes);
        return Some(Stripe { device: &disk.name, name: &volume.name, bytes, disks, volume: Some(volume) });
    }
    let md = disk.md.as_ref().filter(|md| matches!(md.level.as_str(), "raid0" | "raid10"))?;
    let bytes = md.chunk_bytes.filter(|bytes| *bytes > 0)?;
    Some(Stripe { device: &disk.name, name: &disk.name, bytes, disks: md.raid_disks, volume: None })
}

/// The pieces are as small as the layout of the volume makes them.
fn by_layout(target: &facts::Target<'_>, step: &DiskStepResult, stripe: &Stripe<'_>) -> Outcome {
    let requests = requests_per_io(step).unwrap_or(1.0);
    let message = format!(
        "each I/O of {} is split into {requests:.1} requests: {} puts {} on each of its {} disks in turn",
        facts::size(step.block_bytes),
        stripe.name,
        facts::size(stripe.bytes),
        stripe.disks
    );
    let small = stripe.bytes < SMALL_STRIPE_BYTES;
    let why = "A stripe spreads many readers over its disks; a single large read is cut into pieces, each with its own round trip.";
    let advice = match stripe.volume {
        Some(volume) if small => advice::stripe_anew(volume, SMALL_STRIPE_BYTES, why),
        None if small => because(why).persist(format!(
            "An array with a chunk of {} or more (mdadm --create, option --chunk)",
            facts::size(SMALL_STRIPE_BYTES)
        )),
        _ => because(why)
            .now("Nothing, as long as each piece is large enough for the link: compare the device alone"),
    };
    let finding = RULE
        .finding(Kind::Disk.named(stripe.device), message)
        .measured(requests, SPLIT, Unit::Ratio)
        .evidence(
            format!("stripe {} over {} disks", facts::size(stripe.bytes), stripe.disks),
            "device-mapper table, /sys/block",
        )
        .evidence(
            format!("{requests:.2} requests for one I/O of {}", facts::step_name(step)),
            "/proc/diskstats over the step",
        )
        .advice(advice.expecting("fewer and larger requests on each disk (column request of the layers)"))
        .path(target.name());
    if small {
        finding.explains([explain::step(target.result, step, Mechanism::RequestSize)]).into()
    } else {
        finding.severity(Severity::Info).into()
    }
}

/// Nothing that is set cuts the I/Os, and yet the uppermost device gets small requests: the blocks of the file do not lie side by side.
fn in_pieces(target: &facts::Target<'_>, step: &DiskStepResult) -> Outcome {
    let is_file = step.layers.iter().any(|layer| layer.kind == "file-system");
    let uppermost = step.layers.iter().find(|layer| layer.kind != "file-system");
    let Some(layer) = uppermost.filter(|layer| is_file && step.direct && layer.mean_request_bytes > 0.0)
    else {
        return Outcome::Passes;
    };
    let pieces = step.block_bytes as f64 / layer.mean_request_bytes;
    if layer.mean_request_bytes > PIECE_BYTES || pieces < PIECES {
        return Outcome::Passes;
    }
    if !is_alone(step) {
        return facts::unread(&format!(
            "the size of fullwire's own requests on {}: others use it, too",
            layer.name
        ));
    }
    let piece = fullwire_model::format::size(layer.mean_request_bytes);
    let message = format!(
        "each I/O of {} reaches {} in requests of {piece} on average, which no limit of a queue asks for: the file on {} lies in pieces",
        facts::size(step.block_bytes),
        layer.name,
        target.name()
    );
    let why = "The pieces of a file that grew in small steps, or is sparse, lie apart: each is a request of its own.";
    RULE.finding(Kind::Disk.named(&layer.name), message)
        .measured(pieces, PIECES, Unit::Ratio)
        .evidence(format!("mean request {piece}"), "/proc/diskstats over the step")
        .because(why)
        .now("Count the pieces of the large data files: `filefrag FILE`")
        .persist(
            "Give data files their full size when they are made, instead of autoextension in small steps",
        )
        .expecting("few extents for each file, and requests as large as the I/Os")
        .path(target.name())
        .severity(Severity::Info)
        .into()
}

/// Next to no bytes of others, before the step and in it: a mean over all requests of the device is one over ours.
fn is_alone(step: &DiskStepResult) -> bool {
    let before = step.foreign_bytes_per_s.is_some_and(|bytes| bytes <= OTHERS * step.throughput_bytes_per_s);
    before && step.device_bytes_over_program_bytes.is_some_and(|ratio| ratio <= 1.0 + OTHERS)
}

/// As the probe counted; otherwise by the mean request of the device at the top.
fn requests_per_io(step: &DiskStepResult) -> Option<f64> {
    let by_size = || {
        let layer = step.layers.iter().find(|layer| layer.mean_request_bytes > 0.0)?;
        Some(step.block_bytes as f64 / layer.mean_request_bytes)
    };
    step.requests_per_io.or_else(by_size)
}

fn fires(
    host: &Host,
    target: &facts::Target<'_>,
    step: &DiskStepResult,
    disk: &Disk,
    queue: &Queue,
    bytes: u64,
) -> Outcome {
    let requests = requests_per_io(step).unwrap_or(1.0);
    let name = &disk.name;
    let hardware = queue.max_hw_request_bytes.unwrap_or(bytes);
    let wanted = hardware.min(step.block_bytes.max(1 << 20));
    // A driver without a limit of its own says 2 TiB or so.
    let takes =
        if hardware < 1 << 30 { format!(", the device takes {} KiB", hardware >> 10) } else { String::new() };
    let message = format!(
        "each I/O of {} is split into {requests:.1} requests: max_sectors_kb of {name} is {} KiB{takes}",
        facts::size(step.block_bytes),
        bytes >> 10
    );
    let finding = RULE.finding(Kind::Disk.named(name), message)
        .measured(requests, SPLIT, Unit::Ratio)
        .evidence(format!("max_sectors_kb {}, max_hw_sectors_kb {}", bytes >> 10, hardware >> 10), format!("/sys/block/{name}/queue"))
        .evidence(format!("{requests:.2} requests for one I/O of {}", facts::step_name(step)), "/proc/diskstats over the step")
        .advice(
            set_max_request(host, name, wanted, "The pieces queue behind one another; if each takes the same time, throughput falls with their number.")
            .expecting("one request for one I/O, and the sequential rate rises towards the link's"),
        );
    // What the hardware itself cannot take is its nature; what is set far below it is a fault.
    let set_low = bytes <= SMALL_REQUEST_BYTES && hardware >= 2 * bytes;
    let split =
        target.result.steps.iter().filter(|other| other.ios > 0 && other.block_bytes == step.block_bytes);
    let felt = |step: &DiskStepResult| {
        residence::waits_for_place(target, step).is_none_or(|share| share >= residence::FELT)
    };
    let felt: Vec<&DiskStepResult> = split.filter(|step| felt(step)).collect();
    if !set_low || felt.is_empty() {
        return finding.path(target.name()).severity(Severity::Info).into();
    }
    finding.explains(felt.into_iter().map(|step| explained(target, step, wanted))).into()
}

/// What small requests cost a step: the time for which they wait for a place in the queue, where it was counted.
fn explained(target: &facts::Target<'_>, step: &DiskStepResult, wanted: u64) -> Explanation {
    let mut explained = explain::step(target.result, step, Mechanism::RequestSize);
    if let Some(share) = residence::waits_for_place(target, step) {
        explained = explained.active(share);
    }
    match unsplit(target, step, wanted) {
        Some(rate) => explained.without(rate, Unit::BytesPerS, "device-latency"),
        None => explained,
    }
}

/// Bytes per second of the same requests, each as large as the I/O or as the device takes it (Little). The time of one is
/// taken to stay what it is, which makes this an upper limit.
fn unsplit(target: &facts::Target<'_>, step: &DiskStepResult, largest_bytes: u64) -> Option<f64> {
    let [layer] = facts::leaf_layers(target, step)[..] else { return None };
    let disk = target.leaves().find(|disk| disk.name == layer.name)?;
    let depth = disk.scsi.as_ref().and_then(|scsi| scsi.queue_depth).unwrap_or(u64::MAX);
    let bytes = step.block_bytes.min(largest_bytes);
    let in_flight = facts::in_flight(step) * requests_for(step.block_bytes, bytes);
    let await_ns = layer.of(step.operation).1;
    let busy = await_ns > 0.0 && layer.iops > 0.0;
    // What waits for a place in the queue is counted with the rest: the time in the device is depth over rate.
    let device_ns = await_ns.min(depth as f64 * 1e9 / layer.iops);
    busy.then(|| depth_bound_io_per_s(in_flight.min(depth), device_ns) * bytes as f64)
}
