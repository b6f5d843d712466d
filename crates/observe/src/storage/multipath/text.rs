//! Multipath maps as `multipath -ll`, `multipath -v4 -ll` and `multipathd show topology` print them.
//!
//! A map is a line `NAME (WWID) dm-N VENDOR,PRODUCT`, one that begins with `size=`, and a tree of groups and
//! paths. The tools of RHEL 5 (0.4.7) wrote `[size=…]` and `\_` instead. Log lines may be between.

use super::super::complaint::Complaints;
use super::table::join_values;
use fullwire_model::Gap;
use fullwire_model::host::{MapPath, MultipathMap, PathGroup};

/// Maps of one text, groups of a map, paths of a group.
const MAPS_LIMIT: usize = 16_384;
const PATHS_LIMIT: usize = 1024;

/// States of a path that NVMe tells itself (NVMe base specification, Asymmetric Namespace Access).
const ANA: [&str; 5] = ["optimized", "non-optimized", "inaccessible", "persistent-loss", "change"];

/// Reads the maps of such a text.
pub fn parse_multipath(text: &str, path: &str, gaps: &mut Vec<Gap>) -> Vec<MultipathMap> {
    let mut complaints = Complaints::new(path, gaps);
    let mut maps: Vec<MultipathMap> = Vec::new();
    let mut waiting: Option<MultipathMap> = None;
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !is_log(line)) {
        let trimmed = line.trim();
        if let Some(settings) = trimmed.strip_prefix("size=").or_else(|| trimmed.strip_prefix("[size=")) {
            if let Some(mut map) = waiting.take().filter(|_| maps.len() < MAPS_LIMIT) {
                map_settings(settings, &mut map);
                maps.push(map);
            }
        } else if let Some(header) = header_line(line) {
            waiting = Some(header);
        } else if waiting.is_none()
            && let Some(map) = maps.last_mut()
            && let Err(expected) = tree_line(line, map)
        {
            complaints.line(index, expected);
        }
    }
    maps
}

/// `Oct 28 14:02:44 | …`, `12345.678901 | …`
fn is_log(line: &str) -> bool {
    line.split_once(" | ").is_some_and(|(stamp, _)| {
        let last = stamp.split_whitespace().last().unwrap_or_default();
        !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit() || byte == b':' || byte == b'.')
    })
}

/// `mpatha (3600…) dm-2 LIO-ORG,disk`, `reload: 3600… dm-2 …`, `uuid.… [nvme]:nvme0n1 NVMe,Linux,4.20`.
fn header_line(line: &str) -> Option<MultipathMap> {
    if line.starts_with([' ', '|', '`', '\\', '[', '=']) {
        return None;
    }
    let (before, device, product) = split_at_device(line)?;
    let before = before.trim();
    // An action in front ("create: ", "reload: ") is reported by topology only.
    let before =
        before.split_once(": ").filter(|(action, _)| is_action(action)).map_or(before, |(_, rest)| rest);
    let (name, wwid) = match before.strip_suffix(')').and_then(|before| before.split_once(" (")) {
        Some((name, wwid)) => (name.trim(), wwid),
        None => (before, before),
    };
    let name = name.split_once(" [").map_or(name, |(name, _)| name);
    (!name.is_empty()).then(|| MultipathMap {
        name: name.to_owned(),
        wwid: wwid.trim().to_owned(),
        device: device.to_owned(),
        product: product.trim().to_owned(),
        ..MultipathMap::default()
    })
}

fn is_action(word: &str) -> bool {
    !word.is_empty() && word.len() < 24 && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b' ')
}

