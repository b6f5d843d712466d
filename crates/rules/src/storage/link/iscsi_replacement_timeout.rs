use super::other_way::OtherWays;

rule! {
    /// # What it checks
    /// Passes when `replacement_timeout` is at most 30 s where every disk of the session has another path over another session,
    /// and at least 30 s (120 by default, a day below the root file system) where multipath is not used above it. A session that carries a disk with another
    /// path and one without is left as it is: no value suits both. A note, and a warning once the kernel logged within a day that a session under multipath
    /// was waited for as long.
    /// # Why it matters
    /// With multipath, I/O on a lost session should fail quickly to take the other path; 120 s of silence is
    /// longer than most cluster timeouts. Without it, a short timeout turns a pause into an error.
    /// # Evidence
    /// `recovery_tmo` of the session; multipath maps over its disks; kernel log.
    /// # Remedy
    /// `node.session.timeo.replacement_timeout = 15` under multipath.
    /// # Source
    /// open-iscsi README, section 8.1 (`replacement_timeout` with dm-multipath: 5 to 15; default 120); Red Hat
    /// Enterprise Linux, Storage Administration Guide, `replacement_timeout` (15 to 20 s with multipath), and DM Multipath,
    /// iSCSI and DM Multipath overrides (`fast_io_fail_tmo` overrides `recovery_tmo`). open-iscsi README, section 8.2 (iSCSI root:
    /// a long timeout, for the error would be the root file system's).
    code: "iscsi-replacement-timeout",
    title: "the time after which a lost iSCSI session fails its I/O does not suit multipath",
    layer: Storage, severity: Warning, on: [IscsiSession],

    /// Under multipath a longer wait blocks every I/O (open-iscsi README: 5 to 15 s; Red Hat: 15 to 20 s).
    const LONG_S: u64 = 30;
    /// Without it open-iscsi's default lets a short pause pass.
    const DEFAULT_S: u32 = 120;
    /// Below the root file system a host that waits goes on, and one whose root failed does not (open-iscsi README, 8.2).
    const ROOT_S: u32 = 86_400;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let mut wrong: BTreeMap<(Use, u64), Vec<&IscsiSession>> = BTreeMap::new();
    for session in &run.host.iscsi_sessions {
        let name = &session.name;
        match (session.recovery_tmo_s, carries_multipath(&run.host, session)) {
            (None, _) => outcomes.push(facts::unread(&format!("recovery_tmo of {name}"))),
            (Some(timeout), Some(OtherWays::All)) if timeout > LONG_S => {
                wrong.entry((Use::Multipath, timeout)).or_default().push(session);
            }
            (Some(timeout), Some(OtherWays::NoMap)) if timeout < LONG_S => {
                let alone = if facts::carries_root(&run.host, session) { Use::Root } else { Use::Alone };
                wrong.entry((alone, timeout)).or_default().push(session);
            }
            (Some(timeout), None) => outcomes.push(unknown!(
                "the disks of {name} could not be read: whether {timeout} s suits it depends on multipath above them"
            )),
            _ => outcomes.push(Outcome::Passes),
        }
    }
    outcomes
        .extend(wrong.into_iter().map(|((used, timeout), sessions)| fires(run, used, timeout, &sessions)));
    outcomes
}

/// What stands above a session's disks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    Multipath,
    Alone,
    Root,
}

impl Use {
    /// What is wrong with a time that is too long, or too short, and the one that suits.
    const fn says(self) -> (&'static str, u32) {
        match self {
            Self::Multipath => (
                "multipath waits as long for a lost path before it takes another; 5 to 15 s are recommended",
                15,
            ),
            Self::Alone => (
                "without multipath a short pause of the network becomes an I/O error; 120 s are recommended",
                DEFAULT_S,
            ),
            Self::Root => (
                "the root file system is on it, and the error would be the host's end; a day is recommended",
                ROOT_S,
            ),
        }
    }
}

