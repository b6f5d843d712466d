//! `fullwire prove`: a designed experiment that says whether a change helped, and by how much.

use crate::cli::{Cli, Command, DiskArgs, NetArgs, ProveArgs};
use crate::command::change::no_finding;
use crate::experiment::{self, Design, Done, State};
use crate::output::Show;
use crate::output::person;
use crate::peer::reached::LOOPBACK;
use crate::remedy::led::led_elsewhere;
use crate::remedy::present::{self, Present};
use crate::remedy::shell;
use crate::session::alike::alike;
use crate::session::last::of_this_host;
use crate::session::outcome::FinishedRun;
use crate::session::store::{Store, open_store, read_store};
use crate::{command, journal, sides, signals, usage};
use anyhow::{Context, Result, bail};
use clap::Parser as _;
use fullwire_compare::statistics::{Compare, detectable, scatter_of_neighbours};
use fullwire_compare::{Options, compare, series::series, settings};
use fullwire_model::assessment::{
    Amount, Assessment, Finding, PathAssessment, PathKind, Phase, Risk, Step, StepKind,
};
use fullwire_model::comparison::{self, Comparison, Promise, Proof, SettingChange};
use fullwire_model::disk::{DiskResult, DiskStepResult};
use fullwire_model::format::counted;
use fullwire_model::host::Host;
use fullwire_model::net::NetMode;
use fullwire_model::{MeasurementId, Run};
use fullwire_present::{ComparisonReport, comparison_sentence, json, terminal};
use jiff::Timestamp;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Smaller files tell little of a disk.
const SMALLEST_FILE: u64 = 16 << 20;
/// One measurement of a remedy: long enough for a rate to settle, short enough for a dozen.
const LENGTH: &str = "3s";

/// What will be done.
struct ProofPlan {
    finding: Option<String>,
    a: Vec<String>,
    b: Vec<String>,
    /// What only a person can tell to be so.
    needs: Vec<String>,
    promised: Option<Amount>,
    /// The measurement in words.
    words: Vec<String>,
    measurement: Measurement,
    /// Earlier runs of the same measurement: their scatter says what can be seen.
    earlier: Vec<Run>,
}

enum Measurement {
    Net(Box<NetArgs>),
    Disk(Box<DiskArgs>),
}

pub(crate) fn run(args: &ProveArgs, show: &Show) -> Result<ExitCode> {
    let plan = plan(args)?;
    let announced = announcement(args, &plan);
    if args.dry_run {
        Show::text(&announced)?;
        return Ok(ExitCode::SUCCESS);
    }
    // stdout is for the result.
    announced.lines().for_each(|line| show.note(line));
    confirm(args, &plan)?;
    journal::refuse_over_leftovers()?;
    let stop = signals::on_signals()?;
    let id = Timestamp::now().strftime("prove-%Y%m%d-%H%M%S").to_string();
    let began = Timestamp::now();
    let done = experiment(args, &plan, &id, show, &stop)?;
    let mut proof = conclude(args, &plan, &done, began);
    let comparison = &mut proof.comparison;
    if comparison.comparisons.is_empty() && comparison.refused.is_none() {
        comparison.refused = Some("the experiment ended before both states were measured".into());
    }
    let report = ComparisonReport::new(&proof.comparison);
    show.result(&json::prove(&proof), || terminal::prove(&proof, &report).render(true))?;
    show.note(&format!("the runs are kept as {id}-a and {id}-b: fullwire diff {id}-a {id}-b"));
    end(args, &proof, &done)
}

/// A change that could not be taken back is an error, whatever was measured.
fn end(args: &ProveArgs, proof: &Proof, done: &Done) -> Result<ExitCode> {
    if let Some(why) = &done.restore_failed {
        bail!("the state without the change could not be restored ({why}); run by hand: {}", proof.a_command);
    }
    if !proof.restored {
        Show::warn("the host is not in its original state:");
        for SettingChange { field, a, b, .. } in &proof.unrestored {
            let said = |value: &Option<String>| value.clone().unwrap_or_else(|| "absent".into());
            Show::warn(&format!("  {field}: was {}, is {}", said(a), said(b)));
        }
    }
    if signals::raised() {
        Show::warn("interrupted: the state without the change was restored");
        return Ok(ExitCode::from(signals::INTERRUPTED));
    }
    if let Some(why) = &done.ended {
        bail!("the experiment ended early, and the state without the change was restored: {why}");
    }
    Ok(command::compare::diff::exit_code(&proof.comparison, &args.how))
}

