//! A tar with `install.sh`, for hosts that take no packages; and the tar writer of the image.

use super::arch::Arch;
use super::tree::{Content, Entry, Flavour, oratcptest, tree};
use super::{Release, gzip, scripts};
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tar::{Builder, EntryType, Header};

/// `fullwire-VERSION-linux-ARCH.tar.gz`: one directory with the tree and its installer.
pub(super) fn make(release: &Release, arch: &Arch, program: &Path) -> Result<PathBuf> {
    let top = format!("fullwire-{}-linux-{}", release.version, arch.name);
    let mut entries = tree(program, Flavour::Plain)?;
    // The installer makes them with the group that the host gives.
    entries.retain(|entry| entry.content != Content::Directory);
    entries.extend(
        oratcptest().into_iter().map(|link| Entry { path: format!("optional/{}", link.path), ..link }),
    );
    // The installed host can remove it without the unpacked tar.
    for name in ["files", "install.sh"] {
        entries.push(Entry::file(format!("usr/share/fullwire/{name}"), 0o644, Vec::new()));
    }
    let listed = entries.iter().filter(|entry| !entry.path.starts_with("optional/"));
    let list: String = listed.map(|entry| format!("{}\n", entry.path)).collect();
    for (name, mode, text) in [("files", 0o644, list.as_str()), ("install.sh", 0o755, scripts::INSTALL)] {
        let bytes = text.as_bytes().to_vec();
        entries.retain(|entry| entry.path != format!("usr/share/fullwire/{name}"));
        entries.push(Entry::file(name, mode, bytes.clone()));
        entries.push(Entry::file(format!("usr/share/fullwire/{name}"), mode, bytes));
    }
    for entry in &mut entries {
        entry.path = format!("{top}/{}", entry.path);
    }
    release.write(&format!("{top}.tar.gz"), &gzip(&tar(&entries, release.epoch)?)?)
}

/// An uncompressed tar in the order of paths, every parent before its children, all of root and of one time.
pub(super) fn tar(entries: &[Entry], epoch: u64) -> Result<Vec<u8>> {
    let mut all = entries.to_vec();
    let known: BTreeSet<String> = all.iter().map(|entry| entry.path.clone()).collect();
    let parents: BTreeSet<String> = all.iter().flat_map(|entry| parents(&entry.path)).collect();
    all.extend(parents.difference(&known).map(|path| Entry::directory(path.clone(), 0o755)));
    all.sort_by(|one, other| one.path.cmp(&other.path));
    let mut builder = Builder::new(Vec::new());
    for entry in &all {
        let mut header = Header::new_gnu();
        header.set_mode(entry.mode);
        header.set_uid(0);
        header.set_gid(0);
        header.set_username("root")?;
        header.set_groupname("root")?;
        header.set_mtime(epoch);
        header.set_size(0);
        let added = match &entry.content {
            Content::File(bytes) => {
                header.set_size(bytes.len() as u64);
                header.set_entry_type(EntryType::Regular);
                builder.append_data(&mut header, &entry.path, bytes.as_slice())
            }
            Content::Link(to) => {
                header.set_entry_type(EntryType::Symlink);
                builder.append_link(&mut header, &entry.path, to)
            }
            Content::Directory => {
                header.set_entry_type(EntryType::Directory);
                builder.append_data(&mut header, format!("{}/", entry.path), std::io::empty())
            }
        };
        added.with_context(|| format!("put {} into the archive", entry.path))?;
    }
    Ok(builder.into_inner()?)
}

fn parents(path: &str) -> impl Iterator<Item = String> + '_ {
    path.match_indices('/').map(|(at, _)| path[..at].to_owned())
}
