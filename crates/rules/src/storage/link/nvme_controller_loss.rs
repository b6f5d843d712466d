rule! {
    /// # What it checks
    /// Applies to NVMe namespaces that are reached over a network. Passes when their only controller is waited for at least
    /// 600 s once it is lost, the kernel's default, and where there are several, when none of them is given up at once.
    /// # Why it matters
    /// When the time is over, the controller is removed, and nothing connects it again. Of the only one all I/O fails, and the
    /// file system stops. With a time of 0 a short break of the network takes a path away for good, and the next break the other.
    /// # Evidence
    /// `ctrl_loss_tmo` of the controllers.
    /// # Remedy
    /// `nvme connect --ctrl-loss-tmo=1800`; a second path where there is one.
    /// # Source
    /// nvme-connect(1) (`--ctrl-loss-tmo`, 600 s by default); Linux `drivers/nvme/host/fabrics.c`, `nvmf_should_reconnect` (no
    /// attempt at 0); `NetApp`, "NVMe/TCP Host Configuration" (1800 s).
    code: "nvme-controller-loss",
    title: "a lost NVMe controller is given up soon",
    layer: Storage, severity: Warning, on: [Disk],

    /// The kernel's default (`NVMF_DEF_CTRL_LOSS_TMO`).
    const DEFAULT_S: f64 = 600.0;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mut told = BTreeSet::new();
    let mut outcomes = Vec::new();
    for disk in &run.host.disks {
        let controllers = disk.nvme.as_ref().map_or(&[][..], |nvme| &nvme.controllers);
        let is_remote = |one: &NvmeController| matches!(one.transport.as_str(), "tcp" | "rdma" | "fc");
        let names: Vec<&str> = controllers.iter().map(|one| one.name.as_str()).collect();
        // All namespaces of a subsystem have the same controllers.
        if !controllers.is_empty() && controllers.iter().all(is_remote) && told.insert(names) {
            outcomes.push(judge(disk, controllers));
        }
    }
    outcomes
}

/// How long a lost one is waited for.
fn waits_s(controller: &NvmeController) -> Option<f64> {
    match controller.controller_loss_timeout.as_str() {
        "off" | "-1" => Some(f64::INFINITY),
        seconds => seconds.parse().ok(),
    }
}

fn judge(disk: &Disk, controllers: &[NvmeController]) -> Outcome {
    if let Some(unread) = controllers.iter().find(|one| waits_s(one).is_none()) {
        return facts::unread(&format!("ctrl_loss_tmo of {}", unread.name));
    }
    let is_only = controllers.len() == 1;
    let given_up = |one: &&NvmeController| {
        waits_s(one).is_some_and(|seconds| seconds <= 0.0 || is_only && seconds < DEFAULT_S)
    };
    let short: Vec<&NvmeController> = controllers.iter().filter(given_up).collect();
    let Some(seconds) = short.first().and_then(|one| waits_s(one)) else { return Outcome::Passes };
    let names: Vec<&str> = short.iter().map(|one| one.name.as_str()).collect();
    let names = facts::listed(&names);
    let message = if is_only {
        format!("I/O on {} fails {seconds:.0} s after its only controller {names} is lost", disk.name)
    } else {
        format!(
            "a path of {} ({names}) is removed as soon as its connection is lost, and nothing connects it again",
            disk.name
        )
    };
    let found = RULE
        .finding(Kind::Disk.named(&disk.name), message)
        .severity(if seconds > 0.0 { Severity::Info } else { Severity::Warning })
        .measured(seconds, DEFAULT_S, Unit::S);
    let found = short.iter().fold(found, |found, one| {
        let told =
            format!("ctrl_loss_tmo {} of {} ({})", one.controller_loss_timeout, one.name, one.transport);
        found.evidence(told, file(one))
    });
    found.advice(short.into_iter().fold(because("A file system stops at the first write that fails."), waits_longer)
        .persist("ctrl-loss-tmo in /etc/nvme/config.json, or --ctrl-loss-tmo=1800 where the connection is made (/etc/nvme/discovery.conf); where there is one path, better a second")
        .expecting("I/O waits or takes the other path while the target restarts, and the path comes back")).into()
}

fn file(controller: &NvmeController) -> String {
    format!("/sys/class/nvme/{}/ctrl_loss_tmo", controller.name)
}

fn waits_longer(advice: Advice, controller: &NvmeController) -> Advice {
    let file = file(controller);
    advice
        .run(
            sh!("echo {} > {}", 1800, file),
            format!("Waits half an hour for {}, until it is connected again", controller.name),
        )
        // The kernel keeps a number of attempts, which need not divide it (drivers/nvme/host/sysfs.c, ctrl_loss_tmo).
        .reads_back(sh!("test \"$(cat {})\" -ge 1800", file))
        .undo_run(sh!("echo {} > {}", controller.controller_loss_timeout, file), "Sets the former time")
}
