use crate::ceiling::storage::links_below;

rule! {
    /// # What it checks
    /// Passes when NVMe controllers and FC adapters have the `PCIe` width that they support, and run no slower than the
    /// others of their kind. A device of a newer generation than its slot is a design: a note, until a probe fills the
    /// slot.
    /// # Why it matters
    /// The slot is the ceiling: x4 at 8 GT/s carries 3.94 GB/s, x2 half of it. A card in the wrong slot stays
    /// unnoticed for years.
    /// # Evidence
    /// `current_link_speed`, `current_link_width`, `max_link_speed`, `max_link_width`.
    /// # Remedy
    /// Another slot; reseat; firmware settings (bifurcation, power saving).
    /// # Source
    /// Linux Documentation/ABI/testing/sysfs-bus-pci, `current_link_speed` and `max_link_speed`.
    code: "pcie-downgrade",
    title: "a storage controller's slot runs below its speed or width",
    layer: Storage, severity: Warning, on: [PcieDevice], limits: [LinkSlow],

    /// So near to what the slot carries, the slot is what bounds the path.
    const REACHED: f64 = 0.9;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    let nvme = host.disks.iter().filter_map(|disk| disk.nvme.as_ref()).flat_map(|nvme| &nvme.controllers);
    let slots = nvme
        .filter(|controller| controller.transport == "pcie")
        .map(|controller| (controller.name.as_str(), controller.pcie.as_ref()));
    let adapters = host.fc_hosts.iter().map(|port| (port.name.as_str(), port.pcie.as_ref()));
    let all: Vec<(&str, Option<&PcieLink>)> = slots.chain(adapters).collect();
    let slower_than_kin = |link: &PcieLink| {
        let kin = all.iter().filter_map(|(_, other)| *other);
        let mut kin = kin.filter(|other| {
            (other.max_speed_gt_per_s, other.max_width) == (link.max_speed_gt_per_s, link.max_width)
        });
        kin.any(|other| other.speed_gt_per_s > link.speed_gt_per_s)
    };
    all.iter().map(|(name, link)| judge(run, name, *link, link.is_some_and(slower_than_kin))).collect()
}

/// The measured path that fills the slot, and the share of it.
fn filled<'a>(run: &'a Run, name: &str) -> Option<(&'a PathName, f64)> {
    let mut shares = facts::targets(run).into_iter().filter_map(|target| {
        let steps = target.result.steps.iter();
        let share = steps.filter_map(|step| {
            let links = links_below(run, &target, step);
            let slot = links.iter().find(|link| link.kind == "pcie-link" && link.subject.contains(name))?;
            Some(step.throughput_bytes_per_s / slot.value)
        });
        share.reduce(f64::max).map(|share| (target.name(), share))
    });
    shares.find(|(_, share)| *share >= REACHED)
}

fn judge(run: &Run, name: &str, link: Option<&PcieLink>, slower_than_kin: bool) -> Outcome {
    let Some(link) = link.filter(|link| link.width > 0 && link.max_width > 0) else {
        return facts::unread(&format!("the PCIe link of {name}"));
    };
    if link.width >= link.max_width && link.speed_gt_per_s >= link.max_speed_gt_per_s {
        return Outcome::Passes;
    }
    let finding = finding!(
        Kind::PcieDevice.named(name),
        "{name} runs at PCIe {} GT/s x{} of {} GT/s x{}",
        link.speed_gt_per_s,
        link.width,
        link.max_speed_gt_per_s,
        link.max_width,
    )
    .measured(
        link.speed_gt_per_s * f64::from(link.width),
        link.max_speed_gt_per_s * f64::from(link.max_width),
        Unit::Count,
    )
    .evidence(
        format!(
            "current {} GT/s x{}, max {} GT/s x{}",
            link.speed_gt_per_s, link.width, link.max_speed_gt_per_s, link.max_width
        ),
        "/sys/bus/pci/devices/*/current_link_*",
    )
    .because("A link of half the lanes or speed carries half the bytes.")
    .look("lspci -vv | grep -E 'LnkCap|LnkSta' || true", "Look for (downgraded)")
    .persist("a slot with all lanes; reseat the card; check the firmware's PCIe settings")
    .expecting("current equal to max; power saving may lower it when idle: check it under load");
    match filled(run, name) {
        Some((target, share)) => finding
            .evidence(
                format!("the probe filled {} of what the slot carries now", facts::percent(share)),
                "probe",
            )
            .explains([Explanation::of_path(target, Mechanism::LinkSlow).active(share)])
            .into(),
        None if link.width < link.max_width || slower_than_kin => finding.into(),
        None => finding.severity(Severity::Info).into(),
    }
}
