//! Options of mounted file systems: by a remount where the file system takes it, else with the database stopped.

use super::condition::{NO_CLUSTER_MOUNTS, NO_ORACLE, no_line};
use super::kernel::nconnect;
use super::{AdviceExt, as_word, because, sh};
use fullwire_model::Run;
use fullwire_model::assessment::{Advice, Phase, ShellCommand};
use fullwire_model::host::{FstabEntry, Host, Mount};

/// Change an option of a mounted file system that a remount changes: now, in the fstab, and back.
pub fn change_mount_option(host: &Host, why: &str, mount: &Mount, from: &str, to: &str) -> Advice {
    let point = &mount.target;
    if !remounts(mount, from, to) {
        return because(why)
            .persist(kept(host, mount, &format!("replace {from} by {to}")))
            .and(remount_steps(mount, to));
    }
    because(why)
        .run(remount(mount, from, to), format!("Changes {point} while it is mounted"))
        .persist(kept(host, mount, &format!("replace {from} by {to}")))
        .undo_run(remount(mount, to, from), format!("Changes {point} back"))
}

/// Options of a mount that a remount does not keep unless they are said again (mount(2), `MS_REMOUNT`); what a file system
/// has of its own it keeps.
const OF_THE_MOUNT: [&str; 12] = [
    "rw", "ro", "nosuid", "nodev", "noexec", "nosymfollow", "sync", "dirsync", "mand", "lazytime",
    "nodiratime", "noatime",
];

/// Changes an option of a mounted file system and nothing else. With the directory alone, mount(8) would apply what fstab
/// has for it, which may be `ro`: what is mounted is named too.
pub(crate) fn remount(mount: &Mount, from: &str, to: &str) -> ShellCommand {
    sh!("mount -o {} {} {}", format!("remount,{}", with_option(mount, from, to)), mount.source, mount.target)
}

/// The options that a mount has of its own, with `to` in place of `from`.
pub(crate) fn with_option(mount: &Mount, from: &str, to: &str) -> String {
    let is_kept = |option: &&str| OF_THE_MOUNT.contains(option) && *option != from && *option != to;
    let own = mount.options.iter().map(String::as_str).filter(is_kept);
    let kept = own.filter(|one| !(*one == "noatime" && to.ends_with("atime")));
    kept.chain([to]).collect::<Vec<&str>>().join(",")
}

/// XFS reports success for an option that it cannot change at a remount, and leaves it as it was (`fs/xfs/xfs_super.c`).
/// Nothing takes dirsync off at a remount: it has no opposite.
fn remounts(mount: &Mount, from: &str, to: &str) -> bool {
    !mount.source.is_empty()
        && from != "dirsync"
        && !(mount.fs_type == "xfs" && matches!(to, "nodiscard" | "barrier"))
}

/// Where the options of a mount are kept, and what to change there. What a cluster mounts must not be in fstab, or two hosts
/// write to one file system (Red Hat, "Configuring and managing high availability clusters", Filesystem resource).
fn kept(host: &Host, mount: &Mount, change: &str) -> String {
    let point = &mount.target;
    let line = host.fstab.iter().flatten().find(|entry| entry.target == *point);
    let by_pacemaker = crate::facts::is_managed_by(host, "pacemaker");
    match (line, &mount.unit) {
        (Some(entry), _) => {
            format!(
                "/etc/fstab, line {}, that of {point}: {change}; `findmnt --verify` checks it",
                entry.line
            )
        }
        (None, Some(unit)) => format!("`systemctl edit --full {unit}`, Options= below [Mount]: {change}"),
        (None, None) if by_pacemaker && host.fstab.is_some() => format!(
            "{point} is not in /etc/fstab, and is not to be: in the options of the Filesystem resource that mounts it \
             (`pcs resource config`, SUSE: `crm configure show`), {change}. In maintenance mode: else the change restarts \
             the resource and what depends on it"
        ),
        (None, None) => format!(
            "In the line of {point} in /etc/fstab (without one: in what mounts it, a unit, a cluster's resource or rootflags=): \
             {change}; `findmnt --verify` checks it"
        ),
    }
}

