//! `fullwire apply --undo`: what the journals of apply hold and nothing else, the last change first.

use super::{FAILED, NAME, confirm, row, status};
use crate::cli::ApplyArgs;
use crate::journal::{self, Entry, Left};
use crate::output::Show;
use crate::output::person;
use crate::remedy::transaction::Allowed;
use crate::remedy::{reach, undo};
use crate::session::store::read_store;
use crate::{signals, usage};
use anyhow::Result;
use fullwire_present::json::{AppliedDocument, ApplyDocument};
use fullwire_probe::state::state_dir;
use std::process::ExitCode;

/// What is taken back.
struct TakeBackPlan {
    run_id: Option<String>,
    journals: Vec<Left>,
    codes: Vec<String>,
    /// A journal could not be read: it may hold more.
    is_cut: bool,
}

pub(super) fn run(args: &ApplyArgs, show: &Show) -> Result<ExitCode> {
    if !args.dry_run && rustix::process::geteuid().is_root() {
        crate::remedy::alone::hold()?;
    }
    let mut plan = plan(args)?;
    let announced = announcement(&plan);
    if announced.is_empty() {
        show.note("the journal holds nothing to take back");
        return Ok(ExitCode::from(if plan.is_cut { FAILED } else { 0 }));
    }
    if args.dry_run {
        Show::text(&announced)?;
        return Ok(ExitCode::SUCCESS);
    }
    announced.lines().for_each(|line| show.note(line));
    if !args.yes && !person::is_there() {
        return usage::wrong("there is no terminal to ask on: --yes takes it back, --dry-run only shows it");
    }
    confirm(args)?;
    signals::on_signals()?;
    let allowed = Allowed { window: args.window, ssh: reach::ssh_interfaces_now()?, ..Allowed::default() };
    let findings = take_back(&mut plan, &allowed);
    let journal = plan.journals.iter().find(|left| !left.journal.in_effect().is_empty());
    let document = ApplyDocument {
        schema: "fullwire.apply/1",
        run_id: plan.run_id.clone().unwrap_or_default(),
        hostname: String::new(),
        findings,
        journal: journal.map(|left| left.journal.path().display().to_string()),
    };
    plan.journals.into_iter().for_each(|left| left.journal.end());
    show.result(&document, || document.findings.iter().map(super::line).collect())?;
    Ok(if plan.is_cut { ExitCode::from(FAILED) } else { status(&document, false) })
}

fn plan(args: &ApplyArgs) -> Result<TakeBackPlan> {
    let found = journal::leftovers(&state_dir());
    for (path, why) in &found.unreadable {
        Show::warn(&format!("{path}: {why}"));
    }
    let run_id = match &args.run {
        Some(name) => Some(read_store(args.store.as_deref())?.load(name)?.run_id),
        None => None,
    };
    let is_meant = |left: &Left| left.by == NAME && run_id.as_ref().is_none_or(|id| left.about == *id);
    let mut journals: Vec<Left> = found.left.into_iter().filter(is_meant).collect();
    journals.reverse();
    Ok(TakeBackPlan { run_id, journals, codes: args.finding.clone(), is_cut: !found.unreadable.is_empty() })
}

/// Code and subject of the finding that a step is of.
fn finding_of(entry: &Entry) -> (&str, &str) {
    entry.of.split_once(": ").unwrap_or((&entry.of, ""))
}

impl TakeBackPlan {
    /// Steps of a journal that are meant, the last one first.
    fn steps(&self, left: &Left) -> Vec<(u32, Entry)> {
        let is_meant = |entry: &Entry| {
            self.codes.is_empty() || self.codes.iter().any(|code| code == finding_of(entry).0)
        };
        left.journal.in_effect().into_iter().filter(|(_, entry)| is_meant(entry)).collect()
    }
}

fn announcement(plan: &TakeBackPlan) -> String {
    let mut text = String::new();
    for (_, entry) in plan.journals.iter().flat_map(|left| plan.steps(left)) {
        text += &row(&format!("{}: {}", entry.of, entry.text));
        for one in &entry.undo {
            text += &row(&format!("  undo        {}", one.shown()));
        }
        for file in &entry.before {
            text += &row(&format!("  as before   {}", file.path.display()));
        }
    }
    text
}

/// One entry for each finding; a step that is not taken back counts for all of it.
fn take_back(plan: &mut TakeBackPlan, allowed: &Allowed) -> Vec<AppliedDocument> {
    let mut findings: Vec<AppliedDocument> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let meant: Vec<Vec<(u32, Entry)>> = plan.journals.iter().map(|left| plan.steps(left)).collect();
    for (left, steps) in plan.journals.iter_mut().zip(meant) {
        for (number, entry) in steps {
            if signals::raised() {
                return findings;
            }
            let (code, subject) = finding_of(&entry);
            let failed = undo::later(&mut left.journal, number, &entry, allowed).err();
            let at = names.iter().position(|name| *name == entry.of);
            let at = at.unwrap_or_else(|| {
                names.push(entry.of.clone());
                findings.push(AppliedDocument {
                    code: code.to_owned(),
                    subject: subject.to_owned(),
                    state: "taken-back",
                    why: String::new(),
                    steps: Vec::new(),
                });
                findings.len() - 1
            });
            if let Some(error) = failed {
                (findings[at].state, findings[at].why) = ("not-taken-back", crate::sentence(&error));
            }
        }
    }
    findings
}
