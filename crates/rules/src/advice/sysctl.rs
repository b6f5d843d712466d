//! Kernel parameters: now, so that they win at the next boot, and back. In which order files are read: sysctl(8),
//! `--system`; sysctl.d(5). That tuned reads them again after its profile: redhat-performance/tuned, `tuned-main.conf`
//! (`reapply_sysctl = 1`) and `plugin_sysctl.py`.

use super::lines::Lines;
use super::{AdviceExt, as_word, because, sh};
use fullwire_model::assessment::{Advice, Finding, Phase, ShellCommand, Step};
use fullwire_model::host::Host;
use std::collections::{BTreeMap, BTreeSet};

/// Files are applied in the order of their names: this comes after the distribution's `99-sysctl.conf` and after what
/// Oracle's preinstall package leaves (`97-oracle-database-sysctl.conf`).
const FILE: &str = "/etc/sysctl.d/99-z-fullwire.conf";
/// Its name, by which it has its turn.
const NAME: &str = "99-z-fullwire.conf";

/// Set a kernel parameter: now, after a reboot, and back.
pub fn set_sysctl(host: &Host, name: &str, value: &str, why: &str, expect: &str) -> Advice {
    set_sysctls(host, &[(name, value.to_owned())], why, expect)
}

/// Set kernel parameters that belong together, in this order. A dot within an interface's name is a slash in the key
/// (`net.ipv4.conf.bond0/100.rp_filter`), as in sysctl.d(5).
pub fn set_sysctls(host: &Host, settings: &[(&str, String)], why: &str, expect: &str) -> Advice {
    let now = settings.iter().fold(because(why).expecting(expect), |advice, (name, value)| {
        advice.run(set_now(name, value), format!("Sets {name} until the next boot"))
    });
    let kept = settings.iter().fold(now, |advice, (name, value)| keep(advice, host, name, value));
    settings.iter().rev().fold(kept, |advice, (name, _)| undo(advice, host, name))
}

fn set_now(name: &str, value: &str) -> ShellCommand {
    sh!("sysctl -w {}={}", name, value)
}

/// The kernel writes a tab between the numbers of one value.
fn is_set(name: &str, value: &str) -> ShellCommand {
    sh!("test \"$(sysctl -n {} | tr '\\t' ' ')\" = {}", name, value)
}

fn keep_line(name: &str, value: &str) -> ShellCommand {
    lines_of(name).put(&format!("{name} = {value}"))
}

/// What a step sets now: key and value.
fn set_by(step: &Step) -> Option<(&str, &str)> {
    let (name, value) = step.run.as_deref()?.strip_prefix("sysctl -w ")?.split_once('=')?;
    let value = value.trim_matches('\'');
    (step.phase == Phase::Now && set_now(name, value) == *step.run.as_ref()?).then_some((name, value))
}

/// Rules raise one key by what each of them sees. All advice of a report names one value for a key of a host, the
/// largest: whoever follows it in any order ends with what every rule asks for.
pub(crate) fn agree(findings: &mut [Finding]) {
    let mut wanted: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for step in findings.iter().flat_map(|finding| &finding.advice.steps) {
        if let Some((name, value)) = set_by(step) {
            wanted.entry((step.on.clone(), name.to_owned())).or_default().insert(value.to_owned());
        }
    }
    wanted.retain(|_, values| values.len() > 1);
    for ((on, name), values) in &wanted {
        let Some(largest) = largest(values) else { continue };
        let steps = findings.iter_mut().flat_map(|finding| &mut finding.advice.steps);
        for step in steps.filter(|step| step.on == *on && step.phase != Phase::Undo) {
            for value in values {
                for command in [set_now, keep_line, is_set, is_kept] {
                    let of_step = [&mut step.run, &mut step.read_back];
                    let same = |one: &&mut ShellCommand| **one == command(name, value);
                    of_step.into_iter().flatten().filter(same).for_each(|one| *one = command(name, &largest));
                }
            }
        }
    }
}

