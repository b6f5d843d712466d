//! `oranfstab`, the paths of Direct NFS, as the rules on it read it.

use crate::{Outcome, facts};
use fullwire_model::Run;
use fullwire_model::host::Database;

/// A server of the file.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Server {
    pub(super) name: String,
    pub(super) locals: Vec<String>,
    pub(super) paths: Vec<String>,
    /// Export and mount point.
    pub(super) exports: Vec<(String, String)>,
}

/// Attributes besides those that a [`Server`] keeps: of the Installation Guides for Linux, and for Windows (`uid`, `gid`).
const OTHERS: [&str; 9] = [
    "nfs_version", "dontroute", "mnt_timeout", "security", "security_default", "management", "community",
    "uid", "gid",
];

/// What the reader writes in place of a line that is not made of attributes.
const NO_ATTRIBUTE: &str = "(left out):";

/// Judges the file of every Oracle instance that has one. An instance with files on NFS whose file could not be
/// read is unknown.
pub(super) fn each(run: &Run, judge: impl Fn(&Database, &str, &str) -> Outcome) -> Vec<Outcome> {
    let host = &run.host;
    let oracle = host.databases.iter().filter(|database| database.kind == "oracle");
    let on_nfs = |database: &Database| {
        database.locations.keys().filter_map(|place| host.mount_of(place)).any(|mount| mount.nfs.is_some())
    };
    let judged = oracle.filter_map(|database| match database.settings.get("oranfstab") {
        Some(text) => {
            let source = database.setting_sources.get("oranfstab").map_or("oranfstab", String::as_str);
            Some(judge(database, text, source))
        }
        None if on_nfs(database) => Some(facts::unread(&format!("oranfstab of {}", database.name))),
        None => None,
    });
    judged.collect()
}

/// The servers, and the lines (from 1) that are none of the file's attributes. `export:` and `mount:` share a
/// line or follow each other.
pub(super) fn parse(text: &str) -> (Vec<Server>, Vec<(usize, String)>) {
    let mut servers: Vec<Server> = Vec::new();
    let mut unknown = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        if line == NO_ATTRIBUTE {
            unknown.push((
                index + 1,
                "a word that belongs to no attribute (the text of the line is not kept)".to_owned(),
            ));
            continue;
        }
        for (name, value) in pairs(line) {
            if let Err(what) = take(&mut servers, &name, value) {
                unknown.push((index + 1, what));
            }
        }
    }
    (servers, unknown)
}

/// `export: /vol mount: /u02` holds two pairs.
fn pairs(line: &str) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for word in line.split_whitespace() {
        match word.strip_suffix(':') {
            Some(name) => pairs.push((name.to_ascii_lowercase(), String::new())),
            None => match (pairs.last_mut(), word.split_once(':')) {
                (Some((_, value)), _) if value.is_empty() => word.clone_into(value),
                (None, Some((name, value))) => pairs.push((name.to_ascii_lowercase(), value.to_owned())),
                _ => pairs.push((word.to_owned(), String::new())),
            },
        }
    }
    pairs
}

fn take(servers: &mut Vec<Server>, name: &str, value: String) -> Result<(), String> {
    if name == "server" {
        servers.push(Server { name: value, ..Server::default() });
        return Ok(());
    }
    let Some(server) = servers.last_mut() else { return Err(format!("{name} comes before any server")) };
    match name {
        "local" => server.locals.push(value),
        "path" => server.paths.push(value),
        "export" => server.exports.push((value, String::new())),
        "mount" => match server.exports.last_mut() {
            Some((_, mount)) if mount.is_empty() => *mount = value,
            _ => return Err("mount without an export before it".to_owned()),
        },
        other if OTHERS.contains(&other) => {}
        other => return Err(format!("{other} is not an attribute")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn servers_paths_and_exports() {
        let text = "# filer\nserver: MyDataServer1\nlocal: 192.0.2.0\npath: 192.0.2.1\nlocal: 192.0.100.0\n\
                    path: 192.0.100.1\nnfs_version: nfsv3\nexport: /vol/oradata1 mount: /mnt/oradata1\npth: x\n";
        let (servers, unknown) = parse(text);
        assert_eq!((servers.len(), servers[0].paths.len(), servers[0].locals.len()), (1, 2, 2));
        assert_eq!(servers[0].exports, [("/vol/oradata1".to_owned(), "/mnt/oradata1".to_owned())]);
        assert_eq!(unknown, [(9, "pth is not an attribute".to_owned())]);
    }

    #[test]
    fn what_the_reader_leaves_out_is_not_taken_for_an_attribute() {
        let text = "server: f\nexport: /b mont: (hidden)\n(left out):\ncommunity: (hidden)\n";
        let (_, unknown) = parse(text);
        assert_eq!(unknown[0], (2, "mont is not an attribute".to_owned()));
        assert!(unknown[1].0 == 3 && !unknown[1].1.contains("left"), "{unknown:?}");
        assert_eq!(unknown.len(), 2);
    }

    proptest! {
        #[test]
        fn mangled_files_never_panic(text in "(?s).{0,200}") {
            let (servers, unknown) = parse(&text);
            prop_assert!(servers.len() + unknown.len() <= text.split_whitespace().count() + 1);
        }
    }
}
