//! What fullwire changes on this host, and how it is taken back: written and synced before each change, so that a kill or
//! a loss of power leaves the truth. A line is one event; a file with nothing left to take back is removed.

mod entry;

pub(crate) use entry::{Entry, Progress, Undo};

use crate::remedy::alone;
use crate::remedy::files::Saved;
use anyhow::{Context, Result, bail};
use fullwire_probe::state::{Folder, new_name};
use fullwire_rules::advice::effect::read_back;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

/// In the state directory.
const FOLDER: &str = "journal";
/// What its files end in.
const EXTENSION: &str = "journal";
const SCHEMA: &str = "fullwire.journal/1";
/// A step is a few hundred bytes, and the files that it changes.
const LONGEST_BYTES: u64 = 256 << 20;
/// Another with each start of the host.
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// One event, a line of JSON.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Event {
    /// The first line.
    Opened {
        schema: String,
        by: String,
        about: String,
        machine: Option<String>,
        #[serde(default)]
        hostname: String,
        boot: String,
        at: Timestamp,
    },
    /// A step is about to be done; `undo` sets what was there before.
    Begun {
        step: u32,
        of: String,
        text: String,
        run: Vec<String>,
        undo: Vec<Undo>,
        writes: Vec<String>,
        files: Vec<Saved>,
        #[serde(default)]
        until_boot: bool,
        #[serde(default)]
        device: String,
        at: Timestamp,
    },
    /// It has been done, and these files are as it left them.
    Done { step: u32, files: Vec<Saved>, at: Timestamp },
    /// It failed, and may have been done in part: these files are as it left them.
    Failed {
        step: u32,
        why: String,
        #[serde(default)]
        files: Option<Vec<Saved>>,
        at: Timestamp,
    },
    /// Something was left out.
    Skipped { of: String, why: String, at: Timestamp },
    /// Taking it back begins.
    Undoing { step: u32, at: Timestamp },
    /// It could not be taken back, or not all of it.
    NotUndone { step: u32, why: String, at: Timestamp },
    /// It was taken back.
    Undone { step: u32, at: Timestamp },
    /// All steps of a finding are done, and are to stay.
    Kept { of: String, at: Timestamp },
}

/// A journal that is written.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: Folder,
    name: String,
    pen: Pen,
    steps: BTreeMap<u32, Entry>,
    next: u32,
}

/// What writes on in a journal. Its file is locked as long as anyone has it open.
#[derive(Debug)]
pub(crate) struct Pen(pub(crate) File);

impl Pen {
    /// The lock, for a command that goes on when we are killed: nobody else changes the host until it has ended.
    pub(crate) fn lock(&self) -> Result<File> {
        alone::lock().unwrap_or(&self.0).try_clone().context("share the lock")
    }

    /// The journal itself, for whoever writes on in it.
    pub(crate) fn share(&self) -> Result<File> {
        self.0.try_clone().context("share the journal")
    }

    /// Taking a step back begins.
    pub(crate) fn undoing(&mut self, step: u32) -> Result<()> {
        self.write(&Event::Undoing { step, at: Timestamp::now() })
    }

    /// What came of taking it back.
    pub(crate) fn undo_came_to(&mut self, step: u32, failed: Option<&anyhow::Error>) -> Result<()> {
        self.write(&match failed {
            None => Event::Undone { step, at: Timestamp::now() },
            Some(error) => Event::NotUndone { step, why: crate::sentence(error), at: Timestamp::now() },
        })
    }

    /// A whole line or none: a full disk must not leave the beginning of one.
    fn write(&mut self, event: &Event) -> Result<()> {
        let text = line(event)?;
        let whole_bytes = self.0.metadata()?.len();
        let written = self.0.write_all(text.as_bytes()).and_then(|()| self.0.sync_data());
        if written.is_err() {
            self.0.set_len(whole_bytes)?;
        }
        written.context("write the journal")
    }
}

