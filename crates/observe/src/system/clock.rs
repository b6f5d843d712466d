//! The clock: what it is made of, whether it is synchronised, and by whom.

use super::chrony;
use super::process_stat::ProcessStat;
use crate::root::gap_of;
use crate::{Root, ioctl};
use fullwire_model::host::{Clock, Host};

const CLOCKSOURCE: &str = "/sys/devices/system/clocksource/clocksource0";

/// Process names (15 bytes are all that the kernel keeps) and the daemons that they are.
const DAEMONS: [(&str, &str); 5] = [
    ("chronyd", "chronyd"),
    ("ntpd", "ntpd"),
    ("systemd-timesyn", "systemd-timesyncd"),
    ("ptp4l", "ptp4l"),
    ("octssd.bin", "octssd"),
];

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
        ..Clock::default()
    };
    match root.answer("adjtimex", || ioctl::clock_state().map_err(|error| gap_of("adjtimex", &error))) {
        Ok(state) => {
            clock.synchronised = Some(state.synchronised);
            clock.max_error_us = u64::try_from(state.max_error_us).ok();
            clock.offset_ns = Some(state.offset_ns);
        }
        Err(gap) => host.gaps.push(gap),
    }
    if clock.daemon.as_deref() == Some("chronyd") {
        chrony::complete(root, &mut clock, &mut host.gaps);
    }
    host.clock = clock;
}