fn plan(args: &ProveArgs) -> Result<ProofPlan> {
    let (Some(a), Some(b)) = (&args.a, &args.b) else { return plan_of_finding(args) };
    if args.measurement.is_empty() {
        return usage::wrong("say what to measure: `-- net …` or `-- disk …`");
    }
    let measurement = measurement(&args.measurement)?;
    let store = read_store(args.store.as_deref()).ok();
    let like = store.as_deref().and_then(|store| newest_like(store, &measurement));
    let earlier = match (store.as_deref(), &like) {
        (Some(store), Some(like)) => [alike(store, like, &[])?, vec![like.clone()]].concat(),
        _ => Vec::new(),
    };
    Ok(ProofPlan {
        finding: None,
        a: vec![a.clone()],
        b: vec![b.clone()],
        needs: Vec::new(),
        promised: None,
        words: args.measurement.clone(),
        measurement,
        earlier,
    })
}

/// The newest kept run that measured the target with this command.
fn newest_like(store: &Store, measurement: &Measurement) -> Option<Run> {
    let (command, target) = match measurement {
        Measurement::Net(net) => ("net", net.target.to_string()),
        Measurement::Disk(disk) => ("disk", disk.target.as_ref()?.to_str()?.to_owned()),
    };
    let filter = fullwire_store::Filter {
        command: Some(command.into()),
        target: Some(target),
        limit: Some(1),
        ..fullwire_store::Filter::default()
    };
    let entry = store.history(&filter).ok()?.into_iter().next()?;
    store.load(&entry.run_id).ok()
}

fn plan_of_finding(args: &ProveArgs) -> Result<ProofPlan> {
    let code = args.finding.as_deref().unwrap_or_default();
    let store = read_store(args.store.as_deref())?;
    // The command line of a run may send a file, keep its runs anywhere, or write to a device.
    if args.measurement.is_empty() && !store.is_own() {
        return usage::wrong(
            "the run lies in a store that others can write to: say what to measure after -- (`net …` or `disk …`)",
        );
    }
    let run = of_this_host(&*store, &args.run, &[code.to_owned()])?;
    let assessment = fullwire_rules::assess(&run);
    let Some(finding) = assessment.findings.iter().find(|finding| finding.code == code) else {
        bail!(no_finding(code, &run.run_id, &assessment.findings));
    };
    // What is run comes from the rules as they judge this host now, as with `apply`.
    let present = Present::of(run.clone(), &*store, &args.run)?;
    let now = present.assessment();
    let Some(again) = present::again(&now, finding) else {
        bail!("{code} does not fire any more on this host: there is nothing to prove");
    };
    let (a, b) = commands(again)?;
    check_unchanged(&run, &present.run().host, &a, &b)?;
    let words = match &args.measurement[..] {
        [] => default_measurement(&run, &assessment, finding)?,
        words => words.to_vec(),
    };
    let measurement = measurement(&words)?;
    let earlier = [alike(&*store, &run, &[])?, vec![run.clone()]].concat();
    Ok(ProofPlan {
        finding: Some(code.to_owned()),
        a,
        b,
        needs: again.advice.phase(Phase::Now).flat_map(|step| step.needs.clone()).collect(),
        promised: promised(&assessment, code),
        words,
        measurement,
        earlier,
    })
}

