//! What the running kernel can do.

use fullwire_model::assessment::{Advice, Check, Phase};
use fullwire_model::host::Host;
use fullwire_model::sh;

/// What keeps a setting counts only where tuned's profile, or one that it includes, does not have it: tuned starts after
/// udev and reads no command line of the kernel (tuned.conf(5), `include`).
pub(crate) fn unless_tuned(host: &Host, key: &str, mut advice: Advice) -> Advice {
    let Some(profile) = host.tuned_profile.as_deref().filter(|profile| !profile.is_empty()) else {
        return advice;
    };
    let files = sh!(
        "cat /etc/tuned/$p/tuned.conf /usr/lib/tuned/$p/tuned.conf /usr/lib/tuned/profiles/$p/tuned.conf 2> /dev/null"
    );
    // Several profiles may be in use at once, and a profile may include several (tuned-adm(8), tuned.conf(5)).
    let run = sh!(
        "p={}; n=0; set -- $p; while test $# -gt 0 && test $n -lt 20; do n=$((n + 1)); p=$1; shift; {} | grep -qE {} && exit 1; set -- \"$@\" $({} | sed -n 's/^include *= *//p' | tr ',;' '  '); done; true",
        profile,
        files.clone(),
        format!("^ *{key} *="),
        files
    );
    let text = format!(
        "no profile of tuned's in use ({profile} and what it includes) sets {key}: tuned starts later and wins; otherwise set it in a profile of your own that includes {profile}"
    );
    for step in advice.steps.iter_mut().filter(|step| step.phase == Phase::Persist && step.run.is_some()) {
        step.checks.push(Check { run: sh!("({})", run.clone()), text: text.clone() });
    }
    advice
}

/// The mount option `nconnect` is known (Linux 5.3, and Red Hat's 4.18 from 8.3 on); `None`: the release is not known.
pub(crate) fn nconnect(host: &Host) -> Option<bool> {
    let release = host.os.kernel_release.as_str();
    let (version, rest) = release.split_once('-').unwrap_or((release, ""));
    let mut numbers = version.split('.').map_while(|part| part.parse::<u32>().ok());
    let (major, minor) = (numbers.next()?, numbers.next()?);
    let red_hat_8 = release.contains(".el8") && (major, minor) == (4, 18);
    let build = rest.split('.').next().and_then(|build| build.parse::<u32>().ok());
    Some((major, minor) >= (5, 3) || red_hat_8 && build.is_some_and(|build| build >= 240))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::{AdviceExt, because};

    /// As a shell finds it, in a profile that the second of those in use includes.
    #[test]
    fn what_tuned_sets_itself_is_not_kept_elsewhere() {
        let mut host = Host::default();
        let kept = || because("").persist_run("true", "keeps it");
        assert!(unless_tuned(&host, "elevator", kept()).steps[0].checks.is_empty());
        host.tuned_profile = Some("first own".into());
        let folder = tempfile::tempdir().expect("a folder");
        let profile = |name: &str, text: &str| {
            std::fs::create_dir_all(folder.path().join(name)).expect("a folder");
            std::fs::write(folder.path().join(name).join("tuned.conf"), text).expect("a file");
        };
        profile("first", "[main]\n");
        profile("own", "[main]\ninclude=absent, base\n");
        profile("base", "[disk]\nelevator = noop\n");
        let holds = |key: &str| {
            let advice = unless_tuned(&host, key, kept());
            let run =
                advice.steps[0].checks[0].run.replace("/etc/tuned", folder.path().to_str().expect("a path"));
            std::process::Command::new("sh").args(["-c", &run]).status().expect("sh").success()
        };
        assert!(holds("readahead") && !holds("elevator"));
    }

    #[test]
    fn kernels_that_know_nconnect() {
        let of = |release: &str| {
            let mut host = Host::default();
            host.os.kernel_release = release.into();
            nconnect(&host)
        };
        assert_eq!(of("5.15.0-105-generic"), Some(true));
        assert_eq!(of("5.3.18-59-default"), Some(true));
        assert_eq!(of("5.2.0"), Some(false));
        assert_eq!(of("3.10.0-1160.el7.x86_64"), Some(false));
        assert_eq!(of("4.18.0-193.el8.x86_64"), Some(false));
        assert_eq!(of("4.18.0-240.1.1.el8_3.x86_64"), Some(true));
        assert_eq!(of(""), None);
    }
}
