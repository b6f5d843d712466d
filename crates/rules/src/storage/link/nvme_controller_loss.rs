use crate::prelude::*;
use fullwire_model::host::NvmeController;

rule! {
    /// # What it checks
    /// Applies to NVMe namespaces that are reached over a network through one controller. Passes when a lost controller is
    /// waited for at least 600 s, the kernel's default.
    ///
    /// # Why it matters
    /// When the time is over, the controller is removed: all I/O fails, and the file system stops. With a second path the
    /// other one carries on, and this does not matter.
    ///
    /// # Evidence
    /// `ctrl_loss_tmo` of the controller; the number of controllers.
    ///
    /// # Remedy
    /// `nvme connect --ctrl-loss-tmo=1800`, or a second path.
    ///
    /// # Source
    /// nvme-connect(1) (`--ctrl-loss-tmo`, 600 s by default); `NetApp`, "NVMe/TCP Host Configuration" (1800 s).
    code: "nvme-controller-loss",
    title: "I/O fails soon after the only NVMe controller is lost",
    layer: Storage, severity: Info, on: [Disk],

    /// The kernel's default (`NVMF_DEF_CTRL_LOSS_TMO`).
    const DEFAULT_S: f64 = 600.0;
}

fn check(run: &Facts) -> Vec<Outcome> {
    run.host.disks.iter().filter_map(|disk| Some(judge(disk, only_controller(disk)?))).collect()
}

fn only_controller(disk: &Disk) -> Option<&NvmeController> {
    match disk.nvme.as_ref()?.controllers.as_slice() {
        [only] if matches!(only.transport.as_str(), "tcp" | "rdma" | "fc") => Some(only),
        _ => None,
    }
}

fn judge(disk: &Disk, controller: &NvmeController) -> Outcome {
    let name = &controller.name;
    let timeout = controller.controller_loss_timeout.as_str();
    let seconds: f64 = match timeout {
        "off" | "-1" => return Outcome::Passes,
        text => match text.parse() {
            Ok(seconds) => seconds,
            Err(_) => return facts::unread(&format!("ctrl_loss_tmo of {name}")),
        },
    };
    if seconds >= DEFAULT_S {
        return Outcome::Passes;
    }
    let file = format!("/sys/class/nvme/{name}/ctrl_loss_tmo");
    RULE.finding(Kind::Disk.named(&disk.name), format!("I/O on {} fails {seconds:.0} s after its only controller {name} is lost", disk.name))
        .measured(seconds, DEFAULT_S, Unit::S)
        .evidence(format!("ctrl_loss_tmo {timeout}, one controller ({})", controller.transport), &file)
        .advice(
            because("A file system stops at the first write that fails.")
                .run(sh!("echo {} > {}", 1800, file), "Waits half an hour for the controller, until it is connected again")
                // The kernel keeps a number of attempts, which need not divide it (drivers/nvme/host/sysfs.c, ctrl_loss_tmo).
                .reads_back(sh!("test \"$(cat {})\" -ge 1800", file))
                .undo_run(sh!("echo {} > {}", timeout, file), "Sets the former time")
                .persist("ctrl-loss-tmo in /etc/nvme/config.json, or --ctrl-loss-tmo=1800 where the connection is made (/etc/nvme/discovery.conf); better a second path")
                .expecting("I/O waits while the target restarts, and goes on"),
        )
        .into()
}