/// The commands of a remedy and of its undo. What keeps a change after a reboot is no part of the experiment.
fn commands(finding: &Finding) -> Result<(Vec<String>, Vec<String>)> {
    let code = &finding.code;
    let steps = |phase| finding.advice.phase(phase).filter(|step: &&Step| is_of_a_state(step));
    let all: Vec<&Step> = steps(Phase::Now).chain(steps(Phase::Undo)).collect();
    if let Some(step) = all.iter().find(|step| !step.is_here()) {
        bail!(
            "the fix of {code} must be applied on {}: use --a and --b with commands that reach it (ssh)",
            step.on
        );
    }
    if let Some(step) = all.iter().find(|step| step.risk() != Risk::Online) {
        bail!(
            "the fix of {code} interrupts the service ({}): compare runs before and after with `fullwire diff`, at least four on each side, on two days, with --control and a path that it cannot touch",
            step.text
        );
    }
    let by_hand = |phase| steps(phase).find(|step| step.run.is_none());
    if let Some(step) = by_hand(Phase::Now).or_else(|| by_hand(Phase::Undo)) {
        bail!("the fix of {code} has a manual step ({}): use --a and --b", step.text);
    }
    let mut led = all.iter().filter_map(|step| step.run.as_deref()).filter_map(led_elsewhere);
    if let Some(why) = led.next() {
        bail!("the fix of {code} is not done by a command: {why}");
    }
    let checks = steps(Phase::Now).flat_map(|step| &step.checks);
    if let Some(check) = checks.into_iter().find(|check| !shell::holds(&check.run)) {
        bail!("the fix of {code} needs this first: {} ({} says that it is not so)", check.text, check.run);
    }
    let runs = |phase| -> Vec<String> {
        steps(phase).filter_map(|step| Some(step.command()?.to_string())).collect()
    };
    let (a, b) = (runs(Phase::Undo), runs(Phase::Now));
    if a.is_empty() || b.is_empty() {
        bail!("the fix of {code} has no pair of commands that make and undo the change: use --a and --b");
    }
    Ok((a, b))
}

/// What only looks sets no state; what takes back only what was kept for the next boot finds nothing to take back.
fn is_of_a_state(step: &Step) -> bool {
    step.kind != StepKind::Look && (step.phase != Phase::Undo || step.undoes.contains(&Phase::Now))
}

/// The figures of the run are compared with: if what the commands set has changed since, they say nothing of it.
fn check_unchanged(run: &Run, now: &Host, a: &[String], b: &[String]) -> Result<()> {
    let named = |field: &str| a.iter().chain(b).any(|command| command.contains(field));
    let differs = settings::differences(&run.host, now).into_iter().map(|one| one.change);
    match differs.into_iter().find(|change| named(&change.field)) {
        None => Ok(()),
        Some(change) => bail!(
            "{} was {} in run {} and is {} now: measure again, so that the undo fits",
            change.field,
            change.a.as_deref().unwrap_or("absent"),
            run.run_id,
            change.b.as_deref().unwrap_or("absent")
        ),
    }
}

/// What the assessment expects of the path once this cause is gone.
fn promised(assessment: &Assessment, code: &str) -> Option<Amount> {
    let causes = assessment.paths.iter().flat_map(|path| &path.causes);
    let after = causes.filter(|cause| cause.code == code).find_map(|cause| cause.after.clone())?;
    Some(Amount { value: after.low.unwrap_or(after.value), unit: after.unit })
}

