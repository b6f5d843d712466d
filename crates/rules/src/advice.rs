//! Remedies: how a rule writes one, and those that many rules share.

mod arrays;
mod bond;
mod boot;
pub(crate) mod condition;
mod disk;
pub mod effect;
mod interface;
mod interrupts;
mod keeper;
mod kernel;
mod lines;
mod medium;
mod memory;
mod modprobe;
mod mount;
mod multipath;
mod qdisc;
mod read_only;
mod rewritten;
mod route;
mod sysctl;
mod systemd;

#[cfg(test)]
pub(crate) use arrays::units;
pub(crate) use arrays::{Array, array_of};
pub use bond::set_bond;
pub(crate) use boot::rebuild_initramfs;
pub use boot::{keep_boot_parameter, set_boot_parameter};
pub(crate) use disk::{group_of, limit_of_others, matched};
pub use disk::{set_disk_attribute, set_max_request, stripe_anew};
pub(crate) use interface::by_udev;
pub use interface::{negotiate, set_ethtool, set_mtu};
pub(crate) use interrupts::{move_interrupts, spread_interrupts, start_irqbalance};
pub use keeper::{Keeper, keeper};
pub(crate) use kernel::unless_tuned;
pub(crate) use medium::in_place_of_drives;
pub(crate) use memory::pages_needed;
pub use memory::reserve_huge_pages;
pub(crate) use modprobe::keep_module_options;
pub(crate) use mount::more_connections;
pub use mount::{change_mount_option, change_nfs_option, change_nfs_option_if, remount_steps};
pub(crate) use mount::{remount, with_option};
pub use multipath::show_paths;
pub(crate) use multipath::{group_paths, set_multipath, two_paths_ready};
pub(crate) use qdisc::{fair_queue, lengthen_bucket, lift_shaper, remove_qdisc, replace_leaf};
pub(crate) use read_only::on_read_only;
pub(crate) use rewritten::with_settings_managers;
pub(crate) use route::{set_route_congestion, set_route_mtu, unset_route};
pub(crate) use sysctl::agree;
pub use sysctl::{set_sysctl, set_sysctls};
pub(crate) use systemd::without_systemd;

use fullwire_model::PathName;
use fullwire_model::assessment::{
    Advice, Check, Finding, HERE, OfDrive, Phase, ShellCommand, Step, StepKind,
};
pub(crate) use fullwire_model::sh;
use lines::Lines;
use std::fmt::Display;

/// Rules of udev: after those of packages.
const RULES: &str = "/etc/udev/rules.d/99-z-fullwire.rules";

/// A remedy that is put together step by step.
pub fn because(why: impl Into<String>) -> Advice {
    Advice { why: why.into(), ..Advice::default() }
}

