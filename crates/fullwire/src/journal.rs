//! What fullwire changes on this host, and how it is taken back: written and synced before each change, so that a kill or
//! a loss of power leaves the truth. A line is one event; the file of an experiment that ended well is removed.

use anyhow::{Context, Result, bail};
use fullwire_probe::state::{Folder, new_name};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;

/// In the state directory.
const FOLDER: &str = "journal";
/// What its files end in.
const EXTENSION: &str = "journal";
const SCHEMA: &str = "fullwire.journal/1";
/// A step is a few hundred bytes.
const LONGEST_BYTES: u64 = 16 << 20;
/// Another with each start of the host.
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// One event, a line of JSON.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Event {
    /// The first line.
    Opened { schema: String, by: String, about: String, boot: String, at: Timestamp },
    /// A step is about to be done; `undo` sets what was there before.
    Begun { step: u32, text: String, run: Vec<String>, undo: Vec<String>, at: Timestamp },
    /// It has been done.
    Done { step: u32, at: Timestamp },
    /// It failed, and may have been done in part.
    Failed { step: u32, why: String, at: Timestamp },
    /// It was left out.
    Skipped { step: u32, text: String, why: String, at: Timestamp },
    /// It was taken back.
    Undone { step: u32, at: Timestamp },
}

/// How far a step came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It was begun; nobody knows how far it came.
    Begun,
    Done,
    Failed,
    Skipped,
    Undone,
}

/// A step as the journal tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) text: String,
    /// Commands that take it back, with the values that were there before.
    pub(crate) undo: Vec<String>,
    pub(crate) progress: Progress,
}

impl Entry {
    /// It may be in effect.
    pub(crate) fn is_in_effect(&self) -> bool {
        matches!(self.progress, Progress::Begun | Progress::Done | Progress::Failed)
    }
}

/// A journal that is written.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: Folder,
    name: String,
    /// Locked as long as it is open.
    file: File,
    steps: BTreeMap<u32, Entry>,
    next: u32,
}

impl Journal {
    /// A new one below a state directory.
    pub(crate) fn begin(state: &Path, by: &str, about: &str) -> Result<Self> {
        let name = new_name(EXTENSION);
        let opened = Event::Opened {
            schema: SCHEMA.into(),
            by: by.into(),
            about: about.into(),
            boot: boot(),
            at: Timestamp::now(),
        };
        let create = || -> Result<(Folder, File)> {
            let folder = Folder::make(state, FOLDER)?;
            let file = folder.create(&name, line(&opened)?.as_bytes())?;
            Ok((folder, file))
        };
        let (folder, file) = create().with_context(|| {
            format!("keep a journal in {}; nothing was changed", state.join(FOLDER).display())
        })?;
        Ok(Self { folder, name, file, steps: BTreeMap::new(), next: 0 })
    }

    /// Before a step: what will be run, and what takes it back. It is on the disk when this returns.
    pub(crate) fn about_to(&mut self, text: &str, run: &[String], undo: &[String]) -> Result<u32> {
        let step = self.number();
        let (text, run, undo) = (text.to_owned(), run.to_vec(), undo.to_vec());
        let entry = Entry { text: text.clone(), undo: undo.clone(), progress: Progress::Begun };
        self.write(&Event::Begun { step, text, run, undo, at: Timestamp::now() })?;
        self.steps.insert(step, entry);
        Ok(step)
    }

    /// The step was done.
    pub(crate) fn done(&mut self, step: u32) -> Result<()> {
        self.came_to(step, Progress::Done, &Event::Done { step, at: Timestamp::now() })
    }

    /// The step failed.
    pub(crate) fn failed(&mut self, step: u32, why: &str) -> Result<()> {
        self.came_to(step, Progress::Failed, &Event::Failed { step, why: why.into(), at: Timestamp::now() })
    }

    /// The step was taken back.
    pub(crate) fn undone(&mut self, step: u32) -> Result<()> {
        self.came_to(step, Progress::Undone, &Event::Undone { step, at: Timestamp::now() })
    }

