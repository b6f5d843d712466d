//! Remedies: how a rule writes one, and those that many rules share.

mod bond;
mod disk;
mod interface;
mod keeper;
mod kernel;
mod memory;
mod mount;
mod multipath;
mod qdisc;
mod route;
mod shell;
mod sysctl;

pub use bond::set_bond;
pub use disk::{set_disk_attribute, set_max_request};
pub use interface::{set_ethtool, set_mtu};
pub use keeper::{Keeper, keeper};
pub use memory::reserve_huge_pages;
pub(crate) use mount::more_connections;
pub use mount::{change_mount_option, change_nfs_option, remount_steps};
pub use multipath::{override_multipath, show_paths};
pub(crate) use qdisc::{fair_queue, lengthen_bucket, lift_shaper, remove_qdisc, replace_leaf};
pub(crate) use route::{set_route_congestion, set_route_mtu, unset_route};
pub(crate) use shell::sh;
pub(crate) use sysctl::agree;
pub use sysctl::{set_sysctl, set_sysctls};

pub use fullwire_model::assessment::quote;
use fullwire_model::assessment::{Advice, HERE, Phase, Risk, Step};

/// A remedy that is put together step by step.
pub fn because(why: impl Into<String>) -> Advice {
    Advice { why: why.into(), ..Advice::default() }
}

/// Steps of a remedy, in the order that a person takes them. A step is a `run` command that root can paste as it is,
/// or a text; `risk` and `needs` are of the step before them.
pub trait AdviceExt: Sized {
    /// Something to do now that is no command.
    #[must_use]
    fn now(self, text: impl Into<String>) -> Self;
    /// Something to do so that it lasts.
    #[must_use]
    fn persist(self, text: impl Into<String>) -> Self;
    /// How to take it back.
    #[must_use]
    fn undo(self, text: impl Into<String>) -> Self;
    /// A command to run now, and what it does.
    #[must_use]
    fn run(self, command: impl Into<String>, text: impl Into<String>) -> Self;
    /// A command that makes it last.
    #[must_use]
    fn persist_run(self, command: impl Into<String>, text: impl Into<String>) -> Self;
    /// A command that takes it back.
    #[must_use]
    fn undo_run(self, command: impl Into<String>, text: impl Into<String>) -> Self;
    /// What the step before costs.
    #[must_use]
    fn risk(self, risk: Risk) -> Self;
    /// What must hold before the step before.
    #[must_use]
    fn needs(self, condition: impl Into<String>) -> Self;
    /// All steps so far are done on this peer; `None`: on this host.
    #[must_use]
    fn on(self, peer: Option<&str>) -> Self;
    /// All steps of another remedy, after these.
    #[must_use]
    fn and(self, other: Advice) -> Self;
    /// What gain to expect, and how to prove it.
    #[must_use]
    fn expecting(self, gain: impl Into<String>) -> Self;
}

impl AdviceExt for Advice {
    fn now(self, text: impl Into<String>) -> Self {
        step(self, Phase::Now, None, text.into())
    }

    fn persist(self, text: impl Into<String>) -> Self {
        step(self, Phase::Persist, None, text.into())
    }

    fn undo(self, text: impl Into<String>) -> Self {
        step(self, Phase::Undo, None, text.into())
    }

    fn run(self, command: impl Into<String>, text: impl Into<String>) -> Self {
        step(self, Phase::Now, Some(command.into()), text.into())
    }

    fn persist_run(self, command: impl Into<String>, text: impl Into<String>) -> Self {
        step(self, Phase::Persist, Some(command.into()), text.into())
    }

    fn undo_run(self, command: impl Into<String>, text: impl Into<String>) -> Self {
        step(self, Phase::Undo, Some(command.into()), text.into())
    }

    fn risk(mut self, risk: Risk) -> Self {
        if let Some(step) = self.steps.last_mut() {
            step.risk = risk;
        }
        self
    }

    fn needs(mut self, condition: impl Into<String>) -> Self {
        if let Some(step) = self.steps.last_mut() {
            step.needs.push(condition.into());
        }
        self
    }

    fn on(mut self, peer: Option<&str>) -> Self {
        for step in &mut self.steps {
            peer.unwrap_or(HERE).clone_into(&mut step.on);
        }
        self
    }

    fn and(mut self, other: Advice) -> Self {
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

fn step(mut advice: Advice, phase: Phase, run: Option<String>, text: String) -> Advice {
    let step = Step { phase, on: HERE.to_owned(), run, text, risk: Risk::Online, needs: Vec::new() };
    advice.steps.push(step);
    advice
}

/// Raise a limit of a database's owner: for sessions by limits.d, for a service by a systemd drop-in.
pub fn raise_limit(why: &str, owner: &str, item: &str, directive: &str, value: &str) -> Advice {
    const FILE: &str = "/etc/security/limits.d/99-z-fullwire.conf";
    // limits.conf(5) counts memlock in KiB, systemd.exec(5) a bare number in bytes.
    let unit_value = if item == "memlock" { format!("{value}K") } else { value.to_owned() };
    because(why)
        .persist_run(
            sh!(
                "touch {} && sed -i {} {} && echo {} >> {}",
                FILE,
                format!("/^{owner} - {item} /d"),
                FILE,
                format!("{owner} - {item} {value}"),
                FILE
            ),
            format!("Sets {item} for new logins of {owner}"),
        )
        .persist(format!(
            "If systemd starts the database: `systemctl edit` its unit and add {directive}={unit_value} to [Service]; \
             limits.d does not reach services"
        ))
        .persist("Restart the database from a new login or by its unit: a running process keeps its limits")
        .risk(Risk::Downtime)
        .undo_run(
            sh!("test ! -f {} || sed -i {} {}", FILE, format!("/^{owner} - {item} /d"), FILE),
            "Removes the line; takes effect at the next login",
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_gets_locked_memory_with_its_unit_and_counts_without() {
        let unit = |item: &str| {
            let advice = raise_limit("", "oracle", item, "Limit", "237250929");
            let step = advice.steps.iter().find(|step| step.text.contains("[Service]")).cloned();
            step.expect("a step for systemd").text
        };
        assert!(unit("memlock").contains("Limit=237250929K "), "{}", unit("memlock"));
        assert!(unit("nofile").contains("Limit=237250929 "), "{}", unit("nofile"));
    }

    #[test]
    fn risk_and_needs_are_of_the_step_before() {
        let advice = because("why")
            .now("look")
            .run("ip link set dev eth0 mtu 9000", "sets it")
            .risk(Risk::Interrupts)
            .needs("the switch takes it")
            .on(Some("db2:5555"));
        assert_eq!(advice.steps[0].risk, Risk::Online);
        assert_eq!(advice.steps[1].risk, Risk::Interrupts);
        assert_eq!(advice.steps[1].needs, ["the switch takes it"]);
        assert!(advice.steps.iter().all(|step| step.on == "db2:5555"));
    }
}
