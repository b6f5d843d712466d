//! Which files a step may be taken back in by their bytes, and what is left where someone else has written since.

use super::files::{Content, Saved, put, read};
use super::shell::CHANGE_LIMIT;
use crate::journal::{Entry, Progress};
use anyhow::{Result, bail};
use fullwire_rules::advice::effect::{Edits, edits};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Which of the files that a step changes may get back what was there before: those that are as it left them, or were
/// before it. Where a command of it was killed, nobody knows what that left: a file counts as its work if it was not changed
/// later than the command can have run, and every line of it was there before, is one that the step left, or stands in a
/// command. Anyone else's line is worth more than the bytes as they were.
pub(crate) fn of_step(entry: &Entry, now: &[Saved]) -> Vec<PathBuf> {
    let after = entry.after.as_deref().unwrap_or_default();
    let is_own = |saved: &&Saved| {
        let there = content(now, &saved.path);
        there == saved.content.as_ref()
            || content(after, &saved.path) == there && entry.after.is_some()
            || entry.progress != Progress::Done && is_of_killed(entry, saved, there)
    };
    // What is in a directory that it may write to, and was not there before, is its own as it left it.
    let made = after.iter().filter(|one| find(&entry.before, &one.path).is_none());
    let made = made.filter(|one| find(now, &one.path) == Some(one));
    entry.before.iter().filter(is_own).chain(made).map(|saved| saved.path.clone()).collect()
}

fn find<'a>(all: &'a [Saved], path: &Path) -> Option<&'a Saved> {
    all.iter().find(|one| one.path == path)
}

fn content<'a>(all: &'a [Saved], path: &Path) -> Option<&'a Content> {
    find(all, path).and_then(|one| one.content.as_ref())
}

fn is_of_killed(entry: &Entry, saved: &Saved, there: Option<&Content>) -> bool {
    // Who removed what is gone is not known.
    let Some(there) = there else { return false };
    let commands = entry.run.iter().chain(entry.undo.iter().filter_map(|undo| undo.run.as_ref()));
    let commands: Vec<&String> = commands.collect();
    let most = CHANGE_LIMIT.as_secs() * commands.len() as u64;
    let last = entry.begun.as_second().saturating_add_unsigned(most);
    let changed = fs::symlink_metadata(&saved.path).map(|status| status.ctime());
    let after = content(entry.after.as_deref().unwrap_or_default(), &saved.path);
    let known = &lines(saved.content.as_ref()) | &lines(after);
    let is_known = |line: &Vec<u8>| {
        let text = String::from_utf8_lossy(line);
        known.contains(line) || commands.iter().any(|command| command.contains(text.trim()))
    };
    changed.is_ok_and(|changed| changed <= last) && lines(Some(there)).iter().all(is_known)
}

/// A file that someone else has changed since.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) path: PathBuf,
    /// Lines that the step took out: where they belong now, only a person knows.
    pub(crate) lacks: Vec<String>,
}

/// Puts these files back as they were before a step. Of another that it edited line by line the lines that it wrote are
/// taken out, whoever has changed the rest since.
pub(crate) fn put_back(entry: &Entry, own: &[PathBuf]) -> Result<()> {
    for path in own {
        put(path, content(&entry.before, path))?;
    }
    let edited: Vec<Edits> = entry.run.iter().map(|run| edits(run)).collect();
    let others = entry.before.iter().filter(|saved| !own.contains(&saved.path));
    for saved in
        others.filter(|saved| edited.iter().any(|one| one.files.iter().any(|file| saved.path == *file)))
    {
        let Some(there) = read(&saved.path)? else { continue };
        let (written, before) = (written(entry, saved), lines(saved.content.as_ref()));
        let is_own = |line: &[u8]| written.contains(line) && !before.contains(line);
        let bytes = |content: Option<&Content>| content.and_then(Content::bytes).unwrap_or_default();
        let (there_bytes, before_bytes) = (bytes(Some(&there)), bytes(saved.content.as_ref()));
        // What it took out comes back in the place of what it wrote, where nobody has decided otherwise since.
        let is_whole = entry.after.is_some()
            && written.difference(&before).all(|line| lines(Some(&there)).contains(line));
        let mut gone: Vec<&[u8]> =
            split(&before_bytes).filter(|line| is_whole && !written.contains(*line)).collect();
        let mut left = Vec::new();
        for line in split(&there_bytes) {
            if is_own(line) { left.append(&mut gone) } else { left.push(line) }
        }
        let is_empty = saved.content.is_none() && left.iter().all(|line| line.is_empty());
        put(&saved.path, (!is_empty).then(|| there.with(&left.join(&b'\n'))).as_ref())?;
    }
    Ok(())
}

