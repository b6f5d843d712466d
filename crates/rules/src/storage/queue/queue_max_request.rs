rule! {
    /// # What it checks
    /// Passes when `max_sectors_kb` of data disks is at least 1024 where `max_hw_sectors_kb` allows it. A stack of
    /// devices, whose requests one remedy raises, is one finding, and so are disks of one kind and one setting.
    /// # Why it matters
    /// A scan of 1 MiB, the largest read of a database, is split; on a high-latency link each piece costs its
    /// own round trip.
    /// # Evidence
    /// `queue/max_sectors_kb`, `queue/max_hw_sectors_kb`.
    /// # Remedy
    /// `echo 1024 > /sys/block/X/queue/max_sectors_kb`, or multipath.conf.
    /// # Source
    /// Linux Documentation/ABI/stable/sysfs-block, `max_sectors_kb`; NetApp ontap-apps-dbs, lvm-striping.adoc (1
    /// MB I/O).
    code: "queue-max-request",
    title: "max_sectors_kb is below 1 MiB although the device accepts more",
    layer: Storage, severity: Info, on: [Disk],

    /// The largest I/O of the databases; see Source.
    const WANTED_BYTES: u64 = 1 << 20;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    let mut outcomes = Vec::new();
    let mut low: Vec<Low> = Vec::new();
    for disk in facts::data_disks(run).filter(|disk| disk.partition.is_none()) {
        match judge(disk) {
            Ok(one) => low.extend(one),
            Err(unread) => outcomes.push(unread),
        }
    }
    if low.is_empty() && outcomes.is_empty() && facts::data_disks(run).next().is_some() {
        outcomes.push(Outcome::Passes);
    }
    outcomes.extend(stacks(host, &low).iter().map(|stack| fires(host, stack)));
    outcomes
}

/// A device with its limit and its hardware's, bytes.
struct Low<'a> {
    disk: &'a Disk,
    set: u64,
    hardware: u64,
}

fn judge(disk: &Disk) -> Result<Option<Low<'_>>, Outcome> {
    let queue = disk.queue.as_ref();
    let (Some(set), Some(hardware)) =
        (queue.and_then(|queue| queue.max_request_bytes), queue.and_then(|queue| queue.max_hw_request_bytes))
    else {
        return Err(facts::unread(&format!("max_sectors_kb of {}", disk.name)));
    };
    Ok((set < WANTED_BYTES.min(hardware)).then_some(Low { disk, set, hardware }))
}

