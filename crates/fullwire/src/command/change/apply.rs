//! `fullwire apply`: the advised steps of a kept run, done on this host, each finding a transaction; and taken back.

use super::{NAME, confirm, row, status};
use crate::cli::ApplyArgs;
use crate::journal::{self, Journal, Left};
use crate::output::Show;
use crate::output::person;
use crate::remedy::present::{self, Present};
use crate::remedy::reach;
use crate::remedy::transaction::{self, Allowed, Ending};
use crate::session::last::of_this_host;
use crate::session::store::read_store;
use crate::signals;
use anyhow::Result;
use fullwire_model::assessment::{Advice, Assessment, Finding, Phase, Risk, Step};
use fullwire_present::json::{AppliedDocument, ApplyDocument};
use fullwire_probe::state::state_dir;
use std::fmt::Write as _;
use std::process::ExitCode;

/// What will be done.
struct ApplyPlan {
    present: Present,
    /// The findings that the run says.
    meant: Vec<Finding>,
    /// As they are now.
    now: Assessment,
    allowed: Allowed,
    /// Why there is nothing to do.
    nothing: Option<&'static str>,
}

pub(crate) fn run(args: &ApplyArgs, show: &Show) -> Result<ExitCode> {
    if args.undo {
        return super::take_back::run(args, show);
    }
    if !args.dry_run && rustix::process::geteuid().is_root() {
        crate::remedy::alone::hold()?;
    }
    let plan = plan(args)?;
    let planned: Vec<AppliedDocument> = plan.meant.iter().map(|finding| planned(&plan, finding)).collect();
    let announced = announcement(&plan, &planned);
    let goes_on = planned.iter().any(|one| one.state == "planned");
    if args.dry_run || !goes_on || !(args.yes || person::is_there()) {
        let document = document(&plan, planned, None);
        show.result(&document, || announced)?;
        if goes_on && !args.dry_run {
            show.note("nothing was changed: without a terminal to ask on, --yes does it");
        }
        return Ok(status(&document, args.dry_run));
    }
    // stdout is for the result.
    announced.lines().for_each(|line| show.note(line));
    confirm(args)?;
    journal::refuse_over_leftovers()?;
    signals::on_signals()?;
    let mut journal = Journal::begin(&state_dir(), NAME, &plan.present.kept.run_id)?;
    let done = carry_out(&plan, &mut journal, show);
    let path = (!journal.in_effect().is_empty()).then(|| journal.path().display().to_string());
    journal.end();
    let document = document(&plan, done, path);
    show.result(&document, || summary(&document))?;
    Ok(status(&document, false))
}

fn plan(args: &ApplyArgs) -> Result<ApplyPlan> {
    let store = read_store(args.store.as_deref())?;
    let kept = of_this_host(&*store, args.run.as_deref().unwrap_or_default(), &args.finding)?;
    let then = fullwire_rules::assess(&kept);
    let meant: Vec<Finding> =
        super::meant(&then, &kept.run_id, &args.finding)?.into_iter().cloned().collect();
    let nothing = meant.is_empty().then(|| super::nothing(&then));
    let present = Present::of(kept, &*store, args.run.as_deref().unwrap_or_default())?;
    let now = present.assessment();
    let done = journal::leftovers(&state_dir()).left.iter().flat_map(commands_in_effect).collect();
    let ssh = reach::ssh_interfaces(&present.run().host);
    Ok(ApplyPlan { present, meant, now, allowed: Allowed { window: args.window, ssh, done }, nothing })
}

/// Commands of this journal that are done and to stay.
fn commands_in_effect(left: &Left) -> Vec<(String, String)> {
    left.journal
        .in_effect()
        .into_iter()
        .filter(|(_, entry)| entry.kept)
        .flat_map(|(_, entry)| entry.run.into_iter().map(move |run| (entry.of.clone(), run)))
        .collect()
}

/// What will become of a finding, as far as nobody has to be asked.
fn planned(plan: &ApplyPlan, meant: &Finding) -> AppliedDocument {
    let Some(finding) = present::again(&plan.now, meant) else {
        return told(meant, "gone", "it does not fire any more", Vec::new());
    };
    let steps = finding.advice.steps.clone();
    match transaction::obstacle(finding, &plan.allowed) {
        _ if transaction::is_in_effect(finding, &plan.allowed) => told(finding, "already-so", "", steps),
        Some(why) => told(finding, "skipped", &why, steps),
        None => told(finding, "planned", "", steps),
    }
}

fn told(finding: &Finding, state: &'static str, why: &str, steps: Vec<Step>) -> AppliedDocument {
    AppliedDocument {
        code: finding.code.clone(),
        subject: finding.subject.clone(),
        state,
        why: why.to_owned(),
        steps,
    }
}

fn document(plan: &ApplyPlan, findings: Vec<AppliedDocument>, journal: Option<String>) -> ApplyDocument {
    ApplyDocument {
        schema: "fullwire.apply/1",
        run_id: plan.present.kept.run_id.clone(),
        hostname: plan.present.kept.host.hostname.clone(),
        findings,
        journal,
    }
}