/// The lines that a step wrote into a file: what it left there or, where that is not known, what its commands write.
fn written(entry: &Entry, saved: &Saved) -> BTreeSet<Vec<u8>> {
    match &entry.after {
        Some(after) => lines(content(after, &saved.path)),
        None => entry.run.iter().flat_map(|run| edits(run).lines).map(String::into_bytes).collect(),
    }
}

/// Puts these files back as they were before a step. Whatever else it changed must be without what it wrote; such files,
/// which keep what someone else has written since, are returned.
pub(crate) fn restore(entry: &Entry, own: &[PathBuf]) -> Result<Vec<Kept>> {
    put_back(entry, own)?;
    let mut kept = Vec::new();
    for saved in entry.before.iter().filter(|saved| !own.contains(&saved.path)) {
        let there = read(&saved.path)?;
        if there == saved.content {
            continue;
        }
        let (there, before) = (lines(there.as_ref()), lines(saved.content.as_ref()));
        let written = written(entry, saved);
        if there.difference(&before).any(|line| !line.is_empty() && written.contains(line)) {
            bail!(
                "{} was changed by someone else since, and still has what fullwire wrote there",
                saved.path.display()
            );
        }
        let lacks =
            before.difference(&there).filter(|line| entry.after.is_none() || !written.contains(*line));
        let lacks = lacks.map(|line| String::from_utf8_lossy(line).into_owned()).collect();
        kept.push(Kept { path: saved.path.clone(), lacks });
    }
    Ok(kept)
}

fn lines(content: Option<&Content>) -> BTreeSet<Vec<u8>> {
    let bytes = content.and_then(Content::bytes).unwrap_or_default();
    split(&bytes).map(<[u8]>::to_vec).collect()
}

fn split(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'\n')
}

#[cfg(test)]
mod tests {
    use super::super::files::save;
    use super::*;
    use crate::journal::Undo;
    use crate::remedy::files;
    use std::os::unix::fs::PermissionsExt as _;

    fn folder() -> (tempfile::TempDir, Vec<String>) {
        let folder = tempfile::tempdir().expect("a folder");
        let name = format!("{}/", folder.path().display());
        (folder, vec![name])
    }

    /// A step that changed files, as the journal has it.
    fn step(progress: Progress, before: Vec<Saved>, after: Option<Vec<Saved>>) -> Entry {
        let undo = vec![Undo::command("sed -i /ours/d x.conf")];
        let run = ["echo ours >> x.conf".to_owned()];
        Entry { before, after, progress, ..Entry::new("it", "", &run, undo) }
    }

    fn taken_back(entry: &Entry, names: &[String]) -> Result<Vec<Kept>> {
        restore(entry, &of_step(entry, &save(names)?))
    }

    #[test]
    fn bytes_mode_and_absence_come_back() {
        let (folder, _) = folder();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        fs::write(&old, b"a\xff\n").expect("a file");
        fs::set_permissions(&old, fs::Permissions::from_mode(0o640)).expect("mode");
        let names = [&old, &new].map(|path| path.display().to_string());
        let before = save(&names).expect("read");
        fs::write(&old, "b").expect("a file");
        fs::set_permissions(&old, fs::Permissions::from_mode(0o600)).expect("mode");
        fs::write(&new, "n").expect("a file");
        let after = save(&names).expect("read");
        // What an earlier kill left is no obstacle.
        fs::write(folder.path().join(files::DRAFT), "half").expect("a file");
        taken_back(&step(Progress::Done, before.clone(), Some(after)), &names).expect("restored");
        assert_eq!(save(&names).expect("read"), before);
        assert!(!new.exists() && fs::read(&old).expect("a file") == b"a\xff\n");
        assert_eq!(fs::read_dir(folder.path()).expect("a directory").count(), 1);
    }

    #[test]
    fn a_file_that_cannot_be_written_anew_stays_whole() {
        let (folder, names) = folder();
        let file = folder.path().join("x.conf");
        fs::write(&file, "mine\n").expect("a file");
        let before = save(&names).expect("read");
        fs::write(&file, "mine\nours\n").expect("a file");
        let entry = step(Progress::Done, before, Some(save(&names).expect("read")));
        // A directory in the place of the new file: it is not removed, and nothing is opened in its place.
        fs::create_dir(folder.path().join(files::DRAFT)).expect("a directory");
        assert!(taken_back(&entry, &names).is_err());
        assert_eq!(fs::read(&file).expect("a file"), b"mine\nours\n");
    }