/// The devices of each stack, its top first: one remedy raises them all. Maps of one product have one line of
/// multipath.conf.
fn stacks<'l, 'a>(host: &'a Host, low: &'l [Low<'a>]) -> Vec<Vec<&'l Low<'a>>> {
    let of = |name: &str| low.iter().find(|one| one.disk.name == name);
    let is_top = |one: &&Low| !one.disk.holders.iter().any(|holder| of(holder).is_some());
    let mut stacks: Vec<Vec<&Low>> = Vec::new();
    let mut by_product: BTreeMap<&str, usize> = BTreeMap::new();
    let mut alike: BTreeMap<(&str, &str, u64, u64), usize> = BTreeMap::new();
    for top in low.iter().filter(is_top) {
        let own = host.stack(&top.disk.name).into_iter().filter_map(|disk| of(&disk.name));
        let map = host.multipath.iter().find(|map| map.device == top.disk.name);
        if let Some(product) = map.map(|map| map.product.as_str()).filter(|product| !product.is_empty()) {
            let place = *by_product.entry(product).or_insert_with(|| {
                stacks.push(Vec::new());
                stacks.len() - 1
            });
            stacks[place].extend(own);
            continue;
        }
        let own: Vec<&Low> = own.collect();
        let model = (top.disk.vendor.as_str(), top.disk.model.as_str(), top.set, top.hardware);
        if let Some(place) = alike.get(&model).filter(|_| is_alone(&own)) {
            stacks[*place].extend(own);
            continue;
        }
        if is_alone(&own) {
            alike.insert(model, stacks.len());
        }
        stacks.push(own);
    }
    stacks
}

/// A disk that nothing else of the finding is above or below.
fn is_alone(stack: &[&Low]) -> bool {
    matches!(stack, [one] if one.disk.kind == "disk")
}

/// One command for disks of one kind, and one rule of udev.
fn advice(host: &Host, stack: &[&Low], wanted: u64) -> Advice {
    let why = "Smaller requests mean more of them for the same bytes.";
    let top = stack[0];
    let mapped = host.multipath.iter().any(|map| map.device == top.disk.name);
    let are_alike = stack.len() > 1 && !mapped && stack.iter().all(|one| is_alone(&[*one]));
    if !are_alike {
        return set_max_request(host, &top.disk.name, wanted, why);
    }
    let names: Vec<&str> = stack.iter().map(|one| one.disk.name.as_str()).collect();
    let each = |kib: u64| {
        let disks = ShellCommand::joined(names.iter().map(|name| sh!("{}", name)), " ");
        sh!("for disk in {}; do echo {} > \"/sys/block/$disk/queue/max_sectors_kb\"; done", disks, kib)
    };
    because(why)
        .run(each(wanted >> 10), "Sets max_sectors_kb of all of them until the next boot")
        .persist(format!(
            "Write a udev rule that names them by what they have in common and what survives a reboot (`udevadm info /dev/{}`: ID_VENDOR, ID_MODEL) and sets ATTR{{queue/max_sectors_kb}}=\"{}\"",
            as_word(names[0]),
            wanted >> 10
        ))
        .undo_run(each(top.set >> 10), "Sets max_sectors_kb of all of them back")
}

fn fires(host: &Host, stack: &[&Low]) -> Outcome {
    let names: Vec<&str> = stack.iter().map(|one| called(one.disk)).collect();
    let top = stack[0];
    let accept = if names.len() == 1 { "accepts" } else { "accept" };
    let finding = finding!(
        Kind::Disk.named(&top.disk.name),
        "{} {accept} requests of at most {} (max_sectors_kb {}), the hardware {}",
        facts::listed(&names),
        facts::size(top.set),
        top.set >> 10,
        facts::size(top.hardware),
    )
    .also(stack[1..].iter().map(|one| one.disk.name.as_str()))
    .measured(top.set as f64, WANTED_BYTES.min(top.hardware) as f64, Unit::Bytes)
    .evidence(
        format!("max_sectors_kb {}, max_hw_sectors_kb {}", top.set >> 10, top.hardware >> 10),
        format!("/sys/block/{}/queue", top.disk.name),
    );
    let wanted = WANTED_BYTES.min(top.hardware);
    finding
        .advice(
            advice(host, stack, wanted).expecting(
                "one request for a 1 MiB read; `fullwire disk --sweep block` shows the plateau gone",
            ),
        )
        .into()
}

/// A map by its own name.
fn called(disk: &Disk) -> &str {
    disk.dm.as_ref().map(|map| map.name.as_str()).filter(|name| !name.is_empty()).unwrap_or(&disk.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::Run;
    use fullwire_model::host::Queue;

    /// Six equal disks of a virtual machine are one setting.
    #[test]
    fn disks_of_one_kind_are_one_finding() {
        let disk = |name: &str, model: &str| Disk {
            name: name.into(),
            kind: "disk".into(),
            vendor: "VMware".into(),
            model: model.into(),
            queue: Some(Queue {
                max_request_bytes: Some(512 << 10),
                max_hw_request_bytes: Some(16 << 20),
                ..Queue::default()
            }),
            ..Disk::default()
        };
        let mut run = Run::default();
        run.host.disks = vec![disk("sda", "Virtual disk"), disk("sdb", "Virtual disk"), disk("sdc", "Other")];
        let targets = r#"[{ "device": "sda" }, { "device": "sdb" }, { "device": "sdc" }]"#;
        run.disk = serde_json::from_str(targets).expect("targets");
        let outcomes = check(&Facts::of(&run));
        let [Outcome::Fires(first), Outcome::Fires(second)] = &outcomes[..] else { panic!("other outcomes") };
        assert!(first.message.starts_with("sda, sdb accept"), "{}", first.message);
        let run = first.advice.steps[0].run.as_deref().expect("a command");
        assert!(run.starts_with("for disk in sda sdb; do echo 1024 >"), "{run}");
        assert_eq!(second.subject, "sdc");
    }
}