/// Of each of the numbers the largest (`net.ipv4.tcp_rmem` has three); `None`: they are no numbers, or not as many.
fn largest(values: &BTreeSet<String>) -> Option<String> {
    let numbers = |value: &String| -> Option<Vec<u64>> {
        value.split_whitespace().map(|number| number.parse().ok()).collect()
    };
    let mut all = values.iter().map(numbers);
    let first = all.next()??;
    let largest = all.try_fold(first, |largest, own| {
        let own = own.filter(|own| own.len() == largest.len())?;
        Some(largest.iter().zip(own).map(|(one, other)| other.max(*one)).collect())
    });
    Some(crate::facts::words::numbers(&largest?))
}

fn keep(advice: Advice, host: &Host, name: &str, value: &str) -> Advice {
    let advice = advice
        .persist_run(
            keep_line(name, value),
            format!("Keeps {name} after a reboot; replaces an earlier line of this file"),
        )
        .reads_back(is_kept(name, value));
    let advice = match host.tuned_profile.as_deref().filter(|profile| !profile.is_empty()) {
        None => advice,
        Some(profile) => advice.check(
            REAPPLIES,
            format!(
                "tuned reads sysctl.d again after it has set its profile {profile} (reapply_sysctl = 1 in /etc/tuned/tuned-main.conf; \
                 an older tuned does not): else the profile wins, and {name} belongs in a profile of your own that includes {profile}"
            ),
        ),
    };
    let advice = advice
        .persist_run(
            sh!(
                "grep -rnsE {} /etc/sysctl.conf /etc/sysctl.d /run/sysctl.d /usr/local/lib/sysctl.d /usr/lib/sysctl.d /etc/tuned /usr/lib/tuned || true",
                format!("^[[:space:]]*-?{}[[:space:]]*=", pattern(name))
            ),
            format!(
                "Shows every file that sets {name}. They are read in the order of their names, and `sysctl --system` \
                 reads /etc/sysctl.conf last: change {name} also in a file that is read after {NAME}"
            ),
        )
        .looks();
    let advice = match module_of(name) {
        None => advice,
        Some(module) => {
            let file = format!("/etc/modules-load.d/fullwire-{module}.conf");
            advice
                .persist_run(
                    sh!("echo {} > {}", module, file),
                    format!("Loads {module} before the settings are read at boot: later, it would have its own value"),
                )
                .undo_persist_run(sh!("rm -f {}", file), format!("Leaves the loading of {module} to who needs it"))
        }
    };
    match read_later(host, name) {
        None => advice,
        Some(line) => advice.persist(format!(
            "Change {name} in {line} as well: that file is read after {NAME} and wins at the next boot"
        )),
    }
}

/// A module that has a key. A key that is not there when the files are read is not set, and no firewall has been started
/// then (sysctl.d(5), examples; modules-load.d(5)).
fn module_of(name: &str) -> Option<&'static str> {
    name.starts_with("net.netfilter.nf_conntrack_").then_some("nf_conntrack")
}

/// tuned's default file has had the option since it exists.
const REAPPLIES: &str = "grep -qE '^[[:space:]]*reapply_sysctl[[:space:]]*=[[:space:]]*(1|yes|true|on)' /etc/tuned/tuned-main.conf";

/// The next boot will set it: the line is in the file, no file that is read later has another, nor has /etc/sysctl.conf,
/// which `sysctl --system` reads last.
fn is_kept(name: &str, value: &str) -> ShellCommand {
    let line = format!("{name} = {value}");
    let any = format!("^[[:space:]]*-?{}[[:space:]]*=", pattern(name));
    sh!(
        "grep -qxF {} {} && test \"$(grep -lsE {} /etc/sysctl.d/*.conf /run/sysctl.d/*.conf /usr/local/lib/sysctl.d/*.conf /usr/lib/sysctl.d/*.conf | sed 's|.*/||' | LC_ALL=C sort | tail -n 1)\" = {} && ! grep -qsE {} /etc/sysctl.conf",
        line,
        FILE,
        any,
        NAME,
        any
    )
}

