rule! {
    /// # What it checks
    /// Passes when stripe size times stripes is 1 MiB (or a divisor or multiple of it), and a stripe holds at least one
    /// database block of 8 KiB, better 64 KiB.
    /// # Why it matters
    /// A 1 MiB read, the largest of a database, then keeps each disk equally busy; smaller stripes cut
    /// single-block reads in two.
    /// # Evidence
    /// Stripe size and number in the device-mapper table.
    /// # Remedy
    /// `lvcreate -i N -I SIZE` with SIZE = 1 MiB / N.
    /// # Source
    /// NetApp ontap-apps-dbs, lvm-striping.adoc (stripe size x LUNs = 1 MB, stripe size at least the block
    /// size).
    code: "lvm-stripe-size",
    title: "the stripe size does not divide large I/Os evenly over the disks",
    layer: Storage, severity: Info, on: [Volume],

    /// The largest I/O of the databases.
    const LARGEST_IO_BYTES: u64 = 1 << 20;
    /// A smaller stripe cuts single blocks (own choice).
    const LEAST_STRIPE_BYTES: u64 = 64 << 10;
}

fn check(run: &Facts) -> Vec<Outcome> {
    run.host
        .logical_volumes
        .iter()
        .filter(|volume| volume.layout == "striped" && volume.stripes > 1)
        .map(judge)
        .collect()
}

fn judge(volume: &LogicalVolume) -> Outcome {
    let Some(stripe) = volume.stripe_bytes.filter(|bytes| *bytes > 0) else {
        return facts::unread(&format!("the stripe size of {}", volume.name));
    };
    let width = stripe * u64::from(volume.stripes);
    let divides = width.is_multiple_of(LARGEST_IO_BYTES) || LARGEST_IO_BYTES.is_multiple_of(width);
    // A stripe of 1 MiB and more keeps a large read on one disk: fine for many readers.
    if stripe >= LEAST_STRIPE_BYTES && (divides || stripe >= LARGEST_IO_BYTES) {
        return Outcome::Passes;
    }
    let wanted = (LARGEST_IO_BYTES / u64::from(volume.stripes).next_power_of_two()).max(LEAST_STRIPE_BYTES);
    let (what, why) = if stripe < LEAST_STRIPE_BYTES {
        let pieces = format!("a 1 MiB read becomes {} requests", LARGEST_IO_BYTES.div_ceil(stripe));
        (pieces, "Each piece is a request of its own: what a device serves is used up by their number.")
    } else {
        let uneven = "a 1 MiB read does not spread evenly".to_owned();
        (uneven, "A large read that covers some disks twice waits for them.")
    };
    finding!(
        Kind::Volume.named(&volume.name),
        "volume {} stripes {} over {} disks, {} in all: {what}",
        volume.name,
        facts::size(stripe),
        volume.stripes,
        facts::size(width),
    )
    .measured(stripe as f64, wanted as f64, Unit::Bytes)
    .evidence(format!("striped {} x {}", volume.stripes, facts::size(stripe)), "device-mapper table")
    .advice(stripe_anew(volume, wanted, why).expecting("equal requests on each disk during a scan"))
    .into()
}