/// The word that names the map's device, and what is before and behind it.
fn split_at_device(line: &str) -> Option<(&str, &str, &str)> {
    let mut at = 0;
    for word in line.split(' ') {
        let device = if let Some(number) = word.strip_prefix("dm-") {
            (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(word)
        } else {
            word.strip_prefix("[nvme]:")
        };
        if let Some(device) = device.filter(|_| at > 0) {
            return Some((&line[..at - 1], device, &line[at + word.len()..]));
        }
        at += word.len() + 1;
    }
    None
}

/// `954M features='1 queue_if_no_path' hwhandler='0' wp=rw`, or `…][features=0][hwhandler=0]`.
fn map_settings(settings: &str, map: &mut MultipathMap) {
    let features = value(settings, "features").unwrap_or_default();
    map.features = join_values(&features.split_whitespace().skip(1).collect::<Vec<_>>());
    value(settings, "hwhandler").unwrap_or_default().clone_into(&mut map.hardware_handler);
}

/// The value of `name='…'` or `[name=…]`.
fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    if let Some((_, rest)) = text.split_once(&format!("[{name}=")) {
        return rest.split(']').next();
    }
    let (_, rest) = text.split_once(&format!("{name}="))?;
    match rest.strip_prefix('\'') {
        Some(quoted) => quoted.split('\'').next(),
        None => rest.split(' ').next(),
    }
}

/// A group or a path, also one that lost its indentation and branches; anything else between maps (an elision, a blank line) is nothing.
fn tree_line(line: &str, map: &mut MultipathMap) -> Result<(), &'static str> {
    let is_tree = line.starts_with(['|', '`', ' ', '\\']);
    let content = line.trim_start_matches(MultipathMap::BRANCHES);
    if content.is_empty()
        || map.groups.len() >= PATHS_LIMIT
        || map.groups.last().is_some_and(|group| group.paths.len() >= PATHS_LIMIT)
    {
        return Ok(());
    }
    if content.starts_with("policy=") || content.contains("[prio=") {
        map.groups.push(group(content));
        return Ok(());
    }
    match (path_line(content), map.groups.last_mut()) {
        (Some(path), Some(group)) => group.paths.push(path),
        (Some(_), None) => return Err("a group before its paths"),
        (None, _) if is_tree => return Err("a path: address, device, number, three states"),
        (None, _) => {}
    }
    Ok(())
}

fn group(content: &str) -> PathGroup {
    // Old: `round-robin 0 [prio=1][active]`.
    let old_selector = || content.split(" [").next().unwrap_or_default();
    let old_state = || content.rsplit('[').next().unwrap_or_default().trim_end_matches(']');
    PathGroup {
        selector: value(content, "policy").unwrap_or_else(old_selector).trim().to_owned(),
        state: value(content, "status").unwrap_or_else(old_state).trim().to_owned(),
        priority: value(content, "prio").and_then(|priority| priority.parse().ok()),
        paths: Vec::new(),
    }
}

