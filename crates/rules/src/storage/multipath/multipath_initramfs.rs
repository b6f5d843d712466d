use crate::advice::condition::ROOM_IN_BOOT;

rule! {
    /// # What it checks
    /// Applies with multipath maps on the host; passes when `/etc/multipath.conf` is not newer than the running
    /// kernel's initramfs (in a sosreport: its copy there has the same size).
    /// # Why it matters
    /// An initramfs that contains multipath starts with its own copy of the file: at the next boot the maps are made
    /// by the old settings (names, blacklist, retries), the root disk's for good.
    /// # Evidence
    /// Times of `/etc/multipath.conf` and of the image in `/boot`; `lsinitrd` in a sosreport. That the image
    /// contains a copy is not checked on a live host.
    /// # Remedy
    /// `dracut --force --regenerate-all` or `update-initramfs -u -k all`, whichever the host has: of every kernel, for the newest
    /// one boots next.
    /// # Source
    /// Red Hat Enterprise Linux 7, DM Multipath, chapter 4 (after any change to the configuration files the
    /// initramfs must be rebuilt where multipath runs from it); insights-core specs
    /// (`multipath_conf_initramfs`).
    code: "multipath-initramfs",
    title: "multipath.conf is newer than the initramfs",
    layer: Storage, severity: Info, on: [File],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    let Some(config) = host.multipath_config.as_ref().filter(|_| !host.multipath.is_empty()) else {
        return Vec::new();
    };
    let outcome = match config.initramfs_differs {
        None => facts::unread("the age of the initramfs or of multipath.conf"),
        Some(false) => Outcome::Passes,
        Some(true) => finding!(
            Kind::File.named("multipath.conf"),
            "/etc/multipath.conf was changed after the initramfs was made: a copy in it is out of date",
        )
            .evidence(format!("kernel {}", host.os.kernel_release), "/etc/multipath.conf, /boot")
            .advice(
                rebuild(host)
                .persist("Do so after every change of /etc/multipath.conf")
                .undo("The old copy only matches the old multipath.conf: run the same command after you change it back")
                .expecting("the same maps and features in `multipath -ll` after a reboot"),
            )
            .into(),
    };
    vec![outcome]
}

fn rebuild(host: &Host) -> Advice {
    let because = because(
        "The maps are created from the copy in the initramfs, before the root file system is mounted.",
    );
    match rebuild_initramfs(host) {
        Some(rebuild) => {
            because.run(rebuild, "Rebuilds the initramfs of every installed kernel").given(ROOM_IN_BOOT)
        }
        None => because.now("Rebuild the initramfs of every installed kernel with the tool of this host"),
    }
}
