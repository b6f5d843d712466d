//! States that change at any moment, read each second at little cost: links, members of bonds, paths, arrays, mounts.

use crate::Root;
use crate::storage::path_states;
use fullwire_model::recording::{EventKind, States};

/// Devices and interfaces of one kind that are looked at.
const MOST: usize = 8192;

/// Reads all of them. What cannot be read is missing.
pub(crate) fn read(root: &Root) -> States {
    let mut states = States::new();
    links(root, &mut states);
    devices(root, &mut states);
    class(root, "/sys/class/fc_host", "port_state", EventKind::Link, &mut states);
    class(root, "/sys/class/iscsi_session", "state", EventKind::Path, &mut states);
    class(root, "/sys/class/nvme", "state", EventKind::Path, &mut states);
    mounts(root, &mut states);
    states
}

fn class(root: &Root, directory: &str, attribute: &str, kind: EventKind, states: &mut States) {
    for name in root.list(directory).into_iter().take(MOST) {
        if let Some(state) = root.attribute(&format!("{directory}/{name}/{attribute}")) {
            states.insert((kind, name), state);
        }
    }
}

/// `up, mtu 1500`; of a bond's member also what the bond thinks of it.
fn links(root: &Root, states: &mut States) {
    for name in root.list("/sys/class/net").into_iter().take(MOST) {
        let directory = format!("/sys/class/net/{name}");
        let Some(mut state) = root.attribute(&format!("{directory}/operstate")) else { continue };
        if let Some(mtu) = root.attribute(&format!("{directory}/mtu")) {
            state = format!("{state}, MTU {mtu}");
        }
        if let Some(member) = root.attribute(&format!("{directory}/bonding_slave/mii_status")) {
            state = format!("{state}, bond member {member}");
        }
        if let Some(active) = root.attribute(&format!("{directory}/bonding/active_slave"))
            && !active.is_empty()
        {
            state = format!("{state}, active member {active}");
        }
        states.insert((EventKind::Link, name), state);
    }
}

fn devices(root: &Root, states: &mut States) {
    let mut maps = Vec::new();
    for name in root.list("/sys/block").into_iter().take(MOST) {
        let directory = format!("/sys/block/{name}");
        if name.starts_with("sd") {
            if let Some(state) = root.attribute(&format!("{directory}/device/state")) {
                states.insert((EventKind::Path, name), state);
            }
        } else if name.starts_with("md") {
            let degraded = root.attribute(&format!("{directory}/md/degraded"));
            let action = root.attribute(&format!("{directory}/md/sync_action"));
            if let Some(degraded) = degraded {
                let action = action.unwrap_or_default();
                states.insert((EventKind::Path, name), format!("{degraded} members missing, {action}"));
            }
        } else if name.starts_with("dm-") {
            maps.extend(multipath_number(root, &directory));
            // All that a suspended map is asked for waits, and its counters stand still as if nobody asked.
            if let Some(suspended) = root.attribute(&format!("{directory}/dm/suspended")) {
                let state = if suspended == "0" { "active" } else { "suspended" };
                states.insert((EventKind::Path, name), state.to_owned());
            }
        }
    }
    if !maps.is_empty() {
        for (device, state) in path_states(root, &maps) {
            states.insert((EventKind::Path, device), state);
        }
    }
}

/// The device number of a multipath map.
fn multipath_number(root: &Root, directory: &str) -> Option<String> {
    let uuid = root.attribute(&format!("{directory}/dm/uuid"))?;
    if uuid.starts_with("mpath-") { root.attribute(&format!("{directory}/dev")) } else { None }
}

/// Mount points with their options; of those that lie over one another the last one.
fn mounts(root: &Root, states: &mut States) {
    let Some(text) = root.read_optional("/proc/self/mountinfo", &mut Vec::new()) else { return };
    for line in text.lines().take(MOST) {
        let Some((own, rest)) = line.split_once(" - ") else { continue };
        let words: Vec<&str> = own.split(' ').collect();
        let (Some(target), Some(options)) = (words.get(4), words.get(5)) else { continue };
        let mut rest = rest.split(' ');
        let (kind, source) = (rest.next().unwrap_or(""), rest.next().unwrap_or(""));
        // Containers mount and unmount all day, and no database is on these.
        if matches!(kind, "overlay" | "nsfs" | "proc" | "cgroup" | "cgroup2" | "autofs" | "fuse.lxcfs") {
            continue;
        }
        let super_options = rest.next().unwrap_or("");
        let way = if super_options.split(',').any(|option| option == "ro") {
            ", file system read-only"
        } else {
            ""
        };
        let state = format!("{kind} on {source}, {options}{way}");
        states.insert((EventKind::Mount, target.replace("\\040", " ")), state);
    }
}
