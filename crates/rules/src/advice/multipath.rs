//! Settings of multipathd.

use super::{AdviceExt, because};
use fullwire_model::assessment::{Advice, Risk};
use fullwire_model::host::Host;

/// The command that shows the paths of this host's maps.
pub fn show_paths(host: &Host) -> &'static str {
    let powerpath = host.multipath.iter().filter(|map| map.is_powerpath()).count();
    if powerpath > 0 && powerpath == host.multipath.len() {
        "powermt display dev=all"
    } else {
        "multipath -ll"
    }
}

/// Set options of `/etc/multipath.conf` where they win: the built-in section of an array beats `defaults`, and
/// `overrides` beats both (multipath.conf(5)).
pub fn override_multipath(why: &str, settings: &str) -> Advice {
    because(why)
        .now(format!(
            "In /etc/multipath.conf, section overrides: {settings}. In defaults, multipath-tools' own section for the \
             array would win"
        ))
        .run("multipath -t > /dev/null", "Checks that the file can be read")
        .run("multipathd reconfigure", "Applies it; maps stay in use")
        .needs("no path is failing at the moment: `multipathd show paths` lists all as active ready")
        .persist("The file is permanent; rebuild the initramfs if it contains a copy of multipath.conf")
        .undo("Remove the lines from overrides, then `multipathd reconfigure`")
        .risk(Risk::Online)
}