/// What the session's disks stand on beside it; `None`: its disks are not known, and there are maps.
fn carries_multipath(host: &Host, session: &IscsiSession) -> Option<OtherWays> {
    if session.disks.is_empty() {
        return host.multipath.is_empty().then_some(OtherWays::NoMap);
    }
    Some(OtherWays::of_session(host, session))
}

/// The kernel logged within a day that a session was waited for that long.
fn has_waited<'a>(run: &'a Run, sessions: &[&IscsiSession]) -> Option<&'a LogLine> {
    let lines = run.host.kernel_log.iter().filter(|line| line.text.contains("session recovery timed out"));
    let named = |line: &&LogLine| {
        facts::log::names_one_of(&line.text, sessions.iter().map(|session| session.name.as_str()))
    };
    lines.filter(named).find(|line| facts::log::is_recent(run, line))
}

fn fires(run: &Run, used: Use, timeout: u64, sessions: &[&IscsiSession]) -> Outcome {
    let names: Vec<&str> = sessions.iter().map(|session| session.name.as_str()).collect();
    let (whose, fail, they) =
        if names.len() == 1 { ("session", "fails", "it is") } else { ("sessions", "fail", "they are") };
    let (what, wanted) = used.says();
    let multipath = used == Use::Multipath;
    let waited = has_waited(run, sessions).filter(|_| multipath);
    let mut finding = finding!(
        Kind::IscsiSession.named(names[0]),
        "iSCSI {whose} {} {fail} I/O {timeout} s after {they} lost: {what}",
        facts::listed(&names),
    )
    .also(names[1..].iter().copied())
    .severity(if waited.is_some() { Severity::Warning } else { Severity::Info })
    .measured(timeout as f64, f64::from(wanted), Unit::S)
    .evidence(
        format!("recovery_tmo {timeout}"),
        format!("/sys/class/iscsi_session/{}/recovery_tmo", names[0]),
    );
    if let Some(line) = waited {
        finding = finding.evidence(facts::log::quoted(line), "kernel log");
    }
    finding.advice(advice(&run.host, multipath, timeout, wanted, sessions)).into()
}

fn advice(host: &Host, multipath: bool, timeout: u64, wanted: u32, sessions: &[&IscsiSession]) -> Advice {
    let targets: BTreeSet<&str> = sessions.iter().map(|session| session.target.as_str()).collect();
    let set = |target: &str, seconds: u64| {
        sh!(
            "iscsiadm -m node -T {} -o update -n node.session.timeo.replacement_timeout -v {}",
            target,
            seconds
        )
    };
    let live = |session: &IscsiSession, seconds: u64| {
        sh!("echo {} > /sys/class/iscsi_session/{}/recovery_tmo", seconds, session.name)
    };
    let why = because("The timeout decides whether a lost path is a pause, a failover or an error.");
    let is_above = |map: &&MultipathMap, session: &IscsiSession| {
        let mut paths = map.groups.iter().flat_map(|group| &group.paths);
        multipath && paths.any(|path| session.disks.contains(&path.device))
    };
    let mut advice = sessions.iter().fold(why, |advice, session| {
        let advice =
            advice.run(live(session, wanted.into()), "Takes effect immediately; the session stays logged in");
        host.multipath.iter().filter(|map| is_above(map, session)).fold(advice, |advice, map| {
            let text = format!("two paths of {} work: with one alone it would only fail sooner", map.name);
            advice.check(two_paths_ready(&map.name), text)
        })
    });
    for target in &targets {
        advice = advice.persist_run(set(target, wanted.into()), "Stored for the next login");
    }
    advice = advice.persist(format!(
        "For new targets, in /etc/iscsi/iscsid.conf: node.session.timeo.replacement_timeout = {}",
        wanted.min(DEFAULT_S)
    ));
    for session in sessions {
        advice = advice.undo_now_run(live(session, timeout), "Sets the former value");
    }
    for target in &targets {
        advice = advice.undo_persist_run(set(target, timeout), "Stores the former value");
    }
    advice = advice.expecting("failover within seconds when a path is pulled");
    if multipath {
        advice = advice.persist("fast_io_fail_tmo of multipath.conf, where it is set, overrides this value for its paths: set it to the same");
    }
    advice
}
