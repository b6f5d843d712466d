//! `fullwire disk`: measure storage.

use crate::cli::value::Extent;
use crate::cli::{DiskArgs, OperationArg};
use crate::output::Show;
use crate::output::progress::Progress;
use crate::session;
use crate::session::Session;
use crate::session::disk_target::{self, Kind, amount};
use crate::session::experiment::Budget;
use crate::session::outcome::FinishedRun;
use crate::signals;
use crate::usage;
use anyhow::{Result, bail};
use fullwire_model::disk::{DiskPlan, DiskStep, Operation, Pattern};
use fullwire_present::{json, terminal};
use fullwire_probe::disk::{PROFILES, ProfileOptions, plan_quick, profile, sweep};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const INTERVAL_NS: u64 = 250_000_000;
const STEP: Duration = Duration::from_secs(3);

pub(crate) fn run(args: &DiskArgs, show: &Show) -> Result<ExitCode> {
    if args.profile.iter().any(|name| name == "list") {
        Show::text(&profiles())?;
        return Ok(ExitCode::SUCCESS);
    }
    let stop = signals::on_signals()?;
    let outcome = measured(args, show, &stop)?;
    let run = &outcome.run;
    let documents = json::disk(run, &outcome.assessment);
    let Some(document) = documents.first() else { bail!("nothing was measured on {}", target_name(args)) };
    outcome.show(show, document, || terminal::report(&outcome.report()).render(true))?;
    outcome.keep(&args.keep, show);
    Ok(outcome.exit_code_of_probes(args.judge.fail_on))
}

/// The measurement, judged; nothing is shown or kept.
pub(crate) fn measured(args: &DiskArgs, show: &Show, stop: &AtomicBool) -> Result<FinishedRun> {
    let Some(target) = &args.target else {
        return usage::wrong("no target: give a directory, a file or a block device");
    };
    let kind = disk_target::look(target);
    let plan = plan(args, target, kind)?;
    announce(&plan, kind, show);
    disk_target::consent(&plan, args.yes)?;
    let mut session = Session::live("disk", &args.keep)?;
    session.judge_by(&args.judge, &[])?;
    session.budget = Budget::of(args.budget.unwrap_or_default());
    session.run.command.expect_disk = args.expect_disk.unwrap_or_default();
    session.observe(&[]);
    let progress = Progress::new(show, Duration::from_nanos(expected_ns(&plan)));
    session::disk::measure(&mut session, &plan, &progress, stop)?;
    drop(progress);
    Ok(session.finish())
}

/// What the steps take, their repeats included.
fn expected_ns(plan: &DiskPlan) -> u64 {
    let steps = plan.steps.iter();
    steps.map(|step| step.duration_ns.max(1_000_000_000) * u64::from(step.repeats.max(1))).sum()
}

fn target_name(args: &DiskArgs) -> String {
    args.target.as_ref().map(|target| target.display().to_string()).unwrap_or_default()
}

/// Every profile and what it stands for.
fn profiles() -> String {
    let lines: Vec<String> =
        PROFILES.iter().map(|profile| format!("{:<14} {}", profile.name, profile.about)).collect();
    lines.join("\n") + "\n"
}

/// What will be written is said before it is.
fn announce(plan: &DiskPlan, kind: Kind, show: &Show) {
    let target = &plan.target;
    let limit = match plan.max_bytes {
        0 => String::new(),
        bytes => format!(", and at most {} in total", amount(bytes)),
    };
    if !plan.steps.is_empty() && plan.destroy.is_some() {
        let size = amount(plan.size_bytes);
        show.note(&format!("overwrites at most {size} of {target}, and zeroes them at the end{limit}"));
    }
    if !matches!(kind, Kind::Directory { .. }) {
        // What is refused takes no time.
        let writes = plan.steps.iter().any(|step| step.operation != Operation::Read);
        let refused = kind == Kind::Unknown || (writes && plan.destroy.is_none());
        if !plan.steps.is_empty() && !refused {
            show.note(&format!("{target}: {}", whole_time(plan)));
        }
        return;
    }
    if !plan.steps.is_empty() {
        let size = amount(plan.size_bytes);
        let time = write_time(plan);
        let note = format!("writes and removes a private file of at most {size} in {target}{limit}{time}");
        show.note(&format!("{note}; {}", whole_time(plan)));
    }
    let small = plan.small_files.iter().map(|files| files.files * files.max_bytes).max().unwrap_or(0);
    if small > 0 {
        show.note(&format!("makes and removes small files, at most {} at a time", amount(small)));
    }
    if plan.bonnie_bytes > 0 {
        let size = amount(plan.bonnie_bytes);
        show.note(&format!("writes bonnie's file of {size} three times, and removes it"));
    }
}

