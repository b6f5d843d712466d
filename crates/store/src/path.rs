//! Where the store is unless someone says otherwise.

use std::ffi::OsString;
use std::path::PathBuf;

/// Below the state directory.
const FILE: &str = "fullwire/runs.db";

/// Below the state directory.
const RECORDINGS: &str = "fullwire/record";

/// `$XDG_STATE_HOME/fullwire/runs.db`, else `~/.local/state/fullwire/runs.db`, else (a service without a home)
/// `/var/lib/fullwire/runs.db`. Relative values are ignored, as the XDG Base Directory Specification demands.
pub fn default_path() -> PathBuf {
    choose(std::env::var_os("XDG_STATE_HOME"), std::env::var_os("HOME"), FILE)
}

/// The directory of recordings, next to the store.
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
            choose(state.map(OsString::from), home.map(OsString::from), FILE).display().to_string()
        };
        assert_eq!(chosen(Some("/s"), Some("/home/o")), "/s/fullwire/runs.db");
        assert_eq!(chosen(Some("relative"), Some("/home/o")), "/home/o/.local/state/fullwire/runs.db");
        assert_eq!(chosen(None, Some("")), "/var/lib/fullwire/runs.db");
    }
}