/// Steps of a remedy, in the order that a person takes them. A step is a command that root can paste as it is, or a text;
/// what it does to the host and what must hold before it are said of the step before them.
pub trait AdviceExt: Sized {
    /// A step after the others.
    #[must_use]
    fn add(self, phase: Phase, run: Option<ShellCommand>, text: String) -> Self;
    /// Says something of the step before.
    #[must_use]
    fn last(self, say: impl FnOnce(&mut Step)) -> Self;
    /// Something to do now that is no command.
    #[must_use]
    fn now(self, text: impl Into<String>) -> Self {
        self.add(Phase::Now, None, text.into())
    }
    /// Something to do so that it lasts.
    #[must_use]
    fn persist(self, text: impl Into<String>) -> Self {
        self.add(Phase::Persist, None, text.into())
    }
    /// How to take it back.
    #[must_use]
    fn undo(self, text: impl Into<String>) -> Self {
        self.add(Phase::Undo, None, text.into())
    }
    /// A command that only reads, and what it shows.
    #[must_use]
    fn look(self, command: impl Into<ShellCommand>, text: impl Into<String>) -> Self {
        self.run(command, text).looks()
    }
    /// A command to run now, and what it does.
    #[must_use]
    fn run(self, command: impl Into<ShellCommand>, text: impl Into<String>) -> Self {
        self.add(Phase::Now, Some(command.into()), text.into())
    }
    /// A command that makes it last.
    #[must_use]
    fn persist_run(self, command: impl Into<ShellCommand>, text: impl Into<String>) -> Self {
        self.add(Phase::Persist, Some(command.into()), text.into())
    }
    /// A command that takes it back, whatever of it was done.
    #[must_use]
    fn undo_run(self, command: impl Into<ShellCommand>, text: impl Into<String>) -> Self {
        self.add(Phase::Undo, Some(command.into()), text.into())
    }
    /// A command that takes back what was done now, and nothing else.
    #[must_use]
    fn undo_now_run(self, command: impl Into<ShellCommand>, text: impl Into<String>) -> Self {
        self.undo_run(command, text).last(|step| step.undoes = vec![Phase::Now])
    }
    /// A command that takes back what makes it last, and nothing else.
    #[must_use]
    fn undo_persist_run(self, command: impl Into<ShellCommand>, text: impl Into<String>) -> Self {
        self.undo_run(command, text).last(|step| step.undoes = vec![Phase::Persist])
    }
    /// What the step before does to the host, and what stands still meanwhile.
    #[must_use]
    fn kind(self, kind: StepKind, interrupts: &str) -> Self {
        self.last(|step| {
            step.kind = kind;
            interrupts.clone_into(&mut step.interrupts);
        })
    }
    /// What a person must know to be true before the step before.
    #[must_use]
    fn needs(self, condition: impl Into<String>) -> Self {
        self.last(|step| step.needs.push(condition.into()))
    }
    /// What must be true before the step before, and a command that succeeds if it is.
    #[must_use]
    fn check(self, command: impl Into<ShellCommand>, condition: impl Into<String>) -> Self {
        let (run, text) = (command.into(), condition.into());
        self.last(|step| {
            if run.is_refused() { step.needs.push(text) } else { step.checks.push(Check { run, text }) }
        })
    }
    /// A command that succeeds once the step before has taken effect.
    #[must_use]
    fn reads_back(self, command: impl Into<ShellCommand>) -> Self {
        let command = command.into();
        self.last(|step| step.read_back = (!command.is_refused()).then_some(command))
    }
    /// A condition that many remedies share, of the step before.
    #[must_use]
    fn given(self, (command, text): condition::Condition) -> Self {
        self.check(command, text)
    }
    /// A file that the step before changes, or a directory of such, with a slash at its end.
    #[must_use]
    fn writes(self, path: impl Into<String>) -> Self {
        self.last(|step| step.writes.push(path.into()))
    }
    /// All steps so far are done on this peer; `None`: on this host.
    #[must_use]
    fn on(self, peer: Option<&PathName>) -> Self;
    /// All steps of another remedy, after these.
    #[must_use]
    fn and(self, other: Advice) -> Self;
    /// What gain to expect, and how to prove it.
    #[must_use]
    fn expecting(self, gain: impl Into<String>) -> Self;

    /// The step before asks the drive itself, or has it replaced: what is no drive of this host gets another step.
    #[must_use]
    fn of_drive(self, drive: OfDrive) -> Self {
        self.last(|step| step.drive = Some(drive))
    }

    /// The step before only reads.
    #[must_use]
    fn looks(self) -> Self {
        self.kind(StepKind::Look, "")
    }
    /// The step before has a service read its configuration again.
    #[must_use]
    fn reloads(self) -> Self {
        self.kind(StepKind::Reload, "")
    }
    /// The step before resets the link of an interface or a port.
    #[must_use]
    fn resets_link(self, name: &str) -> Self {
        self.kind(StepKind::LinkReset, name)
    }
    /// The step before holds up something for seconds.
    #[must_use]
    fn pauses(self, what: &str) -> Self {
        self.kind(StepKind::Pause, what)
    }
    /// The step before stops a service or starts it again, or needs it stopped.
    #[must_use]
    fn restarts(self, what: &str) -> Self {
        self.kind(StepKind::Restart, what)
    }
    /// The step before unmounts something, or needs that nothing uses it.
    #[must_use]
    fn unmounts(self, what: &str) -> Self {
        self.kind(StepKind::Unmount, what)
    }
    /// The step before takes an interface down.
    #[must_use]
    fn takes_down(self, name: &str) -> Self {
        self.kind(StepKind::LinkDown, name)
    }
    /// The step before starts the host again.
    #[must_use]
    fn reboots(self) -> Self {
        self.kind(StepKind::Reboot, "the host")
    }
}

