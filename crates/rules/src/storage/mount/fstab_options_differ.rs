rule! {
    /// # What it checks
    /// Passes when the options that affect speed and safety (ro, sync, barriers, journal mode, atime, discard; of NFS
    /// hard, version, transfer sizes, actimeo, nconnect) are the same in `/etc/fstab` and in effect.
    /// # Why it matters
    /// Either a remount by hand is lost at the next reboot, or the line was corrected and never took effect. NFS keeps
    /// the options of the first mount of an export and ignores those of later ones.
    /// # Evidence
    /// The line of `/etc/fstab` and the mount's options.
    /// # Remedy
    /// Make both say the same: correct the line, or mount again.
    /// # Source
    /// fstab(5), mount(8) (remount), nfs(5) (`sharecache`: the options of the first mount count).
    code: "fstab-options-differ",
    title: "mount options differ from fstab",
    layer: Storage, severity: Warning, on: [Mount],
}

/// Options that are alone.
const FLAGS: [&str; 9] =
    ["sync", "noatime", "discard", "nobarrier", "hard", "soft", "noac", "nosharecache", "dirsync"];
/// Options with a value, where the value is what was requested or what was negotiated.
const VALUES: [&str; 9] =
    ["data", "barrier", "nfsvers", "vers", "proto", "nconnect", "timeo", "actimeo", "wsize"];

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    let Some(fstab) = host.fstab.as_ref().filter(|_| !host.mounts.is_empty()) else {
        return vec![facts::unread("/etc/fstab or the mounts")];
    };
    let visible = |target: &str| host.mounts.iter().rev().find(|mount| mount.target == target);
    let pairs = fstab.iter().filter_map(|entry| Some((entry, visible(&entry.target)?)));
    let differing: Vec<Outcome> = pairs
        .map(|(entry, mount)| (entry, mount, differences(entry, mount)))
        .filter(|(_, _, differences)| !differences.is_empty())
        .map(|(entry, mount, differences)| fires(run, entry, mount, &differences))
        .collect();
    if differing.is_empty() { vec![Outcome::Passes] } else { differing }
}

/// `noatime only in effect`, `vers=3 in fstab, 4.2 in effect`.
fn differences(entry: &FstabEntry, mount: &Mount) -> Vec<String> {
    let mut all = Vec::new();
    let (asked_ro, is_ro) = (entry.option("ro").is_some(), mount.option("ro").is_some());
    // What the file system did to itself after an error is said by its own rule, and no option of fstab mends it.
    if is_ro && !asked_ro {
        return all;
    }
    if asked_ro != is_ro {
        all.push("ro only in fstab".to_owned());
    }
    for flag in FLAGS {
        match (entry.option(flag).is_some(), mount.option(flag).is_some()) {
            (true, false) => all.push(format!("{flag} only in fstab")),
            // `mount-sync` says it, and what to do.
            (false, true) if ["sync", "dirsync"].contains(&flag) && !mount.fs_type.starts_with("nfs") => {}
            // What the kernel shows of itself for NFS (hard) is no difference; a remount by hand is.
            (false, true) if flag == "sync" && entry.option("noac").is_some() => {}
            // btrfs collects discards by default (Linux 6.2).
            (false, true) if mount.option(flag) == Some("async") => {}
            (false, true) if !matches!(flag, "hard") => all.push(format!("{flag} only in effect")),
            _ => {}
        }
    }
    for name in VALUES {
        if let (Some(asked), Some(now)) = (entry.option(name), effective(mount, name))
            && !agree(name, asked, now)
        {
            all.push(format!("{name}={asked} in fstab, {now} in effect"));
        }
    }
    all
}

/// The kernel calls it `vers`, and shows `actimeo` as four limits.
fn effective<'a>(mount: &'a Mount, name: &str) -> Option<&'a str> {
    match name {
        "nfsvers" | "vers" => Some(mount.nfs.as_ref()?.version.as_str()),
        "actimeo" => mount.option("acregmax"),
        name => mount.option(name),
    }
}

/// `4` asks for any minor version; a size is rounded down by the server, which is not the mount's fault.
fn agree(name: &str, asked: &str, now: &str) -> bool {
    match (asked.parse::<u64>(), now.parse::<u64>()) {
        (Ok(asked), Ok(now)) if name == "wsize" => now <= asked,
        (Ok(asked), Ok(now)) => asked == now,
        _ => asked == now || now.starts_with(&format!("{asked}.")),
    }
}

/// Whether reads are noted changes neither what is kept nor how writes are made.
fn is_of_times(differences: &[String]) -> bool {
    differences.iter().all(|difference| difference.starts_with("noatime "))
}

fn fires(run: &Run, entry: &FstabEntry, mount: &Mount, differences: &[String]) -> Outcome {
    let (target, what) = (&mount.target, differences.join("; "));
    finding!(Kind::Mount.named(target), "{target} is not mounted as /etc/fstab says: {what}")
        .severity(if facts::holds_data(run, mount) && !is_of_times(differences) {
            Severity::Warning
        } else {
            Severity::Info
        })
        .evidence(format!("fstab {}", entry.options.join(",")), format!("/etc/fstab:{}", entry.line))
        .evidence(format!("mounted {}", mount.options.join(",")), "/proc/self/mountinfo")
        .because("After the next reboot it is mounted differently from how it was tested.")
        .look(sh!("findmnt -o SOURCE,OPTIONS {} && findmnt --fstab -o SOURCE,OPTIONS {}", target, target), "Shows both: which one is meant?")
        .now(format!("Where the line of fstab is meant: `mount -o remount,OPTION SOURCE {target}` with the one option, if it can be changed while mounted (noatime, discard); otherwise stop the database, umount and mount. `mount -o remount {target}` would apply the whole line, ro and noexec too. A line with noauto is right where a cluster manager mounts with options of its own", target = as_word(target))).unmounts(target)
        .persist(format!("/etc/fstab, line {}: the options that are meant", entry.line))
        .expecting("`findmnt --verify` and this rule report nothing")
        .into()
}
