//! `fullwire check`: audit without load.

use super::file;
use crate::cli::CheckArgs;
use crate::demand;
use crate::output::{Show, open};
use crate::session::Session;
use crate::signals;
use anyhow::{Context as _, Result, bail};
use fullwire_demand::import::Options;
use fullwire_model::host::Host;
use fullwire_observe::Root;
use fullwire_present::{json, terminal};
use std::path::Path;
use std::process::ExitCode;

/// No source of a host was found.
fn is_nothing(host: &Host) -> bool {
    let named = !host.hostname.is_empty() || !host.os.kernel_release.is_empty();
    let counted = host.cpu.online > 0 || host.memory.total_bytes.is_some();
    let listed = !host.mounts.is_empty() || !host.nics.is_empty() || !host.disks.is_empty();
    let pieces = !host.multipath.is_empty() || !host.bonds.is_empty() || !host.kernel_log.is_empty();
    !named && !counted && !listed && !pieces && host.sysctls.is_empty()
}

/// A folder, a packed one, or a pipe that brings a packed one.
fn tree(path: &Path) -> Result<Root> {
    if path.is_dir() {
        return Ok(Root::tree(path)?);
    }
    let file = open(path).with_context(|| format!("open {}", path.display()))?;
    Ok(Root::packed(file, path)?)
}

pub(crate) fn run(args: &CheckArgs, show: &Show) -> Result<ExitCode> {
    // Until it is read, a signal ends the program: a pipe may never end.
    let root = args.root.as_deref().map(tree).transpose()?;
    signals::on_signals()?;
    let mut session = match root {
        Some(root) => Session::on(root, "check", &args.keep),
        None => Session::live("check", &args.keep)?,
    };
    session.judge_by(&args.judge, &args.only)?;
    session.run.command.sga_bytes = args.sga;
    demand::read_views(&mut session, &args.views)?;
    session.observe(&[]);
    let small = args.root.as_deref().filter(|root| root.is_dir()).and_then(|root| {
        file::of_small_tree(
            root,
            Options {
                today: Some(jiff::Zoned::now().date()),
                known: fullwire_rules::KNOWN_LINES,
                ..Options::default()
            },
        )
    });
    let told = small.as_ref().is_some_and(|found| !found.is_empty()) || session.run.views.is_some();
    if let Some(found) = small {
        found.into_session(&mut session);
    }
    if let Some(root) = &args.root
        && !told
        && is_nothing(&session.run.host)
    {
        bail!(
            "{} contains no host data: expected a `fullwire capture`, a sosreport, a supportconfig, or a tree with proc and sys",
            root.display()
        );
    }
    match args.root {
        // A sosreport has no window: it tells levels, and no rates.
        Some(_) if session.captured_window() => {}
        None if !args.window.is_zero() => session.idle(args.window),
        _ => session.glance(),
    }
    let as_of = session.captured_at();
    let mut outcome = session.finish();
    outcome
        .answer
        .extend(as_of.map(|at| format!("As the host was on {}.", at.strftime("%Y-%m-%d at %H:%M UTC"))));
    let document = json::check(&outcome.run, &outcome.assessment);
    outcome.show(show, &document, || {
        let mut text = terminal::report(&outcome.report()).render(true);
        if args.explain {
            text.push_str(&super::rules::explanations(&outcome.assessment));
        }
        text
    })?;
    outcome.keep(&args.keep, show);
    Ok(outcome.exit_code(args.judge.fail_on))
}