/// The run's own command where it measured one thing; else what the finding is about.
fn default_measurement(run: &Run, assessment: &Assessment, finding: &Finding) -> Result<Vec<String>> {
    let arguments = &run.command.arguments;
    let whole = matches!(run.command.name.as_str(), "net" | "disk")
        && arguments.first() == Some(&run.command.name)
        && arguments.iter().all(|argument| !argument.contains('…'));
    if whole {
        return Ok(arguments.clone());
    }
    let explained = finding.explains.first();
    let subject = explained.map(|one| one.path.clone()).or_else(|| finding.path.clone());
    let path = assessment
        .paths
        .iter()
        .find(|path| subject.as_ref().is_none_or(|subject| path.is_called(subject)))
        .with_context(|| {
            format!("{} concerns no path that was measured: say what to measure after --", finding.code)
        })?;
    if path.target.as_str() == LOOPBACK {
        bail!("{} concerns loopback: say what to measure after --", finding.code);
    }
    // The figure that the verdict is of, where the finding explains it.
    let mut explains = finding.explains.iter().filter(|one| path.is_called(&one.path));
    let judged = explains.any(|one| one.covers(&path.target, &path.measurement));
    let measurement = match explained.and_then(|one| one.measurements.first()) {
        Some(first) if !judged => first,
        _ => &path.measurement,
    };
    let mut words = match path.kind {
        PathKind::Network => vec!["net".to_owned(), path.target.to_string()],
        PathKind::Storage => vec!["disk".to_owned(), path.target.to_string()],
    };
    let mut add = |more: &[&str]| words.extend(more.iter().map(|word| (*word).to_owned()));
    if path.kind == PathKind::Network {
        let mut results = run.net_measurements();
        let asked = results.find(|(id, one)| path.is_called(&one.target) && id == measurement);
        if let Some((_, result)) = asked {
            if result.mode == NetMode::Sync {
                add(&["--mode", "sync"]);
            }
            if result.streams > 1 {
                add(&["--streams", &result.streams.to_string()]);
            }
            if result.reverse {
                add(&["--reverse"]);
            }
        }
        add(&["--duration", LENGTH]);
    } else if let Some((result, step)) = step_of(run, path, measurement) {
        words.extend(step_words(result, step));
    }
    Ok(words)
}

/// The step of a storage result that a measurement is.
fn step_of<'a>(
    run: &'a Run,
    path: &PathAssessment,
    measurement: &MeasurementId,
) -> Option<(&'a DiskResult, &'a DiskStepResult)> {
    let mut of_path = run.disk_of(&path.target);
    of_path.find_map(|result| Some((result, result.measurements().find(|(id, _)| id == measurement)?.1)))
}

/// The options of `fullwire disk` for one step.
fn step_words(result: &DiskResult, step: &DiskStepResult) -> Vec<String> {
    let mut words = Vec::new();
    let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
    add("--operation", step.operation.name().to_owned());
    add("--pattern", step.pattern.name().to_owned());
    add("--block", step.block_bytes.to_string());
    add("--depth", step.queue_depth.to_string());
    add("--threads", step.threads.to_string());
    add("--sync", step.sync.name().to_owned());
    if let Some(share) = step.read_share {
        add("--read-share", format!("{:.0}", share * 100.0));
    }
    if result.working_set_bytes > 0 {
        // A file that a slower state can lay out as well: both states are to ask the same.
        add("--size", (result.working_set_bytes / 2).max(SMALLEST_FILE).to_string());
    }
    add("--duration", LENGTH.to_owned());
    // The pairs repeat it.
    add("--repeats", "1".to_owned());
    if !step.direct {
        words.push("--buffered".to_owned());
    }
    words
}

/// `net …` and `disk …` as on the command line.
fn measurement(words: &[String]) -> Result<Measurement> {
    let parsed = Cli::try_parse_from(std::iter::once("fullwire".to_owned()).chain(words.iter().cloned()));
    match parsed.map(|cli| cli.command) {
        Ok(Command::Net(mut net)) => {
            if net.freq.is_some() || net.window_sweep {
                return usage::wrong(
                    "--freq and --window-sweep cannot be used here: an experiment repeats one measurement",
                );
            }
            if net.budget.is_some() {
                return usage::wrong(SAME_QUESTIONS);
            }
            // Slow start is not the path's rate.
            let is_stream = matches!(net.mode, crate::cli::Mode::Async);
            if is_stream && net.warmup.is_zero() {
                net.warmup = Duration::from_secs(1);
            }
            Ok(Measurement::Net(Box::new(net)))
        }
        Ok(Command::Disk(mut disk)) => {
            if disk.budget.is_some() {
                return usage::wrong(SAME_QUESTIONS);
            }
            disk.yes = true;
            Ok(Measurement::Disk(Box::new(disk)))
        }
        Ok(_) => usage::wrong(format!("cannot measure `{}`: `net …` or `disk …`", words.join(" "))),
        Err(error) => usage::wrong(error.render().to_string().trim_end()),
    }
}

