//! Folders that `fullwire import` takes: OSWatcher's archive has one folder for each command, `oswvmstat` and so on, with a
//! file for each hour.

use crate::cli::reports;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// The archive's folders lie this deep at most below the folder that was named.
const DEEPEST: usize = 4;
/// More files than an archive of a month has.
const MOST_FILES: usize = 100_000;

/// The files to read: those of an archive for its folder, everything else as named.
pub(super) fn files_of(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    collect(path, is_of_oswatcher(path), DEEPEST, &mut files)?;
    if files.is_empty() {
        bail!(
            "{0} is a folder without OSWatcher's folders (oswvmstat, oswiostat…): name the files, as in fullwire import {0}/*",
            path.display()
        );
    }
    Ok(files)
}

/// Other folders in a folder with an archive that hold reports: nothing in them is read.
pub(super) fn beside(path: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let others =
        entries.filter(|entry| entry.is_dir() && !is_of_oswatcher(entry) && reports(entry).is_some());
    let mut names: Vec<String> = others.map(|folder| folder.display().to_string()).collect();
    names.sort();
    names
}

fn is_of_oswatcher(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("osw"))
}

/// Files below a folder of OSWatcher, in the order of their names; links are not followed.
fn collect(folder: &Path, inside: bool, deeper: usize, files: &mut Vec<PathBuf>) -> Result<()> {
    let read = || std::fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let mut entries = read().with_context(|| format!("read the folder {}", folder.display()))?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() && deeper > 0 {
            collect(&path, inside || is_of_oswatcher(&path), deeper - 1, files)?;
        } else if kind.is_file() && inside && is_output(&path) && files.len() < MOST_FILES {
            files.push(path);
        }
    }
    Ok(())
}

/// `db1_vmstat_26.03.30.0100.dat`, also packed; not the scripts and locks beside it.
fn is_output(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let plain = [".gz", ".bz2", ".xz", ".Z", ".zst"].iter().find_map(|end| name.strip_suffix(end));
    Path::new(plain.unwrap_or(&name)).extension().is_some_and(|end| end == "dat")
}

/// The command whose output a file of the archive is: `ifconfig` of `oswifconfig/db1_ifconfig_26.03.30.0100.dat`.
pub(super) fn command_of(path: &Path) -> String {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = path.parent().map(name).unwrap_or_default();
    if let Some(command) = folder.strip_prefix("osw").filter(|command| !command.is_empty()) {
        return command.to_owned();
    }
    let file = name(path);
    // The host may have underscores in its name.
    file.rsplit('_').nth(1).map_or(file.clone(), str::to_owned)
}

/// The folder that has the archive's folders, or that of the file.
pub(super) fn archive_of(path: &Path) -> String {
    let folder = path.parent().unwrap_or(path);
    let whole = if is_of_oswatcher(folder) { folder.parent().unwrap_or(folder) } else { folder };
    let name = whole.display().to_string();
    if name.is_empty() { ".".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_beside_an_archive_are_named_and_its_own_folders_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let sar = "Linux 5.4.0 (db1) \t01/02/2026 \t_x86_64_\t(2 CPU)\n\n12:00:01 AM     CPU     %user     %nice   %system   %iowait    %steal     %idle\n12:10:01 AM     all      1.00      0.00      0.50      0.10      0.00     98.40\n";
        for (folder, name, text) in [
            ("oswvmstat", "db1_vmstat_26.03.30.0100.dat", "zzz"),
            ("sar", "sar01.txt", sar),
            ("locks", "lock.pid", "4711\n"),
        ] {
            std::fs::create_dir(dir.path().join(folder)).unwrap();
            std::fs::write(dir.path().join(folder).join(name), text).unwrap();
        }
        assert_eq!(beside(dir.path()), [dir.path().join("sar").display().to_string()]);
    }

    #[test]
    fn the_command_of_a_file() {
        let of = |path| command_of(Path::new(path));
        assert_eq!(of("archive/oswifconfig/db1_ifconfig_26.03.30.0100.dat"), "ifconfig");
        assert_eq!(of("db_1_top_26.03.30.0100.dat.gz"), "top");
        assert_eq!(of("netstat.txt"), "netstat.txt");
        assert_eq!(archive_of(Path::new("a/archive/oswtop/db1_top_26.03.30.0100.dat")), "a/archive");
        assert_eq!(archive_of(Path::new("db1_top_26.03.30.0100.dat")), ".");
    }

    #[test]
    fn a_folder_is_an_archive_or_says_what_to_name() {
        let dir = tempfile::tempdir().unwrap();
        let error = files_of(dir.path()).unwrap_err().to_string();
        assert!(error.contains("name the files"), "{error}");
        for (folder, file) in [
            ("archive/oswvmstat", "db1_vmstat_26.03.30.0200.dat.gz"),
            ("archive/oswvmstat", "db1_vmstat_26.03.30.0100.dat"),
            ("archive/oswvmstat", "lock.pid"),
            ("src", "vmsub.dat"),
        ] {
            std::fs::create_dir_all(dir.path().join(folder)).unwrap();
            std::fs::write(dir.path().join(folder).join(file), "").unwrap();
        }
        let names = |folder: &Path| -> Vec<String> {
            let files = files_of(folder).unwrap();
            files.iter().map(|file| file.file_name().unwrap().to_string_lossy().into_owned()).collect()
        };
        let expected = ["db1_vmstat_26.03.30.0100.dat", "db1_vmstat_26.03.30.0200.dat.gz"];
        assert_eq!(names(dir.path()), expected);
        assert_eq!(names(&dir.path().join("archive/oswvmstat")), expected);
    }
}
