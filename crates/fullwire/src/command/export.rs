//! `fullwire export`: a kept run or the end of a recording, judged by today's rules, for monitoring and CI. Measures
//! nothing.

use crate::cli::ExportArgs;
use crate::command::rules::{card, cards};
use crate::output::{Show, write_file, write_to};
use crate::recorder::{RECORDED, end_of};
use crate::session::store::{Store, read_store};
use crate::usage;
use anyhow::{Context, Result};
use fullwire_model::assessment::Assessment;
use fullwire_model::quantity::QuantityError;
use fullwire_model::{PathName, Run};
use fullwire_present::export::{self, Scope, ServiceState};
use fullwire_present::json::RuleCard;
use fullwire_present::{Printed, csv, format};
use fullwire_store::Filter;
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// This many kept runs are looked through for one of this host.
const LOOKED_AT: u32 = 200;

/// Commands whose runs say what this host is like now.
const OF_THIS_HOST: [&str; 6] = ["assess", "check", "net", "mtu", "disk", "redo"];

pub(crate) fn run(args: &ExportArgs) -> Result<ExitCode> {
    let (text, status) = match load(args) {
        Ok(judged) => drawn(args, &judged),
        Err(error) => match unknown(args, &crate::sentence(&error)) {
            Some(told) => told,
            None => return Err(error),
        },
    };
    match &args.output {
        None => write_to(Path::new("-"), &text)?,
        // Everyone may read it, for collectors run as their own users.
        Some(path) => write_file(path, &text, 0o644)?,
    }
    Ok(ExitCode::from(status))
}

/// A run, what is concluded from it, and what was to be left out.
pub(crate) struct JudgedRun {
    pub(crate) run: Run,
    pub(crate) assessment: Assessment,
    waived: Vec<String>,
}

fn load(args: &ExportArgs) -> Result<JudgedRun> {
    let (mut run, earlier) = match &args.recording {
        Some(recording) => (end_of(recording, args.window)?, Vec::new()),
        None => kept(args)?,
    };
    let mut waived = Vec::new();
    if args.format.junit || args.format.sarif {
        // What was waived is listed as waived, and not as if it were not there.
        waived = std::mem::take(&mut run.command.ignored);
    }
    let mut assessment = fullwire_rules::assess(&run);
    export::add_earlier(&mut run, &mut assessment, judged(earlier));
    Ok(JudgedRun { run, assessment, waived })
}

/// The newest run, and earlier ones of other paths.
fn kept(args: &ExportArgs) -> Result<(Run, Vec<Run>)> {
    let store = read_store(args.store.as_deref())?;
    match &args.run {
        Some(name) => Ok((store.load(name)?, Vec::new())),
        None => last_of_each(&*store, args.max_age)?.context(
            "no run of this host is kept; make one with `fullwire check` or `assess`, or choose one with --run",
        ),
    }
}

fn judged(runs: Vec<Run>) -> Vec<(Run, Assessment)> {
    let with = |run: Run| {
        let assessment = fullwire_rules::assess(&run);
        (run, assessment)
    };
    runs.into_iter().map(with).collect()
}

/// What is known of this host now: its last run judged, with the last unbroken run of each path that this one has not
/// measured. `None`: no run of the live host is kept.
pub(crate) fn newest(store: &Store, max_age: Duration) -> Result<Option<(Run, Assessment)>> {
    let Some((mut run, earlier)) = last_of_each(store, max_age)? else { return Ok(None) };
    let mut assessment = fullwire_rules::assess(&run);
    export::add_earlier(&mut run, &mut assessment, judged(earlier));
    Ok(Some((run, assessment)))
}

/// The last run that was made on the live host (not one of a captured tree or of the database's reports), nor of an
/// experiment), without what broke, and the runs before it with the paths alone that no later one has measured. A path that was measured longer ago
/// than `max_age` is left out: nobody knows what it carries now.
fn last_of_each(store: &Store, max_age: Duration) -> Result<Option<(Run, Vec<Run>)>> {
    let entries = store.history(&Filter { limit: Some(LOOKED_AT), ..Filter::default() })?;
    let mut known: BTreeSet<PathName> = BTreeSet::new();
    let mut newest: Option<Run> = None;
    let mut earlier = Vec::new();
    // A history of redo alone is of no host.
    let of_this_host = |entry: &&fullwire_model::history::Entry| {
        OF_THIS_HOST.contains(&entry.command.as_str())
            && (entry.command != "redo" || !entry.targets.is_empty())
    };
    for entry in entries.iter().filter(of_this_host) {
        let old = Timestamp::now().duration_since(entry.finished).as_secs_f64() > max_age.as_secs_f64();
        let targets: BTreeSet<PathName> = entry.targets.iter().map(|name| name.as_str().into()).collect();
        let tells = !old && targets.iter().any(|target| !known.contains(target));
        if newest.is_some() && !tells {
            continue;
        }
        let mut run = store.load(&entry.run_id)?;
        let other = newest.as_ref().is_some_and(|first| first.host.hostname != run.host.hostname);
        if run.host.captured || run.command.experiment || other {
            continue;
        }
        let whole: BTreeSet<PathName> = targets.into_iter().filter(|target| is_whole(&run, target)).collect();
        keep_only(&mut run, |target| whole.contains(target) && !known.contains(target));
        known.extend(whole);
        match newest {
            None => newest = Some(run),
            Some(_) => earlier.push(run),
        }
    }
    Ok(newest.map(|run| (run, earlier)))
}

