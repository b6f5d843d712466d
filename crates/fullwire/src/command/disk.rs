//! `fullwire disk`: measure storage.

use crate::cli::value::Extent;
use crate::cli::{DiskArgs, EngineArg, FailOn, OperationArg, PatternArg, SyncArg};
use crate::progress::Progress;
use crate::session::Session;
use crate::show::{Show, exit_code};
use crate::{stop, storage};
use anyhow::{Result, bail};
use fullwire_model::disk::{DiskPlan, DiskStep, Engine, Operation, Pattern, Sync};
use fullwire_present::{Report, json, terminal};
use fullwire_probe::disk::plan_quick;
use std::process::ExitCode;
use std::time::Duration;

const INTERVAL_NS: u64 = 250_000_000;
const STEP: Duration = Duration::from_secs(3);

pub(crate) fn run(args: &DiskArgs, show: &Show) -> Result<ExitCode> {
    let stop = stop::on_signals()?;
    let mut session = Session::live("disk", &args.keep)?;
    session.judge_by(&args.judge, &[])?;
    session.observe(&[]);
    let plan = plan(args)?;
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
    show.result(document, || terminal::disk(&Report::new(&run, &assessment)).render(true))?;
    Ok(exit_code(&assessment, args.judge.fail_on.unwrap_or(FailOn::Never)))
}

/// Without a word about the I/O: the quick look. With one: exactly that.
fn plan(args: &DiskArgs) -> Result<DiskPlan> {
    let target = args.target.display().to_string();
    let custom = args.operation.is_some()
        || args.pattern.is_some()
        || args.block.is_some()
        || args.depth.is_some()
        || args.threads.is_some();
    let mut plan = plan_quick(&target);
    if custom {
        plan.steps = vec![custom_step(args)];
    } else {
        for step in &mut plan.steps {
            step.repeats = args.repeats;
            set_extent(step, args.duration);
        }
    }
    plan.size_bytes = args.size.unwrap_or(plan.size_bytes);
    plan.max_bytes = args.max_bytes.unwrap_or(0);
    plan.destroy.clone_from(&args.destroy);
    Ok(plan)
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