impl Measurement {
    fn once(&self, show: &Show, stop: &Arc<AtomicBool>) -> Result<FinishedRun> {
        match self {
            Self::Net(args) => command::net::measured(args, show, stop),
            Self::Disk(args) => command::disk::measured(args, show, stop),
        }
    }

    fn is_kept(&self) -> bool {
        match self {
            Self::Net(args) => !args.keep.no_store,
            Self::Disk(args) => !args.keep.no_store,
        }
    }
}

/// Experiments depend on what was seen before.
const SAME_QUESTIONS: &str = "--budget cannot be used here: both states are asked the same questions";

/// What will be done, and what it can see.
fn announcement(args: &ProveArgs, plan: &ProofPlan) -> String {
    let mut text = String::from("An experiment on this host:\n");
    let mut list = |head: &str, commands: &[String]| {
        for command in commands {
            let _ = writeln!(text, "  {head}  {command}");
        }
    };
    list("A, without the change:", &plan.a);
    list("B, with the change:   ", &plan.b);
    let _ = writeln!(text, "  measured each time:     fullwire {}", plan.words.join(" "));
    let order: String = experiment::order(args.pairs)
        .concat()
        .iter()
        .map(|state| if *state == State::A { 'A' } else { 'B' })
        .collect();
    let _ = writeln!(text, "  order:                  {order}");
    let _ = writeln!(text, "  {}", visible(args.pairs, &plan.earlier));
    if let Some(promised) = &plan.promised {
        let value = fullwire_present::format::value(promised.value, promised.unit);
        let _ = writeln!(text, "  promised:               {value}");
    }
    text.push_str("At the end, after an error and after a signal that can be caught the host is left in state A; after kill -9 or a power loss `fullwire clean` shows the commands that set it.\n\n");
    text
}

/// The smallest change that this many pairs see, as far as the scatter of earlier runs is known.
fn visible(pairs: u32, earlier: &[Run]) -> String {
    match pairs {
        0..3 => return format!("{pairs} pairs cannot give an answer: use at least 6"),
        3..6 => {
            return format!(
                "{pairs} pairs show only a change far outside their own scatter: 6 show smaller ones"
            );
        }
        6.. => {}
    }
    let all = series(&earlier.iter().collect::<Vec<_>>(), &fullwire_compare::Deltas::default());
    let logarithms =
        all.first().map(|series| series.points.iter().map(|point| point.value.ln()).collect::<Vec<_>>());
    if let Some(of_pair) = logarithms.and_then(|values| scatter_of_neighbours(&values)) {
        let scatter = of_pair.exp_m1();
        let seen = detectable(pairs, of_pair, Compare::Pairs).map_or(f64::INFINITY, f64::exp_m1);
        format!(
            "earlier runs differ from one to the next by {}: {pairs} pairs detect changes from {}",
            fullwire_present::format::percent(scatter),
            fullwire_present::format::percent(seen)
        )
    } else {
        let factor = detectable(pairs, 1.0, Compare::Pairs).unwrap_or(f64::INFINITY);
        format!(
            "the scatter is not known from earlier runs: {pairs} pairs detect changes of {factor:.1} times the difference between two runs"
        )
    }
}

fn confirm(args: &ProveArgs, plan: &ProofPlan) -> Result<()> {
    if let Some(needs) =
        plan.needs.iter().find(|needs| !person::agrees(&format!("Needed: {needs}. Is it so?")))
    {
        if person::is_there() {
            bail!("not confirmed, nothing was changed: {needs}");
        }
        bail!("nothing was changed: only a person at a terminal can confirm what the change needs: {needs}");
    }
    if args.yes {
        return Ok(());
    }
    if !person::is_there() {
        return usage::wrong(
            "there is no terminal, so the question cannot be asked: --yes skips it, --dry-run only shows the plan",
        );
    }
    if person::agrees("Continue?") {
        return Ok(());
    }
    bail!("not confirmed, nothing was changed")
}