/// Mount a file system again with another option, with its users stopped; whatever comes of it, it is mounted in the end.
pub fn remount_steps(mount: &Mount, to: &str) -> Advice {
    let point = &mount.target;
    if point == "/" {
        return at_boot(mount, to);
    }
    // What the kernel adds of itself is no option to ask for.
    let asked =
        |option: &&str| !["addr=", "clientaddr=", "seclabel"].iter().any(|own| option.starts_with(own));
    let as_it_was: Vec<&str> = mount.options.iter().map(String::as_str).filter(asked).collect();
    let shown = sh!("findmnt -n -o OPTIONS -M {} | tr , '\\n'", point);
    let advice = because("")
        .now(format!("Stop every database and program that uses {point}"))
        .unmounts(point)
        .run(sh!("umount {}", point), format!("Unmounts {point}"))
        .unmounts(point)
        .check(
            sh!("fuser -sm {}; test $? = 1", point),
            format!("`fuser -vm {}` lists no process", as_word(point)),
        )
        .given(NO_ORACLE)
        .given(NO_CLUSTER_MOUNTS)
        .run(
            sh!("mount -o {} {}", to, point),
            "Mounts it with the new option and those of its line in /etc/fstab",
        )
        .unmounts(point)
        .check(sh!("findmnt -s -n {}", point), format!("/etc/fstab has a line for {point}"));
    if mount.source.is_empty() || mount.fs_type.is_empty() {
        return advice.undo(format!("Mount {point} as it was, with its users stopped")).unmounts(point);
    }
    advice
        .undo_now_run(
            sh!(
                "findmnt -n -M {} > /dev/null; test $? = 1 || umount {} && mount -t {} -o {} {} {}",
                point,
                point,
                mount.fs_type,
                if as_it_was.is_empty() { "rw".to_owned() } else { as_it_was.join(",") },
                mount.source,
                point
            ),
            format!("Mounts {point} as it was, with its users stopped"),
        )
        .reads_back(no_line(&shown, &format!("^{}$", to.split(',').next().unwrap_or(to))))
        .unmounts(point)
}

/// The host runs from it: nothing can unmount it, and the initramfs mounts it before fstab is read (dracut.cmdline(7),
/// `rootflags=` and `root=nfs:`; Linux Documentation/admin-guide/nfs/nfsroot.rst, `nfsroot=`).
fn at_boot(mount: &Mount, to: &str) -> Advice {
    let place = if mount.nfs.is_some() { "the options in root=nfs: or nfsroot=" } else { "rootflags=" };
    because("")
        .persist(format!(
            "The root file system cannot be unmounted: put {to} into {place} of the kernel's command line, where the boot server or the boot loader keeps it"
        ))
        .persist("Restart the host: the option is taken when the root is mounted")
        .reboots()
        .undo("The command line as it was, and another restart")
        .reboots()
}

/// Change an option of an NFS mount, which a remount does not: with the database stopped, in the fstab, and back.
/// `from` is `None` where the option was not given.
pub fn change_nfs_option(host: &Host, why: &str, mount: &Mount, from: Option<&str>, to: &str) -> Advice {
    let advice = because(why).and(remount_steps(mount, to));
    if mount.target == "/" {
        return advice;
    }
    if let Some(entry) = asked_for(host, mount, to) {
        return advice.persist(format!(
            "/etc/fstab, line {}, asks for {to} already: leave it as it is. The line was changed after the mount, or the \
             mount was made by hand",
            entry.line
        ));
    }
    let change = from.map_or_else(|| format!("add {to}"), |from| format!("replace {from} by {to}"));
    advice.persist(kept(host, mount, &change)).persist(
        "Mounts of the same server share its connection: change all of them, or the first one decides",
    )
}

/// The same where a server or a kernel may refuse the option, which would leave the file system unmounted: what a person must
/// know first.
pub fn change_nfs_option_if(
    host: &Host,
    why: &str,
    mount: &Mount,
    from: Option<&str>,
    to: &str,
    needs: &[&str],
) -> Advice {
    let mut advice = change_nfs_option(host, why, mount, from, to);
    for step in advice.steps.iter_mut().filter(|step| step.phase == Phase::Now && step.run.is_some()) {
        step.needs.extend(needs.iter().map(|need| (*need).to_owned()));
    }
    advice
}

/// The line of the fstab that asks for these options already: it only has not taken effect.
fn asked_for<'a>(host: &'a Host, mount: &Mount, to: &str) -> Option<&'a FstabEntry> {
    let entry = host.fstab.as_ref()?.iter().find(|entry| entry.target == mount.target)?;
    let asks = |option: &str| entry.options.iter().any(|own| own == option);
    to.split(',').all(asks).then_some(entry)
}

