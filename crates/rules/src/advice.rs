//! Remedies that many rules share, for the distribution at hand.

mod network;

pub use network::{Keeper, keeper, set_bond, set_ethtool, set_mtu};

use fullwire_model::assessment::Advice;
use fullwire_model::host::Host;

/// Set a kernel parameter: now, after a reboot, and back.
pub fn set_sysctl(host: &Host, name: &str, value: &str, why: &str, expect: &str) -> Advice {
    let before = host.sysctl(name).map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    Advice {
        why: why.to_owned(),
        now: vec![format!("sysctl -w {name}='{value}'")],
        persist: vec![format!(
            "echo \"{name} = {value}\" > /etc/sysctl.d/97-fullwire-{}.conf",
            last_word(name)
        )],
        undo: before.map(|before| format!("sysctl -w {name}='{before}'")).into_iter().collect(),
        expect: expect.to_owned(),
    }
}

fn last_word(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// A remedy that is put together step by step.
pub fn because(why: impl Into<String>) -> Advice {
    Advice { why: why.into(), ..Advice::default() }
}

/// Steps of a remedy, in the order that a person takes them.
pub trait AdviceExt: Sized {
    /// Takes effect at once.
    #[must_use]
    fn now(self, step: impl Into<String>) -> Self;
    /// Keeps it after a reboot.
    #[must_use]
    fn persist(self, step: impl Into<String>) -> Self;
    /// Takes it back.
    #[must_use]
    fn undo(self, step: impl Into<String>) -> Self;
    /// What gain to expect, and how to prove it.
    #[must_use]
    fn expecting(self, gain: impl Into<String>) -> Self;
}

impl AdviceExt for Advice {
    fn now(mut self, step: impl Into<String>) -> Self {
        self.now.push(step.into());
        self
    }

    fn persist(mut self, step: impl Into<String>) -> Self {
        self.persist.push(step.into());
        self
    }

    fn undo(mut self, step: impl Into<String>) -> Self {
        self.undo.push(step.into());
        self
    }

    fn expecting(mut self, gain: impl Into<String>) -> Self {
        self.expect = gain.into();
        self
    }
}

/// Set an attribute below `/sys/block/DISK` (`queue/scheduler`): now, by a udev rule, and back.
pub fn set_disk_attribute(
    why: &str,
    disk: &str,
    attribute: &str,
    value: &str,
    before: Option<String>,
) -> Advice {
    let advice = because(why)
        .now(format!("echo {value} > /sys/block/{disk}/{attribute}"))
        .persist(format!(
            "echo 'ACTION==\"add|change\", KERNEL==\"{disk}\", ATTR{{{attribute}}}=\"{value}\"' >> \
             /etc/udev/rules.d/97-fullwire.rules"
        ))
        .persist("udevadm control --reload");
    match before {
        Some(before) => advice.undo(format!("echo {before} > /sys/block/{disk}/{attribute}")),
        None => advice,
    }
}

/// Change an option of a mounted file system: now, in the fstab, and back.
pub fn change_mount_option(why: &str, mount_point: &str, from: &str, to: &str) -> Advice {
    because(why)
        .now(format!("mount -o remount,{to} {mount_point}"))
        .persist(format!("in /etc/fstab, line of {mount_point}: replace {from} by {to}"))
        .undo(format!("mount -o remount,{from} {mount_point}"))
}

/// Change an option of an NFS mount, which a remount does not: now, in the fstab, and back.
pub fn change_nfs_option(why: &str, mount_point: &str, from: &str, to: &str) -> Advice {
    because(why)
        .now(format!("umount {mount_point} && mount -o {to} {mount_point}    # a remount does not change it"))
        .persist(format!("in /etc/fstab, line of {mount_point}: replace {from} by {to}"))
        .undo(format!("umount {mount_point} && mount -o {from} {mount_point}"))
}

/// Raise a limit of a database's owner: for sessions by limits.d, for a service by a systemd drop-in.
pub fn raise_limit(why: &str, owner: &str, item: &str, directive: &str, value: &str) -> Advice {
    because(why)
        .now(format!(
            "echo '{owner} - {item} {value}' >> /etc/security/limits.d/97-fullwire.conf, log in anew"
        ))
        .now("restart the database from that login: limits are inherited, a running process keeps its own")
        .persist(format!("if systemd starts it: `systemctl edit UNIT`, [Service] {directive}={value}"))
        .undo("remove the line from /etc/security/limits.d/97-fullwire.conf")
}