impl AdviceExt for Advice {
    fn add(mut self, phase: Phase, run: Option<ShellCommand>, text: String) -> Self {
        let refused = run.as_ref().is_some_and(ShellCommand::is_refused);
        let mut step = Step::by_hand(phase, text);
        if refused {
            step.text += " (a name in the command has characters that do not print or that sed takes for its own, or begins with a dash: write the command by hand)";
        }
        step.run = run.filter(|_| !refused);
        effect::fill(&mut step);
        if asks_for_downtime(&step.text) {
            step.kind = StepKind::Restart;
        }
        self.steps.push(step);
        self
    }

    fn last(mut self, say: impl FnOnce(&mut Step)) -> Self {
        if let Some(step) = self.steps.last_mut() {
            say(step);
        }
        self
    }

    fn on(mut self, peer: Option<&PathName>) -> Self {
        for step in &mut self.steps {
            peer.map_or(HERE, PathName::as_str).clone_into(&mut step.on);
        }
        self
    }

    fn and(mut self, other: Advice) -> Self {
        // Two paths of one unit are kept by one rule.
        let again =
            |step: &Step| step.phase != Phase::Now && step.run.is_some() && other.steps.contains(step);
        self.steps.retain(|step| !again(step));
        self.steps.extend(other.steps);
        for (own, others) in [(&mut self.why, other.why), (&mut self.expect, other.expect)] {
            if own.is_empty() {
                *own = others;
            }
        }
        self
    }

    fn expecting(mut self, gain: impl Into<String>) -> Self {
        self.expect = gain.into();
        self
    }
}

/// A finding is given its remedy step by step, too: [`FindingExt::because`](crate::FindingExt::because) begins it.
impl AdviceExt for Finding {
    fn add(self, phase: Phase, run: Option<ShellCommand>, text: String) -> Self {
        Self { advice: self.advice.add(phase, run, text), ..self }
    }

    fn last(self, say: impl FnOnce(&mut Step)) -> Self {
        Self { advice: self.advice.last(say), ..self }
    }

    fn on(self, peer: Option<&PathName>) -> Self {
        Self { advice: self.advice.on(peer), ..self }
    }

    fn and(self, other: Advice) -> Self {
        Self { advice: self.advice.and(other), ..self }
    }

    fn expecting(self, gain: impl Into<String>) -> Self {
        Self { advice: self.advice.expecting(gain), ..self }
    }
}

/// A value in a command that a sentence names: whoever pastes it from there has one word of the shell.
pub(crate) fn as_word(value: impl Display) -> String {
    let text = value.to_string();
    // A name that is not known leaves no trace.
    if text.is_empty() { text } else { fullwire_model::assessment::quote(&text) }
}

/// The text tells the reader to restart something, or to do it while a server is down, which is downtime unless the rule says
/// that it costs less. `after a restart` and `would restart` do not.
fn asks_for_downtime(text: &str) -> bool {
    const DOWN: [&str; 4] = [
        "ith the server stopped", "ith the server down", "ith the instance down", "ith the database stopped",
    ];
    let mut before = "";
    let restarts =
        text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).any(|word| {
            let told = matches!(word.to_ascii_lowercase().as_str(), "restart" | "reboot");
            let is_noun = matches!(before, "a" | "next" | "would" | "Oracle");
            before = word;
            told && !is_noun
        });
    restarts || DOWN.iter().any(|state| text.contains(state))
}

/// Raise a limit of a service of systemd: limits.d is read at a login, and a service is started by none (systemd.exec(5)).
pub(crate) fn raise_limit_of_unit(why: &str, unit: &str, item: &str, directive: &str, value: &str) -> Advice {
    let (unit, value) = (as_word(unit), of_unit(item, value));
    because(why)
        .persist(format!(
            "`systemctl edit {unit}` with {directive}={value} in [Service]: limits.d does not reach it"
        ))
        .persist(format!("Restart {unit}: a running process keeps its limits"))
        .restarts("the database")
        .undo(format!("Take the line out again (`systemctl edit {unit}`) and restart it"))
        .restarts("the database")
}

/// limits.conf(5) counts memlock in KiB, systemd.exec(5) a bare number in bytes.
fn of_unit(item: &str, value: &str) -> String {
    if item == "memlock" { format!("{value}K") } else { value.to_owned() }
}