/// `12 min in all: 4 steps, 3 times each`: what is asked for one step is multiplied by what a profile has.
fn whole_time(plan: &DiskPlan) -> String {
    let repeats = plan.steps.iter().map(|step| step.repeats.max(1)).max().unwrap_or(1);
    let steps = match plan.steps.len() {
        1 => "1 step".to_owned(),
        steps => format!("{steps} steps"),
    };
    let each = if repeats > 1 { format!(", {repeats} times each") } else { String::new() };
    let time = fullwire_present::format::duration(expected_ns(plan) as f64 / 1e9);
    let sized = plan.steps.iter().any(|step| step.duration_ns == 0);
    let about = if sized { "at least " } else { "" };
    format!("{about}{time} in all: {steps}{each}")
}

/// How long steps write into the file: how much that is, the device says.
fn write_time(plan: &DiskPlan) -> String {
    let writes = plan.steps.iter().filter(|step| step.operation != Operation::Read);
    let ns: u64 = writes.map(|step| step.duration_ns.saturating_mul(u64::from(step.repeats.max(1)))).sum();
    if ns == 0 {
        return String::new();
    }
    format!("; the tests write to it for {}", fullwire_present::format::duration(ns as f64 / 1e9))
}

/// Without a word about the I/O: the quick look. With one: exactly that.
fn plan(args: &DiskArgs, target: &Path, kind: Kind) -> Result<DiskPlan> {
    if args.read_share.is_some() && !matches!(args.operation, Some(OperationArg::Mixed)) {
        return usage::wrong("--read-share applies to --operation mixed");
    }
    let overwritten = kind == Kind::Existing && args.destroy.is_some();
    let target = usage::utf8(target)?;
    let mut plan = if overwritten { plan_quick(&target) } else { disk_target::quick(&target, kind) };
    plan.max_bytes = args.max_bytes.unwrap_or(0);
    plan.destroy.clone_from(&args.destroy);
    if let Some(size_bytes) = args.size {
        disk_target::check_size(size_bytes, kind, &plan.target)?;
        plan.size_bytes = size_bytes;
        // The quick look lays out what a second or two allow; a size that was requested is made.
        plan.layout_limit_ns = 0;
    }
    if !args.sweep.is_empty() {
        plan.steps = sweep_steps(args, plan.size_bytes)?;
        plan.sweep.clone_from(&args.sweep);
    } else if !args.profile.is_empty() {
        plan.steps = Vec::new();
        add_profiles(args, &mut plan)?;
    } else if is_custom(args) {
        plan.steps = vec![custom_step(args)];
        check_block(args)?;
    } else {
        for step in &mut plan.steps {
            step.repeats = args.repeats;
            set_extent(step, args.duration);
        }
    }
    Ok(plan)
}

/// The smallest sector: no device takes less of it directly.
const SECTOR_BYTES: u64 = 512;

/// Direct I/O is of whole sectors; what a device asks beyond that is seen when it is open.
fn check_block(args: &DiskArgs) -> Result<()> {
    match args.block {
        Some(bytes) if !args.buffered && (bytes == 0 || !bytes.is_multiple_of(SECTOR_BYTES)) => {
            usage::wrong(format!(
                "--block {bytes}: direct I/O needs a multiple of {SECTOR_BYTES} bytes; --buffered takes any"
            ))
        }
        _ => Ok(()),
    }
}

fn is_custom(args: &DiskArgs) -> bool {
    args.operation.is_some()
        || args.pattern.is_some()
        || args.block.is_some()
        || args.depth.is_some()
        || args.threads.is_some()
}

fn add_profiles(args: &DiskArgs, plan: &mut DiskPlan) -> Result<()> {
    let duration_ns = match args.duration {
        Some(Extent::Time(duration)) => u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX),
        _ => u64::try_from(STEP.as_nanos()).unwrap_or(u64::MAX),
    };
    let options = ProfileOptions { duration_ns, repeats: args.repeats, interval_ns: INTERVAL_NS };
    for name in &args.profile {
        match profile(name) {
            Some(known) => known.add_to(plan, &options),
            None => {
                return usage::wrong(format!(
                    "there is no profile {name}; `fullwire disk --profile list` lists all"
                ));
            }
        }
    }
    fit_files(args, plan)
}

