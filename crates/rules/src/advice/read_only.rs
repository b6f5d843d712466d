//! Remedies for a host whose files of settings are on a file system that is mounted read-only: an appliance, an image.
//!
//! Source: mount(8) (`ro`); access(2) (`EROFS`: asking whether such a file can be written fails for root, too).

use super::sh;
use fullwire_model::assessment::{Check, Finding, Step};
use fullwire_model::host::{Host, Mount};

/// Each step that changes a file there says so, and asks first.
pub(crate) fn on_read_only(host: &Host, findings: &mut [Finding]) {
    let steps = findings.iter_mut().flat_map(|finding| &mut finding.advice.steps);
    for step in steps.filter(|step| step.is_here() && step.run.is_some()) {
        if let Some(mount) = read_only(host, step) {
            step.checks.push(Check {
                run: sh!("test -w {}", mount.target),
                text: format!(
                    "{} can be written: it is mounted read-only, so change the image that this host starts from, or remount it for this",
                    mount.target
                ),
            });
        }
    }
}

fn read_only<'a>(host: &'a Host, step: &Step) -> Option<&'a Mount> {
    let mut mounts = step.writes.iter().filter_map(|path| host.mount_of(path));
    mounts.find(|mount| mount.options.iter().any(|option| option == "ro"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::set_sysctl;
    use fullwire_model::assessment::{Layer, Severity};
    use fullwire_model::subject::Kind;

    #[test]
    fn what_writes_below_a_read_only_root_asks_first() {
        let mount = |target: &str, option: &str| Mount {
            target: target.into(),
            options: vec![option.into()],
            ..Mount::default()
        };
        let mut host = Host { mounts: vec![mount("/", "ro")], ..Host::default() };
        let asks = |host: &Host| {
            let advice = set_sysctl(host, "vm.swappiness", "10", "", "");
            let subject = Kind::Disk.named("sda");
            let finding = Finding::new("", Severity::Info, Layer::Host, subject, "");
            let mut findings = [Finding { advice, ..finding }];
            on_read_only(host, &mut findings);
            let steps = findings[0].advice.steps.iter();
            let asked = steps.filter(|step| step.checks.iter().any(|check| check.text.contains("read-only")));
            asked.map(|step| step.writes.concat()).collect::<Vec<_>>()
        };
        let asked = asks(&host);
        assert!(
            !asked.is_empty() && asked.iter().all(|file| file.starts_with("/etc/sysctl.d/")),
            "{asked:?}"
        );
        host.mounts.push(mount("/etc", "rw"));
        assert!(asks(&host).is_empty(), "/etc is another file system");
    }
}