/// What will be done, and what not and why.
fn announcement(plan: &ApplyPlan, planned: &[AppliedDocument]) -> String {
    let kept = &plan.present.kept;
    let at = kept.started.strftime("%Y-%m-%d %H:%M UTC");
    let mut text = row(&format!("On {}, for run {} of {at}:", kept.host.hostname, kept.run_id));
    if let Some(nothing) = plan.nothing {
        text += &row(&format!("  {nothing}"));
    }
    if let Some(void) = plan.present.void {
        let told = "what was measured does not count, only what the host itself shows now";
        text += &row(&format!("  {void}: {told}."));
    }
    for one in planned.iter().filter(|one| one.state == "planned") {
        text.push('\n');
        text += &row(&format!("{}: {}", one.code, one.subject));
        let advice = Advice { steps: one.steps.clone(), ..Advice::default() };
        for step in &one.steps {
            text.push_str(&drawn(&advice, step));
        }
    }
    let mut left_out = planned.iter().filter(|one| one.state != "planned").peekable();
    if left_out.peek().is_some() {
        text.push_str("\nNot done:\n");
    }
    for one in left_out {
        text += &row(&format!("  {}: {}: {}", one.code, one.subject, reason(one)));
        // What somebody must do elsewhere or by hand is told.
        for step in one.steps.iter().filter(|step| one.state == "skipped" && !step.is_here()) {
            let run = step.run.as_deref().unwrap_or(&step.text);
            text += &row(&format!("      on {}: {run}", step.on));
        }
    }
    text.push('\n');
    text
}

fn reason(one: &AppliedDocument) -> &str {
    match one.state {
        "already-so" => "all of it is in effect already",
        _ => &one.why,
    }
}

/// A step with what must be true before it and what tells that it took effect.
fn drawn(advice: &Advice, step: &Step) -> String {
    let mut text = String::new();
    let mut line = |word: &str, what: &str| {
        text += &row(&format!("  {word:<12}{what}"));
    };
    let place = if step.is_here() { String::new() } else { format!("on {}: ", step.on) };
    if step.phase != Phase::Undo {
        step.needs.iter().for_each(|needs| line("you tell", needs));
        step.checks.iter().for_each(|check| line("check", &check.run));
    }
    let word = match step.phase {
        Phase::Now => "now",
        Phase::Persist => "permanent",
        Phase::Undo => "undo",
    };
    match step.command() {
        Some(run) => line(word, &format!("{place}{run}")),
        None => line(word, &format!("{place}by hand: {}", step.text)),
    }
    if step.phase != Phase::Undo {
        if advice.risk_of(step) > Risk::Online {
            line("", &transaction::cost(advice, step));
        }
        if let Some(check) = &step.read_back {
            line(if step.phase == Phase::Persist { "next boot" } else { "read back" }, check);
        }
    }
    text
}

fn carry_out(plan: &ApplyPlan, journal: &mut Journal, show: &Show) -> Vec<AppliedDocument> {
    let mut done = Vec::new();
    for meant in &plan.meant {
        // What one finding changes may end another, or be what another finds before it.
        let now = plan.present.assessment();
        let Some(finding) = present::again(&now, meant) else {
            done.push(told(meant, "gone", "it does not fire any more", Vec::new()));
            continue;
        };
        show.note(&transaction::name(finding));
        let shown = present::again(&plan.now, meant).map(|shown| transaction::commands(&shown.advice));
        let ending = match () {
            () if signals::raised() => Ending::Skipped("interrupted".to_owned()),
            // Whoever agreed has agreed to what was shown.
            () if shown != Some(transaction::commands(&finding.advice)) => Ending::Skipped(
                "what is to be done has changed since it was shown: run apply again".to_owned(),
            ),
            () => {
                let tell = |text: &str| show.note(&format!("  {text}"));
                match transaction::apply(journal, finding, &plan.allowed, &tell) {
                    Ok(ending) => ending,
                    // What cannot be written down is not done, and nothing after it.
                    Err(error) => {
                        let why = format!(
                            "{}; it may be in effect in part, nothing more was done: make room, `fullwire clean` shows what takes it back",
                            crate::sentence(&error)
                        );
                        let steps = finding.advice.steps.clone();
                        done.push(told(finding, "not-taken-back", &why, steps));
                        return done;
                    }
                }
            }
        };
        let (state, why) = match &ending {
            Ending::Applied => ("applied", ""),
            Ending::AlreadySo => ("already-so", ""),
            Ending::Skipped(why) => ("skipped", why.as_str()),
            Ending::Failed(why) => ("failed", why.as_str()),
            Ending::Stuck(why) => ("not-taken-back", why.as_str()),
        };
        done.push(told(finding, state, why, finding.advice.steps.clone()));
    }
    done
}

fn summary(document: &ApplyDocument) -> String {
    let mut text = String::new();
    for one in &document.findings {
        text.push_str(&super::line(one));
        if one.state == "failed" {
            text.push_str("                what was done of it was taken back\n");
        }
    }
    match &document.journal {
        Some(journal) => {
            let _ = writeln!(text, "\nTo take it back: fullwire apply --undo   (journal: {journal})");
        }
        None => text.push_str("\nNothing is changed.\n"),
    }
    text
}
