//! Kernel parameters: now, so that they win at the next boot, and back.

use super::{AdviceExt, because, sh};
use fullwire_model::assessment::Advice;
use fullwire_model::host::Host;

/// Files are applied in the order of their names: this comes after the distribution's `99-sysctl.conf` and after what
/// Oracle's preinstall package leaves (`97-oracle-database-sysctl.conf`).
const FILE: &str = "/etc/sysctl.d/99-z-fullwire.conf";

/// Set a kernel parameter: now, after a reboot, and back.
pub fn set_sysctl(host: &Host, name: &str, value: &str, why: &str, expect: &str) -> Advice {
    set_sysctls(host, &[(name, value.to_owned())], why, expect)
}

/// Set kernel parameters that belong together, in this order. A dot within an interface's name is a slash in the key
/// (`net.ipv4.conf.bond0/100.rp_filter`), as in sysctl.d(5).
pub fn set_sysctls(host: &Host, settings: &[(&str, String)], why: &str, expect: &str) -> Advice {
    let now = settings.iter().fold(because(why).expecting(expect), |advice, (name, value)| {
        advice.run(sh!("sysctl -w {}={}", name, value), format!("Sets {name} until the next boot"))
    });
    let kept = settings.iter().fold(now, |advice, (name, value)| keep(advice, host, name, value));
    settings.iter().rev().fold(kept, |advice, (name, _)| undo(advice, host, name))
}

fn keep(advice: Advice, host: &Host, name: &str, value: &str) -> Advice {
    let line = format!("{name} = {value}");
    let advice = advice
        .persist_run(
            sh!("touch {} && sed -i {} {} && echo {} >> {}", FILE, deleted(name), FILE, line, FILE),
            format!("Keeps {name} after a reboot; replaces an earlier line of this file"),
        )
        .persist_run(
            sh!(
                "grep -rnsE {} /etc/sysctl.conf /etc/sysctl.d /run/sysctl.d /usr/lib/sysctl.d /etc/tuned /usr/lib/tuned || true",
                format!("^[[:space:]]*-?{}[[:space:]]*=", pattern(name))
            ),
            format!(
                "Shows every file that sets {name}: /etc/sysctl.conf and the active tuned profile are applied later and \
                 win, so change it there as well"
            ),
        );
    match host.tuned_profile.as_deref().filter(|profile| !profile.is_empty()) {
        None => advice,
        Some(profile) => advice.persist(format!(
            "tuned applies its profile {profile} after sysctl.d: if the profile sets {name}, change it in your own profile that includes {profile}"
        )),
    }
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
        (None, _) => {
            advice.undo(format!("Note the value before the change (`sysctl {name}`) and set it again"))
        }
    };
    advice.undo_run(
        sh!("test ! -f {} || sed -i {} {}", FILE, deleted(name), FILE),
        format!("Removes the permanent setting of {name}"),
    )
}

/// The parameter that is in force while this one is 0.
fn pair_of(name: &str) -> Option<&'static str> {
    match name {
        "vm.dirty_bytes" => Some("vm.dirty_ratio"),
        "vm.dirty_background_bytes" => Some("vm.dirty_background_ratio"),
        _ => None,
    }
}

/// sed's command that deletes the lines of a key.
fn deleted(name: &str) -> String {
    format!("\\|^{}[ =]|d", pattern(name))
}

fn pattern(name: &str) -> String {
    name.replace('.', "\\.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::assessment::Phase;
    use std::process::Command;

    fn runs(advice: &Advice, phase: Phase) -> Vec<String> {
        advice.phase(phase).filter_map(|step| step.run.clone()).collect()
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
        assert!(runs(&advice, Phase::Persist)[1].starts_with("grep -rnsE '^[[:space:]]*-?vm\\.swappiness"));
        assert!(advice.phase(Phase::Persist).any(|step| step.text.contains("profile oracle after sysctl.d")));
        assert_eq!(runs(&advice, Phase::Undo)[0], "sysctl -w vm.swappiness=60");
    }

    #[test]
    fn bytes_of_0_go_back_to_the_ratio() {
        let host = host(&[("vm.dirty_background_bytes", "0"), ("vm.dirty_background_ratio", "15")]);
        let advice = set_sysctl(&host, "vm.dirty_background_bytes", "67108864", "", "");
        assert_eq!(runs(&advice, Phase::Undo)[0], "sysctl -w vm.dirty_background_ratio=15");
    }
}
