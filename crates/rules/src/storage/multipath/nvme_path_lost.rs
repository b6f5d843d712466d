rule! {
    /// # What it checks
    /// Passes when every controller of each NVMe namespace is live.
    /// # Why it matters
    /// A path over the fabric is lost (connecting, resetting, dead): redundancy and its share of the rate are
    /// gone.
    /// # Evidence
    /// `state` of the controller, in `/sys/class/nvme`, below `nvme-fabrics/ctl`, or as `nvme list-subsys` prints it.
    /// # Remedy
    /// Network or zoning of that path; `nvme connect-all`.
    /// # Source
    /// NVM Express Base Specification, Asymmetric Namespace Access states;
    /// Linux drivers/nvme/host/sysfs.c (controller states); nvme-connect-all(1).
    code: "nvme-path-lost",
    title: "an NVMe controller is not live",
    layer: Storage, severity: Critical, on: [NvmeController],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mut paths: BTreeMap<&str, ControllerPath<'_>> = BTreeMap::new();
    let disks = run.host.disks.iter().filter(|disk| disk.kind != "partition");
    for (disk, nvme) in disks.filter_map(|disk| Some((disk, disk.nvme.as_ref()?))) {
        for controller in &nvme.controllers {
            let path = paths.entry(&controller.name).or_insert(ControllerPath {
                controller,
                of: 0,
                namespaces: BTreeSet::new(),
            });
            path.of = path.of.max(nvme.controllers.len());
            path.namespaces.insert(namespace(&disk.name));
        }
    }
    paths.values().map(judge).collect()
}

/// A controller, of how many it is one, and the namespaces behind it.
struct ControllerPath<'a> {
    controller: &'a NvmeController,
    of: usize,
    namespaces: BTreeSet<String>,
}

/// `nvme0c3n1` is the way of `nvme0n1` through controller 3, hidden from programs: what is reached is the namespace.
fn namespace(disk: &str) -> String {
    let parts = disk.split_once('c').and_then(|(subsystem, rest)| Some((subsystem, rest.split_once('n')?.1)));
    parts.map_or_else(|| disk.to_owned(), |(subsystem, id)| format!("{subsystem}n{id}"))
}

fn judge(path: &ControllerPath<'_>) -> Outcome {
    let ControllerPath { controller, of, namespaces } = path;
    let behind = facts::listed(&namespaces.iter().collect::<Vec<_>>());
    let what = match of {
        0 | 1 => format!("the path to {behind} is lost"),
        of => format!("one of {of} paths to {behind} is lost"),
    };
    match controller.state.as_str() {
        "" => facts::unread(&format!("the state of {}", controller.name)),
        "live" if controller.ana_state.as_deref() == Some("persistent-loss") => {
            gone_for_good(controller, &behind)
        }
        "live" => Outcome::Passes,
        state => finding!(
            Kind::NvmeController.named(&controller.name),
            "NVMe controller {} is {state}: {what}",
            controller.name,
        )
        .evidence(
            format!("state {state}, {}", controller.address),
            format!("/sys/class/nvme/{}/state", controller.name),
        )
        .because("I/O takes the other paths, or waits for ctrl_loss_tmo.")
        .look("nvme list-subsys", "Shows the state of the paths")
        .look("dmesg | grep nvme | tail -n 30 || true", "Shows when and why")
        .now("`nvme connect-all` once the network is repaired")
        .persist("nvmf-autoconnect.service; /etc/nvme/discovery.conf")
        .expecting("state live on all controllers")
        .into(),
    }
}

/// Inaccessible is the other half of an active and a standby controller; this state ends by nothing that the host does.
fn gone_for_good(controller: &NvmeController, behind: &str) -> Outcome {
    let name = &controller.name;
    finding!(
        Kind::NvmeController.named(name),
        "the array has given {behind} up behind NVMe controller {name} (ANA state persistent-loss)",
    )
    .evidence(
        format!("ana_state persistent-loss, {}", controller.address),
        format!("/sys/class/nvme/{name}/*/ana_state"),
    )
    .because("I/O takes the other paths, if there are any; this one does not come back by itself.")
    .look("nvme list-subsys", "Shows the state of the paths")
    .now(
        "The array's own log: was the namespace deleted, unmapped from this controller, or its storage lost?",
    )
    .persist("Map it again on the array, or take it out of use on this host")
    .expecting("ANA state optimized or non-optimized on all controllers")
    .into()
}