impl Journal {
    /// A new one below a state directory.
    pub(crate) fn begin(state: &Path, by: &str, about: &str) -> Result<Self> {
        let name = new_name(EXTENSION);
        let opened = Event::Opened {
            schema: SCHEMA.into(),
            by: by.into(),
            about: about.into(),
            machine: fullwire_observe::this_machine(),
            hostname: hostname(),
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
        let journal = Self { folder, name, pen: Pen(file), steps: BTreeMap::new(), next: 0 };
        // Of two that begin at the same moment neither goes on.
        if journal.others_run()? {
            journal.end();
            return Err(alone::busy());
        }
        Ok(journal)
    }

    /// Whether another command that changes this host has not ended.
    fn others_run(&self) -> Result<bool> {
        let mut others = self.folder.entries()?.files.into_iter().filter(|name| *name != self.name);
        Ok(others.any(|name| self.folder.file(&name).is_ok_and(|(_, is_over)| !is_over)))
    }

    /// Before a step: what will be run, and what takes it back. It is on the disk when this returns.
    pub(crate) fn about_to(&mut self, entry: Entry) -> Result<u32> {
        self.next += 1;
        let step = self.next;
        let Entry { of, text, run, undo, writes, before: files, until_boot, device, .. } = entry.clone();
        let at = Timestamp::now();
        self.write(&Event::Begun { step, of, text, run, undo, writes, files, until_boot, device, at })?;
        self.steps.insert(step, entry);
        Ok(step)
    }

    /// The step was done, and left these files.
    pub(crate) fn done(&mut self, step: u32, files: Vec<Saved>) -> Result<()> {
        self.came_to(Event::Done { step, files, at: Timestamp::now() })
    }

    /// The step failed, and left these files; `None`: they cannot be read.
    pub(crate) fn failed(&mut self, step: u32, why: &str, files: Option<Vec<Saved>>) -> Result<()> {
        self.came_to(Event::Failed { step, why: why.into(), files, at: Timestamp::now() })
    }

    /// The step was taken back.
    pub(crate) fn undone(&mut self, step: u32) -> Result<()> {
        self.came_to(Event::Undone { step, at: Timestamp::now() })
    }

    /// What writes on in it.
    pub(crate) fn pen(&mut self) -> &mut Pen {
        &mut self.pen
    }

    /// A finding was left out.
    pub(crate) fn skipped(&mut self, of: &str, why: &str) -> Result<()> {
        self.came_to(Event::Skipped { of: of.into(), why: why.into(), at: Timestamp::now() })
    }

    /// A finding's steps are all done, and are to stay.
    pub(crate) fn kept(&mut self, of: &str) -> Result<()> {
        self.came_to(Event::Kept { of: of.into(), at: Timestamp::now() })
    }

    /// The step was taken back, and that is written.
    pub(crate) fn was_undone(&mut self, step: u32) {
        self.take(Event::Undone { step, at: Timestamp::now() });
    }

    /// Steps that may be in effect, the last one first.
    pub(crate) fn in_effect(&self) -> Vec<(u32, Entry)> {
        let held = self.steps.iter().rev().filter(|(_, entry)| entry.is_in_effect());
        held.map(|(step, entry)| (*step, entry.clone())).collect()
    }

    /// Where it is.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    /// Forgets it if nothing is left to take back.
    pub(crate) fn end(self) {
        if self.in_effect().is_empty() {
            // If this fails, `clean` finds a journal with nothing in effect and removes it.
            let _ = self.folder.remove(&self.name);
        }
    }

    fn came_to(&mut self, event: Event) -> Result<()> {
        self.write(&event)?;
        self.take(event);
        Ok(())
    }

    fn write(&mut self, event: &Event) -> Result<()> {
        let path = self.path();
        self.pen.write(event).with_context(|| path.display().to_string())
    }
}

/// A journal whose process has ended, with something that may be in effect: what was interrupted, and what is to stay.
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

impl Left {
    /// Steps of a command that did not come to its end, the last one first.
    pub(crate) fn interrupted(&self) -> Vec<(u32, Entry)> {
        self.journal.in_effect().into_iter().filter(|(_, entry)| entry.is_left()).collect()
    }
}

/// What journals tell.
#[derive(Debug, Default)]
pub(crate) struct Leftovers {
    pub(crate) left: Vec<Left>,
    /// Journals whose command, or one that it had started, still runs.
    pub(crate) running: Vec<PathBuf>,
    /// What could not be read, and why; it is kept.
    pub(crate) unreadable: Vec<(String, String)>,
}

/// What is in effect by the journals, the oldest first. A journal of a command that still runs is passed over, and one with
/// nothing in effect is removed.
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
                // Nothing was done yet by whoever left them.
                for name in &entries.drafts {
                    let _ = remove_draft(state, name);
                }
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
            Ok(Some((_, one))) if one.journal.in_effect().is_empty() => one.journal.end(),
            Ok(Some(one)) => left.push(one),
            Ok(None) => found.running.push(place.join(&name)),
            Err(error) => tell(&name, crate::sentence(&error)),
        }
    }
    left.sort_by_key(|(at, _)| *at);
    found.left = left.into_iter().map(|(_, one)| one).collect();
    found
}

fn remove_draft(state: &Path, name: &str) -> Result<()> {
    let Some(folder) = Folder::open(state, FOLDER)? else { return Ok(()) };
    let (_file, is_over) = folder.file(name)?;
    if is_over { Ok(folder.remove(name)?) } else { Ok(()) }
}