    /// Steps that may be in effect, the last one first.
    pub(crate) fn in_effect(&self) -> Vec<(u32, Entry)> {
        let held = self.steps.iter().rev().filter(|(_, entry)| entry.is_in_effect());
        held.map(|(step, entry)| (*step, entry.clone())).collect()
    }

    /// Forgets it if nothing is left to take back.
    pub(crate) fn end(self) {
        if self.in_effect().is_empty() {
            // If this fails, `clean` finds a journal with nothing in effect and removes it.
            let _ = self.folder.remove(&self.name);
        }
    }

    fn number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn came_to(&mut self, step: u32, progress: Progress, event: &Event) -> Result<()> {
        self.write(event)?;
        if let Some(entry) = self.steps.get_mut(&step) {
            entry.progress = progress;
        }
        Ok(())
    }

    fn write(&mut self, event: &Event) -> Result<()> {
        let text = line(event)?;
        let write = |file: &mut File| file.write_all(text.as_bytes()).and_then(|()| file.sync_data());
        write(&mut self.file)
            .with_context(|| format!("write the journal {}", self.folder.path().join(&self.name).display()))
    }
}

/// A journal whose process has ended, with something that may be in effect.
#[derive(Debug)]
pub(crate) struct Left {
    /// The command that wrote it.
    pub(crate) by: String,
    /// What it was about.
    pub(crate) about: String,
    /// The host was started anew since.
    pub(crate) restarted: bool,
    pub(crate) journal: Journal,
}

/// What journals tell.
#[derive(Debug, Default)]
pub(crate) struct Leftovers {
    pub(crate) left: Vec<Left>,
    /// What could not be read, and why; it is kept.
    pub(crate) unreadable: Vec<(String, String)>,
}

/// What interrupted commands left in effect. A journal of one that still runs is passed over, and one with nothing in effect
/// is removed.
pub(crate) fn leftovers(state: &Path) -> Leftovers {
    let mut found = Leftovers::default();
    let place = state.join(FOLDER);
    let mut tell = |name: &str, why: String| {
        found.unreadable.push((place.join(name).display().to_string(), why));
    };
    let names =
        match Folder::open(state, FOLDER).and_then(|folder| folder.map(|one| one.entries()).transpose()) {
            Ok(None) => return found,
            Ok(Some(entries)) => {
                for name in &entries.strange {
                    tell(name, "not a journal of fullwire's: left as it is".into());
                }
                entries.files
            }
            Err(error) => {
                tell("", error.to_string());
                return found;
            }
        };
    let mut left = Vec::new();
    for name in names {
        match read(state, &name) {
            Ok(Some(one)) if one.journal.in_effect().is_empty() => one.journal.end(),
            Ok(Some(one)) => left.push(one),
            Ok(None) => {}
            Err(error) => tell(&name, crate::sentence(&error)),
        }
    }
    found.left = left;
    found
}

/// `None`: its process still runs.
fn read(state: &Path, name: &str) -> Result<Option<Left>> {
    let Some(folder) = Folder::open(state, FOLDER)? else { return Ok(None) };
    let (file, locked) = folder.file(name)?;
    if !locked {
        return Ok(None);
    }
    let mut text = String::new();
    std::io::Read::take(&file, LONGEST_BYTES).read_to_string(&mut text)?;
    // Cut off by the kill or the loss of power: what such a line tells of was not done.
    let whole = text.rfind('\n').map_or(0, |at| at + 1);
    if locked && whole < text.len() {
        text.truncate(whole);
        file.set_len(whole as u64)?;
    }
    let mut lines = text.split_inclusive('\n');
    let first: Event = serde_json::from_str(lines.next().unwrap_or_default()).context("its first line")?;
    let Event::Opened { schema, by, about, boot: was, .. } = first else {
        bail!("its first line opens nothing")
    };
    if schema != SCHEMA {
        bail!("it is of another version of fullwire ({schema}): left as it is");
    }
    let mut journal = Journal { folder, name: name.to_owned(), file, steps: BTreeMap::new(), next: 0 };
    for (at, text) in lines.enumerate() {
        match serde_json::from_str(text) {
            Ok(event) => journal.take(event),
            Err(error) => return Err(error).context(format!("its line {}", at + 2)),
        }
    }
    Ok(Some(Left { by, about, restarted: was != boot(), journal }))
}