fn experiment(
    args: &ProveArgs,
    plan: &ProofPlan,
    id: &str,
    show: &Show,
    stop: &Arc<AtomicBool>,
) -> Result<Done> {
    let design = Design {
        a: &plan.a,
        b: &plan.b,
        begins_in_a: plan.finding.is_some(),
        pairs: args.pairs,
        settle: args.settle,
        about: plan.finding.clone().unwrap_or_else(|| plan.b.join(" && ")),
    };
    let quiet = show.without_notes();
    let mut measure = |state: State, pair: u32| -> Result<FinishedRun> {
        let letter = if state == State::A { 'a' } else { 'b' };
        show.note(&format!("pair {}, {}", pair + 1, letter.to_uppercase()));
        let mut outcome = plan.measurement.once(&quiet, stop)?;
        outcome.run.tag = Some(format!("{id}-{letter}"));
        outcome.run.command.experiment = true;
        if plan.measurement.is_kept() {
            let kept = open_store(args.store.as_deref()).and_then(|mut store| Ok(store.keep(&outcome.run)?));
            if let Err(error) = kept {
                Show::warn(&format!("not kept: {}", crate::sentence(&error)));
            }
        }
        Ok(outcome)
    };
    experiment::run(&design, stop, &mut measure)
}

fn conclude(args: &ProveArgs, plan: &ProofPlan, done: &Done, began: Timestamp) -> Proof {
    let (a, b): (Vec<&Run>, Vec<&Run>) = (done.a.iter().collect(), done.b.iter().collect());
    let mut comparison = compare(
        &a,
        &b,
        &Options {
            design: comparison::Design::Abba,
            deltas: sides::deltas(&args.how),
            conclude: Some(&sides::conclusions),
            ..Options::default()
        },
    );
    (comparison.a_name, comparison.b_name) = ("without the change".into(), "with it".into());
    if done.disturbed_pairs > 0 {
        comparison.caveats.push(format!(
            "{} discarded: other load differed between the two runs of a pair",
            counted(done.disturbed_pairs, "pair")
        ));
    }
    let restored = done.restore_failed.is_none() && done.unrestored.is_empty();
    let promised = plan.promised.map(|amount| Promise {
        value: amount.value,
        unit: amount.unit,
        kept: kept_promise(&comparison, amount),
    });
    let mut proof = Proof {
        finding: plan.finding.clone(),
        a_command: plan.a.join(" && "),
        b_command: plan.b.join(" && "),
        promised,
        order: done.order.clone(),
        restored,
        unrestored: done.unrestored.clone(),
        disturbed_pairs: done.disturbed_pairs,
        comparison,
        ..Proof::default()
    };
    proof.ticket = ticket(&proof, done, began);
    proof
}

/// The figure with the change came up to what was promised, within a twentieth or its own noise.
fn kept_promise(comparison: &Comparison, promised: Amount) -> Option<bool> {
    const NEAR: f64 = 0.95;
    let compared = comparison.primaries().find(|compared| compared.unit == promised.unit)?;
    let reached = compared.b.high.or(compared.b.median)?;
    Some(reached >= NEAR * promised.value)
}

/// One paragraph that stands by itself.
fn ticket(proof: &Proof, done: &Done, began: Timestamp) -> String {
    let Some(primary) = proof.comparison.primaries().next() else { return String::new() };
    let host = done.b.last().map_or("", |run| run.host.hostname.as_str());
    let (from, to) = (began.strftime("%Y-%m-%d %H:%M"), Timestamp::now().strftime("%H:%M UTC"));
    let mut text = format!(
        "{host}, {from} to {to}: `{}` against `{}`, {} pairs in the order {}. {}",
        proof.b_command,
        proof.a_command,
        done.a.len(),
        proof.order,
        comparison_sentence(primary),
    );
    if let Some(promise) = &proof.promised {
        let value = fullwire_present::format::value(promise.value, promise.unit);
        let came = match promise.kept {
            Some(true) => "was reached",
            Some(false) => "was not reached",
            None => "was not measured",
        };
        let _ = write!(text, " The predicted {value} {came}.");
    }
    text.push_str(if proof.restored {
        " The original state was restored."
    } else {
        " The original state was NOT restored."
    });
    text
}