/// `0:0:0:1 sde 8:64 active ready running`; the checker's state may be two words (`i/o pending`).
fn path_line(content: &str) -> Option<MapPath> {
    let spaced = content.replace("][", " ").replace(['[', ']'], " ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    // Of NVMe the address may be missing, and the state of ANA may follow.
    let words = if words.first()?.starts_with("nvme") { [&[":"], words.as_slice()].concat() } else { words };
    let ana = words.last().is_some_and(|word| ANA.contains(word)) && words.len() > 6;
    let [address, device, number, dm_state, rest @ ..] = &words[..words.len() - usize::from(ana)] else {
        return None;
    };
    if !address.contains(':') || !number.contains(':') {
        return None;
    }
    // The oldest tools tell no state of the device itself.
    let (checker, device_state) = match rest {
        [checker @ .., state] if !checker.is_empty() => (checker.join(" "), *state),
        [checker] => ((*checker).to_owned(), ""),
        _ => return None,
    };
    Some(MapPath {
        device: (*device).to_owned(),
        address: address.trim_matches(':').to_owned(),
        dm_state: (*dm_state).to_owned(),
        checker_state: checker,
        device_state: device_state.to_owned(),
        failures: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_identities_and_actions() {
        let cases = [
            ("mpatha (1IET     00080001) dm-0 IET,VIRTUAL-DISK", "mpatha", "1IET     00080001", "dm-0"),
            ("1IET     00080001 dm-0 IET,VIRTUAL-DISK", "1IET     00080001", "1IET     00080001", "dm-0"),
            ("reload: mpathb (36001) dm-11 LIO-ORG,a b", "mpathb", "36001", "dm-11"),
            ("eui.0025 [nvme]:nvme0n1 NVMe,Linux,4.20", "eui.0025", "eui.0025", "nvme0n1"),
        ];
        for (line, name, wwid, device) in cases {
            let map = header_line(line).expect(line);
            assert_eq!(
                (map.name.as_str(), map.wwid.as_str(), map.device.as_str()),
                (name, wwid, device),
                "{line}"
            );
        }
        assert_eq!(header_line("===== paths list ====="), None);
        assert!(is_log("Oct 28 14:02:44 | sda: dm-0 x") && !is_log("| |- 6:0:2:0 sde | x"));
    }

    #[test]
    fn a_path_of_nvme_may_have_no_address_and_ends_with_its_ana_state() {
        let path = path_line("nvme7n1 259:41 failed faulty offline inaccessible").unwrap();
        assert_eq!((path.device.as_str(), path.address.as_str()), ("nvme7n1", ""));
        let states = (path.dm_state.as_str(), path.checker_state.as_str(), path.device_state.as_str());
        assert_eq!(states, ("failed", "faulty", "offline"));
        let path = path_line("6:0:2:1 sdq 65:0 active i/o pending running").unwrap();
        assert_eq!((path.checker_state.as_str(), path.device_state.as_str()), ("i/o pending", "running"));
    }

    #[test]
    fn native_nvme_and_the_tools_of_rhel_5() {
        let text = "eui.01 [nvme]:nvme0n1 NVMe,Linux,4.20\nsize=2097152 features='n/a' hwhandler='ANA' wp=rw\n\
                    |-+- policy='n/a' prio=50 status=optimized\n| `- 0:1:1 nvme0c1n1 0:0 n/a   optimized live\n\
                    mpath1 (360) dm-4 EMC,SYMMETRIX\n[size=10G][features=1 queue_if_no_path][hwhandler=0]\n\
                    \\_ round-robin 0 [prio=2][active]\n \\_ 0:0:0:1 sdb 8:16 [active][ready]\n";
        let mut gaps = Vec::new();
        let maps = parse_multipath(text, "m", &mut gaps);
        assert_eq!(gaps, []);
        assert_eq!(maps[0].groups[0].paths[0].checker_state, "optimized");
        assert_eq!(maps[1].features, ["queue_if_no_path"]);
        let group = &maps[1].groups[0];
        assert_eq!(
            (group.selector.as_str(), group.priority, group.state.as_str()),
            ("round-robin 0", Some(2), "active")
        );
        assert_eq!(
            (group.paths[0].dm_state.as_str(), group.paths[0].checker_state.as_str()),
            ("active", "ready")
        );
    }

    /// As pages show it that lost indentation, or draw the branches otherwise.
    #[test]
    fn a_tree_without_its_drawing() {
        for [group, path] in
            [["", ""], ["-+- ", "- "], ["'-+- ", "'- "], ["\u{2514}-+- ", "\u{251c}- "], ["\\_ ", " \\_ "]]
        {
            let text = format!(
                "mpatha (360) dm-4 DELL,MD36xx\nsize=1G features='0' hwhandler='1 rdac' wp=rw\n\
                 {group}policy='round-robin 0' prio=6 status=active\n{path}0:0:0:1 sdb 8:16 active ready running\n\
                 {path}1:0:0:1 sdd 8:48 active ready running\n"
            );
            let mut gaps = Vec::new();
            let maps = parse_multipath(&text, "m", &mut gaps);
            assert_eq!((maps.len(), gaps.len()), (1, 0), "{text}");
            let devices: Vec<&str> = maps[0]
                .groups
                .iter()
                .flat_map(|group| &group.paths)
                .map(|path| path.device.as_str())
                .collect();
            assert_eq!(devices, ["sdb", "sdd"], "{text}");
        }
    }

    #[test]
    fn a_state_of_two_words_and_a_missing_device() {
        let pending = path_line("1:0:0:0 sdb 8:16 active i/o pending running").expect("a path");
        assert_eq!(
            (pending.checker_state.as_str(), pending.device_state.as_str()),
            ("i/o pending", "running")
        );
        let gone = path_line("#:#:#:# - #:# failed undef unknown").expect("a path");
        assert_eq!((gone.device.as_str(), gone.dm_state.as_str()), ("-", "failed"));
    }
}