/// Upon what an interrupted command left changed, no state is what it seems to be.
pub(crate) fn refuse_over_leftovers() -> Result<()> {
    let all = leftovers(&fullwire_probe::state::state_dir());
    match all.left.iter().find(|left| !left.interrupted().is_empty()) {
        None => Ok(()),
        Some(left) => bail!(
            "an interrupted {} of {} may still be in effect, nothing was changed: `fullwire clean` shows how to take it back",
            left.by,
            left.about
        ),
    }
}

/// When it was opened, and what it tells; `None`: its process still runs.
fn read(state: &Path, name: &str) -> Result<Option<(Timestamp, Left)>> {
    let Some(folder) = Folder::open(state, FOLDER)? else { return Ok(None) };
    let (file, locked) = folder.file(name)?;
    if !locked {
        return Ok(None);
    }
    let mut text = Vec::new();
    std::io::Read::take(&file, LONGEST_BYTES).read_to_end(&mut text)?;
    // Cut off by the kill or the loss of power, maybe within a character: what such a line tells of was not done.
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    if locked && whole < text.len() {
        text.truncate(whole);
        file.set_len(whole as u64)?;
    }
    let mut lines = text.split_inclusive(|byte| *byte == b'\n');
    let first: Event = serde_json::from_slice(lines.next().unwrap_or_default()).context("its first line")?;
    let Event::Opened { schema, by, about, machine, hostname: name_then, boot: was, at: opened } = first
    else {
        bail!("its first line does not begin a transaction")
    };
    if schema != SCHEMA {
        bail!("it is of another version of fullwire ({schema}): left as it is");
    }
    // A home may be shared by hosts, and hosts that were cloned have one id. Without an id only the boot tells.
    let is_this = machine == fullwire_observe::this_machine()
        && (machine.is_some() || was == boot())
        && (name_then.is_empty() || name_then == hostname());
    if !is_this {
        bail!("it is of another machine: left as it is");
    }
    let mut journal =
        Journal { folder, name: name.to_owned(), pen: Pen(file), steps: BTreeMap::new(), next: 0 };
    for (at, text) in lines.enumerate() {
        match serde_json::from_slice(text) {
            Ok(event) => journal.take(event),
            Err(error) => return Err(error).context(format!("its line {}", at + 2)),
        }
    }
    let restarted = was != boot();
    if restarted {
        journal.host_was_restarted();
    }
    Ok(Some((opened, Left { by, about, restarted, journal })))
}

impl Journal {
    /// What the start of the host took back is forgotten, but where something may have made it again: another step of the
    /// finding outlived the start, or a person was to keep it, and its value can be read.
    fn host_was_restarted(&mut self) {
        let lasting = self.steps.values().filter(|entry| !entry.until_boot);
        let kept: BTreeSet<String> = lasting.map(|entry| entry.of.clone()).collect();
        let is_read = |entry: &Entry| entry.run.iter().any(|run| read_back(run).is_some());
        let may_be_again = |entry: &Entry| kept.contains(&entry.of) || entry.kept && is_read(entry);
        self.steps.retain(|_, entry| !entry.until_boot || may_be_again(entry));
        self.steps.values_mut().for_each(|entry| entry.restarted = entry.until_boot);
    }

    fn take(&mut self, event: Event) {
        let (step, progress) = match event {
            Event::Opened { .. } | Event::Skipped { .. } => return,
            Event::Begun { step, of, text, run, undo, writes, files, until_boot, device, at } => {
                self.next = self.next.max(step);
                let new = Entry::new(&of, &text, &run, undo);
                let entry = Entry { writes, before: files, until_boot, device, begun: at, ..new };
                self.steps.insert(step, entry);
                return;
            }
            Event::Kept { of, .. } => {
                self.steps.values_mut().filter(|entry| entry.of == of).for_each(|entry| entry.kept = true);
                return;
            }
            Event::Done { step, files, .. } => {
                self.with(step, |entry| entry.after = Some(files));
                (step, Progress::Done)
            }
            Event::Failed { step, files, .. } => {
                self.with(step, |entry| entry.after = files);
                (step, Progress::Failed)
            }
            Event::Undoing { step, at } => {
                self.with(step, |entry| entry.begun = at);
                (step, Progress::Undoing)
            }
            Event::NotUndone { step, .. } => (step, Progress::Failed),
            Event::Undone { step, .. } => (step, Progress::Undone),
        };
        self.with(step, |entry| entry.progress = progress);
    }

    fn with(&mut self, step: u32, change: impl FnOnce(&mut Entry)) {
        if let Some(entry) = self.steps.get_mut(&step) {
            change(entry);
        }
    }
}

fn line(event: &Event) -> Result<String> {
    Ok(serde_json::to_string(event)? + "\n")
}

