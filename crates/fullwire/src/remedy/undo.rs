//! A step taken back by what the journal holds, and by nothing else.

use super::{files, person, shell};
use crate::journal::{Entry, Journal};
use anyhow::{Result, bail};

/// Takes a step back and writes so.
pub(crate) fn step(journal: &mut Journal, number: u32, entry: &Entry) -> Result<()> {
    entry_alone(entry)?;
    journal.undone(number)
}

/// Takes a step back: by its commands, where there is something to take back; then the files that it changed have the bytes
/// that they had.
pub(crate) fn entry_alone(entry: &Entry) -> Result<()> {
    let now = files::save(&entry.writes)?;
    for undo in &entry.undo {
        let is_back = undo.is_back.as_deref();
        if is_back.is_some_and(shell::holds) {
            continue;
        }
        match &undo.run {
            Some(run) => shell::run(run)?,
            None if person::agrees(&format!("by hand: {}. Is it done?", undo.text)) => {}
            None => bail!("by hand: {}", undo.text),
        }
        if let Some(check) = is_back.filter(|check| !shell::comes_to_hold(check)) {
            bail!("it is not as it was before: {check} fails");
        }
    }
    files::restore(&entry.before, entry.after.as_deref(), &now)
}
