//! NVMe namespaces: subsystem, controllers (the paths), their state and slots.
//!
//! With native multipathing a namespace hangs below its subsystem, and each path is a hidden block device
//! `nvmeXcYnZ` that carries the ANA state; without, the namespace hangs below its one controller.

pub(super) mod log;

use crate::Root;
use fullwire_model::host::{Disk, NvmeController, NvmeNamespace};

/// What a namespace and its subsystem tell.
pub(crate) struct Namespace {
    pub(crate) nvme: NvmeNamespace,
    pub(crate) model: String,
    pub(crate) serial: String,
    pub(crate) transport: String,
}

/// The number of a name such as `nvme3`, `nvme3n1`, `nvme-subsys3`.
fn number_behind<'a>(name: &'a str, start: &str) -> Option<&'a str> {
    let rest = name.strip_prefix(start)?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

/// Reads a namespace by its kernel name and its place in sysfs.
pub(crate) fn read_namespace(root: &Root, name: &str, place: &str) -> Namespace {
    let parent = place.rsplit('/').nth(1).unwrap_or_default();
    let subsystem_name = if parent.starts_with("nvme-subsys") {
        Some(parent.to_owned())
    } else {
        root.link_name(&format!("/sys/class/nvme/{parent}/subsystem"))
            .filter(|name| name.starts_with("nvme-subsys"))
    };
    let subsystem = subsystem_name.map(|name| format!("/sys/class/nvme-subsystem/{name}"));
    let is_multipath = parent.starts_with("nvme-subsys");
    let names = match &subsystem {
        Some(path) if is_multipath => controllers_of(root, path),
        _ if number_behind(parent, "nvme").is_some() => vec![parent.to_owned()],
        _ => Vec::new(),
    };
    let controllers: Vec<NvmeController> = names.iter().map(|own| controller(root, own, name)).collect();
    let attribute = |attribute: &str| {
        let of_controller = || root.attribute(&format!("/sys/class/nvme/{}/{attribute}", names.first()?));
        let of_subsystem = subsystem.as_ref().and_then(|path| root.attribute(&format!("{path}/{attribute}")));
        of_subsystem.or_else(of_controller)
    };
    Namespace {
        model: attribute("model").unwrap_or_default(),
        serial: attribute("serial").unwrap_or_default(),
        transport: transport(controllers.first()),
        nvme: NvmeNamespace {
            subsystem: attribute("subsysnqn").unwrap_or_default(),
            io_policy: subsystem.and_then(|path| root.attribute(&format!("{path}/iopolicy"))),
            io_timeout_s: root.number("/sys/module/nvme_core/parameters/io_timeout"),
            controllers,
        },
    }
}

fn controllers_of(root: &Root, subsystem: &str) -> Vec<String> {
    let is_controller =
        |name: &String| number_behind(name, "nvme").is_some_and(|number| number.len() + 4 == name.len());
    root.list(subsystem).into_iter().filter(is_controller).collect()
}

fn transport(first: Option<&NvmeController>) -> String {
    match first.map(|controller| controller.transport.as_str()) {
        Some("pcie" | "") | None => "pcie".to_owned(),
        Some(fabric) => format!("nvme-{fabric}"),
    }
}

fn controller(root: &Root, name: &str, namespace: &str) -> NvmeController {
    let path = format!("/sys/class/nvme/{name}");
    let attribute = |attribute: &str| root.attribute(&format!("{path}/{attribute}")).unwrap_or_default();
    let is_asked =
        attribute("transport") != "tcp" && attribute("transport") != "rdma" && attribute("transport") != "fc";
    NvmeController {
        health: (is_asked && matches!(attribute("state").as_str(), "" | "live"))
            .then(|| log::health(root, name))
            .flatten(),
        name: name.to_owned(),
        transport: attribute("transport"),
        address: attribute("address"),
        state: attribute("state"),
        ana_state: ana_state(root, name, namespace),
        queue_count: root.number(&format!("{path}/queue_count")),
        queue_slots: root.number(&format!("{path}/sqsize")),
        controller_loss_timeout: attribute("ctrl_loss_tmo"),
        pcie: crate::pci::link(root, &format!("{path}/device")),
    }
}

/// Adds the health that `nvme smart-log` printed to namespaces whose controller the tree does not have in `/sys/class`.
pub(crate) fn add_captured_health(root: &Root, disks: &mut [Disk]) {
    for disk in disks {
        let Some(number) = number_behind(&disk.name, "nvme") else { continue };
        if disk.nvme.as_ref().is_some_and(|nvme| !nvme.controllers.is_empty()) {
            continue;
        }
        let name = format!("nvme{number}");
        let Some(health) = log::captured_health(root, &name) else { continue };
        let controller = NvmeController { name, health: Some(health), ..NvmeController::default() };
        disk.nvme.get_or_insert_default().controllers.push(controller);
    }
}

/// Of controller `nvme2` and namespace `nvme1n3` the path is `nvme1c2n3`.
fn ana_state(root: &Root, controller: &str, namespace: &str) -> Option<String> {
    let (instance, id) = namespace.strip_prefix("nvme")?.split_once('n')?;
    let path = format!("nvme{instance}c{}n{id}", controller.strip_prefix("nvme")?);
    root.attribute(&format!("/sys/block/{path}/ana_state"))
        .or_else(|| root.attribute(&format!("/sys/class/nvme/{controller}/{path}/ana_state")))
        .or_else(|| root.attribute(&format!("/sys/block/{namespace}/ana_state")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drivers_time_out_belongs_to_every_namespace() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("sys/module/nvme_core/parameters");
        std::fs::create_dir_all(&place).expect("a folder");
        std::fs::write(place.join("io_timeout"), "4294967295\n").expect("a file");
        let root = Root::tree(folder.path()).expect("a tree");
        assert_eq!(read_namespace(&root, "nvme1n1", "").nvme.io_timeout_s, Some(4_294_967_295));
    }

    #[test]
    fn a_health_report_without_sysfs_belongs_to_its_namespace() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("sos_commands/nvme");
        std::fs::create_dir_all(&place).expect("a folder");
        let log = "critical_warning : 0x4\navailable_spare : 100%\navailable_spare_threshold : 10%\n\
                   percentage_used : 100%\nmedia_errors : 212\nWarning Temperature Time : 0\n";
        std::fs::write(place.join("nvme_smart-log_.dev.nvme1n1"), log).expect("a file");
        let root = Root::tree(folder.path()).expect("a tree");
        let named = |name: &str| Disk { name: name.to_owned(), ..Disk::default() };
        let mut disks = [named("nvme1n1"), named("nvme2n1"), named("sda")];
        add_captured_health(&root, &mut disks);
        let controllers = &disks[0].nvme.as_ref().expect("a namespace").controllers;
        assert_eq!(controllers[0].health.as_ref().map(|health| health.media_errors), Some(212));
        assert!(disks[1].nvme.is_none() && disks[2].nvme.is_none());
    }
}
