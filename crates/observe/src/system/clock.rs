//! The clock: what it is made of, whether it is synchronised, and by whom.

use super::chrony;
use super::process_stat::ProcessStat;
use crate::commands::{self, TIMEDATECTL};
use crate::root::gap_of;
use crate::{Root, ioctl};
use fullwire_model::Gap;
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

/// What `timedatectl` said. `show` came with systemd 239, as did the meaning of its answer: "no" is a clock that nobody has
/// corrected until its largest error reached 16 s (systemd, `ntp_synced`), and there the kernel sets its flag itself
/// (`NTP_PHASE_LIMIT`, kernel/time/ntp.c), whichever daemon runs. The table of earlier versions tells the flag alone, which some
/// daemons that keep the time never clear: its "no" counts only where none runs but systemd's own.
fn told(root: &Root, clock: &Clock, processes_known: bool) -> Option<bool> {
    // That the kernel was not asked is the gap; that nobody else could be is none.
    let text = commands::output(root, &TIMEDATECTL, &mut Vec::new())?;
    let flag_counts =
        processes_known && clock.daemon.as_deref().is_none_or(|daemon| daemon == "systemd-timesyncd");
    match text.trim().strip_prefix("NTPSynchronized=") {
        Some("yes") => Some(true),
        Some(_) => is_answered(root).then_some(false),
        None => flag(&text).filter(|yes| *yes || flag_counts),
    }
}

/// "no" is also what systemd-timedated says where the kernel refused it the answer, as in a container that may not set the clock
/// (systemd-nspawn(1), `--capability=`: without `CAP_SYS_TIME` the calls of the clock are filtered too). The first process has
/// that capability (25, capabilities(7)) in its bounding set (`CapBnd`, proc(5)) on a host and where the container was given it.
fn is_answered(root: &Root) -> bool {
    let status = root.read_optional("/proc/1/status", &mut Vec::new()).unwrap_or_default();
    let set = status.lines().find_map(|line| line.strip_prefix("CapBnd:"));
    set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).is_some_and(|set| set & (1 << 25) != 0)
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
    let mut refused = None;
    match root.answer("adjtimex", || ioctl::clock_state().map_err(|error| gap_of("adjtimex", &error))) {
        Ok(state) => {
            clock.synchronised = Some(state.synchronised);
            clock.max_error_us = u64::try_from(state.max_error_us).ok();
            clock.offset_ns = Some(state.offset_ns);
        }
        Err(gap) => {
            clock.synchronised = told(root, &clock, !processes.is_empty());
            let unknown = "whether the clock is synchronised, and how far it may be off";
            refused = clock.synchronised.is_none().then(|| {
                let detail = format!("{unknown}: {}; timedatectl does not tell", gap.detail);
                Gap { detail, ..gap }
            });
        }
    }
    if clock.daemon.as_deref() == Some("chronyd") {
        chrony::complete(root, &mut clock, &mut host.gaps);
    }
    // Whoever sets the clock knows more of it than the kernel's flag tells.
    if clock.daemon_synchronised.is_none() {
        host.gaps.extend(refused);
    }
    host.clock = clock;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::CHRONY_TRACKING;
    use crate::tests::rooted;

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
        assert_eq!(told(&root, &Clock::default(), true), Some(false));
        assert_eq!(told(&root, &Clock::default(), false), None, "a daemon may run unseen");
        assert_eq!(told(&root, &with_daemon, true), None);
        let with_systemds = Clock { daemon: Some("systemd-timesyncd".to_owned()), ..Clock::default() };
        assert_eq!(told(&root, &with_systemds, true), Some(false), "it sets the flag itself");
        assert_eq!(flag("NTP synchronized: yes\n"), Some(true));
        let says = |text: &str| std::fs::write(place.join("timedatectl"), text).expect("a file");
        says("NTPSynchronized=no\n");
        std::fs::create_dir_all(folder.path().join("proc/1")).expect("a folder");
        let bounded = |set: &str| {
            let status = format!("Name:\tsystemd\nCapEff:\t000001ffffffffff\nCapBnd:\t{set}\n");
            std::fs::write(folder.path().join("proc/1/status"), status).expect("a file");
        };
        assert_eq!(told(&root, &Clock::default(), true), None, "nothing is known of the first process");
        // As systemd-nspawn gives it, without and with `--capability=CAP_SYS_TIME`.
        bounded("00000000fdecafff");
        assert_eq!(told(&root, &Clock::default(), true), None, "a container that may not ask");
        bounded("00000000ffecafff");
        assert_eq!(told(&root, &Clock::default(), false), Some(false));
        assert_eq!(
            told(&root, &with_daemon, true),
            Some(false),
            "as the kernel's own flag, for every daemon"
        );
        says("NTPSynchronized=yes\n");
        assert_eq!(told(&root, &with_daemon, true), Some(true));
    }

    /// Under a unit with `ProtectClock` as elsewhere: what a daemon says closes the gap, a doubtful "no" does not.
    #[test]
    fn a_clock_of_which_somebody_tells_is_no_gap() {
        let of = |timedatectl: &str, chronyc: &str| {
            let (_tree, root) =
                rooted(&[(TIMEDATECTL.captured, timedatectl), (CHRONY_TRACKING.captured, chronyc)]);
            let chronyd = ProcessStat { name: "chronyd".to_owned(), ..ProcessStat::default() };
            let mut host = Host::default();
            read(&root, &[chronyd], &mut host);
            let gaps = host.gaps.iter().filter(|gap| gap.subject == "adjtimex");
            let gaps = gaps.filter(|gap| gap.detail.contains("whether the clock is synchronised")).count();
            (host.clock.synchronised, host.clock.daemon_synchronised, gaps)
        };
        assert_eq!(of("NTPSynchronized=yes\n", ""), (Some(true), None, 0));
        assert_eq!(of("NTPSynchronized=no\n", ""), (None, None, 1));
        assert_eq!(of("NTPSynchronized=no\n", "Leap status     : Normal\n"), (None, Some(true), 0));
        assert_eq!(of("", "Leap status     : Not synchronised\n"), (None, Some(false), 0));
    }
}