/// More TCP connections to an NFS server, where the kernel knows the option: one that does not would leave the file
/// system unmounted.
pub(crate) fn more_connections(run: &Run, mount: &Mount, why: &str) -> Advice {
    const NEEDS: &str = "Linux 5.3 or later, Red Hat's 4.18 from 8.3 on: an older kernel refuses the option";
    let release = &run.host.os.kernel_release;
    if nconnect(&run.host) == Some(false) {
        return because(why)
            .now(format!("Kernel {release} does not know nconnect: spread the files over mounts of several addresses of the server"))
            .unmounts(&mount.target)
            .persist(format!("With a kernel that knows it, add nconnect=8 to the line of {} in /etc/fstab", mount.target))
            .undo("Mount everything from one address again")
            .unmounts(&mount.target);
    }
    let needs: &[&str] = if nconnect(&run.host).is_none() { &[NEEDS] } else { &[] };
    change_nfs_option_if(&run.host, why, mount, None, "nconnect=8", needs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::assessment::Risk;
    use fullwire_model::host::NfsMount;

    fn mount(fs_type: &str) -> Mount {
        let options = ["rw", "nosuid", "relatime", "seclabel", "discard", "soft", "addr=10.0.0.9"];
        Mount {
            source: "/dev/sdb".into(),
            target: "/u01 data".into(),
            fs_type: fs_type.into(),
            options: options.map(str::to_owned).to_vec(),
            ..Mount::default()
        }
    }

    #[test]
    fn xfs_ignores_nodiscard_at_a_remount() {
        let now =
            |fs_type| change_mount_option(&Host::default(), "", &mount(fs_type), "discard", "nodiscard");
        assert_eq!(
            now("ext4").steps[0].run.as_deref(),
            Some("mount -o remount,rw,nosuid,nodiscard /dev/sdb '/u01 data'")
        );
        assert!(now("xfs").steps.iter().all(|step| !step.run.as_deref().unwrap_or("").contains("remount")));
    }

    #[test]
    fn options_are_kept_by_what_mounts() {
        let mut host = Host { fstab: Some(Vec::new()), ..Host::default() };
        let said = |host: &Host, mount: &Mount| {
            let advice = change_mount_option(host, "", mount, "sync", "async");
            let kept: Vec<String> = advice.phase(Phase::Persist).map(|step| step.text.clone()).collect();
            kept.concat()
        };
        let mut ext4 = mount("ext4");
        assert!(said(&host, &ext4).starts_with("In the line of /u01 data in /etc/fstab"));
        host.management.availability.insert("pacemaker".into(), "a process".into());
        let managed = said(&host, &ext4);
        assert!(managed.contains("is not to be") && managed.contains("Filesystem resource"), "{managed}");
        ext4.unit = Some("u01.mount".into());
        assert!(said(&host, &ext4).starts_with("`systemctl edit --full u01.mount`"));
        let line = FstabEntry { target: ext4.target.clone(), line: 3, ..FstabEntry::default() };
        host.fstab = Some(vec![line]);
        assert!(said(&host, &ext4).starts_with("/etc/fstab, line 3"));
    }

    #[test]
    fn an_old_kernel_is_never_told_to_mount_with_nconnect() {
        let mut run = Run::default();
        for (release, commands) in [("3.10.0-1160.el7.x86_64", 0), ("5.14.0-427.el9.x86_64", 2), ("", 2)] {
            run.host.os.kernel_release = release.into();
            let advice = more_connections(&run, &mount("nfs"), "");
            let runs: Vec<_> = advice.phase(Phase::Now).filter(|step| step.run.is_some()).collect();
            assert_eq!(runs.len(), commands, "{release}");
            let asks = |step: &&fullwire_model::assessment::Step| {
                step.needs.iter().any(|needs| needs.contains("5.3"))
            };
            assert!(runs.iter().all(asks) || !release.is_empty(), "{release}");
        }
    }

    #[test]
    fn a_line_that_says_it_already_is_left() {
        let entry = FstabEntry {
            target: "/u01 data".into(),
            options: vec!["rw".into(), "hard".into(), "timeo=600".into()],
            line: 7,
            ..FstabEntry::default()
        };
        let host = Host { fstab: Some(vec![entry]), ..Host::default() };
        let advice = change_nfs_option(&host, "", &mount("nfs"), Some("soft"), "hard");
        let kept: Vec<&str> = advice.phase(Phase::Persist).map(|step| step.text.as_str()).collect();
        assert!(matches!(kept[..], [text] if text.starts_with("/etc/fstab, line 7, asks for hard already")));
        assert!(advice.phase(Phase::Now).any(|step| step.run.as_deref() == Some("umount '/u01 data'")));
    }

    #[test]
    fn whatever_comes_of_it_the_file_system_is_mounted_in_the_end() {
        let advice = change_nfs_option(&Host::default(), "", &mount("nfs4"), Some("soft"), "hard,timeo=600");
        let undo = advice.phase(Phase::Undo).next().expect("an undo");
        assert!(
            undo.run
                .as_deref()
                .is_some_and(|run| run
                    .ends_with("mount -t nfs4 -o rw,nosuid,relatime,discard,soft /dev/sdb '/u01 data'")),
            "{undo:?}"
        );
        assert!(
            undo.undoes == [Phase::Now]
                && undo.read_back.as_deref().is_some_and(|look| look.contains("^hard$"))
        );
    }

    #[test]
    fn the_root_is_never_unmounted() {
        for (fs_type, nfs) in [("xfs", None), ("nfs", Some(NfsMount::default()))] {
            let root = Mount { target: "/".into(), nfs, ..mount(fs_type) };
            let advice = change_nfs_option(&Host::default(), "", &root, None, "nconnect=8");
            let of_discard = change_mount_option(&Host::default(), "", &root, "discard", "nodiscard");
            for step in advice.steps.iter().chain(&of_discard.steps) {
                assert!(!step.run.as_deref().unwrap_or("").contains("umount"), "{step:?}");
            }
            assert!(advice.steps.iter().any(|step| step.risk() == Risk::Downtime), "{advice:?}");
        }
    }

    #[test]
    fn nfs_is_mounted_anew_with_the_database_stopped() {
        let advice = change_nfs_option(&Host::default(), "", &mount("nfs"), Some("soft"), "hard");
        assert!(advice.steps[0].text.starts_with("Stop every database"));
        assert!(
            advice
                .phase(Phase::Now)
                .chain(advice.phase(Phase::Undo))
                .all(|step| step.risk() == Risk::Downtime)
        );
    }
}
