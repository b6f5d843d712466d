//! `fullwire clean`: what an interrupted run left behind.

use crate::cli::CleanArgs;
use crate::journal::{self, Left, Undo};
use crate::output::Show;
use crate::remedy::transaction::Allowed;
use crate::remedy::{reach, undo};
use anyhow::Result;
use fullwire_present::json::{ChangedDocument, CleanDocument};
use fullwire_probe::{disk, state};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;

pub(crate) fn run(args: &CleanArgs, show: &Show) -> Result<ExitCode> {
    if args.undo {
        crate::remedy::alone::hold()?;
    }
    let place = state::state_dir();
    let report = disk::clean(&place);
    let leftovers = journal::leftovers(&place);
    let ssh = if args.undo { reach::ssh_interfaces_now()? } else { BTreeSet::new() };
    let allowed = args.undo.then(|| Allowed { window: args.window, ssh, ..Allowed::default() });
    let changed: Vec<ChangedDocument> =
        leftovers.left.into_iter().flat_map(|left| changes(allowed.as_ref(), left)).collect();
    let told = |entries: &[(PathBuf, String)]| -> BTreeMap<String, String> {
        entries.iter().map(|(path, what)| (path.display().to_string(), what.clone())).collect()
    };
    let document = CleanDocument {
        schema: "fullwire.clean/1",
        removed: report.removed.iter().map(|path| path.display().to_string()).collect(),
        failed: told(&report.failed).into_iter().chain(leftovers.unreadable).collect(),
        overwritten: told(&report.overwritten),
        changed,
    };
    show.result(&document, || document.removed.iter().map(|path| format!("removed {path}\n")).collect())?;
    for (path, reason) in &document.failed {
        Show::warn(&format!("{path} is still there: {reason}"));
    }
    for (device, what) in &document.overwritten {
        Show::warn(&format!("{device}: {what}"));
    }
    for change in &document.changed {
        tell(change, show);
    }
    for journal in &leftovers.running {
        Show::warn(&format!(
            "a change of this host is still under way, by fullwire or by a command of it that goes on after a kill: {}",
            journal.display()
        ));
    }
    let nothing = document.failed.is_empty()
        && document.overwritten.is_empty()
        && document.changed.is_empty()
        && leftovers.running.is_empty();
    if document.removed.is_empty() && nothing {
        show.note("nothing was left behind");
    }
    let done = document.failed.is_empty()
        && document.overwritten.is_empty()
        && document.changed.iter().all(|change| change.undone);
    Ok(ExitCode::from(if done { 0 } else { 3 }))
}

/// What a journal holds, taken back if that was asked for.
fn changes(allowed: Option<&Allowed>, mut left: Left) -> Vec<ChangedDocument> {
    let since = if left.restarted {
        "; the host was restarted since, which takes back what does not last"
    } else {
        ""
    };
    let mut changes = Vec::new();
    for (step, entry) in left.interrupted() {
        let told = allowed.map(|allowed| undo::later(&mut left.journal, step, &entry, allowed));
        if let Some(Err(error)) = &told {
            Show::warn(&format!("not taken back: {}", crate::sentence(error)));
        }
        let undone = matches!(told, Some(Ok(())));
        changes.push(ChangedDocument {
            by: left.by.clone(),
            what: format!("{} ({}){since}", entry.of, entry.text),
            undo: entry.undo.iter().map(Undo::shown).collect(),
            undone,
        });
    }
    left.journal.end();
    changes
}

fn tell(change: &ChangedDocument, show: &Show) {
    let ChangedDocument { by, what, undo, undone } = change;
    if *undone {
        show.note(&format!("taken back: {what}"));
        return;
    }
    Show::warn(&format!(
        "an interrupted {by} left {what}. To take it back: fullwire clean --undo, or by hand:"
    ));
    for command in undo {
        Show::warn(&format!("  {command}"));
    }
}
