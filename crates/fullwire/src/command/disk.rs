//! `fullwire disk`: measure storage.

use crate::cli::value::Extent;
use crate::cli::{DiskArgs, EngineArg, FailOn, OperationArg, PatternArg, SyncArg};
use crate::progress::Progress;
use crate::session::Session;
use crate::show::{Show, exit_code};
use crate::{stop, storage};
use anyhow::{Context, Result, bail};
use fullwire_model::disk::{DiskPlan, DiskStep, Engine, Operation, Pattern, Sync};
use fullwire_present::{Report, json, terminal};
use fullwire_probe::disk::{PROFILES, ProfileOptions, bonnie_table, plan_quick, profile, sweep};
use std::process::ExitCode;
use std::time::Duration;

const INTERVAL_NS: u64 = 250_000_000;
const STEP: Duration = Duration::from_secs(3);

pub(crate) fn run(args: &DiskArgs, show: &Show) -> Result<ExitCode> {
    if args.profile.iter().any(|name| name == "list") {
        Show::text(&profiles())?;
        return Ok(ExitCode::SUCCESS);
    }
    let stop = stop::on_signals()?;
    let mut session = Session::live("disk", &args.keep)?;
    session.judge_by(&args.judge, &[])?;
    session.observe(&[]);
    let plan = plan(args)?;
    announce(&plan, show);
    let expected: u64 = plan
        .steps
        .iter()
        .map(|step| step.duration_ns.max(1_000_000_000) * u64::from(step.repeats.max(1)))
        .sum();
    let progress = Progress::new(show, Duration::from_nanos(expected));
    storage::measure(&mut session, &plan, &progress, &stop)?;
    drop(progress);

    let (run, assessment) = session.finish(&args.keep)?;
    let documents = json::disk(&run, &assessment);
    let Some(document) = documents.first() else {
        bail!("nothing was measured on {}", args.target.display())
    };
    show.result(document, || {
        let report = terminal::disk(&Report::new(&run, &assessment)).render(true);
        let table = run.disk.first().and_then(|result| result.bonnie.as_ref()).map(bonnie_table);
        report + &table.map(|table| format!("\n{table}")).unwrap_or_default()
    })?;
    Ok(exit_code(&assessment, args.judge.fail_on.unwrap_or(FailOn::Never)))
}

/// Every profile and what it stands for.
fn profiles() -> String {
    let lines: Vec<String> =
        PROFILES.iter().map(|profile| format!("{:<14} {}", profile.name, profile.about)).collect();
    lines.join("\n") + "\n"
}

/// What will be written is said before it is.
fn announce(plan: &DiskPlan, show: &Show) {
    let mib = |bytes: u64| bytes >> 20;
    if !plan.steps.is_empty() && plan.size_bytes > 0 {
        let limit = if plan.max_bytes > 0 {
            format!(", and no more than {} MiB in all", mib(plan.max_bytes))
        } else {
            String::new()
        };
        let size = mib(plan.size_bytes);
        let target = &plan.target;
        show.note(&if plan.destroy.is_some() {
            format!("at most {size} MiB of {target} are overwritten, and zeroed in the end{limit}")
        } else {
            format!("a private file of at most {size} MiB is written and removed where {target} is a directory{limit}")
        });
    }
    let small: u64 = plan.small_files.iter().map(|files| files.files * files.max_bytes).max().unwrap_or(0);
    if small > 0 {
        show.note(&format!("small files of at most {} MiB at a time are made and removed", mib(small)));
    }
    if plan.bonnie_bytes > 0 {
        show.note(&format!(
            "bonnie's file of {} MiB, twice the memory, is written three times and removed",
            mib(plan.bonnie_bytes)
        ));
    }
}

/// Without a word about the I/O: the quick look. With one: exactly that.
fn plan(args: &DiskArgs) -> Result<DiskPlan> {
    let target = args.target.display().to_string();
    let mut plan = plan_quick(&target);
    plan.size_bytes = args.size.unwrap_or(plan.size_bytes);
    plan.max_bytes = args.max_bytes.unwrap_or(0);
    plan.destroy.clone_from(&args.destroy);
    if !args.sweep.is_empty() {
        plan.steps = sweep_steps(args, plan.size_bytes)?;
        plan.sweep.clone_from(&args.sweep);
    } else if !args.profile.is_empty() {
        plan.steps = Vec::new();
        add_profiles(args, &mut plan)?;
    } else if is_custom(args) {
        plan.steps = vec![custom_step(args)];
    } else {
        for step in &mut plan.steps {
            step.repeats = args.repeats;
            set_extent(step, args.duration);
        }
    }
    Ok(plan)
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
        let known = profile(name)
            .with_context(|| format!("no profile is called {name}; `--profile list` names them all"))?;
        known.add_to(plan, &options);
    }
    Ok(())
}

fn sweep_steps(args: &DiskArgs, size_bytes: u64) -> Result<Vec<DiskStep>> {
    let base = custom_step(args);
    let mut steps = Vec::new();
    for what in &args.sweep {
        let found = sweep::steps(what, &base, size_bytes);
        steps
            .extend(found.with_context(|| {
                format!("cannot sweep over {what}: block, depth, threads or working-set")
            })?);
    }
    Ok(steps)
}

fn custom_step(args: &DiskArgs) -> DiskStep {
    let mut step = DiskStep {
        profile: "custom".into(),
        operation: match args.operation.unwrap_or(OperationArg::Read) {
            OperationArg::Read => Operation::Read,
            OperationArg::Write => Operation::Write,
            OperationArg::Mixed => Operation::Mixed,
        },
        read_share: args.read_share / 100.0,
        pattern: match args.pattern.unwrap_or(PatternArg::Sequential) {
            PatternArg::Sequential => Pattern::Sequential,
            PatternArg::Random => Pattern::Random,
        },
        block_bytes: args.block.unwrap_or(8 << 10),
        queue_depth: args.depth.unwrap_or(1),
        threads: args.threads.unwrap_or(1),
        engine: match args.engine {
            EngineArg::Auto => Engine::Auto,
            EngineArg::IoUring => Engine::IoUring,
            EngineArg::Plain => Engine::Plain,
        },
        direct: !args.buffered,
        sync: match args.sync {
            SyncArg::None => Sync::None,
            SyncArg::Dsync => Sync::Dsync,
            SyncArg::Osync => Sync::Osync,
            SyncArg::Fdatasync => Sync::Fdatasync,
            SyncArg::Fsync => Sync::Fsync,
        },
        duration_ns: u64::try_from(STEP.as_nanos()).unwrap_or(u64::MAX),
        rate_per_s: args.rate.unwrap_or(0.0),
        interval_ns: INTERVAL_NS,
        repeats: args.repeats,
        ..DiskStep::default()
    };
    set_extent(&mut step, args.duration);
    step
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