/// It was measured to its end, and has a figure: a path MTU, small files and bonnie's table are no rate of the path.
fn is_whole(run: &Run, target: &PathName) -> bool {
    let cut = run.net.iter().any(|one| one.target == *target && one.incomplete.is_some());
    let net = run.net.iter().any(|one| one.target == *target);
    let disk = run.disk.iter().any(|one| one.target == *target && !one.steps.is_empty());
    !run.is_interrupted() && !cut && (net || disk)
}

fn keep_only(run: &mut Run, wanted: impl Fn(&PathName) -> bool) {
    run.net.retain(|one| wanted(&one.target));
    run.disk.retain(|one| wanted(&one.target));
    run.mtu.retain(|one| wanted(&one.target));
    run.peers.retain(|one| wanted(&one.target));
}

/// The text, and the exit status.
fn drawn(args: &ExportArgs, judged: &JudgedRun) -> (Printed, u8) {
    let JudgedRun { run, assessment, waived } = judged;
    let scope = if args.all { Scope::All } else { Scope::Usual };
    let families = || export::families(run, assessment, scope);
    let too_old = too_old(run, args.max_age);
    let wanted = args.format;
    let text = if wanted.nagios {
        let (text, state) = export::nagios(run, assessment, too_old.as_deref());
        return (text, state.number());
    } else if wanted.openmetrics {
        export::text(&families())
    } else if wanted.checkmk {
        export::checkmk(Ok((run, assessment)), too_old.as_deref())
    } else if wanted.zabbix {
        export::zabbix(run, assessment, &families(), args.zabbix_host.as_deref())
    } else if wanted.junit {
        export::junit(run, assessment, &rules(assessment), waived, |severity| {
            args.fail_on.reached_by(severity)
        })
    } else if wanted.sarif {
        export::document(&export::sarif(run, assessment, &rules(assessment), waived))
    } else if wanted.otlp_json {
        export::document(&export::otlp(run, &families()))
    } else {
        csv::runs([run])
    };
    (text, 0)
}

/// How old the run or recording is, when that is too old.
fn too_old(run: &Run, max_age: Duration) -> Option<String> {
    let age = Timestamp::now().duration_since(run.finished);
    let seconds = age.as_secs_f64();
    let what = if run.command.name == RECORDED { "the end of the recording" } else { "the last run" };
    (seconds > max_age.as_secs_f64()).then(|| format!("{what} is {} old", format::duration(seconds)))
}

/// What a monitor gets when there is no run: its own state. For others it is a failure.
fn unknown(args: &ExportArgs, reason: &str) -> Option<(Printed, u8)> {
    if args.format.nagios {
        let (text, state) = export::nagios_unknown(reason);
        return Some((text, state.number()));
    }
    args.format.checkmk.then(|| (export::checkmk(Err(reason), None), 0))
}

/// Every rule, and what made the findings that no rule makes.
fn rules(assessment: &Assessment) -> Vec<RuleCard> {
    let mut rules = cards();
    for finding in &assessment.findings {
        let listed = rules.iter().any(|rule| rule.code == finding.code);
        rules.extend(fullwire_rules::rule(&finding.code).filter(|_| !listed).map(card));
    }
    rules
}

/// A mistake on a plugin's command line: Nagios takes status 2 for a broken service, so it is 3, with the first line
/// where it is read.
pub(crate) fn plugin_mistake(arguments: &[String], error: &clap::Error) -> Option<ExitCode> {
    let is = |word: &str| arguments.iter().any(|argument| argument == word);
    if !(is("export") && is("--nagios")) {
        return None;
    }
    let text = error.to_string();
    let first = remedy(error);
    let first =
        first.as_deref().unwrap_or_else(|| text.lines().next().unwrap_or("").trim_start_matches("error: "));
    let shown = if error.use_stderr() { export::nagios_unknown(first).0 } else { Printed::lines(&text) };
    let _ = write_to(Path::new("-"), &shown);
    Some(ExitCode::from(ServiceState::Unknown.number()))
}

/// `--max-age 26: give a time with its unit`: a pager cuts the line, so what to write comes first.
fn remedy(error: &clap::Error) -> Option<String> {
    let wrong = std::error::Error::source(error)?.downcast_ref::<QuantityError>()?;
    let option = error.get(clap::error::ContextKind::InvalidArg)?.to_string();
    let option = option.split(' ').next()?;
    Some(format!("{option} {}: give {}", wrong.given, wrong.expected))
}

/// `fullwire monitoring`: the dashboard and the alert rules, from the same names.
pub(crate) fn monitoring(folder: &Path, show: &Show) -> Result<ExitCode> {
    usage::utf8(folder)?;
    let dashboard = export::document(&export::dashboard());
    for (name, text) in [("grafana-dashboard.json", dashboard), ("prometheus-alerts.yml", export::alerts())] {
        let path = folder.join(name);
        write_file(&path, &text, 0o644)?;
        show.note(&format!("wrote {}", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}
