//! Hosts as a user writes them: `[NAME=]SSH-TARGET[,NETWORK=ADDRESS]…`, or one a line in a file.

use fullwire_model::host_of;
use std::collections::{BTreeSet, HashSet};

/// The network of a host that names none.
pub const ONLY_NETWORK: &str = "data";

/// Most hosts of one mesh over ssh: beyond that one process with one session each is the wrong engine.
pub const MOST_HOSTS: usize = 200;

/// A host to be measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostSpec {
    /// What it is called in the matrix.
    pub name: String,
    /// `ssh://[USER@]HOST[:PORT]`.
    pub target: String,
    /// Its address on each network, in the order given; empty: the one that ssh uses.
    pub addresses: Vec<(String, String)>,
}

/// What is wrong with a list of hosts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HostsError {
    /// A field that is neither a target nor an address.
    #[error("{given}: expected [NAME=][USER@]HOST[:PORT][,NETWORK=ADDRESS]…")]
    Malformed {
        /// As typed.
        given: String,
    },
    /// Two hosts of one name.
    #[error("{name}: two hosts have this name; rename one with NAME=HOST")]
    Twice {
        /// The name.
        name: String,
    },
    /// Nothing to pair.
    #[error("a mesh has two hosts or more, and here {count} given")]
    TooFew {
        /// As a person counts: `is one`, `are none`.
        count: &'static str,
    },
    /// More than one process should drive.
    #[error("{count} hosts given, but a mesh over ssh supports at most {MOST_HOSTS}")]
    TooMany {
        /// How many.
        count: usize,
    },
}

/// Checks names and numbers of a whole list.
pub fn check(hosts: &[HostSpec]) -> Result<(), HostsError> {
    match hosts.len() {
        0 => return Err(HostsError::TooFew { count: "are none" }),
        1 => return Err(HostsError::TooFew { count: "is one" }),
        count if count > MOST_HOSTS => return Err(HostsError::TooMany { count }),
        _ => {}
    }
    let mut names = BTreeSet::new();
    match hosts.iter().find(|host| !names.insert(&host.name)) {
        Some(host) => Err(HostsError::Twice { name: host.name.clone() }),
        None => Ok(()),
    }
}

/// One host.
pub fn parse(text: &str) -> Result<HostSpec, HostsError> {
    let malformed = || HostsError::Malformed { given: text.to_owned() };
    let separator = |c: char| c == ',' || c.is_whitespace();
    let mut fields = text.split(separator).filter(|field| !field.is_empty());
    let first = fields.next().ok_or_else(malformed)?;
    let (name, target) = match first.split_once('=') {
        Some((name, target)) => (Some(name), target),
        None => (None, first),
    };
    let bare = target.strip_prefix("ssh://").unwrap_or(target).trim_end_matches('/');
    let name = name.unwrap_or_else(|| host_of(bare)).to_owned();
    let word = |text: &str| {
        let fits = |c: char| c.is_alphanumeric() || "._-:".contains(c);
        !text.is_empty() && !text.starts_with('-') && text.chars().all(fits)
    };
    if bare.is_empty() || !word(&name) {
        return Err(malformed());
    }
    let mut addresses: Vec<(String, String)> = Vec::new();
    for field in fields {
        let (network, address) = field.split_once('=').ok_or_else(malformed)?;
        let address = address.trim_start_matches('[').trim_end_matches(']');
        let new = addresses.iter().all(|(known, _)| known != network);
        if !word(network) || !(word(address) || address.starts_with("::")) || !new {
            return Err(malformed());
        }
        addresses.push((network.to_owned(), address.to_owned()));
    }
    Ok(HostSpec { name, target: format!("ssh://{bare}"), addresses })
}

/// One host a line; `#` begins a comment.
pub fn parse_file(text: &str) -> Result<Vec<HostSpec>, HostsError> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or("").trim());
    lines.filter(|line| !line.is_empty()).map(parse).collect()
}

/// Networks of all hosts, in the order in which they are first named.
pub fn networks(hosts: &[HostSpec]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut known = HashSet::new();
    for host in hosts {
        let own = host.addresses.iter().map(|(network, _)| network.as_str());
        let named = own.chain(host.addresses.is_empty().then_some(ONLY_NETWORK));
        for network in named {
            if known.insert(network) {
                names.push(network.to_owned());
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_target_with_a_name_and_addresses() {
        let host = parse("db1=root@bastion-1:2222,public=192.0.2.1,private=10.1.0.1").unwrap();
        assert_eq!((host.name.as_str(), host.target.as_str()), ("db1", "ssh://root@bastion-1:2222"));
        assert_eq!(host.addresses[1], ("private".into(), "10.1.0.1".into()));
        let host = parse("ssh://oracle@db2/").unwrap();
        assert_eq!(
            (host.name.as_str(), host.target.as_str(), host.addresses.len()),
            ("db2", "ssh://oracle@db2", 0)
        );
        assert_eq!(parse("a=root@[::1]:22 data=fd00::1").unwrap().addresses[0].1, "fd00::1");
        for wrong in ["", "=x", "a=", "db1,private", "db1,x=", "db1,x=1,x=2", "-oProxyCommand=x", "a b"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_file_has_one_host_a_line() {
        let hosts = parse_file("# RAC\ndb1 private=10.0.0.1\n\ndb2   private=10.0.0.2 # standby\n").unwrap();
        assert_eq!(hosts.len(), 2);
        assert_eq!(networks(&hosts), ["private"]);
        assert_eq!(check(&hosts[..1]), Err(HostsError::TooFew { count: "is one" }));
        assert!(matches!(check(&[hosts[0].clone(), hosts[0].clone()]), Err(HostsError::Twice { .. })));
    }
}