pub(crate) fn hostname() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
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

    fn entry(text: &str, undo: &str) -> Entry {
        Entry::new("a finding", text, &["do it".to_owned()], vec![Undo::command(undo)])
    }

    #[test]
    fn a_step_is_on_the_disk_before_it_is_done_and_nobody_else_reads_it() {
        let state = state();
        let mut journal = Journal::begin(state.path(), "prove", "a finding").expect("journal");
        let step = journal.about_to(entry("state B", "take it back")).expect("written");
        let file = state.path().join(FOLDER).join(&journal.name);
        let text = std::fs::read_to_string(&file).expect("a file");
        assert!(text.ends_with('\n') && text.contains(r#""run":"take it back""#), "{text}");
        assert_eq!(std::fs::metadata(&file).expect("metadata").mode() & 0o777, 0o600);
        assert!(leftovers(state.path()).left.is_empty(), "its process runs");
        journal.done(step, Vec::new()).expect("written");
        drop(journal);
        let found = leftovers(state.path());
        let entries = found.left[0].journal.in_effect();
        assert_eq!(entries[0].1.undo, [Undo::command("take it back")]);
        assert!(!found.left[0].restarted && found.left[0].interrupted().len() == 1);
    }

    #[test]
    fn what_was_taken_back_is_forgotten_and_what_failed_is_not() {
        let state = state();
        let mut journal = Journal::begin(state.path(), "prove", "").expect("journal");
        let (one, two) = (
            journal.about_to(entry("one", "")).expect("written"),
            journal.about_to(entry("two", "")).expect("written"),
        );
        journal.undone(one).expect("written");
        journal.failed(two, "no such file", None).expect("written");
        assert_eq!(journal.in_effect().len(), 1);
        journal.undone(two).expect("written");
        let file = state.path().join(FOLDER).join(&journal.name);
        drop(journal);
        assert!(leftovers(state.path()).left.is_empty() && !file.exists());
    }

    #[test]
    fn what_is_to_stay_was_not_interrupted() {
        let state = state();
        let mut journal = Journal::begin(state.path(), "apply", "a run").expect("journal");
        let one = journal.about_to(entry("one", "back")).expect("written");
        journal.done(one, Vec::new()).expect("written");
        journal.kept("a finding").expect("written");
        let two = Entry { of: "another".into(), ..entry("two", "back") };
        journal.about_to(two).expect("written");
        drop(journal);
        let found = leftovers(state.path());
        let interrupted: Vec<String> =
            found.left[0].interrupted().into_iter().map(|(_, entry)| entry.of).collect();
        assert_eq!((interrupted, found.left[0].journal.in_effect().len()), (vec!["another".to_owned()], 2));
    }

    /// The next start of the host has taken it back, and what it was done to may have another name.
    #[test]
    fn what_a_start_of_the_host_took_back_is_forgotten() {
        let state = state();
        let mut journal = Journal::begin(state.path(), "apply", "a run").expect("journal");
        let now = Entry { until_boot: true, of: "another finding".into(), ..entry("now", "back") };
        journal.about_to(now).expect("written");
        journal.about_to(entry("kept", "back")).expect("written");
        let file = state.path().join(FOLDER).join(&journal.name);
        drop(journal);
        let held =
            || leftovers(state.path()).left.iter().map(|left| left.journal.in_effect().len()).sum::<usize>();
        assert_eq!(held(), 2);
        let text = std::fs::read_to_string(&file).expect("a file");
        std::fs::write(&file, text.replace(&boot(), "another")).expect("a file");
        assert_eq!(held(), usize::from(fullwire_observe::this_machine().is_some()));
    }

    #[test]
    fn a_journal_of_another_host_is_left_as_it_is() {
        let state = state();
        let mut journal = Journal::begin(state.path(), "apply", "a run").expect("journal");
        journal.about_to(entry("one", "back")).expect("written");
        let file = state.path().join(FOLDER).join(&journal.name);
        drop(journal);
        assert_eq!(leftovers(state.path()).left.len(), 1);
        let name = format!("\"hostname\":\"{}\"", hostname());
        let text = std::fs::read_to_string(&file).expect("a file");
        assert!(text.contains(&name), "{text}");
        std::fs::write(&file, text.replace(&name, "\"hostname\":\"another\"")).expect("a file");
        let draft = file.with_extension("draft");
        std::fs::write(&draft, "").expect("a draft");
        let found = leftovers(state.path());
        assert!(!draft.exists(), "a draft that nobody finishes is no journal");
        assert!(found.left.is_empty() && found.unreadable[0].1.contains("another machine") && file.exists());
    }

    #[test]
    fn a_line_that_was_cut_off_is_no_step_and_a_damaged_one_is_told() {
        let state = state();
        let mut journal = Journal::begin(state.path(), "prove", "").expect("journal");
        let step = journal.about_to(entry("one", "back")).expect("written");
        journal.pen.0.write_all(b"{\"event\":\"undone\",\"st\xc3").expect("written");
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