    #[test]
    fn what_someone_else_wrote_since_is_left() {
        let (folder, names) = folder();
        let file = folder.path().join("x.conf");
        fs::write(&file, "a\n").expect("a file");
        let before = save(&names).expect("read");
        fs::write(&file, "a\nours\n").expect("a file");
        fs::write(folder.path().join("made"), "ours").expect("a file");
        let after = save(&names).expect("read");
        fs::write(&file, "a\nours\ntheirs\n").expect("a file");
        let entry = step(Progress::Done, before, Some(after));
        let error = taken_back(&entry, &names).unwrap_err().to_string();
        assert!(error.contains("someone else") && fs::read(&file).expect("a file").ends_with(b"theirs\n"));
        // Once its own line is out, the step is taken back, and the rest stays.
        fs::write(&file, "a\ntheirs\n").expect("a file");
        let kept = |lacks: &[&str]| {
            [Kept { path: file.clone(), lacks: lacks.iter().map(|&line| line.to_owned()).collect() }]
        };
        assert_eq!(taken_back(&entry, &names).expect("taken back"), kept(&[]));
        assert_eq!(fs::read(&file).expect("a file"), b"a\ntheirs\n");
        // What the step had taken out is told; what someone else took out is not.
        let path = file.clone();
        let was = Saved {
            path,
            content: Some(Content { hex: "610a6f6c640a620a".into(), mode: 0o644, uid: 0, gid: 0 }),
        };
        let entry = Entry { before: vec![was], ..entry };
        assert_eq!(taken_back(&entry, &names).expect("taken back"), kept(&["b", "old"]));
    }

    /// Nobody knows how far a command came that was killed, or one that takes back: what it can have left goes, and
    /// what it cannot have left stays.
    #[test]
    fn after_a_kill_only_what_can_be_of_the_command_is_written_over() {
        let (folder, names) = folder();
        let file = folder.path().join("x.conf");
        let written = |text: &str| fs::write(&file, text).expect("a file");
        written("a\nb\n");
        let before = save(&names).expect("read");
        written("a\nb\nours\n");
        let after = save(&names).expect("read");
        for (progress, after) in [(Progress::Begun, None), (Progress::Undoing, Some(after))] {
            let entry = step(progress, before.clone(), after);
            // A line that the command cannot have written stays, and so does all else.
            for (left, back) in [("a\nours\n", true), ("a\n", true), ("a\ntheirs\n", false)] {
                written(left);
                let kept = taken_back(&entry, &names).expect("taken back");
                assert_eq!(kept.is_empty(), back, "{progress:?} {left}");
                assert_eq!(fs::read_to_string(&file).expect("a file"), if back { "a\nb\n" } else { left });
            }
            written("a\ntheirs\nours\n");
            assert!(taken_back(&entry, &names).is_err(), "its own line is still there");
            // Changed later than the command can have run: a line that is gone was taken out by someone.
            written("a\n");
            let begun = "2026-01-01T00:00:00Z".parse().expect("a time");
            assert_eq!(taken_back(&Entry { begun, ..entry }, &names).expect("taken back")[0].path, file);
            assert_eq!(fs::read_to_string(&file).expect("a file"), "a\n");
        }
        // A file that was not there goes where it has only what the command writes.
        let made = Entry {
            before: vec![Saved { path: file.clone(), content: None }],
            ..step(Progress::Begun, before, None)
        };
        written("ours\n");
        assert!(taken_back(&made, &names).expect("taken back").is_empty() && !file.exists());
        written("theirs\n");
        assert_eq!(taken_back(&made, &names).expect("taken back")[0].path, file);
        assert!(file.exists());
    }

    #[test]
    fn a_directory_is_kept_file_by_file_and_a_link_is_not_followed() {
        let (folder, names) = folder();
        fs::write(folder.path().join("one"), "1").expect("a file");
        let before = save(&names).expect("read");
        fs::write(folder.path().join("two"), "2").expect("a file");
        let after = save(&names).expect("read");
        taken_back(&step(Progress::Done, before, Some(after)), &names).expect("restored");
        assert!(folder.path().join("one").exists() && !folder.path().join("two").exists());
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link")).expect("a link");
        assert!(save(&[folder.path().join("link").display().to_string()]).is_err());
    }
}
