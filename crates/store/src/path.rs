//! Where recordings are unless someone says otherwise.

use std::ffi::OsString;
use std::path::PathBuf;

/// Below the state directory.
const RECORDINGS: &str = "fullwire/record";

/// The directory of recordings: `$XDG_STATE_HOME/fullwire/record`, else `~/.local/state/fullwire/record`, else (a service
/// without a home) `/var/lib/fullwire/record`. Relative values are ignored, as the XDG Base Directory Specification demands.
pub(crate) fn default_directory() -> PathBuf {
    choose(std::env::var_os("XDG_STATE_HOME"), std::env::var_os("HOME"), RECORDINGS)
}

fn choose(state: Option<OsString>, home: Option<OsString>, name: &str) -> PathBuf {
    let absolute = |value: Option<OsString>| value.map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute(state)
        .or_else(|| absolute(home).map(|home| home.join(".local/state")))
        .unwrap_or_else(|| PathBuf::from("/var/lib"));
    base.join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_directory_comes_first_then_the_home_then_a_fixed_place() {
        let chosen = |state: Option<&str>, home: Option<&str>| {
            choose(state.map(OsString::from), home.map(OsString::from), RECORDINGS).display().to_string()
        };
        assert_eq!(chosen(Some("/s"), Some("/home/o")), "/s/fullwire/record");
        assert_eq!(chosen(Some("relative"), Some("/home/o")), "/home/o/.local/state/fullwire/record");
        assert_eq!(chosen(None, Some("")), "/var/lib/fullwire/record");
    }
}
