//! chrony: what its configuration asks for, and how far off it believes the clock to be.

use crate::Root;
use crate::commands::{self, CHRONY_TRACKING};
use fullwire_model::Gap;
use fullwire_model::host::Clock;

/// Red Hat and SUSE, then Debian.
const FILES: [&str; 2] = ["/etc/chrony.conf", "/etc/chrony/chrony.conf"];

/// Where sosreports before 4 kept the answer.
const TRACKING: &str = "/sos_commands/chrony/chronyc_tracking";

const FILE_LIMIT: usize = 1 << 18;

/// Completes a clock that chronyd keeps.
pub(super) fn complete(root: &Root, clock: &mut Clock, gaps: &mut Vec<Gap>) {
    if let Some((text, _)) = FILES.iter().find_map(|path| root.try_read(path, FILE_LIMIT).ok()) {
        configuration(&text, clock);
    }
    let told = commands::output(root, &CHRONY_TRACKING, gaps);
    let older = || if root.is_live() { None } else { root.read_optional(TRACKING, gaps) };
    if let Some(text) = told.or_else(older) {
        tracking(&text, clock);
    }
}

/// chrony.conf(5): one directive a line; further files may name their own sources.
fn configuration(text: &str, clock: &mut Clock) {
    let (mut sources, mut elsewhere) = (0, false);
    clock.rtcsync = Some(false);
    clock.steps_always = Some(false);
    for line in text.lines() {
        match line.split_whitespace().next().unwrap_or_default() {
            "server" | "pool" | "peer" | "refclock" => sources += 1,
            "sourcedir" | "confdir" | "include" => elsewhere = true,
            "rtcsync" => clock.rtcsync = Some(true),
            "makestep" => clock.steps_always = Some(steps_always(line)),
            _ => {}
        }
    }
    clock.configured_sources = (!elsewhere).then_some(sources);
}

/// `makestep 1.0 -1`: a negative limit lets every update step the clock, not the first ones alone.
fn steps_always(line: &str) -> bool {
    line.split_whitespace().nth(2).and_then(|limit| limit.parse::<i64>().ok()).is_some_and(|limit| limit < 0)
}

/// `System time     : 0.000020390 seconds slow of NTP time`, `Leap status     : Normal`.
fn tracking(text: &str, clock: &mut Clock) {
    for (name, value) in text.lines().filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        match name.trim() {
            "System time" => clock.offset_ns = offset_ns(value).or(clock.offset_ns),
            "Leap status" => clock.daemon_synchronised = Some(value != "Not synchronised"),
            _ => {}
        }
    }
}

fn offset_ns(text: &str) -> Option<i64> {
    let (number, rest) = text.split_once(" seconds ")?;
    let seconds: f64 = number.trim().parse().ok()?;
    let sign = if rest.starts_with("slow") { -1.0 } else { 1.0 };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a clock that is off by more than 292 years saturates"
    )]
    Some((sign * seconds * 1e9) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_chronyc_prints() {
        let mut clock = Clock::default();
        tracking(
            "Reference ID    : CB00710F (203.0.113.15)\nStratum         : 3\n\
             System time     : 0.000020390 seconds slow of NTP time\nLast offset     : +0.000001000 seconds\n\
             Leap status     : Normal\n",
            &mut clock,
        );
        assert_eq!((clock.offset_ns, clock.daemon_synchronised), (Some(-20_390), Some(true)));
        tracking(
            "System time     : 1.500000000 seconds fast of NTP time\nLeap status     : Not synchronised\n",
            &mut clock,
        );
        assert_eq!((clock.offset_ns, clock.daemon_synchronised), (Some(1_500_000_000), Some(false)));
        tracking("506 Cannot talk to daemon\n", &mut clock);
        assert_eq!(clock.offset_ns, Some(1_500_000_000), "nothing new");
    }

    #[test]
    fn counts_sources_unless_other_files_have_more() {
        let mut clock = Clock::default();
        configuration("# pool a\nserver 10.0.0.1 iburst\npool ntp.example.com\nrtcsync\n", &mut clock);
        assert_eq!((clock.configured_sources, clock.rtcsync), (Some(2), Some(true)));
        configuration("pool ntp.example.com\nsourcedir /run/chrony-dhcp\n", &mut clock);
        assert_eq!((clock.configured_sources, clock.rtcsync), (None, Some(false)));
        let steps = |text: &str| {
            let mut clock = Clock::default();
            configuration(text, &mut clock);
            clock.steps_always
        };
        assert_eq!((steps("makestep 1.0 -1\n"), steps("makestep 1.0 3\n")), (Some(true), Some(false)));
    }
}
