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
        root.link_name(&format!("{}/subsystem", folder_of_controller(root, parent)))
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
        let of_controller =
            || root.attribute(&format!("{}/{attribute}", folder_of_controller(root, names.first()?)));
        let of_subsystem = subsystem.as_ref().and_then(|path| root.attribute(&format!("{path}/{attribute}")));
        of_subsystem.or_else(of_controller)
    };
    Namespace {
        model: attribute("model").unwrap_or_default(),
        serial: attribute("serial").unwrap_or_default(),
        transport: transport(controllers.first(), place),
        nvme: NvmeNamespace {
            subsystem: attribute("subsysnqn").unwrap_or_default(),
            io_policy: subsystem.and_then(|path| root.attribute(&format!("{path}/iopolicy"))),
            io_timeout_s: root.number("/sys/module/nvme_core/parameters/io_timeout"),
            controllers,
        },
    }
}

/// Where a controller's attributes are. A captured tree may lack the links of the class and have the folder of
/// what is reached over a network alone (drivers/nvme/host/fabrics.c makes its device `ctl`).
fn folder_of_controller(root: &Root, name: &str) -> String {
    let places = [format!("/sys/class/nvme/{name}"), format!("/sys/class/nvme-fabrics/ctl/{name}")];
    let found = places.iter().find(|place| root.exists(place));
    found.unwrap_or(&places[0]).clone()
}

/// `nvme list-subsys`, as sos keeps it.
const LIST_SUBSYSTEMS: &str = "/sos_commands/nvme/nvme_list-subsys";

/// ` +- nvme3 tcp traddr=192.0.2.21,trsvcid=4420 connecting`, by old releases `traddr=192.0.2.21 trsvcid=4420`.
fn listed(text: &str, name: &str) -> Option<NvmeController> {
    let mut lines = text.lines().filter_map(|line| line.trim_start().strip_prefix("+- "));
    let words: Vec<&str> = lines.find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        (words.first() == Some(&name)).then_some(words)
    })?;
    // Asked for one namespace it adds how that is reached: `live optimized`.
    let state = words.iter().skip(2).find(|word| STATES.contains(word))?;
    let address: Vec<&str> = words.iter().skip(2).filter(|word| word.contains('=')).copied().collect();
    Some(NvmeController {
        name: name.to_owned(),
        transport: words.get(1).map(|&word| word.to_owned())?,
        address: address.join(","),
        state: (*state).to_owned(),
        ..NvmeController::default()
    })
}

/// drivers/nvme/host/sysfs.c, `nvme_sysfs_show_state`.
const STATES: [&str; 6] = ["new", "live", "resetting", "connecting", "deleting", "dead"];

fn is_fabric(transport: &str) -> bool {
    matches!(transport, "tcp" | "rdma" | "fc" | "loop")
}

fn controllers_of(root: &Root, subsystem: &str) -> Vec<String> {
    let is_controller =
        |name: &String| number_behind(name, "nvme").is_some_and(|number| number.len() + 4 == name.len());
    root.list(subsystem).into_iter().filter(is_controller).collect()
}

/// What no record tells of a controller over a network stays empty: its place alone tells that it is no slot.
fn transport(first: Option<&NvmeController>, place: &str) -> String {
    match first.map(|controller| controller.transport.as_str()) {
        Some("") | None if place.contains("/nvme-fabrics/") => String::new(),
        Some("pcie" | "") | None => "pcie".to_owned(),
        Some(fabric) => format!("nvme-{fabric}"),
    }
}

fn controller(root: &Root, name: &str, namespace: &str) -> NvmeController {
    let path = folder_of_controller(root, name);
    let listed = || root.read_optional(LIST_SUBSYSTEMS, &mut Vec::new()).and_then(|text| listed(&text, name));
    let listed = if root.exists(&path) { None } else { listed() }.unwrap_or_default();
    let attribute = |attribute: &str| {
        let of_listing = match attribute {
            "transport" => &listed.transport,
            "address" => &listed.address,
            "state" => &listed.state,
            _ => "",
        };
        root.attribute(&format!("{path}/{attribute}")).unwrap_or_else(|| of_listing.to_owned())
    };
    let is_asked = !is_fabric(&attribute("transport"));
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
        pcie: crate::pci::link(root, &format!("{path}/device"))
            .or_else(|| crate::pci::listed(root, &attribute("address"))),
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
    use crate::tests::{rooted, written};

    #[test]
    fn the_drivers_time_out_belongs_to_every_namespace() {
        let (_folder, root) = rooted(&[("sys/module/nvme_core/parameters/io_timeout", "4294967295\n")]);
        assert_eq!(read_namespace(&root, "nvme1n1", "").nvme.io_timeout_s, Some(4_294_967_295));
    }

    #[test]
    fn a_controller_over_a_network_is_found_below_its_own_device_or_in_the_listing() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| written(folder.path(), path, text);
        let place = "sys/class/nvme-fabrics/ctl/nvme3";
        write(&format!("{place}/state"), "connecting\n");
        write(&format!("{place}/transport"), "tcp\n");
        write(&format!("{place}/address"), "traddr=192.0.2.21,trsvcid=4420\n");
        let listing = "nvme-subsys0 - NQN=nqn.2014-08.org.example:one\n\\\n \
                       +- nvme3 tcp traddr=192.0.2.21,trsvcid=4420 live\n \
                       +- nvme4 rdma traddr=192.0.2.22 trsvcid=4420 resetting\n";
        write("sos_commands/nvme/nvme_list-subsys", listing);
        let root = Root::tree(folder.path()).expect("a tree");
        let read = |name: &str| {
            let place = format!("../devices/virtual/nvme-fabrics/ctl/nvme{name}/nvme0c{name}n1");
            read_namespace(&root, &format!("nvme0c{name}n1"), &place)
        };
        let (third, fourth) = (read("3"), read("4"));
        let told = |namespace: &Namespace| {
            let first = &namespace.nvme.controllers[0];
            (namespace.transport.clone(), first.state.clone(), first.address.clone())
        };
        let of = |words: [&str; 3]| (words[0].to_owned(), words[1].to_owned(), words[2].to_owned());
        assert_eq!(told(&third), of(["nvme-tcp", "connecting", "traddr=192.0.2.21,trsvcid=4420"]));
        assert_eq!(told(&fourth), of(["nvme-rdma", "resetting", "traddr=192.0.2.22,trsvcid=4420"]));
        assert_eq!(read("5").transport, "", "nothing tells how it is reached, but it is no slot");
    }

    #[test]
    fn a_health_report_without_sysfs_belongs_to_its_namespace() {
        let log = "critical_warning : 0x4\navailable_spare : 100%\navailable_spare_threshold : 10%\n\
                   percentage_used : 100%\nmedia_errors : 212\nWarning Temperature Time : 0\n";
        let (_folder, root) = rooted(&[("sos_commands/nvme/nvme_smart-log_.dev.nvme1n1", log)]);
        let named = |name: &str| Disk { name: name.to_owned(), ..Disk::default() };
        let mut disks = [named("nvme1n1"), named("nvme2n1"), named("sda")];
        add_captured_health(&root, &mut disks);
        let controllers = &disks[0].nvme.as_ref().expect("a namespace").controllers;
        assert_eq!(controllers[0].health.as_ref().map(|health| health.media_errors), Some(212));
        assert!(disks[1].nvme.is_none() && disks[2].nvme.is_none());
    }
}
