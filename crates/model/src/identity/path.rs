//! What a path is called: the one name by which results, windows, ceilings, findings and answers about it are joined.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The port that a responder listens on when none is given.
pub const DEFAULT_PORT: u16 = 5555;

/// A peer, directory, file or device as the user wrote it: `db2:5555`, `ssh://oracle@db2`, `/u01/oradata`. Statements are
/// about one path where their names are equal. A report that a finding is about is called like its file.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
#[serde(transparent)]
pub struct PathName(String);

impl PathName {
    /// Of no path.
    pub const fn none() -> Self {
        Self(String::new())
    }

    /// A peer as its path is called: `db2`, `db2:5555` and, of addresses, `::1`, `[::1]` and `[::1]:5555` are one.
    pub fn peer(target: &str) -> Self {
        let port = |text: &str| text.parse() == Ok(DEFAULT_PORT);
        let host = target.rsplit_once(':').filter(|(_, text)| port(text)).map_or(target, |(host, _)| host);
        let name = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
            Some(address) => address,
            // Another program's address, the end of a bare IPv6 address, or no host.
            None if host.is_empty() || host.contains(':') => target,
            None => host,
        };
        name.into()
    }

    /// It is of no path: a window without load, a chart of the whole host.
    pub const fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Its [`host_of`].
    pub fn host(&self) -> &str {
        host_of(&self.0)
    }

    /// What is written, and what is looked up by another program's names; nothing of ours is joined by it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The host of a target without scheme, user, port and the brackets of an address: what two spellings of one peer share.
pub fn host_of(target: &str) -> &str {
    let bare = target.split_once("://").map_or(target, |(_, rest)| rest);
    let bare = bare.rsplit_once('@').map_or(bare, |(_, rest)| rest);
    if let Some(v6) = bare.strip_prefix('[') {
        return v6.split(']').next().unwrap_or(v6);
    }
    match bare.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') && port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => bare,
    }
}

impl fmt::Display for PathName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<&str> for PathName {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<String> for PathName {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&Self> for PathName {
    fn from(name: &Self) -> Self {
        name.clone()
    }
}

impl From<PathName> for String {
    fn from(name: PathName) -> Self {
        name.0
    }
}

impl From<&PathName> for String {
    fn from(name: &PathName) -> Self {
        name.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_port_makes_no_other_path() {
        let names = [
            "db2", "db2:5555", "db2:5556", "[::1]:5555", "[::1]", "[::1]:5556", "::1", "fe80::5555", ":5555",
        ];
        let expected = ["db2", "db2", "db2:5556", "::1", "::1", "[::1]:5556", "::1", "fe80::5555", ":5555"];
        assert_eq!(names.map(PathName::peer), expected.map(PathName::from));
        let others = ["iperf3://db2:5555", "ssh://o@db2"];
        assert_eq!(others.map(PathName::peer), others.map(PathName::from));
    }

    #[test]
    fn the_host_is_what_spellings_of_one_peer_share() {
        for target in ["db2", "db2:5556", "o@db2", "ssh://o@db2:22", "iperf3://db2"] {
            assert_eq!(host_of(target), "db2", "{target}");
        }
        for target in ["fe80::5555", "[fe80::5555]", "[fe80::5555]:22", "ssh://o@[fe80::5555]:22"] {
            assert_eq!(host_of(target), "fe80::5555", "{target}");
        }
    }

    #[test]
    fn in_json_it_is_the_text_that_the_user_wrote() {
        let name = PathName::from("ssh://oracle@db2:22");
        let text = serde_json::to_string(&name).expect("JSON");
        assert_eq!(text, r#""ssh://oracle@db2:22""#);
        assert_eq!(serde_json::from_str::<PathName>(&text).expect("read back"), name);
    }
}