/// `FILE:LINE` that sets a key at boot and is read after [`FILE`].
fn read_later<'a>(host: &'a Host, name: &str) -> Option<&'a str> {
    let line = host.sysctl_files.get(name)?;
    let file = line.rsplit_once(':').map_or(line.as_str(), |(file, _)| file);
    let last = file.rsplit('/').next().unwrap_or(file);
    (file == "/etc/sysctl.conf" || last > NAME).then_some(line.as_str())
}

fn undo(advice: Advice, host: &Host, name: &str) -> Advice {
    let before = host.sysctl(name).map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    let advice = match (before, pair_of(name)) {
        // The kernel takes no 0 for these: the other of the pair takes effect when it is set (kernel/sysctl.c).
        (Some(before), Some(ratio)) if before == "0" => match host.sysctl(ratio) {
            Some(percent) => advice.undo_run(
                sh!("sysctl -w {}={}", ratio, percent.trim()),
                format!("Makes {ratio} effective again"),
            ),
            None => advice.undo(format!("Set {ratio} to the value that it had: it replaces {name}")),
        },
        (Some(before), _) => {
            advice.undo_run(sh!("sysctl -w {}={}", name, before), format!("Sets {name} back to what it was"))
        }
        (None, _) => advice.undo(format!(
            "Note the value before the change (`sysctl {name}`) and set it again",
            name = as_word(name)
        )),
    };
    advice.undo_persist_run(lines_of(name).remove(), format!("Removes the permanent setting of {name}"))
}

/// The parameter that is in force while this one is 0.
fn pair_of(name: &str) -> Option<&'static str> {
    match name {
        "vm.dirty_bytes" => Some("vm.dirty_ratio"),
        "vm.dirty_background_bytes" => Some("vm.dirty_background_ratio"),
        _ => None,
    }
}

fn lines_of(name: &str) -> Lines {
    Lines::of(FILE, "\\|^{}[ =]|d", &[name])
}

