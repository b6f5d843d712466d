use crate::advice::condition::{CLOCK_NEARLY_RIGHT, NO_CLUSTER};

rule! {
    /// # What it checks
    /// Passes when the kernel considers the clock synchronised, to within 100 ms.
    /// # Why it matters
    /// Logs of two hosts cannot be laid side by side; a cluster evicts a node whose time jumps; certificates
    /// fail.
    /// # Evidence
    /// `adjtimex` status and maximum error (of a support bundle `timedatectl`); the time daemon that runs.
    /// # Remedy
    /// chrony where nothing keeps the time; otherwise servers that answer.
    /// # Source
    /// node-mixin `NodeClockNotSynchronising` and `NodeClockSkewDetected` (50 ms); adjtimex(2), `STA_UNSYNC`;
    /// chrony.conf(5), `makestep` (the packages' configuration has `makestep 1.0 3`: a larger offset is stepped at the start);
    /// chronyd(8), `-Q`.
    /// systemd commit bca5a0eacc (synchronised is what has a maximum error below 16 s, regardless of `STA_UNSYNC`).
    code: "clock-unsynchronised",
    title: "no time service synchronises the clock",
    layer: Host, severity: Warning, on: [Clock],

    /// Estimated error of a synchronised clock (own choice).
    const LARGEST_ERROR_US: u64 = 100_000;
    /// Largest error that the kernel estimates when nothing sets the clock (`NTP_PHASE_LIMIT`).
    const GIVEN_UP_US: u64 = 16_000_000;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let clock = &run.host.clock;
    let what = match (clock.synchronised, clock.max_error_us) {
        // The daemon knows better than a flag that it may not even set.
        _ if clock.daemon_synchronised == Some(false) => "the time daemon follows no time source".to_owned(),
        (None | Some(false), _) if clock.daemon_synchronised == Some(true) => return vec![Outcome::Passes],
        (None, _) => return vec![facts::unread("adjtimex")],
        // The kernel lets the error grow by half a millisecond a second: a daemon that polls seldom is no fault.
        (Some(true), Some(us)) if us > 10 * LARGEST_ERROR_US => {
            format!("the clock may be wrong by {:.0} ms", us as f64 / 1e3)
        }
        (Some(true), _) => return vec![Outcome::Passes],
        // chrony without `rtcsync` and some PTP daemons never clear the flag; what they do is keep the error small.
        (Some(false), Some(us)) if us < GIVEN_UP_US && clock.daemon.is_some() => {
            return vec![Outcome::Passes];
        }
        (Some(false), _) => "the clock is not synchronised".to_owned(),
    };
    let daemon =
        clock.daemon.as_deref().map_or("no time daemon runs".to_owned(), |daemon| format!("{daemon} runs"));
    // Guests of some hypervisors are kept by these: a warning there only where a database runs.
    let severity = if facts::is_virtual(&run.host) && clock.daemon.is_none() {
        facts::hygiene(run)
    } else {
        Severity::Warning
    };
    vec![
        finding!(Kind::Clock.only(), "{what} ({daemon})")
            .severity(severity)
            .measured(clock.max_error_us.unwrap_or(0) as f64 * 1e3, LARGEST_ERROR_US as f64 * 1e3, Unit::Ns)
            .evidence(evidence(clock), source(clock))
            .advice(advice(clock.daemon.as_deref()))
            .into(),
    ]
}

fn evidence(clock: &Clock) -> String {
    let known = |answer: Option<bool>| answer.map_or("unknown", |yes| if yes { "yes" } else { "no" });
    let largest = facts::words::known(clock.max_error_us.map(|us| facts::words::time(us as f64 * 1e3)));
    let kernel = format!("synchronised {}, maximum error {largest}", known(clock.synchronised));
    match clock.daemon_synchronised {
        Some(follows) => format!("the daemon follows a source: {}; kernel: {kernel}", known(Some(follows))),
        None => kernel,
    }
}

/// Where the evidence was read.
fn source(clock: &Clock) -> &'static str {
    match (clock.daemon_synchronised, clock.synchronised) {
        (Some(_), Some(_)) => "chronyc tracking, adjtimex(2)",
        (Some(_), None) => "chronyc tracking",
        (None, _) => "adjtimex(2)",
    }
}

/// A daemon that runs is neither started again nor joined by a second one: it lacks a server that answers.
fn advice(daemon: Option<&str>) -> Advice {
    let why = because("Clusters, replication and log analysis need one time.");
    match daemon {
        None => why
            .run(
                "systemctl start chronyd || systemctl start chrony",
                "Starts chrony under either of its names; it would step a clock that is off by more than a second, also back",
            )
            .pauses("the clock")
            .given(NO_CLUSTER)
            .given(CLOCK_NEARLY_RIGHT)
            .reads_back("systemctl is-active -q chronyd || systemctl is-active -q chrony")
            .look("chronyc tracking", "Shows whether it follows a server")
            .persist("two servers or a pool in /etc/chrony.conf (/etc/chrony/chrony.conf)")
            .persist_run("systemctl enable chronyd || systemctl enable chrony", "Starts it at boot")
            .reads_back("systemctl is-enabled -q chronyd || systemctl is-enabled -q chrony")
            .undo_now_run("systemctl stop chronyd || systemctl stop chrony", "Stops it again")
            .undo_persist_run("systemctl disable chronyd || systemctl disable chrony", "Leaves it out at boot, unless it was enabled before")
            .expecting("`chronyc tracking`: Leap status Normal, offset below 1 ms"),
        Some("chronyd") => why
            .look(
                "chronyc -n sources",
                "Lists the servers: `^*` is followed, `^?` does not answer or is not trusted yet",
            )
            .now("If none answers, open UDP port 123 to them, or name servers that this network reaches")
            .expecting("`chronyc tracking`: Leap status Normal, offset below 1 ms"),
        Some(other) => why
            .now(format!("Look at the servers of {other}: do they answer on UDP port 123?"))
            .now(format!("Correct the servers of {other}; do not start a second time daemon next to it"))
            .expecting("`timedatectl`: System clock synchronized: yes"),
    }
}