/// Raise a limit of a database's owner: for sessions by limits.d, for a service by a systemd drop-in. Where the owner is not
/// known no line is written for anybody.
pub fn raise_limit(why: &str, owner: Option<&str>, item: &str, directive: &str, value: &str) -> Advice {
    // Files are read in the order of their names in the C locale, and the last line wins (limits.conf(5)): Oracle's
    // preinstall package leaves `oracle-database-preinstall-19c.conf`.
    const FILE: &str = "/etc/security/limits.d/zz-fullwire.conf";
    let Some(owner) = owner else {
        return because(why)
            .persist(format!(
                "Set `- {item} {value}` for the owner of the database in {FILE}, and {directive} in its unit if systemd \
                 starts it; then restart the database from a new login or by its unit"
            ))
            .undo("Remove both again");
    };
    let limit = Lines::of(FILE, "\\|^{} - {} |d", &[owner, item]);
    let unit_value = of_unit(item, value);
    because(why)
        .persist_run(
            limit.put(&format!("{owner} - {item} {value}")),
            format!("Sets {item} for new logins of {owner}"),
        )
        .persist(format!(
            "If systemd starts the database: `systemctl edit` its unit and add {directive}={unit_value} to [Service]; \
             limits.d does not reach services"
        ))
        .persist("Restart the database from a new login or by its unit: a running process keeps its limits")
        .restarts("the database")
        .undo_persist_run(limit.remove(), "Removes the line; takes effect at the next login")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::assessment::Risk;

    #[test]
    fn a_unit_gets_locked_memory_with_its_unit_and_counts_without() {
        let unit = |item: &str| {
            let advice = raise_limit("", Some("grid"), item, "Limit", "237250929");
            let step = advice.steps.iter().find(|step| step.text.contains("[Service]")).cloned();
            step.expect("a step for systemd").text
        };
        assert!(unit("memlock").contains("Limit=237250929K "), "{}", unit("memlock"));
        assert!(unit("nofile").contains("Limit=237250929 "), "{}", unit("nofile"));
    }

    /// Sorted by bytes: what comes later wins over what Oracle's package leaves.
    #[test]
    fn the_file_of_limits_sorts_after_the_preinstall_package() {
        let advice = raise_limit("", Some("grid"), "memlock", "Limit", "1");
        let command = advice.steps.iter().find_map(|step| step.run.as_deref()).expect("a command");
        let file = command.split_whitespace().find_map(|word| word.strip_prefix("/etc/security/limits.d/"));
        assert!(file.expect("a file") > "oracle-database-preinstall-19c.conf", "{command}");
        assert!(command.contains("grid - memlock 1") && !command.contains("oracle"));
        let nobody = raise_limit("", None, "memlock", "Limit", "1");
        assert!(nobody.steps.iter().all(|step| step.run.is_none()));
    }

    #[test]
    fn whoever_is_told_to_restart_is_told_of_the_downtime() {
        let risk = |text: &str| because("").now(text).steps[0].risk();
        for text in [
            "Restart the database",
            "alter system set x = 1;  -- then restart the server",
            "reboot",
            "Copy the files with the server down",
            "With the instance down: make -f ins_rdbms.mk dnfs_on",
        ] {
            assert_eq!(risk(text), Risk::Downtime, "{text}");
        }
        for text in [
            "Keeps it after a reboot",
            "select restart_lsn",
            "`netplan apply` would restart the links",
            "See why the server stopped",
        ] {
            assert_eq!(risk(text), Risk::Online, "{text}");
        }
    }

    #[test]
    fn kind_and_conditions_are_of_the_step_before() {
        let advice = because("why")
            .now("look")
            .run("ip link set dev eth0 mtu 9000", "sets it")
            .resets_link("eth0")
            .needs("the switch takes it")
            .check("test -d /sys/class/net/eth0", "eth0 is there")
            .on(Some(&"db2:5555".into()));
        assert_eq!(advice.steps[0].risk(), Risk::Online);
        assert_eq!(advice.steps[1].risk(), Risk::Interrupts);
        assert_eq!(advice.steps[1].interrupts, "eth0");
        assert_eq!(advice.steps[1].needs, ["the switch takes it"]);
        assert_eq!(advice.steps[1].checks[0].text, "eth0 is there");
        assert!(advice.steps.iter().all(|step| step.on == "db2:5555"));
    }

    #[test]
    fn a_name_that_is_no_word_leaves_the_step_to_a_person() {
        let advice = because("why").run(sh!("umount {}", "/u\n01"), "Unmounts it");
        assert_eq!(advice.steps[0].run, None);
        assert!(advice.steps[0].text.contains("by hand"), "{:?}", advice.steps);
    }
}
