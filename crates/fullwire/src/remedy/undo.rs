//! A step taken back by what the journal holds, and by nothing else.

use super::own::{self, Kept};
use super::{files, person, shell};
use crate::journal::{Entry, Journal, Pen};
use crate::output::Show;
use anyhow::{Result, bail};
use std::fmt::Write as _;

/// Takes a step back and writes so.
pub(crate) fn step(journal: &mut Journal, number: u32, entry: &Entry) -> Result<()> {
    by(journal.pen(), number, entry)?;
    journal.was_undone(number);
    Ok(())
}

/// Takes a step back: by its commands, where there is something to take back; then the files that it changed have the bytes
/// that they had.
pub(crate) fn by(pen: &mut Pen, number: u32, entry: &Entry) -> Result<()> {
    let ours = own::of_step(entry, &files::save(&entry.writes)?);
    // A disk that is full keeps nobody from taking a change back.
    let _ = pen.undoing(number);
    let undone = commands(pen, entry).and_then(|()| own::restore(entry, &ours));
    let told = pen.undo_came_to(number, undone.as_ref().err());
    for Kept { path, lacks } in undone? {
        let mut text = format!(
            "{} was changed by someone else since: what fullwire wrote there was taken out, and the rest is left as it is",
            path.display()
        );
        if !lacks.is_empty() {
            let _ = write!(text, "; it lacks what stood there before: {}", lacks.join(" | "));
        }
        Show::warn(&text);
    }
    told
}

fn commands(pen: &Pen, entry: &Entry) -> Result<()> {
    for undo in &entry.undo {
        let is_back = undo.is_back.as_deref();
        if is_back.is_some_and(shell::holds) {
            continue;
        }
        match &undo.run {
            Some(run) => shell::run(run, pen.lock()?)?,
            None if person::agrees(&format!("by hand: {}. Is it done?", undo.text)) => {}
            None => bail!("by hand: {}", undo.text),
        }
        if let Some(check) = is_back.filter(|check| !shell::comes_to_hold(check)) {
            bail!("it is not as it was before: {check} fails");
        }
    }
    Ok(())
}