impl Journal {
    fn take(&mut self, event: Event) {
        let (step, progress) = match event {
            Event::Opened { .. } => return,
            Event::Begun { step, text, undo, .. } => {
                self.steps.insert(step, Entry { text, undo, progress: Progress::Begun });
                (step, Progress::Begun)
            }
            Event::Skipped { step, text, .. } => {
                self.steps.insert(step, Entry { text, undo: Vec::new(), progress: Progress::Skipped });
                (step, Progress::Skipped)
            }
            Event::Done { step, .. } => (step, Progress::Done),
            Event::Failed { step, .. } => (step, Progress::Failed),
            Event::Undone { step, .. } => (step, Progress::Undone),
        };
        self.next = self.next.max(step);
        if let Some(entry) = self.steps.get_mut(&step) {
            entry.progress = progress;
        }
    }
}

fn line(event: &Event) -> Result<String> {
    Ok(serde_json::to_string(event)? + "\n")
}

fn boot() -> String {
    std::fs::read_to_string(BOOT).map(|text| text.trim().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt as _;

    fn state() -> tempfile::TempDir {
        tempfile::tempdir().expect("temporary directory")
    }

    fn words(text: &str) -> Vec<String> {
        vec![text.to_owned()]
    }

    #[test]
    fn a_step_is_on_the_disk_before_it_is_done_and_nobody_else_reads_it() {
        let state = state();
        let mut journal = Journal::begin(state.path(), "prove", "a finding").expect("journal");
        let step = journal.about_to("state B", &words("do it"), &words("take it back")).expect("written");
        let file = state.path().join(FOLDER).join(&journal.name);
        let text = std::fs::read_to_string(&file).expect("a file");
        assert!(text.ends_with('\n') && text.contains(r#""undo":["take it back"]"#), "{text}");
        assert_eq!(std::fs::metadata(&file).expect("metadata").mode() & 0o777, 0o600);
        assert!(leftovers(state.path()).left.is_empty(), "its process runs");
        journal.done(step).expect("written");
        drop(journal);
        let found = leftovers(state.path());
        let entries = found.left[0].journal.in_effect();
        assert_eq!(entries[0].1.undo, ["take it back"]);
        assert!(!found.left[0].restarted);
    }

    #[test]
    fn what_was_taken_back_is_forgotten_and_what_failed_is_not() {
        let state = state();
        let mut journal = Journal::begin(state.path(), "prove", "").expect("journal");
        let (one, two) = (
            journal.about_to("one", &[], &[]).expect("written"),
            journal.about_to("two", &[], &[]).expect("written"),
        );
        journal.undone(one).expect("written");
        journal.failed(two, "no such file").expect("written");
        assert_eq!(journal.in_effect().len(), 1);
        journal.undone(two).expect("written");
        let file = state.path().join(FOLDER).join(&journal.name);
        drop(journal);
        assert!(leftovers(state.path()).left.is_empty() && !file.exists());
    }

    #[test]
    fn a_line_that_was_cut_off_is_no_step_and_a_damaged_one_is_told() {
        let state = state();
        let mut journal = Journal::begin(state.path(), "prove", "").expect("journal");
        let step = journal.about_to("one", &[], &words("back")).expect("written");
        journal.file.write_all(br#"{"event":"undone","st"#).expect("written");
        let file = state.path().join(FOLDER).join(&journal.name);
        drop(journal);
        let found = leftovers(state.path());
        assert_eq!(found.left[0].journal.in_effect()[0].0, step);
        drop(found);
        let text = std::fs::read_to_string(&file).expect("a file").replace("begun", "bogus");
        std::fs::write(&file, text).expect("a file");
        let found = leftovers(state.path());
        assert!(found.left.is_empty() && found.unreadable.len() == 1 && file.exists(), "{found:?}");
    }
}
