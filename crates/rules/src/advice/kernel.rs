//! What the running kernel can do.

use super::{AdviceExt, because};
use fullwire_model::assessment::Advice;
use fullwire_model::host::Host;

/// tuned sets what its profile has when it starts, after udev and the kernel's command line: no step where none is active.
pub(crate) fn tuned_too(host: &Host, option: &str) -> Advice {
    match host.tuned_profile.as_deref().filter(|profile| !profile.is_empty()) {
        None => Advice::default(),
        Some(profile) => because("").persist(format!(
            "tuned starts later and wins: where its profile {profile}, or one that this includes, has {option} \
             (`grep -r` in /etc/tuned and /usr/lib/tuned), set it in a profile of your own that includes {profile}"
        )),
    }
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
