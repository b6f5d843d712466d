//! PowerPath devices as `powermt display dev=all` prints them: a map of paths under another name.

use crate::Root;
use crate::commands::{self, POWERMT_DEVICES};
use fullwire_model::Gap;
use fullwire_model::host::{Disk, MapPath, MultipathMap, PathGroup};

const DEVICES_LIMIT: usize = 16_384;
const PATHS_LIMIT: usize = 1024;

/// Reads the devices of a host that has some.
pub(super) fn read(root: &Root, disks: &[Disk], gaps: &mut Vec<Gap>) -> Vec<MultipathMap> {
    let runs = disks.iter().any(|disk| disk.name.starts_with("emcpower"));
    if root.is_live() && !runs {
        return Vec::new();
    }
    let text = commands::output(root, &POWERMT_DEVICES, gaps);
    text.map(|text| parse(&text)).unwrap_or_default()
}

/// `Pseudo name=emcpowera`, lines `NAME=VALUE`, a heading between lines of `=`, then one line for each path:
/// `HOST DRIVER DISK INTERFACE… MODE STATE Q-IOS ERRORS`.
fn parse(text: &str) -> Vec<MultipathMap> {
    let mut maps: Vec<MultipathMap> = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("Pseudo name=") {
            if maps.len() < DEVICES_LIMIT {
                maps.push(MultipathMap {
                    name: name.trim().to_owned(),
                    device: name.trim().to_owned(),
                    groups: vec![PathGroup { state: "active".to_owned(), ..PathGroup::default() }],
                    source: POWERMT_DEVICES.argv.join(" "),
                    ..MultipathMap::default()
                });
            }
            continue;
        }
        let Some(map) = maps.last_mut() else { continue };
        if let Some(unit) = line.strip_prefix("Logical device ID=") {
            unit.split_whitespace().next().unwrap_or_default().clone_into(&mut map.wwid);
        } else if let Some((array, _)) = line.split_once(" ID=").filter(|(array, _)| !array.contains('=')) {
            map.product = format!("EMC,{array}");
        } else if let Some(policy) = line.split("policy=").nth(1) {
            policy.split(';').next().unwrap_or_default().clone_into(&mut map.groups[0].selector);
        } else if let Some(path) = path(line)
            && map.groups[0].paths.len() < PATHS_LIMIT
        {
            map.groups[0].paths.push(path);
        }
    }
    maps
}

/// The four columns at the end are always there, and the disk is the word that looks like one.
fn path(line: &str) -> Option<MapPath> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [host, .., _mode, state, queued, errors] = words.as_slice() else { return None };
    queued.parse::<u64>().ok()?;
    let failures = errors.parse().ok()?;
    host.parse::<u64>().ok()?;
    let device = words.iter().find(|word| word.starts_with("sd") && word.len() > 2)?;
    Some(MapPath {
        device: (*device).to_owned(),
        dm_state: if *state == "alive" { "active" } else { "failed" }.to_owned(),
        failures: Some(failures),
        ..MapPath::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the administrator's guide of PowerPath for Linux shows it; the second device lost a path.
    const DEVICES: &str = "\
Pseudo name=emcpowera
Symmetrix ID=000290101523
Logical device ID=17C6
state=alive; policy=SymmOpt; priority=0; queued-IOs=0
==============================================================================
---------------- Host ---------------   - Stor -   -- I/O Path -  -- Stats ---
###  HW Path                I/O Paths    Interf.   Mode    State  Q-IOs Errors
==============================================================================
   0 qla2xxx                   sdi       FA  9dB   active  alive      0      0
   1 qla2xxx                   sds       FA  8dB   active  alive      0      0

Pseudo name=emcpowerb
CLARiiON ID=APM00023500472 [db1]
Logical device ID=600601F0310A00006F80C3D32D69D711 [LUN 3]
state=alive; policy=CLAROpt; queued-IOs=0
   2 QLogic Fibre Channel 2300 sdc       SP A1     active  alive      0      0
   3 QLogic Fibre Channel 2300 sdg       SP B1     active  dead       0      3
";

    #[test]
    fn reads_devices_with_their_paths() {
        let maps = parse(DEVICES);
        assert_eq!(maps.len(), 2);
        assert_eq!((maps[0].name.as_str(), maps[0].groups[0].selector.as_str()), ("emcpowera", "SymmOpt"));
        assert_eq!(maps[0].product, "EMC,Symmetrix");
        assert!(maps[0].groups[0].paths.iter().all(|path| !path.has_failed()));
        let paths = &maps[1].groups[0].paths;
        assert_eq!(maps[1].wwid, "600601F0310A00006F80C3D32D69D711");
        assert_eq!(paths.iter().map(|path| path.device.as_str()).collect::<Vec<_>>(), ["sdc", "sdg"]);
        assert_eq!((paths[0].has_failed(), paths[1].has_failed()), (false, true));
        assert_eq!(paths[1].failures, Some(3));
    }

    #[test]
    fn nothing_comes_of_a_refusal() {
        assert_eq!(parse("powermt: command failed\nDevice(s) not found.\n"), []);
    }
}
