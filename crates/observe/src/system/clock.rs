//! The clock: what it is made of, whether it is synchronised, and by whom.

use super::chrony;
use super::process_stat::ProcessStat;
use crate::root::gap_of;
use crate::{Root, ioctl};
use fullwire_model::host::{Clock, Host};

const CLOCKSOURCE: &str = "/sys/devices/system/clocksource/clocksource0";

/// Where a sosreport has the answer of `timedatectl`.
const TIMEDATECTL: &str = "/sos_commands/systemd/timedatectl";

/// Process names (15 bytes are all that the kernel keeps) and the daemons that they are.
const DAEMONS: [(&str, &str); 5] = [
    ("chronyd", "chronyd"),
    ("ntpd", "ntpd"),
    ("systemd-timesyn", "systemd-timesyncd"),
    ("ptp4l", "ptp4l"),
    ("octssd.bin", "octssd"),
];

/// What `timedatectl` said of the kernel's flag. Some daemons keep the time and never set the flag: its "no" counts only
/// where none runs.
fn captured(root: &Root, clock: &Clock, processes_known: bool) -> Option<bool> {
    if root.is_live() {
        return None;
    }
    let (text, _) = root.try_read(TIMEDATECTL, 1 << 16).ok()?;
    flag(&text).filter(|yes| *yes || (clock.daemon.is_none() && processes_known))
}

/// `System clock synchronized: no`; before systemd 239 `NTP synchronized: no`.
fn flag(text: &str) -> Option<bool> {
    let mut lines = text.lines().filter_map(|line| line.trim().split_once(": "));
    let (_, answer) =
        lines.find(|(name, _)| ["System clock synchronized", "NTP synchronized"].contains(name))?;
    match answer.trim() {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

/// Where a sosreport has what `vmware-toolbox-cmd timesync status` said.
const TIMESYNC: &str = "/sos_commands/vmware/vmware-toolbox-cmd_timesync_status";

/// `Enabled` or `Disabled`; anything else is an error of the tool.
fn guest_tools(text: &str) -> Option<bool> {
    match text.trim() {
        "Enabled" => Some(true),
        "Disabled" => Some(false),
        _ => None,
    }
}

pub(super) fn read(root: &Root, processes: &[ProcessStat], host: &mut Host) {
    let mut clock = Clock {
        source: root.attribute(&format!("{CLOCKSOURCE}/current_clocksource")),
        sources: root
            .attribute(&format!("{CLOCKSOURCE}/available_clocksource"))
            .map(|list| list.split_whitespace().map(str::to_owned).collect())
            .unwrap_or_default(),
        daemon: DAEMONS
            .iter()
            .find(|(name, _)| processes.iter().any(|process| process.name == *name))
            .map(|(_, daemon)| (*daemon).to_owned()),
        guest_tools: root.attribute(TIMESYNC).and_then(|text| guest_tools(&text)),
        ..Clock::default()
    };
    match root.answer("adjtimex", || ioctl::clock_state().map_err(|error| gap_of("adjtimex", &error))) {
        Ok(state) => {
            clock.synchronised = Some(state.synchronised);
            clock.max_error_us = u64::try_from(state.max_error_us).ok();
            clock.offset_ns = Some(state.offset_ns);
        }
        Err(gap) => {
            clock.synchronised = captured(root, &clock, !processes.is_empty());
            if clock.synchronised.is_none() {
                host.gaps.push(gap);
            }
        }
    }
    if clock.daemon.as_deref() == Some("chronyd") {
        chrony::complete(root, &mut clock, &mut host.gaps);
    }
    host.clock = clock;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_vmware_tools_say_of_the_time() {
        let answers = ["Enabled\n", "Disabled\n", "Unable to set up guest communication\n"].map(guest_tools);
        assert_eq!(answers, [Some(true), Some(false), None]);
    }

    #[test]
    fn timedatectl_tells_the_flag_of_a_host_without_a_daemon() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("sos_commands/systemd");
        std::fs::create_dir_all(&place).expect("a folder");
        std::fs::write(place.join("timedatectl"), "   System clock synchronized: no\n").expect("a file");
        let root = Root::tree(folder.path()).expect("a tree");
        let with_daemon = Clock { daemon: Some("chronyd".to_owned()), ..Clock::default() };
        assert_eq!(captured(&root, &Clock::default(), true), Some(false));
        assert_eq!(captured(&root, &Clock::default(), false), None, "a daemon may run unseen");
        assert_eq!(captured(&root, &with_daemon, true), None);
        assert_eq!(flag("NTP synchronized: yes\n"), Some(true));
    }
}
