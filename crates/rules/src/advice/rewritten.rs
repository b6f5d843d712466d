//! Files below `/etc` that something else writes: what is changed beside it lasts until its next run.

use fullwire_model::assessment::{Finding, Phase, Step};
use fullwire_model::host::Host;

/// What is asked before a permanent change, by the name of what manages the files. Sources: Puppet documentation,
/// "Configuration: runinterval" (30 minutes); Salt documentation, "Highstate"; Chef Infra documentation, "chef-client (executable)";
/// `CFEngine` documentation, "cf-execd" (5 minutes); Red Hat `OpenShift` documentation, "Using the Node Tuning Operator" and
/// "Understanding the Machine Config Operator" (configuration drift); `NixOS` manual, "Changing the Configuration"; saptune(8).
const MANAGERS: [(&str, &str); 7] = [
    (
        "puppet",
        "Puppet's code has the change too: its agent writes what it manages anew, each half hour as a rule",
    ),
    ("salt", "the Salt state has the change too: the next highstate writes what it manages anew"),
    ("chef", "the Chef recipe has the change too: the client's next run writes what it manages anew"),
    ("cfengine", "CFEngine's policy has the change too: cf-agent writes what it manages anew within minutes"),
    (
        "machine-config",
        "it cannot be done for the whole pool: of OpenShift a Tuned profile of the Node Tuning Operator or a MachineConfig sets it for each node, and a change of one node is lost with that node",
    ),
    (
        "nixos",
        "it is not set in /etc/nixos/configuration.nix, where it belongs: nixos-rebuild makes /etc anew",
    ),
    ("saptune", "no note of saptune sets it (`saptune note verify`): its service applies them at each start"),
];

/// Said of the first change where the history of `/etc` is kept.
const HISTORY: &str = ". Commit it: /etc is under version control (`git -C /etc status`; etckeeper)";

/// Where own settings go on a host whose software writes `/etc/multipath.conf` anew at its updates. Sources: xapi-project/sm,
/// pull request 600 (the head of `/etc/multipath.conf` since 2023: own settings belong into `/etc/multipath/conf.d`, which has a `custom.conf` for them); Red Hat Virtualization 4.4, "Customizing Multipath
/// Configurations for SAN Vendors" (VDSM owns the file).
const OWN_MULTIPATH: &str = "/etc/multipath/conf.d/custom.conf";

fn has_multipath_of_its_own(host: &Host) -> bool {
    ["xcp-ng", "xenenterprise", "xenserver"].contains(&host.os.distribution.as_str())
        || host.processes.iter().any(|process| process.name == "vdsmd")
}

/// Each permanent change of a file below `/etc` asks for what manages such files.
pub(crate) fn with_settings_managers(host: &Host, findings: &mut [Finding]) {
    let known = |name: &str| host.management.settings.contains_key(name);
    let asked: Vec<&str> = MANAGERS.iter().filter(|(name, _)| known(name)).map(|(_, asked)| *asked).collect();
    if has_multipath_of_its_own(host) {
        for step in findings.iter_mut().flat_map(|finding| &mut finding.advice.steps) {
            step.text = step.text.replace("/etc/multipath.conf", OWN_MULTIPATH);
        }
    }
    for finding in findings {
        let mut steps = finding.advice.steps.iter_mut().filter(|step| keeps(step)).peekable();
        if let Some(first) = steps.peek_mut().filter(|_| known("git")) {
            first.text += HISTORY;
        }
        for step in steps {
            step.needs.extend(asked.iter().map(|text| (*text).to_owned()));
        }
    }
}

/// It changes a file there, or names one that a person changes.
fn keeps(step: &Step) -> bool {
    let names = step.run.is_none() && step.text.contains("/etc/");
    let writes = step.writes.iter().any(|file| file.starts_with("/etc/"));
    step.is_here() && step.phase == Phase::Persist && (writes || names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::set_sysctl;
    use fullwire_model::assessment::{Layer, Severity};
    use fullwire_model::host::Os;
    use fullwire_model::subject::Kind;

    fn told(manager: &str) -> Vec<(Phase, String, String)> {
        let mut host = Host::default();
        host.management.settings.insert(manager.into(), "a file".into());
        let subject = Kind::Setting.named("net.ipv4.tcp_sack");
        let finding = Finding::new("", Severity::Warning, Layer::Host, subject, "");
        let advice = set_sysctl(&host, "net.ipv4.tcp_sack", "1", "0", "");
        let mut findings = [Finding { advice, ..finding }];
        with_settings_managers(&host, &mut findings);
        let steps = findings[0].advice.steps.iter().filter(|step| step.run.is_some());
        steps.map(|step| (step.phase, step.text.clone(), step.needs.join(" "))).collect()
    }

    /// XCP-ng and oVirt write `/etc/multipath.conf` anew; what stands beside it stays.
    #[test]
    fn a_multipath_conf_that_is_the_vendors_is_left_alone() {
        let told = |distribution: &str| {
            let host =
                Host { os: Os { distribution: distribution.into(), ..Os::default() }, ..Host::default() };
            let finding = Finding::new("", Severity::Warning, Layer::Storage, Kind::Disk.named("dm-0"), "");
            let advice = crate::advice::group_paths(&[]);
            let mut findings = [Finding { advice, ..finding }];
            with_settings_managers(&host, &mut findings);
            findings[0].advice.steps[0].text.clone()
        };
        assert!(told("xcp-ng").starts_with("In /etc/multipath/conf.d/custom.conf, section devices"));
        assert!(told("rhel").starts_with("In /etc/multipath.conf, section devices"));
    }

    /// What Puppet writes anew within half an hour is not "kept after a reboot".
    #[test]
    fn what_writes_the_files_anew_is_asked_for() {
        for (name, asked) in MANAGERS {
            let steps = told(name);
            let kept: Vec<_> = steps.iter().filter(|(.., needs)| needs == asked).collect();
            assert!(kept.len() == 1 && kept[0].0 == Phase::Persist, "{name}: {steps:?}");
        }
    }

    /// Nobody is asked: the change is right, and its history is kept.
    #[test]
    fn the_history_of_etc_is_continued() {
        let steps = told("git");
        let said: Vec<_> = steps.iter().filter(|(_, text, _)| text.ends_with(HISTORY)).collect();
        assert!(said.len() == 1 && said[0].0 == Phase::Persist, "{steps:?}");
        assert!(steps.iter().all(|(.., needs)| needs.is_empty()));
        assert!(told("none").iter().all(|(_, text, needs)| !text.contains("Commit") && needs.is_empty()));
    }
}