/// The profiles that write their own files obey `--size` and `--max-bytes` as well. How long their tests take follows
/// from their files alone.
fn fit_files(args: &DiskArgs, plan: &mut DiskPlan) -> Result<()> {
    if args.duration.is_some() && plan.steps.is_empty() {
        return usage::wrong(format!(
            "--duration does not apply to {}: its tests end with their files; use --size",
            args.profile.join(" and ")
        ));
    }
    if let Some(files) = args.files {
        if plan.small_files.is_empty() && plan.bonnie_bytes == 0 {
            return usage::wrong("--files needs --profile fs-small or bonnie, which make small files");
        }
        plan.small_files.iter_mut().for_each(|one| one.files = files);
        plan.bonnie_files = files;
    }
    if let Some(size_bytes) = args.size.filter(|_| plan.bonnie_bytes > 0) {
        plan.bonnie_bytes = size_bytes;
    }
    if let Some(most) = args.max_bytes {
        plan.bonnie_bytes = plan.bonnie_bytes.min(most / 3);
    }
    let most = args.size.into_iter().chain(args.max_bytes).min();
    for files in plan.small_files.iter_mut().filter(|files| files.max_bytes > 0) {
        let fit = most.map_or(files.files, |most| most / files.max_bytes);
        files.files = files.files.min(fit).max(u64::from(files.threads));
    }
    Ok(())
}

fn sweep_steps(args: &DiskArgs, size_bytes: u64) -> Result<Vec<DiskStep>> {
    let base = custom_step(args);
    let mut steps = Vec::new();
    for what in &args.sweep {
        match sweep::steps(what, &base, size_bytes) {
            Some(found) => steps.extend(found),
            None => {
                return usage::wrong(format!(
                    "cannot sweep over {what}: block, depth, threads or working-set"
                ));
            }
        }
    }
    Ok(steps)
}

fn custom_step(args: &DiskArgs) -> DiskStep {
    let mut step = DiskStep {
        profile: "custom".into(),
        operation: args.operation.map_or(Operation::Read, Into::into),
        read_share: args.read_share.unwrap_or(0.7),
        pattern: args.pattern.map_or_else(|| usual_pattern(args), Into::into),
        block_bytes: args.block.unwrap_or(8 << 10),
        queue_depth: args.depth.unwrap_or(1),
        threads: args.threads.unwrap_or(1),
        engine: args.engine.into(),
        direct: !args.buffered,
        sync: args.sync.into(),
        duration_ns: u64::try_from(STEP.as_nanos()).unwrap_or(u64::MAX),
        rate_per_s: args.rate.unwrap_or(0.0),
        interval_ns: INTERVAL_NS,
        repeats: args.repeats,
        ..DiskStep::default()
    };
    set_extent(&mut step, args.duration);
    step
}

/// How many I/Os a device takes at once is asked for single blocks: in order they would be merged on their way.
fn usual_pattern(args: &DiskArgs) -> Pattern {
    if args.sweep.iter().any(|over| over == "depth") { Pattern::Random } else { Pattern::Sequential }
}

fn set_extent(step: &mut DiskStep, extent: Option<Extent>) {
    match extent {
        Some(Extent::Time(duration)) => {
            (step.duration_ns, step.duration_bytes) =
                (u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX), 0);
        }
        Some(Extent::Bytes(bytes)) => (step.duration_ns, step.duration_bytes) = (0, bytes),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser as _;

    /// The plan of a command line for a directory with 50 GB available.
    fn planned(words: &[&str]) -> Result<DiskPlan> {
        let Command::Disk(args) = Cli::parse_from([&["fullwire", "disk", "/data"], words].concat()).command
        else {
            panic!("not disk: {words:?}");
        };
        plan(&args, Path::new("/data"), Kind::Directory { available_bytes: 50_000_000_000 })
    }

    #[test]
    fn every_profile_writes_no_more_than_it_was_asked_for() {
        for profile in PROFILES {
            let words = ["--profile", profile.name, "--size", "16M"];
            let plan = planned(&words).unwrap();
            let bytes = disk_target::written_bytes(&plan);
            let most = if plan.bonnie_bytes > 0 { 3 * (16 << 20) } else { 16 << 20 };
            assert!(bytes <= most, "{}: {bytes}", profile.name);
            let capped = planned(&["--profile", profile.name, "--max-bytes", "30M"]).unwrap();
            assert!(capped.bonnie_bytes <= 10 << 20 && capped.max_bytes == 30 << 20, "{}", profile.name);
            let error = planned(&["--profile", profile.name, "--size", "100T"]).unwrap_err();
            assert!(usage::is_usage(&error), "{}: {error:#}", profile.name);
        }
        assert_eq!(
            planned(&["--size", "20G"]).unwrap().layout_limit_ns,
            0,
            "a size that was asked for is made"
        );
    }
}