fn pattern(name: &str) -> String {
    // A key may be written with slashes (sysctl.d(5)).
    name.replace('.', "[./]")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A key whose module is not loaded when the files are read is not set at boot.
    #[test]
    fn the_module_of_a_key_is_loaded_before_the_files_are_read() {
        let mut host = Host { tuned_profile: Some("oracle".into()), ..Host::default() };
        host.sysctls.insert("net.netfilter.nf_conntrack_max".into(), "65536".into());
        let loads = |name: &str| {
            let advice = set_sysctl(&host, name, "131072", "", "");
            let runs = |phase| advice.phase(phase).filter_map(|step| step.run.as_deref()).collect::<String>();
            assert!(advice.phase(Phase::Undo).all(|step| step.checks.is_empty()));
            [Phase::Persist, Phase::Undo].map(|phase| runs(phase).contains("/etc/modules-load.d/"))
        };
        assert_eq!(loads("net.netfilter.nf_conntrack_max"), [true, true]);
        assert_eq!(loads("net.core.rmem_max"), [false, false]);
    }
    use fullwire_model::assessment::Phase;
    use std::process::Command;

    fn runs(advice: &Advice, phase: Phase) -> Vec<String> {
        advice.phase(phase).filter_map(|step| Some(step.run.as_ref()?.to_string())).collect()
    }

    fn host(settings: &[(&str, &str)]) -> Host {
        let sysctls = settings.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Host { sysctls, ..Host::default() }
    }

    /// The file's commands, run on a file in a folder of the test.
    #[test]
    fn each_key_is_kept_beside_the_others_and_replaced_by_itself() {
        let folder = std::env::temp_dir().join(format!("fullwire-sysctl-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("99-z-fullwire.conf");
        for (name, value) in [
            ("net.ipv4.conf.eth1.rp_filter", "2"),
            ("net.ipv4.conf.eth2.rp_filter", "2"),
            ("net.core.rmem_max", "4194304"),
            ("net.core.rmem_max", "8388608"),
            ("net.ipv4.conf.bond0/100.rp_filter", "2"),
        ] {
            let advice = set_sysctl(&host(&[]), name, value, "", "");
            let write = runs(&advice, Phase::Persist)[0].replace(FILE, file.to_str().unwrap());
            assert!(Command::new("sh").args(["-c", &write]).status().unwrap().success(), "{write}");
        }
        let kept = std::fs::read_to_string(&file).unwrap();
        let undo = runs(&set_sysctl(&host(&[]), "net.core.rmem_max", "1", "", ""), Phase::Undo);
        let undo = undo.last().unwrap().replace(FILE, file.to_str().unwrap());
        assert!(Command::new("sh").args(["-c", &undo]).status().unwrap().success(), "{undo}");
        let undone = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(
            kept,
            "net.ipv4.conf.eth1.rp_filter = 2\nnet.ipv4.conf.eth2.rp_filter = 2\nnet.core.rmem_max = 8388608\n\
             net.ipv4.conf.bond0/100.rp_filter = 2\n"
        );
        assert_eq!(undone.lines().count(), 3, "{undone}");
    }

    /// An interface may be called so, and sed would run what stands behind `e`.
    #[test]
    fn a_name_that_means_something_to_sed_makes_no_command() {
        let advice = set_sysctl(&host(&[]), "net.ipv4.conf.a|eid>M;#.rp_filter", "2", "", "");
        assert!(
            advice.phase(Phase::Persist).any(|step| step.run.is_none()),
            "a person writes it: {advice:?}"
        );
        let mut runs = advice.steps.iter().filter_map(|step| step.run.as_ref());
        assert!(runs.all(|run| !run.contains("sed -i")), "{advice:?}");
    }

    #[test]
    fn the_file_comes_after_all_that_distributions_leave() {
        for other in ["97-oracle-database-sysctl.conf", "98-local.conf", "99-sysctl.conf"] {
            assert!(FILE > format!("/etc/sysctl.d/{other}").as_str(), "{other}");
        }
    }

    #[test]
    fn where_the_key_is_set_elsewhere_is_told() {
        let mut host = host(&[("vm.swappiness", "60")]);
        host.tuned_profile = Some("oracle".into());
        let advice = set_sysctl(&host, "vm.swappiness", "10", "", "");
        assert!(runs(&advice, Phase::Persist)[1].starts_with("grep -rnsE '^[[:space:]]*-?vm[./]swappiness"));
        let kept = advice.phase(Phase::Persist).next().expect("a step");
        assert!(kept.checks.iter().any(|check| check.text.contains("reapply_sysctl = 1")));
        assert_eq!(runs(&advice, Phase::Undo)[0], "sysctl -w vm.swappiness=60");
    }

    #[test]
    fn a_file_that_is_read_after_ours_is_named() {
        let told = |line: &str| {
            let mut host = host(&[("vm.swappiness", "60")]);
            host.sysctl_files.insert("vm.swappiness".into(), line.into());
            let advice = set_sysctl(&host, "vm.swappiness", "10", "", "");
            advice.phase(Phase::Persist).any(|step| step.text.contains(line))
        };
        assert!(told("/etc/sysctl.d/99-zz-db.conf:3") && told("/etc/sysctl.conf:1"));
        assert!(!told("/etc/sysctl.d/99-sysctl.conf:2") && !told("/usr/lib/sysctl.d/50-default.conf:9"));
    }

    #[test]
    fn bytes_of_0_go_back_to_the_ratio() {
        let host = host(&[("vm.dirty_background_bytes", "0"), ("vm.dirty_background_ratio", "15")]);
        let advice = set_sysctl(&host, "vm.dirty_background_bytes", "67108864", "", "");
        assert_eq!(runs(&advice, Phase::Undo)[0], "sysctl -w vm.dirty_background_ratio=15");
    }
}
